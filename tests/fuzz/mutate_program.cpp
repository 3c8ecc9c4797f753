// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Mutates program texts for --seconds S, seeded by --seed N: characters, tokens, numbers, lines.  The
// parser must answer with a user error or a module whose printed text reads back the same; whatever
// else happens (a crash, another exception, an unbounded allocation) ends this program with a
// failure and leaves the text.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <vector>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "tests/support/mutation_run.hpp"

namespace {

using namespace partita;

constexpr const char* own_seeds[] = {
    R"(module @open {
  func.func public @main(%x: tensor<?x4xf32>, %i: tensor<i32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %c = stablehlo.constant dense<4> : tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %p = stablehlo.compare GE, %n, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "more than {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %s = stablehlo.concatenate %m, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %b = stablehlo.dynamic_broadcast_in_dim %z, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %d = call @twice(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %k = call @twice(%n, %b) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %l = stablehlo.add %one, %s : tensor<2xi32>
    %w = stablehlo.real_dynamic_slice %d, %one, %l, %one : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
    return %k, %w : tensor<?x4xf32>, tensor<?x4xf32>
  }
  func.func private @twice(%n: tensor<i32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = tensor.cast %0 : tensor<?x4xf32> to tensor<?x?xf32>
    return %1 : tensor<?x?xf32>
  }
})",
    R"(module @m attributes {mr.placements = {clients = 3}, mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["clients"=8]> {stablehlo.mesh = {axes = [{name = "clients", size = 8 : i64}]}}
  func.func public @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2xf32> {jax.result_info = "r"}) {
    %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %m = "mr.map"(%b) ({
    ^bb0(%one: tensor<2xf32>):
      %s = stablehlo.add %one, %one : tensor<2xf32>
      "mr.return"(%s) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %c = sdy.sharding_constraint %m <@mesh, [{"clients"}, {?}]> : tensor<3x2xf32>
    %r = "mr.reduce_mean"(%c) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
})",
    R"(#loc = loc(unknown)
func.func @main(%n: tensor<i32>, %x: tensor<4xf32> loc("x")) -> (tensor<4xf32>, tensor<f32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %f = stablehlo.constant dense<[[1.5, -2.0e3], [0x7F800000, 0.1]]> : tensor<2x2xf32>
  %z = stablehlo.constant dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>
  %h = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
  %r:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %w = func.call @twice(%v) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %w : tensor<i32>, tensor<4xf32>
  } loc(#loc)
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%r#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r#1, %s : tensor<4xf32>, tensor<f32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.add"(%x, %x) {foo.bar = [1, 2.0, "s", @f, {a = unit}]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})",
    R"(sdy.mesh @m = <["x"=2, "y"=2]>
func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<4xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@m, [{"x"}]> : tensor<4xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<4xf32>
  %3 = sdy.named_computation<"f">(%2) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] (%b: tensor<4xf32>) {
    %5 = sdy.all_reduce {"y":(1)2} %b out_sharding=<@m, [{}]> : tensor<4xf32>
    sdy.return %5 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %4 = sdy.manual_computation(%3) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[<@m, [{"x", "y"}]>] manual_axes={"x", "y"} (%b: tensor<1xf32>) {
    %5 = stablehlo.custom_call @"all-reduce-start"(%b) {called_computations = [@add], mhlo.frontend_attributes = {async_collective_config = "{\22replica_groups\22: [[0, 2], [1, 3]], \22use_global_device_ids\22: true, \22channel_id\22: 1}"}} : (tensor<1xf32>) -> tensor<1xf32>
    %6 = stablehlo.custom_call @"all-reduce-done"(%5) : (tensor<1xf32>) -> tensor<1xf32>
    %7 = "stablehlo.async_start"(%6) ({
    ^bb0(%c: tensor<1xf32>):
      %9 = "stablehlo.all_gather"(%c) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<2xf32>
      stablehlo.return %9 : tensor<2xf32>
    }) : (tensor<1xf32>) -> !stablehlo.future<tensor<2xf32>>
    %8 = "stablehlo.async_done"(%7) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
    sdy.return %8 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
})"};

constexpr const char* words[] = {"0",
                                 "1",
                                 "-1",
                                 "2",
                                 "7",
                                 "100",
                                 "2147483648",
                                 "9223372036854775807",
                                 "-9223372036854775808",
                                 "99999999999999999999",
                                 "1.0",
                                 "-1.5e300",
                                 "0x7F800000",
                                 "0xFFFFFFFFFFFFFFFF",
                                 "tensor<f32>",
                                 "tensor<4xf32>",
                                 "tensor<0xi1>",
                                 "tensor<1000000x1000000xf32>",
                                 "tensor<281474976710656xi8>",
                                 "tensor<?xf32>",
                                 "tensor<3xcomplex<f64>>",
                                 "!mr.token",
                                 "[]",
                                 "[0]",
                                 "[1, 0]",
                                 "[-1]",
                                 "[9]",
                                 "{}",
                                 "()",
                                 "<",
                                 ">",
                                 "(",
                                 ")",
                                 "{",
                                 "}",
                                 "[",
                                 "]",
                                 ",",
                                 ":",
                                 "=",
                                 "->",
                                 "x",
                                 "#",
                                 "@main",
                                 "%x",
                                 "%0",
                                 "%c",
                                 "\"\"",
                                 "\"clients\"",
                                 "array<i64: 0, 1>",
                                 "array<i64>",
                                 "array<i1: true>",
                                 "dense<1> : tensor<2xi64>",
                                 "dense<[]>",
                                 "true",
                                 "unit",
                                 "loc(\"a\")",
                                 "^bb0",
                                 "stablehlo.add",
                                 "stablehlo.reduce",
                                 "\"stablehlo.gather\"",
                                 "\"stablehlo.case\"",
                                 "call",
                                 "return",
                                 "stablehlo.return",
                                 "LT",
                                 "UNSIGNED",
                                 "f32",
                                 "bf16",
                                 "// -----\n",
                                 "#stablehlo.gather<offset_dims = [0]>"};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(random_() % n); }

  void mutate(std::string& text) {
    for (std::size_t changes = 1 + below(1 + below(4)); changes > 0 && !text.empty(); --changes)
      change(text);
  }

 private:
  // [begin, end) of a run of characters that belong together.
  std::pair<std::size_t, std::size_t> token_at(const std::string& text, std::size_t at) {
    const auto is_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text[i]);
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '%' || c == '@';
    };
    std::size_t begin = at, end = at + 1;
    if (is_word(at)) {
      while (begin > 0 && is_word(begin - 1)) --begin;
      while (end < text.size() && is_word(end)) ++end;
    }
    return {begin, end};
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    const auto [begin, end] = token_at(text, at);
    const std::string token = text.substr(begin, end - begin);
    switch (below(10)) {
      case 0:
        text[at] = char(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(40));
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(200)));
        break;
      case 4:
        repeat(text, at);
        break;
      case 5:
        text.erase(begin, end - begin);
        break;
      case 6: {  // another token of the text in its place
        const auto [b, e] = token_at(text, below(text.size()));
        text.replace(begin, end - begin, text.substr(b, e - b));
        break;
      }
      default:
        text.replace(begin, end - begin, words[below(std::size(words))]);
        break;
    }
  }

  // Many times the same few characters: deep nesting, long lists.
  void repeat(std::string& text, std::size_t at) {
    const std::string piece = text.substr(at, 1 + below(12));
    std::string many;
    for (std::size_t count = below(2) == 0 ? below(4) : below(20'000); count > 0; --count)
      many += piece;
    text.insert(at, many);
  }

  std::mt19937_64 random_;
};

std::vector<std::string> seeds() {
  std::vector<std::string> all(std::begin(own_seeds), std::end(own_seeds));
  for (const ir::OpDef* op : ir::OpRegistry::instance().all())
    all.insert(all.end(), op->samples.begin(), op->samples.end());
  constexpr std::uintmax_t largest = 60'000;
  std::vector<std::filesystem::path> files;
  if (const auto corpus = environment("PARTITA_CORPUS"))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus))
      if (entry.path().extension() == ".mlir" && entry.file_size() < largest)
        files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) {
    const auto bytes = read_file(file);
    all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

// What is wrong with the parser's answer; empty where nothing is.
std::string fault_of(const std::string& text, bool& was_read) {
  std::vector<std::unique_ptr<ir::Module>> modules;
  try {
    modules = ir::parse_modules(text, "mutant.mlir", {.extent = 3, .must_be_there = false});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::user &&
        std::string(error.what()).find('\n') == std::string::npos)
      return {};
    return cat("not a user error of one line: ", error.located_message());
  } catch (const std::exception& error) {
    return cat("another exception: ", error.what());
  }
  was_read = true;
  try {
    for (const auto& module : modules) {
      const std::string printed = ir::print_module(*module, {.locations = true});
      if (ir::print_module(*ir::parse_module(printed), {.locations = true}) != printed)
        return "printed text changes when read again";
      if (ir::print_module(*ir::clone_module(*module), {.locations = true}) != printed)
        return "a clone prints otherwise";
    }
  } catch (const std::exception& error) {
    return cat("printed text is refused: ", error.what());
  }
  return {};
}

int run(double seconds, std::uint64_t seed) {
  std::cout << "seed " << seed << std::endl;
  Mutator mutator(seed);
  const std::vector<std::string> originals = seeds();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::size_t count = 0, read = 0;
  for (; std::chrono::steady_clock::now() < end; ++count) {
    std::string text = originals[count % originals.size()];
    if (count >= originals.size()) mutator.mutate(text);  // first each as it is
    bool was_read = false;
    const std::string fault = fault_of(text, was_read);
    read += was_read ? 1 : 0;
    if (fault.empty()) continue;
    const auto path =
        std::filesystem::temp_directory_path() / cat("partita-mutant-", seed, "-", count, ".mlir");
    write_file(path, text);
    std::cout << "FAILED: " << fault << "\nthe text is in " << path.string() << std::endl;
    return 1;
  }
  std::cout << count << " texts, " << read << " of them read" << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Room for the texts, not for what they claim.
  const auto [seconds, seed] =
      partita::testing::begin_mutation_run(argc, argv, std::size_t{2} << 30);
  return run(seconds, seed);
}

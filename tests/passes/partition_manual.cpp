// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random computations for the devices of a mesh, in programs whose values around them are cut: what shards have of their
// own is told from what all of them have alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/mesh.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/passes/pass_case.hpp"

namespace partita::testing {
namespace {

using Names = std::vector<std::string>;

std::string text_of(const ir::Sharding& sharding) {
  return to_text(sharding).substr(std::string("#sdy.sharding").size());
}

/// Text of a program over a mesh of axes of extent 2, some of them manual.  In the region sums over groups along random
/// axes stand between elementwise ops and numbers of devices; the last sum is over all axes that do not join the pieces,
/// so that devices along these agree.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    for (std::size_t k = 0; k < 2 + seed % 2; ++k)
      mesh_.axes.push_back({.name = std::string(1, char('a' + k)), .size = 2});
  }

  std::string text() {
    const Names all = names(), manual = some_of(all);
    const ir::Sharding in = sharding_of(some_of(manual)), out = sharding_of(some_of(manual));
    Type piece{.dtype = DType::f32, .dims = {8, 8}}, result;
    for (std::size_t d = 0; d < 2; ++d) piece.dims[d] >>= in.dims[d].axes.size();
    result = piece;
    for (std::size_t d = 0; d < 2; ++d) result.dims[d] <<= out.dims[d].axes.size();
    piece_ = to_string(piece);
    const std::string whole = "tensor<8x8xf32>", made = to_string(result),
                      last = text_of(sharding_of(some_of(all)));
    return cat("module @m {\n  sdy.mesh @mesh = ", to_text(mesh_),
               "\n  func.func public @main(%a: ", whole, " {sdy.sharding = #sdy.sharding",
               text_of(sharding_of(some_of(all))), "}) -> (", made,
               " {sdy.sharding = #sdy.sharding", last, "}) {\n    %t = stablehlo.tanh %a : ", whole,
               "\n    %m = sdy.manual_computation(%t) in_shardings=[", text_of(in),
               "] out_shardings=[", text_of(out), "] manual_axes=", listed(manual),
               " (%p: ", piece_, ") {\n", region(manual, out), "    } : (", whole, ") -> ", made,
               "\n    %c = sdy.sharding_constraint %m ", text_of(sharding_of(some_of(all))), " : ",
               made, "\n    %e = stablehlo.cosine %c : ", made, "\n    return %e : ", made,
               "\n  }\n}\n");
  }

 private:
  [[nodiscard]] Names names() const {
    Names all;
    for (const ir::MeshAxis& axis : mesh_.axes) all.push_back(axis.name);
    return all;
  }
  Names some_of(Names all) {
    std::erase_if(all, [&](const std::string&) { return random_() % 3 == 0; });
    std::ranges::shuffle(all, random_);
    return all;
  }
  ir::Sharding sharding_of(const Names& axes) {
    ir::Sharding sharding{.mesh = "mesh"};
    sharding.dims.resize(2);
    for (const std::string& axis : axes)
      sharding.dims[random_() % 2].axes.push_back({.name = axis});
    return sharding;
  }
  static std::string listed(const Names& names) {
    std::string text;
    for (const std::string& name : names) text += cat(text.empty() ? "" : ", ", '"', name, '"');
    return cat("{", text, "}");
  }

  /// Lists of devices that differ along these axes alone.
  [[nodiscard]] std::string groups(const Names& along) const {
    std::map<ir::I64s, std::string> lists;
    for (std::int64_t device = 0; device < mesh_.size(); ++device) {
      ir::I64s place = mesh_.coordinates(device);
      for (const std::string& axis : along) place[*mesh_.find(axis)] = 0;
      std::string& list = lists[place];
      list += cat(list.empty() ? "" : ", ", device);
    }
    std::string rows;
    for (const auto& [place, list] : lists) rows += cat(rows.empty() ? "[" : ", [", list, "]");
    return cat("dense<[", rows, "]> : tensor<", lists.size(), "x", mesh_.size() / std::ssize(lists),
               "xi64>");
  }

  void op(const std::string& text) {
    const std::string made = cat("%v", count_++);
    lines_ += cat("      ", made, " = ", text, "\n");
    value_ = made;
  }
  void elementwise(const char* name) { op(cat(name, " ", value_, " : ", piece_)); }
  void sum(const Names& along) {
    op(cat(
        "\"stablehlo.all_reduce\"(", value_,
        ") <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = ",
        groups(along),
        ", use_global_device_ids}> ({\n      ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n        %s = "
        "stablehlo.add %l, %r : tensor<f32>\n        stablehlo.return %s : tensor<f32>\n      }) : "
        "(",
        piece_, ") -> ", piece_));
  }
  void add_number() {
    const std::string before = value_;
    op("stablehlo.partition_id : tensor<ui32>");
    op(cat("stablehlo.convert ", value_, " : (tensor<ui32>) -> tensor<f32>"));
    op(cat("stablehlo.broadcast_in_dim ", value_, ", dims = [] : (tensor<f32>) -> ", piece_));
    op(cat("stablehlo.add ", before, ", ", value_, " : ", piece_));
  }

  std::string region(const Names& manual, const ir::Sharding& out) {
    for (int k = 0; k < 3; ++k) {
      if (random_() % 4 == 0) add_number();
      if (const Names along = some_of(manual); !along.empty() && random_() % 2 == 0) sum(along);
      elementwise("stablehlo.sine");
    }
    Names rest = names();
    std::erase_if(rest, [&](const std::string& axis) { return out.names(axis); });
    if (!rest.empty()) sum(rest);
    elementwise("stablehlo.tanh");
    return cat(lines_, "      sdy.return ", value_, " : ", piece_, "\n");
  }

  std::mt19937 random_;
  ir::Mesh mesh_;
  std::string piece_, lines_, value_ = "%p";
  int count_ = 0;
};

std::vector<ir::Tensor> run_main(const ir::Module& module, const std::vector<ir::Tensor>& inputs) {
  ir::Interpreter interpreter(module);
  return interpreter.run(module.entry("main"), inputs);
}

TEST(Partition, RandomComputationsForDevicesAreTheSameInParts) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const std::string text = RandomProgram(seed).text();
    try {
      const auto module = ir::parse_module(text, cat("seed ", seed));
      const auto inputs = random_inputs(module->entry("main"));
      const auto expected = run_main(*module, inputs);
      passes::PassContext context;
      (void)driver::run_passes(
          *module, driver::parse_pipeline("inline expand-manual raise simplify partition"),
          context);
      EXPECT_TRUE(ir::shard_mesh(*module)) << text;
      const auto found = run_main(*module, inputs);
      ir::expect_close(found[0], expected[0], cat("seed ", seed, "\n", text), 4);
    } catch (const Error& e) {
      FAIL() << "seed " << seed << ": " << e.what() << "\n" << text;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace partita::testing

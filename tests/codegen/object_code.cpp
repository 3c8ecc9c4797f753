// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs as one object: linked into a C host by the C compiler alone, each function gives what the
// interpreter gives, with and without threads of the host; the object needs libc, libm and BLAS.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/driver/object.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {
namespace {

constexpr std::string_view programs = R"(
module @programs attributes {mr.placements = {clients = 3}} {
  func.func public @round(%w: tensor<32x48xf32>, %data: tensor<3x20x32xf32>) -> (tensor<32x48xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %m = "mr.broadcast"(%w) {placement = "clients"} : (tensor<32x48xf32>) -> tensor<3x32x48xf32>
    %d = "mr.map"(%m, %data) ({
    ^bb0(%v: tensor<32x48xf32>, %x: tensor<20x32xf32>):
      %y = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<20x32xf32>, tensor<32x48xf32>) -> tensor<20x48xf32>
      %t = stablehlo.tanh %y : tensor<20x48xf32>
      %g = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0] : (tensor<20x32xf32>, tensor<20x48xf32>) -> tensor<32x48xf32>
      "mr.return"(%g) : (tensor<32x48xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x32x48xf32>, tensor<3x20x32xf32>) -> tensor<3x32x48xf32>
    %s = "mr.reduce_mean"(%d) {placement = "clients"} : (tensor<3x32x48xf32>) -> tensor<32x48xf32>
    %n = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x48xf32>, tensor<f32>) -> tensor<f32>
    return %s, %n : tensor<32x48xf32>, tensor<f32>
  }
  func.func public @halve(%x: tensor<5xf64>) -> (tensor<5xf64>, tensor<i32>) {
    %first = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%a = %x, %n = %first) : tensor<5xf64>, tensor<i32>
    cond {
      %zero = stablehlo.constant dense<0.0> : tensor<f64>
      %limit = stablehlo.constant dense<1.0e-3> : tensor<f64>
      %b = stablehlo.abs %a : tensor<5xf64>
      %most = stablehlo.reduce(%b init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
      %more = stablehlo.compare GT, %most, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %half = stablehlo.constant dense<0.5> : tensor<5xf64>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %c = stablehlo.multiply %a, %half : tensor<5xf64>
      %m = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %c, %m : tensor<5xf64>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<5xf64>, tensor<i32>
  }
  func.func public @sort(%keys: tensor<3x33xi32>, %values: tensor<3x33xui8>) -> (tensor<3x33xi32>, tensor<3x33xui8>) {
    %r:2 = "stablehlo.sort"(%keys, %values) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<ui8>, %d: tensor<ui8>):
      %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<3x33xi32>, tensor<3x33xui8>) -> (tensor<3x33xi32>, tensor<3x33xui8>)
    return %r#0, %r#1 : tensor<3x33xi32>, tensor<3x33xui8>
  }
  func.func public @bits(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<37xui32>) {
    %s, %b = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<37xui32>)
    return %s, %b : tensor<2xui64>, tensor<37xui32>
  }
  func.func public @small(%double: tensor<i1>, %y: tensor<4xi1>, %z: tensor<4xi16>, %c: tensor<4xcomplex<f32>>, %h: tensor<4xbf16>)
      -> (tensor<4xi16>, tensor<4xcomplex<f32>>, tensor<4xi1>, tensor<4xbf16>, tensor<i1>) {
    %a = "stablehlo.if"(%double) ({
      %t = stablehlo.add %z, %z : tensor<4xi16>
      stablehlo.return %t : tensor<4xi16>
    }, {
      stablehlo.return %z : tensor<4xi16>
    }) : (tensor<i1>) -> tensor<4xi16>
    %m = stablehlo.multiply %c, %c : tensor<4xcomplex<f32>>
    %n = stablehlo.not %y : tensor<4xi1>
    %q = stablehlo.multiply %h, %h : tensor<4xbf16>
    %u = stablehlo.not %double : tensor<i1>
    return %a, %m, %n, %q, %u : tensor<4xi16>, tensor<4xcomplex<f32>>, tensor<4xi1>, tensor<4xbf16>, tensor<i1>
  }
  func.func public @empty(%arena: tensor<0x3xf32>, %x: tensor<3xi64>) -> (tensor<3xf32>, tensor<0xi64>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%arena init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %e = stablehlo.slice %x [1:1] : (tensor<3xi64>) -> tensor<0xi64>
    return %s, %e : tensor<3xf32>, tensor<0xi64>
  }
  func.func public @wide(%x: tensor<300x300xf32>, %y: tensor<64x64xf64>, %z: tensor<40x64xf32>) -> (tensor<300x300xf32>, tensor<64x64xf64>, tensor<64x64xf32>) {
    %e = stablehlo.exponential %x : tensor<300x300xf32>
    %l = stablehlo.log_plus_one %e : tensor<300x300xf32>
    %t = stablehlo.transpose %l, dims = [1, 0] : (tensor<300x300xf32>) -> tensor<300x300xf32>
    %p = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
    %q = stablehlo.dot_general %z, %z, contracting_dims = [0] x [0] : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<64x64xf32>
    return %t, %p, %q : tensor<300x300xf32>, tensor<64x64xf64>, tensor<64x64xf32>
  }
}
)";

/// Half of the runs get two threads.
constexpr std::string_view host_start = R"(
#include "programs.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct call { void (*job)(void*, int); void* data; };
static void* second(void* x) { struct call* c = x; c->job(c->data, 1); return 0; }
static void run(void* context, int parts, void (*job)(void*, int), void* data) {
  struct call c = {job, data};
  pthread_t thread;
  if (context != &c.data && parts == 2) pthread_create(&thread, 0, second, &c);
  job(data, 0);
  if (parts == 2) pthread_join(thread, 0);
}
static void* input(const char* name, size_t bytes) {
  void* memory = 0;
  if (posix_memalign(&memory, 64, bytes + 1)) exit(90);
  FILE* file = fopen(name, "rb");
  if (!file || fread(memory, 1, bytes, file) != bytes) exit(91);
  fclose(file);
  return memory;
}
static void output(const char* name, const void* memory, size_t bytes) {
  FILE* file = fopen(name, "wb");
  if (!file || fwrite(memory, 1, bytes, file) != bytes) exit(92);
  fclose(file);
}
int main(void) {
  const partita_parallel two = {2, 0, run};
  int status = 0;
)";

/// A folder in which commands are run.
class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] int run(const std::string& command) const {
    return std::system(cat("cd ", path().string(), " && ", command).c_str());
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    const auto bytes = read_file(*this / name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

HostArray random_array(const Type& type, std::mt19937_64& random) {
  HostArray array(Type{.dtype = DType::f64, .dims = type.dims});
  std::uniform_real_distribution<double> draw(is_float(type.dtype) ? -1 : 0, 2);
  for (std::int64_t i = 0; i < type.count(); ++i) {
    const double x = draw(random);
    array.data<DType::f64>()[i] = type.dtype == DType::i1  ? double(x > 1)
                                  : is_integer(type.dtype) ? 50 * x
                                                           : x;
  }
  return convert(array, type.dtype);
}

/// Within what sums in another order may differ by; integers exactly.
void expect_close(const HostArray& found, const HostArray& expected, const std::string& where) {
  if (!is_float(expected.type.dtype)) {
    EXPECT_EQ(found, expected) << where;
    return;
  }
  const HostArray f = convert(found, DType::f64), e = convert(expected, DType::f64);
  const double relative = expected.type.dtype == DType::f64   ? 1e-12
                          : expected.type.dtype == DType::f32 ? 2e-5
                                                              : 1e-2;
  for (std::int64_t i = 0; i < e.type.count(); ++i) {
    const double x = f.data<DType::f64>()[i], y = e.data<DType::f64>()[i];
    ASSERT_LE(std::abs(x - y), relative * (1 + std::abs(y))) << where << " at " << i;
  }
}

TEST(ObjectCode, functions_linked_into_a_c_host_give_what_the_interpreter_gives) {
  const auto module = ir::parse_module(std::string(programs), "programs");
  std::vector<std::string> names;
  for (const auto& f : module->functions) names.push_back(f->name);
  driver::CompileOptions options;
  options.target = "cpu";
  const driver::ObjectCode code = driver::compile_object(*module, "programs", names, options);
  EXPECT_EQ(code.needs, (std::vector<std::string>{"cblas_dgemm", "cblas_sgemm"}));
  const driver::ObjectCode again = driver::compile_object(*module, "programs", names, options);
  EXPECT_EQ(code.object, again.object);
  EXPECT_EQ(code.header, again.header);

  const Folder folder;
  write_file(folder / "programs.o", code.object);
  write_file(folder / "programs.h", code.header);
  std::mt19937_64 random(1);
  std::string host(host_start);
  std::vector<std::vector<ir::Tensor>> expected;
  for (const auto& f : module->functions) {
    std::vector<ir::Tensor> arguments;
    std::string call;
    for (const Type& type : f->argument_types()) {
      arguments.push_back(std::make_shared<const HostArray>(random_array(type, random)));
      const std::string file = cat(f->name, "_in", arguments.size());
      write_file(folder / file, arguments.back()->bytes);
      call += cat("input(\"", file, "\", ", type.bytes(), "), ");
    }
    ir::Interpreter interpreter(*module);
    expected.push_back(interpreter.run(*f, arguments));
    std::string before, after;
    for (std::size_t k = 0; k < f->result_types.size(); ++k) {
      const std::size_t bytes = f->result_types[k].bytes();
      before += cat("  void* ", f->name, "_out", k, " = malloc(", bytes + 1, ");\n");
      after +=
          cat("  output(\"", f->name, "_out", k, "\", ", f->name, "_out", k, ", ", bytes, ");\n");
      call += cat(f->name, "_out", k, ", ");
    }
    const bool is_first = expected.size() % 2 == 1;
    host += cat(before, "  status |= programs_", f->name, "(", call,
                is_first ? cat("programs_", f->name, "_new_arena(), &two") : "0, 0", ");\n", after);
  }
  write_file(folder / "host.c", host + "  return status;\n}\n");
  ASSERT_EQ(folder.run("cc -std=gnu11 -Wall -Wextra -Werror host.c programs.o -o host -lm "
                       "-lpthread -l:libopenblas.so.0"),
            0);
  ASSERT_EQ(folder.run("./host"), 0);
  for (std::size_t f = 0; f < names.size(); ++f)
    for (std::size_t k = 0; k < expected[f].size(); ++k) {
      HostArray found(expected[f][k]->type);
      const std::string file = cat(names[f], "_out", k);
      found.bytes = read_file(folder / file);
      expect_close(found, *expected[f][k], file);
    }

  ASSERT_EQ(
      folder.run(
          "nm -u programs.o | awk '{print $2}' | grep -vxE "
          "'cblas_[sd]gemm|clock_gettime|free|posix_memalign|mem(cpy|move|set)' > others; true"),
      0);
  EXPECT_EQ(folder.text("others"), "");
  EXPECT_EQ(folder.run("nm -g --defined-only programs.o | awk '{print $3}' | grep -v '^programs_'"),
            256)
      << "a name without the prefix";
  EXPECT_EQ(
      folder.run(
          "printf '#include \"programs.h\"\\nint main() { return PROGRAMS_OK; }\\n' > h.cpp && "
          "c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only h.cpp"),
      0);
}

TEST(ObjectCode, a_program_without_products_needs_no_library_and_checks_give_a_status) {
  const auto module = ir::parse_module(R"(
func.func public @main(%if: tensor<3xi32>) {
  %x = stablehlo.slice %if [2:3] : (tensor<3xi32>) -> tensor<1xi32>
  %y = stablehlo.reshape %x : (tensor<1xi32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %good = stablehlo.compare EQ, %y, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "mr.check"(%good) {message = "not \"three\""} : (tensor<i1>) -> ()
  return
})",
                                       "checks");
  driver::CompileOptions options;
  options.target = "cpu";
  const driver::ObjectCode code = driver::compile_object(*module, "2-checks", {"main"}, options);
  EXPECT_TRUE(code.needs.empty());
  const Folder folder;
  write_file(folder / "checks.o", code.object);
  write_file(folder / "checks.h", code.header);
  write_file(folder / "host.c", std::string_view(R"(#include "checks.h"
int main(void) {
  const int32_t right[3] = {1, 2, 3}, wrong[P2_CHECKS_MAIN_IF__COUNT] = {1, 2, 4};
  if (p2_checks_main(right, 0, 0) != P2_CHECKS_OK) return 1;
  if (p2_checks_main(wrong, 0, 0) != P2_CHECKS_MAIN_CHECK_0) return 2;
  if (p2_checks_main((const int32_t*)((const char*)right + 1), 0, 0) != P2_CHECKS_BAD_ARGUMENT) return 3;
  return p2_checks_main(0, 0, 0) != P2_CHECKS_BAD_ARGUMENT;
}
)"));
  ASSERT_EQ(folder.run("cc -Wall -Werror host.c checks.o -o host -lm"), 0);
  EXPECT_EQ(folder.run("./host"), 0);
}

TEST(ObjectCode, what_makes_no_object_is_refused) {
  const auto module = ir::parse_module("func.func public @main() { return }", "nothing");
  driver::CompileOptions options;
  EXPECT_THROW((void)driver::compile_object(*module, "p", {"main"}, options), Error);
  options.target = "cpu";
  options.target_options["cpu"] = "x86-64-v2,x86-64-v3";
  EXPECT_THROW((void)driver::compile_object(*module, "p", {"main"}, options), Error);
}

}  // namespace
}  // namespace partita::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels that are written statement by statement, as text.
#include "kernel/ast/kernel_builder.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "kernel/ast/verify.hpp"
#include "kernel/text/print_kernel.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::ExprId;

constexpr DType f32 = DType::f32;

/// The statements of a kernel; expressions and declarations are left out.
std::string statements(KernelBuilder& b) {
  const std::unique_ptr<Kernel> k = b.finish();
  EXPECT_EQ(find_problem(*k), std::nullopt);
  std::istringstream lines(text::print_kernel(*k, "k"));
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find_first_not_of(' ');
    for (const char* of_body :
         {"declare", "assign", "multiply_add", "add_lanes", "store", "when", "for", "}"})
      if (at > 0 && at != std::string::npos && line.substr(at).starts_with(of_body))
        found += line.substr(2) + "\n";
  }
  return found;
}

TEST(KernelBuilder, blocks_are_functions) {
  KernelBuilder b("sum", 4);
  auto& pool = b.pool();
  const std::int32_t x = b.new_buffer(f32, false), y = b.new_buffer(f32, true);
  const ExprId item = b.item();
  const Register sum = b.declare(f32, pool.constant_of(f32, 0));
  b.loop(8, [&](ExprId i) {
    b.guard(pool.less(i, item), [&] {
      b.assign(sum, pool.apply("add", f32, {b.value(sum), pool.load(x, f32, i)}));
    });
  });
  b.store(y, item, b.value(sum));
  EXPECT_EQ(statements(b), R"(declare r0 : f32 = %1
for k1 to %2 {
  when %4 {
    assign r0 : f32 = %7
  }
}
store b1[%0] = %5
)");
}

TEST(KernelBuilder, numbers_are_given_in_the_order_of_asking) {
  KernelBuilder b("names", 1);
  EXPECT_EQ(b.new_variable(4), 1);
  EXPECT_EQ(b.new_register(f32).slot, 0);
  b.loop(3, [&](ExprId i) { EXPECT_EQ(b.pool()[i].slot, 2); });
  EXPECT_EQ(b.lane(8), b.lane(8));
  EXPECT_EQ(b.pool()[b.lane(4)].slot, 4);
  EXPECT_EQ(b.declare(f32, b.pool().constant_of(f32, 0)).slot, 1);
}

TEST(KernelBuilder, what_is_known_needs_no_guard) {
  KernelBuilder b("always", 1);
  const std::int32_t y = b.new_buffer(f32, true);
  const ExprId one = b.pool().constant_of(f32, 1);
  b.guard_if_needed(b.pool().boolean(true), [&] { b.store(y, b.item(), one); });
  b.guard_if_needed(b.pool().boolean(false), [&] { b.store(y, b.item(), one); });
  b.nest(std::vector<LoopVariable>{{}, {}}, [&] { b.store(y, b.item(), one); });
  EXPECT_EQ(b.kernel().body.size(), 2u);
  b.guard_all(b.pool().less(b.pool().variable(unbounded_item), b.pool().index(1)));
  EXPECT_EQ(b.kernel().body.size(), 1u);
}

TEST(KernelBuilder, statements_over_lanes_are_vectors) {
  KernelBuilder b("vectors", 2);
  auto& pool = b.pool();
  const std::int32_t x = b.new_buffer(f32, false), y = b.new_buffer(DType::bf16, true);
  const ExprId at = pool.add(pool.mul(b.item(), 8), b.lane(8));
  const Register v = b.new_register(f32);
  b.over_lanes(8, f32, [&] {
    b.declare(v, pool.load(x, f32, at));
    b.store(y, at, pool.convert(b.value(v), DType::bf16));
  });
  b.over_lanes(1, f32, [&] { b.store(y, b.item(), pool.constant_of(DType::bf16, 0)); });
  const auto& body = b.kernel().body;
  ASSERT_EQ(body.size(), 3u);
  for (const std::size_t k : {0, 1}) {
    EXPECT_EQ(body[k].width, 8);
    EXPECT_EQ(body[k].lane, 1);
    EXPECT_EQ(dtype_of(body[k]), f32);  // what the vectors hold
  }
  EXPECT_EQ(body[2].width, 1);
  EXPECT_EQ(dtype_of(body[2]), DType::bf16);
}

TEST(KernelBuilder, a_kernel_is_given_once_its_blocks_are_closed) {
  KernelBuilder b("open", 1);
  b.loop(2, [&](ExprId) { EXPECT_THROW(static_cast<void>(b.finish()), Error); });
  b.over_lanes(4, f32, [&] { EXPECT_THROW(b.loop(2, [](ExprId) {}), Error); });
  EXPECT_EQ(b.finish()->stem, "open");
}

}  // namespace
}  // namespace partita::kernel

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels of groups, and arrays of items: their text, what is refused, and what they compute on an OpenCL device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernel/ast/kernel_builder.hpp"
#include "kernel/text/draft_text.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/driver/target.hpp"
#include "partita/exec/executor.hpp"

namespace partita::kernel {
namespace {

using scalar::ExprId;

/// Each group turns its 64 elements around.
constexpr std::string_view reverse = R"(input "in0" : f32[128]
output "" : f32[128]
buffer b0 input 0 : f32[128] "i0"
buffer b1 output 0 : f32[128] "o1"

kernel @reverse.0 {
  buffers f32, f32 written
  variables k0 < 64, k1 < 2
  groups k1 of 64
  arrays f32[64]
  %0 = k0
  %1 = k1
  %2 = 64
  %3 = %1 * %2
  %4 = %0 + %3
  %5 = load b0[%4]
  store a0[%0] = %5
  barrier
  %6 = 63
  %7 = %6 - %0
  %8 = load a0[%7]
  store b1[%4] = %8
}

steps {
  launch @reverse.0(b0, b1) over 128, 1, 1 groups 64, 1, 1 "reverse"
}
)";

std::string with(std::string_view before, std::string_view after) {
  std::string text(reverse);
  const auto at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  return text.replace(at, before.size(), after);
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_draft(text, "t");
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(GroupKernels, text_is_printed_and_read) {
  EXPECT_EQ(print_draft(parse_draft(reverse, "t")), reverse);
}

TEST(GroupKernels, what_does_not_hold_together_is_refused) {
  using ::testing::HasSubstr;
  constexpr std::string_view end =
      "  barrier\n  %6 = 63\n  %7 = %6 - %0\n  %8 = load a0[%7]\n  store b1[%4] = %8\n";
  for (const char* block : {"  %6 = %0 < %1\n  when %6 {\n    barrier\n  }\n",
                            "  for k2 to %0 {\n    barrier\n  }\n"}) {
    std::string text = with(end, block);
    text.replace(text.find("k1 < 2"), 6, "k1 < 2, k2");
    EXPECT_THAT(refusal(text), HasSubstr("a barrier that all items of a group come by"));
  }
  EXPECT_THAT(refusal(with("  groups k1 of 64\n", "  rows k1\n")),
              HasSubstr("a barrier in one of items"));
  EXPECT_THAT(refusal(with("groups k1 of 64", "groups k1 of 32")),
              HasSubstr("items within a group as variable 0"));
  EXPECT_THAT(refusal(with("arrays f32[64]", "arrays f32[0]")),
              HasSubstr("an array of at least one element"));
  EXPECT_THAT(refusal(with("arrays f32[64]", "arrays f64[64]")), HasSubstr("f64"));
  EXPECT_THAT(refusal(with("store a0", "store a1")), HasSubstr("one of 1 arrays, found a1"));
  EXPECT_THAT(refusal(with("load a0", "load a3")), HasSubstr("one of 1 arrays, found a3"));
  EXPECT_THAT(refusal(with("groups 64, 1, 1 \"", "groups 32, 1, 1 \"")),
              HasSubstr("groups of 64 items along one dimension"));
}

/// What the draft's plan makes of 0, 1, … on a target.
std::vector<float> run(const PlanDraft& draft, const std::string& target_name = "opencl",
                       const std::map<std::string, std::string>& target_options = {}) {
  driver::CompileOptions options{.target = target_name, .has_variants = false};
  options.target_options = target_options;
  Artifact artifact = partita::compile(
                          "func.func @main(%x: tensor<128xf32>) -> tensor<128xf32> {\n"
                          "  return %x : tensor<128xf32>\n}\n",
                          options)
                          .artifact;
  artifact.plan = draft.plan;
  for (const HostArray& constant : draft.constants)
    artifact.constants.push_back(std::make_shared<HostArray>(constant));
  artifact.kernels.clear();
  artifact.modules.clear();
  const driver::Target& target = driver::find_target(target_name);
  target.generate(draft, options, target.default_info(options), artifact);
  Session session(std::move(artifact), {.use_mpi = false});
  HostArray x(Type{DType::f32, {128}});
  std::iota(x.data<DType::f32>(), x.data<DType::f32>() + 128, 0.0F);
  session.set_input(0, x);
  session.run();
  const HostArray y = session.output(0).value();
  return {y.data<DType::f32>(), y.data<DType::f32>() + 128};
}

TEST(GroupKernels, items_see_what_others_stored_before_a_barrier) {
  const std::vector<float> y = run(parse_draft(reverse, "t"));
  for (int i = 0; i < 128; ++i) {
    const int first = i / 64 * 64;
    EXPECT_EQ(y[std::size_t(i)], float(first + 63 - i % 64));
  }
}

TEST(GroupKernels, an_element_is_read_anew_after_a_barrier) {
  KernelBuilder b("twice");
  const ExprId group = b.set_groups(2, 64);
  const std::int32_t x = b.new_buffer(DType::f32, false), y = b.new_buffer(DType::f32, true),
                     a = b.new_array(DType::f32, 64);
  const ExprId at = b.pool().add(b.pool().mul(group, 64), b.item()),
               other = b.load_local(a, b.pool().sub(b.pool().index(63), b.item()));
  b.store_local(a, b.item(), b.pool().load(x, DType::f32, at));
  b.barrier();
  const Register held = b.declare(DType::f32, other);
  b.loop(1, [&](ExprId) {
    b.barrier();
    b.store_local(a, b.item(), b.pool().apply("add", DType::f32, {b.value(held), b.value(held)}));
    b.barrier();
  });
  b.store(y, at, b.pool().apply("add", DType::f32, {other, b.value(held)}));
  PlanDraft draft = parse_draft(reverse, "t");
  draft.kernels[0] = b.finish();
  const std::vector<float> result = run(draft);
  for (int i = 0; i < 128; ++i) {
    const int first = i / 64 * 64;
    EXPECT_EQ(result[std::size_t(i)], float(2 * i + first + 63 - i % 64)) << i;
  }
}

TEST(KernelLoops, what_a_loop_changes_is_another_value_in_its_second_turn) {
  KernelBuilder b("turns", 128);
  const std::int32_t x = b.new_buffer(DType::f32, false), y = b.new_buffer(DType::f32, true);
  const Register sum = b.declare(DType::f32, b.pool().load(x, DType::f32, b.item()));
  const ExprId twice = b.pool().apply("add", DType::f32, {b.value(sum), b.value(sum)});
  const Register first = b.declare(DType::f32, twice);
  b.loop(3, [&](ExprId) { b.assign(sum, twice); });
  b.store(y, b.item(), b.pool().apply("add", DType::f32, {b.value(sum), b.value(first)}));
  PlanDraft draft = parse_draft(reverse, "t");
  draft.kernels[0] = b.finish();
  for (const auto& [target, options] :
       {std::pair<std::string, std::map<std::string, std::string>>{"opencl", {}},
        {"cpu", {{"tier", "0"}}},
        {"cpu", {{"tier", "1"}}}}) {
    const std::vector<float> result = run(draft, target, options);
    for (int i = 0; i < 128; ++i) EXPECT_EQ(result[std::size_t(i)], float(10 * i)) << target;
  }
}

TEST(ItemKernels, each_item_has_arrays_of_its_own) {
  constexpr std::int64_t count = 16, items = 128 / count;
  constexpr int width = 8;
  KernelBuilder b("tiles", items);
  const std::int32_t x = b.new_buffer(DType::f32, false), y = b.new_buffer(DType::f32, true),
                     a = b.new_array(DType::f32, count);
  const ExprId first = b.pool().mul(b.item(), count);
  for (const std::int64_t half : {0, width})
    b.over_lanes(width, DType::f32, [&] {
      const ExprId at = b.pool().add(b.lane(width), half);
      b.store_local(a, at, b.pool().load(x, DType::f32, b.pool().add(first, at)));
    });
  // The first half one by one, from both; the second in vectors, from the first.
  b.loop(width, [&](ExprId k) {
    const ExprId last = b.load_local(a, b.pool().sub(b.pool().index(count - 1), k));
    b.store(y, b.pool().add(first, k),
            b.pool().apply("subtract", DType::f32, {last, b.load_local(a, k)}));
  });
  b.over_lanes(width, DType::f32, [&] {
    const ExprId element = b.load_local(a, b.lane(width));
    b.store(y, b.pool().add(b.pool().add(first, b.lane(width)), width),
            b.pool().apply("add", DType::f32, {element, element}));
  });
  PlanDraft draft = parse_draft(reverse, "t");
  draft.kernels[0] = b.finish();
  auto& launch = std::get<Launch>(draft.plan.steps[0].what);
  launch.global[0] = HostExpr(items);
  launch.local[0] = items;
  const std::string text = print_draft(draft);
  EXPECT_EQ(print_draft(parse_draft(text, "t")), text);
  for (const char* target : {"opencl", "cpu"}) {
    const std::vector<float> result = run(draft, target);
    for (int i = 0; i < 128; ++i) {
      const int k = i % int(count), begin = i - k;
      const int expected = k < width ? int(count) - 1 - 2 * k : 2 * (begin + k - width);
      EXPECT_EQ(result[std::size_t(i)], float(expected)) << target << " " << i;
    }
  }
}

}  // namespace
}  // namespace partita::kernel

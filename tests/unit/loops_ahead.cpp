// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops that are enqueued ahead of what the host knows: results and iterations in vain.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using testing::f32_array;
using testing::f32_values;

/// y = x; while (y < 10) y += 1, where the increment looks at the predicate itself.
Artifact counting_loop(bool guarded) {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.modules.push_back({"kernels", ""});
  artifact.kernels = {{"below_ten", 0}, {"increment", 0}};
  Plan& p = artifact.plan;
  const Type type{.dtype = DType::f32, .dims = {1}};
  p.inputs = {{.name = "x", .type = type}};
  p.outputs = {{.name = "y", .type = type}};
  p.buffers = {{.kind = BufferKind::input, .count = 1, .name = "x"},
               {.kind = BufferKind::output, .count = 1, .name = "y"},
               {.dtype = DType::i1, .count = 3, .name = "more"}};
  p.arena_bytes = 128;
  const BufferRef flag{2, 2};
  p.steps = {{Copy{.from = {0, 0}, .to = {1, 0}, .count = 1}, "copy"},
             {While{.condition = {{Launch{.kernel = 0, .buffers = {{1, 0}, flag}}, "below_ten"}},
                    .predicate = flag,
                    .body = {{Launch{.kernel = 1, .buffers = {{1, 0}, flag}}, "increment"}},
                    .guarded = guarded},
              "while"}};
  return artifact;
}

NullKernels counting_kernels() {
  return {{"below_ten",
           [](const NullKernelArgs& a) {
             a.buffers[1].as<std::uint8_t>()[0] = a.buffers[0].as<float>()[0] < 10;
           }},
          {"increment", [](const NullKernelArgs& a) {
             if (a.buffers[1].as<std::uint8_t>()[0] != 0) a.buffers[0].as<float>()[0] += 1;
           }}};
}

TEST(LoopsAhead, give_what_loops_give_that_wait) {
  for (const int ahead : {0, 1, 2, 3, 8})
    for (const bool is_late : {false, true}) {
      Session session(counting_loop(true), {},
                      testing::null_parts(1, counting_kernels(),
                                          {.has_late_copies = is_late, .iterations_ahead = ahead}));
      for (const int iterations : {0, 1, 2, 3, 7, 20, 5}) {
        session.set_input(0, f32_array({1}, {10.f - float(iterations)}));
        session.submit();
        EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>{10}) << iterations;
        const std::int64_t in_vain = (session.stats().launches - (2 * iterations + 1)) / 2;
        EXPECT_EQ(in_vain, std::min(ahead, iterations)) << ahead << " ahead of " << iterations;
      }
    }
}

TEST(LoopsAhead, are_those_that_are_guarded) {
  Session session(counting_loop(false), {},
                  testing::null_parts(1, counting_kernels(), {.iterations_ahead = 8}));
  session.set_input(0, f32_array({1}, {4}));
  session.run();
  EXPECT_EQ(session.stats().launches, 2 * 6 + 1);
}

}  // namespace
}  // namespace partita

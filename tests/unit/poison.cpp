// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Memory filled with a pattern: what finds reads of memory that nothing has written and writes outside
// of arrays.
#include "runtime/exec/poison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "partita/base/error.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::Each;
using testing::f32_array;
using testing::f32_values;
using testing::federated_artifact;
using testing::federated_kernels;
using ::testing::HasSubstr;
using testing::null_parts;

constexpr std::array<std::uint8_t, 2> patterns{0xff, 0x2a};

/// The message of the internal error; other errors are let through.
template <class F>
std::string internal_error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::internal) throw;
    return error.what();
  }
  return "no error";
}

std::vector<std::byte> contents(Device& device, DeviceBuffer& buffer) {
  std::vector<std::byte> bytes(buffer.bytes());
  device.read(buffer, 0, bytes);
  return bytes;
}

std::vector<float> counting(std::int64_t count) {
  std::vector<float> values(std::size_t(count), 0.f);
  std::iota(values.begin(), values.end(), 1.f);
  return values;
}

class PoisonedBuffer : public ::testing::Test {
 protected:
  static constexpr std::size_t size = 100;

  /// What is said after one byte has been written, `at` bytes from the first that was asked for.
  std::string found_after_writing(std::ptrdiff_t at) {
    DeviceBufferPtr buffer = poison.allocate(*device, size);
    const std::array<std::byte, 1> other{std::byte(1)};
    device->write(*buffer, std::size_t(std::ptrdiff_t(poison.margin()) + at), other);
    return internal_error_of([&] { poison.check_margins(*device, *buffer, "the array"); });
  }

  std::unique_ptr<Device> device = make_null_device({});
  Poison poison{std::uint8_t{0x2a}};
};

TEST_F(PoisonedBuffer, IsFilledBetweenMargins) {
  DeviceBufferPtr buffer = poison.allocate(*device, size);
  ASSERT_EQ(buffer->bytes(), size + 2 * poison.margin());
  EXPECT_THAT(contents(*device, *buffer), Each(std::byte(0x2a)));
  poison.check_margins(*device, *buffer, "the array");
}

TEST_F(PoisonedBuffer, IsFilledAgainBetweenMarginsOnly) {
  DeviceBufferPtr buffer = poison.allocate(*device, size);
  device->write(*buffer, 0, std::vector<std::byte>(buffer->bytes(), std::byte(7)));
  poison.fill(*device, *buffer);
  const std::vector<std::byte> found = contents(*device, *buffer);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_margin = i < poison.margin() || i >= poison.margin() + size;
    ASSERT_EQ(found[i], is_margin ? std::byte(7) : std::byte(0x2a)) << i;
  }
}

TEST_F(PoisonedBuffer, OfMoreThanAPieceIsFilledToItsEnd) {
  DeviceBufferPtr buffer = poison.allocate(*device, (std::size_t(5) << 19) + 3);
  EXPECT_THAT(contents(*device, *buffer), Each(std::byte(0x2a)));
}

TEST_F(PoisonedBuffer, OfNothingHasMargins) {
  DeviceBufferPtr buffer = poison.allocate(*device, 0);
  poison.fill(*device, *buffer);
  poison.check_margins(*device, *buffer, "the array");
  EXPECT_EQ(buffer->bytes(), 2 * poison.margin());
}

TEST_F(PoisonedBuffer, MayBeWrittenWithinItsArray) {
  EXPECT_EQ(found_after_writing(0), "no error");
  EXPECT_EQ(found_after_writing(std::ptrdiff_t(size) - 1), "no error");
}

TEST_F(PoisonedBuffer, SaysWhereAMarginWasWritten) {
  const auto margin = std::ptrdiff_t(poison.margin());
  EXPECT_THAT(found_after_writing(-1), HasSubstr("wrote 1 bytes before the array"));
  EXPECT_THAT(found_after_writing(-margin), HasSubstr("wrote 256 bytes before the array"));
  EXPECT_THAT(found_after_writing(size), HasSubstr("wrote 1 bytes behind the array"));
  EXPECT_THAT(found_after_writing(std::ptrdiff_t(size) + margin - 1),
              HasSubstr("wrote 256 bytes behind the array"));
}

TEST(PoisonOff, ChangesNothing) {
  const Poison off(std::nullopt);
  const std::unique_ptr<Device> device = make_null_device({});
  DeviceBufferPtr buffer = off.allocate(*device, 5);
  EXPECT_EQ(buffer->bytes(), 5U);
  EXPECT_EQ(off.margin(), 0U);
  device->write(*buffer, 0, std::vector<std::byte>(5, std::byte(7)));
  off.fill(*device, *buffer);
  off.check_margins(*device, *buffer, "the array");
  EXPECT_THAT(contents(*device, *buffer), Each(std::byte(7)));
}

// --- Sessions --------------------------------------------------------------------------------------

/// in0 [4] -> out0 [4] with an arena of 4 f32 and a block of 4 f32: one kernel gets them all, in this
/// order.
Artifact one_launch() {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.modules.push_back({"kernels", ""});
  artifact.kernels = {{"kernel", 0}};
  const Type type{.dtype = DType::f32, .dims = {4}};
  Plan& p = artifact.plan;
  p.inputs = {{.name = "x", .type = type}};
  p.outputs = {{.name = "y", .type = type}};
  p.arena_bytes = 128;
  p.buffers = {{.kind = BufferKind::input, .count = 4, .name = "x"},
               {.kind = BufferKind::output, .count = 4, .name = "y"},
               {.kind = BufferKind::arena, .count = 4, .name = "t"},
               {.kind = BufferKind::block, .count = 4, .name = "b"}};
  p.steps = {{Launch{.kernel = 0, .buffers = {{0, 0}, {1, 0}, {2, 0}, {3, 0}}, .global = {1, 1, 1}},
              "kernel"}};
  return artifact;
}

enum Argument : std::size_t { input, output, arena, block };

float* floats(const NullKernelArgs& a, Argument which) { return a.buffers[which].as<float>(); }

/// Bytes of the results of two runs with other values in between: outputs, arena and block are read
/// by the kernel where `reads` says so.
std::vector<std::vector<std::byte>> two_runs(std::optional<std::uint8_t> pattern, Argument reads) {
  const NullKernels kernels{{"kernel", [reads](const NullKernelArgs& a) {
                               for (int i = 0; i < 4; ++i) {
                                 const float found = floats(a, reads)[i];
                                 for (const Argument to : {arena, block}) floats(a, to)[i] = 77;
                                 floats(a, output)[i] = found;
                               }
                             }}};
  Session session(one_launch(), {.poison = pattern}, null_parts(1, kernels));
  session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
  std::vector<std::vector<std::byte>> results;
  for (int run = 0; run < 2; ++run) {
    session.run();
    results.push_back(session.output(0).value().bytes);
  }
  return results;
}

TEST(PoisonedSession, FillsOutputsBlocksAndArenaBeforeEachRun) {
  for (const Argument reads : {output, arena, block})
    for (const std::uint8_t pattern : patterns)
      for (const auto& bytes : two_runs(pattern, reads))
        EXPECT_THAT(bytes, Each(std::byte(pattern))) << int(reads);
  // Without it the second run finds what the first has left.
  EXPECT_NE(two_runs(std::nullopt, arena)[0], two_runs(std::nullopt, arena)[1]);
}

TEST(PoisonedSession, GivesResultsThatDoNotDependOnThePattern) {
  EXPECT_EQ(two_runs(patterns[0], input), two_runs(patterns[1], input));
  EXPECT_EQ(two_runs(patterns[0], input), two_runs(std::nullopt, input));
}

TEST(PoisonedSession, SaysWhichMemoryWasWrittenOutsideOfItsArray) {
  const auto error = [](Argument which, std::ptrdiff_t element) {
    const NullKernels kernels{{"kernel", [=](const NullKernelArgs& a) {
                                 for (int i = 0; i < 4; ++i) floats(a, output)[i] = 0;
                                 floats(a, which)[element] = 0;
                               }}};
    Session session(one_launch(), {.poison = patterns[0]}, null_parts(1, kernels));
    session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
    return internal_error_of([&] { session.run(); });
  };
  EXPECT_THAT(error(output, 3), "no error");
  EXPECT_THAT(error(output, 4), HasSubstr("wrote 1 bytes behind output 0"));
  EXPECT_THAT(error(output, -1), HasSubstr("wrote 4 bytes before output 0"));
  EXPECT_THAT(error(input, 4), HasSubstr("wrote 1 bytes behind input 0"));
  EXPECT_THAT(error(arena, -2), HasSubstr("wrote 8 bytes before the arena"));
  EXPECT_THAT(error(arena, 32), HasSubstr("wrote 1 bytes behind the arena"));
  EXPECT_THAT(error(block, 5), HasSubstr("wrote 5 bytes behind block 3 (b)"));
}

TEST(PoisonedSession, WatchesConstants) {
  Artifact artifact = one_launch();
  artifact.constants = {std::make_shared<HostArray>(f32_array({4}, {5, 6, 7, 8}))};
  Plan& p = artifact.plan;
  p.buffers[2] = {.kind = BufferKind::constant, .count = 4, .name = "c"};
  p.arena_bytes = 0;
  int at = 4;
  const NullKernels kernels{{"kernel", [&](const NullKernelArgs& a) {
                               for (int i = 0; i < 4; ++i)
                                 floats(a, output)[i] = a.buffers[2].as<float>()[i];
                               if (at >= 0) a.buffers[2].as<float>()[at] = 0;
                             }}};
  const auto run = [&] {
    Session session(artifact, {.poison = patterns[1]}, null_parts(1, kernels));
    session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
    session.run();
    return f32_values(session.output(0).value());
  };
  EXPECT_THAT(internal_error_of(run), HasSubstr("wrote 1 bytes behind constant 0"));
  at = -1;
  EXPECT_EQ(run(), std::vector<float>({5, 6, 7, 8}));
}

TEST(PoisonedSession, CopiesInputsThatAreLent) {
  const std::byte* seen = nullptr;
  const NullKernels kernels{{"kernel", [&](const NullKernelArgs& a) {
                               seen = reinterpret_cast<const std::byte*>(floats(a, input));
                               for (int i = 0; i < 4; ++i)
                                 floats(a, output)[i] = floats(a, input)[i];
                             }}};
  const auto x = std::make_shared<const HostArray>(f32_array({4}, {1, 2, 3, 4}));
  for (const bool is_poisoned : {false, true}) {
    SessionOptions options;
    if (is_poisoned) options.poison = patterns[0];
    Session session(one_launch(), options, null_parts(1, kernels));
    session.lend_input(0, x);
    session.run();
    EXPECT_EQ(f32_values(session.output(0).value()), f32_values(*x));
    EXPECT_EQ(seen == x->bytes.data(), !is_poisoned);
  }
}

TEST(PoisonedSession, CarriesOutputsWithTheirMargins) {
  Artifact artifact = one_launch();
  Plan& p = artifact.plan;
  p.inputs.push_back(p.inputs[0]);
  const NullKernels kernels{{"kernel", [](const NullKernelArgs& a) {
                               for (int i = 0; i < 4; ++i)
                                 floats(a, output)[i] = 2 * floats(a, input)[i];
                             }}};
  for (const std::uint8_t pattern : patterns) {
    Session session(artifact, {.poison = pattern}, null_parts(1, kernels));
    session.set_input(0, f32_array({4}, {1, 3, 5, 7}));
    session.set_input(1, f32_array({4}, {0, 0, 0, 0}));
    for (int round = 0; round < 5; ++round) {
      // The first carry swaps memory, the second copies it.
      if (round > 0) session.carry({{.output = 0, .input = 1}, {.output = 0, .input = 0}});
      session.run();
    }
    EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({32, 96, 160, 224}));
  }
}

TEST(PoisonedSession, GivesTheSameOnAnyNumberOfShards) {
  constexpr std::int64_t clients = 7, width = 3;
  for (const int shards : {1, 2, 3, 9})
    for (const std::uint8_t pattern : patterns) {
      Session session(federated_artifact(clients, width), {.poison = pattern},
                      null_parts(shards, federated_kernels()));
      session.set_input(0, f32_array({width}, {10, 20, 30}));
      session.set_input(1, f32_array({clients, width}, counting(clients * width)));
      for (int repeat = 0; repeat < 2; ++repeat) {
        session.run();
        EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({140, 217, 294}));
        const auto doubled = f32_values(session.output(1).value());
        for (std::size_t i = 0; i < doubled.size(); ++i) EXPECT_EQ(doubled[i], 2 * float(i + 1));
      }
    }
}

TEST(PoisonedSession, FindsWhatOneOfSeveralShardsWrites) {
  NullKernels kernels = federated_kernels();
  const auto twice = kernels["twice"];
  kernels["twice"] = [=](const NullKernelArgs& a) {
    twice(a);
    // The row of the last client is the last one of its shard.
    if (a.buffers[0].as<float>()[0] == 19.f) a.buffers[1].as<float>()[3] = 0;
  };
  Session session(federated_artifact(7, 3), {.poison = patterns[0]}, null_parts(3, kernels));
  session.set_input(0, f32_array({3}, {10, 20, 30}));
  session.set_input(1, f32_array({7, 3}, counting(21)));
  EXPECT_THAT(internal_error_of([&] { session.run(); }), HasSubstr("behind output 1"));
}

}  // namespace
}  // namespace partita

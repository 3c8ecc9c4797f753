// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sessions on a device whose copies run beside its work, and happen as late as they may: what did not
// wait for them would read or overwrite the wrong bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "partita/base/error.hpp"
#include "runtime/exec/output_steps.hpp"
#include "runtime/exec/transfers.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::ElementsAre;
using testing::f32_array;
using testing::f32_values;
using testing::federated_artifact;
using testing::federated_kernels;
using ::testing::IsEmpty;

constexpr NullDeviceOptions late{.has_late_copies = true};

TEST(OverlappingCopies, uploads_are_there_when_steps_use_them) {
  constexpr std::int64_t clients = 7, width = 3;
  for (const int shards : {1, 2, 3, 9}) {
    Session session(federated_artifact(clients, width), {},
                    testing::null_parts(shards, federated_kernels(), late));
    for (int round = 1; round < 4; ++round) {
      std::vector<float> data(clients * width);
      std::iota(data.begin(), data.end(), float(round));
      session.set_input(0, f32_array({width}, {0, 0, 0}));
      session.set_input(0, f32_array({width}, {10, 20, 30}));
      session.set_input(1, f32_array({clients, width}, data));
      session.submit();
      float sum = 0;
      for (std::int64_t c = 0; c < clients; ++c) sum += data[std::size_t(c * width)];
      EXPECT_EQ(f32_values(session.output(0).value()),
                std::vector<float>({70 + sum, 147 + sum, 224 + sum}))
          << shards;
      const auto doubled = f32_values(session.output(1).value());
      for (std::size_t i = 0; i < doubled.size(); ++i) EXPECT_EQ(doubled[i], 2 * data[i]);
    }
  }
}

TEST(OverlappingCopies, an_array_may_change_as_soon_as_it_was_given) {
  Session session(federated_artifact(2, 2), {}, testing::null_parts(1, federated_kernels(), late));
  HostArray model = f32_array({2}, {1, 2}), data = f32_array({2, 2}, {1, 1, 1, 1});
  session.set_input(0, model);
  session.set_input(1, data);
  model.bytes.assign(model.bytes.size(), std::byte(0xff));
  data.bytes.assign(data.bytes.size(), std::byte(0xff));
  session.submit();
  EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({4, 6}));
}

TEST(OverlappingCopies, a_memory_that_is_filled_twice_has_the_last_bytes) {
  const auto device = make_null_device({}, late);
  Transfers transfers(*device);
  const DeviceBufferPtr memory = device->allocate(1);
  for (const unsigned char value : {1, 2, 3}) {
    const std::byte byte{value};
    transfers.upload(memory, 0, std::span(&byte, 1));
  }
  transfers.settle(*memory);
  std::byte found{};
  device->read(*memory, 0, std::span(&found, 1));
  EXPECT_EQ(found, std::byte(3));
}

TEST(OverlappingCopies, outputs_are_made_by_the_last_step_that_touches_them) {
  const Plan plan = federated_artifact(4, 2).plan;
  const auto made = outputs_made_by(plan);
  ASSERT_EQ(made.size(), plan.steps.size());
  EXPECT_THAT(made.back(), ElementsAre(0));  // the copy of the sum
  EXPECT_THAT(made[2], ElementsAre(1));      // the loop over clients
  EXPECT_THAT(made[0], IsEmpty());
}

TEST(OverlappingCopies, what_a_collective_brings_is_made_where_it_is_waited_for) {
  Plan plan = federated_artifact(4, 2).plan;
  plan.steps.pop_back();
  auto& reduce = std::get<AllReduceStart>(plan.steps[3].what);
  reduce.pieces = {{{2, 0}, 2}};
  EXPECT_THAT(outputs_made_by(plan).at(4), ElementsAre(0));
}

}  // namespace
}  // namespace partita

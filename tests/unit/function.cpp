// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <numeric>
#include <thread>

#include "partita/base/error.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::f32_array;
using testing::f32_values;
using testing::federated_artifact;
using testing::federated_kernels;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t clients = 5, width = 3;

std::shared_ptr<Stream> null_stream(NullKernels kernels, const NullDeviceOptions& options = {}) {
  return std::make_shared<Stream>(make_null_device(std::move(kernels), options));
}

DeviceArrayPtr uploaded(Stream& stream, const HostArray& array) {
  return stream.upload(array.type, array.bytes);
}

HostArray downloaded(const DeviceArrayPtr& array) {
  HostArray result(array->type());
  array->download(result.bytes)->wait();
  return result;
}

HostArray counting(Dims dims, float first) {
  HostArray array(Type{.dtype = DType::f32, .dims = std::move(dims)});
  std::iota(array.data<DType::f32>(), array.data<DType::f32>() + array.type.count(), first);
  return array;
}

/// Sum over clients of (model + data) for data counting from `first`.
std::vector<float> expected_sum(const std::vector<float>& model, float first) {
  std::vector<float> sum(width);
  for (std::int64_t c = 0; c < clients; ++c)
    for (std::int64_t i = 0; i < width; ++i)
      sum[std::size_t(i)] += model[std::size_t(i)] + first + float(c * width + i);
  return sum;
}

Function federated(const std::shared_ptr<Stream>& stream) {
  return {std::make_shared<Artifact>(federated_artifact(clients, width)), {stream}};
}

/// One execution on one device.
Function::Arrays executed(const Function& function, const Function::Arrays& arrays) {
  return function.execute({arrays}).front();
}

TEST(Event, CallsBackOnceWhetherAskedBeforeOrAfter) {
  Event event;
  int calls = 0;
  event.on_done([&](const std::exception_ptr& error) { calls += error ? 100 : 1; });
  EXPECT_FALSE(event.is_done());
  event.finish();
  EXPECT_TRUE(event.is_done());
  event.on_done([&](const std::exception_ptr& error) { calls += error ? 100 : 10; });
  EXPECT_EQ(calls, 11);
  event.wait();
}

TEST(Event, OfAllFailsWithTheFirstThatFailed) {
  std::vector<EventPtr> events;
  for (int k = 0; k < 3; ++k) events.push_back(std::make_shared<Event>());
  const EventPtr all = all_of(events);
  events[2]->finish(std::make_exception_ptr(std::runtime_error("third")));
  events[1]->finish(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_FALSE(all->is_done());
  events[0]->finish();
  EXPECT_THAT([&] { all->wait(); }, ThrowsMessage<std::runtime_error>("second"));
  EXPECT_TRUE(all_of({})->is_done());
}

TEST(Stream, WhatIsUploadedComesBackAlsoWhileTheDeviceIsBusy) {
  for (const bool has_late_copies : {false, true}) {
    const auto stream = null_stream({}, {.has_late_copies = has_late_copies});
    std::promise<void> go;
    const EventPtr busy =
        stream->enqueue([ready = go.get_future().share()](Device&) { ready.wait(); });
    HostArray source = counting({4, 2}, 1);
    const DeviceArrayPtr array = uploaded(*stream, source);
    std::ranges::fill(source.bytes, std::byte(0));  // the call has returned
    EXPECT_FALSE(array->ready()->is_done());
    go.set_value();
    EXPECT_EQ(downloaded(array), counting({4, 2}, 1));
    EXPECT_EQ(downloaded(uploaded(*stream, counting({}, 7))), counting({}, 7));
    EXPECT_EQ(downloaded(uploaded(*stream, counting({0, 3}, 7))), counting({0, 3}, 7));
    busy->wait();
  }
}

TEST(Stream, CopiesGoToOtherDevicesAndFailWithWhatTheyCopy) {
  const auto one = null_stream({}), other = null_stream({});
  const DeviceArrayPtr array = uploaded(*one, counting({5}, 1));
  for (const auto& stream : {one, other}) {
    const DeviceArrayPtr copy = array->copy_to(stream);
    EXPECT_EQ(copy->stream(), stream);
    copy->ready()->wait();
    EXPECT_EQ(downloaded(copy), counting({5}, 1));
  }
  std::promise<void> go;
  const EventPtr busy = one->enqueue([ready = go.get_future().share()](Device&) { ready.wait(); });
  const DeviceArrayPtr late = array->copy_to(other);
  HostArray result(late->type());
  const EventPtr read = late->download(result.bytes);  // before the copy is there
  go.set_value();
  read->wait();
  EXPECT_EQ(result, counting({5}, 1));
  const auto small = null_stream({}, {.memory_bytes = 64});
  const DeviceArrayPtr none = array->copy_to(small)->copy_to(one);
  const DeviceArrayPtr large = uploaded(*one, counting({100}, 1))->copy_to(small);
  EXPECT_THAT([&] { large->copy_to(one)->ready()->wait(); },
              ThrowsMessage<Error>(HasSubstr("out of device memory")));
  none->ready()->wait();
}

TEST(Function, ResultsAreArgumentsOfTheNextBeforeTheyAreThere) {
  const auto stream = null_stream(federated_kernels());
  const Function function = federated(stream);
  const DeviceArrayPtr data = uploaded(*stream, counting({clients, width}, 1));
  DeviceArrayPtr model = uploaded(*stream, f32_array({width}, {0, 0, 0}));
  std::vector<float> expected(width);
  for (int round = 0; round < 4; ++round) {
    model = executed(function, {model, data})[0];
    expected = expected_sum(expected, 1);
  }
  EXPECT_EQ(f32_values(downloaded(model)), expected);
  EXPECT_THAT(function.output_types(),
              ElementsAre(Type{.dtype = DType::f32, .dims = {width}},
                          Type{.dtype = DType::f32, .dims = {clients, width}}));
}

TEST(Function, SeveralDevicesHaveABlockEachOfThePartitions) {
  std::vector<std::shared_ptr<Stream>> streams{null_stream(federated_kernels()),
                                               null_stream(federated_kernels())};
  const Function function(std::make_shared<Artifact>(federated_artifact(clients, width)), streams);
  EXPECT_EQ(function.input_types(0)[1].dims, (Dims{2, width}));
  EXPECT_EQ(function.input_types(1)[1].dims, (Dims{3, width}));
  std::vector<Function::Arrays> inputs;
  for (const auto& stream : streams)
    inputs.push_back({uploaded(*stream, f32_array({width}, {1, 2, 3}))});
  inputs[0].push_back(uploaded(*streams[0], counting({2, width}, 1)));
  inputs[1].push_back(uploaded(*streams[1], counting({3, width}, 1 + 2 * width)));
  for (const Function::Arrays& results : function.execute(inputs))
    EXPECT_EQ(f32_values(downloaded(results[0])), expected_sum({1, 2, 3}, 1));
}

TEST(Function, SeveralOfOneJobAreExecutedInTurn) {
  const std::vector<std::shared_ptr<Stream>> streams{null_stream(federated_kernels()),
                                                     null_stream(federated_kernels())};
  const auto job =
      std::make_shared<Communicators>(make_local_communicators({.shards_per_rank = 2}));
  const auto artifact = std::make_shared<Artifact>(federated_artifact(clients, width));
  std::deque<Function> functions;
  for (int k = 0; k < 3; ++k) functions.emplace_back(artifact, streams, job);
  EXPECT_THAT([&] { Function(artifact, {streams[0]}, job); },
              ThrowsMessage<Error>(HasSubstr("each of 2 shards here, found 1")));
  std::vector<Function::Arrays> inputs;
  for (const auto& stream : streams)
    inputs.push_back({uploaded(*stream, f32_array({width}, {1, 2, 3}))});
  inputs[0].push_back(uploaded(*streams[0], counting({2, width}, 1)));
  inputs[1].push_back(uploaded(*streams[1], counting({3, width}, 1 + 2 * width)));
  for (int round = 0; round < 20; ++round) {
    const std::vector<Function::Arrays> results =
        functions[std::size_t(round) % functions.size()].execute(inputs);
    if (round % 5 != 4) continue;  // many are under way
    for (const Function::Arrays& of_device : results)
      EXPECT_EQ(f32_values(downloaded(of_device[0])), expected_sum({1, 2, 3}, 1));
  }
  functions.clear();  // the job stays

  // What fails in one ends the job.
  const Function last(artifact, streams, job);
  const auto failed = std::make_shared<Event>();
  failed->finish(std::make_exception_ptr(std::runtime_error("no block")));
  std::vector<Function::Arrays> with_failed = inputs;
  with_failed[1][1] = std::make_shared<DeviceArray>(streams[1], inputs[1][1]->type(), failed);
  for (const auto& arguments : {with_failed, inputs}) {
    const std::vector<Function::Arrays> none = last.execute(arguments);
    EXPECT_THAT([&] { none[0][0]->ready()->wait(); }, ThrowsMessage<Error>(HasSubstr("no block")));
  }
}

TEST(Function, ArraysThatNobodyHoldsAreFreed) {
  const auto stream = null_stream(federated_kernels());
  Function function = federated(stream);
  const DeviceArrayPtr data = uploaded(*stream, counting({clients, width}, 1));
  DeviceArrayPtr model = uploaded(*stream, f32_array({width}, {0, 0, 0}));
  std::vector<std::int64_t> held;
  for (int round = 0; round < 20; ++round) {
    model = executed(function, {model, data})[0];
    model->ready()->wait();
    held.push_back(stream->allocated_bytes());
  }
  held.erase(held.begin());  // the arena comes with the first
  EXPECT_THAT(held, Each(held.front()));
}

TEST(Function, WrongArgumentsAreUserErrors) {
  const auto stream = null_stream(federated_kernels()), other = null_stream(federated_kernels());
  Function function = federated(stream);
  const DeviceArrayPtr data = uploaded(*stream, counting({clients, width}, 1));
  const DeviceArrayPtr model = uploaded(*stream, f32_array({width}, {0, 0, 0}));
  const auto execute = [&](Function::Arrays arrays) {
    return
        [&function, arrays = std::move(arrays)] { static_cast<void>(executed(function, arrays)); };
  };
  EXPECT_THAT(execute({model}), ThrowsMessage<Error>("expected 2 arguments, found 1"));
  EXPECT_THAT(
      execute({data, data}),
      ThrowsMessage<Error>(HasSubstr("argument 0: expected tensor<3xf32>, found tensor<5x3xf32>")));
  EXPECT_THAT(execute({model->copy_to(other), data}),
              ThrowsMessage<Error>(HasSubstr("argument 0: expected an array on device 0")));
  EXPECT_THAT([&] { static_cast<void>(function.execute({})); },
              ThrowsMessage<Error>("expected arguments for 1 devices, found 0"));
  const auto artifact = std::make_shared<Artifact>(testing::mesh_artifact());
  EXPECT_THAT(
      [&] {
        Function(artifact, {stream, other});
      },
      ThrowsMessage<Error>(HasSubstr("expected 6 devices")));
  EXPECT_THAT([&] { Function(artifact, {}); },
              ThrowsMessage<Error>("expected a device, found none"));
}

TEST(Function, FailuresReachResultsAndWhatFollowsFromThemAndNothingElse) {
  std::atomic<bool> fails = true;
  NullKernels kernels = federated_kernels();
  kernels["twice"] = [twice = kernels["twice"], &fails](const NullKernelArgs& args) {
    if (fails) throw_device_error("lost");
    twice(args);
  };
  const auto stream = null_stream(std::move(kernels));
  Function function = federated(stream);
  const DeviceArrayPtr data = uploaded(*stream, counting({clients, width}, 1));
  const DeviceArrayPtr model = uploaded(*stream, f32_array({width}, {0, 0, 0}));
  const DeviceArrayPtr failed = executed(function, {model, data})[0];
  EXPECT_THAT([&] { downloaded(failed); }, ThrowsMessage<Error>(HasSubstr("lost")));
  fails = false;
  const DeviceArrayPtr after = executed(function, {failed, data})[0];
  EXPECT_THAT([&] { after->ready()->wait(); }, ThrowsMessage<Error>(HasSubstr("lost")));
  const DeviceArrayPtr good = executed(function, {model, data})[0];
  EXPECT_EQ(f32_values(downloaded(good)), expected_sum({0, 0, 0}, 1));
}

TEST(Function, AMeshRunsAgainAfterAShardHasFailed) {
  std::vector<std::shared_ptr<Stream>> streams;
  for (int k = 0; k < 6; ++k) streams.push_back(null_stream({}));
  const Function function(std::make_shared<Artifact>(testing::mesh_artifact()), streams);
  std::vector<Function::Arrays> blocks;
  for (int k = 0; k < 6; ++k)
    blocks.push_back(
        {uploaded(*streams[std::size_t(k)], f32_array({3, 2}, std::vector<float>(6, float(k))))});
  const auto failed = std::make_shared<Event>();
  failed->finish(std::make_exception_ptr(std::runtime_error("no block")));
  std::vector<Function::Arrays> with_failed = blocks;
  with_failed[4] = {std::make_shared<DeviceArray>(streams[4], blocks[4][0]->type(), failed)};
  for (int round = 0; round < 2; ++round) {
    const std::vector<Function::Arrays> none = function.execute(with_failed);
    EXPECT_THAT([&] { none[4][1]->ready()->wait(); },
                ThrowsMessage<std::runtime_error>("no block"));
    EXPECT_THAT([&] { none[1][1]->ready()->wait(); }, ThrowsMessage<Error>(HasSubstr("no block")));
    const std::vector<Function::Arrays> results = function.execute(blocks);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_EQ(f32_values(downloaded(results[k][1])).front(), float(k % 3) * 2 + 3) << k;
  }
}

TEST(Function, ThreadsCallItAtTheSameTime) {
  const auto stream = null_stream(federated_kernels());
  Function one = federated(stream), two = federated(stream);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        const auto first = float(t * 100 + k);
        const DeviceArrayPtr data = uploaded(*stream, counting({clients, width}, first));
        const DeviceArrayPtr model = uploaded(*stream, f32_array({width}, {1, 2, 3}));
        Function& function = k % 2 == 0 ? one : two;
        const Function::Arrays results = executed(function, {model, data});
        if (f32_values(downloaded(results[0])) == expected_sum({1, 2, 3}, first)) ++right;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 160);
}

}  // namespace
}  // namespace partita

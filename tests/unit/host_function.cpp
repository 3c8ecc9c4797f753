// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions of the host application: the table, steps that call them, and the C interface.
#include "partita/base/host_function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <thread>

#include "partita.h"
#include "partita/base/error.hpp"
#include "partita/exec/function.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::f32_array;
using testing::f32_values;
using ::testing::HasSubstr;
using testing::null_parts;
using testing::PlanBuilder;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Entry of the table as long as it lives.
class Registered {
 public:
  Registered(std::string name, HostFunction function) : name_(std::move(name)) {
    set_host_function(name_, std::make_shared<const HostFunction>(std::move(function)));
  }
  ~Registered() { set_host_function(name_, nullptr); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  std::string name_;
};

/// y = 2 x of f32, counting calls.
HostFunction doubling(std::atomic<int>& calls) {
  return [&calls](const HostFunctionArrays& a) {
    ++calls;
    const auto* const x = reinterpret_cast<const float*>(a.operands[0]);
    auto* const y = reinterpret_cast<float*>(a.results[0]);
    for (std::int64_t i = 0; i < a.operand_types[0].count(); ++i) y[i] = 2 * x[i];
  };
}

/// The program's one argument through a function to its one result, 4 elements of f32.
PlanBuilder calling(const std::string& function, bool once = false) {
  PlanBuilder b(4);
  const Type type{.dtype = DType::f32, .dims = {4}};
  b.artifact.plan.steps = {{FunctionCall{.function = function,
                                         .once = once,
                                         .operand_types = {type},
                                         .result_types = {type},
                                         .operands = {{0, 0}},
                                         .results = {{1, 0}}},
                            function}};
  return b;
}

TEST(HostFunction, StepsCallIt) {
  std::atomic<int> calls = 0;
  const Registered registered("test.double", doubling(calls));
  PlanBuilder b = calling("test.double");
  Session session(b.artifact, {}, null_parts(1, {}));
  session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
  session.run();
  session.run();
  EXPECT_THAT(f32_values(session.output(0).value()), ElementsAre(2, 4, 6, 8));
  EXPECT_EQ(calls, 2);
}

TEST(HostFunction, StepsBringTheirNameWhereThereIsNone) {
  PlanBuilder b = calling("test.missing");
  Session session(b.artifact, {}, null_parts(1, {}));
  session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
  EXPECT_THAT([&] { session.run(); },
              ThrowsMessage<Error>(HasSubstr("'test.missing' that this process has registered")));
}

TEST(HostFunction, ProgramsKeepTheOneThatWasThereWhenTheyWereLoaded) {
  std::atomic<int> calls = 0;
  PlanBuilder b = calling("test.kept");
  std::optional<Session> session;
  {
    const Registered registered("test.kept", doubling(calls));
    session.emplace(b.artifact, SessionOptions{}, null_parts(1, {}));
  }
  session->set_input(0, f32_array({4}, {1, 2, 3, 4}));
  session->run();
  EXPECT_EQ(calls, 1);
}

TEST(HostFunction, OfShardsTheFirstCallsOnce) {
  std::atomic<int> calls = 0;
  const Registered registered("test.once", doubling(calls));
  for (const bool once : {false, true}) {
    PlanBuilder b = calling("test.once", once);
    b.artifact.plan.mesh = {{.name = "x", .size = 3}};
    calls = 0;
    Session session(b.artifact, {}, null_parts(3, {}));
    session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
    session.run();
    EXPECT_EQ(calls, once ? 1 : 3);
    EXPECT_THAT(f32_values(session.output(0).value()), ElementsAre(2, 4, 6, 8));
  }
}

// --- C -----------------------------------------------------------------------------------------

struct Host {
  int calls = 0, released = 0;
};

partita_status triple(const partita_array* operands, size_t operand_count,
                      const partita_array* results, size_t result_count, char* error,
                      size_t error_size, void* user) {
  ++static_cast<Host*>(user)->calls;
  EXPECT_EQ(operand_count, 1U);
  EXPECT_EQ(result_count, 1U);
  EXPECT_EQ(operands->dtype, PARTITA_F32);
  EXPECT_EQ(operands->rank, 1U);
  EXPECT_EQ(operands->dims[0], 4);
  EXPECT_EQ(operands->bytes, 16U);
  const auto* const x = static_cast<const float*>(operands->data);
  if (x[0] < 0) {
    std::strncpy(error, "a negative number", error_size);
    return PARTITA_ERROR_USER;
  }
  for (int i = 0; i < 4; ++i) static_cast<float*>(results->data)[i] = 3 * x[i];
  return PARTITA_OK;
}

void release(void* user) { ++static_cast<Host*>(user)->released; }

TEST(HostFunction, OfCIsCalledAndReleased) {
  Host host;
  ASSERT_EQ(partita_host_function_set("test.c", triple, &host, release), PARTITA_OK);
  {
    PlanBuilder b = calling("test.c");
    Session session(b.artifact, {}, null_parts(1, {}));
    ASSERT_EQ(partita_host_function_set("test.c", nullptr, nullptr, nullptr), PARTITA_OK);
    session.set_input(0, f32_array({4}, {1, 2, 3, 4}));
    session.run();
    EXPECT_THAT(f32_values(session.output(0).value()), ElementsAre(3, 6, 9, 12));
    session.set_input(0, f32_array({4}, {-1, 2, 3, 4}));
    EXPECT_THAT([&] { session.run(); },
                ThrowsMessage<Error>(HasSubstr("test.c: a negative number")));
    EXPECT_EQ(host.released, 0);
  }
  EXPECT_EQ(host.calls, 2);
  EXPECT_EQ(host.released, 1);
}

TEST(HostFunction, OfCIsReplaced) {
  Host first, second;
  ASSERT_EQ(partita_host_function_set("test.again", triple, &first, release), PARTITA_OK);
  ASSERT_EQ(partita_host_function_set("test.again", triple, &second, nullptr), PARTITA_OK);
  EXPECT_EQ(first.released, 1);
  EXPECT_EQ(partita_host_function_set("test.again", nullptr, nullptr, nullptr), PARTITA_OK);
  EXPECT_EQ(partita_host_function_set("test.again", nullptr, nullptr, nullptr), PARTITA_OK);
  EXPECT_EQ(partita_host_function_set("", triple, &first, nullptr), PARTITA_ERROR_USER);
  EXPECT_EQ(partita_host_function_set(nullptr, triple, &first, nullptr), PARTITA_ERROR_USER);
  EXPECT_THAT(partita_last_error(), StartsWith("argument 'name'"));
}

// --- Functions on streams -------------------------------------------------------------------------

TEST(HostFunction, ExecutionsOutliveTheirProgram) {
  std::promise<void> gate;
  const Registered registered(
      "test.slow", [opened = gate.get_future().share()](const HostFunctionArrays& a) {
        opened.wait();
        std::memcpy(a.results[0], a.operands[0], a.operand_types[0].bytes());
      });
  const auto stream = std::make_shared<Stream>(make_null_device({}));
  const HostArray x = f32_array({4}, {1, 2, 3, 4});
  std::vector<Function::Arrays> results;
  std::vector<EventPtr> done;
  {
    PlanBuilder b = calling("test.slow");
    const Function function(std::make_shared<Artifact>(b.artifact), {stream});
    results = function.execute({{stream->upload(x.type, x.bytes)}}, {}, &done);
  }  // does not wait, as the gate is shut
  ASSERT_EQ(done.size(), 1U);
  EXPECT_FALSE(done[0]->is_done());
  gate.set_value();
  HostArray y(x.type);
  results[0][0]->download(y.bytes)->wait();
  EXPECT_EQ(y.bytes, x.bytes);
  EXPECT_TRUE(done[0]->is_done());
}

TEST(HostFunction, IsCalledByWhoeverWaitsForItWhereNothingIsBefore) {
  std::thread::id caller;
  const Registered registered("test.caller", [&caller](const HostFunctionArrays& a) {
    caller = std::this_thread::get_id();
    std::memcpy(a.results[0], a.operands[0], a.operand_types[0].bytes());
  });
  const auto stream = std::make_shared<Stream>(make_null_device({}));
  PlanBuilder b = calling("test.caller");
  const Function function(std::make_shared<Artifact>(b.artifact), {stream});
  const HostArray x = f32_array({4}, {1, 2, 3, 4});
  const auto run = [&](bool waits) {
    std::vector<EventPtr> done;
    (void)function.execute({{stream->upload(x.type, x.bytes)}}, {}, &done, waits);
    return done[0];
  };
  EXPECT_TRUE(run(true)->is_done());
  EXPECT_EQ(caller, std::this_thread::get_id());
  std::promise<void> go;
  stream->enqueue([ready = go.get_future().share()](Device&) { ready.wait(); });
  const EventPtr done = run(true);
  EXPECT_FALSE(done->is_done());
  go.set_value();
  done->wait();
  EXPECT_NE(caller, std::this_thread::get_id());
}

}  // namespace
}  // namespace partita

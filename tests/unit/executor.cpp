// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <numeric>

#include "partita/base/error.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using testing::f32_array;
using testing::f32_values;
using testing::federated_artifact;
using testing::federated_kernels;
using ::testing::HasSubstr;
using testing::i32_array;
using testing::mesh_artifact;
using testing::null_parts;
using testing::PlanBuilder;

template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "no error"};
}

std::vector<float> counting(std::int64_t count) {
  std::vector<float> values(std::size_t(count), 0.f);
  std::iota(values.begin(), values.end(), 1.f);
  return values;
}

TEST(Session, ResultsDoNotDependOnTheNumberOfShards) {
  constexpr std::int64_t clients = 7, width = 3;
  for (const int shards : {1, 2, 3, 7, 9}) {
    Session session(federated_artifact(clients, width), {},
                    null_parts(shards, federated_kernels()));
    session.set_input(0, f32_array({width}, {10, 20, 30}));
    session.set_input(1, f32_array({clients, width}, counting(clients * width)));
    for (int repeat = 0; repeat < 2; ++repeat) {
      session.run();
      EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({140, 217, 294}))
          << shards;
      const auto doubled = f32_values(session.output(1).value());
      for (std::size_t i = 0; i < doubled.size(); ++i) EXPECT_EQ(doubled[i], 2 * float(i + 1));
      const RunStats stats = session.stats();
      EXPECT_EQ(stats.blocks, clients);
      EXPECT_EQ(stats.launches, 2 * clients + shards);
      EXPECT_EQ(stats.collective_calls, shards == 1 ? 0 : 1);
      EXPECT_EQ(stats.communicated_bytes, shards == 1 ? 0 : shards * width * 4);
      EXPECT_EQ(stats.peak_arena_bytes, 128);
      EXPECT_EQ(session.job_stats().blocks, clients);
    }
  }
}

TEST(Session, ShardsOfAMeshHoldTheirBlocks) {
  const HostArray x = f32_array({5, 4}, counting(20));
  for (const auto& [shards, has_late_copies] : {std::pair(6, false), {6, true}, {12, false}}) {
    // On 12 each block is there twice.
    Session session(mesh_artifact(), {.check_replicas = true},
                    null_parts(shards, {}, {.has_late_copies = has_late_copies}));
    for (const bool lends : {false, true}) {
      if (lends)
        session.lend_input(0, std::span<const std::byte>(x.bytes));
      else
        session.set_input(0, x);
      session.run();
      const auto both = f32_values(session.output(0).value()),
                 sum = f32_values(session.output(1).value());
      for (std::size_t i = 0; i < 12; ++i) {
        const float upper = float(i + 1), lower = i < 8 ? float(i + 13) : 0;  // padding is zero
        EXPECT_EQ(both[i], upper);
        EXPECT_EQ(both[12 + i], lower);
        EXPECT_EQ(sum[i], upper + lower);
        if (i >= 8) continue;
        EXPECT_EQ(sum[12 + i], upper + lower);
      }
      // x and z of 3×2, and y of 2×3×2, on each shard.
      EXPECT_EQ(session.stats().held_bytes, shards * (6 + 6 + 12) * 4);
      EXPECT_EQ(session.job_stats().held_bytes, session.stats().held_bytes);
    }
    session.carry({{.output = 1, .input = 0}});
    session.run();
    EXPECT_EQ(f32_values(session.output(1).value())[0], 28);
  }
}

TEST(Session, MeshesThatDoNotFitAreRefused) {
  EXPECT_THROW(Session(mesh_artifact(), {}, null_parts(4, {})), Error);
  const Plan plan = mesh_artifact().plan;
  try {
    check_carries(plan, {{.output = 0, .input = 0}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected tensor<5x4xf32>"));
  }
  Plan other = plan;
  other.outputs[1].axes = {{1}, {0}};
  EXPECT_THROW(check_carries(other, {{.output = 1, .input = 0}}), Error);
}

TEST(Session, PlannedBytesAreAConstantPlusBytesPerPartition) {
  const auto planned = [](std::int64_t clients, int shards) {
    Session session(federated_artifact(clients, 4), {}, null_parts(shards, federated_kernels()));
    session.set_input(0, f32_array({4}, counting(4)));
    session.set_input(1, f32_array({clients, 4}, counting(clients * 4)));
    EXPECT_GE(session.stats().peak_device_bytes, session.stats().planned_bytes);
    return session.stats().planned_bytes;
  };
  const std::int64_t per_partition = 3 * 4 * 4;
  EXPECT_EQ(planned(8, 1) - planned(4, 1), 4 * per_partition);
  EXPECT_EQ(planned(8, 2), planned(4, 1));
}

TEST(Session, CarrySwapsOutputsIntoInputs) {
  PlanBuilder b(2);
  b.artifact.plan.inputs.push_back(b.artifact.plan.inputs[0]);
  b.artifact.plan.steps = {b.launch("double", {{0, 0}, {1, 0}}, 2)};
  const NullKernels kernels{{"double", [](const NullKernelArgs& a) {
                               for (int i = 0; i < 2; ++i)
                                 a.buffers[1].as<float>()[i] = 2 * a.buffers[0].as<float>()[i];
                             }}};
  Session session(b.artifact, {}, null_parts(1, kernels));
  session.set_input(0, f32_array({2}, {1, 3}));
  session.set_input(1, f32_array({2}, {0, 0}));
  for (int round = 0; round < 5; ++round) {
    if (round > 0) session.carry({{.output = 0, .input = 1}, {.output = 0, .input = 0}});
    session.run();
  }
  EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({32, 96}));
}

TEST(Session, LentInputsAreReadWhereTheyLie) {
  constexpr std::int64_t clients = 7, width = 3;
  for (const int shards : {1, 2, 3, 9}) {
    Session session(federated_artifact(clients, width), {},
                    null_parts(shards, federated_kernels()));
    auto data = std::make_shared<HostArray>(f32_array({clients, width}, counting(clients * width)));
    const auto model = f32_array({width}, {10, 20, 30});
    session.lend_input(0, std::span<const std::byte>(model.bytes));
    session.lend_input(1, data);
    const std::int64_t before = session.stats().peak_device_bytes;
    EXPECT_LE(before + clients * width * 4 / shards, session.stats().planned_bytes) << shards;
    session.run();
    EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({140, 217, 294}));
    EXPECT_EQ(data.use_count(), 2);
    session.set_input(1, *data);  // a copy from here on
    EXPECT_EQ(data.use_count(), 1);
    data->bytes.assign(data->bytes.size(), std::byte(0));
    session.run();
    EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({140, 217, 294}));
  }
}

TEST(Session, NothingWritesToALentInputThatIsCarriedInto) {
  PlanBuilder b(2);
  b.artifact.plan.inputs.push_back(b.artifact.plan.inputs[0]);
  b.artifact.plan.steps = {b.launch("double", {{0, 0}, {1, 0}}, 2)};
  const NullKernels kernels{{"double", [](const NullKernelArgs& a) {
                               for (int i = 0; i < 2; ++i)
                                 a.buffers[1].as<float>()[i] = 2 * a.buffers[0].as<float>()[i];
                             }}};
  Session session(b.artifact, {}, null_parts(1, kernels));
  const auto x = std::make_shared<const HostArray>(f32_array({2}, {1, 3}));
  for (int repeat = 0; repeat < 2; ++repeat) {
    session.lend_input(0, x);
    session.lend_input(1, x);
    for (int round = 0; round < 4; ++round) {
      if (round > 0) session.carry({{.output = 0, .input = 1}, {.output = 0, .input = 0}});
      session.run();
    }
    EXPECT_EQ(f32_values(session.output(0).value()), std::vector<float>({16, 48}));
    EXPECT_EQ(f32_values(*x), std::vector<float>({1, 3}));
    EXPECT_EQ(x.use_count(), 1);
  }
}

TEST(Session, LentInputsOfAnotherTypeOrSizeAreUserErrors) {
  Session session(federated_artifact(4, 4), {}, null_parts(1, federated_kernels()));
  const auto wrong = std::make_shared<const HostArray>(i32_array({2}, {1, 2}));
  EXPECT_THAT(error_of([&] { session.lend_input(0, wrong); }).what(),
              HasSubstr("expected tensor<4xf32>, found tensor<2xi32>"));
  EXPECT_THAT(
      error_of([&] { session.lend_input(0, std::span<const std::byte>(wrong->bytes)); }).what(),
      HasSubstr("expected 16 bytes, found 8"));
  EXPECT_THAT(error_of([&] { session.lend_input(9, wrong); }).what(),
              HasSubstr("expected an input below 2"));
}

TEST(Session, CarriesThatDoNotFitAreUserErrors) {
  const Plan plan = federated_artifact(4, 4).plan;
  const auto error = [&](std::vector<Carry> carries) {
    return error_of([&] { check_carries(plan, carries); });
  };
  EXPECT_THAT(error({{.output = 2, .input = 0}}).what(), HasSubstr("expected an output below 2"));
  EXPECT_THAT(error({{.output = 0, .input = -1}}).what(), HasSubstr("expected an input below 2"));
  EXPECT_THAT(error({{.output = 0, .input = 1}}).what(),
              HasSubstr("expected tensor<4x4xf32>, found tensor<4xf32>"));
  EXPECT_THAT(error({{.output = 0, .input = 0}, {.output = 0, .input = 0}}).what(),
              HasSubstr("in0 twice"));
  EXPECT_EQ(error({{.output = 2, .input = 0}}).kind(), ErrorKind::user);
}

TEST(Session, WrongAndMissingInputsAreUserErrors) {
  Session session(federated_artifact(4, 2), {}, null_parts(2, federated_kernels()));
  const Error wrong = error_of([&] { session.set_input(0, i32_array({2}, {1, 2})); });
  EXPECT_THAT(wrong.what(),
              HasSubstr("input 0 (model): expected tensor<2xf32>, found tensor<2xi32>"));
  EXPECT_EQ(error_of([&] {
              session.set_input(7, i32_array({2}, {1, 2}));
            }).kind(),
            ErrorKind::user);
  const Error missing = error_of([&] { session.run(); });
  EXPECT_THAT(missing.what(), HasSubstr("input 0 (model): expected a value"));
  EXPECT_EQ(missing.kind(), ErrorKind::user);
}

TEST(Session, LoopsRunWithTheirStepAndNestedVariables) {
  PlanBuilder b(1);
  Plan& p = b.artifact.plan;
  p.variables = {"i", "j"};
  const HostExpr i = HostExpr::variable(0), j = HostExpr::variable(1);
  const Step add = b.launch("add", {{1, 0}}, 1, {{DType::i64, i * 10 + j}});
  p.steps = {b.copy_result(1),
             {For{.variable = 0,
                  .begin = 1,
                  .end = 6,
                  .step = 2,
                  .body = {{For{.variable = 1, .begin = i, .end = 6, .body = {add}}, "inner"}}},
              "outer"}};
  const NullKernels kernels{
      {"add", [](const NullKernelArgs& a) { a.buffers[0].as<float>()[0] += float(a.scalars[0]); }}};
  Session session(b.artifact, {}, null_parts(1, kernels));
  session.set_input(0, f32_array({1}, {0}));
  session.run();
  float expected = 0;
  for (int x = 1; x < 6; x += 2)
    for (int y = x; y < 6; ++y) expected += float(x * 10 + y);
  EXPECT_EQ(f32_values(session.output(0).value())[0], expected);
  EXPECT_EQ(session.stats().blocks, 0);
}

TEST(Session, WhileRunsUntilItsPredicateIsFalse) {
  PlanBuilder b(1);
  const int flag = b.arena(DType::i1, 3);
  Plan& p = b.artifact.plan;
  const Step below = b.launch("below_ten", {{1, 0}, {flag, 2}}),
             increment = b.launch("increment", {{1, 0}});
  p.steps = {b.copy_result(1),
             {While{.condition = {below}, .predicate = {flag, 2}, .body = {increment}}, "while"}};
  const NullKernels kernels{
      {"below_ten",
       [](const NullKernelArgs& a) {
         a.buffers[1].as<std::uint8_t>()[0] = a.buffers[0].as<float>()[0] < 10;
       }},
      {"increment", [](const NullKernelArgs& a) { a.buffers[0].as<float>()[0] += 1; }}};
  Session session(b.artifact, {}, null_parts(1, kernels));
  for (const float start : {4.f, 40.f}) {
    session.set_input(0, f32_array({1}, {start}));
    session.run();
    EXPECT_EQ(f32_values(session.output(0).value())[0], std::max(start, 10.f));
  }
}

TEST(Session, CaseTakesTheLastBranchForWrongIndices) {
  PlanBuilder b(1);
  b.artifact.constants = {std::make_shared<HostArray>(i32_array({3}, {0, 1, 7}))};
  b.artifact.plan.buffers.push_back(
      {.kind = BufferKind::constant, .dtype = DType::i32, .count = 3});
  Plan& p = b.artifact.plan;
  const auto add = [&](std::int64_t amount) {
    return b.launch("add", {{1, 0}}, 1, {{DType::i32, amount}});
  };
  p.steps = {b.copy_result(1)};
  for (std::int64_t k = 0; k < 3; ++k)
    p.steps.push_back(
        {Case{.index = {2, k}, .branches = {{add(1)}, {add(10)}, {add(100)}}}, "case"});
  const int flag = b.arena(DType::i1, 1);
  p.steps.push_back(b.launch("set", {{flag, 0}}));
  p.steps.push_back(
      {Case{.index = {flag, 0}, .index_dtype = DType::i1, .branches = {{add(1000)}, {add(5000)}}},
       "if"});
  const NullKernels kernels{
      {"add", [](const NullKernelArgs& a) { a.buffers[0].as<float>()[0] += float(a.scalars[0]); }},
      {"set", [](const NullKernelArgs& a) { a.buffers[0].as<std::uint8_t>()[0] = 1; }}};
  Session session(b.artifact, {}, null_parts(1, kernels));
  session.set_input(0, f32_array({1}, {0}));
  session.run();
  EXPECT_EQ(f32_values(session.output(0).value())[0], 1111);
}

TEST(Session, GemmsUseStridesTransposesAndBatches) {
  PlanBuilder b(12);
  b.artifact.constants = {std::make_shared<HostArray>(f32_array({6}, {1, 2, 3, 4, 5, 6}))};
  b.artifact.plan.buffers.push_back({.kind = BufferKind::constant, .count = 6, .name = "b"});
  // Two 3x2 matrices, read as 2x3 transposed, times the 2x3 constant transposed.
  Plan& p = b.artifact.plan;
  p.steps = {{Gemm{.transpose_a = true,
                   .transpose_b = true,
                   .m = 2,
                   .n = 2,
                   .k = 3,
                   .a = {0, 0},
                   .b = {2, 0},
                   .c = {1, 0},
                   .lda = 2,
                   .ldb = 3,
                   .ldc = 3,
                   .batch = 2,
                   .stride_a = 6,
                   .stride_c = 6},
              "gemm"}};
  Session session(b.artifact, {}, null_parts(1, {}));
  session.set_input(0, f32_array({12}, counting(12)));
  session.run();
  const auto y = f32_values(session.output(0).value());
  EXPECT_EQ(y[0], 1 * 1 + 3 * 2 + 5 * 3);
  EXPECT_EQ(y[1], 1 * 4 + 3 * 5 + 5 * 6);
  EXPECT_EQ(y[3], 2 * 1 + 4 * 2 + 6 * 3);
  EXPECT_EQ(y[6], 7 * 1 + 9 * 2 + 11 * 3);
  EXPECT_EQ(y[2], 0);
}

// The null device has memory of its own: operands are read from it and results written.
TEST(Session, HostCallsReadOperandsAndWriteResults) {
  PlanBuilder b(8);
  const int eigenvalues = b.arena(DType::f32, 4);
  b.artifact.plan.outputs[0].type.dims = {4};
  b.artifact.plan.buffers[1].count = 4;
  const int vectors = b.arena(DType::f32, 8);
  b.artifact.plan.steps = {{HostCall{.call = {.routine = "eigh",
                                              .options = {},
                                              .operands = {{.dtype = DType::f32, .dims = {2, 2}}}},
                                     .count = 2,
                                     .operands = {{0, 0}},
                                     .results = {{vectors, 0}, {eigenvalues, 0}}},
                            "eigh"},
                           {Copy{.from = {eigenvalues, 0}, .to = {1, 0}, .count = 4}, "copy"}};
  Session session(b.artifact, {}, null_parts(1, {}));
  session.set_input(0, f32_array({8}, {2, 1, 9, 2, 5, 0, 9, -4}));
  session.run();
  const auto y = f32_values(session.output(0).value());
  EXPECT_NEAR(y[0], 1, 1e-5);
  EXPECT_NEAR(y[1], 3, 1e-5);
  EXPECT_NEAR(y[2], -4, 1e-5);
  EXPECT_NEAR(y[3], 5, 1e-5);
}

TEST(Session, AllGatherGivesEveryShardTheWhole) {
  constexpr std::int64_t clients = 5, width = 2;
  Artifact artifact = federated_artifact(clients, width);
  Plan& p = artifact.plan;
  p.outputs[1] = {.type = {.dtype = DType::f32, .dims = {clients, width}}};
  p.buffers[3].count = clients * width;
  p.steps = {{AllGatherStart{
                  .axis = "clients", .elements_per_partition = width, .from = {1, 0}, .to = {3, 0}},
              "gather"},
             {CollectiveDone{}, "gather"},
             {Copy{.from = {0, 0}, .to = {2, 0}, .count = width}, "copy"}};
  for (const int shards : {1, 2, 7}) {
    Session session(artifact, {.check_replicas = true}, null_parts(shards, federated_kernels()));
    session.set_input(0, f32_array({width}, {1, 2}));
    session.set_input(1, f32_array({clients, width}, counting(clients * width)));
    session.run();
    EXPECT_EQ(f32_values(session.output(1).value()), counting(clients * width)) << shards;
    EXPECT_EQ(session.stats().collective_calls, shards == 1 ? 0 : 1);
  }
}

TEST(Session, FailedChecksAreUserErrorsWithTheirText) {
  PlanBuilder b(1);
  const int flag = b.arena(DType::i1, 1);
  b.artifact.plan.steps = {b.launch("clear", {{flag, 0}}),
                           {Check{.condition = {flag, 0}, .message = "weights sum to 0"}, "check"}};
  const NullKernels kernels{
      {"clear", [](const NullKernelArgs& a) { a.buffers[0].as<std::uint8_t>()[0] = 0; }}};
  Session session(b.artifact, {}, null_parts(3, kernels));
  session.set_input(0, f32_array({1}, {1}));
  const Error error = error_of([&] { session.run(); });
  EXPECT_EQ(error.kind(), ErrorKind::user);
  EXPECT_STREQ(error.what(), "weights sum to 0");
}

TEST(Session, AFailureOnOneShardEndsTheOthersAndNamesTheStep) {
  NullKernels kernels = federated_kernels();
  int calls = 0;
  SessionParts parts = null_parts(3, kernels);
  kernels["accumulate"] = [&](const NullKernelArgs&) {
    if (++calls == 2) throw_device_error("CL_OUT_OF_RESOURCES");
  };
  parts.devices[1] = make_null_device(kernels);
  Session session(federated_artifact(9, 2), {}, std::move(parts));
  session.set_input(0, f32_array({2}, {1, 2}));
  session.set_input(1, f32_array({9, 2}, counting(18)));
  const Error error = error_of([&] { session.run(); });
  EXPECT_EQ(error.kind(), ErrorKind::device);
  EXPECT_STREQ(error.what(), "step accumulate: CL_OUT_OF_RESOURCES");
}

TEST(Session, MemoryLimitsAreCheckedBeforeAnythingRuns) {
  const Artifact artifact = federated_artifact(1000, 100);
  const Error budget = error_of(
      [&] { Session(artifact, {.memory_budget = 1000}, null_parts(1, federated_kernels())); });
  EXPECT_EQ(budget.kind(), ErrorKind::user);
  EXPECT_THAT(budget.what(), HasSubstr("expected at most 1000 bytes per shard"));
  const Error device = error_of(
      [&] { Session(artifact, {}, null_parts(1, federated_kernels(), {.memory_bytes = 10'000})); });
  EXPECT_EQ(device.kind(), ErrorKind::device);
  EXPECT_THAT(device.what(), HasSubstr("out of device memory"));
}

TEST(Session, UnknownTargetsAndKernelsAreRefused) {
  Artifact artifact = federated_artifact(2, 2);
  artifact.target = "abacus";
  const Error error = error_of([&] { Session(artifact, {}); });
  EXPECT_EQ(error.kind(), ErrorKind::user);
  EXPECT_THAT(error.what(), HasSubstr("abacus"));
  artifact.plan.buffers[0].index = 9;
  EXPECT_EQ(error_of([&] { Session(artifact, {}, null_parts(1, {})); }).kind(),
            ErrorKind::internal);
}

TEST(Session, OffsetsOutsideABufferAreInternalErrorsNotAccesses) {
  PlanBuilder b(4);
  b.artifact.plan.variables = {"i"};
  const HostExpr i = HostExpr::variable(0);
  const auto fails = [&](const Step& step) {
    b.artifact.plan.steps = {{For{.variable = 0, .begin = 0, .end = 3, .body = {step}}, "loop"}};
    Session session(b.artifact, {}, null_parts(1, {}));
    session.set_input(0, f32_array({4}, counting(4)));
    const Error error = error_of([&] { session.run(); });
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_THAT(error.what(), HasSubstr("of buffer 0 (x), which has 4"));
  };
  fails({Copy{.from = {0, i * 2}, .to = {1, 0}, .count = 2}, "copy"});
  fails({Copy{.from = {0, i - 1}, .to = {1, 0}, .count = 1}, "copy"});
  fails({Gemm{.m = 2,
              .n = 1,
              .k = 1,
              .a = {0, i * 2},
              .b = {0, 0},
              .c = {1, 0},
              .lda = 1,
              .ldb = 1,
              .ldc = 1},
         "gemm"});
}

TEST(Session, CollectivesMustPairUp) {
  Artifact artifact = federated_artifact(2, 2);
  const auto fails = [&](std::size_t from, std::size_t count, const std::string& text) {
    Artifact changed = artifact;
    Steps& steps = changed.plan.steps;
    steps.erase(steps.begin() + std::ptrdiff_t(from), steps.begin() + std::ptrdiff_t(from + count));
    Session session(changed, {}, null_parts(1, federated_kernels()));
    session.set_input(0, f32_array({2}, {1, 2}));
    session.set_input(1, f32_array({2, 2}, {1, 2, 3, 4}));
    EXPECT_THAT(error_of([&] { session.run(); }).what(), HasSubstr(text));
  };
  fails(3, 1, "is not under way");
  fails(4, 1, "is never waited for");
}

TEST(Session, ReplicasThatDifferAreFound) {
  PlanBuilder b(1);
  b.artifact.plan.steps = {b.launch("set", {{1, 0}})};
  for (const bool differ : {false, true}) {
    SessionParts parts = null_parts(2, {});
    for (int s = 0; s < 2; ++s)
      parts.devices[std::size_t(s)] = make_null_device({{"set", [=](const NullKernelArgs& a) {
                                                           a.buffers[0].as<float>()[0] =
                                                               differ ? float(s) : 1.f;
                                                         }}});
    Session session(b.artifact, {.check_replicas = true}, std::move(parts));
    session.set_input(0, f32_array({1}, {1}));
    const Error error = error_of([&] { session.run(); });
    EXPECT_THAT(error.what(), HasSubstr(differ ? "replicated output 0" : "no error"));
  }
}

TEST(Session, TraceHoldsEveryStepOfEveryShard) {
  Session session(federated_artifact(5, 2), {.trace = true}, null_parts(2, federated_kernels()));
  session.set_input(0, f32_array({2}, {1, 2}));
  session.set_input(1, f32_array({5, 2}, counting(10)));
  session.run();
  const auto trace = boost::json::parse(session.trace_json()).as_object();
  int accumulates = 0, collectives = 0;
  for (const auto& event : trace.at("traceEvents").as_array()) {
    const auto& e = event.as_object();
    if (e.at("name") == "accumulate") ++accumulates;
    if (e.contains("cat") && e.at("cat") == "collective") ++collectives;
    if (e.at("ph") == "X") {
      EXPECT_GE(e.at("dur").to_number<double>(), 0);
    }
  }
  EXPECT_EQ(accumulates, 5);
  EXPECT_EQ(collectives, 4);
}

}  // namespace
}  // namespace partita

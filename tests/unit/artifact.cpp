// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "partita/artifact/artifact.hpp"
#include "partita/artifact/describe.hpp"
#include "partita/artifact/plan_json.hpp"
#include "partita/artifact/validate.hpp"
#include "partita/base/error.hpp"
#include "partita/base/temporary_folder.hpp"
#include "runtime/artifact/zip.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::AllOf;
using testing::artifact_of_everything;
using testing::federated_artifact;
using ::testing::HasSubstr;
using testing::mesh_artifact;
using ::testing::Not;
using ::testing::StartsWith;

template <class F>
std::string user_error(F f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    return error.located_message();
  }
  return "no error";
}

std::string parse_error(std::span<const std::byte> bytes) {
  const std::string text = user_error([&] { static_cast<void>(parse_artifact(bytes, "x.pta")); });
  EXPECT_THAT(text, StartsWith("x.pta: "));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  return text;
}

std::string problem(const Artifact& artifact) { return find_problem(artifact).value_or("none"); }

TEST(HostExpr, KnowsByWhatItIsDivisible) {
  const HostExpr i = HostExpr::variable(0), j = HostExpr::variable(1);
  EXPECT_EQ(known_divisor(HostExpr(0)), 0);
  EXPECT_EQ(known_divisor(HostExpr(-12)), 12);
  EXPECT_EQ(known_divisor(i), 1);
  EXPECT_EQ(known_divisor(i * 8 + j * 12), 4);
  EXPECT_EQ(known_divisor(min(i * 16, j * 24 + 8) - 4), 4);
  EXPECT_EQ(known_divisor(HostExpr::binary(HostExpr::Kind::div, i * 8, 2)), 1);
}

/// With a variant for GPUs that shares one constant and has another.
Artifact artifact_of_two() {
  Artifact artifact = artifact_of_everything(), other = artifact;
  other.device_class = DeviceClass::simt;
  other.modules.at(0).source += "// for GPUs\n";
  HostArray own(Type{DType::f32, {3}});
  own.bytes.back() = std::byte{1};
  other.constants.push_back(std::make_shared<HostArray>(own));
  add_variant(artifact, std::move(other));
  return artifact;
}

TEST(Artifact, variants_are_written_read_and_chosen) {
  const Artifact one = artifact_of_everything(), two = artifact_of_two();
  EXPECT_EQ(two.constants.size(), one.constants.size() + 1);
  EXPECT_NE(content_hash(two), content_hash(one));
  Artifact read = parse_artifact(serialize_artifact(two), "x.pta");
  ASSERT_EQ(read.others.size(), 1u);
  EXPECT_EQ(content_hash(read), content_hash(two));
  EXPECT_EQ(serialize_artifact(read), serialize_artifact(two));
  EXPECT_EQ(read.device_class, DeviceClass::multicore);
  EXPECT_THAT(describe_artifact(read), HasSubstr("variant  multicore; others: simt"));
  select_variant(read, DeviceClass::simt);
  EXPECT_EQ(read.device_class, DeviceClass::simt);
  EXPECT_THAT(read.modules.at(0).source, HasSubstr("for GPUs"));
  EXPECT_EQ(content_hash(read), content_hash(two));
  EXPECT_EQ(problem(read), "none");
  Artifact alone = one;
  select_variant(alone, DeviceClass::simt);
  EXPECT_EQ(alone.device_class, DeviceClass::multicore);
}

TEST(Artifact, variants_that_do_not_belong_together_are_refused) {
  Artifact same = artifact_of_two();
  same.others[0].device_class = DeviceClass::multicore;
  EXPECT_THAT(problem(same), HasSubstr("distinct classes, found multicore twice"));
  Artifact ports = artifact_of_two();
  ports.others[0].plan.inputs.at(0).name = "another";
  EXPECT_THAT(problem(ports), HasSubstr("the same inputs and outputs of all"));
  Artifact kernels = artifact_of_two();
  kernels.others[0].kernels.clear();
  EXPECT_NE(problem(kernels), "none");
}

/// A function `name` of one constant that all of them have and one of its own.
Artifact function_artifact(const std::string& name, float own) {
  Artifact artifact = artifact_of_two();
  artifact.name = name;
  artifact.ir = cat("// ", name, "\n");
  auto constant = std::make_shared<HostArray>(*artifact.constants[0]);
  std::memcpy(constant->bytes.data(), &own, sizeof own);
  artifact.constants[0] = constant;
  return artifact;
}

TEST(Artifact, functions_are_written_read_and_taken_apart) {
  const Artifact train = function_artifact("train", 7), eval = function_artifact("eval", 8),
                 start = function_artifact("start", 7);
  Artifact all = train;
  add_functions(all, eval);
  add_functions(all, start);
  EXPECT_EQ(all.constants.size(), train.constants.size() + 1);
  EXPECT_EQ(all.constants.front(), train.constants.front());
  EXPECT_EQ(function_names(all), (std::vector<std::string>{"train", "eval", "start"}));
  ASSERT_EQ(problem(all), "none");
  const Artifact read = parse_artifact(serialize_artifact(all), "x.pta");
  EXPECT_EQ(serialize_artifact(read), serialize_artifact(all));
  EXPECT_EQ(content_hash(read), content_hash(all));
  EXPECT_THAT(describe_artifact(read), HasSubstr("function train; others: eval start"));
  for (const Artifact* one : {&train, &eval, &start}) {
    const Artifact taken = one_function(read, one->name), alone = one_function(*one, one->name);
    EXPECT_EQ(taken.constants.size() + 1, one->constants.size());  // one is nobody's
    EXPECT_EQ(content_hash(taken), content_hash(alone));
    EXPECT_EQ(serialize_artifact(taken), serialize_artifact(alone));
  }
  // Not the same program as those it has, or with one of them under another name.
  EXPECT_NE(content_hash(all), content_hash(train));
  Artifact renamed = all;
  renamed.functions[0].name = "test";
  EXPECT_NE(content_hash(renamed), content_hash(all));
  // Constants are held once.
  EXPECT_EQ(one_function(read, "start").constants.front(),
            one_function(read, "train").constants.front());
}

TEST(Artifact, functions_that_do_not_belong_together_are_refused) {
  Artifact all = function_artifact("train", 7);
  EXPECT_EQ(user_error([&] { add_functions(all, function_artifact("train", 8)); }),
            "expected functions of distinct names, found 'train' twice");
  Artifact elsewhere = function_artifact("eval", 7);
  elsewhere.target = "null";
  EXPECT_EQ(user_error([&] { add_functions(all, elsewhere); }),
            cat("function 'eval': expected one for target ", all.target, ", found one for null"));
  add_functions(all, function_artifact("eval", 7));
  EXPECT_EQ(user_error([&] { static_cast<void>(one_function(all, "test")); }),
            "function 'test': expected one of 'train', 'eval'");
  all.functions[0].name = "train";
  EXPECT_EQ(problem(all), "functions: expected distinct names, found 'train' twice");
  all.functions[0].name = "eval";
  all.functions[0].kernels.clear();
  EXPECT_THAT(problem(all), HasSubstr("function 'eval': "));
}

TEST(Artifact, meshes_are_written_read_and_described) {
  const Artifact written = mesh_artifact();
  ASSERT_EQ(problem(written), "none");
  const Artifact read = parse_artifact(serialize_artifact(written), "x.pta");
  EXPECT_EQ(read.plan.mesh, written.plan.mesh);
  EXPECT_EQ(read.plan.groups, written.plan.groups);
  EXPECT_EQ(read.plan.inputs, written.plan.inputs);
  EXPECT_EQ(plan_to_json(read.plan), plan_to_json(written.plan));
  const std::string text = describe_artifact(read);
  EXPECT_THAT(text, HasSubstr("rows = 2 columns = 3: 6 shards, on 1, 2, 3, 6 or a multiple of 6"));
  EXPECT_THAT(text, HasSubstr("groups 0 = [0 3] [1 4] [2 5]"));
  EXPECT_THAT(text, HasSubstr("dimension 0 over rows, dimension 1 over columns (tensor<3x2xf32>"));
  EXPECT_THAT(text, HasSubstr("start all_gather f32 over groups 0: 6 elements each"));
}

TEST(Artifact, meshes_that_do_not_fit_are_refused) {
  const auto wrong = [](const std::function<void(Plan&)>& change) {
    Artifact artifact = mesh_artifact();
    change(artifact.plan);
    return problem(artifact);
  };
  EXPECT_THAT(wrong([](Plan& p) { p.mesh[0].size = 0; }), HasSubstr("mesh[0]"));
  EXPECT_THAT(wrong([](Plan& p) { p.mesh[0].size = 1 << 15; }), HasSubstr("shards in all"));
  EXPECT_THAT(wrong([](Plan& p) { p.mesh_variable = 0; }), HasSubstr("mesh_variable"));
  EXPECT_THAT(wrong([](Plan& p) { p.groups[0][1][0] = 6; }), HasSubstr("a shard of the mesh"));
  EXPECT_THAT(wrong([](Plan& p) { p.groups[0][1][0] = 0; }), HasSubstr("6 shards once"));
  EXPECT_THAT(wrong([](Plan& p) { p.groups[0][1].pop_back(); }), HasSubstr("groups of one size"));
  EXPECT_THAT(wrong([](Plan& p) { p.inputs[0].axes[1] = {0}; }), HasSubstr("each axis once"));
  EXPECT_THAT(wrong([](Plan& p) { p.inputs[0].axes[1] = {2}; }), HasSubstr("an axis of the mesh"));
  EXPECT_THAT(wrong([](Plan& p) { p.inputs[0].axes.pop_back(); }), HasSubstr("2 dimensions"));
  EXPECT_THAT(wrong([](Plan& p) { p.inputs[0].axes = {}; }), HasSubstr("20 elements, found 6"));
  const auto start = [](Plan& p) -> GroupStart& { return std::get<GroupStart>(p.steps[0].what); };
  EXPECT_THAT(wrong([&](Plan& p) { start(p).groups = 1; }), HasSubstr("a list of groups"));
  EXPECT_THAT(wrong([&](Plan& p) { start(p).elements = -1; }), HasSubstr("a size"));
  EXPECT_THAT(wrong([&](Plan& p) { start(p).call = GroupCall::all_reduce; }),
              HasSubstr("another call"));
  EXPECT_THAT(wrong([&](Plan& p) {
                start(p).call = GroupCall::permute;
                p.groups[0] = {{0, 1}, {2, 1}};
              }),
              HasSubstr("each target once"));
}

TEST(HostExpr, FoldsAndEvaluates) {
  const HostExpr i = HostExpr::variable(0), j = HostExpr::variable(1);
  EXPECT_TRUE((HostExpr(2) * HostExpr(3) + 4).is_constant());
  EXPECT_EQ(i + 0, i);
  EXPECT_EQ(1 * i, i);
  EXPECT_EQ(i * 0, HostExpr(0));
  const HostExpr e = min((i + 1) * 4, j - 2);
  const std::int64_t values[] = {3, 10};
  EXPECT_EQ(e.evaluate(values), 8);
  EXPECT_EQ(HostExpr::binary(HostExpr::Kind::div, -7, 2).value(), -3);
  EXPECT_EQ(HostExpr::binary(HostExpr::Kind::mod, -7, 2).value(), -1);
  EXPECT_EQ(
      HostExpr::binary(HostExpr::Kind::mod, std::numeric_limits<std::int64_t>::min(), -1).value(),
      0);
}

TEST(HostExpr, RefusesWrongArithmetic) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t values[] = {max};
  EXPECT_THROW(static_cast<void>((HostExpr::variable(0) * 2).evaluate(values)), Error);
  EXPECT_THROW(static_cast<void>(HostExpr(max) + 1), Error);
  EXPECT_THROW(
      static_cast<void>(
          HostExpr::binary(HostExpr::Kind::div, HostExpr::variable(0), 0).evaluate(values)),
      Error);
  EXPECT_THROW(static_cast<void>(HostExpr::variable(1).evaluate(values)), Error);
}

TEST(PlanJson, EveryKindOfStepSurvivesTheRoundTrip) {
  const Plan plan = artifact_of_everything().plan;
  const std::string text = plan_to_json(plan);
  const Plan again = plan_from_json(text, "plan");
  EXPECT_EQ(plan_to_json(again), text);
  EXPECT_EQ(again.buffers.size(), plan.buffers.size());
  EXPECT_EQ(again.steps.size(), plan.steps.size());
  const auto& loop = std::get<For>(again.steps.at(6).what);
  const auto& gemm = std::get<Gemm>(loop.body.at(0).what);
  EXPECT_EQ(gemm.alpha, 0.1);
  EXPECT_EQ(gemm.batch, min(HostExpr::variable(3) + 1, 3));
  EXPECT_TRUE(gemm.transpose_b);
  const auto& call = std::get<HostCall>(again.steps.at(again.steps.size() - 3).what);
  EXPECT_EQ(call.call, std::get<HostCall>(plan.steps.at(plan.steps.size() - 3).what).call);
  EXPECT_EQ(call.count, 2);
  const auto& convolve = std::get<Convolve>(again.steps.at(again.steps.size() - 4).what);
  EXPECT_EQ(convolve.window, std::get<Convolve>(plan.steps.at(plan.steps.size() - 4).what).window);
  EXPECT_EQ(convolve.weight_strides, (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_EQ(convolve.source_count(), 8);
  EXPECT_EQ(convolve.result_count(), 2);
  EXPECT_EQ(convolve.weight_span(), 6);
  EXPECT_EQ(convolve.multiply_adds(), 12);
  const auto& function = std::get<FunctionCall>(again.steps.at(again.steps.size() - 2).what);
  EXPECT_EQ(function.function, "host \"function\"");
  EXPECT_TRUE(function.once);
  EXPECT_EQ(function.operand_types[0], (Type{.dtype = DType::f32, .dims = {2, 2}}));
  EXPECT_EQ(function.operands[0].offset, HostExpr(4));
  EXPECT_EQ(function.result_types[0], (Type{.dtype = DType::f32, .dims = {4}}));
  EXPECT_EQ(std::get<Check>(again.steps.back().what).message,
            "weights: \xc3\xa9t\xc3\xa9 \"quoted\"\n");
}

TEST(PlanJson, ErrorsNameTheField) {
  const auto error = [](const std::string& text) {
    return user_error([&] { static_cast<void>(plan_from_json(text, "plan.json")); });
  };
  EXPECT_THAT(error("{"), HasSubstr("expected JSON text"));
  EXPECT_THAT(error("[]"), HasSubstr("plan.json: expected an object, found an array"));
  std::string text = plan_to_json(federated_artifact(4, 2).plan);
  const std::string kernel = "\"kernel\":0";
  text.replace(text.find(kernel), kernel.size(), "\"kernel\":\"\"");
  EXPECT_THAT(error(text),
              HasSubstr("plan.json: steps[0].launch.kernel: expected an integer, found"));
}

TEST(PlanJson, DeepNestingIsRefused) {
  std::string text(100'000, '[');
  EXPECT_THAT(user_error([&] { static_cast<void>(plan_from_json(text, "p")); }),
              HasSubstr("expected JSON text"));
}

TEST(Artifact, SerializesToTheSameBytesAndBack) {
  const Artifact artifact = artifact_of_everything();
  const auto bytes = serialize_artifact(artifact);
  EXPECT_EQ(bytes, serialize_artifact(artifact_of_everything()));
  const Artifact again = parse_artifact(bytes, "x.pta");
  EXPECT_EQ(serialize_artifact(again), bytes);
  ASSERT_EQ(again.constants.size(), artifact.constants.size());
  for (std::size_t i = 0; i < artifact.constants.size(); ++i)
    EXPECT_EQ(*again.constants[i], *artifact.constants[i]);
  EXPECT_EQ(again.properties, artifact.properties);
  EXPECT_EQ(again.ir, artifact.ir);
  EXPECT_EQ(content_hash(again), content_hash(artifact));
}

TEST(Artifact, SavesAtomicallyAndLoads) {
  const TemporaryFolder folder;
  save_artifact(federated_artifact(4, 3), folder / "a.pta");
  EXPECT_EQ(load_artifact(folder / "a.pta").plan.inputs.size(), 2u);
  EXPECT_THAT(user_error([&] { save_artifact(federated_artifact(4, 3), folder / "no/a.pta"); }),
              HasSubstr("expected a writable file"));
  EXPECT_THAT(user_error([&] { static_cast<void>(load_artifact(folder / "b.pta")); }),
              HasSubstr("b.pta: expected a readable file"));
}

TEST(Artifact, HashCoversWhatRunsAndNothingElse) {
  const Artifact artifact = artifact_of_everything();
  Artifact other = artifact;
  other.ir += "// comment\n";
  other.properties.clear();
  EXPECT_EQ(content_hash(other), content_hash(artifact));
  other.modules[0].source += " ";
  EXPECT_NE(content_hash(other), content_hash(artifact));
  other = artifact;
  HostArray constant = *other.constants[0];
  constant.bytes[3] ^= std::byte(1);
  other.constants[0] = std::make_shared<HostArray>(constant);
  EXPECT_NE(content_hash(other), content_hash(artifact));
  other = artifact;
  other.plan.arena_bytes += 128;
  EXPECT_NE(content_hash(other), content_hash(artifact));
}

TEST(Artifact, ForeignAndTruncatedFilesAreUserErrors) {
  parse_error({});
  const std::string text = "module {}";
  parse_error(std::as_bytes(std::span(text)));
  const auto bytes = serialize_artifact(artifact_of_everything());
  for (std::size_t size = 0; size < bytes.size(); size += 97)
    parse_error(std::span(bytes).first(size));
  const auto empty = write_zip({});
  const auto foreign = write_zip({{"a.txt", std::as_bytes(std::span(text))}});
  parse_error(empty);
  EXPECT_THAT(parse_error(foreign), HasSubstr("no manifest.json"));
}

// The artifact's zip with one entry's text changed.
std::vector<std::byte> with_replacement(const std::string& entry, const std::string& from,
                                        const std::string& to) {
  const auto bytes = serialize_artifact(artifact_of_everything());
  const ZipReader zip(bytes, "x");
  std::vector<std::vector<std::byte>> contents;
  std::vector<ZipItem> items;
  for (std::size_t i = 0; i < zip.entries().size(); ++i) {
    auto content = zip.read(int(i));
    if (zip.entries()[i].name == entry) {
      std::string text(reinterpret_cast<const char*>(content.data()), content.size());
      const std::size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from << " in " << text;
      text.replace(at, from.size(), to);
      const auto changed = std::as_bytes(std::span(text));
      content.assign(changed.begin(), changed.end());
    }
    contents.push_back(std::move(content));
  }
  for (std::size_t i = 0; i < contents.size(); ++i)
    items.push_back({zip.entries()[i].name, contents[i]});
  return write_zip(items);
}

TEST(Artifact, NewerFormatsAndChangedContentAreRefused) {
  EXPECT_NO_THROW(
      static_cast<void>(parse_artifact(with_replacement("ir/main.mlir", "none", "some"), "x")));
  EXPECT_NO_THROW(static_cast<void>(parse_artifact(
      with_replacement("manifest.json", "\"format_minor\": 2", "\"format_minor\": 9"), "x")));
  EXPECT_THAT(
      parse_error(with_replacement("manifest.json", "\"format_major\": 1", "\"format_major\": 2")),
      HasSubstr("expected artifact format 1, found format 2 (a newer partita wrote it)"));
  EXPECT_THAT(parse_error(with_replacement("manifest.json", "\"format_minor\": 2",
                                           "\"format_minor\": 9, \"needs\": [\"sparsity\"]")),
              HasSubstr("found 'sparsity' (a newer partita wrote it)"));
  EXPECT_NO_THROW(
      static_cast<void>(parse_artifact(with_replacement("manifest.json", "\"format_minor\": 2",
                                                        "\"format_minor\": 2, \"needs\": []"),
                                       "x")));
  EXPECT_THAT(
      parse_error(
          with_replacement("manifest.json", "\"target\": \"opencl\"", "\"target\": \"abacus\"")),
      HasSubstr("expected an artifact for a target that is built in (opencl, cpu), found one "
                "for 'abacus'"));
  EXPECT_THAT(parse_error(with_replacement("manifest.json", "partita artifact", "another")),
              HasSubstr("expected a partita artifact"));
  EXPECT_THAT(parse_error(with_replacement("kernels/federated.cl", "fill", "full")),
              HasSubstr("content hash"));
  EXPECT_THAT(
      parse_error(with_replacement("plan.json", "\"axis\":\"clients\"", "\"axis\":\"others\"")),
      HasSubstr("expected the name of a placement that is split"));
}

TEST(Artifact, DamagedBytesAreRefusedOrHarmless) {
  const auto bytes = serialize_artifact(artifact_of_everything());
  for (std::size_t i = 0; i < bytes.size(); i += 5) {
    auto damaged = bytes;
    damaged[i] ^= std::byte(0x55);
    try {
      const Artifact artifact = parse_artifact(damaged, "x.pta");
      EXPECT_EQ(content_hash(artifact), content_hash(artifact_of_everything()));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::user);
    }
  }
}

TEST(Validate, AcceptsSamples) {
  EXPECT_EQ(problem(artifact_of_everything()), "none");
  EXPECT_EQ(problem(federated_artifact(1, 1)), "none");
}

TEST(Validate, NamesWhatIsWrong) {
  const Artifact good = artifact_of_everything();
  const auto wrong = [&](auto change) {
    Artifact artifact = good;
    change(artifact, artifact.plan);
    return problem(artifact);
  };
  const auto launch = [](Plan& p) -> Launch& { return std::get<Launch>(p.steps[0].what); };
  EXPECT_THAT(wrong([&](Artifact&, Plan& p) { launch(p).kernel = 99; }),
              HasSubstr("steps[0]: expected a kernel below 3"));
  EXPECT_THAT(wrong([&](Artifact&, Plan& p) { launch(p).buffers[0].buffer = -1; }),
              HasSubstr("expected a buffer"));
  EXPECT_THAT(wrong([&](Artifact&, Plan& p) { launch(p).global[1] = HostExpr::variable(77); }),
              HasSubstr("a variable"));
  EXPECT_THAT(wrong([&](Artifact&, Plan& p) { launch(p).local[0] = -4; }),
              HasSubstr("a work-group size"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.buffers[4].arena_offset = 1 << 20; }),
              HasSubstr("a place within"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.buffers[4].arena_offset = 4; }),
              HasSubstr("a place within"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) {
                p.buffers[4].count = std::numeric_limits<std::int64_t>::max();
              }),
              HasSubstr("a place within"));
  const auto spare = [&](int result, std::int64_t offset, std::int64_t count) {
    return wrong([&](Artifact&, Plan& p) {
      p.buffers[4] = {.kind = BufferKind::spare,
                      .index = result,
                      .dtype = DType::f32,
                      .count = count,
                      .arena_offset = offset};
    });
  };
  EXPECT_THAT(spare(99, 0, 1), HasSubstr("expected a result below"));
  EXPECT_THAT(spare(0, 1 << 20, 1), HasSubstr("bytes of a result"));
  EXPECT_THAT(spare(0, 4, 1), HasSubstr("bytes of a result"));
  EXPECT_THAT(spare(0, 0, 1 << 20), HasSubstr("bytes of a result"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.buffers[0].count = 4; }),
              HasSubstr("expected 5 elements, found 4"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.buffers[5].count = HostExpr::variable(2); }),
              HasSubstr("block bounds only"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.arena_bytes = -1; }), HasSubstr("arena_bytes"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.placements[0].size = 0; }),
              HasSubstr("placements[0]"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.placements[0].end_variable = 0; }),
              HasSubstr("variables of its own"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.inputs[1].placement = 3; }), HasSubstr("inputs[1]"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.inputs[1].type.dims[0] = 7; }),
              HasSubstr("dimension 0 of size 6"));
  EXPECT_THAT(wrong([](Artifact& a, Plan&) {
                HostArray constant = *a.constants[0];
                constant.bytes.pop_back();
                a.constants[0] = std::make_shared<HostArray>(constant);
              }),
              HasSubstr("constants[0]: expected 24 bytes"));
  EXPECT_THAT(wrong([](Artifact& a, Plan&) { a.kernels[1].module = 4; }), HasSubstr("kernels"));
  EXPECT_THAT(wrong([](Artifact& a, Plan&) { a.modules[0].name = "../evil"; }),
              HasSubstr("a file name"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { p.requests = 1; }), HasSubstr("a request below 1"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) {
                std::get<AllReduceStart>(p.steps[3].what).pieces[0].count = HostExpr::variable(1);
              }),
              HasSubstr("pieces of one size on all shards"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { std::get<For>(p.steps[2].what).step = 0; }),
              HasSubstr("a step of at least 1"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) { std::get<For>(p.steps[2].what).variable = 0; }),
              HasSubstr("a loop variable"));
  EXPECT_THAT(wrong([](Artifact&, Plan& p) {
                std::get<Gemm>(std::get<For>(p.steps[6].what).body[0].what).lda = 1;
              }),
              HasSubstr("steps[6].body[0]: expected rows within their strides"));
}

TEST(Validate, ConvolutionsHaveWindowsThatFit) {
  const auto wrong = [](void (*change)(Convolve&)) {
    Artifact artifact = artifact_of_everything();
    change(std::get<Convolve>(artifact.plan.steps.at(artifact.plan.steps.size() - 4).what));
    return problem(artifact);
  };
  EXPECT_THAT(wrong([](Convolve& c) { c.window.clear(); }), HasSubstr("one to three dimensions"));
  EXPECT_THAT(wrong([](Convolve& c) { c.weight_strides.pop_back(); }), HasSubstr("3 strides"));
  EXPECT_THAT(wrong([](Convolve& c) { c.weight_strides[1] = -1; }), HasSubstr("a size from 0"));
  EXPECT_THAT(wrong([](Convolve& c) { c.groups = 0; }), HasSubstr("a size from 1"));
  EXPECT_THAT(wrong([](Convolve& c) { c.window[0].stride = 0; }), HasSubstr("a size from 1"));
  EXPECT_THAT(wrong([](Convolve& c) { c.window[0].high = 3; }),
              HasSubstr("padding of less than a window's reach"));
  EXPECT_THAT(wrong([](Convolve& c) { c.window[0].size = 9; }), HasSubstr("windows that fit"));
  EXPECT_THAT(wrong([](Convolve& c) { c.window[0].size = c.window[0].dilation = 1 << 20; }),
              HasSubstr("less than 2^31"));
  EXPECT_THAT(wrong([](Convolve& c) { c.batch = c.inputs = c.outputs = 1 << 30; }),
              HasSubstr("a convolution of fewer elements"));
  EXPECT_THAT(wrong([](Convolve& c) { c.source.buffer = 99; }), HasSubstr("a buffer"));
}

TEST(Validate, CallsOfTheHostAreWhatTheirRoutinesTake) {
  const auto wrong = [](void (*change)(HostCall&)) {
    Artifact artifact = artifact_of_everything();
    change(std::get<HostCall>(artifact.plan.steps.at(artifact.plan.steps.size() - 3).what));
    return problem(artifact);
  };
  EXPECT_THAT(wrong([](HostCall& c) { c.call.routine = "eigenvalues"; }),
              HasSubstr("expected one of eigh, svd"));
  EXPECT_THAT(wrong([](HostCall& c) { c.call.options = {"upper"}; }),
              HasSubstr("options of eigh, found upper"));
  EXPECT_THAT(wrong([](HostCall& c) {
                c.call.operands[0].dims = {2, 3};
              }),
              HasSubstr("square matrices"));
  EXPECT_THAT(wrong([](HostCall& c) { c.call.operands[0].dims = {2}; }), HasSubstr("of rank 2"));
  EXPECT_THAT(wrong([](HostCall& c) { c.call.operands[0].dims = {-2, -2}; }), HasSubstr("a size"));
  EXPECT_THAT(wrong([](HostCall& c) { c.call.operands[0].dtype = DType::f64; }),
              HasSubstr("a buffer of f64"));
  EXPECT_THAT(wrong([](HostCall& c) { c.count = -1; }), HasSubstr("a count of matrices"));
  EXPECT_THAT(wrong([](HostCall& c) { c.results.pop_back(); }), HasSubstr("2 buffers"));
  EXPECT_THAT(wrong([](HostCall& c) { c.operands.clear(); }), HasSubstr("1 buffers"));
}

TEST(Validate, CallsOfKernelsAreOfRoutinesThatCannotFail) {
  const KernelCall transform{.call = {.routine = "fft",
                                      .options = {},
                                      .operands = {{.dtype = DType::c64, .dims = {8, 3}}}},
                             .count = 2};
  const auto with = [&](void (*change)(KernelCall&),
                        DeviceClass device_class = DeviceClass::multicore) {
    Artifact artifact = artifact_of_everything();
    artifact.device_class = device_class;
    const auto launch = std::ranges::find_if(
        artifact.plan.steps, [](const Step& s) { return std::holds_alternative<Launch>(s.what); });
    auto& calls = std::get<Launch>(launch->what).calls;
    calls = {transform};
    change(calls[0]);
    return problem(artifact);
  };
  EXPECT_EQ(with([](KernelCall&) {}), "none");
  EXPECT_THAT(with([](KernelCall&) {}, DeviceClass::simt), HasSubstr("no calls by kernels"));
  EXPECT_THAT(with([](KernelCall& c) { c.call.routine = "eigh"; }), HasSubstr("square matrices"));
  EXPECT_THAT(with([](KernelCall& c) {
                c.call.routine = "eigh";
                c.call.operands[0].dims = {3, 3};
              }),
              HasSubstr("a routine that cannot fail, found eigh"));
  EXPECT_THAT(with([](KernelCall& c) { c.call.options = {"real"}; }), HasSubstr("an inverse"));
  EXPECT_THAT(with([](KernelCall& c) {
                c.call.operands[0].dims = {131, 3};
              }),
              HasSubstr("no prime factor above 127"));
  EXPECT_THAT(with([](KernelCall& c) {
                c.call.operands[0].dims = {0, 3};
              }),
              HasSubstr("at least one element"));
  EXPECT_THAT(with([](KernelCall& c) { c.call.operands[0].dims = {8, -3}; }), HasSubstr("a size"));
  EXPECT_THAT(with([](KernelCall& c) { c.count = -1; }), HasSubstr("a count of matrices"));
}

TEST(Artifact, KernelsThatCallRoutinesAreNeededToBeKnown) {
  Artifact artifact = artifact_of_everything();
  const auto manifest = [&] {
    const std::vector<std::byte> file = serialize_artifact(artifact);
    return std::string(reinterpret_cast<const char*>(file.data()), file.size());
  };
  EXPECT_THAT(manifest(), Not(HasSubstr("\"calls\"")));
  const auto launch = std::ranges::find_if(
      artifact.plan.steps, [](const Step& s) { return std::holds_alternative<Launch>(s.what); });
  const std::vector<KernelCall> calls{
      {.call = {.routine = "fft",
                .options = {"inverse"},
                .operands = {{.dtype = DType::c64, .dims = {8, 3}}}},
       .count = 2}};
  std::get<Launch>(launch->what).calls = calls;
  EXPECT_THAT(manifest(), HasSubstr("calls"));
  const Artifact again = parse_artifact(serialize_artifact(artifact), "artifact");
  const auto at = std::size_t(launch - artifact.plan.steps.begin());
  EXPECT_EQ(std::get<Launch>(again.plan.steps.at(at).what).calls, calls);
}

TEST(Validate, FunctionsOfTheHostHaveNamesAndArrays) {
  const auto wrong = [](void (*change)(FunctionCall&)) {
    Artifact artifact = artifact_of_everything();
    change(std::get<FunctionCall>(artifact.plan.steps.at(artifact.plan.steps.size() - 2).what));
    return problem(artifact);
  };
  EXPECT_THAT(wrong([](FunctionCall& c) { c.function = ""; }), HasSubstr("the name of a function"));
  EXPECT_THAT(wrong([](FunctionCall& c) { c.operands.pop_back(); }), HasSubstr("2 buffers"));
  EXPECT_THAT(wrong([](FunctionCall& c) { c.results.clear(); }), HasSubstr("1 buffers"));
  EXPECT_THAT(wrong([](FunctionCall& c) { c.result_types[0].dims = {-4}; }), HasSubstr("a size"));
  EXPECT_THAT(wrong([](FunctionCall& c) { c.operand_types[0].dtype = DType::f64; }),
              HasSubstr("a buffer of f64"));
}

TEST(Validate, DeepExpressionsAndStepsAreRefused) {
  Artifact artifact = federated_artifact(4, 2);
  HostExpr e = HostExpr::variable(2);
  for (int i = 0; i < 100; ++i) e = e * 2 + HostExpr::variable(2);
  std::get<Copy>(artifact.plan.steps[1].what).count = e;
  EXPECT_THAT(problem(artifact), HasSubstr("a smaller expression"));
  artifact = federated_artifact(4, 2);
  for (int i = 0; i < 100; ++i) {
    Steps body = std::move(artifact.plan.steps);
    artifact.plan.steps = {
        {For{.variable = 2, .begin = 0, .end = 1, .body = std::move(body)}, "loop"}};
  }
  EXPECT_THAT(problem(artifact), HasSubstr("less nesting"));
}

TEST(Describe, NamesSignatureLibraryCallsAndCollectives) {
  const std::string text = describe_artifact(artifact_of_everything());
  for (const char* part :
       {"in0 model  tensor<5xf32>", "in1 data  tensor<6x5xf32>  dimension 0 over clients",
        "CLBlast GEMM f32 4x3x2 b^T accumulating batch min(i + 1, 3)",
        "for client from begin to end",
        "start all_reduce sum f32 over clients: 1 piece, 5 elements", "start all_gather",
        "clients = 6  split over the shards", "layout = loop", "kernels: 3 in 1 module"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(describe_sharding(artifact_of_everything()),
              HasSubstr("clients = 6 over 4 shards: [0, 1) [1, 3) [3, 4) [4, 6)"));
}

}  // namespace
}  // namespace partita

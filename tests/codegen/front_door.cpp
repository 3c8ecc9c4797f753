// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The compiler's front doors: what goes in makes the same artifact whichever way, in C++ and in C, and what is
// wrong with it is one error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/builder.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita_compiler.h"

namespace partita::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view program = R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";
const CompileOptions on_opencl{.target = "opencl"};

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "expected an error, found none";
  return {ErrorKind::internal, ""};
}

TEST(FrontDoor, text_bytes_files_and_modules_give_one_artifact) {
  const auto bytes = serialize_artifact(compile(program, on_opencl, "p").artifact);
  EXPECT_EQ(serialize_artifact(compile(std::as_bytes(std::span(program)), on_opencl, "p").artifact),
            bytes);
  EXPECT_EQ(serialize_artifact(compile(*ir::parse_module(program, "p"), on_opencl).artifact),
            bytes);
  const TemporaryFolder folder;
  write_file(folder / "p.mlir", program);
  EXPECT_EQ(content_hash(compile_file(folder / "p.mlir", on_opencl).artifact),
            content_hash(parse_artifact(bytes, "p")));
}

TEST(FrontDoor, tokens_that_come_and_go_are_arrays_without_elements) {
  for (const std::string target : {"opencl", "cpu"}) {
    const Artifact artifact =
        compile(
            R"(func.func @main(%t: !stablehlo.token, %x: tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.token) {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1 = stablehlo.add %x, %x : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, !stablehlo.token
}
)",
            {.target = target}, "p")
            .artifact;
    const Type empty{.dtype = DType::i1, .dims = {0}};
    EXPECT_EQ(artifact.plan.inputs.at(0).type, empty);
    EXPECT_EQ(artifact.plan.outputs.at(1).type, empty);
  }
}

TEST(FrontDoor, what_other_functions_hold_does_not_matter) {
  const Artifact artifact = compile(R"(
sdy.mesh @mesh = <["a"=2]>
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = stablehlo.add %y, %y : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
)",
                                    {.target = "cpu", .function = "f"}, "p")
                                .artifact;
  EXPECT_THAT(artifact.ir, ::testing::Not(HasSubstr("manual_computation")));
}

TEST(FrontDoor, takes_what_the_builder_made_and_reports) {
  build::Program built;
  built.function("main", {{.dtype = DType::f32, .dims = {4}}},
                 [](const build::Arrays& a) { return build::Arrays{a[0] + a[0]}; });
  const Compiled compiled = compile(built, on_opencl);
  EXPECT_EQ(compiled.artifact.target, "opencl");
  EXPECT_EQ(compiled.report.counts.at("kernels"), 1);
  EXPECT_FALSE(compiled.report.timings.empty());
}

TEST(FrontDoor, errors_say_where) {
  const Error wrong = error_of([] {
    (void)compile("func.func @main() {\n  %0 = stablehlo.nothing : tensor<f32>\n}\n", on_opencl,
                  "w.mlir");
  });
  EXPECT_EQ(wrong.kind(), ErrorKind::user);
  EXPECT_THAT(wrong.located_message(), StartsWith("w.mlir:2:"));
  EXPECT_THAT(error_of([] { (void)compile("", on_opencl, "e.mlir"); }).located_message(),
              HasSubstr("e.mlir: expected a module, found an empty text"));
}

TEST(FrontDoor, options_of_another_target_are_refused) {
  CompileOptions options = on_opencl;
  set_option(options, "tier", "0");
  EXPECT_STREQ(error_of([&] { (void)compile(program, options); }).what(),
               "options of target opencl: expected none, found 'tier'");
  options.target = "cpu";
  EXPECT_NO_THROW((void)compile(program, options));
  options.target_options = {{"tiers", "0"}};
  EXPECT_STREQ(error_of([&] { (void)compile(program, options); }).what(),
               "options of target cpu: expected tier, found 'tiers'");
}

TEST(FrontDoor, options_are_set_by_name) {
  CompileOptions options;
  set_option(options, "target", "cpu");
  set_option(options, "placement", "clients=8");
  set_option(options, "placement", "hosts=2");
  set_option(options, "memory-budget", "1KiB");
  set_option(options, "cpu", "x86-64-v2");
  EXPECT_EQ(options.target, "cpu");
  EXPECT_EQ(options.placements,
            (std::map<std::string, std::int64_t>{{"clients", 8}, {"hosts", 2}}));
  EXPECT_EQ(options.memory_budget, 1024);
  EXPECT_EQ(options.target_options.at("cpu"), "x86-64-v2");
  EXPECT_STREQ(error_of([&] { set_option(options, "placment", "a=1"); }).what(),
               "option: expected placement, found 'placment'");
  EXPECT_THAT(error_of([&] { set_option(options, "", "a"); }).what(),
              HasSubstr("expected target, function, placement"));
  EXPECT_THAT(error_of([&] { set_option(options, "placement", "clients=9"); }).what(),
              HasSubstr("found clients twice"));
  EXPECT_THAT(error_of([&] { set_option(options, "runs", "-1"); }).what(),
              HasSubstr("--runs: expected a number from 0"));
  EXPECT_EQ(error_of([&] { set_option(options, "tuning", "/no/such"); }).kind(), ErrorKind::user);
  set_option(options, "device", "pocl-avx2");
  EXPECT_THAT(error_of([&] { set_option(options, "device", "local"); }).what(),
              HasSubstr("--device: expected the name of a device, found 'local'"));
}

/// What partita_compile() says of a call; the artifact, if any, is freed.
struct Answer {
  partita_status status = PARTITA_OK;
  std::string error;
  bool has_artifact = false;
};

Answer answer_to(std::string_view text, std::vector<const char*> options, const char* name = "p") {
  partita_artifact* artifact = nullptr;
  Answer answer;
  answer.status =
      partita_compile(text.data(), text.size(), name, options.data(), options.size(), &artifact);
  if (answer.status != PARTITA_OK) answer.error = partita_last_error();
  answer.has_artifact = artifact != nullptr;
  partita_artifact_free(artifact);
  return answer;
}

std::vector<std::byte> bytes_of(const partita_artifact* artifact) {
  std::size_t size = 0;
  EXPECT_EQ(partita_artifact_serialize(artifact, nullptr, 0, &size), PARTITA_OK);
  std::vector<std::byte> bytes(size);
  EXPECT_EQ(partita_artifact_serialize(artifact, bytes.data(), size - 1, &size),
            PARTITA_ERROR_USER);
  EXPECT_EQ(partita_artifact_serialize(artifact, bytes.data(), bytes.size(), &size), PARTITA_OK);
  EXPECT_EQ(size, bytes.size());
  return bytes;
}

TEST(CompilerCApi, gives_the_bytes_that_the_front_door_in_cpp_gives) {
  partita_artifact* artifact = nullptr;
  const char* options[] = {"target=opencl", "gemm=generated"};
  ASSERT_EQ(partita_compile(program.data(), program.size(), "p", options, 2, &artifact), PARTITA_OK)
      << partita_last_error();
  CompileOptions same = on_opencl;
  same.gemm = "generated";
  const auto bytes = bytes_of(artifact);
  EXPECT_EQ(bytes, serialize_artifact(compile(program, same, "p").artifact));
  EXPECT_STREQ(partita_artifact_target(artifact), "opencl");
  const TemporaryFolder folder;
  EXPECT_EQ(partita_artifact_save(artifact, (folder / "a.pta").c_str()), PARTITA_OK);
  EXPECT_EQ(read_file(folder / "a.pta"), bytes);
  EXPECT_EQ(partita_artifact_save(artifact, (folder / "no/a.pta").c_str()), PARTITA_ERROR_USER);
  partita_artifact_free(artifact);
}

TEST(CompilerCApi, wrong_programs_are_user_errors_with_their_place) {
  const auto error = [](std::string_view text, const char* name = "p") {
    const Answer answer = answer_to(text, {"target=opencl"}, name);
    EXPECT_EQ(answer.status, PARTITA_ERROR_USER);
    EXPECT_FALSE(answer.has_artifact);
    return answer.error;
  };
  EXPECT_EQ(error(""), "p: expected a module, found an empty text");
  EXPECT_THAT(error("garbage", nullptr), StartsWith("<program>:1:1: module: expected func.func"));
  EXPECT_THAT(error(std::string_view("ML\xefR\0\0\0\0", 8)), StartsWith("p: bytecode: "));
  EXPECT_THAT(error(std::string_view("\0\xff\xfe", 3)), StartsWith("p:1:1: "));
  EXPECT_THAT(
      error(
          "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}"),
      StartsWith("p:2:"));
  EXPECT_THAT(error(program.substr(0, program.size() / 2)), StartsWith("p:"));
}

TEST(CompilerCApi, wrong_options_are_user_errors) {
  const auto error = [](std::vector<const char*> options) {
    const Answer answer = answer_to(program, std::move(options));
    EXPECT_EQ(answer.status, PARTITA_ERROR_USER);
    EXPECT_FALSE(answer.has_artifact);
    return answer.error;
  };
  EXPECT_EQ(error({"targte=opencl"}), "option: expected target, found 'targte'");
  EXPECT_EQ(error({"target"}), "options[0]: expected KEY=VALUE, found 'target'");
  EXPECT_EQ(error({"target=opencl", nullptr}), "options[1]: expected a text, found NULL");
  EXPECT_THAT(error({"=opencl"}), HasSubstr("found ''"));
  EXPECT_THAT(error({"target=abacus"}), HasSubstr("target 'abacus' is not built in"));
  EXPECT_THAT(error({"target=opencl", "gemm=some"}), HasSubstr("--gemm: expected auto"));
  EXPECT_THAT(error({"target=cpu", "tier=7"}), HasSubstr("--tier: expected 0, 1 or auto"));
  EXPECT_THAT(error({"function=none"}), HasSubstr("none"));
  EXPECT_THAT(error({"placement=x"}), HasSubstr("--placement: expected NAME=N, found x"));
  EXPECT_THAT(error({"shape=x"}), HasSubstr("--shape: expected ARG=N or ARG=NxN…, found x"));
  EXPECT_THAT(error({"shape=x=4xx8"}), HasSubstr("--shape: expected a number"));
  EXPECT_THAT(error({"shape=x="}), HasSubstr("--shape: expected a number"));
  EXPECT_THAT(error({"shape=x=4", "shape=x=5"}), HasSubstr("each argument once, found x twice"));
  EXPECT_THAT(error({"shape=*=4x5"}), HasSubstr("--shape: expected *=N"));
  EXPECT_THAT(error({"value=n=1,"}), HasSubstr("--value: expected a number"));
}

TEST(CompilerCApi, null_pointers_are_user_errors) {
  partita_artifact* artifact = nullptr;
  const auto expect = [](partita_status status, const char* argument) {
    EXPECT_EQ(status, PARTITA_ERROR_USER);
    EXPECT_EQ(std::string(partita_last_error()),
              cat("argument '", argument, "': expected a pointer, found NULL"));
  };
  expect(partita_compile(nullptr, 0, "p", nullptr, 0, &artifact), "program");
  expect(partita_compile(program.data(), program.size(), "p", nullptr, 1, &artifact), "options");
  expect(partita_compile(program.data(), program.size(), "p", nullptr, 0, nullptr), "artifact");
  EXPECT_EQ(artifact, nullptr);
  std::size_t size = 0;
  expect(partita_artifact_serialize(nullptr, nullptr, 0, &size), "artifact");
  expect(partita_artifact_save(nullptr, "x"), "artifact");
  expect(partita_session_run(nullptr), "session");
  ASSERT_EQ(partita_compile(program.data(), program.size(), nullptr, nullptr, 0, &artifact),
            PARTITA_OK);
  expect(partita_artifact_serialize(artifact, nullptr, 0, nullptr), "size");
  expect(partita_artifact_save(artifact, nullptr), "path");
  partita_artifact_free(artifact);
}

TEST(CompilerCApi, threads_compile_at_once) {
  const CompileOptions interpreted{.target = "cpu", .target_options = {{"tier", "0"}}};
  const auto bytes = [](const CompileOptions& options) {
    return serialize_artifact(compile(program, options, "p").artifact);
  };
  const auto opencl = bytes(on_opencl), cpu = bytes(interpreted);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 10; ++k)
        EXPECT_TRUE((t + k) % 2 == 0 ? bytes(on_opencl) == opencl : bytes(interpreted) == cpu);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace partita::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Tuning files: what is written is read, what is wrong is one error; rules of the library's
// parameters; what `partita tune` measures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/artifact/target_format.hpp"
#include "partita/artifact/tuning.hpp"
#include "partita/base/error.hpp"
#include "partita/device/backend.hpp"
#include "tests/support/sample_artifacts.hpp"
#include "tools/partita/tune/grid.cpp"  // NOLINT(bugprone-suspicious-include)

namespace partita::testing {
namespace {

using ::testing::HasSubstr;

const LibraryTuning& library() { return *find_backend("opencl").tuning; }

LibraryParameters sample_parameters() {
  return library()
      .candidates("XgemmDirect", DType::f32, {.local_bytes = 1 << 20, .max_work_group = 4096})
      .front();
}

Tuning sample_tuning() {
  Tuning t;
  t.device = {.target = "opencl",
              .name = "device A, second",
              .vendor = "v",
              .driver = "1",
              .platform = "p",
              .compute_units = 2,
              .is_cpu = true,
              .covers = {"device A", "device B"}};
  t.machine = "machine \"x\"";
  t.library = "CLBlast 1.5.3";
  t.library_first_ms = 12;
  t.parameters = {sample_parameters()};
  t.searches = {{.kernel = "Xgemm", .at = {.m = 8}, .candidates = 3, .refused = 1, .best_ns = 5}};
  t.contractions = {{.key = {.form = ContractionForm::tn, .m = 2, .n = 3, .k = 4, .batch = 5},
                     .generated = {{.tile = {64, 12, 2}, .time = {100, 20, 7}},
                                   {.tile = {32, 6, 2}, .time = {90, 10, 7}}},
                     .library = Timing{80, 3, 7}},
                    {.key = {.dtype = DType::f64, .m = 9},
                     .generated = {{.tile = {64, 8, 3}, .time = {7, 0, 1}}},
                     .library = {}}};
  return t;
}

std::string refusal(const std::string& text) {
  try {
    (void)tuning_from_json(text, "file.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Tuning, is_read_as_it_was_written) {
  const std::string text = tuning_to_json(sample_tuning());
  const Tuning back = tuning_from_json(text, "file.json");
  EXPECT_EQ(tuning_to_json(back), text);
  ASSERT_EQ(back.contractions.size(), 2u);
  EXPECT_EQ(back.contractions[0].key, sample_tuning().contractions[0].key);
  ASSERT_TRUE(back.contractions[0].library.has_value());
  EXPECT_EQ(back.contractions[0].library->median_ns, 80);
  EXPECT_FALSE(back.contractions[1].library.has_value());
  EXPECT_EQ(back.parameters, sample_tuning().parameters);
}

TEST(Tuning, covers_devices_by_the_beginnings_of_their_names) {
  const Tuning t = sample_tuning();
  EXPECT_EQ(coverage(t, "device A, third"), 8);
  EXPECT_EQ(coverage(t, "device B"), 8);
  EXPECT_EQ(coverage(t, "device"), -1);
  EXPECT_EQ(coverage(t, ""), -1);
}

TEST(Tuning, refuses_what_is_no_whole_file_of_this_version) {
  const std::string text = tuning_to_json(sample_tuning());
  EXPECT_THAT(refusal(""), HasSubstr("expected JSON text"));
  EXPECT_THAT(refusal("[1, 2]"), HasSubstr("another JSON document"));
  EXPECT_THAT(refusal("{\"a\":1}"), HasSubstr("another JSON document"));
  EXPECT_THAT(refusal(replaced(text, "partita tuning", "tuning of another")),
              HasSubstr("found format 'tuning of another'"));
  EXPECT_THAT(refusal(replaced(text, "\"version\": 1", "\"version\": 2")),
              HasSubstr("expected version 1 of tuning files, found version 2 (a newer partita"));
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_NE(refusal(text.substr(0, length)), "accepted") << length;
}

TEST(Tuning, refuses_values_that_make_no_sense) {
  const std::string text = tuning_to_json(sample_tuning());
  const auto with = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(text, from, to));
  };
  EXPECT_THAT(with("\"vector_bytes\":64", "\"vector_bytes\":65"),
              HasSubstr("contractions[0].vector_bytes: expected 16, 32 or 64, found 65"));
  EXPECT_THAT(with("\"rows\":12", "\"rows\":1000000"),
              HasSubstr("contractions[0]: expected at most 32"));
  EXPECT_THAT(with("\"rows\":12", "\"rows\":\"12\""), HasSubstr("expected an integer"));
  EXPECT_THAT(with("\"rows\":12,", ""), HasSubstr("expected a field 'rows', found none"));
  EXPECT_THAT(with("\"median_ns\":100", "\"median_ns\":0"), HasSubstr("expected a median"));
  EXPECT_THAT(with("\"m\":2", "\"m\": -2"), HasSubstr("expected extents from 1 on, found -2"));
  EXPECT_THAT(with("\"form\":\"tn\"", "\"form\":\"xx\""), HasSubstr("expected nn, nt, tn or tt"));
  EXPECT_THAT(with("\"dtype\":\"f64\"", "\"dtype\":\"i32\""), HasSubstr("expected f32 or f64"));
  EXPECT_THAT(with("XgemmDirect", "Frobnicate"), HasSubstr("found 'Frobnicate'"));
  EXPECT_THAT(with("[\"device A\",\"device B\"]", "[]"), HasSubstr("expected names of devices"));
}

TEST(LibraryParameters, obey_the_rules_of_the_kernels) {
  LibraryParameters p = sample_parameters();
  EXPECT_EQ(find_problem("opencl", p), std::nullopt);
  const auto with = [&](std::size_t index, std::int64_t value) {
    LibraryParameters changed = p;
    changed.values[index].value = value;
    return find_problem("opencl", changed).value_or("");
  };
  EXPECT_THAT(with(0, 0), HasSubstr("expected KWID from 1 to 1024, found 0"));
  EXPECT_THAT(with(0, 3), HasSubstr("expected WGD divisible by KWID"));
  EXPECT_THAT(with(2, 3), HasSubstr("divisible by"));
  EXPECT_THAT(with(5, 2), HasSubstr("expected PADA from 0 to 1"));
  p.values.pop_back();
  EXPECT_THAT(find_problem("opencl", p).value_or(""), HasSubstr("expected its 10 parameters"));
  EXPECT_EQ(find_problem("opencl", library().direct_below(0, DType::f64)), std::nullopt);
  EXPECT_NE(find_problem("opencl", library().direct_below(0, DType::f16)), std::nullopt);
  EXPECT_THAT(find_problem("cpu", sample_parameters()).value_or(""),
              HasSubstr("expected no parameters of a library for target 'cpu'"));
}

TEST(LibraryParameters, travel_in_artifacts_and_count_for_their_hash) {
  Artifact artifact = federated_artifact(4, 3);
  const std::string before = content_hash(artifact);
  artifact.library = {.devices = {"device"}, .parameters = {sample_parameters()}};
  EXPECT_NE(content_hash(artifact), before);
  const auto bytes = serialize_artifact(artifact);
  EXPECT_EQ(parse_artifact(bytes, "file").library, artifact.library);
  artifact.library.parameters[0].values[0].value = 5;
  EXPECT_THROW((void)serialize_artifact(artifact), Error);
}

TEST(TuneGrid, holds_parameters_that_the_library_takes) {
  const DeviceProfile cpu{.local_bytes = 1 << 20, .max_work_group = 4096},
      small{.local_bytes = 1 << 10, .max_work_group = 16};
  for (const char* kernel : {"Xgemm", "XgemmDirect"})
    for (const DType d : {DType::f32, DType::f64}) {
      const auto all = library().candidates(kernel, d, cpu);
      EXPECT_GE(all.size(), 4u);
      for (const LibraryParameters& p : all) EXPECT_EQ(find_problem("opencl", p), std::nullopt);
      EXPECT_LT(library().candidates(kernel, d, small).size(), all.size());
    }
  EXPECT_LT(tool::tuning_grid(true, true).size(), tool::tuning_grid(false, false).size());
  EXPECT_LT(tool::tuning_grid(false, false).size(), tool::tuning_grid(false, true).size());
}

TEST(TuneGrid, reads_shapes) {
  const ContractionKey plain = tool::parse_contraction("12x34x5");
  EXPECT_EQ(plain, (ContractionKey{.m = 12, .n = 34, .k = 5}));
  const ContractionKey all = tool::parse_contraction("1x2x3x4:tn:f64");
  EXPECT_EQ(
      all,
      (ContractionKey{
          .dtype = DType::f64, .form = ContractionForm::tn, .m = 1, .n = 2, .k = 3, .batch = 4}));
  EXPECT_EQ(tool::parse_contraction(tool::to_text(all)), all);
  for (const char* wrong : {"", "1", "1x2", "1x2x3x4x5", "1x2x", "1xax3", "0x1x1", "-1x2x3",
                            "1x2x3:", "1x2x3:xx", "1x2x3:f16", "1x2x3:nn:f32:f32", "1x2x99999999",
                            "9999999x9999999x9999999", ":nn", "x1x2x3"})
    EXPECT_THROW((void)tool::parse_contraction(wrong), Error) << wrong;
}

}  // namespace
}  // namespace partita::testing

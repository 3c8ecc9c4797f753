// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The conformance corpus: what is read is printed, read again and printed the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

std::vector<std::filesystem::path> corpus(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string stem_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

bool must_be_read(const std::filesystem::path& path) {
  const std::string stem = stem_of(path);
  for (const char* start : {"mlp_", "drjax_", "math_unary", "math_binary_int", "reductions_dots",
                            "control_flow", "lm_fwd", "lm-s"})
    if (stem.starts_with(start)) return true;
  return false;
}

void expect_round_trip(const std::filesystem::path& path, const Module& module,
                       const PrintOptions& options) {
  const std::string text = print_module(module, options);
  const auto again = parse_module(text, "printed:" + path.string());
  EXPECT_TRUE(print_module(*again, options) == text)
      << path << ": printed text changes when read and printed again";
}

TEST(ParserCorpus, PrintedTextIsStable) {
  const auto folder = environment("PARTITA_CORPUS");
  if (!folder) GTEST_SKIP() << "PARTITA_CORPUS is not set: the conformance corpus is not here";
  int read = 0;
  for (const auto& path : corpus(*folder)) {
    std::unique_ptr<Module> module;
    try {
      module = read_module(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::user) << error.located_message();
      EXPECT_FALSE(must_be_read(path)) << error.located_message();
      EXPECT_GT(error.where().line, 0) << error.located_message();
      continue;
    }
    ++read;
    expect_round_trip(path, *module, {});
    expect_round_trip(path, *module, {.locations = true});
    expect_round_trip(path, *module, {.locations = false, .max_dense_elements = 8});
  }
  EXPECT_GE(read, 20);
}

TEST(ParserCorpus, DebugInformationAndGenericFormMeanTheSame) {
  const auto folder = environment("PARTITA_CORPUS");
  if (!folder) GTEST_SKIP() << "PARTITA_CORPUS is not set: the conformance corpus is not here";
  for (const std::string stem : {"drjax_fedavg_mesh8", "mlp_train_sgd"}) {
    const std::filesystem::path base = std::filesystem::path(*folder) / stem;
    const std::string text = print_module(*read_module(base.string() + ".mlir"));
    EXPECT_EQ(print_module(*read_module(base.string() + ".debuginfo.mlir")), text);
    // The generic form comes from another run of JAX that names no results and sets no module attributes.
    const auto generic = read_module(base.string() + ".generic.mlir");
    const auto pretty = read_module(base.string() + ".mlir");
    ASSERT_EQ(generic->functions.size(), pretty->functions.size());
    for (const auto& function : pretty->functions) {
      const Function* other = generic->find(function->name);
      ASSERT_NE(other, nullptr) << function->name;
      EXPECT_EQ(other->argument_types(), function->argument_types());
      EXPECT_EQ(other->result_types, function->result_types);
      EXPECT_EQ(other->is_public, function->is_public);
      EXPECT_EQ(other->arg_attrs, function->arg_attrs);
      ASSERT_EQ(other->body->nodes().size(), function->body->nodes().size());
      for (std::size_t k = 0; k < function->body->nodes().size(); ++k)
        EXPECT_EQ(print_node(*other->body->nodes()[k]), print_node(*function->body->nodes()[k]));
    }
  }
}

}  // namespace
}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The conformance corpus in both of its forms: a portable artifact says what the text beside it says.
// Artifacts share equal constants and leave out unused values, so functions are compared as what
// they compute: every value by its op, attributes, operands and regions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "frontend/stablehlo/attribute_printer.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// Numbers values such that equal numbers are equal computations; one table for both modules.
class Numbering {
 public:
  std::string of(const Function& function) {
    std::string key = cat(function.is_public ? "public " : "private ", attributes(function.attrs));
    for (const auto* dicts : {&function.arg_attrs, &function.res_attrs})
      for (const Dict& dict : *dicts) key += attributes(dict);
    ValueMap<int> numbers;
    return key + of(*function.body, numbers, 0);
  }

 private:
  static std::string attributes(const Dict& dict) {
    std::string text;
    print_dict(text, dict.items());
    return text;
  }

  std::string of(const Graph& graph, ValueMap<int>& numbers, int depth) {
    std::string key = "[";
    for (int k = 0; k < graph.argument_count(); ++k) {
      numbers[graph.argument(k)] =
          intern(cat("argument ", depth, " ", k, " ", to_string(graph.argument(k).type())));
      key += to_string(graph.argument(k).type());
    }
    for (Node* node : graph.nodes()) {
      const int number = intern(of(*node, numbers, depth));
      for (int k = 0; k < node->result_count(); ++k)
        numbers[node->result(k)] = intern(cat("result ", number, " ", k));
    }
    key += "->";
    for (const Value& v : graph.results) key += cat(" ", numbers.at(v));
    return key + "]";
  }

  std::string of(const Node& node, ValueMap<int>& numbers, int depth) {
    std::string key = cat(node.name(), attributes(node.attrs));
    for (const Value& v : node.operands()) key += cat(" ", numbers.at(v));
    for (const auto& region : node.regions()) key += of(*region, numbers, depth + 1);
    for (const Type& type : node.result_types()) key += to_string(type);
    return key;
  }

  int intern(const std::string& key) {
    return numbers_.emplace(key, int(numbers_.size())).first->second;
  }

  std::map<std::string, int> numbers_;
};

std::vector<std::filesystem::path> artifacts(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".mlirbc") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::filesystem::path text_beside(const std::filesystem::path& artifact) {
  const std::string name = artifact.filename().string();
  return artifact.parent_path() / (name.substr(0, name.find('.')) + ".mlir");
}

/// Null where a form holds what is not supported.
std::unique_ptr<Module> read_or_null(const std::filesystem::path& path, std::string& error) {
  try {
    return read_module(path);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user) << e.located_message();
    error = e.located_message();
    return nullptr;
  }
}

TEST(BytecodeCorpus, artifacts_mean_what_their_texts_mean) {
  const auto folder = environment("PARTITA_CORPUS");
  if (!folder) GTEST_SKIP() << "PARTITA_CORPUS is not set: the conformance corpus is not here";
  int equal = 0, read = 0;
  for (const auto& path : artifacts(*folder)) {
    const std::filesystem::path text_path = text_beside(path);
    std::string text_error, artifact_error;
    const auto text = read_or_null(text_path, text_error);
    const auto artifact = read_or_null(path, artifact_error);
    if (!text) continue;
    ASSERT_TRUE(artifact) << artifact_error;
    ++read;
    const std::string printed = print_module(*artifact);
    EXPECT_TRUE(print_module(*parse_module(printed)) == printed) << path;
    const auto bytes = read_file(text_path);
    if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find("chlo.") !=
        std::string_view::npos)
      continue;  // ops of chlo are composites in artifacts
    Numbering numbering;
    for (const auto& function : artifact->functions) {
      const Function* other = text->find(function->name);
      ASSERT_TRUE(other) << path << " @" << function->name;
      EXPECT_EQ(numbering.of(*other), numbering.of(*function)) << path << " @" << function->name;
    }
    ++equal;
  }
  EXPECT_GE(read, 15);
  EXPECT_GE(equal, 10);
}

}  // namespace
}  // namespace partita::ir

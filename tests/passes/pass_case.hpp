// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Text cases of passes: a program, directives in comments that say what to run and what to expect,
// and optionally the program that must come out.  See tests/passes/README.md.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "partita/driver/pipelines.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {

struct PassCase {
  std::string passes;           ///< "inline raise"
  passes::PassContext context;  ///< placements, layout
  std::vector<std::pair<std::string, int>> counts;
  std::vector<std::string> remarks;  ///< parts of remarks that must be made
  bool is_unremarked = false;        ///< "remark: none"
  std::string refused;               ///< part of the user error that the passes must give
  std::string run_refused;           ///< part of the error that the program gives when it runs
  std::map<int, std::vector<double>> inputs;
  std::string program, expected;  ///< expected: empty when absent
};

/// Throws std::runtime_error for a directive that is not known.
[[nodiscard]] PassCase read_case(const std::filesystem::path& path);

/// Expects `work` to end in a user error with `part` in its text.
void expect_refusal(const std::function<void()>& work, const std::string& part);

/// The cases of a pass, sorted: files with that ending.
[[nodiscard]] std::vector<std::filesystem::path> cases_in(const std::filesystem::path& folder,
                                                          const std::string& ending);

/// One suite for each pass, one test for each of its cases; a Case is made of a path.
template <class Case>
void register_cases(const std::filesystem::path& folder, const std::vector<std::string>& passes,
                    const std::string& ending) {
  for (const std::string& pass : passes) {
    std::string suite = pass;
    std::ranges::replace(suite, '-', '_');
    for (const std::filesystem::path& path : cases_in(folder / pass, ending))
      ::testing::RegisterTest(suite.c_str(), path.stem().c_str(), nullptr, nullptr, path.c_str(), 1,
                              [path]() -> Case* { return new Case(path); });  // gtest owns it
  }
}

/// A random array; integers small, so that they serve as indices and counts.
[[nodiscard]] HostArray random_array(const Type& type, std::mt19937& random);
/// Random inputs for @main, but those that are given.
[[nodiscard]] std::vector<ir::Tensor> random_inputs(
    const ir::Function& f, const std::map<int, std::vector<double>>& given = {});
/// The same for arguments of these types.
[[nodiscard]] std::vector<ir::Tensor> random_inputs(
    const std::vector<Type>& types, const std::map<int, std::vector<double>>& given = {});

/// Why two arrays are not the same within the tolerance of their dtype (SEMANTICS 5, `scale` times);
/// empty when they are.
[[nodiscard]] std::string difference(const HostArray& found, const HostArray& expected,
                                     double scale = 1);

/// Nodes by op name, regions included.
[[nodiscard]] std::map<std::string, int> count_ops(const ir::Module& module);

}  // namespace partita::testing

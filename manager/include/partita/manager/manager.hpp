// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs named passes over anything that prints: times, dumps, and where a pass breaks an invariant of
// ours writes what it was given to a crash file, with the command that replays it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace partita::manager {

/// A pass to run, and its options.
struct PassRun {
  std::string name;
  std::map<std::string, std::string> options;
};
/// "inline raise{k=v other=w} simplify" -> runs; bad syntax is a user error.
[[nodiscard]] std::vector<PassRun> parse_runs(std::string_view text);

struct PassTiming {
  std::string name;
  double seconds = 0;
};
struct RunOptions {
  std::vector<std::string> dump_after;   ///< names or "all"
  std::filesystem::path dump_directory;  ///< empty: the working directory
  std::size_t passes_before = 0;  ///< files are numbered NN-pass.ENDING from the next number on
};

/// A pass over one program.
struct Pass {
  bool is_idempotent = false;  ///< not run, without options, on what it has left
  /// What the program lacks that the pass needs, as "expected …, found …"; empty: nothing.
  std::function<std::string()> missing;
  /// Runs it, tidies up and verifies; an internal error is a fault of the pass.
  std::function<void(const PassRun& run)> run;
  /// What of the promise of the pass the program does not hold; empty: nothing.
  std::function<std::string()> broken;
};

/// A program as the manager sees it.
struct Subject {
  std::string ending;                 ///< of files with its text: "mlir"
  std::function<std::string()> text;  ///< canonical: equal texts are equal programs
  std::function<Pass(const std::string& name)> find;
};

/// Runs in order.  A pass that misses something is a user error.
std::vector<PassTiming> run(const Subject& subject, const std::vector<PassRun>& passes,
                            const RunOptions& options = {});

}  // namespace partita::manager

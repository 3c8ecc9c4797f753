// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs named passes over anything that prints: times, dumps, and where a pass breaks an invariant of
// ours writes what it was given to a crash file, with the command that replays it.
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// The value of an option, or `otherwise` where it is not given; another text than a whole number, or
  /// than yes or no, is a user error.
  [[nodiscard]] std::int64_t integer(const std::string& option, std::int64_t otherwise) const;
  [[nodiscard]] bool flag(const std::string& option, bool otherwise) const;
};
/// "raise{k=v other=w} simplify": what parse_runs() reads.
[[nodiscard]] std::string to_string(const std::vector<PassRun>& runs);
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
  bool is_idempotent = false;             ///< not run, without options, on what it has left
  std::vector<std::string> options = {};  ///< that it knows; another one is a user error
  /// What the program lacks that the pass needs, as "expected …, found …"; empty: nothing.
  std::function<std::string()> missing = [] { return std::string(); };
  /// Runs it, tidies up and verifies; an internal error is a fault of the pass.
  std::function<void(const PassRun& run)> run;
  /// What of the promise of the pass the program does not hold; empty: nothing.
  std::function<std::string()> broken = [] { return std::string(); };
};

/// A program's text, for a file of that ending.
struct Source {
  std::string ending, text;
};

/// A program as the manager sees it.
struct Subject {
  std::string ending;                 ///< of files with its text: "mlir"
  std::function<std::string()> text;  ///< canonical: equal texts are equal programs
  std::function<Pass(const std::string& name)> find;
  /// What the passes began with, asked for when one breaks: it is kept with all passes up to that one.
  /// Where this is empty, each pass's own input is kept.
  std::function<Source()> original = {};
  /// A number that is another one where the program is: a pass that would be given what it has left before is not run
  /// again.  Where this and `original` are empty, texts say so.
  std::function<std::uint64_t()> state = {};
};

/// An option that is not among `known` is a user error.
void expect_options(const PassRun& run, const std::vector<std::string>& known);

/// Runs in order.  A pass that misses something is a user error.
std::vector<PassTiming> run(const Subject& subject, const std::vector<PassRun>& passes,
                            const RunOptions& options = {});

}  // namespace partita::manager

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/manager/manager.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"

namespace partita::manager {
namespace {

void dump(const Subject& subject, const RunOptions& options, std::size_t number,
          const std::string& pass) {
  const bool wanted = std::ranges::any_of(
      options.dump_after, [&](const std::string& d) { return d == "all" || d == pass; });
  if (!wanted) return;
  std::error_code error;  // write_file says what is wrong with the folder
  const auto directory =
      options.dump_directory.empty() ? std::filesystem::path(".") : options.dump_directory;
  std::filesystem::create_directories(directory, error);
  const std::string padded = cat(number < 10 ? "0" : "", number);
  write_file(directory / cat(padded, "-", pass, ".", subject.ending),
             std::string_view(subject.text()));
}

/// What a pass was given: a text, and the passes that make of it what broke.
struct Replay {
  Source source;
  std::vector<PassRun> passes;
};

/// Keeps what a pass was given, so that its failure can be replayed.
[[noreturn]] void report_crash(const Replay& replay, const std::string& why) {
  const std::string& pass = replay.passes.back().name;
  std::error_code failure;
  const auto folder = std::filesystem::temp_directory_path(failure);
  const auto path = (failure ? std::filesystem::path("/tmp") : folder) /
                    cat("partita-crash-", pass, ".", replay.source.ending);
  std::ofstream(path) << replay.source.text;
  throw_internal_error(cat("pass ", pass, ": ", why, "; replay: partita opt ", path.string(),
                           " --passes \"", to_string(replay.passes), "\""));
}

/// Why a pass broke the program; empty where it did not.
std::string run_pass(const Pass& pass, const PassRun& run) {
  try {
    pass.run(run);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::internal) throw;
    return e.what();
  }
  const std::string broken = pass.broken();
  return broken.empty() ? "" : cat("did not reach its stage: ", broken);
}

/// What passes leave: a pass that would be given that again has nothing to do.  And what they were given, for replays.
class History {
 public:
  explicit History(const Subject& subject) : subject_(subject) {}

  /// Before a pass: whether it has nothing to do.
  [[nodiscard]] bool is_done(const PassRun& run) {
    if (!subject_.original) text_ = subject_.text();
    if (subject_.original && !subject_.state) return false;
    const std::string now = subject_.state ? std::to_string(subject_.state()) : text_;
    if (!last_.empty()) left_[last_] = now;
    last_.clear();
    const auto found = left_.find(run.name);
    return run.options.empty() && found != left_.end() && found->second == now;
  }
  void has_run(const Pass& pass, const PassRun& run) {
    if (pass.is_idempotent && run.options.empty()) last_ = run.name;
  }
  /// Of the last pass of `passes`, which was given what the others left; after is_done().
  [[nodiscard]] Replay replay(std::vector<PassRun> passes) const {
    if (subject_.original) return {subject_.original(), std::move(passes)};
    return {{subject_.ending, text_}, {std::move(passes.back())}};
  }

 private:
  const Subject& subject_;
  std::string text_;  ///< without an original: of what the next pass is given
  std::string last_;  ///< the pass that has run, where that counts
  std::map<std::string, std::string> left_;  ///< by pass: what it left
};

}  // namespace

void expect_options(const PassRun& run, const std::vector<std::string>& known) {
  for (const auto& [key, value] : run.options) {
    if (std::ranges::find(known, key) != known.end()) continue;
    std::string list;
    for (const std::string& option : known) list += cat(list.empty() ? "" : ", ", option, "=");
    throw_user_error(cat("passes: ", run.name, ": expected ",
                         list.empty() ? std::string("no options") : list, ", found '", key, "=",
                         value, "'"));
  }
}

std::vector<PassTiming> run(const Subject& subject, const std::vector<PassRun>& passes,
                            const RunOptions& options) {
  std::vector<PassTiming> timings;
  History history(subject);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const PassRun& run = passes[i];
    const Pass pass = subject.find(run.name);
    expect_options(run, pass.options);
    const std::string missing = pass.missing();
    if (!missing.empty()) throw_user_error(cat("passes: ", run.name, ": ", missing));
    const auto start = std::chrono::steady_clock::now();
    if (!history.is_done(run)) {
      const std::string why = run_pass(pass, run);
      const auto end = passes.begin() + std::ptrdiff_t(i) + 1;
      if (!why.empty()) report_crash(history.replay({passes.begin(), end}), why);
      history.has_run(pass, run);
    }
    timings.push_back(
        {run.name,
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
    dump(subject, options, options.passes_before + i + 1, run.name);
  }
  return timings;
}

}  // namespace partita::manager

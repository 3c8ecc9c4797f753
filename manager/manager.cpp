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

/// Keeps what a pass was given, so that its failure can be replayed.
[[noreturn]] void report_crash(const Subject& subject, const std::string& before,
                               const PassRun& run, const std::string& why) {
  std::error_code failure;
  const auto folder = std::filesystem::temp_directory_path(failure);
  const auto path = (failure ? std::filesystem::path("/tmp") : folder) /
                    cat("partita-crash-", run.name, ".", subject.ending);
  std::ofstream(path) << before;
  std::string options;
  for (const auto& [k, v] : run.options) options += cat(options.empty() ? "" : " ", k, "=", v);
  throw_internal_error(cat("pass ", run.name, ": ", why, "; replay: partita opt ", path.string(),
                           " --passes \"", run.name, options.empty() ? "" : cat("{", options, "}"),
                           "\""));
}

/// Runs one pass and checks what it left; `before` is the program's text, for a crash file.
void run_pass(const Subject& subject, const Pass& pass, const PassRun& run,
              const std::string& before) {
  try {
    pass.run(run);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal) report_crash(subject, before, run, e.what());
    throw;
  }
  const std::string broken = pass.broken();
  if (!broken.empty()) report_crash(subject, before, run, cat("did not reach its stage: ", broken));
}

/// The program's text as passes come and go, and where it is what a pass has left before: that pass has
/// nothing to do again.
class Texts {
 public:
  explicit Texts(const Subject& subject) : subject_(subject) {}

  const std::string& current() {
    if (is_current_) return text_;
    text_ = subject_.text();
    is_current_ = true;
    if (!last_.empty()) left_[last_] = text_;
    return text_;
  }
  [[nodiscard]] bool is_done(const PassRun& run) {
    const auto found = left_.find(run.name);
    return run.options.empty() && found != left_.end() && found->second == current();
  }
  void has_run(const Pass& pass, const PassRun& run) {
    is_current_ = false;
    last_ = pass.is_idempotent && run.options.empty() ? run.name : "";
  }

 private:
  const Subject& subject_;
  std::string text_, last_;
  bool is_current_ = false;
  std::map<std::string, std::string> left_;  ///< by pass
};

}  // namespace

std::vector<PassTiming> run(const Subject& subject, const std::vector<PassRun>& passes,
                            const RunOptions& options) {
  std::vector<PassTiming> timings;
  Texts texts(subject);
  std::size_t number = options.passes_before;
  for (const PassRun& run : passes) {
    const Pass pass = subject.find(run.name);
    const std::string missing = pass.missing();
    if (!missing.empty()) throw_user_error(cat("passes: ", run.name, ": ", missing));
    const auto start = std::chrono::steady_clock::now();
    const std::string& before = texts.current();
    if (!texts.is_done(run)) {
      run_pass(subject, pass, run, before);
      texts.has_run(pass, run);
    }
    timings.push_back(
        {run.name,
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
    dump(subject, options, ++number, run.name);
  }
  return timings;
}

}  // namespace partita::manager

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs passes by name: checks stages, verifies, removes dead nodes, times, dumps, and leaves a crash
// file when a pass breaks an invariant of ours.  An idempotent pass is not run on what it has left.
#include <algorithm>
#include <chrono>
#include <fstream>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/manager/stages.hpp"

namespace partita::passes {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

/// Splits "k=v other=w" into options.
std::map<std::string, std::string> parse_options(std::string_view text, std::string_view pass) {
  std::map<std::string, std::string> options;
  std::string last;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == ',') {
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,", i), text.size());
    const std::string_view item = text.substr(i, end - i);
    const std::size_t equals = item.find('=');
    // A value may be a list: wrt=0,2.
    if (equals == std::string_view::npos && !last.empty() && text[i - 1] == ',') {
      options[last] += cat(",", item);
      i = end;
      continue;
    }
    if (equals == std::string_view::npos || equals == 0)
      throw_user_error(cat("passes: ", pass, ": expected key=value, found '", item, "'"));
    last = item.substr(0, equals);
    options[last] = item.substr(equals + 1);
    i = end;
  }
  return options;
}

void dump(const ir::Module& module, const RunOptions& options, std::size_t number,
          const std::string& pass) {
  const bool wanted = std::ranges::any_of(
      options.dump_after, [&](const std::string& d) { return d == "all" || d == pass; });
  if (!wanted) return;
  std::error_code error;  // write_file says what is wrong with the folder
  const auto directory =
      options.dump_directory.empty() ? std::filesystem::path(".") : options.dump_directory;
  std::filesystem::create_directories(directory, error);
  const std::string padded = cat(number < 10 ? "0" : "", number);
  write_file(directory / cat(padded, "-", pass, ".mlir"),
             std::string_view(ir::print_module(module)));
}

/// Keeps what a pass was given, so that its failure can be replayed.
[[noreturn]] void report_crash(const std::string& before, const PassRun& run,
                               const std::string& why) {
  std::error_code failure;
  const auto folder = std::filesystem::temp_directory_path(failure);
  const auto path =
      (failure ? std::filesystem::path("/tmp") : folder) / cat("partita-crash-", run.name, ".mlir");
  std::ofstream(path) << before;
  std::string options;
  for (const auto& [k, v] : run.options) options += cat(options.empty() ? "" : " ", k, "=", v);
  throw_internal_error(cat("pass ", run.name, ": ", why, "; replay: partita opt ", path.string(),
                           " --passes \"", run.name, options.empty() ? "" : cat("{", options, "}"),
                           "\""));
}

void remove_unused_functions(ir::Module& module) {
  for (bool changed = true; changed;) {
    std::vector<std::string> used;
    for (const auto& f : module.functions)
      ir::walk(*f->body, [&](ir::Node& node) {
        for (const auto& a : node.attrs.items()) collect_symbols(a.value, used);
      });
    const auto is_unused = [&](const std::unique_ptr<ir::Function>& f) {
      return !f->is_public && std::ranges::find(used, f->name) == used.end();
    };
    changed = std::erase_if(module.functions, is_unused) > 0;
  }
}

/// Runs one pass and checks what it left; `before` is the module's text, for a crash file.
void run_pass(ir::Module& module, const PassInfo& pass, const PassRun& run, PassContext& context,
              const std::string& before) {
  context.options = run.options;
  try {
    pass.run(module, context);
    for (const auto& f : module.functions) ir::remove_dead_nodes(*f->body);
    remove_unused_functions(module);
    ir::verify(module);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal) report_crash(before, run, e.what());
    throw;
  }
  const std::string broken = why_not_reached(module, pass.gives);
  if (!broken.empty()) report_crash(before, run, cat("did not reach its stage: ", broken));
}

/// The module's text as passes come and go, and where it is what a pass has left before: that pass
/// has nothing to do again.
class Texts {
 public:
  explicit Texts(const ir::Module& module) : module_(module) {}

  const std::string& current() {
    if (is_current_) return text_;
    text_ = ir::print_module(module_);
    is_current_ = true;
    if (!last_.empty()) left_[last_] = text_;
    return text_;
  }
  [[nodiscard]] bool is_done(const PassInfo& pass, const PassRun& run) {
    const auto found = left_.find(pass.name);
    return run.options.empty() && found != left_.end() && found->second == current();
  }
  void has_run(const PassInfo& pass, const PassRun& run) {
    is_current_ = false;
    last_ = pass.idempotent && run.options.empty() ? pass.name : "";
  }

 private:
  const ir::Module& module_;
  std::string text_, last_;
  bool is_current_ = false;
  std::map<std::string, std::string> left_;  ///< by pass
};

}  // namespace

const PassInfo& find_pass(std::string_view name) {
  static const std::vector<PassInfo> passes = all_passes();
  std::string known;
  for (const PassInfo& p : passes) {
    if (p.name == name) return p;
    known += (known.empty() ? "" : ", ") + p.name;
  }
  throw_user_error(cat("passes: unknown pass '", name, "'; known: ", known));
}

std::vector<PassRun> parse_pipeline(std::string_view text) {
  std::vector<PassRun> runs;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == ',') {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_name_character(text[i])) ++i;
    PassRun run{std::string(text.substr(begin, i - begin)), {}};
    if (i < text.size() && text[i] == '{') {
      const std::size_t end = text.find('}', i);
      if (end == std::string_view::npos)
        throw_user_error(cat("passes: ", run.name, ": expected '}', found the end"));
      run.options = parse_options(text.substr(i + 1, end - i - 1), run.name);
      i = end + 1;
    } else if (i < text.size() && text[i] != ' ' && text[i] != ',') {
      throw_user_error(cat("passes: expected a name, found '", text.substr(i, 1), "'"));
    }
    (void)find_pass(run.name);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<PassTiming> run_passes(ir::Module& module, const std::vector<PassRun>& passes,
                                   PassContext& context, const RunOptions& options) {
  std::vector<PassTiming> timings;
  Texts texts(module);
  std::size_t number = options.passes_before;
  for (const PassRun& run : passes) {
    const PassInfo& pass = find_pass(run.name);
    const std::string missing = why_not_reached(module, pass.needs);
    if (!missing.empty())
      throw_user_error(cat("passes: ", pass.name, ": expected a module after ",
                           pass_that_reaches(pass.needs), ", found ", missing));
    const auto start = std::chrono::steady_clock::now();
    const std::string& before = texts.current();
    if (!texts.is_done(pass, run)) {
      run_pass(module, pass, run, context, before);
      texts.has_run(pass, run);
    }
    timings.push_back(
        {pass.name,
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
    dump(module, options, ++number, pass.name);
  }
  return timings;
}

}  // namespace partita::passes

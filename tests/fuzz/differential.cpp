// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Compiled equals interpreted, on random programs over the table of ops.  Compiled ones run over poisoned
// memory, with a pattern that follows from the seed, and twice: the second run gives the same bits, and so does one whose
// arguments are all donated.
//
//   fuzz_differential [--seconds S] [--seed N] [--programs N] [--target NAME] [--tier T] [--jobs N]
//                     [--merge N] [--steps N] [--shrink FILE.mlir]
//                     [--ledger FILE [--next 1] [--note TEXT]]
//   fuzz_differential --sum FILE
//
// Program k has the seed N + k, which is printed where it fails.  --merge N compiles N programs as
// independent parts of one, which saves runs of the compiler; what fails so is tried again alone.
// --shrink writes the first failing program as small as `partita check --shrink` makes it, with its
// inputs and results beside it: a case for tests/regress.  --ledger appends which seeds were run
// (tests/support/seed_ledger.hpp); --next 1 goes on after those of the target that stand there; --sum
// adds them up.  Exit status 1 if a program failed, 77 where the target has no device.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

#include "partita/artifact/npz.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/compile.hpp"
#include "partita/device/device.hpp"
#include "partita/driver/target.hpp"
#include "partita/exec/executor.hpp"
#include "partita/exec/function.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tests/support/forked_batches.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/seed_ledger.hpp"

namespace {

using namespace partita;
using testing::BatchOutput;
using testing::interpreted;
using testing::RandomGraph;

constexpr int default_steps = 12;

struct Options {
  testing::BatchOptions batches{.size = 4};
  int steps = default_steps;
  bool follows_ledger = false;
  std::string target = "opencl", tier = "1", shrink, ledger, note, sum;
};

/// A byte for the memory that programs of the seed run over: NaN, -1 and true, or small numbers.
std::uint8_t poison_of(unsigned seed) { return std::popcount(seed) % 2 == 0 ? 0xff : 0x2a; }

std::vector<HostArray> run(Session& session, std::size_t outputs) {
  session.run();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < outputs; ++k) {
    auto result = session.output(int(k));
    PARTITA_ASSERT(result.has_value());
    results.push_back(std::move(*result));
  }
  return results;
}

/// Donates every argument.
void donate_all(ir::Module& module) {
  for (ir::Dict& attributes : module.entry("main").arg_attrs)
    attributes.set("jax.buffer_donor", true);
}

/// The results in memory of the arguments, where the plan allows it.
std::vector<HostArray> run_donating(const Artifact& artifact, const std::string& target,
                                    const std::vector<HostArray>& inputs) {
  const auto stream = std::make_shared<Stream>(
      std::shared_ptr<Device>(std::move(open_devices({.backend = target}).front())));
  const Function function(std::make_shared<const Artifact>(artifact), {stream});
  Function::Arrays arguments;
  std::vector<int> donated;
  for (const HostArray& input : inputs) {
    donated.push_back(int(arguments.size()));
    arguments.push_back(stream->upload(input.type, input.bytes));
  }
  std::vector<Function::Arrays> all;
  all.push_back(std::move(arguments));
  const Function::Arrays made = function.execute(std::move(all), donated).front();
  std::vector<HostArray> results;
  for (const DeviceArrayPtr& array : made) {
    results.emplace_back(array->type());
    array->download(results.back().bytes)->wait();
  }
  return results;
}

/// The results over poisoned memory, if a second run gives the same bits, and one that donates the arguments.
std::vector<HostArray> compiled(const RandomGraph& program, const Options& how, unsigned seed) {
  driver::CompileOptions options;
  options.target = how.target;
  for (const driver::TargetOption& option : driver::find_target(how.target).options)
    if (option.name == "tier") options.target_options["tier"] = how.tier;
  donate_all(*program.module);
  const Artifact artifact = partita::compile(*program.module, options).artifact;
  Session session(artifact, {.poison = poison_of(seed)});
  for (std::size_t k = 0; k < program.inputs.size(); ++k)
    session.set_input(int(k), program.inputs[k]);
  std::vector<HostArray> results = run(session, program.noise.size());
  const std::vector<HostArray> again = run(session, program.noise.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].bytes != again[k].bytes)
      throw_internal_error(cat("result ", k, ": a second run gives other bits"));
  const std::vector<HostArray> donated = run_donating(artifact, how.target, program.inputs);
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].bytes != donated[k].bytes)
      throw_internal_error(cat("result ", k, ": other bits in memory of donated arguments"));
  return results;
}

/// Writes the program for `partita check`, which makes it small.
void shrink(const RandomGraph& program, const Options& options) {
  const std::filesystem::path path = options.shrink;
  std::map<std::string, HostArray> arrays;
  for (std::size_t k = 0; k < program.inputs.size(); ++k) arrays[cat("in", k)] = program.inputs[k];
  const std::vector<HostArray> results = interpreted(program);
  for (std::size_t k = 0; k < results.size(); ++k) arrays[cat("out", k)] = results[k];
  const std::string name = path.filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  write_npz(path.parent_path() / (stem + ".io.npz"), arrays);
  write_file(path, ir::print_module(*program.module));
  const auto tool = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "partita";
  const std::string command = cat("'", tool.string(), "' check --target ", options.target,
                                  " --shrink '", path.string(), "' '", path.string(), "'");
  std::cout << command << "\n" << std::flush;
  if (std::system(command.c_str()) < 0) std::cout << "cannot be run\n";  // NOLINT(cert-env33-c)
}

// --- One batch -------------------------------------------------------------------------------------

/// What became of a program.
struct Outcome {
  std::string error, refusal;  ///< empty: none
  std::vector<HostArray> expected, found;
};

Outcome outcome_of(const RandomGraph& program, const Options& options, unsigned seed) {
  Outcome o;
  try {
    o.expected = interpreted(program);
    try {
      o.found = compiled(program, options, seed);
    } catch (const Error& e) {
      (e.kind() == ErrorKind::user ? o.refusal : o.error) = e.what();
    }
  } catch (const std::exception& e) {
    o.error = e.what();
  }
  return o;
}

class Batch {
 public:
  Batch(const Options& options, unsigned first, const BatchOutput& output)
      : options_(options), first_(first), output_(output) {}

  void run(unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
      try {
        parts_.push_back(testing::random_graph(first_ + k, options_.steps));
      } catch (const Error& e) {
        output_.failed(1, cat("--seed ", first_ + k, " --programs 1: the generator: ", e.what()));
        parts_.emplace_back();
      }
    }
    const bool is_whole =
        std::ranges::all_of(parts_, [](const auto& p) { return p.module != nullptr; });
    if (count > 1 && is_whole) return run_merged();
    for (unsigned k = 0; k < count; ++k)
      if (parts_[k].module) run_alone(k);
  }

 private:
  /// Whether the part passes alone; if not, that is reported.
  bool run_alone(std::size_t k) {
    Outcome o = outcome_of(parts_[k], options_, first_ + unsigned(k));
    if (!o.refusal.empty()) {
      output_.refused(o.refusal);
      return true;
    }
    if (o.error.empty()) {
      count(parts_[k]);
      o.error = testing::noise_difference(o.found, o.expected, parts_[k].noise);
    }
    if (o.error.empty()) return true;
    output_.failed(1, cat("--seed ", first_ + k, " --programs 1: ", o.error));
    shrink_once(parts_[k]);
    return false;
  }

  void run_merged() {
    const RandomGraph whole = testing::merged(parts_);
    const Outcome o = outcome_of(whole, options_, first_);
    if (!o.refusal.empty() || !o.error.empty()) {
      bool passes = true;
      for (std::size_t k = 0; k < parts_.size(); ++k) passes &= run_alone(k);
      if (passes && !o.error.empty()) failed_together(whole, first_, o.error);
      return;
    }
    std::size_t at = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::size_t n = parts_[k].noise.size();
      const std::string why = testing::noise_difference(
          std::span(o.found).subspan(at, n), std::span(o.expected).subspan(at, n), parts_[k].noise);
      at += n;
      if (why.empty())
        count(parts_[k]);
      else if (run_alone(k))
        failed_together(whole, first_ + unsigned(k), why);
    }
  }

  void failed_together(const RandomGraph& whole, unsigned seed, const std::string& why) {
    output_.failed(1, cat("--seed ", first_, " --programs ", parts_.size(), " --merge ",
                          parts_.size(), ": ", why, " (of seed ", seed, ", which passes alone)"));
    shrink_once(whole);
  }

  void count(const RandomGraph& part) {
    output_.compared(int(part.noise.size()), int(std::ranges::count(part.noise, 0.0)));
  }

  void shrink_once(const RandomGraph& program) {
    if (options_.shrink.empty() || std::filesystem::exists(options_.shrink)) return;
    shrink(program, options_);
  }

  const Options& options_;
  unsigned first_;
  const BatchOutput& output_;
  std::vector<RandomGraph> parts_;
};

// --- Ledger ----------------------------------------------------------------------------------------

std::string first_line_of(const std::string& command) {
  std::string text;
  if (FILE* const pipe = ::popen(command.c_str(), "r")) {  // NOLINT(cert-env33-c)
    std::array<char, 200> buffer{};
    if (std::fgets(buffer.data(), int(buffer.size()), pipe) != nullptr) text = buffer.data();
    ::pclose(pipe);
  }
  return text.substr(0, text.find('\n'));
}

/// "4 x AMD EPYC 9B14".
std::string machine() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      return cat(std::thread::hardware_concurrency(), " x ", line.substr(line.find(':') + 2));
  return cat(std::thread::hardware_concurrency(), " cores");
}

/// Variants for GPUs are another target there.
std::string ledger_target(const Options& options) {
  const auto device_class = environment("PARTITA_OPENCL_CLASS");
  return device_class && options.target == "opencl" ? cat(options.target, "/", *device_class)
                                                    : options.target;
}

void record(const Options& options, const testing::BatchReport& report) {
  const std::time_t now = std::time(nullptr);
  std::array<char, 20> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M", std::gmtime(&now));
  const std::string commit = first_line_of(
      cat("git -C '", PARTITA_TEST_SOURCE_DIR, "' describe --always --dirty --exclude '*'"));
  testing::append_to_ledger(options.ledger,
                            {.date = date.data(),
                             .target = ledger_target(options),
                             .version = testing::random_graph_version,
                             .first = options.batches.first,
                             .programs = report.seeds,
                             .failed = report.failed,
                             .commit = commit.empty() ? "unknown" : commit,
                             .machine = options.note.empty() ? machine() : options.note});
}

// --- Command line ----------------------------------------------------------------------------------

Options read_options(int argc, char** argv) {
  Options o;
  std::map<std::string_view, std::string*> texts{{"--target", &o.target}, {"--tier", &o.tier},
                                                 {"--shrink", &o.shrink}, {"--ledger", &o.ledger},
                                                 {"--note", &o.note},     {"--sum", &o.sum}};
  std::map<std::string_view, unsigned*> numbers{{"--seed", &o.batches.first},
                                                {"--programs", &o.batches.count},
                                                {"--jobs", &o.batches.jobs},
                                                {"--merge", &o.batches.size}};
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) throw_user_error(cat("expected a value of ", name, ", found none"));
    const char* const value = argv[i + 1];
    if (texts.contains(name))
      *texts[name] = value;
    else if (numbers.contains(name))
      *numbers[name] = unsigned(std::strtoul(value, nullptr, 10));
    else if (name == "--seconds")
      o.batches.seconds = std::atof(value);
    else if (name == "--steps")
      o.steps = std::atoi(value);
    else if (name == "--next")
      o.follows_ledger = std::atoi(value) != 0;
    else
      throw_user_error(cat("expected an option of fuzz_differential, found '", name, "'"));
  }
  o.batches.size = std::max(o.batches.size, 1u);
  o.batches.jobs = std::max(o.batches.jobs, 1u);
  if (!o.ledger.empty() && o.steps != default_steps)
    throw_user_error("--ledger: expected programs of the default number of steps, found --steps");
  if (o.follows_ledger)
    o.batches.first = testing::next_seed(testing::read_ledger(o.ledger), ledger_target(o),
                                         testing::random_graph_version);
  return o;
}

bool has_device(const std::string& target) {
  return std::ranges::any_of(list_devices(),
                             [&](const DeviceProfile& d) { return d.backend == target; });
}

int run(const Options& options) {
  if (!options.sum.empty()) {
    std::cout << testing::ledger_sums(testing::read_ledger(options.sum));
    return 0;
  }
  if (!options.shrink.empty()) std::filesystem::remove(options.shrink);
  // Random programs do not come back: they would only fill the cache.
  ::setenv("PARTITA_CACHE_DIR", "", 0);
  const testing::BatchReport report = testing::run_batches(
      options.batches,
      {.is_able = [&] { return has_device(options.target); },
       .run = [&](unsigned first, unsigned count,
                  const BatchOutput& output) { Batch(options, first, output).run(count); }});
  if (!report.can_run) {
    std::cout << "no device of target " << options.target << "\n";
    return 77;
  }
  for (const auto& [what, count] : report.refused)
    std::cout << "refused " << count << " times: " << what << "\n";
  std::cout << report.seeds << " programs from seed " << options.batches.first << " ("
            << report.results << " results, " << report.exact << " of them without noise), "
            << report.failed << " failed\n";
  if (!options.ledger.empty() && report.seeds > 0) record(options, report);
  return report.failed > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(read_options(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}

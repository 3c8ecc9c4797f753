// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita run`: executes an artifact on this process's shards, or on all ranks under mpirun.
#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>

#include "partita/artifact/npz.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/parse.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/checkpoint.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/local_device.hpp"
#include "tools/partita/program_options.hpp"

namespace partita::tool {

namespace {

using Clock = std::chrono::steady_clock;

/// Of a program that is given in place of an artifact.
constexpr std::string_view default_run_target = "cpu";

struct RunOptions {
  std::string artifact, function, inputs, outputs, carry, print, stats, trace, memory_budget;
  std::string target{default_run_target};
  TargetValues target_values;
  std::string checkpoints;  ///< folder
  int rounds = 1, repeat = 1, devices_per_rank = 0, every = 1;
  bool resumes = false;
  double timeout_s = 60;
  bool check_replicas = false;
};

// "out4": its index, checked against the number of ports.
int parse_port(const std::string& text, const std::string& prefix, std::size_t ports,
               const std::string& option) {
  if (!text.starts_with(prefix))
    throw_user_error(cat(option, ": expected ", prefix, "0, ", prefix, "1, …, found ", text));
  if (ports == 0) throw_user_error(cat(option, ": the program has no ", prefix, "*"));
  return int(parse_number(text.substr(prefix.size()), option, std::int64_t(ports) - 1));
}

std::vector<Carry> parse_carries(const std::string& text, const Plan& plan) {
  std::vector<Carry> carries;
  for (const std::string& part : split(text, ',')) {
    const auto pair = split(part, ':');
    if (pair.size() != 2) throw_user_error(cat("--carry: expected outN:inM, found ", part));
    carries.push_back({parse_port(pair[0], "out", plan.outputs.size(), "--carry"),
                       parse_port(pair[1], "in", plan.inputs.size(), "--carry")});
  }
  check_carries(plan, carries);
  return carries;
}

std::vector<HostArray> load_inputs(const RunOptions& options, const Plan& plan) {
  if (options.inputs == "random") return random_arrays(plan.inputs, 0);
  if (options.inputs.starts_with("random:"))
    return random_arrays(plan.inputs,
                         std::uint64_t(parse_number(options.inputs.substr(7), "--inputs random",
                                                    std::numeric_limits<std::int64_t>::max())));
  if (options.inputs.empty()) {
    if (plan.inputs.empty()) return {};
    throw_user_error(
        cat("--inputs: expected a file of ", plan.inputs.size(), " arrays or random, found none"));
  }
  return bind_arrays(plan.inputs, "in", read_npz(options.inputs), options.inputs);
}

/// What is wrong with the options by which a run is kept.
void check_checkpoint_options(const RunOptions& options) {
  if (options.checkpoints.empty()) {
    if (options.resumes) throw_user_error("--resume: expected --checkpoint DIR, found none");
    return;
  }
  if (options.carry.empty())
    throw_user_error(
        "--checkpoint: expected --carry, found none: nothing goes from round to round");
  if (options.repeat > 1)
    throw_user_error(cat("--checkpoint: expected no --repeat, found ", options.repeat));
}

SessionOptions session_options(const RunOptions& options, std::vector<Carry> carries, int done) {
  SessionOptions session;
  session.devices_per_rank = options.devices_per_rank;
  session.use_mpi = launched_by_mpi();
  session.timeout = std::chrono::milliseconds(std::int64_t(options.timeout_s * 1000));
  session.check_replicas = options.check_replicas;
  session.trace = !options.trace.empty();
  if (options.rounds > done + 1) session.carries = std::move(carries);
  session.donates = options.repeat == 1 && (options.rounds == done + 1 || !session.carries.empty());
  if (!options.memory_budget.empty())
    session.memory_budget = parse_bytes(options.memory_budget, "--memory-budget");
  session.agreement =
      cat("rounds=", options.rounds, " repeat=", options.repeat, " carry=", options.carry,
          " print=", options.print, " outputs=", options.outputs.empty() ? "no" : "yes",
          " stats=", options.stats.empty() ? "no" : "yes",
          " checkpoint=", options.checkpoints.empty() ? 0 : options.every, " done=", done);
  return session;
}

// "0.5" or "[1, 2, 3]", enough digits to tell values apart.
std::string values_text(const HostArray& array) {
  constexpr std::int64_t shown = 64;
  const std::int64_t count = array.type.count();
  std::string text;
  visit(array.type.dtype, [&](auto constant) {
    constexpr DType dtype = constant;
    const auto* data = array.data<dtype>();
    for (std::int64_t i = 0; i < std::min(count, shown); ++i) {
      const auto x = load<dtype>(data, std::size_t(i));
      char number[64];
      if constexpr (is_complex(dtype))
        std::snprintf(number, sizeof number, "%.9g%+.9gi", double(x.real()), double(x.imag()));
      else if constexpr (is_float(dtype))
        std::snprintf(number, sizeof number, "%.*g", dtype == DType::f64 ? 17 : 9, double(x));
      else
        std::snprintf(number, sizeof number, "%s", cat(+x).c_str());
      text += cat(i == 0 ? "" : ", ", number);
    }
  });
  if (array.type.dims.empty()) return text;
  return cat("[", text, count > shown ? ", …" : "", "]");
}

// Whether a person watches.  mpirun gives its processes a terminal even where it has none itself, so
// then its own output counts (it is the parent of the ranks of its machine).
bool stdout_is_terminal() {
  if (::isatty(STDOUT_FILENO) == 0) return false;
  if (!launched_by_mpi()) return true;
  std::error_code error;
  const auto target = std::filesystem::read_symlink(cat("/proc/", ::getppid(), "/fd/1"), error);
  return !error &&
         (target.string().starts_with("/dev/pts/") || target.string().starts_with("/dev/tty"));
}

/// One line per round, or a bar that grows where a person watches and nothing is to be printed.
class Progress {
 public:
  Progress(const RunOptions& options, bool is_root)
      : rounds_(options.rounds),
        shows_bar_(is_root && rounds_ > 1 && options.print.empty() && stdout_is_terminal()),
        shows_lines_(is_root && !shows_bar_ && (rounds_ > 1 || !options.print.empty())) {}

  void round_done(int round, const std::string& values) const {
    if (shows_lines_)
      std::cout << "round " << round << "/" << rounds_ << (values.empty() ? "" : ": ") << values
                << std::endl;
    if (!shows_bar_) return;
    constexpr int width = 40;
    const int done = int(std::int64_t(round) * width / rounds_);
    std::cout << "\r[" << std::string(std::size_t(done), '#')
              << std::string(std::size_t(width - done), ' ') << "] " << round << "/" << rounds_
              << (round == rounds_ ? "\n" : "") << std::flush;
  }

 private:
  int rounds_;
  bool shows_bar_, shows_lines_;
};

class Runner {
 public:
  /// After `done` rounds.
  Runner(const RunOptions& options, Session& session, std::vector<Carry> carries,
         std::vector<HostArray> inputs, int done)
      : options_(options),
        session_(session),
        plan_(session.artifact().plan),
        done_(done),
        carries_(std::move(carries)) {
    for (HostArray& input : inputs)
      inputs_.push_back(std::make_shared<const HostArray>(std::move(input)));
    for (const std::string& name : split(options.print, ','))
      printed_.push_back(parse_port(name, "out", plan_.outputs.size(), "--print"));
  }

  /// Several repeats are timed after one that is not, which builds and warms what is built late.
  void run() {
    if (options_.repeat > 1) run_rounds(nullptr);
    for (int i = 0; i < options_.repeat; ++i) run_rounds(&seconds_);
  }
  [[nodiscard]] std::vector<double> seconds() const { return seconds_; }

 private:
  void run_rounds(std::vector<double>* seconds) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      session_.lend_input(int(i), inputs_[i]);
      if (options_.repeat == 1)
        inputs_[i] = nullptr;  // the session keeps what its devices use in place
    }
    const bool is_shown = seconds != nullptr && seconds->empty();
    const Progress progress(options_, session_.rank() == 0 && is_shown);
    for (int round = done_ + 1; round <= options_.rounds; ++round) {
      session_.wait();
      session_.barrier("start of round");
      const auto begin = Clock::now();
      session_.run();
      if (seconds != nullptr)
        seconds->push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      progress.round_done(round, is_shown ? printed_values() : "");
      if (round == options_.rounds) continue;
      if (!options_.checkpoints.empty() && round % options_.every == 0) keep(round);
      session_.carry(carries_);
    }
  }

  /// Every rank takes part in reading what is carried; the first writes it.
  void keep(int round) {
    Checkpoint checkpoint{.round = round, .carried = {}};
    for (const Carry& carry : carries_)
      if (auto array = session_.output(carry.output))
        checkpoint.carried.emplace(carry.input, std::move(*array));
    if (session_.rank() == 0)
      write_checkpoint(options_.checkpoints, program_key(plan_, options_.carry), checkpoint);
  }

  std::string printed_values() {
    std::string text;
    for (const int index : printed_)
      if (const auto array = session_.output(index))
        text += cat(text.empty() ? "" : ", ", "out", index, " = ", values_text(*array));
    return text;
  }

  const RunOptions& options_;
  Session& session_;
  const Plan& plan_;
  int done_;  ///< rounds of an earlier run
  std::vector<std::shared_ptr<const HostArray>> inputs_;
  std::vector<Carry> carries_;
  std::vector<int> printed_;
  std::vector<double> seconds_;
};

std::string stats_json(std::vector<double> seconds, const RunStats& stats) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  boost::json::object object{{"median_s", (seconds[(n - 1) / 2] + seconds[n / 2]) / 2},
                             {"min_s", seconds.front()},
                             {"repeats", n},
                             {"peak_device_bytes", stats.peak_device_bytes},
                             {"peak_arena_bytes", stats.peak_arena_bytes},
                             {"planned_bytes", stats.planned_bytes},
                             {"held_bytes", stats.held_bytes},
                             {"communicated_bytes", stats.communicated_bytes},
                             {"collective_calls", stats.collective_calls},
                             {"launches", stats.launches},
                             {"blocks", stats.blocks}};
  return boost::json::serialize(object) + "\n";
}

void save_results(const RunOptions& options, Session& session, const std::vector<double>& seconds) {
  const bool is_root = session.rank() == 0;
  if (!options.stats.empty()) {
    const RunStats stats = session.job_stats();
    if (is_root) write_file(options.stats, stats_json(seconds, stats));
  }
  if (!options.trace.empty()) {
    const std::string trace = session.trace_json();
    if (is_root) write_file(options.trace, trace);
  }
  if (options.outputs.empty()) return;
  std::map<std::string, HostArray> outputs;
  for (std::size_t i = 0; i < session.artifact().plan.outputs.size(); ++i)
    if (auto array = session.output(int(i))) outputs[cat("out", i)] = std::move(*array);
  if (is_root) write_npz(options.outputs, outputs);
}

/// The artifact of the command, or the program that it names compiled for these runs alone.
Artifact artifact_of(const RunOptions& options) {
  if (!std::filesystem::path(options.artifact).extension().string().starts_with(".mlir")) {
    Artifact artifact = load_artifact(options.artifact);
    return options.function.empty() ? artifact : one_function(artifact, options.function);
  }
  driver::CompileOptions compile;
  compile.target = options.target;
  if (!options.function.empty()) compile.function = options.function;
  apply(options.target_values, compile);
  // Ranks must agree, and what one finds in its cache another may not.
  if (!launched_by_mpi()) {
    compile.runs = std::int64_t(options.rounds) * (options.repeat > 1 ? options.repeat + 1 : 1);
    choose_local_class(compile);
  }
  return compile_file(options.artifact, compile).artifact;
}

/// Takes over what an earlier run of the same carried; how many rounds it had done.
int resume(const RunOptions& options, const Plan& plan, std::vector<HostArray>& inputs) {
  const bool is_root = launched_rank() == 0;
  if (options.checkpoints.empty()) return 0;
  if (is_root) prepare_checkpoints(options.checkpoints, options.resumes);
  if (!options.resumes) return 0;
  auto found =
      read_checkpoint(options.checkpoints, program_key(plan, options.carry), plan, is_root);
  if (!found) return 0;
  if (found->round >= options.rounds)
    throw_user_error(cat("--rounds: expected more than the ", found->round, " that ",
                         options.checkpoints, " has done, found ", options.rounds));
  for (auto& [input, array] : found->carried) inputs.at(std::size_t(input)) = std::move(array);
  if (is_root) std::cout << "resumed after round " << found->round << std::endl;
  return found->round;
}

int run(const RunOptions& options) {
  check_checkpoint_options(options);
  Artifact artifact = artifact_of(options);
  // Everything that can be wrong with the command is said before a device is touched.
  for (const std::string& path : {options.outputs, options.stats, options.trace})
    if (!path.empty() && launched_rank() == 0) check_writable(path);
  const std::vector<Carry> carries = parse_carries(options.carry, artifact.plan);
  for (const std::string& name : split(options.print, ','))
    static_cast<void>(parse_port(name, "out", artifact.plan.outputs.size(), "--print"));
  std::vector<HostArray> inputs = load_inputs(options, artifact.plan);
  const int done = resume(options, artifact.plan, inputs);
  Session session(std::move(artifact), session_options(options, carries, done));
  Runner runner(options, session, carries, std::move(inputs), done);
  runner.run();
  save_results(options, session, runner.seconds());
  return 0;
}

/// "Of a program: X or Y (the default)".
std::string target_help(const std::string& initial) {
  std::vector<std::string> targets = driver::built_targets();
  for (std::string& t : targets)
    if (t == initial) t += " (the default)";
  return "Of a program: " + one_of(targets);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* c = app.add_subcommand("run", "Run an artifact, under mpirun on all ranks");
  c->add_option("artifact", o->artifact, "Artifact (.pta), or a program (.mlir) to compile first")
      ->required();
  c->add_option("--function", o->function,
                "Function to run (default: the artifact's first, main of a program)");
  c->add_option("--target", o->target, target_help(o->target));
  add_target_options(*c, o->target_values, OptionsOf::run);
  c->add_option("--inputs", o->inputs,
                "X.npz with in0, in1, … or arrays named as the arguments, or random[:SEED]");
  c->add_option("--outputs", o->outputs, "Y.npz to write out0, out1, … to");
  c->add_option("--rounds", o->rounds, "Executions, one after the other")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  c->add_option("--carry", o->carry, "out0:in0,…: outputs that become inputs between rounds");
  c->add_option("--checkpoint", o->checkpoints,
                "Folder to keep what is carried in, from which --resume goes on");
  c->add_option("--every", o->every, "Rounds between checkpoints (default: 1)")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  c->add_flag("--resume", o->resumes, "Go on after the last round that --checkpoint holds");
  c->add_option("--print", o->print, "out4,…: outputs to print after each round");
  c->add_option("--repeat", o->repeat, "Timed repeats (several: after one that is not timed)")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  c->add_option("--stats", o->stats, "S.json to write times, bytes and counts to");
  c->add_option("--trace", o->trace, "T.json to write a Chrome trace to");
  c->add_option("--devices-per-rank", o->devices_per_rank,
                "Shards of each rank (default: on CPUs one per core where there are partitions "
                "enough, else 1)")
      ->check(CLI::Range(1, 1024));
  c->add_option("--timeout", o->timeout_s, "Seconds of silence after which a rank counts as lost")
      ->check(CLI::Range(0.1, 1e6));
  c->add_option("--memory-budget", o->memory_budget, "Most bytes per shard, such as 8GiB");
  c->add_flag("--check-replicas", o->check_replicas,
              "Compare what all shards should hold alike, after each execution");
  c->callback([&action, o] { action = [o] { return run(*o); }; });
}

}  // namespace partita::tool

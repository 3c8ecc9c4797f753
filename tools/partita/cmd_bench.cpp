// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita bench`: compiles programs, by turns so that the machine's moods meet all of them alike,
// runs each on one device, and compares sizes, counts and times.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/bench/artifact.hpp"
#include "tools/partita/bench/models.hpp"
#include "tools/partita/bench/rounds.hpp"
#include "tools/partita/bench/serve.hpp"
#include "tools/partita/bench/statistics.hpp"
#include "tools/partita/bench/weak_scaling.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/program_options.hpp"

namespace partita::tool {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchArguments {
  std::vector<std::string> programs, placements;
  std::string json, inputs;
  int compiles = 15, rounds = 5;
  driver::CompileOptions options;
};

struct Measured {
  std::string name;
  Artifact artifact;
  std::int64_t artifact_bytes = 0;
  std::vector<double> compile_cpu_s, compile_s, round_s;
  RunStats stats;
};

std::string kernel_text(const Artifact& artifact) {
  std::string text;
  for (const KernelModule& module : artifact.modules) text += module.source;
  return text;
}

// Every run of digits as one '#', so that texts which differ in constants alone become equal.
std::string without_digits(const std::string& text) {
  std::string result;
  bool in_number = false;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit)
      result += c;
    else if (!in_number)
      result += '#';
    in_number = is_digit;
  }
  return result;
}

std::string hash_of(const std::string& text) {
  Hasher hasher;
  hasher.add(std::string_view(text));
  return hasher.hex();
}

// From the text to the bytes of the artifact, as `partita compile` does it between its files.
void compile_once(Measured& m, const std::string& text, const BenchArguments& arguments) {
  const auto begin = Clock::now();
  const std::clock_t cpu_begin = std::clock();
  const auto module = ir::parse_module(text, m.name);
  Artifact artifact = partita::compile(*module, arguments.options).artifact;
  const std::size_t bytes = serialize_artifact(artifact).size();
  m.compile_cpu_s.push_back(double(std::clock() - cpu_begin) / CLOCKS_PER_SEC);
  m.compile_s.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  m.artifact_bytes = std::int64_t(bytes);
  m.artifact = std::move(artifact);
}

void compile_all(std::vector<Measured>& all, const BenchArguments& arguments) {
  std::vector<std::string> texts;
  for (const std::string& path : arguments.programs) {
    const auto bytes = read_file(path);
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  for (std::size_t i = 0; i < all.size(); ++i) compile_once(all[i], texts[i], arguments);
  for (Measured& m : all) {  // the first warms up
    m.compile_cpu_s.clear();
    m.compile_s.clear();
  }
  for (int k = 0; k < arguments.compiles; ++k)
    for (std::size_t i = 0; i < all.size(); ++i) compile_once(all[i], texts[i], arguments);
}

void run_all(std::vector<Measured>& all, int rounds, const std::string& path) {
  const auto given = path.empty() ? std::map<std::string, HostArray>{} : read_npz(path);
  std::vector<std::unique_ptr<Session>> sessions;
  for (Measured& m : all) {
    const auto& ports = m.artifact.plan.inputs;
    const auto inputs =
        path.empty() ? random_arrays(ports, 0) : bind_arrays(ports, "in", given, path);
    sessions.push_back(std::make_unique<Session>(m.artifact, SessionOptions{}));
    for (std::size_t i = 0; i < inputs.size(); ++i) sessions.back()->set_input(int(i), inputs[i]);
  }
  for (int k = -1; k < rounds; ++k) {
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      const std::size_t i = (turn + std::size_t(k + 1)) % all.size();  // another begins each time
      const auto begin = Clock::now();
      sessions[i]->run();
      if (k >= 0)
        all[i].round_s.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      all[i].stats = sessions[i]->stats();
    }
  }
}

double launches_per_block(const RunStats& stats) {
  return stats.blocks == 0 ? 0 : double(stats.block_launches) / double(stats.blocks);
}

boost::json::object to_json(const Measured& m) {
  const std::string text = kernel_text(m.artifact);
  return {{"program", m.name},
          {"peak_device_bytes", m.stats.peak_device_bytes},
          {"peak_arena_bytes", m.stats.peak_arena_bytes},
          {"kernel_bytes", text.size()},
          {"kernel_hash", hash_of(text)},
          {"kernel_hash_without_digits", hash_of(without_digits(text))},
          {"artifact_bytes", m.artifact_bytes},
          {"blocks", m.stats.blocks},
          {"launches", m.stats.launches},
          {"launches_per_block", launches_per_block(m.stats)},
          {"compiles", m.compile_s.size()},
          {"median_compile_cpu_s", median(m.compile_cpu_s)},
          {"spread_compile_cpu", spread(m.compile_cpu_s)},
          {"median_compile_s", median(m.compile_s)},
          {"spread_compile", spread(m.compile_s)},
          {"rounds", m.round_s.size()},
          {"median_round_s", median(m.round_s)},
          {"spread_round", spread(m.round_s)}};
}

std::string milliseconds(const std::vector<double>& seconds) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << median(seconds) * 1e3 << " ±"
       << std::setprecision(0) << spread(seconds) * 100 << "%";
  return text.str();
}

// Median over the first program's, with its 95 % interval: rounds k of both met the same moods.
std::string ratio_to(const Measured& first, const Measured& m) {
  if (m.round_s.empty()) return "";
  constexpr std::uint64_t seed = 1;
  const Interval between = ratio_interval(m.round_s, first.round_s, seed);
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << median(m.round_s) / median(first.round_s) << " ["
       << between.low << ", " << between.high << "]";
  return text.str();
}

// Rows are what is measured, columns the programs.
void print_table(const std::vector<Measured>& all) {
  struct Row {
    const char* name;
    std::function<std::string(const Measured&)> value;
  };
  const Row rows[] = {
      {"", [](const Measured& m) { return m.name; }},
      {"peak on device, bytes", [](const Measured& m) { return cat(m.stats.peak_device_bytes); }},
      {"peak arena, bytes", [](const Measured& m) { return cat(m.stats.peak_arena_bytes); }},
      {"kernel text, bytes", [](const Measured& m) { return cat(kernel_text(m.artifact).size()); }},
      {"  its hash, digits aside",
       [](const Measured& m) { return hash_of(without_digits(kernel_text(m.artifact))); }},
      {"artifact, bytes", [](const Measured& m) { return cat(m.artifact_bytes); }},
      {"blocks", [](const Measured& m) { return cat(m.stats.blocks); }},
      {"launches per block", [](const Measured& m) { return cat(launches_per_block(m.stats)); }},
      {"launches per round", [](const Measured& m) { return cat(m.stats.launches); }},
      {"compile, ms of CPU", [](const Measured& m) { return milliseconds(m.compile_cpu_s); }},
      {"compile, ms", [](const Measured& m) { return milliseconds(m.compile_s); }},
      {"round, ms", [](const Measured& m) { return milliseconds(m.round_s); }},
      {"  over the first's", [&](const Measured& m) { return ratio_to(all.front(), m); }},
  };
  for (const Row& row : rows) {
    std::cout << std::left << std::setw(26) << row.name << std::right;
    for (const Measured& m : all) std::cout << " " << std::setw(18) << row.value(m);
    std::cout << "\n";
  }
}

int bench(BenchArguments& arguments) {
  if (arguments.programs.empty())
    throw_user_error("bench: expected programs or rounds, found none");
  arguments.options.placements = parse_placements(arguments.placements);
  if (!arguments.json.empty()) check_writable(arguments.json);
  std::vector<Measured> all;
  for (const std::string& path : arguments.programs)
    all.emplace_back().name = std::filesystem::path(path).stem().string();
  compile_all(all, arguments);
  if (arguments.rounds > 0) run_all(all, arguments.rounds, arguments.inputs);
  print_table(all);
  if (arguments.json.empty()) return 0;
  boost::json::array json;
  for (const Measured& m : all) json.push_back(to_json(m));
  write_file(arguments.json, std::string_view(boost::json::serialize(json) + "\n"));
  return 0;
}

void add_rounds_command(CLI::App& bench, Action& action) {
  auto o = std::make_shared<RoundsOptions>();
  CLI::App* c = bench.add_subcommand(
      "rounds", "Measure federated rounds against JAX, IREE and BLAS, by turns in one job");
  const CLI::Range at_least_one(1, 1'000'000);
  c->add_option("--case", o->name, "Model: mlp, lm-s or lm-m")
      ->required()
      ->check(CLI::IsMember({"mlp", "lm-s", "lm-m"}));
  c->add_option("--n", o->clients, "Clients (of each rank with --ranks)")
      ->required()
      ->check(at_least_one);
  c->add_option("--target", o->target, target_help());
  c->add_option("--layout", o->layout, "loop, batch[:B] or auto");
  c->add_option("--gemm", o->gemm, gemm_help());
  c->add_option("--compare", o->compare, "Others: some of drjax,scan,iree,blas");
  c->add_option("--turns", o->turns, "Turns of each side (default: 9)")
      ->check(CLI::Range(7, 1'000'000));
  c->add_option("--rounds", o->rounds_per_turn, "Rounds of a turn (default: 1)")
      ->check(at_least_one);
  c->add_option("--compiles", o->compiles, "Timed compilations of each side (default: 3)")
      ->check(CLI::Range(0, 1000));
  c->add_option("--ranks", o->ranks, "One job on R ranks against R jobs of one rank")
      ->check(CLI::Range(2, 1024));
  c->add_option("--seed", o->seed, "Of the bootstrap (default: 1)");
  c->add_option("--rtol", o->relative, "Relative tolerance of results (default: 1e-3)");
  c->add_option("--atol", o->absolute, "Absolute tolerance of results (default: 1e-5)");
  c->add_option("--timeout", o->silence_s, "Seconds of silence after which a peer counts as lost")
      ->check(CLI::Range(1.0, 1e6));
  c->add_option("--venv", o->venv, "Python environment of the peers; made where there is none");
  c->add_option("--peers", o->peers, "Folder of the peers' programs");
  c->add_option("--work", o->work, "Folder for exported programs and logs, which are then kept");
  c->add_option("--json", o->json, "File to write the numbers to");
  c->add_option("--plot", o->plot, "File to draw the turns to (.svg)");
  c->callback([&action, o] { action = [o] { return bench_rounds(*o); }; });
}

void add_weak_scaling_command(CLI::App& bench, Action& action) {
  auto o = std::make_shared<WeakScalingOptions>();
  CLI::App* c = bench.add_subcommand(
      "weak-scaling", "Measure rounds whose clients grow with the ranks, and draw what is found");
  c->add_option("--out", o->folder, "Folder for results.json, results.csv and report.html")
      ->required();
  c->add_option("--case", o->models, "Models: some of mlp,lm-s,lm-m (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"mlp", "lm-s", "lm-m"}));
  c->add_option("--ranks", o->ranks, "Numbers of ranks (default: 1,2,4,8)")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  c->add_option("--clients", o->clients, "Clients of each rank (default: by the model)")
      ->check(CLI::Range(1, 1'000'000));
  c->add_option("--target", o->target, target_help());
  c->add_option("--turns", o->turns, "Turns of each side (default: 20)")
      ->check(CLI::Range(4, 1'000'000));
  c->add_flag("--full", o->is_full,
              "More numbers of clients, ablations in every turn, strong scaling on shared cores; "
              "goes on where an earlier run ended");
  c->add_flag("--quick", o->is_quick, "One model with one client a rank: that everything works");
  c->add_option("--seed", o->seed, "Of the bootstrap (default: 1)");
  c->add_option("--timeout", o->silence_s, "Seconds of silence after which a rank counts as lost")
      ->check(CLI::Range(1.0, 1e6));
  c->callback([&action, o] { action = [o] { return bench_weak_scaling(*o); }; });
}

void add_round_text_command(CLI::App& bench, Action& action) {
  struct Options {
    std::string model, output;
    std::int64_t clients = 1, shards = 1;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = bench.add_subcommand("round-text", "Write the program of a round of weak-scaling");
  c->add_option("model", o->model, "mlp, lm-s, lm-m, 350M, 1B or 8B")->required();
  c->add_option("-o,--output", o->output, "Text to write (.mlir)")->required();
  c->add_option("--clients", o->clients, "Clients (default: 1)")->check(CLI::Range(1, 1 << 30));
  c->add_option("--model-shards", o->shards, "Shards that a decoder is cut into (default: 1)")
      ->check(CLI::Range(1, 1 << 20));
  c->callback([&action, o] {
    action = [o] {
      write_file(o->output, round_text(o->model, o->clients, o->shards));
      return 0;
    };
  });
}

void add_artifact_commands(CLI::App& bench, Action& action) {
  const CLI::Range not_negative(0.0, 1e30);
  auto o = std::make_shared<ArtifactBenchOptions>();
  CLI::App* c = bench.add_subcommand("artifact",
                                     "Measure one artifact; on random inputs, or on a recording "
                                     "beside it, by which results are checked");
  c->add_option("artifact", o->artifact, "Artifact (.pta)")->required();
  c->add_option("--seed", o->seed, "Of the inputs (default: 1)");
  c->add_option("--turns", o->turns, "Times that each way is measured (default: 9)")
      ->check(CLI::Range(1, 1'000'000));
  c->add_option("--seconds", o->seconds,
                "Least length of a turn of executions without waits (default: 0.05)")
      ->check(not_negative);
  c->add_option("--limit", o->limit_s, "Seconds after which no further turn begins (default: 20)")
      ->check(not_negative);
  c->add_option("--flops", o->flops, "Operations of one execution")->check(not_negative);
  c->add_option("--bytes", o->bytes, "Bytes that one execution has to move")->check(not_negative);
  c->add_option("--peak-flops", o->peak_flops, "Operations a second that the device can do")
      ->check(not_negative);
  c->add_flag("--kernels", o->times_kernels, "Also each kernel's time, by the device's clock");
  c->add_option("--rtol", o->tolerance.relative, "Relative tolerance of results")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--atol", o->tolerance.absolute, "Absolute tolerance of results")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--json", o->json, "File to write the numbers to (default: standard output)");
  c->callback([&action, o] { action = [o] { return bench_artifact(*o); }; });
  auto s = std::make_shared<SummaryOptions>();
  CLI::App* summary = bench.add_subcommand("summary", "A table of measurements of artifacts");
  summary->add_option("files", s->files, "What bench artifact wrote (.json)")->required();
  summary->add_option("--title", s->title, "Of the drawing");
  summary->add_option("--json", s->json, "File to write all of it to");
  summary->add_option("--plot", s->plot, "File to draw shares to (.svg)");
  summary->callback([&action, s] { action = [s] { return bench_summary(*s); }; });
}

// What `bench rounds` and gpu/peers.py start; a protocol on pipes, not for people.
void add_serve_commands(CLI::App& bench, Action& action) {
  auto o = std::make_shared<ServeOptions>();
  CLI::App* rounds = bench.add_subcommand("serve-rounds", "A side of rounds")->group("");
  rounds->add_option("program", o->program, "Program (.mlir)")->required();
  rounds->add_option("inputs", o->inputs, "Inputs (.npz)")->required();
  rounds->add_option("--target", o->compile.target, "Code generator");
  rounds->add_option("--layout", o->compile.layout, "loop, batch[:B] or auto");
  rounds->add_option("--gemm", o->compile.gemm, gemm_help());
  rounds->add_option("--placement", o->placements, "NAME=N")->allow_extra_args(false);
  rounds->add_option("--pipes", o->pipes, "PREFIX of named pipes PREFIX.RANK.in and .out");
  rounds->callback([&action, o] { action = [o] { return serve_rounds(*o); }; });
  auto artifact = std::make_shared<std::string>();
  auto pipes = std::make_shared<std::string>();
  auto seed = std::make_shared<std::uint64_t>(1);
  CLI::App* one = bench.add_subcommand("serve-artifact", "Executions of an artifact")->group("");
  one->add_option("artifact", *artifact, "Artifact (.pta)")->required();
  one->add_option("--seed", *seed, "Of the inputs (default: 1)");
  one->add_option("--pipes", *pipes, "PREFIX of named pipes PREFIX.RANK.in and .out");
  one->callback([&action, artifact, seed, pipes] {
    action = [artifact, seed, pipes] { return serve_artifact(*artifact, *seed, *pipes); };
  });
  auto seconds = std::make_shared<double>(0);
  auto bytes = std::make_shared<std::int64_t>(0);
  CLI::App* sleeps = bench.add_subcommand("serve-sleeps", "A rank that sleeps")->group("");
  sleeps->add_option("seconds", *seconds, "Of a round")->required()->check(CLI::Range(0.0, 1e6));
  sleeps->add_option("bytes", *bytes, "Of its sum")->required()->check(CLI::NonNegativeNumber);
  sleeps->add_option("--pipes", *pipes, "PREFIX of named pipes PREFIX.RANK.in and .out");
  sleeps->callback([&action, seconds, bytes, pipes] {
    action = [seconds, bytes, pipes] { return serve_sleeps(*seconds, *bytes, *pipes); };
  });
  auto clients = std::make_shared<std::int64_t>(0);
  CLI::App* blas = bench.add_subcommand("serve-blas", "A side of rounds")->group("");
  blas->add_option("clients", *clients, "Clients")->required()->check(CLI::Range(1, 1'000'000));
  blas->callback([&action, clients] { action = [clients] { return serve_blas(*clients); }; });
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  auto a = std::make_shared<BenchArguments>();
  CLI::App* c = app.add_subcommand(
      "bench", "Compile and run programs by turns and compare sizes, counts and times");
  c->add_option("programs", a->programs, "Programs (.mlir)");
  c->add_option("--target", a->options.target, target_help());
  c->add_option("--placement", a->placements, "NAME=N, as compile has it")->allow_extra_args(false);
  c->add_option("--layout", a->options.layout, "loop, batch[:B] or auto");
  c->add_option("--gemm", a->options.gemm, gemm_help());
  c->add_option("--compiles", a->compiles,
                "Compilations of each program, after one that is not counted")
      ->check(CLI::Range(1, 1'000'000));
  c->add_option("--rounds", a->rounds,
                "Executions of each program, after one that is not counted; 0: none")
      ->check(CLI::Range(0, 1'000'000));
  c->add_option("--inputs", a->inputs, "Inputs (.npz), as run has them (default: random)");
  c->add_option("--json", a->json, "File to write the numbers to");
  // A subcommand's callback comes first and has then set the action.
  c->callback([&action, a, c] {
    if (c->get_subcommands().empty()) action = [a] { return bench(*a); };
  });
  add_rounds_command(*c, action);
  add_round_text_command(*c, action);
  add_weak_scaling_command(*c, action);
  add_artifact_commands(*c, action);
  add_serve_commands(*c, action);
}

}  // namespace partita::tool

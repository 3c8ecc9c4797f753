// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/rounds.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <iostream>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/driver/compile.hpp"

namespace partita::tool {

namespace {

/// A running side.
struct Runner {
  Side side;
  std::filesystem::path log;
  std::unique_ptr<Process> process;
  std::unique_ptr<Peer> peer;
  double compile_s = 0, first_round_s = 0;
};

class Bench {
 public:
  explicit Bench(const RoundsOptions& options)
      : options_(options),
        silence_(options.silence_s),
        work_(options.work),
        tools_(find_peer_tools(options, work_.path())),
        exported_(export_case(options, tools_, work_.path(), options.clients)) {}

  std::vector<Side> run() {
    for (const std::string& name : side_names()) runners_.push_back(start(name, {}));
    compare_outputs();
    take_turns();
    ask_memory();
    for (Runner& r : runners_) r.peer->send({{"do", "quit"}});
    std::vector<Side> sides;
    for (Runner& r : runners_) sides.push_back(std::move(r.side));
    runners_.clear();
    measure_compiles(sides);
    return sides;
  }

 private:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  [[nodiscard]] std::vector<std::string> side_names() const {
    std::vector<std::string> names{"partita"};
    for (const char* name : {"drjax", "scan", "iree", "blas"})
      if (cat(",", options_.compare, ",").find(cat(",", name, ",")) != std::string::npos)
        names.emplace_back(name);
    return names;
  }

  [[nodiscard]] std::vector<std::string> command(const std::string& name) const {
    const std::string clients = cat(options_.clients);
    if (name == "partita") return own_command(options_, tools_, exported_, options_.clients);
    if (name == "blas") return {tools_.self, "bench", "serve-blas", clients};
    if (name == "iree")
      return {tools_.python, tools_.scripts / "iree_peer.py", "--program", exported_ / "round.mlir",
              "--inputs",    exported_ / "inputs.npz"};
    return {tools_.python, tools_.scripts / "jax_peer.py",
            "--case",      options_.name,
            "--n",         clients,
            "--form",      name};
  }

  // Starts a side and waits for its greeting.
  Runner start(const std::string& name, Environment environment) {
    if (name == "blas" && environment.empty()) environment = {{"OPENBLAS_CORETYPE", core_type()}};
    Runner r;
    r.side.name = name;
    r.side.has_outputs = name != "blas";
    r.log = work_.path() / cat(name, ".log");
    r.process = std::make_unique<Process>(ProcessOptions{
        .arguments = command(name), .environment = environment, .log = r.log, .core = -1});
    r.peer =
        std::make_unique<Peer>(name, *r.process, r.log, r.process->output(), r.process->input());
    std::cerr << "starting " << name << "\n";
    const boost::json::object greeting = r.peer->receive(silence_);
    if (const auto* versions = greeting.if_contains("versions"))
      r.side.versions = versions->as_object();
    if (greeting.contains("trace_s")) r.side.trace_s = number_of(greeting, "trace_s");
    if (greeting.contains("compile_s")) {
      r.compile_s = number_of(greeting, "compile_s");
      r.first_round_s = number_of(greeting, "first_round_s");
    }
    return r;
  }

  // OpenBLAS misdetects some CPUs: the better of two settings counts.
  std::string core_type() {
    std::string best;
    double best_s = 0;
    for (const char* type : {"SKYLAKEX", "HASWELL"}) {
      Runner r = start("blas", {{"OPENBLAS_CORETYPE", type}});
      constexpr int rounds = 5;
      const double seconds = ask_rounds(*r.peer, rounds, silence_);
      if (best.empty() || seconds < best_s) {
        best = type;
        best_s = seconds;
      }
    }
    return best;
  }

  void compare_outputs() {
    for (Runner& r : runners_) {
      if (!r.side.has_outputs) continue;
      const auto path = work_.path() / cat(r.side.name, "_outputs.npz");
      static_cast<void>(r.peer->ask({{"do", "outputs"}, {"path", path.string()}}, silence_));
      r.side.departure = departure_from(exported_ / "outputs.npz", path, options_);
    }
  }

  // Each turn begins with another side.
  void take_turns() {
    for (int turn = 0; turn < options_.turns; ++turn)
      for (std::size_t i = 0; i < runners_.size(); ++i) {
        Runner& r = runners_[(i + std::size_t(turn)) % runners_.size()];
        r.side.turn_s.push_back(ask_rounds(*r.peer, options_.rounds_per_turn, silence_));
      }
  }

  void ask_memory() {
    for (Runner& r : runners_) {
      const auto reply = r.peer->ask({{"do", "memory"}}, silence_);
      r.side.peak_bytes = std::int64_t(number_of(reply, "peak_bytes"));
      r.side.growth_bytes = std::int64_t(number_of(reply, "growth_bytes"));
    }
  }

  // In a process of its own each time, our own first with empty caches and then with filled ones.
  void measure_compiles(std::vector<Side>& sides) {
    std::error_code ignored;
    for (int k = 0; k < options_.compiles; ++k)
      std::filesystem::remove_all(work_.path() / cat("caches_", k), ignored);
    const auto compile_once = [&](const Side& side, const Environment& environment,
                                  Side::Compiles& compiles) {
      Runner r = start(side.name, environment);
      const double second_round_s = ask_rounds(*r.peer, 1, silence_);
      compiles.ready_s.push_back(r.compile_s);
      compiles.late_s.push_back(std::max(0.0, r.first_round_s - second_round_s));
    };
    for (int k = 0; k < options_.compiles; ++k)
      for (Side& side : sides) {
        if (side.name == "blas") continue;
        if (side.name != "partita") {
          compile_once(side, {}, side.compiles);
          continue;
        }
        const std::string caches = work_.path() / cat("caches_", k);
        Environment environment{{"XDG_CACHE_HOME", caches}, {"POCL_CACHE_DIR", caches + "/pocl"}};
        // Where it is set, it goes before XDG_CACHE_HOME.
        if (partita::environment("PARTITA_CACHE_DIR"))
          environment.emplace_back("PARTITA_CACHE_DIR", caches + "/partita");
        std::filesystem::create_directories(caches + "/pocl");
        compile_once(side, environment, side.compiles);
        compile_once(side, environment, side.warm_compiles);
      }
  }

  const RoundsOptions& options_;
  Seconds silence_;
  WorkFolder work_;
  PeerTools tools_;
  std::filesystem::path exported_;
  std::vector<Runner> runners_;
};

void check_options(const RoundsOptions& options) {
  const auto targets = driver::built_targets();
  if (std::ranges::find(targets, options.target) == targets.end()) {
    std::string known;
    for (const std::string& t : targets) known += cat(known.empty() ? "" : ", ", t);
    throw_user_error(cat("--target: '", options.target, "' is not built in; built in: ", known));
  }
  std::size_t begin = 0;
  while (begin < options.compare.size()) {
    const std::size_t end = std::min(options.compare.find(',', begin), options.compare.size());
    const std::string name = options.compare.substr(begin, end - begin);
    if (name != "drjax" && name != "scan" && name != "iree" && name != "blas")
      throw_user_error(
          cat("--compare: expected some of drjax, scan, iree, blas, found '", name, "'"));
    if (name == "blas" && options.name != "mlp")
      throw_user_error(
          cat("--compare: expected blas with the case mlp alone, found ", options.name));
    begin = end + 1;
  }
  for (const std::string& path : {options.json, options.plot})
    if (!path.empty()) check_writable(path);
}

}  // namespace

double number_of(const boost::json::object& reply, const char* key) {
  const auto* value = reply.if_contains(key);
  if (value == nullptr || !value->is_number())
    throw_internal_error(cat("reply of a peer: expected a number ", key));
  return value->to_number<double>();
}

double ask_rounds(Peer& peer, int count, Seconds silence) {
  const auto reply = peer.ask({{"do", "rounds"}, {"count", count}}, silence);
  std::vector<double> seconds;
  for (const auto& value : reply.at("seconds").as_array())
    seconds.push_back(value.to_number<double>());
  return median(seconds);
}

int bench_rounds(const RoundsOptions& options) {
  check_options(options);
  if (options.ranks > 0) return bench_ranks(options);
  const std::vector<Side> sides = Bench(options).run();
  print_sides(options, sides);
  if (!options.json.empty()) write_file(options.json, sides_json(options, sides));
  if (!options.plot.empty()) write_file(options.plot, sides_svg(options, sides));
  const bool all_agree =
      std::ranges::all_of(sides, [](const Side& side) { return side.departure.empty(); });
  return all_agree ? 0 : 1;
}

}  // namespace partita::tool

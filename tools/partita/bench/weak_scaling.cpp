// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/weak_scaling.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/compile.hpp"
#include "partita/driver/target.hpp"
#include "tools/partita/bench/jobs.hpp"
#include "tools/partita/bench/models.hpp"
#include "tools/partita/bench/rounds.hpp"

namespace partita::tool {
namespace {

namespace fs = std::filesystem;

class ScalingBench {
 public:
  explicit ScalingBench(const WeakScalingOptions& options)
      : options_(options), silence_(options.silence_s) {}

  void run() {
    const fs::path json = fs::path(options_.folder) / "results.json";
    if (fs::exists(json)) {
      const std::vector<std::byte> bytes = read_file(json);
      results_.rows = read_scaling_rows(
          options_, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    for (const std::string& model : models())
      for (const std::string& kind : kinds())
        for (const std::int64_t clients : clients_of(model))
          for (const int ranks : options_.ranks) measure(model, kind, clients, ranks);
    plan();
    simulate_more_ranks();
    write();
    print_scaling(options_, results_);
  }

 private:
  [[nodiscard]] std::vector<std::string> models() const {
    if (!options_.models.empty()) return options_.models;
    if (options_.is_quick) return {"mlp"};
    std::vector<std::string> names;
    for (const RoundModel& model : round_models()) names.push_back(model.name);
    return names;
  }
  [[nodiscard]] std::vector<std::string> kinds() const {
    if (options_.is_quick) return {"weak"};
    return {"weak", "strong"};
  }
  /// Clients of each rank.
  [[nodiscard]] std::vector<std::int64_t> clients_of(const std::string& model) const {
    if (options_.clients > 0) return {options_.clients};
    const auto found = std::ranges::find(round_models(), model, &RoundModel::name);
    if (found == round_models().end())
      throw_user_error(cat("--case: expected mlp, lm-s or lm-m, found '", model, "'"));
    if (options_.is_quick) return {1};
    if (options_.is_full && found->clients > 1) return {1, found->clients};
    return {found->clients};
  }

  void measure(const std::string& model, const std::string& kind, std::int64_t per_rank,
               int ranks) {
    const bool is_weak = kind == "weak";
    const int most = *std::ranges::max_element(options_.ranks);
    ScalingRow row{.model = model,
                   .kind = kind,
                   .ranks = ranks,
                   .clients = per_rank * (is_weak ? ranks : most),
                   .is_oversubscribed = std::size_t(ranks) > usable_cores().size(),
                   .job = {},
                   .alone = {},
                   .whole = {},
                   .propagated = {}};
    const auto is_row = [&](const ScalingRow& other) { return other.key() == row.key(); };
    if (std::ranges::any_of(results_.rows, is_row)) return;
    // Speed-ups on cores that ranks share say little.
    if (!is_weak && row.is_oversubscribed && !options_.is_full) return;
    std::cerr << row.key() << "\n";
    const TemporaryFolder work("weak_scaling");
    const std::vector<std::string> whole = server(model, row.clients);
    std::vector<Side> sides;
    sides.push_back({start_job(whole, ranks, work.path(), "job"), &row.job});
    sides.push_back({is_weak ? start_alone(server(model, per_rank), ranks, work.path(), "alone")
                             : start_alone(whole, 1, work.path(), "alone"),
                     &row.alone});
    if (is_weak) {
      const int every = options_.turns_between_ablations();
      sides.push_back({start_alone(whole, ranks, work.path(), "whole"), &row.whole, every});
      sides.push_back({start_job(propagated(model, row.clients, ranks), ranks, work.path(), "mesh"),
                       &row.propagated, every});
    }
    for (Side& side : sides) await_greetings(side.group, silence_);
    take_turns(sides);
    for (Side& side : sides) ask_stats(side.group, *side.measure);
    results_.rows.push_back(std::move(row));
    write();
  }

  struct Side {
    JobGroup group;
    Measure* measure;
    int every = 1;  ///< takes part in every so many turns
  };

  /// A turn is a round of each side that takes part, beginning with another one each time.
  void take_turns(std::vector<Side>& sides) {
    for (int turn = 0; turn < options_.turns; ++turn)
      for (std::size_t k = 0; k < sides.size(); ++k) {
        Side& side = sides[(k + std::size_t(turn)) % sides.size()];
        if (turn % side.every == 0)
          side.measure->turn_s.push_back(timed_turn(side.group, 1, silence_));
      }
  }

  void ask_stats(JobGroup& group, Measure& measure) {
    const boost::json::object stats = ask_all(group, {{"do", "stats"}}, silence_).front();
    const auto number = [&](const char* key) { return std::int64_t(number_of(stats, key)); };
    measure.communicated_bytes = number("communicated_bytes");
    measure.collective_calls = number("collective_calls");
    measure.held_bytes = number("held_bytes");
  }

  /// The command that serves rounds of so many clients, which are compiled once.
  std::vector<std::string> server(const std::string& model, std::int64_t clients) {
    return serving(cat(model, "_", clients), round_text(model, clients),
                   {.target = options_.target});
  }

  /// The same where a mesh of all ranks cuts the clients as a dimension of whole arrays.
  std::vector<std::string> propagated(const std::string& model, std::int64_t clients, int ranks) {
    driver::CompileOptions options{.target = options_.target, .keeps_placements = false};
    if (ranks > 1) options.mesh = cat("clients=", ranks);
    return serving(cat(model, "_", clients, "_", ranks), round_text(model, clients), options);
  }

  std::vector<std::string> serving(const std::string& name, const std::string& text,
                                   const driver::CompileOptions& options) {
    const fs::path artifact = artifacts_.path() / (name + ".pta");
    if (!fs::exists(artifact)) save_artifact(partita::compile(text, options).artifact, artifact);
    return {fs::read_symlink("/proc/self/exe"), "bench", "serve-artifact", artifact};
  }

  /// Decoders of which nothing is run, so that machine code is compiled for none.
  void plan() {
    constexpr std::int64_t clients = 8;
    driver::CompileOptions options{
        .target = options_.target, .layout = "loop", .has_variants = false};
    for (const driver::TargetOption& option : driver::find_target(options.target).options)
      if (option.name == "tier") options.target_options["tier"] = "0";
    for (const std::string& model : large_models())
      for (const std::int64_t shards : {1, 2, 8}) {
        if (options_.is_quick && (model != large_models().front() || shards > 2)) continue;
        std::cerr << model << " in " << shards << (shards == 1 ? " part" : " parts")
                  << ", planned only\n";
        const auto compiled = partita::compile(round_text(model, clients, shards), options);
        const auto count = compiled.report.counts.find("collectives");
        results_.planned.push_back(
            {.model = model,
             .shards = shards,
             .clients = clients,
             .bytes = compiled.report.planned_one_shard,
             .collectives = count == compiled.report.counts.end() ? 0 : int(count->second)});
      }
  }

  /// Of models that were measured on one rank and on several.
  void simulate_more_ranks() {
    std::vector<RoundFacts> rounds;
    for (const std::string& model : models()) {
      RoundFacts round{.model = model, .compute_s = {}};
      for (const ScalingRow& row : results_.rows) {
        if (row.model != model || row.kind != "weak" ||
            row.clients != clients_of(model).back() * row.ranks)
          continue;
        if (row.ranks == 1)
          round.compute_s = row.job.turn_s;
        else
          round.bytes = std::size_t(row.job.communicated_bytes / row.ranks);
      }
      if (!round.compute_s.empty() && round.bytes > 0) rounds.push_back(round);
    }
    if (rounds.empty()) return;
    std::cerr << "simulated: " << simulated_ranks().front() << " to " << simulated_ranks().back()
              << " ranks\n";
    results_.simulation =
        simulate(rounds, options_.ranks, fs::read_symlink("/proc/self/exe"), silence_);
  }

  void write() const {
    const fs::path folder = options_.folder;
    write_file(folder / "results.json", scaling_json(options_, results_));
    write_file(folder / "results.csv", scaling_csv(options_, results_.rows));
    write_file(folder / "report.html", scaling_html(options_, results_));
  }

  const WeakScalingOptions& options_;
  Seconds silence_;
  TemporaryFolder artifacts_{"weak_scaling_artifacts"};
  ScalingResults results_;
};

}  // namespace

std::string ScalingRow::key() const {
  return cat(model, " ", kind, ", ", clients, " clients on ", ranks,
             ranks == 1 ? " rank" : " ranks");
}

int bench_weak_scaling(const WeakScalingOptions& options) {
  if (options.ranks.empty()) throw_user_error("--ranks: expected numbers, found none");
  std::error_code error;
  fs::create_directories(options.folder, error);
  check_writable(fs::path(options.folder) / "results.json");
  ScalingBench(options).run();
  return 0;
}

}  // namespace partita::tool

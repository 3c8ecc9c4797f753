// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita tune`: measures contractions on a device and writes a tuning file.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/parse.hpp"
#include "tools/partita/bench/rounds.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/device_choice.hpp"
#include "tools/partita/local_device.hpp"
#include "tools/partita/program_options.hpp"
#include "tools/partita/tune/tune.hpp"

namespace partita::tool {
namespace {

std::string gflops(const ContractionKey& k, const Timing& t) {
  std::ostringstream text;
  text << std::setprecision(3)
       << 2.0 * double(k.batch) * double(k.m) * double(k.n) * double(k.k) / double(t.median_ns);
  return text.str();
}

std::string to_text(const TileSize& t) {
  return cat(t.rows, "x", t.vectors, "x", t.vector_bytes, "B");
}

class Tuner {
 public:
  Tuner(const TuneOptions& options, const LibraryTuning& library, DeviceProfile device)
      : options_(options), library_(library), device_(std::move(device)) {}

  Tuning run() {
    describe();
    std::vector<ContractionKey> keys;
    for (const std::string& shape : options_.shapes) keys.push_back(parse_contraction(shape));
    if (keys.empty()) keys = tuning_grid(options_.quick, device_.has_fp64);
    for (const ContractionKey& key : keys)
      if (key.dtype == DType::f64 && !device_.has_fp64)
        throw_user_error(cat("--shapes: ", tool::to_text(key), ": ", device_.name, " has no fp64"));
    if (options_.measures_library) find_library_parameters(keys);
    for (const ContractionKey& key : keys) measure(key);
    return std::move(tuning_);
  }

 private:
  void describe() {
    tuning_.device = {.target = device_.backend,
                      .name = device_.name,
                      .vendor = device_.vendor,
                      .driver = device_.driver,
                      .platform = device_.platform,
                      .compute_units = device_.compute_units,
                      .is_cpu = device_.is_cpu,
                      .covers = options_.covers};
    if (options_.covers.empty()) tuning_.device.covers = {device_.name};
    tuning_.machine = machine_text();
    tuning_.library = options_.measures_library ? library_.version() : "not measured";
    tuning_.is_quick = options_.quick;
  }

  /// Its first call, then, unless quick, better parameters for each dtype.
  void find_library_parameters(const std::vector<ContractionKey>& keys) {
    Subject first(keys.front(), library_artifact(keys.front(), {}, device_));
    tuning_.library_first_ms = std::int64_t(first.first_s() * 1e3);
    std::cout << "library: first call " << tuning_.library_first_ms << " ms\n" << std::flush;
    if (options_.quick) return;
    std::set<DType> dtypes;
    for (const ContractionKey& key : keys) dtypes.insert(key.dtype);
    for (const DType dtype : dtypes)
      for (LibraryParameters& p : search_library(library_, dtype, device_, tuning_.searches))
        tuning_.parameters.push_back(std::move(p));
  }

  /// Tiles that give the same kernel are one subject.
  void measure(const ContractionKey& key) {
    std::vector<std::unique_ptr<Subject>> subjects;
    std::map<std::string, std::size_t> by_text;
    std::vector<std::pair<TileSize, std::size_t>> tiles;
    for (const TileSize& tile : tile_candidates(device_.is_cpu, options_.quick)) {
      Artifact artifact = generated_artifact(key, tile, device_);
      const auto [found, is_new] = by_text.emplace(artifact.modules.at(0).source, subjects.size());
      if (is_new) subjects.push_back(std::make_unique<Subject>(key, std::move(artifact)));
      tiles.emplace_back(tile, found->second);
    }
    if (options_.measures_library)
      subjects.push_back(
          std::make_unique<Subject>(key, library_artifact(key, tuning_.parameters, device_)));
    constexpr int turns = 7, quick_turns = 3;
    take_turns(subjects, options_.quick ? quick_turns : turns);
    TimedContraction timed{.key = key, .generated = {}, .library = {}};
    for (const auto& [tile, index] : tiles)
      timed.generated.push_back({.tile = tile, .time = subjects[index]->timing()});
    if (options_.measures_library) timed.library = subjects.back()->timing();
    print(timed);
    tuning_.contractions.push_back(std::move(timed));
  }

  static void print(const TimedContraction& c) {
    const auto best = std::ranges::min_element(c.generated, {},
                                               [](const TimedTile& t) { return t.time.median_ns; });
    std::cout << std::left << std::setw(26) << tool::to_text(c.key) << std::right << " generated "
              << std::setw(5) << gflops(c.key, best->time) << " GFLOP/s with "
              << to_text(best->tile) << ", " << gflops(c.key, c.generated.front().time) << " with "
              << to_text(c.generated.front().tile);
    if (c.library) std::cout << "; library " << gflops(c.key, *c.library);
    std::cout << "\n" << std::flush;
  }

  const TuneOptions& options_;
  const LibraryTuning& library_;
  DeviceProfile device_;
  Tuning tuning_;
};

int device_index(const std::string& text) {
  if (text == "local") return 0;
  return int(parse_number(text, "--device", 1000));
}

/// Those whose contractions are measured.
std::vector<std::string> tuned_targets() {
  std::vector<std::string> names;
  for (const Backend& backend : all_backends())
    if (backend.tuning != nullptr) names.emplace_back(backend.name);
  return names;
}

Backend tuned_backend(const std::string& target) {
  const auto known = tuned_targets();
  if (std::ranges::find(known, target) == known.end())
    throw_user_error(cat("--target: expected ", one_of(known), ", found ", target));
  return find_backend(target);
}

}  // namespace

int tune(const TuneOptions& options) {
  for (const std::string& shape : options.shapes) static_cast<void>(parse_contraction(shape));
  const Backend backend = tuned_backend(options.target);
  check_writable(options.output);
  DeviceProfile device = local_device(options.target, device_index(options.device));
  if (options.device != "local" && backend.select != nullptr) backend.select(device);
  std::cout << device.name << ", driver " << device.driver << "\n";
  const Tuning tuning = Tuner(options, *backend.tuning, std::move(device)).run();
  write_file(options.output, std::string_view(tuning_to_json(tuning)));
  std::cout << "written: " << options.output << "\n";
  return 0;
}

void add_tune_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<TuneOptions>();
  CLI::App* c = app.add_subcommand(
      "tune", "Measure contractions on a device and write a file for compile --tuning");
  c->add_option("--target", o->target,
                cat("Whose device: ", one_of(tuned_targets()), " (default: ", default_target, ")"));
  c->add_option("--device", o->device,
                "local (the default), or the number of one of the target's in `partita devices`");
  c->add_option("-o,--output", o->output, "File to write (default: tuning.json)");
  c->add_flag("--quick", o->quick, "Few shapes and tiles, no search for the library's parameters");
  c->add_option("--shapes", o->shapes,
                "MxNxK[xB][:nn|nt|tn|tt][:f32|f64],…: shapes to measure instead of the grid")
      ->delimiter(',')
      ->allow_extra_args(false);
  c->add_option("--covers", o->covers,
                "Beginnings of the names of devices that the file is meant for (default: this one)")
      ->delimiter(',')
      ->allow_extra_args(false);
  c->add_flag("!--no-library", o->measures_library, "Measure generated contractions alone");
  c->callback([&action, o] { action = [o] { return tune(*o); }; });
}

}  // namespace partita::tool

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita tune`: what contractions take on a device, generated and by the library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "partita/artifact/tuning.hpp"
#include "partita/device/backend.hpp"
#include "partita/exec/executor.hpp"

namespace partita::tool {

struct TuneOptions {
  std::string target{default_target}, device = "local", output = "tuning.json";
  std::vector<std::string> shapes;  ///< instead of the grid
  std::vector<std::string> covers;  ///< beginnings of names; none: the whole name of the device
  bool quick = false, measures_library = true;
};

// --- What is measured (tune_grid.cpp, docs/tuning.md) ---

[[nodiscard]] std::vector<ContractionKey> tuning_grid(bool quick, bool has_fp64);
/// "MxNxK[xB][:nn|nt|tn|tt][:f32|f64]"; anything else is a user error.
[[nodiscard]] ContractionKey parse_contraction(const std::string& text);
[[nodiscard]] std::string to_text(const ContractionKey& key);
[[nodiscard]] std::vector<TileSize> tile_candidates(bool is_cpu, bool quick);

// --- Measuring (tune_measure.cpp) ---

/// One way to compute a contraction, on a device.
class Subject {
 public:
  /// Computes once and compares with exact sums; a device error where they differ.
  Subject(const ContractionKey& key, Artifact artifact);
  /// Runs one turn and keeps what it took.
  void take_turn();
  [[nodiscard]] Timing timing() const;
  /// Seconds of the first run, in which drivers and libraries build kernels.
  [[nodiscard]] double first_s() const { return first_s_; }

 private:
  std::unique_ptr<Session> session_;
  double first_s_ = 0;
  int runs_per_turn_ = 1;
  std::vector<double> turns_s_;
};

/// Generated with a tile, for a device's target.
[[nodiscard]] Artifact generated_artifact(const ContractionKey& key, const TileSize& tile,
                                          const DeviceProfile& device);
/// By the library with parameters, on devices of that name.
[[nodiscard]] Artifact library_artifact(const ContractionKey& key,
                                        const std::vector<LibraryParameters>& parameters,
                                        const DeviceProfile& device);
/// By turns, so that the machine's moods meet all of them alike.
void take_turns(std::vector<std::unique_ptr<Subject>>& subjects, int turns);

/// Finds parameters of a library for a dtype; what was searched goes into `searches`.
[[nodiscard]] std::vector<LibraryParameters> search_library(const LibraryTuning& library,
                                                            DType dtype,
                                                            const DeviceProfile& device,
                                                            std::vector<LibrarySearch>& searches);

int tune(const TuneOptions& options);

}  // namespace partita::tool

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A tuning file: what contractions took on a device, generated with each of several tile sizes and
// by the matrix library with the parameters that suit it there.  `partita tune` writes it, the
// compiler decides by it (docs/tuning.md).  Pure data; times are integers, so that text is exact.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/target_info.hpp"

namespace partita {

/// Which operands are stored transposed: t before n is the left one, whose sum then comes first.
enum class ContractionForm : std::uint8_t { nn, nt, tn, tt };
[[nodiscard]] std::string_view to_string(ContractionForm form);
[[nodiscard]] ContractionForm contraction_form(bool transpose_a, bool transpose_b);

/// batch × (m×k · k×n).
struct ContractionKey {
  DType dtype = DType::f32;
  ContractionForm form = ContractionForm::nn;
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  friend auto operator<=>(const ContractionKey&, const ContractionKey&) = default;
};

struct Timing {
  std::int64_t median_ns = 0;        ///< of one contraction
  std::int64_t spread_permille = 0;  ///< half the distance between the quartiles, of the median
  std::int64_t turns = 0;
};

struct TimedTile {
  TileSize tile;
  Timing time;
};

struct TimedContraction {
  ContractionKey key;
  std::vector<TimedTile> generated;  ///< at least one
  std::optional<Timing> library;     ///< nothing where it was not measured
};

/// A search for parameters of one kernel of the library, at one shape.
struct LibrarySearch {
  std::string kernel;
  ContractionKey at;
  std::int64_t candidates = 0, refused = 0;  ///< measured; not built or wrong in their results
  std::int64_t default_ns = 0, best_ns = 0;
};

struct TunedDevice {
  std::string target;  ///< whose kernels were measured
  std::string name, vendor, driver, platform;
  std::int64_t compute_units = 0;
  bool is_cpu = false;
  /// Beginnings of the names of the devices that the file is meant for.
  std::vector<std::string> covers;
};

struct Tuning {
  static constexpr int version = 1;
  TunedDevice device;
  std::string machine;  ///< on which it was measured
  std::string library;  ///< of matrices, with its version
  bool is_quick = false;
  std::int64_t library_first_ms = 0;  ///< the library's first call in the measuring process
  std::vector<LibraryParameters> parameters;
  std::vector<LibrarySearch> searches;
  std::vector<TimedContraction> contractions;
};

/// How well the file suits a device: characters of the longest beginning of its name that the file
/// covers; -1 where it covers none.
[[nodiscard]] int coverage(const Tuning& tuning, std::string_view device_name);

[[nodiscard]] std::string tuning_to_json(const Tuning& tuning);
/// Anything but a tuning file of this version that is whole is a user error of one line.
[[nodiscard]] Tuning tuning_from_json(std::string_view text, const std::string& name_for_errors);
[[nodiscard]] Tuning load_tuning(const std::filesystem::path& path);

}  // namespace partita

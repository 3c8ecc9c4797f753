// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is known of the device that is compiled for.  Every decision that depends on the device asks
// it: how many partitions at a time, library or generated, tiles, packing, what is kept, groups, rows.
// What is not known has the value that suits most; nothing is measured here, and which kernels a plan
// needs is not said here but by the lowering of each op.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "partita/base/dtype.hpp"

namespace partita {

enum class DeviceClass : std::uint8_t {
  multicore,  ///< few work-items at a time that do much; a group is a loop
  simt,       ///< many that do little; a group runs in lockstep, by sub-groups
};

/// What one work-item of a generated contraction keeps in registers.
struct TileSize {
  std::int64_t vector_bytes = 0;  ///< of one register's worth of columns; 0: no vectors
  std::int64_t rows = 0;
  std::int64_t vectors = 0;  ///< side by side
  friend auto operator<=>(const TileSize&, const TileSize&) = default;
};

/// Operations (a multiply-add is two) of contractions per second, of the whole device.
struct FlopRates {
  double f16 = 150e9, bf16 = 150e9, f32 = 150e9, f64 = 150e9;
  friend bool operator==(const FlopRates&, const FlopRates&) = default;
};

struct TargetInfo {
  std::string name = "generic";  ///< of the device, or of the kind of devices
  std::string source;            ///< where this comes from, for people
  DeviceClass device_class = DeviceClass::multicore;
  std::int64_t compute_units = 0;  ///< cores or multiprocessors; 0: not known

  // Registers of one work-item.
  std::int64_t vector_bytes = 64;    ///< of vectors that work-items compute with; 0: no vectors
  std::int64_t registers = 32;       ///< vectors of a core (multicore), words of a work-item (simt)
  std::int64_t register_bytes = 64;  ///< of one of them
  std::int64_t tile_rows = 12;       ///< of a generated contraction's tile, which is in registers
  std::int64_t tile_vectors = 2;     ///< side by side in that tile

  // Memory.
  std::int64_t cache_bytes = std::int64_t(8) << 20;  ///< that memory has in common for all
  std::int64_t memory_bytes = 0;                     ///< of the device; 0: not known
  std::int64_t local_bytes = 0;    ///< shared by the items of a group; 0: none, or not known
  double bytes_per_second = 20e9;  ///< that kernels read and write
  double transfer_seconds = 0;     ///< of starting a copy between host and device
  double transfer_bytes_per_second = 20e9;  ///< of such a copy
  /// Simple operations that take as long as storing an element and reading it back.
  double store_operations = 4;

  // Work-groups, in items.
  std::int64_t preferred_group = 64;
  std::int64_t most_group = 1024;
  std::int64_t subgroup_width = 1;  ///< items that run in lockstep
  double launch_seconds = 4e-6;     ///< of a kernel that does nothing

  // Arithmetic.
  FlopRates flops;
  bool has_f64 = true;             ///< a program that needs f64 is refused for a device without
  bool has_f16 = false;            ///< computes in f16; memory holds it anyway
  bool has_bf16 = false;           ///< the same of bf16
  std::set<std::string> features;  ///< what else drivers offer: "subgroups"

  /// Multiply-adds from which a contraction goes to the matrix library where it can take it.
  std::int64_t library_threshold = std::int64_t(1) << 33;
  /// Multiply-adds from which a launch is worth it that copies an operand for a generated contraction.
  std::int64_t packing_threshold = std::int64_t(1) << 25;

  // What the target's code generator makes of it; no property of a device.
  bool library_reads_bf16 = false;  ///< the library multiplies bf16 faster than f32 made of it
  bool library_convolves = false;   ///< there are Convolve steps
  bool has_row_launches = true;     ///< kernels are printed for one item, launches may have rows

  [[nodiscard]] TileSize tile() const { return {vector_bytes, tile_rows, tile_vectors}; }
  /// Elements of f32 that kernels read in the time that a launch takes, as a power of two; at least 1.
  [[nodiscard]] std::int64_t launch_elements() const;
  /// What the values of a block of partitions may take: what stays in cache, or a part of memory where
  /// only many items keep the device busy.
  [[nodiscard]] std::int64_t block_bytes() const;
  /// Items that keep all of the device busy.
  [[nodiscard]] std::int64_t busy_items() const;
  /// Contractions of `d` per second; of integers as of f32, of complex numbers as of their parts.
  [[nodiscard]] double flop_rate(DType d) const;
  friend bool operator==(const TargetInfo&, const TargetInfo&) = default;
};

[[nodiscard]] std::string_view to_string(DeviceClass c);
/// One line of all that was compiled for, the same for the same information.
[[nodiscard]] std::string to_string(const TargetInfo& info);

}  // namespace partita

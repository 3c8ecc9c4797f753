// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The whole way from a module to an artifact: pass pipeline, kernel formation, plan, code generation
// of one target.  Nothing is measured here; options are all that the result depends on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/artifact/tuning.hpp"
#include "partita/base/target_info.hpp"
#include "partita/driver/pipelines.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::driver {

struct CompileOptions {
  std::string target{default_target};
  std::string function = "main";
  /// Further functions that the artifact holds, each compiled with these options.
  std::vector<std::string> more_functions;
  /// For which extents a program is compiled that leaves some open.
  ir::OpenArguments open;
  std::map<std::string, std::int64_t> placements;  ///< --placement NAME=N
  std::string layout = "auto";                     ///< loop | batch[:B] | auto
  /// Axes of a mesh with their sizes, "model=2,data=2", for a program that declares none; empty: none.
  std::string mesh;
  /// A program with a mesh becomes that of one shard; without, it is for one device, which holds everything.
  bool shards = true;
  /// Without, partitions are a dimension of whole arrays, which the axis of the mesh that has the placement's name cuts as
  /// propagation from the arguments has it: what a program is whose placements nobody tells the compiler.
  bool keeps_placements = true;
  /// Sums of floats over partitions have the same bits on any number of ranks and devices: their terms are gathered.
  bool is_reproducible = false;
  /// How sums of f32 over placements travel between ranks, where they have many elements.
  Wire wire;
  std::string gemm = "auto";  ///< auto | library, or a name of one | generated
  /// On devices with matrix units f32 is multiplied as tf32 (10 bits of mantissa, sums in f32) where the program asks for no
  /// precision above HIGH, as XLA has it.
  bool rounds_to_tf32 = false;
  std::int64_t memory_budget = 0;  ///< bytes of one shard; 0: none
  /// Values of options of the target's own (Target::options), by name; others have their defaults.
  std::map<std::string, std::string> target_options;
  /// The artifact holds kernels and step functions as text alone, to be compiled into something else
  /// together with the plan's steps; for targets that make objects.
  bool text_only = false;
  /// What contractions take on the device that is meant; null: what is shipped for `device`, else
  /// the rules of the target.
  std::shared_ptr<const Tuning> tuning;
  std::string tuning_name;  ///< of the file, for errors
  /// generic, a name of known_devices(), or the name of a device as it says it itself.  Any text is
  /// taken: a device that no tuning file covers, and that is not here, has a name too.
  std::string device = "generic";
  /// What is known of that device; nothing: what target_info() of these options gives.
  std::optional<TargetInfo> device_info;
  /// Where no device is meant, the artifact has a variant for each class of devices of the target.
  bool has_variants = true;
  /// How often the artifact will run, where somebody knows it; 0: often.
  std::int64_t runs = 0;
  /// Whether temporaries that are not alive together share memory; without, each has its own, which is
  /// for tests: what a program reads too early is then nobody's.
  bool shares_arena = true;
  RunOptions dumps;
};

struct CompileReport {
  std::string function;
  std::vector<PassTiming> timings;
  std::vector<std::string> remarks;  ///< what was not recovered or fused, and why
  std::vector<std::string> notes;    ///< residuals of derivatives, what is streamed
  std::map<std::string, std::int64_t>
      counts;  ///< nodes, maps_recovered, kernels, library_calls, collectives, …
  std::int64_t arena_bytes = 0;
  /// Where decisions about contractions come from, and one line for each contraction.
  std::string tuning;
  std::vector<std::string> contractions;
  std::string planned_bytes;  ///< formula: constant plus bytes per partition times block length
  std::int64_t planned_one_shard = 0;  ///< what it gives for one shard that has all partitions
  std::vector<CompileReport> more_functions;  ///< of further functions
};

/// Compiles a copy of `module`.  An unknown target is a user error that names those built in.
[[nodiscard]] Artifact compile_module(const ir::Module& module, const CompileOptions& options,
                                      CompileReport* report = nullptr);

/// What is built in about the device that `options` name: the target's default, and what a profile of
/// that name, or one that covers it, says beyond.  Where there is none, the profile of devices of
/// class `unknown` about which nothing is known.  An unknown target is a user error.
[[nodiscard]] TargetInfo target_info(const CompileOptions& options,
                                     DeviceClass unknown = DeviceClass::multicore);

/// Names of the code generators that are built in.
[[nodiscard]] std::vector<std::string> built_targets();

/// Devices of a target for which a profile or a tuning file is built in, sorted: values of `device`
/// beside "generic".
[[nodiscard]] std::vector<std::string> known_devices(const std::string& target);

/// Those of them that have a tuning file.
[[nodiscard]] std::vector<std::string> tuned_devices(const std::string& target);

/// Beginnings of the names of the devices that these files are meant for.
[[nodiscard]] std::vector<std::string> covered_devices(const std::string& target);

}  // namespace partita::driver

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a backend's code generator is: it prints the kernels of a plan, and says which options are its own.
// Each backend defines `const Target& target_NAME()` in partita::passes; the list of backends is the build's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/base/machine_check.hpp"
#include "partita/base/target_info.hpp"
#include "partita/driver/compile.hpp"
#include "partita/driver/object.hpp"

namespace partita::kernel {
struct PlanDraft;
}

namespace partita::driver {

/// A function on its way into an object: an artifact without machine code.
struct ObjectFunction {
  std::string name;
  Artifact artifact;
};

/// An option of a target's own: `--NAME` of `partita compile`, CompileOptions::target_options.
struct TargetOption {
  std::string name, doc;
  std::string initial;   ///< the value where none is given
  bool is_list = false;  ///< several values, separated by commas
  /// What `partita run` says of it for the programs that it compiles; empty: it has no such option.
  std::string run_doc;
};

/// What a device of many items has beside TargetInfo: no decision depends on it, estimates of time do
/// (time_model.hpp).  Of one multiprocessor, the largest part of the device in which a group runs:
struct Multiprocessors {
  std::int64_t count = 0;                  ///< of the device; 0: its compute units
  std::int64_t items = 2048, groups = 32;  ///< at a time, at most
  std::int64_t registers = 65536;          ///< words of 4 bytes
  std::int64_t local_bytes = 64 << 10;     ///< for all groups together
  double matrix_flops = 0;  ///< per second, of the device's matrix units; 0: kernels use none
};

/// What is known of a device by its name.
struct TargetProfile {
  std::string_view name;
  void (*set)(TargetInfo& info);  ///< changes what differs from the target's default
  std::span<const std::string_view> begins = {};  ///< beginnings of the names of such devices
  Multiprocessors multiprocessors = {};
};

struct Target {
  std::string name;
  /// Prints kernels into the artifact (modules, kernels, renumbered launches) and compiles those that
  /// are not compiled where they run.
  void (*generate)(const kernel::PlanDraft& draft, const CompileOptions& options,
                   const TargetInfo& info, Artifact& artifact);
  /// What suits most devices of the target, by its options, where nothing is known of the one that is
  /// meant.
  TargetInfo (*default_info)(const CompileOptions& options) = nullptr;
  /// Sets what depends on how code is generated under these options, and takes back what that makes no
  /// use of; null: nothing.
  void (*adapt)(const CompileOptions& options, TargetInfo& info) = nullptr;
  /// Plans and kernels as one object; null: the target makes none.
  ObjectCode (*emit_object)(const std::string& name, std::span<const ObjectFunction> functions,
                            const CompileOptions& options) = nullptr;
  /// Plan and kernels of a function as C text; null: the target makes none.
  ObjectCode (*emit_c)(const std::string& name, const ObjectFunction& function,
                       const CompileOptions& options) = nullptr;
  /// The user error of options that an object, or C text, cannot be made by; `what` is made.
  void (*check_emit)(const CompileOptions& options, const char* what) = nullptr;
  /// Its options; the values are checked where they are used.
  std::vector<TargetOption> options;
  /// Names of its matrix library, each of which means `library` as a value of CompileOptions::gemm.
  std::vector<std::string> library_names;
  /// What to compile by instead, the first that works, where generate() has left out machine code
  /// because `runs` are too few for compiling to pay; null or none: nothing.
  std::vector<CompileOptions> (*alternatives)(const CompileOptions& options) = nullptr;
  /// Takes over what a file says of the driver of the device that is compiled for; a user error at the
  /// file where that makes no sense.  Null: it does not matter.
  void (*use_driver)(const std::string& driver, const std::string& file,
                     CompileOptions& options) = nullptr;
  /// What compiling for it asks of this machine, for `partita doctor`.
  std::vector<MachineCheck> checks;
  /// Tuning files that are built in: names of devices and text.
  struct TuningText {
    std::string_view device, text;
  };
  std::vector<TuningText> tunings;
  /// Devices that are known by name.
  std::span<const TargetProfile> profiles;
  /// The profile of devices of class simt of which nothing else is known, for which an artifact has a variant where
  /// no device is named; empty: there are no such devices.
  std::string_view simt_profile = {};
};

/// All that are built in, in the order of the build's list.
[[nodiscard]] const std::vector<const Target*>& all_targets();
/// The target of that name; a user error that names those built in.
[[nodiscard]] const Target& find_target(const std::string& name);

/// The value of an option that the target declares.
[[nodiscard]] std::string option_value(const Target& target, const CompileOptions& options,
                                       std::string_view name);
/// A user error where a value is given for an option that the target does not declare.
void check_target_options(const Target& target, const CompileOptions& options);

/// Whether a value of CompileOptions::gemm asks for the library; other values than auto and generated
/// are a user error.
[[nodiscard]] bool asks_for_library(const std::string& gemm);

}  // namespace partita::driver

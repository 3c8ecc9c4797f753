// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A compiled program: manifest, plan, kernels, constants and the IR it came from.  In memory it is
// this object; on disk it is a zip that anyone can open with `unzip`: manifest.json, plan.json,
// kernels/*, constants/N.bin, ir/main.mlir, ir/shardings.txt where it has a mesh, and what the target compiles kernels to.  Variants for other
// classes of devices have plan and kernels below variants/CLASS, further functions all of that below functions/N.  The
// same object always gives the same bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "partita/artifact/kernel_work.hpp"
#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"
#include "partita/base/target_info.hpp"

namespace partita {

/// One translation unit of kernels and the entry points it defines.
struct KernelModule {
  std::string name;    ///< file stem in the artifact
  std::string source;  ///< in the language of the target
};

struct KernelEntry {
  std::string name;      ///< entry point
  int module = 0;        ///< index into Artifact::modules
  KernelWork work = {};  ///< of kernels for devices of many items; nothing of others
};

/// Machine code of the modules, or of some of their kernels, for one kind of processor or device.
struct KernelBinary {
  std::string name;  ///< what it needs ("x86-64-v3"), or a file's name where the bytes say that
  std::vector<std::byte> bytes;
};

/// Parameters of one kernel of the matrix library in one precision, sorted by name.
struct LibraryParameters {
  std::string kernel;  ///< as the library calls it
  DType dtype = DType::f32;
  struct Value {
    std::string name;
    std::int64_t value = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  std::vector<Value> values;
  friend bool operator==(const LibraryParameters&, const LibraryParameters&) = default;
};

/// What the matrix library is told before its first call; its own choice where there is nothing.
struct LibrarySettings {
  /// Beginnings of the names of the devices that were measured; others keep the library's choice.
  std::vector<std::string> devices;
  std::vector<LibraryParameters> parameters;
  friend bool operator==(const LibrarySettings&, const LibrarySettings&) = default;
};

/// The target where nobody names one.
inline constexpr std::string_view default_target = "opencl";

/// What runs on one class of devices.
struct Variant {
  DeviceClass device_class = DeviceClass::multicore;
  Plan plan;
  std::vector<KernelModule> modules;
  std::vector<KernelEntry> kernels;
  std::vector<KernelBinary> binaries;
  LibrarySettings library;
};

/// What a function of the program became, as one or more variants whose plans have the same ports: its own members are the
/// one that is meant, first the one for CPUs.
struct FunctionCode : Variant {
  std::string name{"main"};  ///< in the source
  std::string ir;            ///< the function after simplify, with those it calls, as text
  std::string
      shardings;  ///< how its mesh cuts each value and why, a line each; empty without a mesh
  /// What it was compiled with, sorted by key: options, device profile, formula of planned bytes.
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<Variant> others;  ///< of other classes, each at most once
};

/// Held once by all artifacts that came from one, and so by the devices that read constants where they lie.
using Constant = std::shared_ptr<const HostArray>;

/// A program of one or more functions: its own members are those of the first, which is the one that is meant.
struct Artifact : FunctionCode {
  static constexpr int format_major = 1, format_minor = 2;

  std::string target;  ///< name of a backend
  std::string module_name;
  std::vector<Constant> constants;      ///< of all functions and variants; none is null
  std::vector<FunctionCode> functions;  ///< the further ones; all names differ
};

/// All functions, the one that is meant first; all variants of one, likewise.
[[nodiscard]] std::vector<const FunctionCode*> functions_of(const Artifact& artifact);
[[nodiscard]] std::vector<const Variant*> variants_of(const FunctionCode& function);
/// Names of all functions, the first one's first.
[[nodiscard]] std::vector<std::string> function_names(const Artifact& artifact);
/// A program of that function alone, with the constants that it uses.  A name of no function is a user error.
[[nodiscard]] Artifact one_function(const Artifact& artifact, const std::string& name);
/// Adds the functions of a program: constants that are equal are shared.  Another target and a name that is there already
/// are user errors.
void add_functions(Artifact& artifact, Artifact other);

/// Makes the variant of a class the one that is meant; where there is none, it stays as it is.
void select_variant(FunctionCode& function, DeviceClass device_class);
/// Adds what another compilation of the same function gave as a variant: constants that are equal are shared.
void add_variant(Artifact& artifact, Artifact other);

/// Writes atomically (temporary file, then rename); a user error when the path is not writable.
void save_artifact(const Artifact& artifact, const std::filesystem::path& path);
/// A damaged, truncated, newer-major or foreign file is a user error of one line.
[[nodiscard]] Artifact load_artifact(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::byte> serialize_artifact(const Artifact& artifact);
[[nodiscard]] Artifact parse_artifact(std::span<const std::byte> bytes,
                                      const std::string& name_for_errors);
/// Hash of everything that determines what runs; 16 hexadecimal digits.  Ranks compare it.
[[nodiscard]] std::string content_hash(const Artifact& artifact);

}  // namespace partita

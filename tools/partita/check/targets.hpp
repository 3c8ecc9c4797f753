// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `partita check` runs programs on: the interpreter, and every code generator that is built in
// (compiled and run in this process, on one shard).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"
#include "partita/ir/graph.hpp"

namespace partita::tool {

struct CompileSettings {
  std::map<std::string, std::int64_t> placements;
  std::string layout = "auto", gemm = "auto";
  /// Whether results are compared over memory filled with two patterns.
  bool poisons = false;
};

/// Results that depend on what memory held before the program.
class PoisonFound : public Error {
 public:
  explicit PoisonFound(const std::string& what) : Error(ErrorKind::internal, what) {}
};

struct CheckTarget {
  std::string name;
  bool is_interpreter = false;
  /// Runs a function of a module on one array per argument.  Throws PoisonFound where that is sought.
  std::function<std::vector<HostArray>(const ir::Module&, const ir::Function&,
                                       const std::vector<HostArray>&)>
      run;
};

/// `choice`: a target's name, or "all".  A target that is not built in is a user error.
[[nodiscard]] std::vector<CheckTarget> choose_targets(const std::string& choice,
                                                      const CompileSettings& settings);
/// An artifact on the device of this machine; it is read when it runs.  It holds one function, the program's entry.
[[nodiscard]] CheckTarget artifact_target(const std::filesystem::path& artifact);
/// Targets that exist but are not built in.
[[nodiscard]] std::vector<std::string> missing_targets();

/// Results of a function, and what its check.* ops found wrong.
struct Interpretation {
  std::vector<HostArray> results;
  std::vector<std::string> failures;
};
[[nodiscard]] Interpretation interpret(const ir::Module& module, const ir::Function& function,
                                       const std::vector<HostArray>& arguments);

}  // namespace partita::tool

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// From a program of JAX to what runs on the devices of a client.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/driver/compile.hpp"
#include "plugin/compile_request.hpp"
#include "plugin/port_cut.hpp"

namespace partita::pjrt {

/// A compiled program with what its caller has to know of it.
struct CompiledProgram {
  std::string name;
  /// What was compiled, a portable artifact or text of StableHLO; empty where it has meshes (program_text.hpp).
  std::string text;
  std::shared_ptr<const Artifact> artifact;
  int partitions = 1;
  /// Devices of the partitions, by number; empty: any single one.
  std::vector<int> devices;
  /// The artifact runs on one device and holds whole arrays, though there are several partitions.
  bool is_gathered = false;
  std::vector<Type> inputs, outputs;  ///< of whole arrays
  /// Which of them are sums over devices: their first dimension counts terms, of which a device has one.
  std::vector<bool> input_is_sum, output_is_sum;
  std::vector<PortCut> input_cuts, output_cuts;
  std::vector<bool> output_on_host;  ///< results that are to lie in the host's memory
  std::vector<int> donated;          ///< inputs whose arrays go with the execution
  std::string fingerprint;
};

/// `program`: a portable artifact or text of StableHLO.  What of it partita does not do is an error that names it.
[[nodiscard]] CompiledProgram compile_program(std::string_view program,
                                              const CompileRequest& request,
                                              driver::CompileOptions options);

/// A compiled program as bytes, and back; wrong bytes are a user error.
[[nodiscard]] std::string serialize(const CompiledProgram& program);
[[nodiscard]] CompiledProgram deserialize(std::string_view bytes);

}  // namespace partita::pjrt

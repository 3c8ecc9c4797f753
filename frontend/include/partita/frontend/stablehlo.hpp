// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// MLIR text in and out: StableHLO, chlo, func, sdy and mr ops, pretty and generic forms as JAX and
// MLIR print them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Parses and verifies.  Errors are located user errors.  `file` is for messages.
[[nodiscard]] std::unique_ptr<Module> parse_module(std::string_view text,
                                                   std::string file = "<text>");
/// The same for texts of several modules, separated by lines that start with "// -----".
[[nodiscard]] std::vector<std::unique_ptr<Module>> parse_modules(std::string_view text,
                                                                 std::string file = "<text>");
/// Reads a file (text; bytecode is refused by name until supported).
[[nodiscard]] std::unique_ptr<Module> read_module(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::unique_ptr<Module>> read_modules(const std::filesystem::path& path);

struct PrintOptions {
  bool locations = false;
  /// Dense constants with more elements than this are printed as hex blobs; 0: never elided or blobbed.
  std::int64_t max_dense_elements = 0;
};
/// Canonical text, accepted by MLIR's own parser and by parse_module; print(parse(print(m))) = print(m).
[[nodiscard]] std::string print_module(const Module& module, const PrintOptions& options = {});
[[nodiscard]] std::string print_node(const Node& node);

}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// MLIR text in and out: StableHLO, chlo, func, sdy and mr ops, pretty and generic forms as JAX and
// MLIR print them; portable artifacts in.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// What a program is read for that leaves extents of its arguments open (tensor<?x4xf32>).
/// Arguments of public functions go by their name or their number; extents that the text states have to agree.
struct OpenArguments {
  std::map<std::string, Dims, std::less<>> shapes;
  std::optional<std::int64_t> extent;  ///< every other open extent
  /// What integers, scalars or lists, always are from which shapes follow.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> values;
  /// Whether what is said of an argument that there is not is a user error.
  bool must_be_there = true;
};

/// Parses and verifies text, or a portable artifact (MLIR bytecode of VHLO) by its first bytes.
/// Errors are located user errors.  `file` is for messages.
[[nodiscard]] std::unique_ptr<Module> parse_module(std::string_view text,
                                                   std::string file = "<text>",
                                                   const OpenArguments& open = {});
/// The same for texts of several modules, separated by lines that start with "// -----".
[[nodiscard]] std::vector<std::unique_ptr<Module>> parse_modules(std::string_view text,
                                                                 std::string file = "<text>",
                                                                 const OpenArguments& open = {});
/// Reads a file, text or bytecode.
[[nodiscard]] std::unique_ptr<Module> read_module(const std::filesystem::path& path,
                                                  const OpenArguments& open = {});
[[nodiscard]] std::vector<std::unique_ptr<Module>> read_modules(const std::filesystem::path& path,
                                                                const OpenArguments& open = {});

/// Why a function cannot be read or verified.
struct Refusal {
  std::string function;  ///< empty: the piece as a whole
  std::exception_ptr error;
};
/// A module without the functions that cannot be read or verified, and what calls them.
struct PartialModule {
  std::unique_ptr<Module> module;  ///< null where the piece cannot be read at all
  std::vector<Refusal> refusals;   ///< of each, the function that no other refused one calls
};
/// As read_modules, going on after errors; throws only where the file cannot be read or is empty.
[[nodiscard]] std::vector<PartialModule> read_partial_modules(const std::filesystem::path& path,
                                                              const OpenArguments& open = {});

struct PrintOptions {
  bool locations = false;
  /// Dense constants with more elements than this are printed as hex blobs; 0: never elided or blobbed.
  std::int64_t max_dense_elements = 0;
  /// What stands for a constant's elements, where it gives a text; that is then no text to be read again.
  std::function<std::optional<std::string>(const DenseRef& value)> dense = {};
};
/// Canonical text, accepted by MLIR's own parser and by parse_module; print(parse(print(m))) = print(m).
[[nodiscard]] std::string print_module(const Module& module, const PrintOptions& options = {});
[[nodiscard]] std::string print_node(const Node& node);
/// What stands between the brackets of dense<…>.
[[nodiscard]] std::string print_elements(const Dense& value);

}  // namespace partita::ir

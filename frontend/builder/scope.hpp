// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Bodies under construction on this thread, from a function's to the innermost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "partita/builder/program.hpp"
#include "partita/ir/graph.hpp"
#include "partita/ir/maker.hpp"

namespace partita::build {

class Scope {
 public:
  enum class Captures {
    directly,      ///< bodies of loops and branches use outer values as they are
    as_arguments,  ///< an outer value becomes a further argument (maps, private functions)
  };

  /// Becomes the innermost body of this thread until it is closed or destroyed.
  Scope(ir::Module& module, Captures captures);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// The innermost body; a user error where nothing is being built.
  [[nodiscard]] static Scope& current();
  /// Whether anything is being built.
  [[nodiscard]] static bool is_any_open();

  [[nodiscard]] ir::Module& module() const { return module_; }
  [[nodiscard]] ir::Graph& graph() const { return *graph_; }
  /// Makes nodes at the body's end.
  [[nodiscard]] ir::Maker maker() const { return {*graph_}; }
  [[nodiscard]] Arrays add_arguments(const std::vector<Type>& types);
  [[nodiscard]] std::uint64_t id() const { return id_; }
  /// The value of body `from` as this one sees it.
  [[nodiscard]] ir::Value see(std::uint64_t from, ir::Value value);
  /// Outer values that became arguments, as the enclosing body sees them.
  [[nodiscard]] const std::vector<ir::Value>& captured() const { return captured_; }
  /// Runs `body` on the arguments and sets the graph's results.
  void fill(const Arrays& arguments, const Body& body);
  /// Ends the body and gives its graph away.
  [[nodiscard]] std::unique_ptr<ir::Graph> close();

 private:
  ir::Module& module_;
  Captures captures_;
  std::uint64_t id_;  ///< unlike that of any other body
  Scope* outer_;
  std::unique_ptr<ir::Graph> graph_;
  ir::ValueMap<ir::Value> arguments_;  ///< of captured values
  std::vector<ir::Value> captured_;
};

/// Values of the innermost body as arrays, and back.
[[nodiscard]] Array as_array(ir::Value value);
[[nodiscard]] Arrays as_arrays(const std::vector<ir::Value>& values);
[[nodiscard]] std::vector<ir::Value> as_values(const Arrays& arrays);
/// Results of a node of the innermost body.
[[nodiscard]] Arrays results_of(ir::Node& node);
[[nodiscard]] std::vector<Type> types_of(const Arrays& arrays);
/// The symbol of a program's mesh.
inline constexpr const char* mesh_symbol = "mesh";
/// "f(x): expected …" as a user error.
[[noreturn]] void refuse(std::string_view function, const std::string& expected,
                         const std::string& found);

}  // namespace partita::build

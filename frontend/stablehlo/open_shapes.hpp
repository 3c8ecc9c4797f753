// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs that leave extents open are read for the extents that their user says: arguments of public functions have these,
// what follows from them is computed while the text is read, and private functions are read where they are called, once
// for each way.  What comes out is a module as any other.
#pragma once

#include <map>
#include <set>

#include "frontend/stablehlo/quantized_ops.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/open_types.hpp"

namespace partita::ir {

/// Whether a type is as written but for open extents.
[[nodiscard]] bool admits(const WrittenType& written, const WrittenType& found);

/// How a private function is called: types of its arguments, and which of them have a known value.
struct CallOfOpen {
  std::string callee;
  std::vector<WrittenType> types;
  std::vector<DenseRef> values;  ///< null: not known; of few integers

  /// Equal for calls that are alike.
  [[nodiscard]] std::string key() const;
  /// A user error where the function's arguments, as they are written, are not of these types.
  void expect_taken_by(const std::vector<WrittenType>& arguments,
                       const SourceLocation& where) const;
};

/// Private functions as they are called: each way is a function of its own.
class CalledFunctions {
 public:
  struct Instance {
    std::string name;
    std::vector<WrittenType> results;
    std::vector<DenseRef> values;  ///< of results that are few integers and known; null: others
    bool is_read = false, is_being_read = false;
  };
  /// That of calls like this one.  A user error where it is being read.
  [[nodiscard]] Instance& of(const CallOfOpen& call, const SourceLocation& where);
  /// Reads it by `read`, which gives a module with the function and its `results`.
  template <class Read>
  void fill(Instance& instance, const SourceLocation& where, const Read& read) {
    struct Reading {
      Instance& of;
      explicit Reading(Instance& instance) : of(instance) { of.is_being_read = true; }
      ~Reading() { of.is_being_read = false; }
    };
    const Reading reading(instance);
    instance.results.clear();
    finish(instance, read(), where);
  }
  /// Results of a call that are known become constants.
  static void settle(const Instance& instance, Graph& graph, std::vector<WrittenValue>& values);
  void move_to(Module& module);

 private:
  void finish(Instance& instance, Module made, const SourceLocation& where);

  std::map<std::string, Instance> instances_;  // by key
  std::map<std::string, int> count_;           // of each callee
  std::vector<std::unique_ptr<Function>> functions_;
};

class OpenShapes {
 public:
  /// Says nothing; readers whose programs have open types `begin` with what their user says.
  OpenShapes() = default;
  void begin(const OpenArguments& given) { given_ = &given; }
  /// Whether the program leaves anything open.
  bool is_active = false;

  // --- Functions ---
  /// The type of argument `index` of a public function; a user error where that is open still.
  [[nodiscard]] WrittenType argument(std::string_view function, std::size_t index,
                                     const std::string& name, const WrittenType& written,
                                     const SourceLocation& where);
  /// The integers that an argument of that type always has; null where nothing is said.
  [[nodiscard]] DenseRef value(std::size_t index, const std::string& name, const Type& type);
  /// A user error where something is said of an argument that no public function has.
  void check_all_used(const std::string& file) const;
  /// Of an op that calls one function; nothing for others.
  [[nodiscard]] static std::optional<CallOfOpen> call(const WrittenOp& op);
  /// Makes it a call of another function with these results.
  static void redirect(WrittenOp& op, const std::string& callee,
                       const std::vector<WrittenType>& results);

  // --- Ops ---
  /// Types of results follow from operands, and of ops that take shapes from their values; a user error where those are
  /// not known.  Types that the op infers stay open.
  void close(WrittenOp& op) const;
  /// create_written(), after which few integers that follow from constants are a constant, from which shapes follow in turn.
  /// A user error where a result is of an open type.
  [[nodiscard]] std::vector<WrittenValue> create(Graph& graph, WrittenOp op,
                                                 const Module& module) const;

 private:
  const OpenArguments* given_ = nullptr;
  std::set<std::string> used_;
};

}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A module under construction, and its functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partita/builder/array.hpp"

namespace partita::build {

class Program {
 public:
  /// `placements`: number of partitions by name.
  explicit Program(const std::map<std::string, std::int64_t>& placements = {},
                   std::string name = "program");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Declares the mesh of the program, its axes by name and size, the last varying fastest; once.  What lies along it is
  /// said by `sharded`, and propagated from there.
  void mesh(const std::vector<std::pair<std::string, std::int64_t>>& axes);

  /// Adds a public function: `body` maps its arguments to its results.  `names` are those of the
  /// arguments, by which inputs may be given; fewer than `arguments`: the rest have none.
  void function(const std::string& name, const std::vector<Type>& arguments, const Body& body,
                const std::vector<std::string>& names = {});

  /// Verified; the program may go on growing.
  [[nodiscard]] const ir::Module& module() const;
  /// Canonical text, as `partita compile` reads it.
  [[nodiscard]] std::string text() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace partita::build

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The text of a module in pieces: what its kernels have in common, and each of them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace partita::opencl {

class ModuleText {
 public:
  /// As the code generator writes it: first what is in common; a kernel begins with "__kernel void" at the beginning of a
  /// line, before which its comments and attributes stand in lines of their own.
  explicit ModuleText(std::string_view source);

  [[nodiscard]] bool holds(std::span<const std::string> kernels) const;
  /// Text of a kernel alone; empty where there is none of that name.
  [[nodiscard]] std::string_view of(const std::string& kernel) const;
  /// A translation unit of these kernels, in this order.
  [[nodiscard]] std::string with(std::span<const std::string> kernels) const;

 private:
  std::string common_;
  std::map<std::string, std::string, std::less<>> kernels_;
};

}  // namespace partita::opencl

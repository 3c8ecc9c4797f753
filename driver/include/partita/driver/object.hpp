// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A program as a relocatable object, or as C text, and the C header that declares it: what a host program
// links when it needs no artifact and no runtime.  The document of the target in docs/ describes what the header offers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "partita/driver/compile.hpp"

namespace partita::driver {

struct ObjectCode {
  std::vector<std::byte> object;  ///< or C text
  std::string header;
  std::vector<std::string> needs;  ///< functions that the host links beside libc and libm, sorted
};

/// Compiles `functions` of a module for `options.target`; names in the
/// object begin with `name`, made an identifier.  `reports` has one for each function.  A user error
/// where the target makes no objects or the program is none for one process.
[[nodiscard]] ObjectCode compile_object(const ir::Module& module, const std::string& name,
                                        const std::vector<std::string>& functions,
                                        const CompileOptions& options,
                                        std::vector<CompileReport>* reports = nullptr);

/// The same for one function, as C text that a compiler alone makes an object of; it begins with the
/// flags that the compiler is meant to be given.
[[nodiscard]] ObjectCode compile_c(const ir::Module& module, const std::string& name,
                                   const CompileOptions& options, CompileReport* report = nullptr);

}  // namespace partita::driver

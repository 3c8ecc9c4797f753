// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita {

Compiled compile(const ir::Module& module, const CompileOptions& options) {
  Compiled result;
  result.artifact = driver::compile_module(module, options, &result.report);
  return result;
}

Compiled compile(std::string_view program, const CompileOptions& options, const std::string& name) {
  return compile(*ir::parse_module(program, name, options.open), options);
}

Compiled compile(std::span<const std::byte> program, const CompileOptions& options,
                 const std::string& name) {
  return compile(std::string_view(reinterpret_cast<const char*>(program.data()), program.size()),
                 options, name);
}

Compiled compile(const build::Program& program, const CompileOptions& options) {
  return compile(program.module(), options);
}

Compiled compile_file(const std::filesystem::path& path, const CompileOptions& options) {
  return compile(*ir::read_module(path, options.open), options);
}

}  // namespace partita

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// partita_compile(), over partita::compile.
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "partita/compile.hpp"
#include "partita_compiler.h"
#include "runtime/c_api/artifact.hpp"
#include "runtime/c_api/boundary.hpp"

namespace {

using partita::cat;
using partita::c_api::require;

partita::CompileOptions to_options(const char* const* options, std::size_t count) {
  partita::CompileOptions result;
  if (count > 0) require(options, "options");
  for (std::size_t i = 0; i < count; ++i) {
    if (options[i] == nullptr)
      partita::throw_user_error(cat("options[", i, "]: expected a text, found NULL"));
    const std::string_view text = options[i];
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      partita::throw_user_error(cat("options[", i, "]: expected KEY=VALUE, found '", text, "'"));
    partita::set_option(result, std::string(text.substr(0, equals)),
                        std::string(text.substr(equals + 1)));
  }
  return result;
}

}  // namespace

partita_status partita_compile(const void* program, size_t size, const char* name,
                               const char* const* options, size_t count,
                               partita_artifact** artifact) {
  return partita::c_api::guarded([&] {
    require(artifact, "artifact");
    const auto* const bytes = &require(static_cast<const std::byte*>(program), "program");
    *artifact = std::make_unique<partita_artifact>(
                    partita::compile(std::span(bytes, size), to_options(options, count),
                                     name != nullptr ? name : "<program>")
                        .artifact)
                    .release();
  });
}

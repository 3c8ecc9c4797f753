// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/module_text.hpp"

#include <algorithm>

namespace partita::opencl {
namespace {

constexpr std::string_view keyword = "__kernel void ";

/// Where the lines begin that belong to the kernel whose keyword is at `at`.
std::size_t begin_of(std::string_view source, std::size_t at) {
  while (at > 0) {
    const std::size_t before = at == 1 ? 0 : source.rfind('\n', at - 2) + 1;
    const std::string_view line = source.substr(before, at - before);
    if (!line.starts_with("// ") && !line.starts_with("__attribute__")) break;
    at = before;
  }
  return at;
}

/// The next keyword at the beginning of a line.
std::size_t next_kernel(std::string_view source, std::size_t from) {
  while (true) {
    const std::size_t at = source.find(keyword, from);
    if (at == std::string_view::npos || at == 0 || source[at - 1] == '\n') return at;
    from = at + 1;
  }
}

}  // namespace

ModuleText::ModuleText(std::string_view source) {
  std::size_t at = next_kernel(source, 0);
  std::size_t begin = at == std::string_view::npos ? source.size() : begin_of(source, at);
  common_ = source.substr(0, begin);
  while (at != std::string_view::npos) {
    const std::size_t next = next_kernel(source, at + keyword.size());
    const std::size_t end = next == std::string_view::npos ? source.size() : begin_of(source, next);
    const std::string_view rest = source.substr(at + keyword.size());
    kernels_.emplace(rest.substr(0, rest.find('(')), source.substr(begin, end - begin));
    at = next, begin = end;
  }
}

bool ModuleText::holds(std::span<const std::string> kernels) const {
  return std::ranges::all_of(kernels, [&](const auto& name) { return kernels_.contains(name); });
}

std::string_view ModuleText::of(const std::string& kernel) const {
  const auto it = kernels_.find(kernel);
  return it == kernels_.end() ? std::string_view() : std::string_view(it->second);
}

std::string ModuleText::with(std::span<const std::string> kernels) const {
  std::string text = common_;
  for (const std::string& name : kernels) text += of(name);
  return text;
}

}  // namespace partita::opencl

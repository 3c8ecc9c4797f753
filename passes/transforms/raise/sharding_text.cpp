// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/raise/sharding_text.hpp"

#include <cctype>

namespace partita::passes {
namespace {

/// The string literal that starts at text[i] == '"'; i moves past it.
std::string quoted(const std::string& text, std::size_t& i) {
  const std::size_t end = text.find('"', i + 1);
  if (end == std::string::npos) {
    i = text.size();
    return {};
  }
  const std::string s = text.substr(i + 1, end - i - 1);
  i = end + 1;
  return s;
}

}  // namespace

std::vector<std::vector<std::string>> sharding_axes(const std::string& text) {
  std::vector<std::vector<std::string>> axes;
  std::size_t i = text.find('[');
  if (i == std::string::npos) return axes;
  while (i < text.size() && text[i] != ']') {
    if (text[i] == '{') axes.emplace_back();
    if (text[i] == '"' && !axes.empty())
      axes.back().push_back(quoted(text, i));
    else
      ++i;
  }
  return axes;
}

std::vector<std::pair<std::string, std::int64_t>> mesh_axes(const ir::Module& module) {
  std::vector<std::pair<std::string, std::int64_t>> axes;
  for (const ir::ModuleItem& item : module.items) {
    if (item.op != "sdy.mesh") continue;
    // <["clients"=8, "model"=2]>
    const std::string& text = item.raw;
    const std::size_t open = text.find('['),
                      close = text.find(']', open == std::string::npos ? 0 : open);
    for (std::size_t i = open; i < close && i != std::string::npos;) {
      if (text[i] != '"') {
        ++i;
        continue;
      }
      const std::string name = quoted(text, i);
      std::int64_t size = 0;
      if (i < close && text[i] == '=')
        for (++i; i < close && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
          size = size * 10 + (text[i] - '0');
      axes.emplace_back(name, size);
    }
  }
  return axes;
}

}  // namespace partita::passes

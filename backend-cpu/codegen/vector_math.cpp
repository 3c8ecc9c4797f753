// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/vector_math.hpp"

#include <algorithm>
#include <deque>
#include <string>

#include "partita/base/error.hpp"
#include "partita_embedded/cpu_kernels.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
namespace {

using kernel::Snippet;

constexpr std::string_view definer = "PARTITA_MATH";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Names of the project's functions in a text, in order, each once.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = text.find("pm_"); at != std::string_view::npos; at = text.find("pm_", at)) {
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::string_view name = text.substr(at, end - at);
    const bool is_start = at == 0 || !is_name_character(text[at - 1]);
    if (is_start && std::ranges::find(names, name) == names.end()) names.push_back(name);
    at = end;
  }
  return names;
}

/// A paragraph's text: what stands between blank lines.
std::vector<std::string_view> paragraphs_of(std::string_view text) {
  std::vector<std::string_view> paragraphs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    paragraphs.push_back(text.substr(0, std::min(end + 1, text.size())));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return paragraphs;
}

/// Lines that are comments only are left out, so that names in them are no calls.
std::string without_comments(std::string_view text) {
  std::string code;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string_view::npos && !line.substr(first).starts_with("//")) code += line;
    text.remove_prefix(end);
  }
  return code;
}

/// What rows call a function: "exp_f32" for "pm_exp_f32".
std::string row_name(std::string_view name) {
  name.remove_prefix(3);
  constexpr std::string_view logistic = "logistic_";
  return name.starts_with(logistic) ? cat("sigmoid_", name.substr(logistic.size()))
                                    : std::string(name);
}

std::vector<Snippet> read_files() {
  static std::deque<std::string> texts;  // snippets point into them
  const auto keep = [&](std::string text) -> std::string_view {
    return texts.emplace_back(std::move(text));
  };
  std::vector<Snippet> snippets;
  for (const auto& file : embedded::cpu_kernels)
    for (const std::string_view paragraph : paragraphs_of(file.text)) {
      const std::string_view code = keep(without_comments(paragraph));
      if (code.empty()) continue;
      if (code.starts_with("#define PARTITA_MATH")) {
        snippets.push_back({definer, code});
        continue;
      }
      std::vector<std::string_view> names = names_in(code);
      if (names.empty()) continue;
      const std::string_view name = names.front();
      names.front() = definer;
      snippets.push_back({name, code, std::move(names)});
      if (name.starts_with("pm_fma_")) continue;  // not fused everywhere
      const std::string_view alias = keep(row_name(name));
      snippets.push_back({alias, keep(cat("#define ", alias, " ", name, "\n")), {name}});
    }
  return snippets;
}

}  // namespace

std::vector<Snippet> vector_math() {
  static const std::vector<Snippet> snippets = read_files();
  return snippets;
}

}  // namespace partita::cpu::codegen

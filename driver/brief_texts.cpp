// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/brief_texts.hpp"

#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::driver {

namespace {

/// Constants of no more elements are written out.
constexpr std::int64_t few = 64;
constexpr char mark = '@';

}  // namespace

std::string BriefTexts::of(const ir::Module& module) {
  return ir::print_module(
      module, {.dense = [this](const ir::DenseRef& value) -> std::optional<std::string> {
        if (value->is_splat() || value->type().count() <= few) return std::nullopt;
        const auto [entry, is_new] = names_.try_emplace(value.get(), kept_.size());
        if (is_new) kept_.push_back(value);
        return cat(mark, entry->second);
      }});
}

std::string BriefTexts::whole(const std::string& brief) const {
  std::string text;
  std::size_t done = 0;
  const std::string begin = cat("dense<", mark);
  for (auto at = brief.find(begin); at != std::string::npos; at = brief.find(begin, done)) {
    const std::size_t number = at + begin.size(), end = brief.find('>', number);
    const auto name = std::size_t(
        parse_number(brief.substr(number, end - number), "constant", std::int64_t(kept_.size())));
    text += cat(brief.substr(done, at - done), "dense<", ir::print_elements(*kept_.at(name)));
    done = end;
  }
  return text + brief.substr(done);
}

}  // namespace partita::driver

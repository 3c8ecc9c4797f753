// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "partita/base/error.hpp"

namespace partita {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, substituted});
    }
  }
  return row.back();
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known) {
  if (name.size() > 100) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& k : known) {
    const std::size_t distance = edit_distance(k, name);
    if (distance <= name.size() / 3) near.emplace_back(distance, k);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [distance, k] : near) names.push_back(std::move(k));
  return names;
}

std::string quoted_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += cat(text.empty() ? "'" : ", '", name, "'");
  return text;
}

std::string expected_names(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string> near = nearest_names(name, known);
  std::string text;
  for (const std::string& n : near.empty() ? known : std::span(near))
    text += (text.empty() ? "" : ", ") + n;
  return text;
}

}  // namespace partita

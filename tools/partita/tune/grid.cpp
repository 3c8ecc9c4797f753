// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `partita tune` measures: shapes and tiles.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/tune/tune.hpp"

namespace partita::tool {
namespace {

using Form = ContractionForm;

struct Shape {
  std::int64_t m, n, k, batch = 1;
};

// Small, square, skinny in each extent, large, batched.
constexpr Shape plain_shapes[] = {
    {16, 16, 16},       {64, 64, 64},       {128, 128, 128},   {256, 256, 256}, {512, 512, 512},
    {1024, 1024, 1024}, {1536, 1536, 1536}, {1, 1024, 1024},   {8, 512, 512},   {32, 256, 1024},
    {1024, 8, 1024},    {512, 512, 16},     {32, 32, 4096},    {4096, 64, 64},  {16, 16, 16, 64},
    {64, 64, 64, 16},   {32, 128, 256, 8},  {256, 256, 256, 4}};
constexpr Shape transposed_shapes[] = {{32, 32, 32},    {256, 256, 256},    {512, 256, 32},
                                       {32, 256, 1024}, {1024, 1024, 1024}, {64, 64, 64, 16}};
constexpr Shape quick_shapes[] = {{48, 48, 48}, {16, 128, 256}, {32, 32, 32, 4}};

void add(std::vector<ContractionKey>& all, DType dtype, Form form, const Shape& s) {
  all.push_back({.dtype = dtype, .form = form, .m = s.m, .n = s.n, .k = s.k, .batch = s.batch});
}

void add_dtype(std::vector<ContractionKey>& all, DType dtype) {
  for (const Shape& s : plain_shapes) {
    // Large ones of f64 say what those of f32 do.
    if (dtype == DType::f64 && std::max({s.m, s.n, s.k}) >= 1536) continue;
    add(all, dtype, Form::nn, s);
  }
  for (const Form form : {Form::nt, Form::tn})
    for (const Shape& s : transposed_shapes) {
      if (dtype == DType::f64 && std::max({s.m, s.n, s.k}) >= 1024) continue;
      add(all, dtype, form, s);
    }
}

}  // namespace

std::vector<ContractionKey> tuning_grid(bool quick, bool has_fp64) {
  std::vector<ContractionKey> all;
  if (quick) {
    for (const Shape& s : quick_shapes) add(all, DType::f32, Form::nn, s);
    return all;
  }
  add_dtype(all, DType::f32);
  if (has_fp64) add_dtype(all, DType::f64);
  return all;
}

ContractionKey parse_contraction(const std::string& text) {
  const auto fail = [&] {
    throw_user_error(
        cat("--shapes: expected MxNxK[xB][:nn|nt|tn|tt][:f32|f64], found '", text, "'"));
  };
  ContractionKey key;
  const auto words = split(text, ':');
  if (words.empty() || words.size() > 3 || text.back() == ':') fail();
  const auto extents = split(words[0], 'x');
  if (extents.size() < 3 || extents.size() > 4 ||
      std::int64_t(extents.size()) != std::ranges::count(words[0], 'x') + 1)
    fail();
  std::int64_t* const into[] = {&key.m, &key.n, &key.k, &key.batch};
  double product = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (extents[i].size() > 7 || !std::ranges::all_of(extents[i], is_digit)) fail();
    *into[i] = std::stoll(extents[i]);
    if (*into[i] < 1) fail();
    product *= double(*into[i]);
  }
  constexpr double most = 1e13;  // multiply-adds
  if (product > most)
    throw_user_error(cat("--shapes: expected at most 1e13 multiply-adds, found '", text, "'"));
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "f32" || words[i] == "f64") {
      key.dtype = words[i] == "f32" ? DType::f32 : DType::f64;
    } else if (words[i].size() == 2 && words[i].find_first_not_of("nt") == std::string::npos) {
      key.form = contraction_form(words[i][0] == 't', words[i][1] == 't');
    } else {
      fail();
    }
  }
  return key;
}

std::string to_text(const ContractionKey& k) {
  return cat(k.m, "x", k.n, "x", k.k, k.batch == 1 ? "" : cat("x", k.batch), ":", to_string(k.form),
             ":", to_string(k.dtype));
}

std::vector<TileSize> tile_candidates(bool is_cpu, bool quick) {
  if (quick) return {{64, 12, 2}, {32, 6, 2}};
  if (!is_cpu) return {{16, 4, 1}, {16, 8, 1}, {16, 4, 2}, {16, 8, 2}, {32, 4, 1}, {64, 4, 1}};
  // As many accumulators as 32 or 16 registers hold beside operands, in several proportions; fewer
  // where there are few rows.
  return {{64, 12, 2}, {64, 8, 3}, {64, 6, 4}, {64, 8, 2}, {64, 4, 2},
          {32, 12, 2}, {32, 6, 2}, {32, 4, 3}, {32, 4, 2}, {32, 12, 1}};
}

}  // namespace partita::tool

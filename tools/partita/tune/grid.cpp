// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `partita tune` measures: shapes, tiles, parameters of the library.
#include <algorithm>

#include "partita/base/error.hpp"
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

// Values in the order of their names.
LibraryParameters named(const std::string& kernel, DType dtype,
                        std::initializer_list<std::pair<const char*, std::int64_t>> values) {
  LibraryParameters p{.kernel = kernel, .dtype = dtype, .values = {}};
  for (const auto& [name, value] : values) p.values.push_back({.name = name, .value = value});
  return p;
}

struct Indirect {
  std::int64_t mwg, nwg, kwg, mdim, ndim, vwm, vwn;
  std::int64_t shares;  ///< in local memory
};
// Groups of one item with wide vectors for CPUs, groups of many for GPUs.
constexpr Indirect indirect_sets[] = {
    {32, 8, 32, 1, 1, 8, 1, 0},      {32, 12, 32, 1, 1, 16, 1, 0},  {64, 4, 32, 1, 1, 16, 1, 0},
    {16, 4, 32, 1, 1, 8, 1, 0},      {32, 32, 16, 8, 8, 4, 4, 1},   {64, 64, 16, 8, 8, 4, 4, 1},
    {64, 64, 32, 16, 16, 4, 4, 0},   {128, 64, 32, 16, 8, 8, 4, 1}, {128, 128, 16, 16, 16, 4, 4, 1},
    {128, 128, 16, 16, 16, 8, 8, 1},
};

struct Direct {
  std::int64_t wgd, mdim, ndim, vwm, vwn, pad;
};
// Of several items with small tiles alone: PoCL compiles others for minutes.
constexpr Direct direct_sets[] = {
    {16, 8, 8, 2, 2, 1}, {16, 8, 8, 1, 1, 0}, {32, 8, 8, 4, 4, 1}, {32, 16, 16, 2, 2, 1}};

LibraryParameters parameters(const Indirect& s, DType dtype) {
  return named("Xgemm", dtype,
               {{"GEMMK", 0},
                {"KREG", 1},
                {"KWG", s.kwg},
                {"KWI", 2},
                {"MDIMA", s.mdim},
                {"MDIMC", s.mdim},
                {"MWG", s.mwg},
                {"NDIMB", s.ndim},
                {"NDIMC", s.ndim},
                {"NWG", s.nwg},
                {"SA", s.shares},
                {"SB", s.shares},
                {"STRM", s.shares},
                {"STRN", 0},
                {"VWM", s.vwm},
                {"VWN", s.vwn}});
}

LibraryParameters parameters(const Direct& s, DType dtype) {
  return named("XgemmDirect", dtype,
               {{"KWID", 2},
                {"MDIMAD", s.mdim},
                {"MDIMCD", s.mdim},
                {"NDIMBD", s.ndim},
                {"NDIMCD", s.ndim},
                {"PADA", s.pad},
                {"PADB", s.pad},
                {"VWMD", s.vwm},
                {"VWND", s.vwn},
                {"WGD", s.wgd}});
}

std::int64_t local_bytes(const Indirect& s, DType dtype) {
  return s.shares * s.kwg * (s.mwg + s.nwg) * std::int64_t(byte_size(dtype));
}
std::int64_t local_bytes(const Direct& s, DType dtype) {
  return 2 * s.wgd * (s.wgd + s.pad) * std::int64_t(byte_size(dtype));
}

template <class Sets>
std::vector<LibraryParameters> allowed(const Sets& sets, DType dtype, const DeviceProfile& device) {
  std::vector<LibraryParameters> result;
  for (const auto& s : sets) {
    if (s.mdim * s.ndim > device.max_work_group || local_bytes(s, dtype) > device.local_bytes)
      continue;
    result.push_back(parameters(s, dtype));
    if (const auto problem = find_problem(result.back()))
      throw_internal_error(cat("tune: ", *problem));
  }
  return result;
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

std::vector<LibraryParameters> library_candidates(const std::string& kernel, DType dtype,
                                                  const DeviceProfile& device) {
  return kernel == "Xgemm" ? allowed(indirect_sets, dtype, device)
                           : allowed(direct_sets, dtype, device);
}

LibraryParameters direct_below(std::int64_t cube, DType dtype) {
  return named("GemmRoutine", dtype, {{"XGEMM_MIN_INDIRECT_SIZE", cube}});
}

}  // namespace partita::tool

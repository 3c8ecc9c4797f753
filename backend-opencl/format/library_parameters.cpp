// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The rules that parameters of CLBlast's matrix kernels obey; its own tuner has the same.
#include <algorithm>
#include <map>
#include <span>

#include "backend-opencl/format/format.hpp"
#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

constexpr std::string_view indirect_names[] = {"GEMMK", "KREG",  "KWG",   "KWI", "MDIMA", "MDIMC",
                                               "MWG",   "NDIMB", "NDIMC", "NWG", "SA",    "SB",
                                               "STRM",  "STRN",  "VWM",   "VWN"};
constexpr std::string_view direct_names[] = {"KWID", "MDIMAD", "MDIMCD", "NDIMBD", "NDIMCD",
                                             "PADA", "PADB",   "VWMD",   "VWND",   "WGD"};
constexpr std::string_view routine_names[] = {"XGEMM_MIN_INDIRECT_SIZE"};
/// Zero means no.
constexpr std::string_view switches[] = {"GEMMK", "PADA", "PADB", "SA", "SB", "STRM", "STRN"};

std::span<const std::string_view> names_of(std::string_view kernel) {
  if (kernel == "Xgemm") return indirect_names;
  if (kernel == "XgemmDirect") return direct_names;
  if (kernel == "GemmRoutine") return routine_names;
  return {};
}

class Rules {
 public:
  explicit Rules(const LibraryParameters& p) : kernel_(p.kernel) {
    for (const auto& v : p.values) values_[v.name] = v.value;
  }

  std::optional<std::string> indirect() {
    // The other kernel of CLBlast 1.5 is wrong where MWG and NWG differ.
    if (values_["GEMMK"] != 0) return cat(kernel_, ": expected GEMMK 0, found ", values_["GEMMK"]);
    divides("KWI", "KWG");
    divides("MDIMC", "VWM", "MWG");
    divides("NDIMC", "VWN", "NWG");
    divides("MDIMA", "VWM", "MWG");
    divides("NDIMB", "VWN", "NWG");
    loads("MDIMC", "NDIMC", "MDIMA", "KWG");
    loads("MDIMC", "NDIMC", "NDIMB", "KWG");
    return std::move(problem_);
  }

  std::optional<std::string> direct() {
    divides("KWID", "WGD");
    divides("MDIMCD", "VWMD", "WGD");
    divides("NDIMCD", "VWND", "WGD");
    divides("MDIMAD", "VWMD", "WGD");
    divides("NDIMBD", "VWND", "WGD");
    loads("MDIMCD", "NDIMCD", "MDIMAD", "WGD");
    loads("MDIMCD", "NDIMCD", "NDIMBD", "WGD");
    return std::move(problem_);
  }

 private:
  void divides(const char* part, const char* whole) {
    if (values_[whole] % values_[part] != 0) fail(whole, part);
  }
  void divides(const char* a, const char* b, const char* whole) {
    if (values_[whole] % (values_[a] * values_[b]) != 0) fail(whole, cat(a, " · ", b));
  }
  /// A group of `m` × `n` items loads rows of `across` items, a whole number of times.
  void loads(const char* m, const char* n, const char* across, const char* whole) {
    const std::int64_t items = values_[m] * values_[n];
    if (items % values_[across] != 0)
      fail(cat(m, " · ", n), across);
    else if (values_[whole] % (items / values_[across]) != 0)
      fail(whole, cat(m, " · ", n, " / ", across));
  }
  void fail(const std::string& whole, const std::string& part) {
    if (!problem_) problem_ = cat(kernel_, ": expected ", whole, " divisible by ", part);
  }

  std::string kernel_;
  std::map<std::string, std::int64_t> values_;
  std::optional<std::string> problem_;
};

}  // namespace

std::optional<std::string> find_problem(const LibraryParameters& p) {
  const auto names = names_of(p.kernel);
  if (names.empty())
    return cat("expected one of Xgemm, XgemmDirect, GemmRoutine, found '", p.kernel, "'");
  if (p.dtype != DType::f32 && p.dtype != DType::f64)
    return cat(p.kernel, ": expected f32 or f64, found ", to_string(p.dtype));
  if (!std::ranges::equal(p.values, names, {}, &LibraryParameters::Value::name))
    return cat(p.kernel, ": expected its ", names.size(),
               " parameters sorted by name, found others");
  for (const auto& [name, value] : p.values) {
    const bool is_switch = std::ranges::find(switches, name) != std::end(switches);
    const std::int64_t least = is_switch || p.kernel == "GemmRoutine" ? 0 : 1;
    const std::int64_t most = is_switch ? 1 : p.kernel == "GemmRoutine" ? 1 << 20 : 1024;
    if (value < least || value > most)
      return cat(p.kernel, ": expected ", name, " from ", least, " to ", most, ", found ", value);
  }
  if (p.kernel == "Xgemm") return Rules(p).indirect();
  if (p.kernel == "XgemmDirect") return Rules(p).direct();
  return std::nullopt;
}

}  // namespace partita::opencl

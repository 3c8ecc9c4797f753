// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/library_tuning.hpp"

#include <clblast.h>

#include <initializer_list>
#include <utility>

#include "backend-opencl/format/format.hpp"
#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

constexpr std::string_view packing = "Xgemm", direct = "XgemmDirect";

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
      throw_internal_error(cat("tuning: ", *problem));
  }
  return result;
}

std::vector<LibraryParameters> candidates(std::string_view kernel, DType dtype,
                                          const DeviceProfile& device) {
  return kernel == packing ? allowed(indirect_sets, dtype, device)
                           : allowed(direct_sets, dtype, device);
}

LibraryParameters direct_below(std::int64_t cube, DType dtype) {
  return named("GemmRoutine", dtype, {{"XGEMM_MIN_INDIRECT_SIZE", cube}});
}

std::string version() {
  return cat("CLBlast ", CLBLAST_VERSION_MAJOR, ".", CLBLAST_VERSION_MINOR, ".",
             CLBLAST_VERSION_PATCH);
}

}  // namespace

const LibraryTuning& library_tuning() {
  static constexpr LibraryTuning tuning{.version = version,
                                        .packing = {.name = packing, .extent = 512},
                                        .direct = {.name = direct, .extent = 128},
                                        .candidates = candidates,
                                        .direct_below = direct_below};
  return tuning;
}

}  // namespace partita::opencl

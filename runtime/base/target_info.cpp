// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/target_info.hpp"

#include <array>
#include <cstdio>

#include "partita/base/error.hpp"

namespace partita {
namespace {

std::string number(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", x);
  return text.data();
}

std::string arithmetic_text(const TargetInfo& info) {
  const std::array rates{std::pair("f32", info.flops.f32), std::pair("f64", info.flops.f64),
                         std::pair("f16", info.flops.f16), std::pair("bf16", info.flops.bf16)};
  const std::array has{true, info.has_f64, info.has_f16, info.has_bf16};
  std::string text;
  for (std::size_t k = 0; k < rates.size(); ++k)
    if (has[k])
      text += cat(text.empty() ? "" : ", ", rates[k].first, " ", number(rates[k].second / 1e9));
  return cat(text, " GFLOP/s");
}

}  // namespace

std::int64_t TargetInfo::launch_elements() const {
  const double elements = launch_seconds * bytes_per_second / sizeof(float);
  std::int64_t power = 1;
  while (double(2 * power) <= elements) power *= 2;
  return power;
}

std::int64_t TargetInfo::block_bytes() const {
  if (device_class == DeviceClass::multicore) return cache_bytes;
  // A block's largest value is one of several; the program has others.
  constexpr std::int64_t share = 16, usual_bytes = std::int64_t(8) << 30;
  return (memory_bytes > 0 ? memory_bytes : usual_bytes) / share;
}

std::int64_t TargetInfo::busy_items() const {
  // Multiprocessors have up to 2048 items; half of them hide what the others wait for.
  constexpr std::int64_t of_unit = 1024, usual_units = 64;
  return (compute_units > 0 ? compute_units : usual_units) *
         (device_class == DeviceClass::simt ? of_unit : 1);
}

double TargetInfo::flop_rate(DType d) const {
  switch (d) {
    case DType::f16:
      return flops.f16;
    case DType::bf16:
      return flops.bf16;
    case DType::f64:
    case DType::c128:
      return flops.f64;
    default:
      return flops.f32;
  }
}

std::string_view to_string(DeviceClass c) {
  return c == DeviceClass::multicore ? "multicore" : "simt";
}

std::string to_string(const TargetInfo& info) {
  std::string features;
  for (const std::string& f : info.features) features += cat(", ", f);
  const auto known = [](std::int64_t n) { return n == 0 ? std::string("?") : std::to_string(n); };
  return cat(info.name, " (", info.source, "): ", to_string(info.device_class), ", ",
             known(info.compute_units), " units; vectors of ", info.vector_bytes,
             " bytes, tiles of ", info.tile_rows, " x ", info.tile_vectors, " in ", info.registers,
             " registers of ", info.register_bytes, " bytes; groups of ", info.preferred_group,
             " (at most ", info.most_group, "), sub-groups of ", info.subgroup_width, "; cache ",
             info.cache_bytes, " bytes, memory ", known(info.memory_bytes), ", local ",
             known(info.local_bytes), ", ", number(info.bytes_per_second / 1e9), " GB/s, store ",
             number(info.store_operations), "; launch ", number(info.launch_seconds * 1e6),
             " us, transfer ", number(info.transfer_seconds * 1e6), " us and ",
             number(info.transfer_bytes_per_second / 1e9), " GB/s; ", arithmetic_text(info),
             "; library from ", info.library_threshold, ", packing from ", info.packing_threshold,
             info.has_row_launches ? ", rows" : "", info.library_reads_bf16 ? ", bf16 library" : "",
             info.library_convolves ? ", library of convolutions" : "", features);
}

}  // namespace partita

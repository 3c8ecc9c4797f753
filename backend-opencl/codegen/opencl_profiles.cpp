// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Numbers are those of vendors' data sheets; FlopRates are without matrix units.
#include "backend-opencl/codegen/opencl_profiles.hpp"

namespace partita::opencl::codegen {

using namespace driver;
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
constexpr double tera = 1e12, giga = 1e9;

/// What OpenCL guarantees of a GPU, the usual 8 x 8 floats of a work-item, and rates of a small one.
void set_gpu(TargetInfo& t) {
  t.device_class = DeviceClass::simt;
  t.cache_bytes = 4 * mib;
  t.bytes_per_second = 400 * giga;
  t.transfer_bytes_per_second = 15.8 * giga;  // PCI Express 3, 16 lanes
  t.flops = {.f16 = 20 * tera, .bf16 = 10 * tera, .f32 = 10 * tera, .f64 = 0.3 * tera};
  t.vector_bytes = 16;
  t.tile_rows = 8;
  t.tile_vectors = 2;
  t.registers = 128;
  t.register_bytes = 4;
  t.local_bytes = 32 * kib;
  t.most_group = 256;
  t.preferred_group = 256;
  t.subgroup_width = 32;
  t.library_threshold = std::int64_t(1) << 62;  // by measurement alone
  t.features = {"matrices"};                    // where the driver's compiler takes them
}

/// OpenCL on NVIDIA: 48 KiB of local memory for a group on all of them, and no sub-group functions.
void set_nvidia(TargetInfo& t) {
  set_gpu(t);
  t.registers = 255;
  t.local_bytes = 48 * kib;
  t.most_group = 1024;
  t.transfer_bytes_per_second = 31.5 * giga;  // PCI Express 4, 16 lanes
}

/// A100, 40 GB.
void set_sm_80(TargetInfo& t) {
  set_nvidia(t);
  t.compute_units = 108;
  t.cache_bytes = 40 * mib;
  t.memory_bytes = 40 * gib;
  t.bytes_per_second = 1555 * giga;
  t.flops = {.f16 = 78 * tera, .bf16 = 39 * tera, .f32 = 19.5 * tera, .f64 = 9.7 * tera};
}

/// GeForce RTX 3090.
void set_sm_86(TargetInfo& t) {
  set_nvidia(t);
  t.compute_units = 82;
  t.cache_bytes = 6 * mib;
  t.memory_bytes = 24 * gib;
  t.bytes_per_second = 936 * giga;
  t.flops = {.f16 = 35.6 * tera, .bf16 = 35.6 * tera, .f32 = 35.6 * tera, .f64 = 0.556 * tera};
}

/// H100 SXM.
void set_sm_90(TargetInfo& t) {
  set_nvidia(t);
  t.compute_units = 132;
  t.cache_bytes = 50 * mib;
  t.memory_bytes = 80 * gib;
  t.bytes_per_second = 3350 * giga;
  t.transfer_bytes_per_second = 63 * giga;  // PCI Express 5, 16 lanes
  t.flops = {.f16 = 134 * tera, .bf16 = 134 * tera, .f32 = 67 * tera, .f64 = 34 * tera};
}

void set_amd(TargetInfo& t) {
  set_gpu(t);
  t.local_bytes = 64 * kib;
  t.most_group = 1024;
  t.transfer_bytes_per_second = 31.5 * giga;
  t.has_f16 = true;
  t.features = {"subgroups"};
}

/// One of the two devices of an MI250X.
void set_gfx90a(TargetInfo& t) {
  set_amd(t);
  t.compute_units = 110;
  t.registers = 512;
  t.subgroup_width = 64;
  t.cache_bytes = 8 * mib;
  t.memory_bytes = 64 * gib;
  t.bytes_per_second = 1638 * giga;
  t.flops = {.f16 = 23.9 * tera, .bf16 = 23.9 * tera, .f32 = 23.9 * tera, .f64 = 23.9 * tera};
}

/// Radeon RX 7900 XTX.
void set_gfx1100(TargetInfo& t) {
  set_amd(t);
  t.compute_units = 96;
  t.registers = 256;
  t.cache_bytes = 6 * mib;
  t.memory_bytes = 24 * gib;
  t.bytes_per_second = 960 * giga;
  t.flops = {.f16 = 122.8 * tera, .bf16 = 122.8 * tera, .f32 = 61.4 * tera, .f64 = 1.92 * tera};
}

/// Arc A770; it has no f64.
void set_xe(TargetInfo& t) {
  set_gpu(t);
  t.compute_units = 512;
  t.registers = 64;  // 128 of 32 bytes for a sub-group of 16
  t.subgroup_width = 16;
  t.local_bytes = 64 * kib;
  t.most_group = 1024;
  t.cache_bytes = 16 * mib;
  t.memory_bytes = 16 * gib;
  t.bytes_per_second = 560 * giga;
  t.transfer_bytes_per_second = 31.5 * giga;
  t.flops = {.f16 = 34.4 * tera, .bf16 = 17.2 * tera, .f32 = 17.2 * tera, .f64 = 1 * giga};
  t.has_f16 = true;
  t.has_f64 = false;
  t.features = {"subgroups"};
}

// As drivers name devices.
constexpr std::string_view sm_80[] = {"NVIDIA A100", "NVIDIA A30", "A100-", "NVIDIA A800"};
constexpr std::string_view sm_86[] = {"NVIDIA GeForce RTX 30",
                                      "NVIDIA GeForce RTX 40",
                                      "NVIDIA A10",
                                      "NVIDIA A40",
                                      "NVIDIA RTX",
                                      "NVIDIA L4"};
constexpr std::string_view sm_90[] = {"NVIDIA H100", "NVIDIA H200", "NVIDIA GH200", "NVIDIA H800"};
constexpr std::string_view gfx90a[] = {"gfx90a"};
constexpr std::string_view gfx1100[] = {"gfx110"};
constexpr std::string_view xe[] = {"Intel(R) Arc", "Intel(R) Data Center GPU"};

constexpr Multiprocessors of_sm_80{.local_bytes = 164 * kib, .matrix_flops = 312 * tera};
constexpr Multiprocessors of_sm_86{
    .items = 1536, .groups = 16, .local_bytes = 100 * kib, .matrix_flops = 71 * tera};
constexpr Multiprocessors of_sm_90{.local_bytes = 228 * kib, .matrix_flops = 989 * tera};
/// Four units of 512 registers for each of 64 items.
constexpr Multiprocessors of_gfx90a{.registers = 4 * 512 * 64};
/// Two units of 1536 registers for each of 32 items.
constexpr Multiprocessors of_gfx1100{.items = 1024, .registers = 2 * 1536 * 32};
/// Xe cores of 16 engines, each of 8 threads of 16 items with 128 registers of 32 bytes.
constexpr Multiprocessors of_xe{
    .count = 32, .registers = 16 * 8 * 128 * 8, .local_bytes = 128 * kib};

constexpr TargetProfile table[] = {
    {"generic", [](TargetInfo&) {}},
    {"pocl-avx512", [](TargetInfo&) {}},
    {"pocl-avx2", [](TargetInfo& t) { t.registers = 16, t.register_bytes = 32; }},
    {"gpu", set_gpu},
    {"nvidia-sm_80", set_sm_80, sm_80, of_sm_80},
    {"nvidia-sm_86", set_sm_86, sm_86, of_sm_86},
    {"nvidia-sm_90", set_sm_90, sm_90, of_sm_90},
    {"amd-gfx90a", set_gfx90a, gfx90a, of_gfx90a},
    {"amd-gfx1100", set_gfx1100, gfx1100, of_gfx1100},
    {"intel-xe", set_xe, xe, of_xe},
};

}  // namespace

std::span<const TargetProfile> opencl_profiles() { return table; }

}  // namespace partita::opencl::codegen

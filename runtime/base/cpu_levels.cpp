// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/cpu_levels.hpp"

#include <algorithm>
#include <array>

namespace partita {

#if defined(__x86_64__)

namespace {

constexpr std::array<std::string_view, 3> levels{"x86-64-v2", "x86-64-v3", "x86-64-v4"};

bool has_v2() {
  return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
         __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt");
}
bool has_v3() {
  return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

}  // namespace

bool has_cpu_level(std::string_view level) {
  if (level == "x86-64-v2") return has_v2();
  if (level == "x86-64-v3") return has_v3();
  return level == "x86-64-v4" && has_v4();
}

#else

namespace {
constexpr std::array<std::string_view, 1> levels{"generic"};
}  // namespace

bool has_cpu_level(std::string_view level) { return level == "generic"; }

#endif

std::span<const std::string_view> cpu_levels() { return levels; }

std::string best_cpu_level() {
  const auto best = std::find_if(levels.rbegin(), levels.rend(), has_cpu_level);
  return std::string(best == levels.rend() ? levels.front() : *best);
}

}  // namespace partita

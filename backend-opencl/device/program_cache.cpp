// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/program_cache.hpp"

#include <cstdlib>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/log.hpp"

namespace partita::opencl {

ProgramCache::ProgramCache(const DeviceProfile& profile) {
  // PoCL has one of its own, of what is launched; asked for a binary it compiles all kernels, for any size, as well.
  const bool driver_caches = is_pocl(profile);
  if (driver_caches && profile.device_class == DeviceClass::multicore) return;
  if (const char* const set = std::getenv("PARTITA_CACHE_DIR"); set != nullptr)
    folder_ = set;
  else if (!driver_caches)
    folder_ = user_cache_folder();
  if (!folder_.empty()) folder_ /= "opencl";
}

std::filesystem::path ProgramCache::path_of(const ProgramIdentity& id) const {
  return folder_ / (key_of(id) + ".bin");
}

std::optional<std::vector<std::byte>> ProgramCache::find(const ProgramIdentity& id) const {
  std::error_code ignored;
  if (!enabled() || !std::filesystem::is_regular_file(path_of(id), ignored)) return std::nullopt;
  try {
    return unpack_binary(id, read_file(path_of(id)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void ProgramCache::store(const ProgramIdentity& id, const std::vector<std::byte>& binary) const {
  if (!enabled()) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  try {
    write_file(path_of(id), pack_binary(id, {}, binary));
  } catch (const Error& error) {
    log(LogLevel::info, cat("program binary not cached: ", error.what()));
  }
}

}  // namespace partita::opencl

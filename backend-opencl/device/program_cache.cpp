// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An entry is a text header (magic line, identity, hash and size of the payload), a zero byte, and
// the payload.
#include "backend-opencl/device/program_cache.hpp"

#include <algorithm>
#include <cstdlib>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/log.hpp"

namespace partita::opencl {
namespace {

bool driver_caches(const DeviceProfile& profile) {
  return profile.platform.starts_with("Portable Computing Language");
}

std::string key_of(const ProgramIdentity& id) {
  Hasher hasher;
  hasher.add(id.device);
  hasher.add(id.options);
  hasher.add(id.source);
  return hasher.hex();
}

std::string header_of(const ProgramIdentity& id, std::span<const std::byte> payload) {
  Hasher hasher;
  hasher.add(payload);
  return cat("partita program binary 1\ndevice ", id.device, "\noptions ", id.options, "\nsource ",
             key_of(id), " ", id.source.size(), "\npayload ", hasher.hex(), " ", payload.size(),
             "\n");
}

}  // namespace

ProgramCache::ProgramCache(const DeviceProfile& profile) {
  const char* const set = std::getenv("PARTITA_CACHE_DIR");
  if (set != nullptr)
    folder_ = set;
  else if (!driver_caches(profile))
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
    const std::vector<std::byte> bytes = read_file(path_of(id));
    const auto zero = std::ranges::find(bytes, std::byte{0});
    if (zero == bytes.end()) return std::nullopt;
    std::vector<std::byte> payload(zero + 1, bytes.end());
    const std::string header(reinterpret_cast<const char*>(bytes.data()),
                             std::size_t(zero - bytes.begin()));
    if (header != header_of(id, payload)) return std::nullopt;
    return payload;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void ProgramCache::store(const ProgramIdentity& id, const std::vector<std::byte>& binary) const {
  if (!enabled()) return;
  const std::string header = header_of(id, binary);
  std::vector<std::byte> bytes(header.size() + 1 + binary.size());
  std::ranges::copy(std::as_bytes(std::span(header)), bytes.begin());
  std::ranges::copy(binary, bytes.begin() + std::ptrdiff_t(header.size()) + 1);
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  try {
    write_file(path_of(id), bytes);
  } catch (const Error& error) {
    log(LogLevel::info, cat("program binary not cached: ", error.what()));
  }
}

}  // namespace partita::opencl

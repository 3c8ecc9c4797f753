// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/compiler_identity.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdint>

#include "partita/base/cpu_levels.hpp"
#include "partita/base/hash.hpp"
#include "partita/compile.hpp"

namespace partita::pjrt {

namespace {

/// Size and time of the file that holds what lies there: another build of it is another file.
void add_library_of(const void* address, Hasher& hasher) {
  Dl_info info{};
  struct stat status = {};
  if (::dladdr(address, &info) == 0 || ::stat(info.dli_fname, &status) != 0) return;
  hasher.add(std::int64_t(status.st_size));
  hasher.add(std::int64_t(status.st_mtim.tv_sec));
  hasher.add(std::int64_t(status.st_mtim.tv_nsec));
}

template <class F>
const void* place_of(F* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

std::string compiler_identity(const std::map<std::string, std::string>& options,
                              const DeviceProfile& device) {
  Hasher hasher;
  add_library_of(place_of(&compiler_identity), hasher);
  add_library_of(place_of(&driver::compile_module), hasher);
  add_library_of(place_of(&content_hash), hasher);
  for (const auto& [name, value] : options) {
    hasher.add(name);
    hasher.add(value);
  }
  for (const std::string& text :
       {device.backend, device.name, device.vendor, device.driver, best_cpu_level()})
    hasher.add(text);
  hasher.add(std::int64_t(device.compute_units));
  return hasher.hex();
}

}  // namespace partita::pjrt

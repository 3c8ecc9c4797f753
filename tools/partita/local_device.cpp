// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/local_device.hpp"

#include "partita/base/error.hpp"
#include "partita/device/backend.hpp"
#include "partita/driver/target.hpp"

namespace partita::tool {

DeviceProfile local_device(const std::string& target, int index) {
  const Backend backend = find_backend(target);
  const std::vector<DeviceProfile> found =
      backend.usable != nullptr ? backend.usable() : backend.list();
  if (found.empty()) throw_device_error(cat(target, ": no device found; ", backend.hint));
  if (std::size_t(index) >= found.size())
    throw_user_error(
        cat("--device: expected local or a number below ", found.size(), ", found ", index));
  return found[std::size_t(index)];
}

void choose_local_class(driver::CompileOptions& options) {
  const driver::Target& target = driver::find_target(options.target);
  options.has_variants = false;
  if (options.device != "generic" || options.device_info || target.simt_profile.empty()) return;
  try {
    if (local_device(options.target).device_class == DeviceClass::simt)
      options.device = target.simt_profile;
  } catch (const Error&) {  // of devices: said when one is opened
    return;
  }
}

}  // namespace partita::tool

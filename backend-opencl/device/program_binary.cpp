// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/program_binary.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"

namespace partita::opencl {
namespace {

constexpr std::string_view magic = "partita program binary 2\n", kernels_word = "\nkernels";

std::string header_of(const ProgramIdentity& id, std::string_view kernels,
                      std::span<const std::byte> payload) {
  Hasher hasher;
  hasher.add(payload);
  return cat(magic, "device ", id.device, "\noptions ", id.options, "\nsource ", key_of(id), " ",
             id.source.size(), kernels_word, kernels.empty() ? "" : " ", kernels, "\npayload ",
             hasher.hex(), " ", payload.size(), "\n");
}

/// Up to the zero byte, which is where the payload's byte before the first is; nothing where there is none.
std::optional<std::string_view> header_in(std::span<const std::byte> packed) {
  const auto zero = std::ranges::find(packed, std::byte{0});
  if (zero == packed.end()) return std::nullopt;
  const std::string_view header(reinterpret_cast<const char*>(packed.data()),
                                std::size_t(zero - packed.begin()));
  return header.starts_with(magic) ? std::optional(header) : std::nullopt;
}

std::string_view kernels_line(std::string_view header) {
  const std::size_t word = header.rfind(kernels_word);
  if (word == std::string_view::npos) return {};
  const std::size_t begin = word + kernels_word.size();
  return header.substr(begin, header.find('\n', begin) - begin);
}

}  // namespace

ProgramIdentity identity_of(const DeviceProfile& profile, std::string options, std::string source) {
  return {.device = cat(profile.name, "; ", profile.driver, "; ", profile.platform),
          .options = std::move(options),
          .source = std::move(source)};
}

std::string key_of(const ProgramIdentity& id) {
  Hasher hasher;
  hasher.add(id.device);
  hasher.add(id.options);
  hasher.add(id.source);
  return hasher.hex();
}

std::vector<std::byte> pack_binary(const ProgramIdentity& id, std::string_view kernels,
                                   std::span<const std::byte> payload) {
  const std::string header = header_of(id, kernels, payload);
  std::vector<std::byte> packed(header.size() + 1 + payload.size());
  std::ranges::copy(std::as_bytes(std::span(header)), packed.begin());
  std::ranges::copy(payload, packed.begin() + std::ptrdiff_t(header.size()) + 1);
  return packed;
}

std::optional<std::vector<std::byte>> unpack_binary(const ProgramIdentity& id,
                                                    std::span<const std::byte> packed) {
  const auto header = header_in(packed);
  if (!header) return std::nullopt;
  const auto payload = packed.subspan(header->size() + 1);
  std::string_view kernels = kernels_line(*header);
  kernels.remove_prefix(kernels.empty() ? 0 : 1);
  if (*header != header_of(id, kernels, payload)) return std::nullopt;
  return std::vector<std::byte>(payload.begin(), payload.end());
}

std::vector<std::string> kernels_in(std::span<const std::byte> packed) {
  std::vector<std::string> names;
  const auto header = header_in(packed);
  if (!header) return names;
  std::istringstream line{std::string(kernels_line(*header))};
  for (std::string name; line >> name;) names.push_back(std::move(name));
  return names;
}

bool is_pocl(const DeviceProfile& profile) {
  return profile.platform.starts_with("Portable Computing Language");
}

}  // namespace partita::opencl

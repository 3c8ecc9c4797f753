// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Steps that the host computes: in the device's memory where the host may use it in place, else on copies.
#include <deque>

#include "runtime/exec/shard.hpp"

namespace partita {
namespace {

/// Stacks of matrices of a step as the host sees them.
struct HostStacks {
  std::vector<std::byte*> at;
  std::deque<std::vector<std::byte>> copies;  // of those that are not used in place

  std::span<std::byte> add_copy(std::size_t bytes) {
    std::span<std::byte> memory = copies.emplace_back(bytes);
    at.push_back(memory.data());
    return memory;
  }
};

}  // namespace

void Shard::run_step(const HostCall& x) {
  if (x.count == 0) return;
  const std::vector<Type> types = result_types(x.call);
  HostStacks operands, results;
  const auto in_place = [&](const BoundBuffer& at, const Type& type) -> std::byte* {
    const std::span<std::byte> bytes = device_->host_bytes(*at.buffer);
    if (bytes.empty()) return nullptr;
    return bytes.data() + std::size_t(at.element_offset) * byte_size(type.dtype);
  };
  const auto place = [&](const BufferRef& ref, const Type& type) {
    return locate(ref, x.count * type.count());
  };
  for (std::size_t k = 0; k < x.operands.size(); ++k) {
    const Type& type = x.call.operands[k];
    const BoundBuffer at = place(x.operands[k], type);
    if (std::byte* const bytes = in_place(at, type)) {
      operands.at.push_back(bytes);
      continue;
    }
    const std::span<std::byte> copy = operands.add_copy(std::size_t(x.count) * type.bytes());
    if (!copy.empty())
      device_->read(*at.buffer, std::size_t(at.element_offset) * byte_size(type.dtype), copy);
  }
  std::vector<std::pair<BoundBuffer, std::size_t>> to_write;
  for (std::size_t k = 0; k < x.results.size(); ++k) {
    const BoundBuffer at = place(x.results[k], types[k]);
    if (std::byte* const bytes = in_place(at, types[k])) {
      results.at.push_back(bytes);
      continue;
    }
    (void)results.add_copy(std::size_t(x.count) * types[k].bytes());
    to_write.emplace_back(at, byte_size(types[k].dtype));
  }
  const DeviceProfile& profile = device_->profile();
  run_matrix_call(x.call, x.count, operands.at, results.at,
                  profile.is_cpu ? profile.compute_units : 1);
  ++stats_.launches;
  for (std::size_t k = 0; k < to_write.size(); ++k) {
    const auto& [at, width] = to_write[k];
    const std::vector<std::byte>& bytes = results.copies[k];
    if (!bytes.empty()) device_->write(*at.buffer, std::size_t(at.element_offset) * width, bytes);
  }
}

}  // namespace partita

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/transfers.hpp"

#include <algorithm>

namespace partita {

void Transfers::upload(const DeviceBufferPtr& to, std::size_t byte_offset,
                       std::span<const std::byte> from) {
  if (copies_ == nullptr) return device_.write(*to, byte_offset, from);
  copies_->wait_for(device_.mark());
  // The stream is in order: the last copy to the memory ends last.
  std::erase_if(uploads_, [&](const Upload& u) { return u.to == to || u.to.use_count() == 1; });
  uploads_.push_back({to, copies_->write(*to, byte_offset, from)});
}

void Transfers::settle_uploads(const DeviceBuffer& memory) {
  const auto upload =
      std::ranges::find(uploads_, &memory, [](const Upload& u) { return u.to.get(); });
  if (upload == uploads_.end()) return;
  device_.wait_for(upload->done);
  uploads_.erase(upload);
}

void Transfers::download(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to,
                         const DeviceEventPtr& made) {
  if (copies_ == nullptr) return device_.read(from, byte_offset, to);
  copies_->wait_for(made);
  copies_->read(from, byte_offset, to);
}

}  // namespace partita

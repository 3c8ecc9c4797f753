// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops whose number of iterations the device decides, enqueued ahead of what the host knows.
#include <algorithm>
#include <deque>

#include "runtime/exec/shard.hpp"

namespace partita {

// The predicates of the last iterations are on their way to the host while further ones are enqueued: no more than have
// been run already, so that the iterations in vain, which do nothing (While::guarded), are never the most.
void Shard::run_ahead(const While& x, int most_ahead) {
  const std::size_t slots = std::size_t(most_ahead) + 1;
  if (!flags_) flags_ = device_->host_memory(slots);
  const std::span<std::byte> flags = flags_->bytes();
  struct Asked {
    DeviceEventPtr there;
    std::size_t slot = 0;
  };
  std::deque<Asked> asked;
  std::size_t iteration = 0, known = 0;  // of those known the predicate holds
  while (true) {
    execute(x.condition);
    const std::size_t slot = iteration++ % slots;
    const BoundBuffer at = locate(x.predicate, 1);
    asked.push_back(
        {device_->start_read(*at.buffer, std::size_t(at.element_offset), flags.subspan(slot, 1)),
         slot});
    for (; asked.size() > std::min(known, slots - 1); ++known) {
      if (asked.front().there) asked.front().there->wait();
      if (flags[asked.front().slot] == std::byte(0)) return;
      asked.pop_front();
    }
    execute(x.body);
  }
}

}  // namespace partita

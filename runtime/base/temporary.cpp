// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/temporary.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace partita {

namespace {

enum class SlotState { free, changing, in_use };

struct Slot {
  std::atomic<SlotState> state = SlotState::free;
  std::array<char, 1024> path = {};
};
static_assert(std::atomic<SlotState>::is_always_lock_free);

// Few live at once: a file that is written, a folder per compilation.
constinit std::array<Slot, 64> slots;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

std::string absolute_name(const std::filesystem::path& path) {
  std::error_code failure;
  const auto whole = std::filesystem::absolute(path, failure);
  return (failure ? path : whole).string();
}

int take_slot(const std::string& path) noexcept {
  if (path.size() >= Slot{}.path.size()) return -1;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    Slot& slot = slots[k];
    SlotState expected = SlotState::free;
    if (!slot.state.compare_exchange_strong(expected, SlotState::changing)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.state.store(SlotState::in_use, std::memory_order_release);
    return int(k);
  }
  return -1;
}

void release_slot(int slot) noexcept {
  if (slot >= 0) slots[std::size_t(slot)].state.store(SlotState::free);
}

// As the kernel writes directory entries; opendir and readdir take memory.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
};
constexpr std::size_t name_offset = 19;  // of an entry, behind the fields above without padding

void remove_files_in(int folder) noexcept {
  alignas(Entry) std::array<char, 4096> buffer;
  while (true) {
    const auto got = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) return;
    for (std::size_t at = 0; at < std::size_t(got);) {
      const char* const entry = buffer.data() + at;
      std::uint16_t size = 0;
      std::memcpy(&size, entry + offsetof(Entry, size), sizeof size);
      ::unlinkat(folder, entry + name_offset, 0);
      at += size;
    }
  }
}

void remove_path(const char* path) noexcept {
  if (::unlink(path) == 0) return;
  // A child that is still at work may add a file between the two steps.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    remove_files_in(folder);
    ::close(folder);
    if (::rmdir(path) == 0) return;
  }
}

}  // namespace

Temporary::Temporary(std::filesystem::path path)
    : path_(std::move(path)), slot_(take_slot(absolute_name(path_))) {}

Temporary::~Temporary() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  release_slot(slot_);
}

void Temporary::keep() noexcept {
  path_.clear();
  release_slot(slot_);
}

void remove_temporaries() noexcept {
  for (Slot& slot : slots)
    if (slot.state.load(std::memory_order_acquire) == SlotState::in_use)
      remove_path(slot.path.data());
}

}  // namespace partita

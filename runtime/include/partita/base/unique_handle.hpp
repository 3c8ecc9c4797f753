// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The one owner of C handles: a movable, non-copyable value that releases its handle once.  A
// traits struct says how:  struct FileTraits { using Handle = int;  static constexpr Handle none =
// -1;  static void release(Handle h) noexcept { ::close(h); } };
#pragma once

#include <utility>

namespace partita {

template <class Traits>
class UniqueHandle {
 public:
  using Handle = typename Traits::Handle;

  UniqueHandle() noexcept = default;
  /// Takes ownership.
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(other.release()) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  [[nodiscard]] Handle get() const noexcept { return handle_; }
  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != Traits::none; }
  /// Gives up ownership without releasing.
  [[nodiscard]] Handle release() noexcept { return std::exchange(handle_, Traits::none); }
  /// Releases what it holds and takes `handle`.
  void reset(Handle handle = Traits::none) noexcept {
    const Handle old = std::exchange(handle_, handle);
    if (old != Traits::none) Traits::release(old);
  }

 private:
  Handle handle_ = Traits::none;
};

}  // namespace partita

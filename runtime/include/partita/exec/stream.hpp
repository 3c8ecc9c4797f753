// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A device of this process with the work that is enqueued on it, and arrays that live there.  Arrays outlive what made
// them; functions (function.hpp) take and return them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "partita/base/host_array.hpp"
#include "partita/base/type.hpp"
#include "partita/device/device.hpp"
#include "partita/exec/event.hpp"

namespace partita {

class DeviceArray;
using DeviceArrayPtr = std::shared_ptr<DeviceArray>;

/// Work on a device, done in the order in which it was enqueued, by a thread of its own or, where nothing is before it and
/// it is short, by the thread that enqueues it.  Any thread may call everything.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  using Job = std::function<void(Device&)>;

  explicit Stream(std::shared_ptr<Device> device);
  /// Does what was enqueued first.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] const DeviceProfile& profile() const { return device_->profile(); }
  [[nodiscard]] std::int64_t allocated_bytes() const { return device_->allocated_bytes(); }
  [[nodiscard]] std::int64_t peak_allocated_bytes() const {
    return device_->peak_allocated_bytes();
  }
  /// For those that bind it to plans; only jobs use it.
  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }

  /// The event is done when the device has done what the job enqueued; it fails with what the job throws.  `is_short`: the
  /// caller rather does it than have it done.
  EventPtr enqueue(Job job, bool is_short = false);
  /// The same with an event that the caller has already.
  void enqueue(Job job, const EventPtr& done, bool is_short = false);
  /// Does the job in its turn and returns; throws what it throws.
  void run(const Job& job);

  /// An array of these elements, of the type's size, which may change when the call returns.
  [[nodiscard]] DeviceArrayPtr upload(const Type& type, std::span<const std::byte> elements);

  /// An array of elements where they lie in the host's memory: they stay as they are until `released` is called, in any
  /// thread, when nothing of the device reads them any more.  Null, and no call, where the device has to have a copy.
  [[nodiscard]] DeviceArrayPtr share(const Type& type, std::span<const std::byte> elements,
                                     std::function<void()> released);

  /// Held by whoever enqueues on several streams what waits for each other, so that all streams have it in one order.
  [[nodiscard]] static std::mutex& order();

  /// Memory for the temporaries of whatever runs, shared by all functions since the device does one after the other: pieces
  /// of at least so many bytes.  Within jobs.
  [[nodiscard]] std::vector<DeviceBufferPtr> arena(std::span<const std::int64_t> bytes);

 private:
  struct Entry {
    Job job;
    EventPtr done;
  };
  struct Reached {
    DeviceEventPtr mark;
    EventPtr done;
  };
  void do_now(Entry& entry);
  /// Does it in this thread where nothing is before it; false: it is as it was.
  bool do_if_idle(Entry& entry);
  void work();
  void complete();

  std::shared_ptr<Device> device_;
  std::vector<DeviceBufferPtr> arena_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> jobs_;
  std::deque<Reached> reached_;  // in order, where the device works by itself
  bool is_busy_ = false, is_ending_ = false, all_enqueued_ = false;
  std::thread worker_, completer_;  // completer: from the first mark on
};

/// Elements on a stream's device, known by their type before they are there.
class DeviceArray {
 public:
  DeviceArray(std::shared_ptr<Stream> stream, Type type, EventPtr ready)
      : stream_(std::move(stream)), type_(std::move(type)), ready_(std::move(ready)) {}

  [[nodiscard]] const Type& type() const { return type_; }
  [[nodiscard]] const std::shared_ptr<Stream>& stream() const { return stream_; }
  /// When the elements are there; fails where what makes them failed.
  [[nodiscard]] const EventPtr& ready() const { return ready_; }

  /// The elements, row-major, into `to` of the type's size, which stays as it is until the event.
  [[nodiscard]] EventPtr download(std::span<std::byte> to) const;
  /// Where the elements lie in the host's memory, when they are there, which it waits for; null on devices with memory
  /// of their own.  Valid while the array lives.
  [[nodiscard]] const std::byte* host_data() const;
  /// A copy on another device, or another one on this.
  [[nodiscard]] DeviceArrayPtr copy_to(const std::shared_ptr<Stream>& stream) const;
  /// The same elements as an array of other dimensions, of as many elements.
  [[nodiscard]] DeviceArrayPtr reshaped(const Dims& dims) const;

  /// Where the elements are or will be: the memory, null before the job that makes them has been done and where that
  /// failed.  Jobs hold the place, never the array, which holds their stream; only jobs look at what is in it.
  using Place = std::shared_ptr<DeviceBufferPtr>;
  [[nodiscard]] const Place& place() const { return place_; }

 private:
  std::shared_ptr<Stream> stream_;
  Type type_;
  EventPtr ready_;
  Place place_ = std::make_shared<DeviceBufferPtr>();
};

}  // namespace partita

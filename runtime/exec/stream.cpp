// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/stream.hpp"

#include <algorithm>
#include <utility>

#include "partita/base/error.hpp"

namespace partita {

Stream::Stream(std::shared_ptr<Device> device)
    : device_(std::move(device)), worker_([this] { work(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  worker_.join();
  {
    const std::lock_guard lock(mutex_);
    all_enqueued_ = true;
  }
  changed_.notify_all();
  if (completer_.joinable()) completer_.join();
}

EventPtr Stream::enqueue(Job job, bool is_short) {
  auto done = std::make_shared<Event>();
  enqueue(std::move(job), done, is_short);
  return done;
}

void Stream::enqueue(Job job, const EventPtr& done, bool is_short) {
  Entry entry{std::move(job), done};
  if (is_short && do_if_idle(entry)) return;
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(entry));
  changed_.notify_all();
}

bool Stream::do_if_idle(Entry& entry) {
  {
    const std::lock_guard lock(mutex_);
    if (is_busy_ || !jobs_.empty()) return false;
    is_busy_ = true;
  }
  do_now(entry);
  const std::lock_guard lock(mutex_);
  is_busy_ = false;
  if (!jobs_.empty() || is_ending_) changed_.notify_all();
  return true;
}

void Stream::run(const Job& job) { enqueue(job, true)->wait(); }

void Stream::do_now(Entry& entry) {
  DeviceEventPtr mark;
  std::exception_ptr error;
  try {
    entry.job(*device_);
    mark = device_->mark();
    if (!mark) device_->finish();
  } catch (...) {
    error = std::current_exception();
  }
  entry.job = nullptr;  // what it holds goes before anybody is told
  if (error || !mark) return entry.done->finish(error);
  const std::lock_guard lock(mutex_);
  reached_.push_back({std::move(mark), std::move(entry.done)});
  if (!completer_.joinable()) completer_ = std::thread([this] { complete(); });
  changed_.notify_all();
}

void Stream::work() {
  while (true) {
    Entry entry;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !is_busy_ && (is_ending_ || !jobs_.empty()); });
      if (jobs_.empty()) return;
      entry = std::move(jobs_.front());
      jobs_.pop_front();
      is_busy_ = true;
    }
    do_now(entry);
    const std::lock_guard lock(mutex_);
    is_busy_ = false;
  }
}

void Stream::complete() {
  while (true) {
    Reached reached;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return all_enqueued_ || !reached_.empty(); });
      if (reached_.empty()) return;
      reached = std::move(reached_.front());
      reached_.pop_front();
    }
    std::exception_ptr error;
    try {
      reached.mark->wait();
    } catch (...) {
      error = std::current_exception();
    }
    reached.done->finish(error);
  }
}

DeviceArrayPtr Stream::upload(const Type& type, std::span<const std::byte> elements) {
  PARTITA_ASSERT(elements.size() == type.bytes());
  auto ready = std::make_shared<Event>();
  auto array = std::make_shared<DeviceArray>(shared_from_this(), type, ready);
  const auto write = [place = array->place()](Device& device, std::span<const std::byte> from) {
    DeviceBufferPtr memory = device.allocate(from.size());
    if (!from.empty()) device.write(*memory, 0, from);
    *place = std::move(memory);
  };
  Entry now{[&](Device& device) { write(device, elements); }, ready};
  if (do_if_idle(now)) return array;
  std::vector<std::byte> copy(elements.begin(), elements.end());
  enqueue([write, copy = std::move(copy)](Device& device) { write(device, copy); }, ready);
  return array;
}

DeviceArrayPtr Stream::share(const Type& type, std::span<const std::byte> elements,
                             std::function<void()> released) {
  PARTITA_ASSERT(elements.size() == type.bytes());
  DeviceBufferPtr borrowed;
  run([&](Device& device) { borrowed = device.borrow(elements); });
  if (!borrowed) return nullptr;
  // Work that reads it may be under way when its last user lets it go: an array, which holds the stream, or a job.
  auto release = [this, released = std::move(released),
                  held = borrowed](DeviceBuffer* /*memory*/) mutable {
    held = nullptr;
    enqueue([](Device&) {})->on_done([released = std::move(released)](const std::exception_ptr&) {
      released();
    });
  };
  auto ready = std::make_shared<Event>();
  ready->finish();
  auto array = std::make_shared<DeviceArray>(shared_from_this(), type, std::move(ready));
  DeviceBuffer* const memory = borrowed.get();
  borrowed = nullptr;
  *array->place() = DeviceBufferPtr(memory, std::move(release));
  return array;
}

std::vector<DeviceBufferPtr> Stream::arena(std::span<const std::int64_t> bytes) {
  if (arena_.size() < bytes.size()) arena_.resize(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (arena_[i] && std::int64_t(arena_[i]->bytes()) >= bytes[i]) continue;
    arena_[i] = nullptr;  // may go before there is another
    arena_[i] = device_->allocate(std::size_t(bytes[i]));
  }
  return {arena_.begin(), arena_.begin() + std::ptrdiff_t(bytes.size())};
}

EventPtr DeviceArray::download(std::span<std::byte> to) const {
  PARTITA_ASSERT(to.size() == type_.bytes());
  constexpr std::size_t short_bytes = std::size_t(1) << 16;
  return stream_->enqueue(
      [place = place_, ready = ready_, to](Device& device) {
        if (const std::exception_ptr error = ready->error()) std::rethrow_exception(error);
        if (!to.empty()) device.read(**place, 0, to);
        // What failed while it was under way has failed by now.
        if (const std::exception_ptr error = ready->error()) std::rethrow_exception(error);
      },
      to.size() <= short_bytes);
}

const std::byte* DeviceArray::host_data() const {
  ready_->wait();
  const std::byte* data = nullptr;
  stream_->run([&](Device& device) { data = device.host_bytes(**place_).data(); });
  return data;
}

DeviceArrayPtr DeviceArray::reshaped(const Dims& dims) const {
  auto array =
      std::make_shared<DeviceArray>(stream_, Type{.dtype = type_.dtype, .dims = dims}, ready_);
  PARTITA_ASSERT(array->type().count() == type_.count());
  array->place_ = place_;
  return array;
}

DeviceArrayPtr DeviceArray::copy_to(const std::shared_ptr<Stream>& stream) const {
  auto copied = std::make_shared<Event>();
  auto array = std::make_shared<DeviceArray>(stream, type_, copied);
  const std::size_t bytes = type_.bytes();
  if (stream == stream_) {
    stream->enqueue(
        [from = place_, ready = ready_, place = array->place(), bytes](Device& device) {
          if (const std::exception_ptr error = ready->error()) std::rethrow_exception(error);
          DeviceBufferPtr to = device.allocate(bytes);
          if (bytes > 0) device.copy(**from, 0, *to, 0, bytes);
          *place = std::move(to);
        },
        copied);
    return array;
  }
  // In its turn on the other stream too: what comes after finds the elements there.
  const auto staging = std::make_shared<std::vector<std::byte>>(bytes);
  const std::lock_guard lock(Stream::order());
  stream->enqueue(
      [read = download(*staging), staging, place = array->place()](Device& device) {
        read->wait();
        DeviceBufferPtr to = device.allocate(staging->size());
        if (!staging->empty()) device.write(*to, 0, *staging);
        *place = std::move(to);
      },
      copied);
  return array;
}

std::mutex& Stream::order() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace partita

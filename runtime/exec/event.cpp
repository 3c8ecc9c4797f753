// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/event.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace partita {

bool Event::is_done() const {
  const std::lock_guard lock(mutex_);
  return is_done_;
}

void Event::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_done_; });
  if (error_) std::rethrow_exception(error_);
}

std::exception_ptr Event::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void Event::on_done(Callback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_done_) return callbacks_.push_back(std::move(callback));
  }
  callback(error_);  // never changes again
}

void Event::finish(std::exception_ptr error) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    error_ = std::move(error);
    callbacks.swap(callbacks_);
    changed_.notify_all();
  }
  for (const Callback& callback : callbacks) callback(error_);
}

EventPtr all_of(std::vector<EventPtr> events) {
  events.erase(std::unique(events.begin(), events.end()), events.end());
  if (events.size() == 1) return events.front();
  auto all = std::make_shared<Event>();
  if (events.empty()) {
    all->finish();
    return all;
  }
  const auto left = std::make_shared<std::atomic<std::size_t>>(events.size());
  for (const EventPtr& event : events)
    event->on_done([events, left, all](const std::exception_ptr&) {
      if (--*left > 0) return;
      for (const EventPtr& e : events)
        if (const std::exception_ptr error = e->error()) return all->finish(error);
      all->finish();
    });
  return all;
}

}  // namespace partita

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/event.hpp"

#include "plugin/error.hpp"
#include "plugin/functions.hpp"

namespace partita::pjrt {

namespace {

void destroy(abi::OfEvent& call) { delete call.event; }

void is_ready(abi::EventIsReady& call) { call.is_ready = call.event->event->is_done(); }

/// Error and Await: both give what the event failed with.
void await(abi::OfEvent& call) { call.event->event->wait(); }

// The handle may be destroyed before the callback is called.
void on_ready(abi::EventOnReady& call) {
  const EventPtr event = call.event->event;
  event->on_done([callback = call.callback, user = call.user](const std::exception_ptr& error) {
    callback(error_of(error), user);
  });
}

}  // namespace

EventPtr done_event() {
  auto event = std::make_shared<Event>();
  event->finish();
  return event;
}

void add_event_functions(abi::Table& table) {
  table.Event_Destroy = call<destroy>;
  table.Event_IsReady = call<is_ready>;
  table.Event_Error = call<await>;
  table.Event_Await = call<await>;
  table.Event_OnReady = call<on_ready>;
}

}  // namespace partita::pjrt

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sessions in C, over partita::Session.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "partita/exec/executor.hpp"
#include "runtime/c_api/artifact.hpp"
#include "runtime/c_api/boundary.hpp"

struct partita_session {
  std::unique_ptr<partita::Session> session;
  std::string trace;
};

namespace {

using partita::cat;
using partita::PortInfo;
using partita::c_api::guarded;
using partita::c_api::require;

partita::SessionOptions to_options(const partita_session_options& given) {
  if (given.devices_per_rank < 0 || given.timeout_ms < 0 || given.memory_budget < 0)
    partita::throw_user_error(
        "partita_session_options: devices_per_rank, timeout_ms and memory_budget: expected no "
        "negative value");
  partita::SessionOptions options;
  if (given.devices_per_rank > 0) options.devices_per_rank = given.devices_per_rank;
  options.use_mpi = given.use_mpi != 0;
  options.mpi_comm = given.mpi_comm;
  if (given.timeout_ms > 0) options.timeout = std::chrono::milliseconds(given.timeout_ms);
  options.check_replicas = given.check_replicas != 0;
  options.memory_budget = given.memory_budget;
  options.trace = given.trace != 0;
  if (given.command_queues != nullptr)
    options.host_queues.assign(given.command_queues,
                               given.command_queues + given.command_queue_count);
  return options;
}

const PortInfo& checked_port(const std::vector<PortInfo>& ports, std::size_t index,
                             const char* what) {
  if (index >= ports.size())
    partita::throw_user_error(cat(what, " ", index, ": expected an index below ", ports.size()));
  return ports[index];
}

void check_bytes(const PortInfo& port, std::size_t index, std::size_t bytes, const char* what) {
  if (bytes != port.type.bytes())
    partita::throw_user_error(cat(what, " ", index, " (", partita::to_string(port.type),
                                  "): expected ", port.type.bytes(), " bytes, found ", bytes));
}

std::span<const std::byte> checked_input(const partita::Session& session, std::size_t index,
                                         const void* data, std::size_t bytes) {
  check_bytes(checked_port(session.artifact().plan.inputs, index, "input"), index, bytes, "input");
  if (bytes == 0) return {};
  return {&require(static_cast<const std::byte*>(data), "data"), bytes};
}

}  // namespace

partita_status partita_session_create(const partita_artifact* artifact,
                                      const partita_session_options* options,
                                      partita_session** session) {
  return guarded([&] {
    require(session, "session");
    const partita::Artifact& program = require(artifact, "artifact").artifact;
    partita_session_options given{};
    if (options != nullptr) given = partita::c_api::read_sized(*options, "partita_session_options");
    auto made = std::make_unique<partita_session>();
    made->session = std::make_unique<partita::Session>(program, to_options(given));
    *session = made.release();
  });
}

void partita_session_free(partita_session* session) {
  const std::unique_ptr<partita_session> owner(session);
}

int32_t partita_session_rank(const partita_session* session) {
  return session == nullptr ? 0 : session->session->rank();
}

int32_t partita_session_ranks(const partita_session* session) {
  return session == nullptr ? 0 : session->session->ranks();
}

partita_status partita_session_set_input(partita_session* session, size_t index, const void* data,
                                         size_t bytes) {
  return guarded([&] {
    partita::Session& own = *require(session, "session").session;
    own.set_input(int(index), checked_input(own, index, data, bytes));
  });
}

partita_status partita_session_lend_input(partita_session* session, size_t index, const void* data,
                                          size_t bytes) {
  return guarded([&] {
    partita::Session& own = *require(session, "session").session;
    own.lend_input(int(index), checked_input(own, index, data, bytes));
  });
}

partita_status partita_session_submit(partita_session* session) {
  return guarded([&] { require(session, "session").session->submit(); });
}

partita_status partita_session_wait(partita_session* session) {
  return guarded([&] { require(session, "session").session->wait(); });
}

partita_status partita_session_run(partita_session* session) {
  return guarded([&] { require(session, "session").session->run(); });
}

partita_status partita_session_carry(partita_session* session, const partita_carry* carries,
                                     size_t count) {
  return guarded([&] {
    partita::Session& own = *require(session, "session").session;
    std::vector<partita::Carry> pairs;
    for (std::size_t i = 0; i < count; ++i) {
      const partita_carry& pair = (&require(carries, "carries"))[i];
      (void)checked_port(own.artifact().plan.outputs, pair.output, "output");
      (void)checked_port(own.artifact().plan.inputs, pair.input, "input");
      pairs.push_back({.output = int(pair.output), .input = int(pair.input)});
    }
    partita::check_carries(own.artifact().plan, pairs);
    own.carry(pairs);
  });
}

partita_status partita_session_read_output(partita_session* session, size_t index, void* data,
                                           size_t bytes) {
  return guarded([&] {
    partita::Session& own = *require(session, "session").session;
    const PortInfo& port = checked_port(own.artifact().plan.outputs, index, "output");
    check_bytes(port, index, bytes, "output");
    const bool receives = own.rank() == 0 && bytes > 0;
    if (receives) require(static_cast<std::byte*>(data), "data");
    const auto array = own.output(int(index));
    if (receives && array) std::ranges::copy(array->bytes, static_cast<std::byte*>(data));
  });
}

partita_status partita_session_stats(const partita_session* session, partita_stats* stats) {
  return guarded([&] {
    const partita::RunStats own = require(session, "session").session->stats();
    partita::c_api::write_sized(require(stats, "stats"),
                                {.struct_size = 0,
                                 .peak_device_bytes = own.peak_device_bytes,
                                 .peak_arena_bytes = own.peak_arena_bytes,
                                 .planned_bytes = own.planned_bytes,
                                 .communicated_bytes = own.communicated_bytes,
                                 .collective_calls = own.collective_calls,
                                 .launches = own.launches,
                                 .blocks = own.blocks,
                                 .held_bytes = own.held_bytes},
                                "partita_stats");
  });
}

partita_status partita_session_trace(partita_session* session, const char** json) {
  return guarded([&] {
    partita_session& own = require(session, "session");
    require(json, "json");
    own.trace = own.session->trace_json();
    *json = own.trace.c_str();
  });
}

namespace {
thread_local std::optional<partita::MpiGuard> mpi_guard;
}

partita_status partita_mpi_lock(void) {
  return guarded([] {
    if (mpi_guard) partita::throw_user_error("partita_mpi_lock: this thread holds the lock");
    mpi_guard.emplace();
  });
}

partita_status partita_mpi_unlock(void) {
  return guarded([] {
    if (!mpi_guard) partita::throw_user_error("partita_mpi_unlock: this thread holds no lock");
    mpi_guard.reset();
  });
}

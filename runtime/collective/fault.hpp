// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Failures injected on purpose (partita::Fault): which one is asked for, when it is due, doing it.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/collective/communicator.hpp"

namespace partita::collective {

/// That of the options, else that of PARTITA_FAULT.
[[nodiscard]] std::optional<Fault> fault_of(const CommunicatorOptions& options);
/// Whether it hits this shard's `call`-th collective call.
[[nodiscard]] bool is_due(const Fault& fault, int rank, int shard, std::int64_t call);
/// Does it: throws, or sends the own process the signal, or sleeps.
void commit(const Fault& fault);

}  // namespace partita::collective

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sockets of TCP as jobs use them: what does not succeed is an empty descriptor.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/collective/process_watch.hpp"

namespace partita::collective {

/// Takes connections at all addresses of this host.
struct Listener {
  FileDescriptor socket;
  int port = 0;
  /// A device error where there can be none.
  Listener();
};

/// Addresses of this host, as texts: PARTITA_TCP_ADDRESS alone where it is set, else those of interfaces that are up.
[[nodiscard]] std::vector<std::string> own_addresses();

/// Empty where nobody answers there in time.
[[nodiscard]] FileDescriptor connect_to(const std::string& address, int port,
                                        std::chrono::milliseconds at_most);
/// The next connection, empty where there is none yet.
[[nodiscard]] FileDescriptor accept_from(const Listener& listener);

/// Whether all bytes went out or came in within the time.  The socket does not block.
[[nodiscard]] bool send_all(int socket, std::span<const std::byte> bytes,
                            std::chrono::milliseconds at_most);
[[nodiscard]] bool receive_all(int socket, std::span<std::byte> bytes,
                               std::chrono::milliseconds at_most);

/// What a socket takes or has at once: bytes moved, 0 where it would block, -1 where the connection has ended.
[[nodiscard]] std::ptrdiff_t send_some(int socket, std::span<const std::byte> bytes);
[[nodiscard]] std::ptrdiff_t receive_some(int socket, std::span<std::byte> bytes);

}  // namespace partita::collective

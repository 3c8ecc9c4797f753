// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/tcp/sockets.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int backlog = 1024;

void send_at_once(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Listening at any port of a family's addresses; empty where the family is none of this host's.
FileDescriptor listening(int family, int& port) {
  FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return socket;
  sockaddr_storage address{};
  address.ss_family = sa_family_t(family);
  socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  const int no = 0;
  if (family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), any, size) != 0 || ::listen(socket.get(), backlog) != 0 ||
      ::getsockname(socket.get(), any, &size) != 0)
    return {};
  port = ntohs(family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(any)->sin6_port
                                  : reinterpret_cast<sockaddr_in*>(any)->sin_port);
  return socket;
}

/// Whether the socket is ready for `events` before the deadline.
bool is_ready(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd watched{socket, events, 0};
    const int found = ::poll(&watched, 1, int(left.count()));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

template <class Bytes, class Some>
bool move_all(int socket, Bytes bytes, short events, milliseconds at_most, const Some& some) {
  const auto deadline = Clock::now() + at_most;
  while (!bytes.empty()) {
    const std::ptrdiff_t moved = some(socket, bytes);
    if (moved < 0) return false;
    bytes = bytes.subspan(std::size_t(moved));
    if (moved == 0 && !is_ready(socket, events, deadline)) return false;
  }
  return true;
}

}  // namespace

Listener::Listener() {
  socket = listening(AF_INET6, port);
  if (!socket) socket = listening(AF_INET, port);
  if (!socket) throw_device_error(cat("TCP: no port to listen at: ", std::strerror(errno)));
}

std::vector<std::string> own_addresses() {
  if (const auto said = environment("PARTITA_TCP_ADDRESS")) return {*said};
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) throw_device_error("TCP: the host's addresses cannot be listed");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(all, &::freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address = nullptr;
    if (i->ifa_addr->sa_family == AF_INET) {
      address = &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr;
    } else if (i->ifa_addr->sa_family == AF_INET6) {
      const auto* const six = &reinterpret_cast<const sockaddr_in6*>(i->ifa_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LINKLOCAL(six)) address = six;
    }
    if (address == nullptr ||
        ::inet_ntop(i->ifa_addr->sa_family, address, text.data(), text.size()) == nullptr)
      continue;
    const bool is_own = (i->ifa_flags & IFF_LOOPBACK) != 0;  // within a host it is the fastest
    addresses.insert(is_own ? addresses.begin() : addresses.end(), text.data());
  }
  return addresses;
}

FileDescriptor connect_to(const std::string& address, int port, milliseconds at_most) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), cat(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  const auto deadline = Clock::now() + at_most;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    FileDescriptor socket(
        ::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol));
    if (!socket) continue;
    if (::connect(socket.get(), a->ai_addr, a->ai_addrlen) != 0) {
      if (errno != EINPROGRESS || !is_ready(socket.get(), POLLOUT, deadline)) continue;
      int error = 0;
      socklen_t size = sizeof error;
      if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
        continue;
    }
    send_at_once(socket.get());
    return socket;
  }
  return {};
}

FileDescriptor accept_from(const Listener& listener) {
  FileDescriptor socket(
      ::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket) send_at_once(socket.get());
  return socket;
}

std::ptrdiff_t send_some(int socket, std::span<const std::byte> bytes) {
  const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

std::ptrdiff_t receive_some(int socket, std::span<std::byte> bytes) {
  const ssize_t received = ::recv(socket, bytes.data(), bytes.size(), 0);
  if (received > 0) return received;
  if (received == 0) return -1;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

bool send_all(int socket, std::span<const std::byte> bytes, milliseconds at_most) {
  return move_all(socket, bytes, POLLOUT, at_most, send_some);
}

bool receive_all(int socket, std::span<std::byte> bytes, milliseconds at_most) {
  return move_all(socket, bytes, POLLIN, at_most, receive_some);
}

}  // namespace partita::collective

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/tcp/connections.hpp"

#include <cerrno>
#include <span>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// For an address to answer, and for what is said first.
constexpr milliseconds answer_limit{5'000};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

Connections::Connections(int rank, Listener listener, Word word)
    : rank_(rank),
      listener_(std::move(listener)),
      word_(word),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw_device_error(cat("eventfd: error ", errno));
  thread_ = std::thread([this] { take_connections(); });
}

Connections::~Connections() {
  is_ending_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  thread_.join();
}

void Connections::take_connections() {
  constexpr int look_again = 1'000;  // milliseconds, for those who say nothing
  std::vector<Stranger> strangers;
  while (!is_ending_) {
    std::vector<pollfd> watched{{listener_.socket.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    for (const Stranger& stranger : strangers)
      watched.push_back({stranger.socket.get(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), strangers.empty() ? -1 : look_again) < 0 &&
        errno != EINTR)
      return;
    std::erase_if(strangers, [this](Stranger& stranger) { return settle(stranger); });
    if (FileDescriptor socket = accept_from(listener_))
      strangers.push_back({std::move(socket), {}, 0, Clock::now() + answer_limit});
  }
}

bool Connections::settle(Stranger& stranger) {
  const std::span<std::byte> hello = writable_bytes_of(stranger.hello);
  const std::ptrdiff_t said = receive_some(stranger.socket.get(), hello.subspan(stranger.said));
  if (said < 0) return true;
  stranger.said += std::size_t(said);
  if (stranger.said < hello.size()) return Clock::now() > stranger.until;
  const std::byte answer{1};
  if (stranger.hello.word != word_ ||
      !send_all(stranger.socket.get(), bytes_of(answer), answer_limit))
    return true;
  const std::lock_guard lock(mutex_);
  arrived_[{stranger.hello.rank, stranger.hello.number}] = std::move(stranger.socket);
  return true;
}

FileDescriptor Connections::connect(int peer, std::uint32_t number) const {
  const Hello hello{word_, rank_, number};
  const Host& host = hosts_[std::size_t(peer)];
  for (const std::string& address : host.addresses) {
    FileDescriptor socket = connect_to(address, host.port, answer_limit);
    std::byte answer{0};
    if (socket && send_all(socket.get(), bytes_of(hello), answer_limit) &&
        receive_all(socket.get(), writable_bytes_of(answer), answer_limit) &&
        answer == std::byte{1})
      return socket;
  }
  std::string tried;
  for (const std::string& address : host.addresses)
    tried += cat(tried.empty() ? "" : ", ", address);
  throw_device_error(cat("TCP: rank ", peer, " does not answer at port ", host.port, " of ",
                         tried.empty() ? "no address" : tried,
                         " (PARTITA_TCP_ADDRESS says there where it is)"));
}

FileDescriptor Connections::to(int peer, std::uint32_t number) {
  if (rank_ > peer) return connect(peer, number);
  const std::lock_guard lock(mutex_);
  const auto found = arrived_.find({peer, number});
  if (found == arrived_.end()) return {};
  FileDescriptor socket = std::move(found->second);
  arrived_.erase(found);
  return socket;
}

}  // namespace partita::collective

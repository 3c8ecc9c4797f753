// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/process_watch.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <mutex>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"

namespace partita::collective {
namespace {

FileDescriptor new_event() {
  const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) throw_device_error(cat("eventfd: error ", errno));
  return FileDescriptor(fd);
}

void signal_event(int fd) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
}

/// Written by the handler of SIGTERM and never read, so every watch sees it.  Never closed.
int termination_event() {
  static const int fd = new_event().release();
  return fd;
}

volatile std::sig_atomic_t termination_fd = -1;
extern "C" void on_termination(int) {
  const int saved = errno;
  signal_event(termination_fd);
  errno = saved;
}

std::mutex notice_mutex;
int notices = 0;
bool handler_installed = false;

}  // namespace

void FileDescriptorTraits::release(Handle fd) noexcept { ::close(fd); }

std::uint64_t host_identity() {
  Hasher hasher;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string boot_id;
  std::getline(boot, boot_id);
  hasher.add(boot_id);
  std::array<char, 256> text{};
  if (::gethostname(text.data(), text.size() - 1) == 0) hasher.add(std::string_view(text.data()));
  const auto length = ::readlink("/proc/self/ns/pid", text.data(), text.size() - 1);
  if (length > 0) hasher.add(std::string_view(text.data(), std::size_t(length)));
  return hasher.value();
}

ProcessWatch::ProcessWatch() : wake_(new_event()) {}

void ProcessWatch::add(int rank, int pid) {
  // A kernel without process descriptors (before Linux 5.3) leaves this to the heartbeats.
  const long fd = ::syscall(SYS_pidfd_open, pid, 0);
  if (fd >= 0) watched_.push_back({rank, FileDescriptor(int(fd))});
}

void ProcessWatch::remove(int rank) {
  std::erase_if(watched_, [rank](const Watched& w) { return w.rank == rank; });
}

ProcessWatch::Events ProcessWatch::wait(std::chrono::milliseconds at_most) {
  std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}, {termination_event(), POLLIN, 0}};
  for (const Watched& w : watched_) polled.push_back({w.process.get(), POLLIN, 0});
  Events events;
  if (::poll(polled.data(), polled.size(), int(at_most.count())) <= 0) return events;
  if (polled[0].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
  }
  events.termination = polled[1].revents != 0;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (polled[i + 2].revents != 0) events.ended.push_back(watched_[i].rank);
  }
  return events;
}

void ProcessWatch::wake() { signal_event(wake_.get()); }

TerminationNotice::TerminationNotice() {
  const std::lock_guard lock(notice_mutex);
  if (notices++ > 0) return;
  termination_fd = termination_event();
  struct sigaction current {};
  ::sigaction(SIGTERM, nullptr, &current);
  if (current.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_handler = on_termination;
  action.sa_flags = SA_RESTART;
  handler_installed = ::sigaction(SIGTERM, &action, nullptr) == 0;
}

TerminationNotice::~TerminationNotice() {
  const std::lock_guard lock(notice_mutex);
  if (--notices > 0 || !handler_installed) return;
  ::signal(SIGTERM, SIG_DFL);
  handler_installed = false;
}

bool wait_for_termination(std::chrono::milliseconds at_most) {
  pollfd polled{termination_event(), POLLIN, 0};
  return ::poll(&polled, 1, int(at_most.count())) > 0;
}

void TerminationNotice::terminate() {
  ::signal(SIGTERM, SIG_DFL);
  ::kill(::getpid(), SIGTERM);
}

}  // namespace partita::collective

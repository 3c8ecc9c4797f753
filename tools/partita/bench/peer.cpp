// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/peer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "partita/base/error.hpp"

namespace partita::tool {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void throw_system_error(const std::string& what) {
  throw_device_error(cat(what, ": ", std::strerror(errno)));
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_system_error("pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& set) {
  std::vector<std::string> all;
  for (const auto& [name, value] : set) all.push_back(cat(name, "=", value));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view own(*entry);
    const bool is_set = std::ranges::any_of(set, [&](const auto& pair) {
      return own.starts_with(pair.first) && own.substr(pair.first.size()).starts_with('=');
    });
    if (!is_set) all.emplace_back(own);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// The last line with words, rather than one that a launcher draws.
std::string last_line(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string last;
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0; };
  for (std::string line; std::getline(file, line);)
    if (std::ranges::any_of(line, is_word)) last = line;
  return last;
}

}  // namespace

Process::Process(const ProcessOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that is gone is seen at the next read
  Pipe to = make_pipe(), from = make_pipe();
  const Descriptor log(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!log) throw_system_error(options.log.string());
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = merged_environment(options.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> env = pointers(environment);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw_system_error("fork");
  if (pid_ == 0) {  // from here on only what is safe after fork
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);
    ::signal(SIGPIPE, SIG_DFL);
    if (options.core >= 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(std::size_t(options.core), &set);
      ::sched_setaffinity(0, sizeof set, &set);
    }
    ::dup2(to.read.get(), STDIN_FILENO);
    ::dup2(from.write.get(), STDOUT_FILENO);
    ::dup2(log.get(), STDERR_FILENO);
    ::execvpe(argv[0], argv.data(), env.data());
    const char* const why = std::strerror(errno);
    static_cast<void>(!::write(STDERR_FILENO, why, std::strlen(why)));
    ::_exit(127);
  }
  input_ = std::move(to.write);
  output_ = std::move(from.read);
}

Process::~Process() {
  input_.reset();
  constexpr Seconds patience{5};
  if (wait_for(patience)) return;
  ::kill(pid_, SIGTERM);
  if (wait_for(patience)) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::note_end(int status) {
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  how_ = WIFSIGNALED(status) ? cat("ended by signal ", WTERMSIG(status))
                             : cat("ended with status ", status_);
}

bool Process::has_ended() {
  if (!how_.empty()) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  note_end(status);
  return true;
}

bool Process::wait_for(Seconds time) {
  const auto end = Clock::now() + time;
  while (!has_ended()) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

int Process::wait() {
  input_.reset();
  if (!has_ended()) {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    note_end(status);
  }
  return status_;
}

Peer::Peer(std::string name, Process& process, std::filesystem::path log, int from, int to)
    : name_(std::move(name)), process_(process), log_(std::move(log)), from_(from), to_(to) {}

void Peer::fail(const std::string& why) const {
  const std::string said = last_line(log_);
  throw_device_error(cat("peer ", name_, ": ", why, said.empty() ? "" : ": ", said));
}

void Peer::send(const boost::json::object& request) {
  const std::string line = boost::json::serialize(request) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t count = ::write(to_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;  // what became of it is seen when its answer is awaited
    sent += std::size_t(count);
  }
}

std::string Peer::read_line(Seconds silence) {
  const auto end = Clock::now() + silence;
  while (true) {
    const std::size_t newline = unread_.find('\n');
    if (newline != std::string::npos) {
      std::string line = unread_.substr(0, newline);
      unread_.erase(0, newline + 1);
      return line;
    }
    pollfd waited{.fd = from_, .events = POLLIN, .revents = 0};
    constexpr int glance_ms = 200;
    const int ready = ::poll(&waited, 1, glance_ms);
    if (ready > 0) {
      char text[4096];
      const ssize_t count = ::read(from_, text, sizeof text);
      if (count > 0) {
        unread_.append(text, std::size_t(count));
        continue;
      }
      if (count == 0) {
        const bool is_over = process_.wait_for(Seconds(2));
        fail(is_over ? process_.how_it_ended() : "closed its output");
      }
    } else if (ready == 0 && process_.has_ended()) {
      fail(process_.how_it_ended());
    }
    if (Clock::now() > end) fail(cat("silent for ", silence.count(), " s"));
  }
}

boost::json::object Peer::receive(Seconds silence) {
  const std::string line = read_line(silence);
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(line, error);
  if (error || !value.is_object())
    fail(cat("expected a JSON object, found '", line.substr(0, 200), "'"));
  if (const auto* text = value.as_object().if_contains("error"))
    fail(text->is_string() ? std::string(text->as_string()) : boost::json::serialize(*text));
  return std::move(value.as_object());
}

boost::json::object Peer::ask(const boost::json::object& request, Seconds silence) {
  send(request);
  return receive(silence);
}

}  // namespace partita::tool

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <string_view>
#include <thread>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary.hpp"
#include "partita/collective/communicator.hpp"
#include "partita_generated/backends.hpp"

namespace partita::tool {

namespace {

struct Failure {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // without the place
  std::string located;  // with it
  SourceLocation where;
  int failed_rank = -1;  // of a collective; -1 otherwise
};

// The bytes of a sequence of UTF-8 that `text` starts with; 0 where it is none that a terminal and
// JSON take as it is.
std::size_t printable_prefix(std::string_view text) {
  const auto at = [&](std::size_t k) { return std::uint8_t(text[k]); };
  const std::uint8_t first = at(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7F) || first == '\n' || first == '\t';
  const std::size_t size = first < 0xC2   ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((at(k) & 0xC0) != 0x80) return 0;
  const bool is_too_long = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  const bool is_none = (first == 0xED && at(1) >= 0xA0) || (first == 0xF4 && at(1) >= 0x90);
  return is_too_long || is_none ? 0 : size;
}

// Other bytes as \xHH: what a damaged file holds shall not reach a terminal.
std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  while (!text.empty()) {
    const std::size_t size = printable_prefix(text);
    const auto byte = std::uint8_t(text.front());
    if (size > 0)
      out += text.substr(0, size);
    else
      out.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

Failure thrown_failure() {
  try {
    throw;
  } catch (const CollectiveError& e) {
    return {ErrorKind::device, e.what(), e.located_message(), e.where(), e.failed_rank()};
  } catch (const Error& e) {
    return {e.kind(), e.what(), e.located_message(), e.where()};
  } catch (const std::bad_alloc&) {
    return {ErrorKind::device, "out of host memory", "out of host memory", {}};
  } catch (const std::exception& e) {
    return {ErrorKind::internal, e.what(), e.what(), {}};
  } catch (...) {
    return {ErrorKind::internal, "an unknown error", "an unknown error", {}};
  }
}

Failure current_failure() {
  Failure failure = thrown_failure();
  for (std::string* text : {&failure.message, &failure.located, &failure.where.file})
    *text = printable(*text);
  return failure;
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::user:
      return exit_user_error;
    case ErrorKind::device:
      return exit_device_error;
    case ErrorKind::internal:
      break;
  }
  return exit_internal_error;
}

// A signal that the parent had ignored (nohup) stays so.
void remove_temporaries_on(int signal) {
  const auto before = std::signal(signal, [](int arrived) {
    remove_temporaries();
    std::signal(arrived, SIG_DFL);
    std::raise(arrived);
  });
  if (before == SIG_IGN) std::signal(signal, SIG_IGN);
}

// Writes what a report of our bug needs; returns how the error text goes on.
std::string write_crash_file(const Failure& failure, std::span<char* const> arguments) {
  if (failure.message.find("partita-crash-") != std::string::npos) return "";
  std::string text = cat("partita ", PARTITA_VERSION, "\nerror: ", failure.located, "\ncommand:");
  for (const char* argument : arguments) text += cat(" '", argument, "'");
  text += "\n";
  for (const std::filesystem::path folder : {".", "/tmp"}) {
    const auto path = folder / cat("partita-crash-", ::getpid(), ".txt");
    try {
      write_file(path, std::string_view(text));
      return cat(" (a bug in partita; please report it with ", path.lexically_normal().string(),
                 ")");
    } catch (const Error&) {  // try the next folder
    }
  }
  return " (a bug in partita; no crash file could be written)";
}

// Rank 0 speaks at once and ends the job; where it cannot, rank 1 does so a moment later; the
// others only if neither does.
void wait_for_turn(const Failure& failure) {
  using namespace std::chrono_literals;
  if (!launched_by_mpi() || launched_rank() == 0) return;
  const bool is_next = failure.failed_rank == 0 && launched_rank() == 1;
  std::this_thread::sleep_for(is_next ? 300ms : 3s);
}

void print(const Failure& failure, const std::string& suffix, ErrorFormat format) {
  std::cout.flush();
  if (format == ErrorFormat::text) {
    // A note about the crash file belongs to line 1, an excerpt of the source follows it.
    std::string text = failure.located;
    text.insert(std::min(text.find('\n'), text.size()), suffix);
    // In one piece, or what mpirun says of the job comes in between.
    std::cerr << cat("error: ", text, "\n") << std::flush;
    return;
  }
  constexpr const char* kinds[] = {"user", "device", "internal"};
  boost::json::object object{
      {"error", failure.message + suffix},    {"kind", kinds[int(failure.kind)]},
      {"exit_code", exit_code(failure.kind)}, {"file", failure.where.file},
      {"line", failure.where.line},           {"column", failure.where.column}};
  std::cerr << boost::json::serialize(object) + "\n" << std::flush;
}

}  // namespace

ErrorSummary summarize_current_exception() {
  const Failure failure = current_failure();
  return {failure.located, exit_code(failure.kind)};
}

int report_current_exception(ErrorFormat format, std::span<char* const> arguments) {
  const Failure failure = current_failure();
  wait_for_turn(failure);
  const std::string suffix =
      failure.kind == ErrorKind::internal ? write_crash_file(failure, arguments) : "";
  print(failure, suffix, format);
  abort_mpi_job(exit_code(failure.kind));
  return exit_code(failure.kind);
}

void finish_output() {
  errno = 0;
  std::cout.flush();
  if (!std::cout)
    throw_user_error(cat("standard output: expected a writable file, found: ",
                         errno != 0 ? std::strerror(errno) : "a failed write"));
}

void prepare_process() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) < 0) break;
  for (const int signal : {SIGINT, SIGHUP}) remove_temporaries_on(signal);
  if (!launched_by_mpi()) return remove_temporaries_on(SIGTERM);
  constexpr unsigned seconds_left = 5;
  std::signal(SIGTERM, [](int) { ::alarm(seconds_left); });
}

}  // namespace partita::tool

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/report.hpp"

#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <thread>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
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

Failure current_failure() {
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
    std::cerr << "error: " << text << std::endl;
    return;
  }
  constexpr const char* kinds[] = {"user", "device", "internal"};
  boost::json::object object{
      {"error", failure.message + suffix},    {"kind", kinds[int(failure.kind)]},
      {"exit_code", exit_code(failure.kind)}, {"file", failure.where.file},
      {"line", failure.where.line},           {"column", failure.where.column}};
  std::cerr << boost::json::serialize(object) << std::endl;
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

void postpone_termination() {
  if (!launched_by_mpi()) return;
  constexpr unsigned seconds_left = 5;
  std::signal(SIGTERM, [](int) { ::alarm(seconds_left); });
}

}  // namespace partita::tool

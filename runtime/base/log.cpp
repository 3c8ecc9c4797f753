// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/log.hpp"

#include <iostream>
#include <mutex>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"

namespace partita {

namespace {

LogLevel level_from_environment() {
  const auto text = environment("PARTITA_LOG").value_or("warning");
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "off") return LogLevel::off;
  return LogLevel::warning;
}

struct LogState {
  std::mutex mutex;
  LogSink sink;
};

LogState& state() {
  static LogState instance;
  return instance;
}

}  // namespace

bool log_enabled(LogLevel level) {
  static const LogLevel shown = level_from_environment();
  return level >= shown && level != LogLevel::off;
}

void log(LogLevel level, const std::string& text) {
  if (!log_enabled(level)) return;
  constexpr const char* names[] = {"debug", "info", "warning"};
  const std::lock_guard lock(state().mutex);
  if (state().sink)
    state().sink(level, text);
  else
    std::cerr << cat(names[int(level)], ": ", text, "\n");
}

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(state().mutex);
  state().sink = std::move(sink);
}

}  // namespace partita

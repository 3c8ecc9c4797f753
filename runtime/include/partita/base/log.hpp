// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Messages that are not errors: one line each, to standard error or to the host's own log.  The
// level comes from PARTITA_LOG (debug, info, warning, off); by default warnings are shown.
#pragma once

#include <functional>
#include <string>

namespace partita {

enum class LogLevel { debug, info, warning, off };

/// One line without a newline at its end.  Safe from any thread.
void log(LogLevel level, const std::string& text);
/// Whether `level` is shown, for messages that are costly to make.
[[nodiscard]] bool log_enabled(LogLevel level);

using LogSink = std::function<void(LogLevel, const std::string&)>;
/// Replaces standard error; an empty function restores it.
void set_log_sink(LogSink sink);

}  // namespace partita

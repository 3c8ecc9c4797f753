// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How the tool ends when something fails: one error text, the exit code of its kind, a crash file
// for our own bugs, and the whole MPI job with it.
#pragma once

#include <span>
#include <string>

namespace partita::tool {

enum class ErrorFormat { text, json };

constexpr int exit_user_error = 2, exit_device_error = 3, exit_internal_error = 70;

/// What a command that goes on says of an error, and the exit code that it ends with.
struct ErrorSummary {
  std::string text;  ///< located, one line and perhaps an excerpt of the source
  int exit_code = exit_internal_error;
};
/// To be called in a catch block.
[[nodiscard]] ErrorSummary summarize_current_exception();

/// To be called in a catch block.  Prints the error (`arguments` go into a crash file), ends the
/// MPI job where there is one, and returns the exit code.  Where several ranks run, the others leave
/// it to the first to print what all meet.
[[nodiscard]] int report_current_exception(ErrorFormat format, std::span<char* const> arguments);

/// Throws a user error where what was written to standard output could not be (a full disk).
void finish_output();

/// What the tool does about its surroundings before anything else.  Standard streams that are closed
/// lead nowhere, so that no file that is opened takes their place.  An interrupted process removes its
/// temporary files.  Under mpirun, when another process of the job dies, the launcher terminates this
/// one, which thus has a moment left to say what it waited for.
void prepare_process();

}  // namespace partita::tool

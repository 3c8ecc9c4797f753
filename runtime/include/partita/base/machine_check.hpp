// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One question to a machine, such as whether there is a driver: what `partita doctor` asks.  Backends say
// what they need by these.  Not for decisions: what runs finds out by itself.
#pragma once

#include <string>
#include <string_view>

namespace partita {

struct Finding {
  enum class Verdict { ok, warning, failure };
  Verdict verdict = Verdict::ok;
  std::string text;  ///< one line; where something is missing, how to get it
};

struct MachineCheck {
  std::string_view name;
  Finding (*run)() = nullptr;
};

struct CommandResult {
  int status = 0;
  std::string output;
};
/// Runs a command of the shell and keeps the start of what it prints.
[[nodiscard]] CommandResult run_command(const std::string& command);

[[nodiscard]] std::string first_line(const std::string& text);

}  // namespace partita

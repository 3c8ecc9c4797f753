// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/machine_check.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace partita {

CommandResult run_command(const std::string& command) {
  CommandResult result;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {.status = 127, .output = "popen failed"};
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    if (result.output.size() < 4096) result.output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace partita

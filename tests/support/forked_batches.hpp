// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ranges of seeds, tried by several processes, so that a fuzzer uses all cores and survives what it
// finds: a process that dies or hangs is a failure of the seeds that it tried, and is replaced by one
// that tries those seeds one by one first.
//
// Batches are taken in order and those taken are finished: what was tried is one range.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace partita::testing {

struct BatchOptions {
  unsigned first = 1, count = ~0u;  ///< seeds
  unsigned size = 1;                ///< seeds of one batch
  unsigned jobs = 1;                ///< processes
  double seconds = 2;               ///< none is begun after that
  unsigned batch_seconds = 300;     ///< longer is a failure
};

/// What a process says of its batch.
class BatchOutput {
 public:
  explicit BatchOutput(int pipe) : pipe_(pipe) {}
  /// `seeds` failed; the line says which and why.
  void failed(unsigned seeds, const std::string& line) const;
  void refused(const std::string& why) const;
  void compared(int results, int exact) const;
  void say(const std::string& line) const;

 private:
  void send(const std::string& message) const;
  int pipe_;
};

struct BatchReport {
  unsigned seeds = 0, failed = 0;
  int results = 0, exact = 0;
  std::map<std::string, int> refused;  ///< why, and how often
  bool can_run = true;                 ///< false: `is_able` was false
};

struct BatchWork {
  std::function<bool()> is_able;  ///< asked in each process before its first batch
  std::function<void(unsigned first, unsigned count, const BatchOutput&)> run;
};

/// Prints failures as they come.  The work runs in processes of its own only.
[[nodiscard]] BatchReport run_batches(const BatchOptions& options, const BatchWork& work);

}  // namespace partita::testing

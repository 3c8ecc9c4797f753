// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which ranges of seeds of random programs were run, as lines of a file that runs append to, so that
// counts add up over runs, machines and days.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace partita::testing {

/// A line; fields stand in this order, with tabs between them.
struct LedgerEntry {
  std::string date, target;  ///< date: of the run's end, in UTC
  int version = 0;           ///< of the generator: seeds of others are other programs
  unsigned first = 1, programs = 0, failed = 0;
  std::string commit, machine;
};

/// In the order of the file; none where there is no such file.  A line that is no entry is a user error.
[[nodiscard]] std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file);
/// Makes the file where there is none.
void append_to_ledger(const std::filesystem::path& file, const LedgerEntry& entry);

/// The seed after the largest that was run.
[[nodiscard]] unsigned next_seed(const std::vector<LedgerEntry>& entries, const std::string& target,
                                 int version);
/// "cpu, generator 2: 5000 programs, 4800 different ones, 1 failed", a line for each target and version.
[[nodiscard]] std::string ledger_sums(const std::vector<LedgerEntry>& entries);

}  // namespace partita::testing

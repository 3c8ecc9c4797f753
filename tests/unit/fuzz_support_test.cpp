// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What fuzz_differential counts with: processes that share seeds, and the ledger of seeds that were run.
#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>

#include "partita/base/error.hpp"
#include "partita/base/temporary_folder.hpp"
#include "tests/support/forked_batches.hpp"
#include "tests/support/seed_ledger.hpp"

namespace partita::testing {
namespace {

BatchReport batches_that(const std::function<void(unsigned)>& run) {
  return run_batches({.first = 10, .count = 30, .size = 4, .jobs = 2, .seconds = 60},
                     {.is_able = [] { return true; },
                      .run =
                          [&](unsigned first, unsigned count, const BatchOutput& output) {
                            for (unsigned k = 0; k < count; ++k) run(first + k);
                            output.compared(int(count), 0);
                          }});
}

TEST(ForkedBatches, TryEverySeedOnce) {
  const BatchReport report = batches_that([](unsigned) {});
  EXPECT_EQ(report.seeds, 30U);
  EXPECT_EQ(report.results, 30);
  EXPECT_EQ(report.failed, 0U);
}

TEST(ForkedBatches, GoOnAfterOneThatDies) {
  const BatchReport report = batches_that([](unsigned seed) {
    if (seed == 15) std::_Exit(3);
  });
  EXPECT_EQ(report.seeds, 30U);
  EXPECT_EQ(report.results, 29) << "of its batch, all others are tried alone";
  EXPECT_EQ(report.failed, 2U) << "the batch, and the seed alone";
}

TEST(SeedLedger, AddsUpAndGoesOn) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "ledger.tsv";
  EXPECT_TRUE(read_ledger(file).empty());
  const LedgerEntry entry{.date = "2026-01-02T03:04",
                          .target = "cpu",
                          .version = 2,
                          .first = 1,
                          .programs = 100,
                          .failed = 1,
                          .commit = "abc",
                          .machine = "2 x a machine"};
  append_to_ledger(file, entry);
  LedgerEntry later = entry;
  later.first = 51;
  later.failed = 0;
  append_to_ledger(file, later);
  later.version = 3;
  append_to_ledger(file, later);
  const std::vector<LedgerEntry> entries = read_ledger(file);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].machine, "2 x a machine");
  EXPECT_EQ(next_seed(entries, "cpu", 2), 151U);
  EXPECT_EQ(next_seed(entries, "opencl", 2), 1U);
  EXPECT_EQ(ledger_sums(entries),
            "cpu, generator 2: 200 programs, 150 different ones, 1 failed\n"
            "cpu, generator 3: 100 programs, 100 different ones, 0 failed\n");
}

TEST(SeedLedger, RefusesALineThatIsNoEntry) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "ledger.tsv";
  append_to_ledger(file, {.date = "today", .target = "cpu\tgpu"});
  EXPECT_THROW((void)read_ledger(file), Error);
}

}  // namespace
}  // namespace partita::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/seed_ledger.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>

#include "partita/base/error.hpp"

namespace partita::testing {
namespace {

constexpr const char* head =
    "date\ttarget\tgenerator\tfirst seed\tprograms\tfailed\tcommit\tmachine\n";
constexpr std::size_t columns = 8;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields{""};
  for (const char c : line) {
    if (c == '\t')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

template <class T>
bool read_number(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file) {
  std::vector<LedgerEntry> entries;
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (number == 1 || line.empty()) continue;
    const std::vector<std::string> fields = fields_of(line);
    LedgerEntry e;
    if (fields.size() != columns || !read_number(fields[2], e.version) ||
        !read_number(fields[3], e.first) || !read_number(fields[4], e.programs) ||
        !read_number(fields[5], e.failed))
      throw_user_error(cat(file.string(), ":", number, ": expected ", columns,
                           " columns, a generator's version, seeds and counts, found '", line,
                           "'"));
    e.date = fields[0], e.target = fields[1], e.commit = fields[6], e.machine = fields[7];
    entries.push_back(std::move(e));
  }
  return entries;
}

void append_to_ledger(const std::filesystem::path& file, const LedgerEntry& e) {
  const bool is_new = !std::filesystem::exists(file);
  std::ofstream out(file, std::ios::app);
  if (is_new) out << head;
  out << cat(e.date, "\t", e.target, "\t", e.version, "\t", e.first, "\t", e.programs, "\t",
             e.failed, "\t", e.commit, "\t", e.machine, "\n");
  out.flush();
  if (!out) throw_user_error(cat("expected to write to ", file.string(), ", found no way to"));
}

unsigned next_seed(const std::vector<LedgerEntry>& entries, const std::string& target,
                   int version) {
  unsigned next = 1;
  for (const LedgerEntry& e : entries)
    if (e.target == target && e.version == version) next = std::max(next, e.first + e.programs);
  return next;
}

std::string ledger_sums(const std::vector<LedgerEntry>& entries) {
  struct Sum {
    std::uint64_t programs = 0, failed = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  };
  std::map<std::pair<std::string, int>, Sum> sums;
  for (const LedgerEntry& e : entries) {
    Sum& sum = sums[{e.target, e.version}];
    sum.programs += e.programs;
    sum.failed += e.failed;
    sum.ranges.emplace_back(e.first, std::uint64_t(e.first) + e.programs);
  }
  std::string text;
  for (auto& [key, sum] : sums) {
    std::ranges::sort(sum.ranges);
    std::uint64_t different = 0, end = 0;
    for (const auto& [first, last] : sum.ranges) {
      different += last > std::max(first, end) ? last - std::max(first, end) : 0;
      end = std::max(end, last);
    }
    text += cat(key.first, ", generator ", key.second, ": ", sum.programs, " programs, ", different,
                " different ones, ", sum.failed, " failed\n");
  }
  return text;
}

}  // namespace partita::testing

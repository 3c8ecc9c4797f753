// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Do all ranks hold the same value?  Shard 0 collects a record of each shard's and tells everybody
// what it found, so that every shard throws the same error.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "partita/base/hash.hpp"
#include "partita/collective/communicator.hpp"

namespace partita {
namespace {

/// A value's length, hash and first characters.
struct Record {
  std::uint64_t length = 0, hash = 0;
  std::array<char, 80> start{};
  bool operator==(const Record&) const = default;
};

Record record_of(std::string_view value) {
  Hasher hasher;
  hasher.add(value);
  Record record{.length = value.size(), .hash = hasher.value(), .start = {}};
  std::copy_n(value.begin(), std::min(value.size(), record.start.size()), record.start.begin());
  return record;
}

std::string quote(const Record& record) {
  const std::size_t shown = std::min<std::size_t>(record.length, record.start.size());
  return cat("'", std::string(record.start.data(), shown), shown < record.length ? "…'" : "'");
}

/// What says that shards hold parts, of which only some are the same.
std::string_view like_text(std::span<const int> like) {
  return std::ranges::all_of(like, [](int s) { return s == 0; }) ? "" : " that holds this part";
}

/// Empty where every record is as that of shard like[s].
std::string describe_differences(std::string_view what, std::span<const Record> records,
                                 std::span<const int> like, int shards_per_rank) {
  std::string ranks;
  const Record *first_other = nullptr, *wanted = nullptr;
  int listed = 0, last_rank = -1;
  for (std::size_t s = 1; s < records.size(); ++s) {
    const int rank = int(s) / shards_per_rank;
    const Record& other = records[std::size_t(like[s])];
    if (records[s] == other || rank == last_rank) continue;
    last_rank = rank;
    if (first_other == nullptr) {
      first_other = &records[s];
      wanted = &other;
    }
    if (++listed <= 16) ranks += cat(listed == 1 ? "" : ", ", rank);
  }
  if (first_other == nullptr) return {};
  if (listed > 16) ranks += cat(" and ", listed - 16, " more");
  const auto first = std::size_t(wanted - records.data()) / std::size_t(shards_per_rank);
  return cat(what, ": expected the same on every rank", like_text(like), ", found ", quote(*wanted),
             " on rank ", first, " and ", quote(*first_other), " on ",
             listed == 1 ? "rank " : "ranks ", ranks, listed > 1 ? " (the first of them)" : "");
}

}  // namespace

void compare_across_shards(Communicator& communicator, std::string_view what,
                           std::string_view value) {
  const std::vector<int> first(std::size_t(communicator.shards()), 0);
  compare_across_shards(communicator, what, value, first);
}

void compare_across_shards(Communicator& communicator, std::string_view what,
                           std::string_view value, std::span<const int> like) {
  if (communicator.shards() == 1) return;
  const std::string step = cat("comparing ", what);
  const Record mine = record_of(value);
  const std::size_t count = std::size_t(communicator.shards());
  std::vector<Record> records(communicator.shard() == 0 ? count : 0);
  const std::vector<std::size_t> sizes(count, sizeof(Record));
  communicator.gather_to_root(std::as_bytes(std::span(&mine, 1)),
                              std::as_writable_bytes(std::span(records)), sizes, step);
  std::array<char, 512> text{};
  if (communicator.shard() == 0) {
    const int shards_per_rank = communicator.shards() / communicator.ranks();
    const std::string differences = describe_differences(what, records, like, shards_per_rank);
    std::copy_n(differences.begin(), std::min(differences.size(), text.size() - 1), text.begin());
  }
  communicator.broadcast(std::as_writable_bytes(std::span(text)), step);
  if (text[0] != '\0') throw_user_error(text.data());
}

}  // namespace partita

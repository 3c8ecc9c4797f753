// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums, maxima and gathers over shards.  A shard is one device with its submit thread; a rank is a
// process with one or more shards; shard s of the job is shard s mod K of rank s / K.  Every shard
// makes the same calls in the same order.  All data is in host memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "partita/base/error.hpp"

namespace partita {

/// A collective under way.  wait() returns when its result is in place, or throws.  A request that
/// is destroyed without wait() first waits for the end of the collective and swallows its failure.
class Request {
 public:
  virtual ~Request() = default;
  virtual void wait() = 0;
};
using RequestPtr = std::unique_ptr<Request>;

/// What every wait throws once any shard of the job has failed: a device error whose text names the
/// step and the rank or shard that did not arrive, and why.
class CollectiveError : public Error {
 public:
  CollectiveError(const std::string& message, int failed_rank)
      : Error(ErrorKind::device, message), failed_rank_(failed_rank) {}
  /// The rank that failed, fell silent or left; -1 where no rank is known.
  [[nodiscard]] int failed_rank() const { return failed_rank_; }

 private:
  int failed_rank_;
};

/// A collective of the shards of each group of a list, as all of them call it.
struct GroupMeeting {
  GroupCall call = GroupCall::all_reduce;
  int groups = 0;  ///< number of the lists (add_groups)
  DType dtype = DType::i8;
  Combiner combiner = Combiner::sum;
  Wire wire = {};  ///< all_reduce: as of all shards
  /// all_gather: bytes of the block of each position, the same in every group.
  std::vector<std::size_t> sizes = {};
  std::string step;
};

/// One shard's handle on the group of all shards.  Calls of one shard come from one thread at a
/// time.  When any shard fails (poison), a rank's process ends, stops or leaves, or a rank's
/// heartbeats stay away for the timeout, every wait of every shard throws a CollectiveError.  A rank
/// that computes for long is not silent: its heartbeats come from a thread of their own.
///
/// Destruction is collective: it returns once every rank has destroyed its communicators or the job
/// has failed.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int shard() const = 0;
  [[nodiscard]] virtual int shards() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;

  /// In place over all shards; the same bits on every shard, in an order of summation that depends
  /// only on the number of shards and ranks.  A NaN anywhere gives NaN, max(-0, +0) is +0.
  /// Combiners: sum of everything (of i1: or), max and min of all but complex (of i1: or, and),
  /// logical_and and logical_or of i1 (and bit by bit of integers).  Refused is what
  /// travels as another dtype (travel_dtype).  `step` names the call for the watchdog.  `data` stays valid until wait()
  /// returns.
  [[nodiscard]] RequestPtr all_reduce(std::span<std::byte> data, DType dtype, Combiner combiner,
                                      const std::string& step) {
    return all_reduce(data, dtype, combiner, {}, step);
  }
  /// The same; sums of f32 may travel rounded between ranks (docs/collectives.md has the bounds).
  [[nodiscard]] virtual RequestPtr all_reduce(std::span<std::byte> data, DType dtype,
                                              Combiner combiner, const Wire& wire,
                                              const std::string& step) = 0;
  /// Concatenates the shards' blocks, in shard order, into `to` on every shard.  Blocks may differ
  /// in size and be empty; `to` is as large as all together (sizes[s] bytes from shard s).  `from`
  /// may be this shard's block of `to`.
  [[nodiscard]] virtual RequestPtr all_gather(std::span<const std::byte> from,
                                              std::span<std::byte> to,
                                              std::span<const std::size_t> sizes,
                                              const std::string& step) = 0;
  /// Lists of shards of the job that meet apart from others, by their numbers: each shard once, in lists of one
  /// size; for permute pairs [source, target], each target once.  Every shard gives the same lists; the number is this
  /// rank's own.
  [[nodiscard]] virtual int add_groups(const ShardLists& lists) = 0;
  /// Every shard of the job calls it.  `from` and `to` are apart, and hold, in a group of g members:
  ///   all_reduce      `to` alone, in place, as of all shards; combined by position
  ///   all_gather      a block of sizes[position] bytes; all blocks by position
  ///   reduce_scatter  g slices; one, combined of what all bring for this position
  ///   all_to_all      g slices, by target; g slices, by source
  ///   permute         a block; the source's block, or zeros
  /// Members of a group hold the same bits where they hold the same values.
  [[nodiscard]] virtual RequestPtr meet(const GroupMeeting& meeting,
                                        std::span<const std::byte> from,
                                        std::span<std::byte> to) = 0;
  /// As all_gather, but only shard 0's `to` is filled (others pass an empty span).
  virtual void gather_to_root(std::span<const std::byte> from, std::span<std::byte> to,
                              std::span<const std::size_t> sizes, const std::string& step) = 0;
  /// Shard 0's bytes reach everybody.
  virtual void broadcast(std::span<std::byte> data, const std::string& step) = 0;
  virtual void barrier(const std::string& step) = 0;
  /// Tells everybody that this shard failed and why; waits elsewhere end with that text.  The first
  /// reason of a job counts, later ones are ignored.
  virtual void poison(const std::string& why) noexcept = 0;

  /// Counted for the program's own collectives (all_reduce, all_gather and those of groups) of this shard; nothing
  /// is counted where there is only one shard.  Bytes are those of the result, as it travels between ranks.
  struct Counters {
    std::int64_t calls = 0, bytes = 0;
  };
  [[nodiscard]] virtual Counters counters() const = 0;
};

/// A failure injected on purpose, for tests of what happens then.  The environment variable
/// PARTITA_FAULT ("kill@rank:1,call:3", parse_fault) sets it where the options do not.
struct Fault {
  enum class Kind : std::uint8_t {
    fail,   ///< the call throws a device error
    kill,   ///< SIGKILL to the own process
    stop,   ///< SIGSTOP to the own process
    sleep,  ///< the call starts `delay` late
  };
  Kind kind = Kind::fail;
  int shard = -1;              ///< of the job, or -1: every shard of `rank`
  int rank = -1;               ///< or -1: every rank
  std::int64_t call = 0;       ///< before this collective call of a shard, counted from 0
  bool amid_transfer = false;  ///< instead when the rank's first bytes of that call have moved
  std::chrono::milliseconds delay{0};
};
/// "fail|kill|stop|sleep@key:value,…" with keys rank, shard, call, delay (ms), amid (0 or 1); empty
/// text is no fault; anything else is a user error.
[[nodiscard]] std::optional<Fault> parse_fault(std::string_view text);

/// Of the shards of this process, in order.
using Communicators = std::vector<std::unique_ptr<Communicator>>;

/// The blocks of all shards, in order, of which this process's bring `blocks`: all_gather by one thread for its shards.
[[nodiscard]] std::vector<std::byte> gather_by_all(const Communicators& shards,
                                                   std::span<const std::vector<std::byte>> blocks,
                                                   std::span<const std::size_t> sizes,
                                                   const std::string& step);

struct CommunicatorOptions {
  int shards_per_rank = 1;
  std::chrono::milliseconds timeout{60'000};       ///< silence, not length of a step (heartbeats)
  std::size_t chunk_bytes = std::size_t(4) << 20;  ///< at most this much is moved, then combined
  std::size_t max_message_bytes = std::size_t(1)
                                  << 30;  ///< longer transfers become several messages
  std::optional<Fault> fault;
};

/// A group of this process alone: one shard needs no thread and no copy; several reduce over
/// threads in fixed shard order.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> make_local_communicators(
    const CommunicatorOptions& options);
/// Over MPI (initialised here if the host program has not; `mpi_comm` is an MPI_Comm* to borrow and
/// duplicate, or null for the world).  Collective over the ranks, with the same options on each
/// (other options are a user error on every rank).  Where the host initialised MPI below
/// MPI_THREAD_SERIALIZED, shards_per_rank is 1, MPI is called on the caller's thread only, and there
/// are no heartbeats: a rank that ends is still noticed on the same host, a silent one is not.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> make_mpi_communicators(
    const CommunicatorOptions& options, const void* mpi_comm = nullptr);
/// Ranks of an MPI_Comm (null: of the world); initialises MPI as make_mpi_communicators does.
[[nodiscard]] int mpi_ranks(const void* mpi_comm = nullptr);
/// Whether this process was started by an MPI launcher.
[[nodiscard]] bool launched_by_mpi();

/// Collective over all shards: throws the same user error on every shard unless every shard has the
/// same `value`, naming the ranks that differ from rank 0.  `what` names the value in that error.
void compare_across_shards(Communicator& communicator, std::string_view what,
                           std::string_view value);
/// The same where shard s has to agree with shard like[s] alone.
void compare_across_shards(Communicator& communicator, std::string_view what,
                           std::string_view value, std::span<const int> like);

/// A vector that is combined over ranks.
struct AllReduceSize {
  std::size_t bytes = 0, element_bytes = 4;
  int ranks = 1;
  bool leaves_host = false;                        ///< ranks are on several hosts
  std::size_t chunk_bytes = std::size_t(4) << 20;  ///< CommunicatorOptions
};
/// The messages that this takes: the same on all ranks.
struct AllReduceShape {
  enum class Way : std::uint8_t {
    doubling,  ///< whole vectors with ranks 1, 2, 4, … away
    halving,   ///< halves, quarters, … with ranks …, 2, 1 away, and back
    ring       ///< segments from the previous rank to the next one, all around twice
  } way = Way::ring;
  std::size_t segment_bytes = 0;  ///< of the ring
};
[[nodiscard]] AllReduceShape all_reduce_shape(const AllReduceSize& size);

/// Ends the whole MPI job with `exit_code` (MPI_Abort); without MPI or with one rank it returns.
/// For the top level of a program only.
void abort_mpi_job(int exit_code) noexcept;

/// Held while a host program that initialised MPI with MPI_THREAD_SERIALIZED calls MPI itself while
/// communicators exist.
class MpiGuard {
 public:
  MpiGuard();
  ~MpiGuard();
  MpiGuard(const MpiGuard&) = delete;
  MpiGuard& operator=(const MpiGuard&) = delete;
};

}  // namespace partita

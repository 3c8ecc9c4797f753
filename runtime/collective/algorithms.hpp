// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The collectives over ranks, written as plain sequences of messages over a Channel.  Every rank
// calls the same function with the same sizes.  Which algorithm runs depends only on sizes and the
// number of ranks, so all ranks agree, and a result has the same bits on every rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "runtime/collective/channel.hpp"

namespace partita::collective {

struct TransferOptions {
  std::size_t chunk_bytes = std::size_t(4) << 20;  ///< pipelining unit of long vectors
};

/// What collectives over ranks need besides the channel; the scratch memory is kept between calls.
struct Ranks {
  Channel& channel;
  TransferOptions options;
  std::vector<std::byte>& scratch;
};

/// In place, in the way that all_reduce_shape gives.
void all_reduce(Ranks ranks, std::span<std::byte> data, DType dtype, Combiner combiner);

/// Rank r's block is data[offsets[r], offsets[r + 1]) and in place already on that rank; afterwards
/// all blocks are in place on every rank.  `offsets` has ranks + 1 entries.
void all_gather(Ranks ranks, std::span<std::byte> data, std::span<const std::size_t> offsets);

/// Afterwards block r of rank r, data[offsets[r], offsets[r + 1]), holds the combination of all ranks' blocks r, and
/// the others anything.
void reduce_scatter(Ranks ranks, std::span<std::byte> data, std::span<const std::size_t> offsets,
                    DType dtype, Combiner combiner);

/// Each rank's `block` reaches rank 0's `data` at its offset (where rank 0's own lies already).
void gather_to_root(Ranks ranks, std::span<const std::byte> block, std::span<std::byte> data,
                    std::span<const std::size_t> offsets);

/// Rank 0's bytes reach every rank, down a binomial tree, in chunks.
void broadcast(Ranks ranks, std::span<std::byte> data);

/// Returns when every rank has called it.
void barrier(Ranks ranks);

}  // namespace partita::collective

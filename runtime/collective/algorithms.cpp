// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "partita/collective/communicator.hpp"
#include "runtime/collective/combine.hpp"

namespace partita::collective {
namespace {

using Bytes = std::span<std::byte>;
using Ticket = Channel::Ticket;

/// Receives posted ahead of the one that is being combined.
constexpr std::size_t depth = 3;

/// Part of a vector, in bytes.
struct Segment {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] Bytes of(Bytes data) const { return data.subspan(begin, end - begin); }
};

/// Cuts [begin, end) into segments of `size` bytes; the last may be shorter.
void append_segments(std::vector<Segment>& to, std::size_t begin, std::size_t end,
                     std::size_t size) {
  for (; begin < end; begin += size) to.push_back({begin, std::min(end, begin + size)});
}

/// Segments in the order in which they pass through this rank in a ring: block `own` leaves first,
/// then the blocks own - 1, own - 2, … come in, all but the last of which are passed on.
struct RingOrder {
  std::vector<Segment> outgoing, incoming;
  std::size_t passed_on = 0;  ///< the first so many of `incoming`
};

RingOrder ring_order(std::span<const std::size_t> offsets, int own, std::size_t segment_bytes) {
  const int ranks = int(offsets.size()) - 1;
  RingOrder order;
  const auto block = [&](int i) { return std::size_t(((i % ranks) + ranks) % ranks); };
  append_segments(order.outgoing, offsets[block(own)], offsets[block(own) + 1], segment_bytes);
  for (int step = 0; step < ranks - 1; ++step) {
    order.passed_on = order.incoming.size();
    const std::size_t b = block(own - step - 1);
    append_segments(order.incoming, offsets[b], offsets[b + 1], segment_bytes);
  }
  return order;
}

struct Neighbours {
  int next, previous;
};
Neighbours neighbours(const Channel& channel) {
  const int rank = channel.rank(), ranks = channel.ranks();
  return {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
}

/// Sends block `own` around the ring and receives all others in place.
void ring_gather(Ranks ranks, Bytes data, std::span<const std::size_t> offsets, int own,
                 std::size_t segment_bytes) {
  Channel& channel = ranks.channel;
  const Neighbours ring = neighbours(channel);
  const RingOrder order = ring_order(offsets, own, segment_bytes);
  const std::size_t count = order.incoming.size();
  std::vector<Ticket> sent, received(count, Channel::none);
  std::size_t posted = 0;
  const auto post_until = [&](std::size_t end) {
    for (; posted < std::min(end, count); ++posted) {
      received[posted] = channel.receive(ring.previous, order.incoming[posted].of(data));
    }
  };
  post_until(depth);
  for (const Segment& segment : order.outgoing)
    sent.push_back(channel.send(ring.next, segment.of(data)));
  for (std::size_t i = 0; i < count; ++i) {
    channel.wait(received[i]);
    if (i < order.passed_on) sent.push_back(channel.send(ring.next, order.incoming[i].of(data)));
    post_until(i + 1 + depth);
  }
  channel.wait_all(sent);
}

/// What a ring's reduce-scatter combines.
struct Reduction {
  DType dtype;
  Combiner combiner;
};

/// Block `first` leaves first, the next rank's being one more; afterwards block first + 1 of this rank holds the
/// combination of all ranks' blocks.
void ring_reduce_scatter(Ranks ranks, Bytes data, std::span<const std::size_t> offsets, int first,
                         std::size_t segment_bytes, Reduction reduction) {
  Channel& channel = ranks.channel;
  const Neighbours ring = neighbours(channel);
  const RingOrder order = ring_order(offsets, first, segment_bytes);
  const std::size_t count = order.incoming.size();
  ranks.scratch.resize(std::max(ranks.scratch.size(), depth * segment_bytes));
  std::array<Ticket, depth> received{};
  std::vector<Ticket> sent;
  const auto staging = [&](std::size_t i) {
    return Bytes(ranks.scratch)
        .subspan(i % depth * segment_bytes, order.incoming[i].end - order.incoming[i].begin);
  };
  const auto post = [&](std::size_t i) {
    if (i < count) received[i % depth] = channel.receive(ring.previous, staging(i));
  };
  for (std::size_t i = 0; i < depth; ++i) post(i);
  for (const Segment& segment : order.outgoing)
    sent.push_back(channel.send(ring.next, segment.of(data)));
  for (std::size_t i = 0; i < count; ++i) {
    channel.wait(received[i % depth]);
    const Bytes mine = order.incoming[i].of(data);
    combine(reduction.dtype, reduction.combiner, mine.data(), staging(i).data(), mine.data(),
            mine.size() / byte_size(reduction.dtype));
    if (i < order.passed_on) sent.push_back(channel.send(ring.next, mine));
    post(i + depth);
  }
  channel.wait_all(sent);
}

/// Bytes of a segment, whole elements: small enough to be combined while in the cache, large enough
/// that a block has at most 256 of them where `chunk_bytes` allows.
std::size_t segment_size(std::size_t block_bytes, std::size_t chunk_bytes,
                         std::size_t element_bytes) {
  constexpr std::size_t preferred = std::size_t(512) << 10, most = 256;
  const std::size_t size = std::max(std::min(preferred, chunk_bytes), block_bytes / most);
  return std::max<std::size_t>(std::min(size, chunk_bytes) / element_bytes, 1) * element_bytes;
}

/// Reduce-scatter and gather as one stream: the segments of blocks r, r - 1, …, r + 1 of rank r pass it in this order
/// twice. The first time what comes in is combined with what lies here, the second time it is the result; either way it
/// goes on to the next rank at once, while it is in the cache.
void ring_all_reduce(Ranks ranks, Bytes data, Reduction reduction, std::size_t size) {
  Channel& channel = ranks.channel;
  const Neighbours ring = neighbours(channel);
  const int count = channel.ranks(), rank = channel.rank();
  const std::size_t element = byte_size(reduction.dtype), elements = data.size() / element;
  std::vector<Segment> segments;
  std::vector<std::size_t> ends;  // of the segments of each block
  for (int i = 0; i < count; ++i) {
    const auto block = block_of(std::int64_t(elements), (rank - i + count) % count, count);
    append_segments(segments, std::size_t(block.begin) * element, std::size_t(block.end) * element,
                    size);
    ends.push_back(segments.size());
  }
  const std::size_t all = segments.size(), own = ends.front(), combined = all - own;
  const auto before = [&](int blocks) {
    return blocks < count ? ends[std::size_t(count - 1 - blocks)] : 0;
  };
  const std::size_t incoming = combined + before(1), outgoing = all + before(2);

  ranks.scratch.resize(std::max(ranks.scratch.size(), depth * size));
  const auto passing = [&](std::size_t i) { return segments[(own + i) % all].of(data); };
  const auto staging = [&](std::size_t i) {
    return Bytes(ranks.scratch).subspan(i % depth * size, passing(i).size());
  };
  std::vector<Ticket> sent, received;
  const auto post = [&](std::size_t end) {
    while (received.size() < std::min(end, incoming)) {
      const std::size_t i = received.size();
      if (i < combined) {
        received.push_back(channel.receive(ring.previous, staging(i)));
        continue;
      }
      // The result comes to where the partial sum was sent from.
      const std::size_t partial = i - combined;
      if (partial >= sent.size()) return;
      channel.wait(std::exchange(sent[partial], Channel::none));
      received.push_back(channel.receive(ring.previous, passing(i)));
    }
  };
  post(depth);
  for (std::size_t i = 0; i < own; ++i)
    sent.push_back(channel.send(ring.next, segments[i].of(data)));
  for (std::size_t i = 0; i < incoming; ++i) {
    post(i + 1);
    channel.wait(received[i]);
    const Bytes mine = passing(i);
    if (i < combined) {
      combine(reduction.dtype, reduction.combiner, mine.data(), staging(i).data(), mine.data(),
              mine.size() / element);
    }
    if (sent.size() < outgoing) sent.push_back(channel.send(ring.next, mine));
    post(i + 1 + depth);
  }
  channel.wait_all(sent);
}

/// Recursive doubling.  Ranks beyond a power of two hand their vector to a partner first and get the
/// result last.  The lower group's value is always the first operand, so both partners of an
/// exchange compute the same bits.
void doubling_all_reduce(Ranks ranks, Bytes data, Reduction reduction) {
  Channel& channel = ranks.channel;
  const int rank = channel.rank(), count = channel.ranks();
  const int power = int(std::bit_floor(unsigned(count))), extra = count - power;
  ranks.scratch.resize(std::max(ranks.scratch.size(), data.size()));
  const Bytes other = Bytes(ranks.scratch).first(data.size());
  const auto combine_with_other = [&](bool mine_first) {
    combine(reduction.dtype, reduction.combiner, data.data(),
            mine_first ? data.data() : other.data(), mine_first ? other.data() : data.data(),
            data.size() / byte_size(reduction.dtype));
  };
  if (rank >= power) {
    channel.wait(channel.send(rank - power, data));
    channel.wait(channel.receive(rank - power, data));
    return;
  }
  if (rank < extra) {
    channel.wait(channel.receive(rank + power, other));
    combine_with_other(true);
  }
  for (int mask = 1; mask < power; mask <<= 1) {
    channel.exchange(rank ^ mask, data, other);
    combine_with_other((rank & mask) == 0);
  }
  if (rank < extra) channel.wait(channel.send(rank + power, data));
}

/// Recursive halving, by which each rank gets the combination of a block, then doubling, by which all get all blocks.
/// Ranks beyond a power of two as in recursive doubling.
void halving_all_reduce(Ranks ranks, Bytes data, Reduction reduction) {
  Channel& channel = ranks.channel;
  const int rank = channel.rank(), count = channel.ranks();
  const int power = int(std::bit_floor(unsigned(count))), extra = count - power;
  if (rank >= power) {
    channel.wait(channel.send(rank - power, data));
    channel.wait(channel.receive(rank - power, data));
    return;
  }
  const std::size_t element = byte_size(reduction.dtype);
  const auto combine_into = [&](Bytes mine, Bytes other) {
    combine(reduction.dtype, reduction.combiner, mine.data(), mine.data(), other.data(),
            mine.size() / element);
  };
  ranks.scratch.resize(std::max(ranks.scratch.size(), data.size()));
  const Bytes scratch(ranks.scratch);
  if (rank < extra) {
    channel.wait(channel.receive(rank + power, scratch.first(data.size())));
    combine_into(data, scratch.first(data.size()));
  }
  struct Halves {
    int partner;
    Segment mine, other;
  };
  std::vector<Halves> steps;
  Segment left{0, data.size()};
  for (int mask = power / 2; mask > 0; mask /= 2) {
    const std::size_t middle = left.begin + (left.end - left.begin) / element / 2 * element;
    const Segment lower{left.begin, middle}, upper{middle, left.end};
    const bool is_lower = (rank & mask) == 0;
    steps.push_back({rank ^ mask, is_lower ? lower : upper, is_lower ? upper : lower});
    left = steps.back().mine;
    const Bytes mine = left.of(data), other = scratch.first(mine.size());
    channel.exchange(rank ^ mask, steps.back().other.of(data), other);
    combine_into(mine, other);
  }
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    channel.exchange(step->partner, step->mine.of(data), step->other.of(data));
  if (rank < extra) channel.wait(channel.send(rank + power, data));
}

}  // namespace

void all_reduce(Ranks ranks, Bytes data, DType dtype, Combiner combiner) {
  check_combinable(dtype, combiner);
  if (ranks.channel.ranks() == 1 || data.empty()) return;
  const Reduction reduction{dtype, combiner};
  const AllReduceShape shape = all_reduce_shape({.bytes = data.size(),
                                                 .element_bytes = byte_size(dtype),
                                                 .ranks = ranks.channel.ranks(),
                                                 .leaves_host = ranks.channel.leaves_host(),
                                                 .chunk_bytes = ranks.options.chunk_bytes});
  switch (shape.way) {
    case AllReduceShape::Way::doubling:
      return doubling_all_reduce(ranks, data, reduction);
    case AllReduceShape::Way::halving:
      return halving_all_reduce(ranks, data, reduction);
    case AllReduceShape::Way::ring:
      return ring_all_reduce(ranks, data, reduction, shape.segment_bytes);
  }
}

void all_gather(Ranks ranks, Bytes data, std::span<const std::size_t> offsets) {
  Channel& channel = ranks.channel;
  const int rank = channel.rank(), count = channel.ranks();
  if (count == 1 || data.empty()) return;
  constexpr int direct_ranks = 16;
  constexpr std::size_t direct_bytes = std::size_t(32) << 10;
  if (count > direct_ranks || data.size() > direct_bytes) {
    const std::size_t segment =
        segment_size(data.size() / std::size_t(count), ranks.options.chunk_bytes, 1);
    return ring_gather(ranks, data, offsets, rank, segment);
  }
  const auto block = [&](int r) {
    return data.subspan(offsets[std::size_t(r)],
                        offsets[std::size_t(r) + 1] - offsets[std::size_t(r)]);
  };
  std::vector<Ticket> tickets;
  for (int i = 1; i < count; ++i) {
    const int peer = (rank + i) % count;
    tickets.push_back(channel.receive(peer, block(peer)));
  }
  for (int i = 1; i < count; ++i) tickets.push_back(channel.send((rank + i) % count, block(rank)));
  channel.wait_all(tickets);
}

void reduce_scatter(Ranks ranks, Bytes data, std::span<const std::size_t> offsets, DType dtype,
                    Combiner combiner) {
  check_combinable(dtype, combiner);
  const int rank = ranks.channel.rank(), count = ranks.channel.ranks();
  if (count == 1 || data.empty()) return;
  const std::size_t segment =
      segment_size(data.size() / std::size_t(count), ranks.options.chunk_bytes, byte_size(dtype));
  ring_reduce_scatter(ranks, data, offsets, rank - 1, segment, {dtype, combiner});
}

void gather_to_root(Ranks ranks, std::span<const std::byte> block, Bytes data,
                    std::span<const std::size_t> offsets) {
  Channel& channel = ranks.channel;
  if (channel.rank() != 0) return channel.wait(channel.send(0, block));
  std::vector<Ticket> tickets;
  for (int r = 1; r < channel.ranks(); ++r) {
    const std::size_t begin = offsets[std::size_t(r)], end = offsets[std::size_t(r) + 1];
    tickets.push_back(channel.receive(r, data.subspan(begin, end - begin)));
  }
  channel.wait_all(tickets);
}

void broadcast(Ranks ranks, Bytes data) {
  Channel& channel = ranks.channel;
  const int rank = channel.rank(), count = channel.ranks();
  if (count == 1 || data.empty()) return;
  // The parent of a rank is the rank without its lowest set bit; its children set a bit below that.
  const int lowest = rank == 0 ? int(std::bit_ceil(unsigned(count))) : rank & -rank;
  std::vector<Segment> segments;
  append_segments(segments, 0, data.size(),
                  segment_size(data.size(), ranks.options.chunk_bytes, 1));
  std::vector<Ticket> received(segments.size(), Channel::none), sent;
  const auto post = [&](std::size_t i) {
    if (rank != 0 && i < segments.size())
      received[i] = channel.receive(rank - lowest, segments[i].of(data));
  };
  for (std::size_t i = 0; i < depth; ++i) post(i);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    channel.wait(received[i]);
    post(i + depth);
    for (int bit = lowest >> 1; bit > 0; bit >>= 1) {
      if (rank + bit < count) sent.push_back(channel.send(rank + bit, segments[i].of(data)));
    }
  }
  channel.wait_all(sent);
}

void barrier(Ranks ranks) {
  Channel& channel = ranks.channel;
  const int rank = channel.rank(), count = channel.ranks();
  std::byte outgoing{}, incoming{};
  for (int distance = 1; distance < count; distance <<= 1) {
    const Ticket received = channel.receive((rank + count - distance) % count, {&incoming, 1});
    const Ticket sent = channel.send((rank + distance) % count, {&outgoing, 1});
    channel.wait(received);
    channel.wait(sent);
  }
}

}  // namespace partita::collective

namespace partita {

AllReduceShape all_reduce_shape(const AllReduceSize& size) {
  using Way = AllReduceShape::Way;
  // Seconds per message within a host and between hosts, per byte moved and per byte combined. The ring combines while
  // more comes in.
  const double message = size.leaves_host ? 30e-6 : 2e-6;
  constexpr double move = 0.3e-9, combining = 0.15e-9;
  const double n = double(size.bytes), r = size.ranks;
  const int power = int(std::bit_floor(unsigned(size.ranks))), extra = size.ranks - power;
  const int steps = std::countr_zero(unsigned(power));
  // What ranks beyond a power of two cost: their vectors come, and the result goes back.
  const double beyond = extra > 0 ? 2 * message + n * (2 * move + combining) : 0;
  const double parts = 1 - 1.0 / double(power);
  const double doubling = steps * (message + n * (move + combining)) + beyond;
  const double halving = 2 * steps * message + n * parts * (2 * move + combining) + beyond;
  const double ring = 2 * (r - 1) * message + n * (r - 1) / r * 2 * move;
  const Way way = doubling <= std::min(halving, ring) ? Way::doubling
                  : halving < ring                    ? Way::halving
                                                      : Way::ring;
  return {.way = way,
          .segment_bytes = collective::segment_size(size.bytes / std::size_t(size.ranks),
                                                    size.chunk_bytes, size.element_bytes)};
}

}  // namespace partita

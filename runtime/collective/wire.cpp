// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/wire.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

using Bits = std::uint32_t;

constexpr Bits sign_bit = 0x8000'0000, infinity_bits = 0x7f80'0000;

std::uint16_t bf16_of(float x) {
  const Bits bits = std::bit_cast<Bits>(x);
  const bool is_nan = (bits & ~sign_bit) > infinity_bits;
  const Bits rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return std::uint16_t(is_nan ? 0x7fc0 : rounded);
}
float from_bf16(std::uint16_t x) { return std::bit_cast<float>(Bits(x) << 16); }

std::uint16_t f16_of(float x) {
  constexpr Bits bias_difference = Bits(112) << 23, smallest_normal = Bits(113) << 23,
                 beyond = Bits(143) << 23;
  const Bits bits = std::bit_cast<Bits>(x), magnitude = bits & ~sign_bit;
  const Bits normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - bias_difference) >> 13;
  // A subnormal's last bit is that of 0.5 in f32, so that the addition rounds.
  const Bits subnormal =
      std::bit_cast<Bits>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<Bits>(0.5F);
  const Bits special = magnitude > infinity_bits ? 0x7e00 : 0x7c00;
  const Bits finite = magnitude < smallest_normal ? subnormal : normal;
  return std::uint16_t((magnitude >= beyond ? special : finite) | (bits & sign_bit) >> 16);
}
float from_f16(std::uint16_t x) {
  const Bits magnitude = Bits(x & 0x7fff) << 13, sign = Bits(x & 0x8000) << 16;
  const float finite = std::bit_cast<float>(magnitude) * 0x1p112F;
  const Bits special = magnitude | infinity_bits;
  const Bits bits = (x & 0x7c00) == 0x7c00 ? special : std::bit_cast<Bits>(finite);
  return std::bit_cast<float>(bits | sign);
}

template <class Encode>
void encode_words(std::span<const float> from, std::byte* to, Encode encode_one) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint16_t word = encode_one(from[i]);
    std::memcpy(to + 2 * i, &word, sizeof word);
  }
}
template <class Decode>
void decode_words(const std::byte* from, std::span<float> to, Decode decode_one) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::uint16_t word = 0;
    std::memcpy(&word, from + 2 * i, sizeof word);
    to[i] = decode_one(word);
  }
}

/// Scales first, then elements.
std::size_t blocks_of(std::size_t count) { return (count + wire_block - 1) / wire_block; }

void encode_int8(std::span<const float> from, std::byte* to) {
  constexpr float largest = 127, to_integer = 0x1.8p23F;  // added, it leaves the nearest integer
  std::byte* const elements = to + blocks_of(from.size()) * sizeof(float);
  for (std::size_t b = 0; b * wire_block < from.size(); ++b) {
    const auto part =
        from.subspan(b * wire_block, std::min(wire_block, from.size() - b * wire_block));
    Bits magnitude = 0;  // of positive floats, and of NaN above all, bits are ordered as values are
    for (const float x : part) magnitude = std::max(magnitude, std::bit_cast<Bits>(x) & ~sign_bit);
    const bool is_finite = magnitude < infinity_bits;
    const float scale = is_finite ? std::bit_cast<float>(magnitude) / largest
                                  : std::numeric_limits<float>::quiet_NaN();
    std::memcpy(to + b * sizeof scale, &scale, sizeof scale);
    const float inverse = is_finite && scale >= std::numeric_limits<float>::min() ? 1 / scale : 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const float scaled = is_finite ? part[i] * inverse : 0;
      elements[b * wire_block + i] =
          std::byte(std::bit_cast<Bits>(std::clamp(scaled, -largest, largest) + to_integer));
    }
  }
}

void decode_int8(const std::byte* from, std::span<float> to) {
  const std::byte* const elements = from + blocks_of(to.size()) * sizeof(float);
  for (std::size_t b = 0; b * wire_block < to.size(); ++b) {
    float scale = 0;
    std::memcpy(&scale, from + b * sizeof scale, sizeof scale);
    const std::size_t end = std::min((b + 1) * wire_block, to.size());
    for (std::size_t i = b * wire_block; i < end; ++i)
      to[i] = scale * float(std::int8_t(elements[i]));
  }
}

std::span<float> floats_of(std::span<std::byte> data) {
  return {reinterpret_cast<float*>(data.data()), data.size() / sizeof(float)};
}

/// One call: each rank's terms of block r go to rank r, the sums of block r from rank r to all.
class RoundedSum {
 public:
  RoundedSum(Ranks ranks, WireFormat format)
      : ranks_(ranks), channel_(ranks.channel), format_(format) {}

  /// `rest` is empty where nothing is kept.
  void run(std::span<float> data, std::span<float> rest) {
    data_ = data;
    rest_ = rest;
    const auto largest = (data.size() + count() - 1) / count();
    place_bytes_ = (wire_bytes(format_, largest) + 63) / 64 * 64;
    block_floats_ = (largest + 15) / 16 * 16;
    ranks_.scratch.resize(std::max(ranks_.scratch.size(),
                                   2 * count() * place_bytes_ + 3 * block_floats_ * sizeof(float)));
    sum_own_block();
    spread_sums();
  }

 private:
  [[nodiscard]] std::size_t count() const { return std::size_t(channel_.ranks()); }
  [[nodiscard]] int rank_after(int step) const {
    return (channel_.rank() + step + channel_.ranks()) % channel_.ranks();
  }
  /// Block r of the data, or of the rest.
  [[nodiscard]] std::span<float> block(std::span<float> of, int r) const {
    const BlockRange range = block_of(std::int64_t(data_.size()), r, channel_.ranks());
    return of.subspan(std::size_t(range.begin), std::size_t(range.end - range.begin));
  }
  /// Room for block `of_block` as it travels: number r for what goes to rank r (or, the own number, to all), behind
  /// these one for what comes from each.
  [[nodiscard]] std::span<std::byte> place(std::size_t number, int of_block) const {
    return std::span(ranks_.scratch)
        .subspan(number * place_bytes_, wire_bytes(format_, block(data_, of_block).size()));
  }
  [[nodiscard]] std::span<std::byte> outgoing(int to) const { return place(std::size_t(to), to); }
  [[nodiscard]] std::span<std::byte> incoming(int from, int of_block) const {
    return place(count() + std::size_t(from), of_block);
  }
  /// Room for a block's floats, three of them.
  [[nodiscard]] std::span<float> floats(std::size_t number, std::size_t size) const {
    return floats_of(std::span(ranks_.scratch).subspan(2 * count() * place_bytes_))
        .subspan(number * block_floats_, size);
  }

  void sum_own_block() {
    const int own = channel_.rank();
    std::vector<Channel::Ticket> sent, received(count(), Channel::none);
    for (int step = 1; step < channel_.ranks(); ++step) {
      const int from = rank_after(-step), to = rank_after(step);
      received[std::size_t(from)] = channel_.receive(from, incoming(from, own));
      round(to);
      sent.push_back(channel_.send(to, outgoing(to)));
    }
    const std::span<float> sum = block(data_, own), own_terms = floats(0, sum.size()),
                           terms = floats(1, sum.size());
    std::ranges::copy(sum, own_terms.begin());
    for (int r = 0; r < channel_.ranks(); ++r) {
      channel_.wait(received[std::size_t(r)]);
      if (r != own) decode(format_, incoming(r, own).data(), terms);
      const std::span<const float> more = r == own ? own_terms : terms;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = r == 0 ? more[i] : sum[i] + more[i];
    }
    channel_.wait_all(sent);
  }

  void spread_sums() {
    const int own = channel_.rank();
    std::vector<Channel::Ticket> sent, received(count(), Channel::none);
    for (int step = 1; step < channel_.ranks(); ++step) {
      const int from = rank_after(-step);
      received[std::size_t(from)] = channel_.receive(from, incoming(from, from));
    }
    round(own);
    for (int step = 1; step < channel_.ranks(); ++step)
      sent.push_back(channel_.send(rank_after(step), outgoing(own)));
    decode(format_, outgoing(own).data(), block(data_, own));
    for (int r = 0; r < channel_.ranks(); ++r) {
      if (r == own) continue;
      channel_.wait(received[std::size_t(r)]);
      decode(format_, incoming(r, r).data(), block(data_, r));
    }
    channel_.wait_all(sent);
  }

  /// Block r of the data as it travels.
  void round(int r) {
    const std::span<float> values = block(data_, r);
    if (rest_.empty()) return encode(format_, values, outgoing(r).data());
    const std::span<float> rest = block(rest_, r), rounded = floats(2, values.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += values[i];
    encode(format_, rest, outgoing(r).data());
    decode(format_, outgoing(r).data(), rounded);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const float lost = rest[i] - rounded[i];
      rest[i] = std::isfinite(lost) ? lost : 0;
    }
  }

  Ranks ranks_;
  Channel& channel_;
  WireFormat format_;
  std::span<float> data_, rest_;
  std::size_t place_bytes_ = 0, block_floats_ = 0;
};

}  // namespace

std::size_t wire_bytes(WireFormat format, std::size_t count) {
  switch (format) {
    case WireFormat::exact:
      return 4 * count;
    case WireFormat::bf16:
    case WireFormat::f16:
      return 2 * count;
    case WireFormat::int8:
      return count + blocks_of(count) * sizeof(float);
  }
  throw_internal_error("wire format");
}

void encode(WireFormat format, std::span<const float> from, std::byte* to) {
  switch (format) {
    case WireFormat::exact:
      if (!from.empty()) std::memcpy(to, from.data(), from.size_bytes());
      return;
    case WireFormat::bf16:
      return encode_words(from, to, bf16_of);
    case WireFormat::f16:
      return encode_words(from, to, f16_of);
    case WireFormat::int8:
      return encode_int8(from, to);
  }
}

void decode(WireFormat format, const std::byte* from, std::span<float> to) {
  switch (format) {
    case WireFormat::exact:
      if (!to.empty()) std::memcpy(to.data(), from, to.size_bytes());
      return;
    case WireFormat::bf16:
      return decode_words(from, to, from_bf16);
    case WireFormat::f16:
      return decode_words(from, to, from_f16);
    case WireFormat::int8:
      return decode_int8(from, to);
  }
}

void all_reduce_rounded(Ranks ranks, std::span<std::byte> data, WireFormat format,
                        std::vector<float>* rest) {
  const std::span<float> values = floats_of(data);
  if (ranks.channel.ranks() == 1 || values.empty()) return;
  if (rest != nullptr) rest->resize(values.size(), 0.0F);
  // What is in flight at a time is bounded, however long the vector is.
  const std::size_t part = std::max<std::size_t>(ranks.options.chunk_bytes, 1024) / sizeof(float) *
                           std::size_t(ranks.channel.ranks());
  RoundedSum sum(ranks, format);
  for (std::size_t begin = 0; begin < values.size(); begin += part) {
    const std::size_t count = std::min(part, values.size() - begin);
    sum.run(values.subspan(begin, count),
            rest == nullptr ? std::span<float>() : std::span(*rest).subspan(begin, count));
  }
}

}  // namespace partita::collective

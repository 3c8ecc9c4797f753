// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/net_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "partita/collective/communicator.hpp"

namespace partita::tool {
namespace {

class AllReduceModel {
 public:
  AllReduceModel(const std::vector<double>& starts, std::size_t bytes, const LinkModel& link,
                 const HostModel& host)
      : link_(link),
        host_(host),
        bytes_(bytes),
        ranks_(int(starts.size())),
        now_(starts),
        line_free_(starts.size(), 0.0) {}

  std::vector<double> run() {
    if (ranks_ == 1 || bytes_ == 0) return now_;
    const AllReduceShape shape =
        all_reduce_shape({.bytes = bytes_, .ranks = ranks_, .leaves_host = true});
    if (shape.way == AllReduceShape::Way::ring)
      ring(shape.segment_bytes);
    else
      exchanges(shape.way == AllReduceShape::Way::halving);
    return now_;
  }

 private:
  /// When a message of so many bytes, sent at `sent`, has come to rank r and been worked on there.
  double come(int r, double sent, double bytes, bool is_term) {
    const auto at = std::size_t(r);
    line_free_[at] = std::max(line_free_[at], sent) + bytes / link_.bytes_per_s;
    const double begin = std::max(now_[at], line_free_[at] + link_.latency_s);
    return begin + host_.message_s + bytes * (is_term ? host_.combined_s : host_.copied_s);
  }

  /// All ranks below a power of two give `bytes` to the one `mask` away.
  void exchange(int power, int mask, double bytes, bool is_term) {
    const std::vector<double> sent = now_;
    for (int r = 0; r < power; ++r)
      now_[std::size_t(r)] = come(r, sent[std::size_t(r ^ mask)], bytes, is_term);
  }

  void exchanges(bool halves) {
    const int power = int(std::bit_floor(unsigned(ranks_)));
    const auto n = double(bytes_);
    for (int r = power; r < ranks_; ++r)
      now_[std::size_t(r - power)] = come(r - power, now_[std::size_t(r)], n, true);
    if (halves) {
      double part = n;
      for (int mask = power / 2; mask > 0; mask /= 2) exchange(power, mask, part /= 2, true);
      for (int mask = 1; mask < power; mask *= 2, part *= 2) exchange(power, mask, part, false);
    } else {
      for (int mask = 1; mask < power; mask *= 2) exchange(power, mask, n, true);
    }
    for (int r = power; r < ranks_; ++r)
      now_[std::size_t(r)] = come(r, now_[std::size_t(r - power)], n, false);
  }

  /// Blocks are alike: of one size, in as many segments. Segment i of what a rank passes on leaves when it was worked on
  /// there as segment i - segments of what comes in.
  void ring(std::size_t segment_bytes) {
    const double block = double(bytes_) / ranks_;
    const auto segments =
        std::max<std::size_t>(1, std::size_t(std::ceil(block / double(segment_bytes))));
    const double bytes = block / double(segments);
    const std::size_t terms = segments * std::size_t(ranks_ - 1), all = 2 * terms;
    // When each rank sent the segments that its next one has not got yet.
    std::vector<std::vector<double>> sent(segments, now_);
    for (std::size_t i = 0; i < all; ++i) {
      std::vector<double>& leaves = sent[i % segments];
      const std::vector<double> left = leaves;
      for (int r = 0; r < ranks_; ++r) {
        const auto at = std::size_t(r);
        now_[at] = come(r, left[std::size_t((r + ranks_ - 1) % ranks_)], bytes, i < terms);
        leaves[at] = now_[at];
      }
    }
  }

  const LinkModel& link_;
  const HostModel& host_;
  std::size_t bytes_;
  int ranks_;
  std::vector<double> now_;        ///< what each rank has worked on until
  std::vector<double> line_free_;  ///< of the link to each rank
};

}  // namespace

std::vector<double> all_reduce_ends(const std::vector<double>& starts, std::size_t bytes,
                                    const LinkModel& link, const HostModel& host) {
  return AllReduceModel(starts, bytes, link, host).run();
}

}  // namespace partita::tool

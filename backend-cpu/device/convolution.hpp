// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Convolve steps by oneDNN's primitives: each thread of the pool runs primitives of its own on a piece of the result,
// weights are laid out as these want them, once where they stay the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "backend-cpu/device/one_dnn.hpp"
#include "backend-cpu/device/worker_pool.hpp"
#include "partita/artifact/plan.hpp"
#include "partita/base/unique_handle.hpp"
#include "partita/device/device.hpp"
#include "runtime/device/plain_convolution.hpp"

namespace partita::cpu {

template <class H, auto OneDnn::*destroy>
struct DnnTraits {
  using Handle = H;
  static constexpr Handle none = nullptr;
  static void release(Handle handle) noexcept { (void)(one_dnn().*destroy)(handle); }
};
using DnnPrimitive = UniqueHandle<DnnTraits<dnnl_primitive_t, &OneDnn::primitive_destroy>>;
using DnnMemory = UniqueHandle<DnnTraits<dnnl_memory_t, &OneDnn::memory_destroy>>;
using DnnStream = UniqueHandle<DnnTraits<dnnl_stream_t, &OneDnn::stream_destroy>>;

/// How a step is cut for threads: by images and rows of windows, or by output features.
struct ConvolveCut {
  std::vector<ConvolvePart> parts;          ///< of all features
  std::vector<std::int64_t> features = {};  ///< where there are no parts: bounds of each piece's
  friend bool operator==(const ConvolveCut&, const ConvolveCut&) = default;
};
/// Pieces for so many threads that take as long as each other.
[[nodiscard]] ConvolveCut cut_convolution(const Convolve& step, std::int64_t threads);

/// Where a step's operands begin.
struct ConvolvePointers {
  const float* source;
  const float* weights;
  float* result;
};

/// A step of an artifact that is loaded on a device, with what is made for it when it first runs.
class Convolution {
 public:
  /// Makes primitives for a device of so many threads; `step` outlives it.  A device error where oneDNN fails.
  Convolution(const Convolve& step, std::int64_t threads);
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  /// What follows, done for elements [begin, end) of the result; on several threads at once.
  using Then = std::function<void(std::int64_t begin, std::int64_t end)>;
  /// `weights_stay`: they are the same in all calls.  `device` holds the memory of laid out weights.  `then` may be empty.
  void run(const ConvolvePointers& at, bool weights_stay, WorkerPool& pool, Device& device,
           const Then& then);

 private:
  struct Weights;
  struct Piece;
  struct ThreadState;

  /// False where oneDNN has no kernel for one of them.
  [[nodiscard]] bool make_pieces(const ConvolveCut& cut);
  [[nodiscard]] bool make_piece(const ConvolvePart& part, std::int64_t first,
                                std::int64_t features);
  [[nodiscard]] bool make_packings(Weights& weights, std::int64_t features_each);
  void allocate(Device& device);
  void pack(const float* weights, WorkerPool& pool, Device& device);
  template <class Job>
  void run_jobs(std::int64_t jobs, WorkerPool& pool, const Job& job);
  void finish(WorkerPool& pool, const Then& then) const;
  void copy_with_zeros(const Piece& piece, const float* from, std::vector<float>& to) const;
  void run_piece(const Piece& piece, const ConvolvePointers& at, ThreadState& thread) const;

  const Convolve& step_;
  std::vector<Weights> weights_;
  std::vector<Piece> pieces_;  ///< none: by plain loops
  std::vector<ConvolvePart> plain_parts_;
  std::vector<ThreadState> threads_;
  std::size_t scratch_bytes_ = 0;  ///< the most that a primitive takes
  bool is_packed_ = false, is_finite_ = true;
};

}  // namespace partita::cpu

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/convolution.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "partita/base/error.hpp"
#include "partita/base/log.hpp"

namespace partita::cpu {

namespace {

/// Elements of which what follows is worth a thread.
constexpr std::int64_t elements_per_thread = 1 << 14;
/// Features of a piece: at least, and a multiple of which it has.
constexpr std::int64_t fewest_features = 32, features_apart = 16;
/// How much longer the longest piece may take than an even share before features are cut rather than rows.
constexpr double most_uneven = 1.08;
/// Weights of so many output features are laid out at a time.
constexpr std::int64_t packed_features = 64;

using Dims = std::array<dnnl_dim_t, 12>;

/// The engine of all primitives; null where there is none.
dnnl_engine_t cpu_engine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t made = nullptr;
    if (one_dnn().has_primitives) (void)one_dnn().engine_create(&made, dnnl_cpu, 0);
    if (made == nullptr)
      log(LogLevel::warning,
          "oneDNN is not there (package libdnnl2): convolutions are computed by plain loops");
    return made;
  }();
  return engine;
}

using DnnAttributes =
    UniqueHandle<DnnTraits<dnnl_primitive_attr_t, &OneDnn::primitive_attr_destroy>>;
using DnnDescription =
    UniqueHandle<DnnTraits<dnnl_primitive_desc_t, &OneDnn::primitive_desc_destroy>>;

void check(dnnl_status_t status, std::string_view call) {
  if (status != dnnl_success)
    throw_device_error(cat("dnnl_", call, " failed with status ", int(status)));
}

DnnMemory make_memory(const dnnl_memory_desc_t& desc) {
  dnnl_memory_t memory = nullptr;
  check(one_dnn().memory_create(&memory, &desc, cpu_engine(), DNNL_MEMORY_NONE), "memory_create");
  return DnnMemory(memory);
}

DnnPrimitive make_primitive(const DnnDescription& description) {
  dnnl_primitive_t primitive = nullptr;
  check(one_dnn().primitive_create(&primitive, description.get()), "primitive_create");
  return DnnPrimitive(primitive);
}

const dnnl_memory_desc_t& described(const DnnDescription& description, dnnl_query_t what) {
  const dnnl_memory_desc_t* found = one_dnn().primitive_desc_query_md(description.get(), what, 0);
  if (found == nullptr) throw_device_error("dnnl_primitive_desc_query_md failed");
  return *found;
}

std::size_t size_of(const dnnl_memory_desc_t& desc) {
  return one_dnn().memory_desc_get_size(&desc);
}

void set_memory(const DnnMemory& memory, const void* data) {
  check(one_dnn().memory_set_data_handle(memory.get(), const_cast<void*>(data)),
        "memory_set_data_handle");
}

/// Scratch memory is the caller's: what the library keeps by itself belongs to the thread that makes a primitive.
DnnAttributes make_attributes() {
  dnnl_primitive_attr_t made = nullptr;
  check(one_dnn().primitive_attr_create(&made), "primitive_attr_create");
  DnnAttributes attributes(made);
  check(one_dnn().primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user),
        "primitive_attr_set_scratchpad_mode");
  return attributes;
}

void execute(const DnnPrimitive& primitive, const DnnStream& stream,
             std::span<const dnnl_exec_arg_t> arguments) {
  check(one_dnn().primitive_execute(primitive.get(), stream.get(), int(arguments.size()),
                                    arguments.data()),
        "primitive_execute");
  check(one_dnn().stream_wait(stream.get()), "stream_wait");
}

/// Images with their features last, densely.
dnnl_memory_desc_t image_desc(std::int64_t images, std::int64_t features,
                              std::span<const std::int64_t> extents) {
  Dims dims{images, features}, strides{};
  std::int64_t stride = features;
  for (std::size_t d = extents.size(); d-- > 0;) {
    dims[2 + d] = extents[d];
    strides[2 + d] = stride;
    stride *= extents[d];
  }
  strides[0] = stride;
  strides[1] = 1;
  dnnl_memory_desc_t desc;
  check(one_dnn().memory_desc_init_by_strides(&desc, int(extents.size()) + 2, dims.data(), dnnl_f32,
                                              strides.data()),
        "memory_desc_init_by_strides");
  return desc;
}

/// Extents of weights as oneDNN names them: groups where there are several, output and input features, window.
struct WeightDims {
  int rank = 0;
  Dims dims{}, strides{};
};
WeightDims weight_dims(const Convolve& step, std::int64_t outputs) {
  WeightDims w;
  const std::size_t spatial = step.window.size();
  const auto add = [&](std::int64_t extent, std::int64_t stride) {
    w.dims[std::size_t(w.rank)] = extent;
    w.strides[std::size_t(w.rank++)] = stride;
  };
  const std::int64_t along_outputs = step.weight_strides[spatial + 1];
  if (step.groups > 1) add(step.groups, step.outputs * along_outputs);
  add(outputs, along_outputs);
  add(step.inputs, step.weight_strides[spatial]);
  for (std::size_t d = 0; d < spatial; ++d) add(step.window[d].size, step.weight_strides[d]);
  return w;
}

/// The convolution of some images and rows with some of the output features.
struct PieceShape {
  std::int64_t images, outputs;
  std::vector<ConvolveWindow> window;
};

/// What the library calls the code that it has chosen.
std::string_view implementation(const DnnDescription& description) {
  const char* name = "";
  check(one_dnn().primitive_desc_query(description.get(), dnnl_query_impl_info_str, 0,
                                       static_cast<void*>(&name)),
        "primitive_desc_query");
  return name;
}

/// A description, where oneDNN does not use its reference implementation for it and takes such weights (null: any).
std::optional<DnnDescription> describe(const Convolve& step, const PieceShape& piece,
                                       const dnnl_memory_desc_t* weights) {
  std::vector<std::int64_t> in, out;
  Dims strides{}, dilations{}, low{}, high{};
  for (std::size_t d = 0; d < piece.window.size(); ++d) {
    const ConvolveWindow& w = piece.window[d];
    in.push_back(w.input);
    out.push_back(w.count());
    strides[d] = w.stride;
    dilations[d] = w.dilation - 1;
    low[d] = w.low;
    high[d] = w.high;
  }
  const dnnl_memory_desc_t source = image_desc(piece.images, step.groups * step.inputs, in),
                           result = image_desc(piece.images, step.groups * piece.outputs, out);
  const WeightDims w = weight_dims(step, piece.outputs);
  dnnl_memory_desc_t any;
  check(
      one_dnn().memory_desc_init_by_tag(&any, w.rank, w.dims.data(), dnnl_f32, dnnl_format_tag_any),
      "memory_desc_init_by_tag");
  const DnnAttributes attributes = make_attributes();
  dnnl_convolution_desc_t operation;
  if (one_dnn().dilated_convolution_forward_desc_init(
          &operation, dnnl_forward_inference, dnnl_convolution_direct, &source,
          weights == nullptr ? &any : weights, nullptr, &result, strides.data(), dilations.data(),
          low.data(), high.data()) != dnnl_success)
    return std::nullopt;
  dnnl_primitive_desc_t found = nullptr;
  if (one_dnn().primitive_desc_create(&found, &operation, attributes.get(), cpu_engine(),
                                      nullptr) != dnnl_success)
    return std::nullopt;
  DnnDescription description(found);
  if (implementation(description).starts_with("ref")) return std::nullopt;
  return description;
}

/// Whether the library lays windows out as the rows of a matrix and multiplies that, for want of a kernel of its own.
bool multiplies_windows(const DnnDescription& description) {
  return implementation(description).find("gemm") != std::string_view::npos;
}

/// Of images with zeros around them in memory.
PieceShape with_zeros(PieceShape shape) {
  for (ConvolveWindow& w : shape.window) {
    w.input += w.low + w.high;
    w.low = w.high = 0;
  }
  return shape;
}

/// Rows of windows of a part: the elements that they meet, and the padding that is left.
ConvolveWindow rows_of(const ConvolveWindow& all, std::int64_t first, std::int64_t rows) {
  const std::int64_t begin = first * all.stride - all.low,
                     end = (first + rows - 1) * all.stride - all.low + all.reach();
  ConvolveWindow w = all;
  w.low = std::max<std::int64_t>(-begin, 0);
  w.high = std::max<std::int64_t>(end - all.input, 0);
  w.input = std::min(end, all.input) - std::max<std::int64_t>(begin, 0);
  return w;
}
std::int64_t first_element(const ConvolveWindow& all, std::int64_t first_row) {
  return std::max<std::int64_t>(first_row * all.stride - all.low, 0);
}

}  // namespace

ConvolveCut cut_convolution(const Convolve& step, std::int64_t threads) {
  const std::int64_t rows = step.window[0].count();
  const auto whole = [&](std::int64_t pieces) {
    ConvolveCut cut;
    for (std::int64_t p = 0; p < pieces; ++p) {
      const std::int64_t first = step.batch * p / pieces, last = step.batch * (p + 1) / pieces;
      cut.parts.push_back({.first_image = first, .images = last - first, .rows = rows});
    }
    return cut;
  };
  threads = std::min(threads, std::int64_t(step.multiply_adds() / multiply_adds_per_thread));
  if (threads < 2) return whole(1);
  const std::int64_t rest = step.batch % threads;
  if (rest == 0) return whole(threads);
  // Images that threads have whole, and those that are cut.
  const std::int64_t pieces = (threads + rest - 1) / rest, longest = (rows + pieces - 1) / pieces;
  const std::int64_t shares = std::max<std::int64_t>(step.outputs / features_apart, 1);
  const auto most = [](std::int64_t all, std::int64_t parts) {
    const std::int64_t rounded = (all + parts - 1) / parts * parts;
    return double(rounded) / double(all);
  };
  const std::int64_t alone = step.batch - rest;
  const double by_rows =
      (double(alone) + double(rest) * double(longest * pieces) / double(rows)) / double(step.batch);
  if (by_rows > most_uneven && step.groups == 1 && step.outputs >= fewest_features * threads &&
      most(shares, threads) < by_rows) {
    ConvolveCut cut;
    for (std::int64_t t = 0; t <= threads; ++t)
      cut.features.push_back(t == threads ? step.outputs : shares * t / threads * features_apart);
    return cut;
  }
  ConvolveCut cut;
  for (std::int64_t t = 0; t < (alone == 0 ? 0 : threads); ++t)
    cut.parts.push_back({.first_image = alone * t / threads,
                         .images = alone * (t + 1) / threads - alone * t / threads,
                         .rows = rows});
  for (std::int64_t n = alone; n < step.batch; ++n)
    for (std::int64_t p = 0; p < pieces; ++p)
      if (const std::int64_t first = rows * p / pieces, last = rows * (p + 1) / pieces;
          first < last)
        cut.parts.push_back(
            {.first_image = n, .images = 1, .first_row = first, .rows = last - first});
  return cut;
}

/// Laid out weights of some output features.
struct Convolution::Weights {
  std::int64_t first = 0, features = 0;
  dnnl_memory_desc_t desc{};
  DnnMemory memory;
  DeviceBufferPtr bytes;  ///< null: not packed yet
  struct Packing {
    std::int64_t first = 0, features = 0;  ///< among all
    DnnPrimitive primitive;
    DnnMemory from, to, scratch;
  };
  std::vector<Packing> packings;
};

struct Convolution::Piece {
  DnnPrimitive primitive;
  DnnMemory source, result, scratch;
  std::size_t weights = 0;
  std::int64_t first_source = 0, first_result = 0, elements = 0;  ///< elements; of the result
  std::int64_t windows =
      0;  ///< of which a piece of the features is copied to the result; 0: it is computed there
  /// Of images that are copied with zeros around them before; empty: they are read as they are.
  std::vector<ConvolveWindow> padded;
  std::int64_t images = 0;
};

struct Convolution::ThreadState {
  DnnStream stream;
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  std::vector<Line> scratch;
  std::vector<float> result;  ///< of some features
  std::vector<float> source;  ///< with zeros around it
};

Convolution::~Convolution() = default;

Convolution::Convolution(const Convolve& step, std::int64_t threads) : step_(step) {
  const ConvolveCut cut = cut_convolution(step, threads);
  threads_.resize(std::size_t(threads));
  if (cpu_engine() != nullptr) {
    const OneThread one;
    for (ThreadState& t : threads_) {
      dnnl_stream_t stream = nullptr;
      check(one_dnn().stream_create(&stream, cpu_engine(), dnnl_stream_default_flags),
            "stream_create");
      t.stream.reset(stream);
    }
    if (make_pieces(cut)) return;
    pieces_.clear();
    weights_.clear();
  }
  plain_parts_ = cut.parts;
  if (cut.parts.empty())
    for (std::int64_t r = 0; r < step.window[0].count(); ++r)
      plain_parts_.push_back({.first_image = 0, .images = step.batch, .first_row = r, .rows = 1});
}

bool Convolution::make_pieces(const ConvolveCut& cut) {
  const ConvolvePart all{.images = step_.batch, .rows = step_.window[0].count()};
  for (const ConvolvePart& part : cut.parts)
    if (!make_piece(part, 0, step_.outputs)) return false;
  for (std::size_t k = 0; k + 1 < cut.features.size(); ++k)
    if (!make_piece(all, cut.features[k], cut.features[k + 1] - cut.features[k])) return false;
  return std::ranges::all_of(weights_, [&](Weights& w) {
    return (step_.groups == 1 && make_packings(w, packed_features)) || make_packings(w, w.features);
  });
}

bool Convolution::make_piece(const ConvolvePart& part, std::int64_t first, std::int64_t features) {
  PieceShape shape{.images = part.images, .outputs = features, .window = step_.window};
  // Where there are several images, elements that no window meets lie between them.
  if (part.images == 1) shape.window[0] = rows_of(step_.window[0], part.first_row, part.rows);
  Piece p;
  p.images = part.images;
  // Kernels of some processors take less padding than windows may have.
  const auto describe_best = [&](const dnnl_memory_desc_t* weights) {
    auto as_it_is = describe(step_, shape, weights);
    p.padded.clear();
    if ((as_it_is && !multiplies_windows(*as_it_is)) || !has_padding(step_)) return as_it_is;
    auto with_own_zeros = describe(step_, with_zeros(shape), weights);
    if (!with_own_zeros || multiplies_windows(*with_own_zeros)) return as_it_is;
    p.padded = shape.window;
    return with_own_zeros;
  };
  // Pieces share weights where they can.
  std::optional<DnnDescription> description;
  for (; p.weights < weights_.size() && !description; ++p.weights)
    if (const Weights& w = weights_[p.weights]; w.first == first && w.features == features)
      description = describe_best(&w.desc);
  if (description) {
    --p.weights;
  } else {
    description = describe_best(nullptr);
    if (!description) return false;
    Weights& made = weights_.emplace_back();
    made.first = first;
    made.features = features;
    made.desc = described(*description, dnnl_query_weights_md);
  }
  p.primitive = make_primitive(*description);
  p.source = make_memory(described(*description, dnnl_query_src_md));
  p.result = make_memory(described(*description, dnnl_query_dst_md));
  const dnnl_memory_desc_t& scratch = described(*description, dnnl_query_scratchpad_md);
  p.scratch = make_memory(scratch);
  scratch_bytes_ = std::max(scratch_bytes_, size_of(scratch));
  const ConvolveWindow& rows = step_.window[0];
  const auto window = window_of_three(step_);
  const std::int64_t behind_source = window[1].input * window[2].input,
                     behind_result = window[1].count() * window[2].count();
  p.first_source = (part.first_image * rows.input + first_element(rows, part.first_row)) *
                   behind_source * step_.groups * step_.inputs;
  p.first_result = (part.first_image * rows.count() + part.first_row) * behind_result *
                       step_.groups * step_.outputs +
                   first;
  if (features < step_.outputs) p.windows = part.images * part.rows * behind_result;
  p.elements = part.images * part.rows * behind_result * step_.groups * features;
  pieces_.push_back(std::move(p));
  return true;
}

/// Reorders of some output features each.
bool Convolution::make_packings(Weights& w, std::int64_t features_each) {
  const WeightDims all = weight_dims(step_, w.features);
  const std::size_t outputs_at = step_.groups > 1 ? 1 : 0;
  w.packings.clear();
  for (std::int64_t first = 0; first < w.features; first += features_each) {
    Weights::Packing p{.first = w.first + first,
                       .features = std::min(features_each, w.features - first)};
    WeightDims some = all;
    Dims offsets{};
    some.dims[outputs_at] = p.features;
    offsets[outputs_at] = first;
    dnnl_memory_desc_t from, to;
    check(one_dnn().memory_desc_init_by_strides(&from, some.rank, some.dims.data(), dnnl_f32,
                                                some.strides.data()),
          "memory_desc_init_by_strides");
    if (one_dnn().memory_desc_init_submemory(&to, &w.desc, some.dims.data(), offsets.data()) !=
        dnnl_success)
      return false;
    const DnnAttributes attributes = make_attributes();
    dnnl_primitive_desc_t found = nullptr;
    if (one_dnn().reorder_primitive_desc_create(&found, &from, cpu_engine(), &to, cpu_engine(),
                                                attributes.get()) != dnnl_success)
      return false;
    const DnnDescription description(found);
    p.primitive = make_primitive(description);
    p.from = make_memory(from);
    p.to = make_memory(to);
    const dnnl_memory_desc_t& scratch = described(description, dnnl_query_scratchpad_md);
    p.scratch = make_memory(scratch);
    scratch_bytes_ = std::max(scratch_bytes_, size_of(scratch));
    w.packings.push_back(std::move(p));
  }
  return true;
}

void Convolution::allocate(Device& device) {
  for (Weights& w : weights_) {
    if (w.bytes != nullptr) continue;
    w.bytes = device.allocate(size_of(w.desc));
    w.memory = make_memory(w.desc);
    // What blocks have beyond the features is made zero by this.
    set_memory(w.memory, device.host_bytes(*w.bytes).data());
    for (const Weights::Packing& p : w.packings)
      set_memory(p.to, device.host_bytes(*w.bytes).data());
  }
  for (ThreadState& t : threads_) t.scratch.resize(scratch_bytes_ / sizeof(ThreadState::Line) + 1);
}

void Convolution::pack(const float* weights, WorkerPool& pool, Device& device) {
  if (!pieces_.empty() && weights_.front().bytes == nullptr) {
    const OneThread one;
    allocate(device);
  }
  const bool is_padded = has_padding(step_);
  std::atomic<bool> is_finite = true;
  std::vector<const Weights::Packing*> jobs;
  for (const Weights& w : weights_)
    for (const Weights::Packing& p : w.packings) jobs.push_back(&p);
  run_jobs(std::int64_t(jobs.size()), pool, [&](ThreadState& thread, std::int64_t job) {
    const Weights::Packing& p = *jobs[std::size_t(job)];
    const OneThread one;
    set_memory(p.from, weights + p.first * step_.weight_strides.back());
    set_memory(p.scratch, thread.scratch.data());
    execute(p.primitive, thread.stream,
            std::array{dnnl_exec_arg_t{DNNL_ARG_FROM, p.from.get()},
                       dnnl_exec_arg_t{DNNL_ARG_TO, p.to.get()},
                       dnnl_exec_arg_t{DNNL_ARG_SCRATCHPAD, p.scratch.get()}});
    if (is_padded && !are_finite(step_, weights, p.first, p.features * step_.groups))
      is_finite = false;
  });
  is_finite_ = is_finite;
}

/// The piece's images, a dimension after the other, with zeros around them.
void Convolution::copy_with_zeros(const Piece& piece, const float* from,
                                  std::vector<float>& to) const {
  std::array<ConvolveWindow, 3> w{};
  std::ranges::copy(piece.padded, w.begin());
  const auto extent = [&](std::size_t d) { return w[d].low + w[d].input + w[d].high; };
  const std::int64_t features = step_.groups * step_.inputs, line = w[2].input * features;
  // Elements that no window meets may lie between images.
  const std::int64_t image = step_.window[0].input * w[1].input * line;
  to.assign(std::size_t(piece.images * extent(0) * extent(1) * extent(2) * features), 0.0F);
  for (std::int64_t n = 0; n < piece.images; ++n)
    for (std::int64_t i = 0; i < w[0].input; ++i)
      for (std::int64_t j = 0; j < w[1].input; ++j) {
        const std::int64_t row = (n * extent(0) + w[0].low + i) * extent(1) + w[1].low + j;
        std::copy_n(from + n * image + (i * w[1].input + j) * line, line,
                    to.data() + (row * extent(2) + w[2].low) * features);
      }
}

void Convolution::run_piece(const Piece& piece, const ConvolvePointers& at,
                            ThreadState& thread) const {
  const OneThread one;
  const Weights& weights = weights_[piece.weights];
  float* result = at.result + piece.first_result;
  if (piece.windows > 0) thread.result.resize(std::size_t(piece.windows * weights.features));
  const float* source = at.source + piece.first_source;
  if (!piece.padded.empty()) copy_with_zeros(piece, source, thread.source);
  set_memory(piece.source, piece.padded.empty() ? source : thread.source.data());
  set_memory(piece.result, piece.windows > 0 ? thread.result.data() : result);
  set_memory(piece.scratch, thread.scratch.data());
  execute(piece.primitive, thread.stream,
          std::array{dnnl_exec_arg_t{DNNL_ARG_SRC, piece.source.get()},
                     dnnl_exec_arg_t{DNNL_ARG_WEIGHTS, weights.memory.get()},
                     dnnl_exec_arg_t{DNNL_ARG_DST, piece.result.get()},
                     dnnl_exec_arg_t{DNNL_ARG_SCRATCHPAD, piece.scratch.get()}});
  for (std::int64_t w = 0; w < piece.windows; ++w)
    std::copy_n(thread.result.data() + w * weights.features, weights.features,
                result + w * step_.outputs);
}

template <class Job>
void Convolution::run_jobs(std::int64_t jobs, WorkerPool& pool, const Job& job) {
  std::atomic<bool> failed = false;
  pool.run(jobs, [&](int thread, std::int64_t number) {
    try {
      job(threads_[std::size_t(thread)], number);
    } catch (const Error&) {
      failed = true;
    }
  });
  if (failed) throw_device_error("oneDNN failed in a convolution");
}

void Convolution::run(const ConvolvePointers& at, bool weights_stay, WorkerPool& pool,
                      Device& device, const Then& then) {
  if (pieces_.empty()) {
    pool.run(std::int64_t(plain_parts_.size()), [&](int, std::int64_t part) {
      convolve_plainly(step_, plain_parts_[std::size_t(part)], at.source, at.weights, at.result);
    });
    return finish(pool, then);
  }
  if (!is_packed_) pack(at.weights, pool, device);
  is_packed_ = weights_stay;
  // Where elements of a piece lie side by side and nothing is added to them, what follows finds them in the cache.
  const bool follows_pieces = then && is_finite_ && pieces_.front().windows == 0;
  run_jobs(std::int64_t(pieces_.size()), pool, [&](ThreadState& thread, std::int64_t number) {
    const Piece& piece = pieces_[std::size_t(number)];
    run_piece(piece, at, thread);
    if (follows_pieces) then(piece.first_result, piece.first_result + piece.elements);
  });
  if (!is_finite_) add_padding(step_, at.weights, at.result);
  if (!follows_pieces) finish(pool, then);
}

/// What follows where all elements are there.
void Convolution::finish(WorkerPool& pool, const Then& then) const {
  if (!then) return;
  const std::int64_t elements = step_.result_count(),
                     pieces =
                         std::min<std::int64_t>(pool.parts(), 1 + elements / elements_per_thread);
  pool.run(pieces, [&](int, std::int64_t piece) {
    const std::int64_t begin = elements * piece / pieces, end = elements * (piece + 1) / pieces;
    if (begin < end) then(begin, end);
  });
}

}  // namespace partita::cpu

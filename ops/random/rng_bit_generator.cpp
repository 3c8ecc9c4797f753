// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random bits by a counter: the state is a key and the counter to go on from, and each element is a
// function of the key and of its own counter.  Bit for bit what XLA gives on CPUs and GPUs:
//
// Threefry: state [key, counter].  32-bit elements take the two words of a block in turns along one
// dimension, the first even one or else the longest, so there are half as many counters; 64-bit
// elements take both words.  Philox: state [key, counter, high word of the counter], or
// [key, counter] with the key as high word; elements in order take the four words of a block, 64-bit
// ones two at a time.  Elements of 8 and 16 bits are the low bits of 32.  DEFAULT is Philox.
#include "ir/axes/batching.hpp"
#include "ops/random/random_bits.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

using scalar::ExprId;
using scalar::ExprPool;

bool is_threefry(const Dict& attrs) { return attrs.text("rng_algorithm") == "THREE_FRY"; }
bool is_wide(DType d) { return info(d).bits == 64; }

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.declared().size() == 2, "2 results", cat(c.declared().size()));
  const Type &state = c.operands[0], &output = c.declared()[1];
  const std::string& algorithm = c.attrs.text("rng_algorithm");
  c.expect(algorithm == "DEFAULT" || algorithm == "THREE_FRY" || algorithm == "PHILOX",
           "rng_algorithm DEFAULT, THREE_FRY or PHILOX", algorithm);
  const bool fits = state.dtype == DType::ui64 && state.rank() == 1 &&
                    (state.dims[0] == 2 || (state.dims[0] == 3 && !is_threefry(c.attrs)));
  c.expect(
      fits,
      is_threefry(c.attrs) ? "a state tensor<2xui64>" : "a state tensor<2xui64> or tensor<3xui64>",
      to_string(state));  // (C2)
  c.expect(is_integer(output.dtype) || is_float(output.dtype), "an output of integers or floats",
           to_string(output));
  return {state, output};  // (C1)
}

/// How Threefry's words are dealt to elements of 32 bits.
struct Halves {
  Dims dims;            ///< of the counters
  std::size_t dim = 0;  ///< along which both words of a block follow each other

  explicit Halves(const Dims& shape) : dims(shape) {
    if (shape.empty()) return;
    const auto even = std::find_if(shape.begin(), shape.end(), [](auto n) { return n % 2 == 0; });
    dim = std::size_t((even != shape.end() ? even : std::max_element(shape.begin(), shape.end())) -
                      shape.begin());
    dims[dim] = (shape[dim] + 1) / 2;
  }
};

/// Blocks that the output takes.
std::uint64_t block_count(const Type& output, bool threefry) {
  const auto n = std::uint64_t(output.count());
  if (threefry)
    return is_wide(output.dtype) ? n
                                 : std::uint64_t(Type{.dims = Halves(output.dims).dims}.count());
  return is_wide(output.dtype) ? (n + 1) / 2 : (n + 3) / 4;
}

// --- Evaluation ---------------------------------------------------------------------------------

using Block = std::array<std::uint32_t, 4>;

std::array<std::uint32_t, 2> words(std::uint64_t x) {
  return {std::uint32_t(x), std::uint32_t(x >> 32)};
}

struct State {
  std::uint64_t key, low, high;
  explicit State(const HostArray& array) {
    const auto* data = array.data<DType::ui64>();
    key = data[0];
    low = data[1];
    high = array.type.dims[0] == 3 ? data[2] : key;
  }
};

Block block(const State& s, std::uint64_t counter, bool threefry) {
  const std::uint64_t low = s.low + counter;
  if (threefry) {
    const auto x = threefry2x32(words(s.key), words(low));
    return {x[0], x[1]};
  }
  const auto l = words(low), h = words(s.high + (low < s.low ? 1 : 0));
  return philox4x32(words(s.key), std::array{l[0], l[1], h[0], h[1]});
}

HostArray output_of(const State& s, const Type& type, bool threefry) {
  HostArray out(type);
  const std::size_t size = byte_size(type.dtype);
  const Halves halves(type.dims);
  const Dims half_strides = row_major_strides(halves.dims);
  const bool wide = is_wide(type.dtype);
  std::uint64_t n = 0;
  for_each_index(type.dims, [&](std::span<const std::int64_t> index) {
    std::uint64_t bits = 0;
    if (threefry && !wide) {
      Dims at(index.begin(), index.end());
      const std::size_t word = at.empty() ? 0 : std::size_t(at[halves.dim] % 2);
      if (!at.empty()) at[halves.dim] /= 2;
      bits = block(s, std::uint64_t(offset_of(at, half_strides)), true)[word];
    } else {
      const std::uint64_t words_each = wide ? 2 : 1, words_of_block = threefry ? 2 : 4;
      const std::uint64_t first = n * words_each;
      const Block b = block(s, first / words_of_block, threefry);
      const std::uint64_t word = first % words_of_block;
      bits = b[word] | (wide ? std::uint64_t(b[word + 1]) << 32 : 0);
    }
    bits = stored_bits(type.dtype, bits);
    std::memcpy(out.bytes.data() + n++ * size, &bits, size);
  });
  return out;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const bool threefry = is_threefry(c.node.attrs);
  const State s(*c.operands[0]);
  HostArray state = *c.operands[0];
  auto* data = state.data<DType::ui64>();
  const std::uint64_t count = block_count(c.result_type(1), threefry);
  data[1] += count;
  if (state.type.dims[0] == 3 && data[1] < count) ++data[2];
  std::vector<Tensor> results = one(std::move(state));
  results.push_back(std::make_shared<const HostArray>(output_of(s, c.result_type(1), threefry)));
  return results;
}

// --- Kernels ------------------------------------------------------------------------------------

struct Lowering {
  ExprPool& pool;
  const LoadFn& load;
  std::int64_t state_size;
  bool threefry;

  [[nodiscard]] ExprId state(std::int64_t k) const {
    const ExprId at = pool.index(k);
    return load(0, std::span(&at, 1));
  }
  [[nodiscard]] ExprId u64(std::uint64_t x) const { return pool.constant(DType::ui64, x); }
  [[nodiscard]] ExprId sum(ExprId a, ExprId b) const {
    return pool.apply("add", DType::ui64, {a, b});
  }
  /// high, and one more where low + counter has wrapped around.
  [[nodiscard]] ExprId carried(ExprId high, ExprId low, ExprId total) const {
    const ExprId wraps = pool.apply("compare_lt", DType::ui64, {total, low});
    return sum(high, pool.convert(wraps, DType::ui64));
  }
  [[nodiscard]] std::array<ExprWord, 2> words(ExprId x) const {
    const ExprId high = pool.apply("shift_right_logical", DType::ui64, {x, u64(32)});
    return {ExprWord{&pool, pool.convert(x, DType::ui32)},
            ExprWord{&pool, pool.convert(high, DType::ui32)}};
  }

  [[nodiscard]] std::vector<ExprId> block(ExprId counter) const {
    const ExprId low = state(1), total = sum(low, pool.from_index(counter, DType::ui64));
    const auto key = words(state(0)), l = words(total);
    if (threefry) {
      const auto x = threefry2x32(key, l);
      return {x[0].id, x[1].id};
    }
    const auto h = words(carried(state(state_size == 3 ? 2 : 0), low, total));
    const auto x = philox4x32(key, std::array{l[0], l[1], h[0], h[1]});
    return {x[0].id, x[1].id, x[2].id, x[3].id};
  }

  /// Word number `which` of a block.
  [[nodiscard]] ExprId word(const std::vector<ExprId>& words_of_block, ExprId which,
                            std::size_t from = 0, std::size_t step = 1) const {
    ExprId chosen = words_of_block[from];
    for (std::size_t k = 1; from + k * step < words_of_block.size(); ++k)
      chosen = pool.choose(pool.equal(which, pool.index(std::int64_t(k))),
                           words_of_block[from + k * step], chosen);
    return chosen;
  }

  [[nodiscard]] ExprId bits64(ExprId linear) const {
    const ExprId counter = threefry ? linear : pool.div(linear, 2);
    const ExprId which = threefry ? pool.index(0) : pool.mod(linear, 2);
    const std::vector<ExprId> b = block(counter);
    const ExprId low = pool.convert(word(b, which, 0, 2), DType::ui64),
                 high = pool.convert(word(b, which, 1, 2), DType::ui64);
    return pool.apply("or_", DType::ui64,
                      {low, pool.apply("shift_left", DType::ui64, {high, u64(32)})});
  }

  [[nodiscard]] ExprId bits32(std::span<const ExprId> index, const Dims& dims) const {
    if (!threefry) {
      const ExprId linear = scalar::linear_index(pool, index, dims);
      return word(block(pool.div(linear, 4)), pool.mod(linear, 4));
    }
    const Halves halves(dims);
    std::vector<ExprId> at(index.begin(), index.end());
    if (at.empty()) return block(pool.index(0))[0];
    const ExprId which = pool.mod(at[halves.dim], 2);
    at[halves.dim] = pool.div(at[halves.dim], 2);
    return word(block(scalar::linear_index(pool, at, halves.dims)), which);
  }
};

ExprId lower(const Node& node, int result, ExprPool& pool, std::span<const ExprId> index,
             const LoadFn& load) {
  const Lowering l{pool, load, node.operand(0).type().dims[0], is_threefry(node.attrs)};
  const Type& output = node.result_types()[1];
  if (result == 0) {
    const ExprId low = l.state(1), total = l.sum(low, l.u64(block_count(output, l.threefry)));
    const ExprId next = pool.choose(pool.equal(index[0], pool.index(1)), total, l.state(0));
    if (l.state_size == 2) return next;
    return pool.choose(pool.equal(index[0], pool.index(2)), l.carried(l.state(2), low, total),
                       next);
  }
  const DType d = output.dtype;
  if (is_wide(d)) return pool.bitcast(l.bits64(scalar::linear_index(pool, index, output.dims)), d);
  const ExprId bits = l.bits32(index, output.dims);
  if (info(d).bits == 32) return pool.bitcast(bits, d);
  return pool.bitcast(pool.convert(bits, bits_dtype(d)), d);
}

}  // namespace

void register_rng_bit_generator(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.rng_bit_generator";
  op.doc =
      "Random bits of a key and a counter (Threefry or Philox, the same bits as XLA's), and the "
      "state with the counter after them.";
  op.attrs = {AttrSpec{.name = "rng_algorithm",
                       .kind = AttrKind::enumeration,
                       .allowed = {"DEFAULT", "THREE_FRY", "PHILOX"},
                       .enum_kind = "rng_algorithm"}};
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::loops;
  op.batch = batch_by_loop;
  op.lower = lower;
  op.cost = 100;
  op.derivative = Derivative::none("bits have no derivative");
  op.samples = {
      R"(func.func @main(%s: tensor<2xui64>, %t: tensor<3xui64>) -> (tensor<2xui64>, tensor<5x6xui32>, tensor<3x7xui8>, tensor<7xf32>, tensor<3xui64>, tensor<9xf64>, tensor<i16>, tensor<0xi32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x6xui32>)
  %1:2 = "stablehlo.rng_bit_generator"(%0#0) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x7xui8>)
  %2:2 = "stablehlo.rng_bit_generator"(%1#0) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xf32>)
  %3:2 = "stablehlo.rng_bit_generator"(%t) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<9xf64>)
  %4:2 = "stablehlo.rng_bit_generator"(%3#0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<i16>)
  %5:2 = "stablehlo.rng_bit_generator"(%2#0) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xi32>)
  return %5#0, %0#1, %1#1, %2#1, %4#0, %3#1, %4#1, %5#1 : tensor<2xui64>, tensor<5x6xui32>, tensor<3x7xui8>, tensor<7xf32>, tensor<3xui64>, tensor<9xf64>, tensor<i16>, tensor<0xi32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops

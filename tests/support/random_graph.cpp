// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/random_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/scalar/elementwise.hpp"
#include "tests/support/dtype_groups.hpp"
#include "tests/support/random_scope.hpp"
#include "tests/support/samples.hpp"

namespace partita::testing {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
using scalar::ElementwiseRow;
using scalar::Signature;

/// Values noisier than this go no further.
constexpr double noise_limit = 0.02;
/// How much an op may amplify the noise of its operands, within the ranges that rows are sampled in.
constexpr double amplification = 16;
constexpr std::int64_t largest_array = 4096;

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Elements move, none is computed.
constexpr std::array<std::string_view, 12> movements{"stablehlo.broadcast_in_dim",
                                                     "stablehlo.concatenate",
                                                     "stablehlo.dynamic_slice",
                                                     "stablehlo.dynamic_update_slice",
                                                     "stablehlo.gather",
                                                     "stablehlo.optimization_barrier",
                                                     "stablehlo.pad",
                                                     "stablehlo.reshape",
                                                     "stablehlo.reverse",
                                                     "stablehlo.slice",
                                                     "stablehlo.transpose",
                                                     "stablehlo.select"};
/// Arbitrary operands are ill-conditioned, or results are not defined by the operands alone.
constexpr std::array<std::string_view, 5> not_compared{"stablehlo.cholesky", "stablehlo.rng",
                                                       "stablehlo.triangular_solve",
                                                       "stablehlo.custom_call", "chlo.erf_inv"};
/// Complex numbers are ordered by their real parts first.
constexpr std::array<std::string_view, 4> jumping_rows{"remainder", "next_after", "complex_maximum",
                                                       "complex_minimum"};

bool is_movement(const Node& node) { return is_one_of(node.name(), movements); }

double epsilon(DType d) {
  return is_float(part_dtype(d)) ? std::ldexp(1.03, -scalar::mantissa_bits(d)) : 0;
}

bool has_noise(DType d) { return epsilon(d) > 0; }

/// Rows without a derivative jump, or do not depend on small changes of the operands at all.
bool jumps(const ElementwiseRow& row) {
  if (row.signature == Signature::test || row.signature == Signature::compare) return true;
  if (is_one_of(row.name, jumping_rows)) return true;
  return row.gradient.find('g') == std::string_view::npos;
}

struct Sample {
  std::string op;
  std::unique_ptr<ir::Module> module;
  bool has_loop = false, is_movement = true;
  [[nodiscard]] const Graph& body() const { return *module->entry("main").body; }
};

bool is_usable(const ir::Module& module) {
  if (module.functions.size() != 1 || !module.items.empty()) return false;
  bool usable = true;
  ir::walk(*module.functions[0]->body, [&](const Node& node) {
    usable &= !node.op().has_side_effect && !node.name().starts_with("mr.") &&
              !node.name().starts_with("sdy.") && !is_one_of(node.name(), not_compared);
    for (const Type& t : node.result_types()) usable &= !t.is_token;
  });
  return usable;
}

/// Samples of the ops that are not rows, of those that can stand in any program.
const std::vector<Sample>& sample_bodies() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> samples;
    for (const ir::OpDef* op : ir::OpRegistry::instance().all())
      for (const std::string& text : op->samples) {
        if (op->row != nullptr) continue;
        Sample s{.op = op->name, .module = ir::parse_module(text, op->name)};
        if (!is_usable(*s.module)) continue;
        ir::walk(*s.module->functions[0]->body, [&](const Node& node) {
          s.has_loop |= node.is("stablehlo.while");
          s.is_movement &= is_movement(node) || node.is("stablehlo.constant");
        });
        samples.push_back(std::move(s));
      }
    return samples;
  }();
  return all;
}

void declare_placements(ir::Module& module) {
  ir::Dict sizes;
  for (const auto& [name, size] : shape_placements()) sizes.set(name, size);
  module.attrs.set("mr.placements", sizes);
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {
    module_ = std::make_unique<ir::Module>();
    auto function = std::make_unique<ir::Function>();
    function->name = "main";
    function->body = std::make_unique<Graph>();
    graph_ = function->body.get();
    module_->functions.push_back(std::move(function));
    special_ = pick(8) == 0;
    has_shapes_ = pick(2) == 0;
  }

  /// The sample alone; all that it computes is a result.
  RandomGraph run(const Sample& sample) {
    most_results_ = 1000;
    add_sample(sample);
    return finish();
  }
  RandomGraph run(int steps) {
    const int sure = pick(std::size_t(steps));
    for (int k = 0; k < steps; ++k) {
      const int kind = pick(10);
      if (has_shapes_ && (k == sure || pick(4) == 0))
        add_shape();
      else if (kind < 6)
        add_row();
      else
        add_sample();
    }
    return finish();
  }

 private:
  struct Entry {
    Value value;
    double noise = 0;
  };

  int pick(std::size_t n) { return int(random_() % n); }

  Entry keep(Value v, double noise) {
    entries_.push_back({v, noise});
    return entries_.back();
  }

  // --- Arguments and operands ----------------------------------------------------------------------

  /// Floats are multiples of 1/8, which sums and products of a few keep exact.
  double draw(DType d, scalar::SampleRange range) {
    if (d == DType::i1) return pick(2);
    if (has_noise(d)) {
      if (special_ && pick(16) == 0) {
        static constexpr double specials[] = {NAN, INFINITY, -INFINITY, -0.0};
        return specials[pick(4)];
      }
      const auto low = std::ceil(range.low * 8), high = std::floor(range.high * 8);
      return (low + double(pick(std::size_t(std::max(high - low, 0.0)) + 1))) / 8;
    }
    return intersects(info(d).kind, Kinds::unsigned_) ? pick(8) : pick(9) - 2;
  }

  Value argument(const Type& type, scalar::SampleRange range = {-3, 3}) {
    HostArray parts(Type{.dtype = DType::f64, .dims = type.dims});
    HostArray array(type);
    visit(type.dtype, [&](auto d) {
      for (std::int64_t i = 0; i < type.count(); ++i) {
        if constexpr (info(d).kind == Kinds::complex) {
          using Part = typename ValueType<d>::value_type;
          store<d>({Part(draw(d, range)), Part(draw(d, range))}, array.data<d>(), std::size_t(i));
        } else {
          parts.data<DType::f64>()[i] = draw(d, range);
        }
      }
    });
    inputs_.push_back(is_complex(type.dtype) ? array : convert(parts, type.dtype));
    return keep(graph_->add_argument(type), 0).value;
  }

  /// A value of the type: one that is there, one made from another, or a new argument.
  Entry operand(const Type& type, bool exact) {
    std::vector<Entry> same, other;
    for (const Entry& e : entries_) {
      const Type& t = e.value.type();
      if (e.noise > (exact ? 0 : noise_limit) || t.is_token) continue;
      if (t == type)
        same.push_back(e);
      else if (t.count() > 0 && (t.dtype == type.dtype || t.count() == type.count()))
        other.push_back(e);
    }
    const int choice = pick(8);
    if (!same.empty() && choice < 5) return same[std::size_t(pick(same.size()))];
    if (!other.empty() && choice < 7)
      if (const auto made = adapted(other[std::size_t(pick(other.size()))], type)) return *made;
    return {argument(type), 0};
  }

  std::optional<Entry> adapted(Entry e, const Type& type) {
    if (e.value.type().dtype != type.dtype) {
      const bool jumps = has_noise(e.value.type().dtype) && !has_noise(type.dtype);
      if (is_complex(e.value.type().dtype) != is_complex(type.dtype) || jumps) return std::nullopt;
      const Type to{.dtype = type.dtype, .dims = e.value.type().dims};
      e.value = make("stablehlo.convert", {e.value}, {}, to);
      // What is not a number in a narrower type may be one in the wider.
      if (e.noise > 0) e.noise = e.noise * amplification + epsilon(type.dtype);
    }
    if (e.value.type().count() == type.count() && e.value.type().dims != type.dims)
      e.value = make("stablehlo.reshape", {e.value}, {}, type);
    if (e.value.type().dims.empty() && !type.dims.empty())
      e.value = make("stablehlo.broadcast_in_dim", {e.value},
                     {{"broadcast_dimensions", ir::I64s{}}}, type);
    if (e.value.type() != type) return std::nullopt;
    return keep(e.value, e.noise);
  }

  Value make(std::string_view op, std::vector<Value> operands, ir::Dict attrs = {},
             const std::optional<Type>& declared = std::nullopt) {
    const std::vector<Type> types = declared ? std::vector<Type>{*declared} : std::vector<Type>{};
    return ir::create(*graph_, op, std::move(operands), std::move(attrs), {}, types)->result();
  }

  // --- Steps -----------------------------------------------------------------------------------------

  Dims random_dims() {
    Dims dims(std::size_t(pick(4)));
    for (std::int64_t& d : dims) d = pick(12) == 0 ? 0 : 1 + pick(5);
    return dims;
  }

  /// Of the many types of less than a byte, and floats of one, as often one as of the others.
  DType random_dtype(const ElementwiseRow& row) {
    std::vector<DType> fitting, short_ones;
    for (const DType d : all_dtypes) {
      if (row.accepts(d)) (is_short(d) ? short_ones : fitting).push_back(d);
    }
    if (!short_ones.empty() && pick(fitting.size() + 1) == 0)
      return short_ones[std::size_t(pick(short_ones.size()))];
    return fitting[std::size_t(pick(fitting.size()))];
  }

  /// The operand inside of the range in which the row is well-conditioned.
  Entry within(Entry e, scalar::SampleRange range) {
    const Type& type = e.value.type();
    const Type scalar = Type::scalar(type.dtype);
    const double least = std::ceil(range.low * 8) / 8, most = std::floor(range.high * 8) / 8;
    const Value low = argument(scalar, {least, least}), high = argument(scalar, {most, most});
    return {make("stablehlo.clamp", {low, e.value, high}), e.noise};
  }

  /// Operands of which infinities and NaN reach other elements by the algorithm: of a transform, and of combiners that
  /// compare, which are associative among numbers alone.
  static std::vector<Value> wants_finite(const Node& node) {
    std::vector<Value> wanted;
    if (node.is("stablehlo.fft")) wanted.push_back(node.operand(0));
    const bool combines = node.is("stablehlo.reduce") || node.is("stablehlo.reduce_window");
    if (combines && !ir::simple_combiner(node.region(0)))
      for (std::size_t k = 0; k < node.operands().size() / 2; ++k)
        if (has_noise(node.operand(k).type().dtype)) wanted.push_back(node.operand(k));
    return wanted;
  }
  /// Zero where an element is infinite or no number.
  Value finite(Value x) {
    const Value is_finite =
        is_complex(x.type().dtype)
            ? make("stablehlo.and", {make("stablehlo.is_finite", {make("stablehlo.real", {x})}),
                                     make("stablehlo.is_finite", {make("stablehlo.imag", {x})})})
            : make("stablehlo.is_finite", {x});
    const Value zero = ir::create_splat(*graph_, x.type(), 0);
    return make("stablehlo.select", {is_finite, x, zero});
  }

  void add_row() {
    const auto rows = scalar::elementwise_rows();
    const ElementwiseRow& row = rows[std::size_t(pick(rows.size()))];
    if (is_one_of(row.op, not_compared)) return;
    const DType d = random_dtype(row);
    Dims dims = random_dims();
    if (!entries_.empty() && pick(4) != 0) {
      const Type& t = entries_[std::size_t(pick(entries_.size()))].value.type();
      if (t.count() <= largest_array) dims = t.dims;
    }
    const bool is_rounded = has_noise(d) && row.ulp > 0;
    double noise = 0;
    std::vector<Value> operands;
    for (int k = 0; k < arity(row.signature); ++k) {
      const Type type{.dtype = operand_dtype(row.signature, d, k), .dims = dims};
      const scalar::SampleRange range = row.samples[std::size_t(k)];
      Entry e;
      if (is_complex(d) && is_rounded)
        e = {argument(type, range), 0};
      else
        e = operand(type, jumps(row) || !has_noise(type.dtype));
      // Where operands are noisy every row is kept in its range: division has poles too.
      if (is_float(type.dtype) && (is_rounded || e.noise > 0) && row.signature != Signature::choice)
        e = within(e, range);
      noise += e.noise;
      operands.push_back(e.value);
    }
    const Value v = make(row.op, std::move(operands), ir::row_attributes(row));
    if (is_rounded || noise > 0)
      noise = amplification * noise + double(row.ulp + 1) * epsilon(part_dtype(d));
    keep(v, has_noise(v.type().dtype) ? noise : 0);
  }

  void add_sample() {
    const auto& samples = sample_bodies();
    add_sample(samples[std::size_t(pick(samples.size()))]);
  }
  void add_sample(const Sample& sample) {
    ir::ValueMap<Value> map;
    ir::ValueMap<double> noise;
    for (const Value& v : sample.body().arguments()) {
      // Trip counts come from arguments, which other values could make huge.
      const Entry e =
          sample.has_loop ? Entry{argument(v.type()), 0} : operand(v.type(), !sample.is_movement);
      map[v] = e.value;
      noise[v] = e.noise;
    }
    for (Node* node : sample.body().nodes()) {
      for (const Value& v : wants_finite(*node)) map[v] = finite(map.at(v));
      double sum = 0;
      for (const Value& v : ir::captures(*node)) sum += noise[v];
      Node* const copy = ir::clone_node(*node, *graph_, map);
      for (int k = 0; k < node->result_count(); ++k) {
        noise[node->result(k)] = sample_noise(*node, k, sum);
        keep(copy->result(k), noise[node->result(k)]);
      }
    }
  }

  /// A shape on values that are exact, whose results are so too.
  void add_shape() {
    std::vector<Value> visible;
    for (const Entry& e : entries_)
      if (e.noise == 0 && Scope::takes(e.value.type())) visible.push_back(e.value);
    Scope::Shared shared{random_, census_, [this](const Type& type) { return argument(type); }};
    constexpr int nested = 2;
    Scope scope(shared, *graph_, std::move(visible), {.depth = nested});
    const std::vector<Value> results = scope.add();
    for (const Value& v : results) keep(v, 0);
    most_results_ = std::min(std::max(most_results_, results.size() + 6), std::size_t(32));
  }

  static double sample_noise(const Node& node, int result, double operands) {
    const DType d = node.result_types()[std::size_t(result)].dtype;
    if (!has_noise(d)) return 0;
    if (is_movement(node) || node.is("stablehlo.constant") || node.is("stablehlo.iota"))
      return operands;
    double coarsest = epsilon(d);
    for (const Value& v : node.operands()) coarsest = std::max(coarsest, epsilon(v.type().dtype));
    return amplification * operands + 64 * coarsest;
  }

  RandomGraph finish() {
    RandomGraph result;
    const auto uses = ir::count_uses(*graph_);
    for (std::size_t k = entries_.size(); k-- > 0 && graph_->results.size() < most_results_;) {
      const Entry& e = entries_[k];
      if (graph_->is_argument(e.value) || e.noise > noise_limit) continue;
      if (uses.contains(e.value) && pick(6) != 0) continue;
      graph_->results.push_back(e.value);
      result.noise.push_back(e.noise);
    }
    ir::Function& function = *module_->functions[0];
    for (const Value& v : graph_->results) function.result_types.push_back(v.type());
    function.arg_attrs.resize(inputs_.size());
    function.arg_loc_texts.resize(inputs_.size());
    function.res_attrs.resize(graph_->results.size());
    ir::remove_dead_nodes(*graph_);
    declare_placements(*module_);
    result.module = std::move(module_);
    result.census = std::move(census_);
    result.inputs = std::move(inputs_);
    return result;
  }

  std::mt19937 random_;
  std::unique_ptr<ir::Module> module_;
  Graph* graph_ = nullptr;
  std::vector<HostArray> inputs_;
  std::vector<Entry> entries_;
  Census census_;
  std::size_t most_results_ = 6;
  bool special_ = false, has_shapes_ = false;
};

}  // namespace

RandomGraph random_graph(unsigned seed, int steps) { return Generator(seed).run(steps); }

std::vector<SampleGraph> sample_graphs() {
  std::vector<SampleGraph> all;
  for (const Sample& sample : sample_bodies())
    all.push_back({sample.op, Generator(unsigned(all.size())).run(sample)});
  return all;
}

RandomGraph merged(std::span<const RandomGraph> parts) {
  RandomGraph whole;
  whole.module = std::make_unique<ir::Module>();
  declare_placements(*whole.module);
  auto function = std::make_unique<ir::Function>();
  function->name = "main";
  function->body = std::make_unique<Graph>();
  for (const RandomGraph& part : parts) {
    ir::ValueMap<Value> map;
    const Graph& body = *part.module->entry("main").body;
    for (const Value& v : body.arguments()) map[v] = function->body->add_argument(v.type());
    for (const Value& v : ir::clone_body(body, *function->body, map)) {
      function->body->results.push_back(v);
      function->result_types.push_back(v.type());
    }
    whole.inputs.insert(whole.inputs.end(), part.inputs.begin(), part.inputs.end());
    whole.noise.insert(whole.noise.end(), part.noise.begin(), part.noise.end());
    for (const auto& [shape, count] : part.census) whole.census[shape] += count;
  }
  function->arg_attrs.resize(whole.inputs.size());
  function->arg_loc_texts.resize(whole.inputs.size());
  function->res_attrs.resize(whole.noise.size());
  whole.module->functions.push_back(std::move(function));
  return whole;
}

std::vector<HostArray> interpreted(const RandomGraph& program) {
  ir::Interpreter interpreter(*program.module);
  std::vector<ir::Tensor> arguments;
  for (const HostArray& a : program.inputs)
    arguments.push_back(std::make_shared<const HostArray>(a));
  std::vector<HostArray> results;
  for (const ir::Tensor& t : interpreter.run(program.module->entry("main"), arguments))
    results.push_back(*t);
  return results;
}

}  // namespace partita::testing

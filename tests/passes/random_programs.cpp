// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/passes/random_programs.hpp"

#include <algorithm>
#include <functional>

#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::testing {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Value;

/// Makes nodes in one graph from the values that are visible there.
class Generator {
 public:
  Generator(Graph& graph, std::mt19937& random, std::vector<Value> visible, int depth)
      : graph_(graph), random_(random), values_(std::move(visible)), depth_(depth) {}

  void grow(int nodes) {
    for (int k = 0; k < nodes; ++k) add_node();
  }
  const std::vector<Value>& values() const { return values_; }
  /// A value of the type, made if there is none.
  Value any_of(const Type& type) {
    std::vector<Value> fitting;
    for (const Value& v : values_)
      if (v.type() == type) fitting.push_back(v);
    if (fitting.empty() || pick(8) == 0) return constant(type);
    return fitting[std::size_t(pick(int(fitting.size())))];
  }
  Value any() {
    return values_.empty() ? constant(Type::scalar(DType::f32))
                           : values_[std::size_t(pick(int(values_.size())))];
  }

 private:
  int pick(int n) { return int(random_() % unsigned(n)); }

  Value keep(Value v) {
    values_.push_back(v);
    return v;
  }
  Value make(const std::string& op, std::vector<Value> operands, ir::Dict attrs = {},
             std::optional<Type> type = std::nullopt) {
    const std::vector<Type> declared = type ? std::vector<Type>{*type} : std::vector<Type>{};
    return keep(
        ir::create(graph_, op, std::move(operands), std::move(attrs), {}, declared)->result());
  }

  Value constant(const Type& type) {
    HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
    const bool is_splat = pick(2) == 0;
    static constexpr double choices[] = {0, 1, -1, 2, -0.0, 0.5};
    const double one = choices[pick(type.dtype == DType::f32 ? 6 : 4)];
    for (std::int64_t k = 0; k < type.count(); ++k)
      wide.data<DType::f64>()[k] = is_splat ? one : double(pick(5) - 2);
    if (type.dtype == DType::i1)
      for (std::int64_t k = 0; k < type.count(); ++k)
        wide.data<DType::f64>()[k] = is_splat ? double(one > 0) : double(pick(2));
    return keep(ir::create_constant(graph_, ir::make_dense(convert(wide, type.dtype))));
  }

  Value any_where(const std::function<bool(const Type&)>& fits, const Type& otherwise) {
    std::vector<Value> fitting;
    for (const Value& v : values_)
      if (fits(v.type())) fitting.push_back(v);
    return fitting.empty() ? constant(otherwise) : fitting[std::size_t(pick(int(fitting.size())))];
  }
  Value any_array() {
    return any_where([](const Type& t) { return !t.dims.empty() && t.dims.size() < 4; },
                     {.dtype = DType::f32, .dims = {3, 2}});
  }
  Value any_number() {
    return any_where([](const Type& t) { return t.dtype != DType::i1; }, Type::scalar(DType::f32));
  }

  void add_node() {
    static constexpr void (Generator::*kinds[])() = {
        &Generator::elementwise, &Generator::elementwise,
        &Generator::elementwise, &Generator::compare,
        &Generator::select,      &Generator::transpose,
        &Generator::reshape,     &Generator::broadcast,
        &Generator::slice,       &Generator::concatenate,
        &Generator::reduce,      &Generator::dot,
        &Generator::dynamic,     &Generator::convert_to,
        &Generator::logic,       &Generator::pad_or_reverse,
        &Generator::loop,        &Generator::branch,
        &Generator::iota};
    (this->*kinds[pick(int(std::size(kinds)))])();
  }

  void elementwise() {
    const Value x = any_number();
    static constexpr const char* binary[] = {"add",     "subtract", "multiply", "maximum",
                                             "minimum", "add",      "multiply"};
    static constexpr const char* unary[] = {"negate", "abs", "sign"};
    static constexpr const char* functions[] = {"tanh", "cosine", "logistic"};
    if (pick(3) != 0)
      make(std::string("stablehlo.") + binary[pick(7)], {x, any_of(x.type())});
    else if (is_float(x.type().dtype) && pick(2) == 0)
      make(std::string("stablehlo.") + functions[pick(3)], {x});
    else
      make(std::string("stablehlo.") + unary[pick(3)], {x});
  }

  void compare() {
    const Value x = any();
    static constexpr const char* directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    make("stablehlo.compare", {x, any_of(x.type())},
         ir::comparison_attributes(directions[pick(6)]));
  }

  void select() {
    const Value x = any();
    const Value p = any_of({.dtype = DType::i1, .dims = pick(3) == 0 ? Dims{} : x.type().dims});
    make("stablehlo.select", {p, x, any_of(x.type())});
  }

  void logic() {
    const Value x = any_where([](const Type& t) { return t.dtype == DType::i1; },
                              {.dtype = DType::i1, .dims = {3}});
    static constexpr const char* names[] = {"stablehlo.and", "stablehlo.or", "stablehlo.xor"};
    if (pick(3) == 0)
      make("stablehlo.not", {x});
    else
      make(names[pick(3)], {x, any_of(x.type())});
  }

  void transpose() {
    const Value x = any_array();
    I64s permutation(x.type().dims.size());
    for (std::size_t d = 0; d < permutation.size(); ++d) permutation[d] = std::int64_t(d);
    std::ranges::shuffle(permutation, random_);
    make("stablehlo.transpose", {x}, {{"permutation", permutation}});
  }

  void reshape() {
    const Value x = any();
    const std::int64_t n = x.type().count();
    Dims dims;
    std::int64_t left = n;
    while (dims.size() < 2) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t d = 1; d <= left; ++d)
        if (left % d == 0) divisors.push_back(d);
      dims.push_back(divisors[std::size_t(pick(int(divisors.size())))]);
      left /= dims.back();
    }
    if (left != 1 || pick(3) == 0) dims.push_back(left);
    make("stablehlo.reshape", {x}, {}, Type{.dtype = x.type().dtype, .dims = dims});
  }

  void broadcast() {
    const Value x = any();
    if (x.type().count() > 60) return;
    Dims shape;
    I64s dims;
    for (const std::int64_t extent : x.type().dims) {
      if (pick(2) == 0 && shape.size() < 3) shape.push_back(1 + pick(3));
      dims.push_back(std::int64_t(shape.size()));
      shape.push_back(extent == 1 ? 1 + pick(3) : extent);
    }
    if (shape.size() < 3) shape.push_back(1 + pick(3));
    make("stablehlo.broadcast_in_dim", {x}, {{"broadcast_dimensions", dims}},
         Type{.dtype = x.type().dtype, .dims = shape});
  }

  void slice() {
    const Value x = any_array();
    I64s start, limit, strides;
    for (const std::int64_t extent : x.type().dims) {
      start.push_back(pick(int(extent)));
      limit.push_back(start.back() + 1 + pick(int(extent - start.back())));
      strides.push_back(1 + pick(2));
    }
    make("stablehlo.slice", {x},
         {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}});
  }

  void concatenate() {
    const Value x = any_array();
    if (x.type().count() > 60) return;
    std::vector<Value> parts{x};
    for (int k = pick(3); k > 0; --k) parts.push_back(any_of(x.type()));
    make("stablehlo.concatenate", parts,
         {{"dimension", std::int64_t(pick(int(x.type().dims.size())))}});
  }

  void reduce() {
    const Value x = any_where([](const Type& t) { return !t.dims.empty() && t.dtype != DType::i1; },
                              {.dtype = DType::f32, .dims = {3, 2}});
    I64s dims;
    for (std::size_t d = 0; d < x.type().dims.size(); ++d)
      if (pick(2) == 0) dims.push_back(std::int64_t(d));
    static constexpr Combiner combiners[] = {Combiner::sum, Combiner::max, Combiner::min,
                                             Combiner::product};
    const Combiner combiner = combiners[pick(4)];
    const Value init = keep(
        ir::create_constant(graph_, ir::combiner_identity(combiner, Type::scalar(x.type().dtype))));
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(ir::make_combiner(combiner, x.type().dtype));
    keep(ir::create(graph_, "stablehlo.reduce", {x, init}, {{"dimensions", dims}},
                    std::move(regions))
             ->result());
  }

  void dot() {
    const Value x = any_where(
        [](const Type& t) {
          return t.dims.size() == 2 && t.dtype == DType::f32 && t.count() <= 40;
        },
        {.dtype = DType::f32, .dims = {3, 2}});
    const Value y = any_of(x.type());
    const auto d = std::int64_t(pick(2));
    make("stablehlo.dot_general", {x, y},
         {{"lhs_contracting_dimensions", I64s{d}},
          {"rhs_contracting_dimensions", I64s{d}},
          {"lhs_batching_dimensions", I64s{}},
          {"rhs_batching_dimensions", I64s{}}});
  }

  void dynamic() {
    const Value x = any_array();
    I64s sizes;
    std::vector<Value> operands{x};
    for (const std::int64_t extent : x.type().dims) sizes.push_back(1 + pick(int(extent)));
    const bool is_update = pick(2) == 0;
    if (is_update) operands.push_back(any_of({.dtype = x.type().dtype, .dims = sizes}));
    for (std::size_t d = 0; d < sizes.size(); ++d)
      operands.push_back(any_of(Type::scalar(DType::i32)));
    if (is_update)
      make("stablehlo.dynamic_update_slice", operands);
    else
      make("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}});
  }

  void convert_to() {
    const Value x = any();
    static constexpr DType dtypes[] = {DType::f32, DType::i32, DType::i1, DType::i8, DType::f64};
    const DType d =
        dtypes[pick(x.type().dtype == DType::f32 || x.type().dtype == DType::f64 ? 1 : 5)];
    make("stablehlo.convert", {x}, {}, Type{.dtype = d, .dims = x.type().dims});
  }

  void iota() {
    const Type type{.dtype = pick(2) == 0 ? DType::i32 : DType::f32, .dims = {1 + pick(3), 2}};
    make("stablehlo.iota", {}, {{"iota_dimension", std::int64_t(pick(2))}}, type);
  }

  void pad_or_reverse() {
    const Value x = any_array();
    const std::size_t rank = x.type().dims.size();
    if (pick(2) == 0 || x.type().count() > 60) {
      I64s dims;
      for (std::size_t d = 0; d < rank; ++d)
        if (pick(2) == 0) dims.push_back(std::int64_t(d));
      make("stablehlo.reverse", {x}, {{"dimensions", dims}});
      return;
    }
    I64s low(rank), high(rank), interior(rank);
    for (std::size_t d = 0; d < rank; ++d)
      low[d] = pick(2), high[d] = pick(2), interior[d] = pick(3) == 0;
    make("stablehlo.pad", {x, any_of(Type::scalar(x.type().dtype))},
         {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
  }

  /// A loop of a known number of steps over a few carries; its body sees everything outside.
  void loop() {
    if (depth_ == 0) return;
    const Type counter = Type::scalar(DType::i32);
    std::vector<Value> inits{ir::create_splat(graph_, counter, pick(2))};
    for (int k = pick(3) + 1; k > 0; --k) inits.push_back(any());
    std::vector<std::unique_ptr<Graph>> regions;
    for (int r = 0; r < 2; ++r) {
      regions.push_back(std::make_unique<Graph>());
      for (const Value& v : inits) regions.back()->add_argument(v.type());
    }
    Graph& condition = *regions[0];
    const Value bound = ir::create_splat(condition, counter, 1 + pick(3));
    condition.results = {ir::create_value(condition, "stablehlo.compare",
                                          {condition.argument(0), bound},
                                          ir::comparison_attributes("LT"))};
    Graph& body = *regions[1];
    std::vector<Value> visible = values_;
    for (const Value& v : body.arguments()) visible.push_back(v);
    Generator inner(body, random_, visible, depth_ - 1);
    inner.grow(4 + pick(6));
    body.results = {ir::create_value(body, "stablehlo.add",
                                     {body.argument(0), ir::create_splat(body, counter, 1)})};
    for (std::size_t k = 1; k < inits.size(); ++k)
      body.results.push_back(inner.any_of(inits[k].type()));
    const ir::Node* node = ir::create(graph_, "stablehlo.while", inits, {}, std::move(regions));
    for (int k = 0; k < node->result_count(); ++k) keep(Value{const_cast<ir::Node*>(node), k});
  }

  void branch() {
    if (depth_ == 0) return;
    const Type type = any().type(), other = any().type();
    const Value index = any_of(Type::scalar(DType::i32));
    std::vector<std::unique_ptr<Graph>> regions;
    for (int r = 2 + pick(2); r > 0; --r) {
      regions.push_back(std::make_unique<Graph>());
      Generator inner(*regions.back(), random_, values_, depth_ - 1);
      inner.grow(2 + pick(4));
      const Value first = inner.any_of(type);
      regions.back()->results = {first, inner.any_of(other)};
    }
    const ir::Node* node = ir::create(graph_, "stablehlo.case", {index}, {}, std::move(regions));
    for (int k = 0; k < 2; ++k) keep(Value{const_cast<ir::Node*>(node), k});
  }

  Graph& graph_;
  std::mt19937& random_;
  std::vector<Value> values_;
  int depth_;
};

}  // namespace

std::unique_ptr<ir::Module> random_program(unsigned seed, int nodes) {
  std::mt19937 random(seed);
  auto module = std::make_unique<ir::Module>();
  auto f = std::make_unique<ir::Function>();
  f->name = "main";
  f->body = std::make_unique<Graph>();
  const Type types[] = {{.dtype = DType::f32, .dims = {3, 2}},
                        {.dtype = DType::f32, .dims = {3}},
                        Type::scalar(DType::f32),
                        Type::scalar(DType::i32),
                        {.dtype = DType::i32, .dims = {2}},
                        {.dtype = DType::i1, .dims = {3}}};
  for (const Type& t : types) f->body->add_argument(t);
  Generator generator(*f->body, random, f->body->arguments(), 2);
  generator.grow(nodes);
  for (int k = 0; k < 4; ++k) {
    const Value v =
        generator
            .values()[generator.values().size() - 1 -
                      std::size_t(random() % std::min<std::size_t>(12, generator.values().size()))];
    f->body->results.push_back(v);
    f->result_types.push_back(v.type());
  }
  f->arg_attrs.resize(std::size_t(f->body->argument_count()));
  f->res_attrs.resize(f->result_types.size());
  ir::remove_dead_nodes(*f->body);
  module->functions.push_back(std::move(f));
  ir::verify(*module);
  return module;
}

}  // namespace partita::testing

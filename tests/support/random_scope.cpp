// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/random_scope.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::testing {

using ir::Graph;
using ir::I64s;
using ir::Value;

namespace {

constexpr std::int64_t most_elements = 128;
constexpr DType integers[] = {DType::i8,  DType::i16,  DType::i32,  DType::i64,
                              DType::ui8, DType::ui16, DType::ui32, DType::ui64};
constexpr const char* directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};

/// Converting one to the other gives what every implementation must give.
bool converts(DType from, DType to) { return !is_float(from) || is_float(to); }

bool is_whole(DType d) { return d == DType::i1 || is_integer(d); }

Dims with_front(std::int64_t n, const Dims& dims) {
  Dims all{n};
  all.insert(all.end(), dims.begin(), dims.end());
  return all;
}

}  // namespace

bool Scope::takes(const Type& type) {
  return !type.is_token && !is_complex(type.dtype) && type.count() > 0 &&
         type.count() <= most_elements && type.dims.size() <= 3;
}

void Scope::count(std::string_view shape) {
  ++shared_.census[std::string(shape)];
  if (!place_.shape.empty()) ++shared_.census[cat(place_.shape, " > ", shape)];
}

// --- Values ----------------------------------------------------------------------------------------

DType Scope::integer_dtype() { return pick(3) == 0 ? DType::i32 : one_of(integers); }

DType Scope::real_dtype() {
  static constexpr DType floats[] = {DType::f32, DType::f32, DType::f64, DType::f16, DType::bf16};
  return pick(2) == 0 ? integer_dtype() : one_of(floats);
}

Dims Scope::random_dims() {
  static const Dims choices[] = {{},  {},   {1},  {2},  {3},  {5},    {7},    {8},
                                 {8}, {16}, {31}, {33}, {64}, {2, 3}, {1, 4}, {4, 8}};
  return one_of(choices);
}

Value Scope::constant(const Type& type) {
  HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
  const bool is_splat = pick(4) == 0, is_unsigned = info(type.dtype).kind == Kinds::unsigned_;
  const int offset = is_unsigned ? 0 : 2;
  double x = pick(9) - offset;
  for (std::int64_t k = 0; k < type.count(); ++k) {
    if (!is_splat) x = pick(9) - offset;
    wide.data<DType::f64>()[k] = type.dtype == DType::i1 ? double(x > offset) : x;
  }
  return m_.constant(ir::make_dense(convert(wide, type.dtype)));
}

Value Scope::any() {
  if (values_.empty()) return keep(constant({.dtype = real_dtype(), .dims = random_dims()}));
  // Later ones rather than early ones, so that shapes feed each other.
  return values_[std::size_t(std::max(pick(values_.size()), pick(values_.size())))];
}

Value Scope::any_integer() {
  for (int k = 0; k < 4; ++k)
    if (const Value v = any(); is_integer(v.type().dtype)) return v;
  return value({.dtype = integer_dtype(), .dims = random_dims()});
}

/// Elements of `v` in order, repeated from the first where they do not suffice.
Value Scope::resized(Value v, const Type& type) {
  const std::int64_t have = v.type().count(), want = type.count();
  v = m_.reshape(m_.convert(v, type.dtype), {have});
  while (v.type().count() < want)
    v = m_.op("stablehlo.concatenate", {v, v}, {{"dimension", std::int64_t(0)}});
  if (v.type().count() > want)
    v = m_.op("stablehlo.slice", {v},
              {{"start_indices", I64s{0}}, {"limit_indices", I64s{want}}, {"strides", I64s{1}}});
  return m_.reshape(v, type.dims);
}

std::optional<Value> Scope::made_of_visible(const Type& type) {
  std::vector<Value> fitting;
  for (const Value& v : values_)
    if (converts(v.type().dtype, type.dtype)) fitting.push_back(v);
  if (fitting.empty()) return std::nullopt;
  const Value v = fitting[std::size_t(std::max(pick(fitting.size()), pick(fitting.size())))];
  if (v.type().dims.empty()) return m_.broadcast(m_.convert(v, type.dtype), type.dims, {});
  return resized(v, type);
}

Value Scope::value(const Type& type) {
  std::vector<Value> same;
  for (const Value& v : values_)
    if (v.type() == type) same.push_back(v);
  const int choice = pick(8);
  if (!same.empty() && choice < 5)
    return same[std::size_t(std::max(pick(same.size()), pick(same.size())))];
  if (shared_.argument && place_.shape.empty() && choice >= 4) return keep(shared_.argument(type));
  if (choice != 7)
    if (const auto made = made_of_visible(type)) return keep(*made);
  return constant(type);
}

Value Scope::truth(const Dims& dims) {
  const Type type{.dtype = DType::i1, .dims = dims};
  if (pick(5) == 0) return value(type);
  const Type operands{.dtype = real_dtype(), .dims = dims};
  const Value a = value(operands), b = value(operands);
  const Value t = m_.compare(one_of(directions), a, b);
  if (pick(4) != 0) return t;
  static constexpr const char* logic[] = {"stablehlo.and", "stablehlo.or", "stablehlo.xor"};
  return pick(3) == 0 ? m_.op("stablehlo.not", {t}) : m_.op(one_of(logic), {t, value(type)});
}

Value Scope::index_of_truth(const Type& type, std::int64_t extent) {
  const Value t = m_.convert(truth(type.dims), type.dtype);
  switch (pick(5)) {
    case 0:
      return m_.op("stablehlo.add", {t, m_.convert(truth(type.dims), type.dtype)});
    case 1:
      return m_.op("stablehlo.subtract", {m_.splat(type, double(extent - 1)), t});
    case 2:
      return m_.op("stablehlo.select", {truth(type.dims), constant(type), t});
    default:
      return t;
  }
}

Value Scope::index_in_range(const Type& type, std::int64_t extent) {
  const Value x = value(type), zero = splat_like(x, 0), last = splat_like(x, double(extent - 1)),
              one = splat_like(x, 1);
  switch (pick(9)) {
    case 0:
      return m_.op("stablehlo.minimum", {x, one});
    case 1:
      return m_.op("stablehlo.clamp", {zero, x, one});
    case 2:
      return m_.op("stablehlo.clamp", {m_.splat(Type::scalar(type.dtype), 0), x,
                                       m_.splat(Type::scalar(type.dtype), double(extent - 1))});
    case 3:
      return m_.op("stablehlo.maximum", {m_.op("stablehlo.minimum", {x, last}), zero});
    case 4:
      return m_.op("stablehlo.and", {x, pick(2) == 0 ? one : last});
    case 5:
      return m_.op("stablehlo.remainder", {x, splat_like(x, double(extent))});
    case 6:
      return m_.op("stablehlo.shift_right_logical", {x, splat_like(x, 1 + pick(7))});
    case 7:  // As indices that count from the end are written.
      return m_.op("stablehlo.select",
                   {m_.compare("LT", x, zero),
                    m_.op("stablehlo.add", {x, splat_like(x, double(extent))}), x});
    default:
      return x;
  }
}

Value Scope::index(const Dims& dims, std::int64_t extent) {
  const Type type{.dtype = integer_dtype(), .dims = dims};
  const bool is_truth = pick(3) == 0;
  count(is_truth ? "index of truth values" : "index by bounds");
  return is_truth ? index_of_truth(type, extent) : index_in_range(type, extent);
}

// --- Small shapes ----------------------------------------------------------------------------------

void Scope::arithmetic() {
  const Value x = any();
  const DType d = x.type().dtype;
  static constexpr const char* logic[] = {"and", "or", "xor"};
  static constexpr const char* of_floats[] = {"add", "subtract", "maximum", "minimum"};
  static constexpr const char* of_integers[] = {"add",
                                                "subtract",
                                                "multiply",
                                                "maximum",
                                                "minimum",
                                                "divide",
                                                "remainder",
                                                "and",
                                                "or",
                                                "xor",
                                                "shift_left",
                                                "shift_right_logical",
                                                "shift_right_arithmetic"};
  const std::string name = d == DType::i1  ? one_of(logic)
                           : is_integer(d) ? one_of(of_integers)
                                           : one_of(of_floats);
  keep(m_.op("stablehlo." + name, {x, value(x.type())}));
}

/// A comparison, a selection or a clamp.
void Scope::choice() {
  const Value x = any();
  const Type& type = x.type();
  const int kind = pick(4);
  if (kind == 0) {
    const Value other = value(type);
    keep(m_.compare(one_of(directions), x, other));
  } else if (kind == 1 && type.dtype != DType::i1) {
    const Type bounds = pick(2) == 0 ? type : Type::scalar(type.dtype);
    const Value low = value(bounds), high = value(bounds);
    keep(m_.op("stablehlo.clamp", {low, x, high}));
  } else {
    const Value p = truth(pick(3) == 0 ? Dims{} : type.dims);
    keep(m_.op("stablehlo.select", {p, x, value(type)}));
  }
}

Value Scope::random_table() {
  static constexpr std::int64_t extents[] = {1, 2, 2, 3, 8, 16, 31};
  Dims dims{one_of(extents)};
  if (pick(3) == 0) dims.push_back(1 + pick(3));
  return value({.dtype = pick(4) == 0 ? DType::i1 : real_dtype(), .dims = dims});
}

Value Scope::lookup(Value table, Value at) {
  const std::int64_t rank = at.type().rank();
  I64s offsets;
  for (std::int64_t d = 1; d < table.type().rank(); ++d) offsets.push_back(rank + d - 1);
  I64s sizes = table.type().dims;
  sizes[0] = 1;
  Dims dims = at.type().dims;
  dims.push_back(1);
  return m_.op("stablehlo.gather", {table, m_.reshape(at, dims)},
               {{"offset_dims", offsets},
                {"collapsed_slice_dims", I64s{0}},
                {"operand_batching_dims", I64s{}},
                {"start_indices_batching_dims", I64s{}},
                {"start_index_map", I64s{0}},
                {"index_vector_dim", rank},
                {"slice_sizes", sizes}});
}

void Scope::gather() {
  count("gather");
  const Value table = random_table();
  Dims dims = random_dims();
  if (table.type().rank() > 1 && dims.size() > 1) dims.pop_back();
  keep(lookup(table, index(dims, table.type().dims[0])));
}

/// Elements of a matrix, each at indices of its own along both dimensions.
void Scope::gather_points() {
  count("gather of points");
  const Dims extents{1 + pick(3), 2 + pick(6)}, points{pick(2) == 0 ? 5 : 16};
  const Value table = value({.dtype = real_dtype(), .dims = extents});
  const Value row = index(points, extents[0]), column = index(points, extents[1]);
  const DType d = row.type().dtype;
  const Value at =
      m_.op("stablehlo.concatenate",
            {m_.reshape(row, {points[0], 1}), m_.reshape(m_.convert(column, d), {points[0], 1})},
            {{"dimension", std::int64_t(1)}});
  keep(m_.op("stablehlo.gather", {table, at},
             {{"offset_dims", I64s{}},
              {"collapsed_slice_dims", I64s{0, 1}},
              {"operand_batching_dims", I64s{}},
              {"start_indices_batching_dims", I64s{}},
              {"start_index_map", I64s{0, 1}},
              {"index_vector_dim", std::int64_t(1)},
              {"slice_sizes", I64s{1, 1}}}));
}

/// Indices of one type, one for each dimension.
std::vector<Value> Scope::starts_in(const Type& type) {
  std::vector<Value> starts;
  for (const std::int64_t extent : type.dims) {
    const Value at = pick(4) == 0 && !starts.empty() ? splat_like(starts[0], 0) : index({}, extent);
    starts.push_back(starts.empty() ? at : m_.convert(at, starts[0].type().dtype));
  }
  return starts;
}

void Scope::dynamic_slice() {
  count("dynamic_slice");
  const Value table =
      pick(2) == 0 ? random_table() : value({.dtype = real_dtype(), .dims = {4, 8}});
  I64s sizes;
  for (const std::int64_t extent : table.type().dims)
    sizes.push_back(pick(2) == 0 ? 1 : 1 + pick(std::size_t(extent)));
  Values operands{table};
  for (const Value& v : starts_in(table.type())) operands.push_back(v);
  keep(m_.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}}));
}

void Scope::dynamic_update_slice() {
  count("dynamic_update_slice");
  const Value into = any().type().dims.empty() ? random_table() : any();
  if (into.type().dims.empty()) return;
  Dims sizes;
  for (const std::int64_t extent : into.type().dims)
    sizes.push_back(pick(2) == 0 ? 1 : 1 + pick(std::size_t(extent)));
  Values operands{into, value({.dtype = into.type().dtype, .dims = sizes})};
  for (const Value& v : starts_in(into.type())) operands.push_back(v);
  keep(m_.op("stablehlo.dynamic_update_slice", operands));
}

/// Integers are combined in any order; what is assigned goes to one place, or to places of its own.
void Scope::scatter() {
  count("scatter");
  const Value into = random_table();
  const bool assigns = !is_integer(into.type().dtype) || pick(3) == 0;
  const std::int64_t extent = into.type().dims[0], updates = assigns && pick(2) == 0 ? 1 : 5;
  Value at = index({updates}, extent);
  if (assigns && updates > 1) {
    const Value offset = m_.broadcast(index({}, extent), {updates}, {});
    at = m_.op("stablehlo.add", {m_.iota(offset.type(), 0), offset});
  }
  static constexpr Combiner combiners[] = {Combiner::sum, Combiner::max, Combiner::min,
                                           Combiner::product, Combiner::logical_or};
  const DType d = into.type().dtype;
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(ir::make_combiner(assigns ? Combiner::max : one_of(combiners), d));
  if (assigns) {
    regions[0] = std::make_unique<Graph>();
    regions[0]->add_argument(Type::scalar(d));
    regions[0]->results = {regions[0]->add_argument(Type::scalar(d))};
  }
  Dims rows(into.type().dims.begin() + 1, into.type().dims.end());
  I64s windows(rows.empty() ? 0 : 1, 1);
  const Value update = value({.dtype = d, .dims = with_front(updates, rows)});
  keep(ir::create(m_.graph, "stablehlo.scatter", {into, m_.reshape(at, {updates, 1}), update},
                  {{"update_window_dims", windows},
                   {"inserted_window_dims", I64s{0}},
                   {"input_batching_dims", I64s{}},
                   {"scatter_indices_batching_dims", I64s{}},
                   {"scatter_dims_to_operand_dims", I64s{0}},
                   {"index_vector_dim", std::int64_t(1)},
                   {"unique_indices", assigns}},
                  std::move(regions))
           ->result());
}

/// The largest element and its place, the first of several, as one reduction of pairs.
void Scope::arg_max() {
  count("argmax");
  static const Dims choices[] = {{1}, {2}, {4}, {16}, {31}, {3, 2}, {5, 4}};
  const Value x = value({.dtype = integer_dtype(), .dims = one_of(choices)});
  const std::int64_t last = x.type().rank() - 1;
  const Value at = m_.iota({.dtype = integer_dtype(), .dims = x.type().dims}, last);
  const Type of_x = Type::scalar(x.type().dtype), of_at = Type::scalar(at.type().dtype);
  auto region = std::make_unique<Graph>();
  const ir::Maker r{*region};
  const Value a = region->add_argument(of_x), i = region->add_argument(of_at);
  const Value b = region->add_argument(of_x), j = region->add_argument(of_at);
  const Value more = r.compare("GT", a, b), equal = r.compare("EQ", a, b);
  const Value first = r.op("stablehlo.and", {equal, r.compare("LT", i, j)});
  const Value takes_a = r.op("stablehlo.or", {more, first});
  region->results = {r.op("stablehlo.select", {more, a, b}),
                     r.op("stablehlo.select", {takes_a, i, j})};
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  const Value lowest = m_.constant(ir::combiner_identity(Combiner::max, of_x));
  ir::Node* const node =
      ir::create(m_.graph, "stablehlo.reduce", {x, at, lowest, m_.splat(of_at, 0)},
                 {{"dimensions", I64s{last}}}, std::move(regions));
  keep(node->result(0));
  keep(node->result(1));
  if (pick(2) == 0) keep(lookup(random_table(), node->result(1)));
}

void Scope::reduction() {
  static constexpr Combiner combiners[] = {Combiner::sum, Combiner::max, Combiner::min,
                                           Combiner::product};
  static constexpr Combiner of_truth[] = {Combiner::logical_and, Combiner::logical_or};
  Value x = any();
  if (x.type().dims.empty()) x = value({.dtype = integer_dtype(), .dims = {8}});
  if (!is_whole(x.type().dtype)) return;
  const I64s along{pick(std::size_t(x.type().rank()))};
  keep(m_.reduce(x.type().dtype == DType::i1 ? one_of(of_truth) : one_of(combiners), x, along));
}

}  // namespace partita::testing

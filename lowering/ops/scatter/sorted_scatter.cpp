// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/scatter/sorted_scatter.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "lowering/context/loops.hpp"
#include "lowering/ops/scatter/scatter_space.hpp"
#include "lowering/ops/sort/group_sort.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::lowering {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
using scalar::ExprId;
using scalar::ExprPool;

/// Fewer updates that can meet are applied one after the other sooner than they are sorted.
constexpr std::int64_t fewest_updates = 32;
/// Where updates go that are outside of the operand: behind all others.
constexpr std::int32_t outside = std::numeric_limits<std::int32_t>::max();

/// Updates as rows of those that can meet, each with an array of elements: dimensions of the updates.
struct ScatterRows {
  ScatterSpace space;
  const Dims &operand_dims, &update_dims;
  ir::I64s batches, windows;  ///< parallel dimensions: of the indices, of the arrays
  Dims batch_extents, window_extents, serial_extents;
  std::int64_t rows = 1, updates = 1;

  explicit ScatterRows(const Node& node)
      : space(node, node.result_types().size()),
        operand_dims(node.operand(0).type().dims),
        update_dims(node.operand(node.result_types().size() + 1).type().dims) {
    for (const std::int64_t d : space.parallel)
      (space.is_window(d) ? windows : batches).push_back(d);
    const auto extents = [&](const ir::I64s& dims) {
      Dims e;
      for (const std::int64_t d : dims) e.push_back(update_dims[std::size_t(d)]);
      return e;
    };
    batch_extents = extents(batches);
    window_extents = extents(windows);
    serial_extents = extents(space.serial);
    rows = Type{.dims = batch_extents}.count();
    updates = Type{.dims = serial_extents}.count();
  }

  /// Whether an update goes to one place, by a number of 32 bits.
  [[nodiscard]] bool are_sortable() const {
    std::int64_t places = 1;
    for (const std::int64_t d : space.to_operand)
      if (__builtin_mul_overflow(places, operand_dims[std::size_t(d)], &places)) return false;
    return places < outside && updates < outside &&
           std::ranges::all_of(space.serial, [&](std::int64_t d) {
             return !space.is_window(d) || update_dims[std::size_t(d)] == 1;
           });
  }

  /// An element of the updates, by the row, the number of the update and the element of its array.
  [[nodiscard]] std::vector<ExprId> at(ExprPool& pool, ExprId row, ExprId update,
                                       ExprId element) const {
    std::vector<ExprId> index(update_dims.size());
    const auto set = [&](const ir::I64s& dims, ExprId number, const Dims& extents) {
      const auto e = scalar::delinearize(pool, number, extents);
      for (std::size_t k = 0; k < dims.size(); ++k) index[std::size_t(dims[k])] = e[k];
    };
    set(batches, row, batch_extents);
    set(space.serial, update, serial_extents);
    set(windows, element, window_extents);
    return index;
  }
};

class SortedScatter {
 public:
  SortedScatter(Context& context, const Node& node, const std::vector<Location>& results)
      : context_(context),
        node_(node),
        rows_(node),
        name_(step_name(node)),
        type_{.dtype = DType::i32, .dims = {rows_.rows, rows_.updates}},
        results_(results) {}

  [[nodiscard]] bool pays() const {
    return rows_.updates >= fewest_updates && rows_.rows > 0 && rows_.are_sortable();
  }

  void launch() {
    keys_ = context_.new_temporary(type_, "places");
    lower_each(context_, keys_, type_, "places_of_" + name_,
               [&](KernelBody& body, auto index) { return place_of(body, index[0], index[1]); });
    sort();
    lengths_ = context_.new_temporary(type_, "lengths");
    lower_each(context_, lengths_, type_, "lengths_of_" + name_,
               [&](KernelBody& body, auto index) { return length_at(body, index[0], index[1]); });
    apply();
  }

 private:
  /// Number of the place in the operand where an update goes.
  ExprId place_of(KernelBody& body, ExprId row, ExprId update) {
    ExprPool& pool = body.pool();
    const auto target =
        scatter_target(body, node_, rows_.space, rows_.at(pool, row, update, pool.index(0)));
    std::vector<ExprId> places;
    Dims extents;
    for (const std::int64_t d : rows_.space.to_operand) {
      places.push_back(target[std::size_t(d)]);
      extents.push_back(rows_.operand_dims[std::size_t(d)]);
    }
    const ExprId number = pool.from_index(scalar::linear_index(pool, places, extents), DType::i32);
    return pool.choose(is_inside(pool, places, extents), number,
                       pool.constant_of(DType::i32, outside));
  }

  /// The keys in order, with the numbers of the updates.
  void sort() {
    Graph& graph = context_.new_graph();
    const Value keys = graph.add_argument(type_);
    const Value numbers = ir::create_value(graph, "stablehlo.iota", {},
                                           {{"iota_dimension", std::int64_t(1)}}, {&type_, 1});
    auto comparator = std::make_unique<Graph>();
    for (int k = 0; k < 4; ++k) comparator->add_argument(Type::scalar(DType::i32));
    comparator->results = {ir::create_value(*comparator, "stablehlo.compare",
                                            {comparator->argument(0), comparator->argument(1)},
                                            ir::comparison_attributes("LT"))};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(comparator));
    const Node* const node =
        ir::create(graph, "stablehlo.sort", {keys, numbers},
                   {{"dimension", std::int64_t(1)}, {"is_stable", true}}, std::move(regions));
    context_.place(keys, keys_);
    keys_ = context_.new_temporary(type_, "places");
    numbers_ = context_.new_temporary(type_, "updates");
    lower_group_sort(context_, *node, {keys_, numbers_});
  }

  ExprId load(KernelBody& body, const Location& from, ExprId row, ExprId at) {
    return body.pool().load(body.buffer(from, DType::i32, false), DType::i32,
                            scalar::linear_index(body.pool(), std::vector{row, at}, type_.dims));
  }

  /// How many keys from the first of equal ones on are equal; 0 for others, and for those outside.
  ExprId length_at(KernelBody& body, ExprId row, ExprId at) {
    ExprPool& pool = body.pool();
    const auto of_i32 = [&](std::string_view op, ExprId x, ExprId y) {
      return pool.apply(op, DType::i32, {x, y});
    };
    const ExprId one = pool.constant(DType::i32, 1);
    const ExprId key = body.value(body.declare(DType::i32, load(body, keys_, row, at)));
    const ExprId before =
        load(body, keys_, row, pool.max(pool.index(0), pool.sub(at, pool.index(1))));
    const Register is_first = body.declare(DType::i1, of_i32("compare_ne", key, before));
    body.guard(pool.less(at, pool.index(1)), [&] { body.assign(is_first, pool.boolean(true)); });
    const Register length = body.declare(DType::i32, pool.constant(DType::i32, 0));
    const ExprId inside = of_i32("compare_ne", key, pool.constant_of(DType::i32, outside));
    body.guard(pool.choose(inside, body.value(is_first), pool.boolean(false)), [&] {
      const Register high = body.declare(
          DType::i32, pool.from_index(pool.sub(pool.index(rows_.updates), at), DType::i32));
      body.assign(length, one);
      const auto trips = std::int64_t(std::bit_width(std::uint64_t(rows_.updates)));
      body.loop(trips, [&](ExprId) {
        body.guard(of_i32("compare_lt", body.value(length), body.value(high)), [&] {
          const ExprId sum = of_i32("add", body.value(length), body.value(high));
          const Register middle = body.declare(DType::i32, of_i32("shift_right_logical", sum, one));
          const ExprId m = body.value(middle);
          const ExprId other = load(body, keys_, row, pool.add(at, pool.to_index(m)));
          const ExprId differs =
              body.value(body.declare(DType::i1, of_i32("compare_ne", key, other)));
          body.assign(length, pool.choose(differs, body.value(length), of_i32("add", m, one)));
          body.assign(high, pool.choose(differs, m, body.value(high)));
        });
      });
    });
    return body.value(length);
  }

  /// Items have an element of the arrays of those updates that go to one place.
  void apply() {
    const std::int64_t elements = Type{.dims = rows_.window_extents}.count();
    const std::int64_t items = rows_.rows * rows_.updates * elements;
    if (items == 0) return;
    KernelBody body(context_, name_, items);
    body.note_count(std::max(items, node_.operand(0).type().count()));
    ExprPool& pool = body.pool();
    const auto place =
        scalar::delinearize(pool, body.item(), {rows_.rows, rows_.updates, elements});
    const auto update = [&](ExprId at) {
      const Register number = body.declare(DType::i32, load(body, numbers_, place[0], at));
      return rows_.at(pool, place[0], pool.to_index(body.value(number)), place[2]);
    };
    const Register length = body.declare(DType::i32, load(body, lengths_, place[0], place[1]));
    const ExprId end = pool.to_index(body.value(length));
    body.guard(pool.less(pool.index(0), end), [&] {
      const auto target = scatter_target(body, node_, rows_.space, update(place[1]));
      const ExprId linear = scalar::linear_index(pool, target, rows_.operand_dims);
      const std::vector<Register> held = read(body, linear);
      body.loop_to(end, rows_.updates,
                   [&](ExprId k) { combine(body, held, update(pool.add(place[1], k))); });
      for (std::size_t i = 0; i < held.size(); ++i)
        body.store_to(results_[i], held[i].dtype, linear, body.value(held[i]));
    });
    context_.launch(body, items);
  }

  std::vector<Register> read(KernelBody& body, ExprId linear) {
    std::vector<Register> held;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const DType d = node_.result_types()[i].dtype;
      held.push_back(
          body.declare(d, body.pool().load(body.buffer(results_[i], d, true), d, linear)));
    }
    return held;
  }

  void combine(KernelBody& body, const std::vector<Register>& held,
               const std::vector<ExprId>& update) {
    const Graph& region = node_.region(0);
    const std::size_t n = held.size();
    for (std::size_t i = 0; i < n; ++i) {
      body.define(region.argument(int(i)), body.value(held[i]));
      body.define(region.argument(int(n + i)), body.element(node_.operand(n + 1 + i), update));
    }
    std::vector<ExprId> values;
    for (std::size_t i = 0; i < n; ++i)
      values.push_back(body.value(body.declare(held[i].dtype, body.combined(region, i))));
    for (std::size_t i = 0; i < n; ++i) body.assign(held[i], values[i]);
  }

  Context& context_;
  const Node& node_;
  ScatterRows rows_;
  std::string name_;
  Type type_;  ///< of keys: one for each update of a row
  const std::vector<Location>& results_;
  Location keys_, numbers_, lengths_;
};

}  // namespace

bool lower_sorted_scatter(Context& context, const Node& node,
                          const std::vector<Location>& results) {
  if (context.policy().target.device_class != DeviceClass::simt) return false;
  SortedScatter scatter(context, node, results);
  if (!scatter.pays()) return false;
  scatter.launch();
  return true;
}

}  // namespace partita::lowering

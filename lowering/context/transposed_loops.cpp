// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/transposed_loops.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "kernel/ast/expressions.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Value;
using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

/// Sides of a square, of which an item has a column of side / rows elements.
constexpr std::int64_t side = 32, rows_at_once = 8;
constexpr std::int64_t fewest_elements = 4096, shortest_side = 8;
/// Squares that a group holds at once.
constexpr std::size_t most_squares = 4;

/// Where an element is, by dimension.
using Index = std::vector<ExprId>;

/// The dimension other than the last along which a load moves by one, if it does not along the last.
std::optional<std::size_t> other_dimension(const ExprPool& pool, const Expr& load,
                                           const Index& variables) {
  const auto stride = [&](std::size_t d) {
    return index_stride(pool, load.operands[0], pool[variables[d]].slot);
  };
  const auto last = stride(variables.size() - 1);
  if (last && (*last == 0 || *last == 1)) return std::nullopt;
  for (std::size_t d = 0; d + 1 < variables.size(); ++d)
    if (stride(d) == 1) return d;
  return std::nullopt;
}

class TransposedLoops {
 public:
  TransposedLoops(Context& context, Value v)
      : context_(context),
        v_(v),
        dims_(v.type().dims),
        body_(context, "turned_" + step_name(*v.node)),
        pool_(body_.pool()) {}

  /// Whether there is a dimension to read along.
  bool find() {
    if (dims_.size() < 2 || v_.type().count() < fewest_elements || dims_.back() < shortest_side)
      return false;
    for (const std::int64_t extent : dims_)
      variables_.push_back(pool_.variable(body_.new_variable(std::max<std::int64_t>(extent, 2))));
    element_ = body_.element(v_, variables_);
    const std::set<ExprId> certain =
        evaluated(pool_, element_, [](ExprId /*condition*/) { return false; });
    for (const ExprId id : reachable(pool_, element_)) {
      if (pool_[id].kind != ExprKind::load) continue;
      const auto along = other_dimension(pool_, pool_[id], variables_);
      if (!along) continue;
      if (!certain.contains(id) || (!turned_.empty() && *along != along_)) return false;
      along_ = *along;
      turned_.push_back(id);
    }
    return !turned_.empty() && turned_.size() <= most_squares && dims_[along_] >= shortest_side;
  }

  void launch(const Location& to) {
    Dims grid = dims_;
    for (const std::size_t d : {along_, dims_.size() - 1}) grid[d] = ceil_divide(dims_[d], side);
    std::int64_t groups = 1;
    for (const std::int64_t e : grid) groups *= e;
    tile_ = scalar::delinearize(pool_, body_.set_groups(groups, side * rows_at_once), grid);
    const ExprId fast = pool_.mod(body_.item(), side), slow = pool_.div(body_.item(), side);
    const auto row = [&](std::int64_t j) { return pool_.add(slow, j * rows_at_once); };
    for (const ExprId load : turned_)
      squares_.push_back(body_.new_array(pool_[load].dtype, side * (side + 1)));
    for (std::int64_t j = 0; j < side / rows_at_once; ++j)
      in_square(fast, row(j), [&](const Index& index) { fill(index, fast, row(j)); });
    body_.barrier();
    const std::int32_t out = body_.buffer(to, v_.type().dtype, true);
    body_.note_count(v_.type().count());
    for (std::int64_t j = 0; j < side / rows_at_once; ++j)
      in_square(row(j), fast, [&](const Index& index) {
        body_.store(out, scalar::linear_index(pool_, index, dims_), value(index, row(j), fast));
      });
    context_.launch_groups(body_, groups);
  }

 private:
  /// Calls `emit` with the index of an element of the square, where there is one.
  template <class Emit>
  void in_square(ExprId along, ExprId last, const Emit& emit) {
    Index index = tile_;
    ExprId is_inside = pool_.boolean(true);
    const auto place = [&](std::size_t d, ExprId inside) {
      index[d] = pool_.add(pool_.mul(tile_[d], side), inside);
      is_inside = pool_.logical_and(is_inside, pool_.less(index[d], pool_.index(dims_[d])));
    };
    place(along_, along);
    place(dims_.size() - 1, last);
    body_.guard_if_needed(is_inside, [&] { emit(index); });
  }
  [[nodiscard]] std::unordered_map<ExprId, ExprId> at(const Index& index) const {
    std::unordered_map<ExprId, ExprId> known;
    for (std::size_t d = 0; d < index.size(); ++d) known.emplace(variables_[d], index[d]);
    return known;
  }
  void fill(const Index& index, ExprId along, ExprId last) {
    auto known = at(index);
    for (std::size_t k = 0; k < turned_.size(); ++k)
      body_.store_local(squares_[k], place(along, last), replace(pool_, turned_[k], known));
  }
  [[nodiscard]] ExprId value(const Index& index, ExprId along, ExprId last) {
    auto known = at(index);
    for (std::size_t k = 0; k < turned_.size(); ++k)
      known.emplace(turned_[k], body_.load_local(squares_[k], place(along, last)));
    return replace(pool_, element_, known);
  }
  /// Padded, so that neither rows nor columns of a square meet in one bank.
  [[nodiscard]] ExprId place(ExprId along, ExprId last) {
    return pool_.add(pool_.mul(last, side + 1), along);
  }

  Context& context_;
  Value v_;
  const Dims& dims_;
  KernelBody body_;
  ExprPool& pool_;
  Index variables_, tile_;
  ExprId element_{};
  std::vector<ExprId> turned_;  ///< loads along `along_`
  std::vector<std::int32_t> squares_;
  std::size_t along_ = 0;
};

}  // namespace

bool lower_transposed(Context& context, Value v, const Location& to) {
  TransposedLoops loops(context, v);
  if (!loops.find()) return false;
  loops.launch(to);
  return true;
}

}  // namespace partita::lowering

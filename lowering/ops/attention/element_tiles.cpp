// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/attention/element_tiles.hpp"

#include <algorithm>

namespace partita::lowering {

using namespace kernel;

ElementForm::ElementForm(std::int64_t batch, std::int64_t lines, std::int64_t widest,
                         const TargetInfo& target) {
  constexpr std::int64_t most_pieces = 4, fewest_lines = 16;
  // Wide results leave fewer registers and less local memory to lines.
  while (widest > most_pieces * tile() && group_lines > fewest_lines) {
    across *= 2;
    group_lines /= 2;
  }
  // The widest would not fit in 32 KiB, which every device has.
  if (group_lines == fewest_lines) {
    element_step /= 2;
    line_step /= 2;
  }
  // Few lines, and few groups, want small ones.
  const auto groups = [&] { return batch * ceil_divide(lines, group_lines); };
  while (group_lines > fewest_lines && (lines < group_lines || groups() < target.compute_units))
    group_lines /= 2;
}

std::int64_t ElementForm::items() const { return group_lines / item_lines * across; }
std::int64_t ElementForm::tile() const { return across * piece; }

ElementTiles::ElementTiles(ir::Node& node, KernelBody& body, const std::vector<Location>& results,
                           Operand own, const ElementForm& form)
    : AttentionKernel(node, body, results, own, form.items(), form.group_lines), form_(form) {
  across_ = pool_.mod(body_.item(), form_.across);
  line_group_ = pool_.div(body_.item(), form_.across);
  item_line_ = pool_.mul(line_group_, item_lines);
  item_column_ = pool_.mul(across_, piece);
  weights_ = body_.new_array(d, form_.tile() * form_.group_lines);
}

std::int64_t ElementTiles::step(Operand which) const {
  return std::min(form_.element_step, elements_of(which));
}

TileOperand ElementTiles::lines(Operand which, std::int64_t tile, ExprId first) {
  const auto held = [this](ExprId x) { return pool_.convert(x, d); };
  return operand(which, false, tile, step(which), {.padding_along_sum = piece, .held = d}, first,
                 held);
}

TileOperand ElementTiles::turned(Operand which) {
  const auto held = [this](ExprId x) { return pool_.convert(x, d); };
  return operand(which, true, pieces(which) * form_.tile(), form_.line_step,
                 {.padding_along_sum = piece, .held = d}, zero(), held);
}

void ElementTiles::multiply(const TileOperand& own, const TileOperand& other, Operand which,
                            const Registers& sums) {
  for (const Register& s : sums) body_.assign(s, number(0));
  body_.loop(ceil_divide(elements_of(which), step(which)), [&](ExprId turn) {
    const ExprId term = pool_.mul(turn, step(which));
    const auto of_own = own.fetch(term), of_other = other.fetch(term);
    body_.barrier();
    own.put(of_own, zero());
    other.put(of_other, zero());
    body_.barrier();
    for (std::int64_t depth = 0; depth < step(which); ++depth)
      for (std::int64_t i = 0; i < item_lines; ++i)
        for (std::int64_t j = 0; j < piece; ++j)
          body_.multiply_add(sums[std::size_t(i * piece + j)],
                             own.load(zero(), pool_.index(depth), pool_.add(item_line_, i)),
                             other.load(zero(), pool_.index(depth), pool_.add(item_column_, j)));
  });
}

void ElementTiles::share_weights(const Registers& weights) {
  for (std::int64_t j = 0; j < piece; ++j) {
    std::vector<ExprId> lines;
    for (std::int64_t i = 0; i < item_lines; ++i) lines.push_back(value(weights, i * piece + j));
    body_.store_local_wide(weights_, weights_at(pool_.add(item_column_, j), across_), lines);
  }
}

/// Where the weights of the item's lines are, of a column: turned by its piece, so that items that store
/// different pieces store to different banks.
scalar::ExprId ElementTiles::weights_at(ExprId column, ExprId column_piece) {
  return pool_.add(
      pool_.mul(column, form_.group_lines),
      pool_.mul(pool_.mod(pool_.add(line_group_, column_piece), form_.group_lines / item_lines),
                item_lines));
}

void ElementTiles::add_weighted(const TileOperand& lines, ExprId first, const Registers& sums) {
  const std::int64_t count = of_line(sums), line_step = form_.line_step;
  body_.loop(form_.tile() / line_step, [&](ExprId turn) {
    const ExprId begin = pool_.mul(turn, line_step);
    const auto fetched = lines.fetch(pool_.add(first, begin));
    body_.barrier();
    lines.put(fetched, zero());
    body_.barrier();
    for (std::int64_t step = 0; step < line_step; ++step) {
      const ExprId weights = weights_at(
          pool_.add(begin, step), pool_.add(pool_.mul(turn, line_step / piece), step / piece));
      for (std::int64_t i = 0; i < item_lines; ++i)
        for (std::int64_t e = 0; e < count; ++e)
          body_.multiply_add(sums[std::size_t(i * count + e)],
                             body_.load_local(weights_, pool_.add(weights, i)),
                             lines.load(zero(), pool_.index(step), element(e)));
    }
  });
}

}  // namespace partita::lowering

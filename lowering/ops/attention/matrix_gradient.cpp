// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/attention/matrix_attention.hpp"
#include "lowering/ops/attention/matrix_tiles.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

/// Elements of both operands' lines up to which a sub-group keeps its own in registers, and lines of the others are
/// 32 at a time.
constexpr std::int64_t few_elements = 128;

class MatrixGradient final : public MatrixTiles {
 public:
  MatrixGradient(ir::Node& node, Operand own, KernelBody& body,
                 const std::vector<Location>& results)
      : MatrixTiles(node, body, results, own),
        sides_(own),
        is_small_(whole_elements(Operand::keys) + whole_elements(Operand::values) <= few_elements),
        tile_(is_small_ ? 32 : 16) {}

  void write() {
    own_ = lines(sides_.own, matrix_group_lines, first_line_);
    own_partner_ = lines(sides_.own_partner, matrix_group_lines, first_line_);
    own_.bring(zero(), zero());
    own_partner_.bring(zero(), zero());
    body_.barrier();
    if (is_small_) {
      fragments_ = own_fragments(own_, sides_.own);
      partner_fragments_ = own_fragments(own_partner_, sides_.own_partner);
    }
    weights_ = declared(tile_ / unit_columns * 4, 0);
    slopes_ = declared(tile_ / unit_columns * 4, 0);
    results_ = line_sums(sides_.other);
    if (sides_.is_of_keys()) weighted_ = line_sums(sides_.other_partner);
    if (!sides_.is_of_keys())
      for (std::int64_t half = 0; half < halves; ++half) facts_.push_back(facts_of(line(half)));
    body_.loop(ceil_divide(lines_of(sides_.other), tile_), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, tile_);
      const TileOperand other = lines(sides_.other, tile_, first),
                        partner = lines(sides_.other_partner, tile_, first);
      body_.barrier();
      other.bring(zero(), zero());
      partner.bring(zero(), zero());
      if (sides_.is_of_keys()) share_facts(first, tile_);
      body_.barrier();
      add_products(weights_, own_, fragments_, other, sides_.own);
      add_products(slopes_, own_partner_, partner_fragments_, partner, sides_.own_partner);
      weigh_all(first);
      if (sides_.is_of_keys()) add_weighted(weighted_, weights_, partner.turned());
      add_weighted(results_, slopes_, other.turned());
    });
    store_results();
  }

 private:
  /// sums = own lines, which may be in registers, times the others.
  void add_products(const Registers& sums, const TileOperand& own,
                    const std::vector<Fragment>& fragments, const TileOperand& other,
                    Operand which) {
    for (const Register& s : sums) body_.assign(s, number(0));
    for (std::int64_t term = 0; term < whole_elements(which); term += unit_terms)
      multiply(
          sums,
          fragments.empty() ? own_fragment(own, term) : fragments[std::size_t(term / unit_terms)],
          other, term);
  }

  void weigh_all(ExprId first) {
    const bool is_of_keys = sides_.is_of_keys();
    for (std::int64_t k = 0; k < tile_ / unit_columns; ++k)
      for (std::int64_t e = 0; e < 2; ++e) {
        const ExprId in_tile = pool_.add(column(k), e), other = pool_.add(first, in_tile);
        const ExprId is_within = pool_.less(other, pool_.index(lines_of(sides_.other)));
        std::vector<RowFacts> of_other;
        if (is_of_keys) of_other.push_back(shared_facts(in_tile, tile_));
        for (std::int64_t half = 0; half < halves; ++half) {
          const auto at = std::size_t(k * 4 + half * 2 + e);
          weigh(weights_[at], slopes_[at], is_of_keys ? other : line(half),
                is_of_keys ? line(half) : other, is_within,
                is_of_keys ? of_other[0] : facts_[std::size_t(half)]);
        }
      }
  }

  void store_results() {
    const auto same = [](ExprId x) { return x; };
    for (std::int64_t half = 0; half < halves; ++half) {
      store_line(sides_.result(), half, results_, same);
      if (sides_.is_of_keys()) store_line(sides_.partner_result(), half, weighted_, same);
    }
  }

  GradientSides sides_;
  bool is_small_;
  std::int64_t tile_;  ///< lines of the others at a time
  TileOperand own_, own_partner_;
  std::vector<Fragment> fragments_, partner_fragments_;  ///< of the sub-group's lines
  /// As units have them: of the sub-group's lines by others, and results.
  Registers weights_, slopes_, results_, weighted_;
  std::vector<RowFacts> facts_;  ///< of the item's two lines, where these are rows
};

}  // namespace

void write_matrix_gradient(ir::Node& node, ir::attention::Operand own, KernelBody& body,
                           const std::vector<Location>& results) {
  MatrixGradient(node, own, body, results).write();
}

}  // namespace partita::lowering

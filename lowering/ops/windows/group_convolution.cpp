// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/group_convolution.hpp"

#include <utility>

#include "ir/core/contraction.hpp"
#include "lowering/ops/support/group_product.hpp"
#include "lowering/ops/windows/window_index.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Convolution;
using ir::Node;
using ir::WindowDim;
using scalar::ExprId;
using scalar::ExprPool;

class ConvolutionProduct final : public Product {
 public:
  ConvolutionProduct(KernelBody& probe, Node& node, Location to, const ValuePolicy& policy)
      : node_(node),
        conv_(node.operand(0).type(), node.operand(1).type(), node.attrs),
        type_(node.result_types()[0]),
        to_(std::move(to)) {
    rows_ = {conv_.batch};
    for (const WindowDim& w : conv_.window) {
      rows_.push_back(w.count());
      terms_.push_back(w.size);
    }
    terms_.push_back(conv_.input);
    shape_ = {.batch = conv_.groups(), .columns = conv_.output};
    for (const std::int64_t e : rows_) shape_.rows *= e;
    for (const std::int64_t e : terms_) shape_.terms *= e;
    accumulator_ = accumulator_dtype(type_.dtype);
    dtype_ = node.operand(0).type().dtype;
    allows_tf32_ = ir::allows_tf32(node, policy.rounds_to_tf32);
    const auto is_along = [&](bool features) {
      const ExprId zero = probe.pool().index(0);
      return lie_side_by_side(probe, features ? shape_.columns : shape_.rows, [&](ExprId moving) {
        return probe.pool().load(
            probe.buffer(to_, type_.dtype, false), type_.dtype,
            place(probe.pool(), zero, features ? zero : moving, features ? moving : zero));
      });
    };
    swapped_ = !is_along(true) && is_along(false);
    if (swapped_) std::swap(shape_.rows, shape_.columns);
  }

  [[nodiscard]] ExprId element(KernelBody& body, bool of_rows, ExprId group, ExprId free,
                               ExprId term) const override {
    const auto at = scalar::delinearize(body.pool(), term, terms_);
    return of_rows != swapped_ ? input(body, group, free, at) : weight(body, group, free, at);
  }

  [[nodiscard]] std::vector<ExprId> results(KernelBody& body, ExprId /*group*/, ExprId /*row*/,
                                            ExprId /*column*/,
                                            const std::vector<Register>& sums) const override {
    std::vector<ExprId> values;
    for (const Register& r : sums)
      values.push_back(body.pool().convert(body.value(r), type_.dtype));
    return values;
  }
  void store(KernelBody& body, ExprId group, ExprId row, ExprId column,
             const std::vector<ExprId>& results) const override {
    auto& pool = body.pool();
    body.note_count(type_.count());
    store_neighbours(
        body, to_, type_.dtype,
        [&](ExprId lane) {
          const ExprId at = pool.add(column, lane);
          return swapped_ ? place(pool, group, at, row) : place(pool, group, row, at);
        },
        results);
  }

 private:
  /// Where a result lies: of a window and an output feature of a group.
  [[nodiscard]] ExprId place(ExprPool& pool, ExprId group, ExprId window, ExprId feature) const {
    const auto& d = conv_.dims;
    const auto at = scalar::delinearize(pool, window, rows_);
    std::vector<ExprId> index(conv_.window.size() + 2);
    index[std::size_t(d.output_batch)] = at[0];
    index[std::size_t(d.output_feature)] = pool.add(pool.mul(group, conv_.output), feature);
    for (std::size_t k = 0; k < conv_.window.size(); ++k)
      index[std::size_t(d.output_spatial[k])] = at[k + 1];
    return scalar::linear_index(pool, index, type_.dims);
  }

  /// Zero where a window's element is padding, or lies between those of a dilated input.
  [[nodiscard]] ExprId input(KernelBody& body, ExprId group, ExprId row,
                             const std::vector<ExprId>& term) const {
    auto& pool = body.pool();
    const auto& d = conv_.dims;
    const auto at = scalar::delinearize(pool, row, rows_);
    std::vector<ExprId> index(conv_.window.size() + 2);
    const bool is_batch_group = conv_.batch_groups > 1;
    index[std::size_t(d.input_batch)] =
        is_batch_group ? pool.add(pool.mul(group, conv_.batch), at[0]) : at[0];
    index[std::size_t(d.input_feature)] =
        is_batch_group ? term.back() : pool.add(pool.mul(group, conv_.input), term.back());
    ExprId inside = pool.boolean(true);
    for (std::size_t k = 0; k < conv_.window.size(); ++k) {
      const WindowDim& w = conv_.window[k];
      const WindowIndex p = window_index(pool, w, at[k + 1], term[k]);
      inside = pool.logical_and(inside, p.inside);
      index[std::size_t(d.input_spatial[k])] =
          pool.div(pool.clamp(p.position, 0, w.spread() - 1), w.base_dilation);
    }
    const ExprId value = body.element(node_.operand(0), index);
    if (inside == pool.boolean(true)) return value;
    return pool.apply("select", dtype(), {inside, value, pool.constant_of(dtype(), 0)});
  }

  [[nodiscard]] ExprId weight(KernelBody& body, ExprId group, ExprId column,
                              const std::vector<ExprId>& term) const {
    auto& pool = body.pool();
    const auto& d = conv_.dims;
    std::vector<ExprId> index(conv_.window.size() + 2);
    index[std::size_t(d.kernel_input)] = term.back();
    index[std::size_t(d.kernel_output)] = pool.add(pool.mul(group, conv_.output), column);
    for (std::size_t k = 0; k < conv_.window.size(); ++k)
      index[std::size_t(d.kernel_spatial[k])] = term[k];
    return body.element(node_.operand(1), index);
  }

  Node& node_;
  Convolution conv_;
  Type type_;
  Location to_;
  Dims rows_, terms_;
  bool swapped_ = false;
};

}  // namespace

void lower_group_convolution(Context& context, Node& node, const Location& to) {
  KernelBody probe(context, "probe");
  lower_product(context, ConvolutionProduct(probe, node, to, context.policy()), step_name(node));
}

}  // namespace partita::lowering

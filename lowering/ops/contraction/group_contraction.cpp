// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/contraction/group_contraction.hpp"

#include <utility>

#include "ir/core/contraction.hpp"
#include "lowering/ops/contraction/contraction_index.hpp"
#include "lowering/ops/support/group_product.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::ContractionShape;
using ir::Node;
using ir::Value;
using scalar::ExprId;
using scalar::ExprPool;

/// A contraction whose rows and columns are those of the tiles: neighbouring columns of the result
/// lie side by side in memory where neighbouring rows or columns do.
class ContractionProduct final : public Product {
 public:
  ContractionProduct(KernelBody& probe, const Epilogue& epilogue, Location to,
                     const ValuePolicy& policy)
      : epilogue_(epilogue),
        dot_(*epilogue.contraction),
        to_(std::move(to)),
        s_(contraction_shape(dot_)) {
    const auto is_along = [&](bool columns) {
      const ExprId zero = probe.pool().index(0);
      return lie_side_by_side(probe, columns ? s_.n : s_.m, [&](ExprId moving) {
        const Type& type = epilogue_.root().type();
        return probe.pool().load(
            probe.buffer(to_, type.dtype, false), type.dtype,
            place(probe.pool(), zero, columns ? zero : moving, columns ? moving : zero));
      });
    };
    swapped_ = s_.n == 1 ? s_.m > 1 : !is_along(true) && is_along(false);
    shape_ = {.batch = s_.batch, .rows = s_.m, .columns = s_.n, .terms = s_.k};
    if (swapped_) std::swap(shape_.rows, shape_.columns);
    accumulator_ = accumulator_dtype(dot_.result_types()[0].dtype);
    dtype_ = dot_.operand(0).type().dtype;
    allows_tf32_ = ir::allows_tf32(dot_, policy.rounds_to_tf32);
  }

  [[nodiscard]] ExprId element(KernelBody& body, bool of_rows, ExprId b, ExprId free,
                               ExprId term) const override {
    const bool is_lhs = of_rows != swapped_;
    const OperandIndex index = is_lhs ? OperandIndex{dot_.operand(0).type().dims, s_.lhs_batch,
                                                     s_.lhs_free, s_.lhs_contracting}
                                      : OperandIndex{dot_.operand(1).type().dims, s_.rhs_batch,
                                                     s_.rhs_free, s_.rhs_contracting};
    return body.element(dot_.operand(is_lhs ? 0 : 1), index.at(body.pool(), b, free, term));
  }

  [[nodiscard]] std::vector<ExprId> results(KernelBody& body, ExprId b, ExprId row, ExprId column,
                                            const std::vector<Register>& sums) const override {
    auto& pool = body.pool();
    const Value root = epilogue_.root();
    const Register held = body.new_register(accumulator());
    body.define(dot_.result(), pool.convert(body.value(held), dot_.result_types()[0].dtype));
    std::vector<ExprId> values;
    for (const Register& r : sums) values.push_back(body.value(r));
    body.note_count(root.type().count());
    return neighbours(body, int(sums.size()),
                      [&](ExprId lane) {
                        return body.element(root,
                                            result_index(pool, b, row, pool.add(column, lane)));
                      },
                      {{body.value(held), values}});
  }
  [[nodiscard]] bool replaces_sums() const override {
    return !epilogue_.chain.empty() && epilogue_.root().type().dtype == accumulator();
  }
  void store(KernelBody& body, ExprId b, ExprId row, ExprId column,
             const std::vector<ExprId>& results) const override {
    auto& pool = body.pool();
    store_neighbours(
        body, to_, epilogue_.root().type().dtype,
        [&](ExprId lane) { return place(pool, b, row, pool.add(column, lane)); }, results);
  }

 private:
  [[nodiscard]] std::vector<ExprId> result_index(ExprPool& pool, ExprId b, ExprId row,
                                                 ExprId column) const {
    return swapped_ ? root_index(pool, epilogue_, b, column, row)
                    : root_index(pool, epilogue_, b, row, column);
  }
  [[nodiscard]] ExprId place(ExprPool& pool, ExprId b, ExprId row, ExprId column) const {
    return scalar::linear_index(pool, result_index(pool, b, row, column),
                                epilogue_.root().type().dims);
  }

  const Epilogue& epilogue_;
  Node& dot_;
  Location to_;
  ContractionShape s_;
  bool swapped_ = false;
};

}  // namespace

void lower_group_contraction(Context& context, const Epilogue& epilogue, Location to,
                             const std::string& stem) {
  KernelBody probe(context, "probe");
  lower_product(context, ContractionProduct(probe, epilogue, std::move(to), context.policy()),
                stem);
}

}  // namespace partita::lowering

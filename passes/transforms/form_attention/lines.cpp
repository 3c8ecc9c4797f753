// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/form_attention/lines.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"

namespace partita::passes::transforms {
namespace {

I64s mapped(const I64s& places, const I64s& to) {
  I64s all;
  for (const std::int64_t p : places) all.push_back(to[std::size_t(p)]);
  return all;
}

bool widens(const Node& node) {
  return node.is("stablehlo.convert") && is_small_float(node.operand(0).type().dtype) &&
         node.result_types()[0].dtype == DType::f32;
}

/// A permutation of `v` as of dimensions `from`, as of dimensions `to`.
Value turned(const Maker& make, const Value& v, const Dims& from, const I64s& permutation,
             const Dims& to) {
  if (std::ranges::is_sorted(permutation)) return make.reshape(v, to);
  return make.reshape(make.transpose(make.reshape(v, from), permutation), to);
}

}  // namespace

Dims proper_dims(const Value& v) {
  Dims all;
  std::ranges::copy_if(v.type().dims, std::back_inserter(all),
                       [](std::int64_t n) { return n != 1; });
  return all;
}

I64s proper_places(const Dims& dims, const I64s& listed) {
  I64s all;
  for (const std::int64_t d : listed)
    if (dims[std::size_t(d)] != 1)
      all.push_back(
          std::count_if(dims.begin(), dims.begin() + d, [](std::int64_t n) { return n != 1; }));
  return all;
}

I64s counting(std::int64_t from, std::size_t count) {
  I64s all(count);
  for (std::int64_t& d : all) d = from++;
  return all;
}

bool keeps_proper_dims(const Node& node) {
  return node.is("stablehlo.reshape") &&
         proper_dims(node.operand(0)) == proper_dims({const_cast<Node*>(&node), 0});
}

Value without_converts(Value v) {
  while (v.node->is("stablehlo.convert") || keeps_proper_dims(*v.node)) v = v.node->operand(0);
  return v;
}

I64s spread_places(const Node& broadcast) {
  const Dims& from = broadcast.operand(0).type().dims;
  const I64s& at = broadcast.attrs.i64s("broadcast_dimensions");
  I64s listed;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) listed.push_back(at[d]);
  return proper_places(broadcast.result_types()[0].dims, listed);
}

Lines Lines::of(Value v, std::array<I64s, 3> groups) {
  for (;; v = v.node->operand(0)) {
    if (v.node->is("stablehlo.transpose")) {
      const I64s to =
          proper_places(v.node->operand(0).type().dims, v.node->attrs.i64s("permutation"));
      for (I64s& group : groups) group = mapped(group, to);
    } else if (!widens(*v.node) && !keeps_proper_dims(*v.node)) {
      return {v, std::move(groups)};
    }
  }
}

Value Lines::made(const Maker& make) const {
  I64s order;
  for (const I64s& group : groups) order.insert(order.end(), group.begin(), group.end());
  return turned(make, base, proper_dims(base), order, {extent(0), extent(1), extent(2)});
}

std::int64_t Lines::extent(std::size_t group) const {
  const Dims dims = proper_dims(base);
  std::int64_t count = 1;
  for (const std::int64_t d : groups[group]) count *= dims[std::size_t(d)];
  return count;
}

Product::Product(Node& dot) : node(&dot) {
  const ir::ContractionShape s = contraction_shape(dot);
  const auto side = [&](std::size_t k, const I64s& batch, const I64s& free,
                        const I64s& contracting) {
    const Value v = dot.operand(k);
    const Dims& dims = v.type().dims;
    sides[k] = {v, proper_places(dims, batch), proper_places(dims, free),
                proper_places(dims, contracting)};
  };
  side(0, s.lhs_batch, s.lhs_free, s.lhs_contracting);
  side(1, s.rhs_batch, s.rhs_free, s.rhs_contracting);
}

I64s Product::free_of(std::size_t side) const {
  const std::size_t batch = sides[0].batch.size();
  return counting(std::int64_t(batch + (side == 0 ? 0 : sides[0].free.size())),
                  sides[side].free.size());
}

Value as_product(const Maker& make, Value v, const Product& product, std::size_t rows,
                 const Node* transpose) {
  const Dims all = proper_dims(product.node->result());
  // As the groups follow one another in `v`.
  I64s places = counting(0, product.sides[0].batch.size());
  for (const std::size_t side : {rows, 1 - rows})
    for (const std::int64_t p : product.free_of(side)) places.push_back(p);
  I64s order(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) order[std::size_t(places[k])] = std::int64_t(k);
  const Node& last = transpose == nullptr ? *product.node : *transpose;
  if (transpose != nullptr)
    order = mapped(
        proper_places(product.node->result_types()[0].dims, transpose->attrs.i64s("permutation")),
        order);
  return turned(make, v, mapped(places, all), order, last.result_types()[0].dims);
}

}  // namespace partita::passes::transforms

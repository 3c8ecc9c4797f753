// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/core/contraction.hpp"

#include <algorithm>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

std::int64_t product(const Dims& dims, const I64s& group) {
  std::int64_t p = 1;
  for (std::int64_t d : group) p *= dims[std::size_t(d)];
  return p;
}

I64s others(std::size_t rank, const I64s& a, const I64s& b) {
  I64s free;
  for (std::int64_t d = 0; d < std::int64_t(rank); ++d)
    if (std::ranges::find(a, d) == a.end() && std::ranges::find(b, d) == b.end()) free.push_back(d);
  return free;
}

}  // namespace

ContractionShape contraction_shape(const Node& dot) {
  const Dims& lhs = dot.operand(0).type().dims;
  const Dims& rhs = dot.operand(1).type().dims;
  ContractionShape s;
  s.lhs_batch = dot.attrs.i64s_or_empty("lhs_batching_dimensions");
  s.rhs_batch = dot.attrs.i64s_or_empty("rhs_batching_dimensions");
  s.lhs_contracting = dot.attrs.i64s_or_empty("lhs_contracting_dimensions");
  s.rhs_contracting = dot.attrs.i64s_or_empty("rhs_contracting_dimensions");
  s.lhs_free = others(lhs.size(), s.lhs_batch, s.lhs_contracting);
  s.rhs_free = others(rhs.size(), s.rhs_batch, s.rhs_contracting);
  s.batch = product(lhs, s.lhs_batch);
  s.m = product(lhs, s.lhs_free);
  s.n = product(rhs, s.rhs_free);
  s.k = product(lhs, s.lhs_contracting);
  return s;
}

bool allows_tf32(const Node& product, bool by_default) {
  const Attribute* algorithm = product.attrs.find("algorithm");
  if (algorithm == nullptr) {
    const Attribute* precision = product.attrs.find("precision_config");
    const auto* sides = precision == nullptr ? nullptr : precision->get_if<List>();
    const auto is_highest = [](const Attribute& side) {
      const auto* value = side.get_if<EnumAttr>();
      return value != nullptr && value->value == "HIGHEST";
    };
    return by_default && (sides == nullptr || std::ranges::none_of(sides->items, is_highest));
  }
  const auto* raw = algorithm->get_if<RawAttr>();
  const auto is_tf32 = [&](std::string_view side) {
    return raw->text.find(cat(side, "_precision_type = tf32")) != std::string::npos;
  };
  return raw != nullptr && is_tf32("lhs") && is_tf32("rhs");
}

}  // namespace partita::ir

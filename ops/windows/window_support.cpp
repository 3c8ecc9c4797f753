// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/windows/window_support.hpp"

#include <cstdlib>

namespace partita::ir::ops {
namespace {

/// Entries, and what an array can be dilated or padded to, stay below this.
constexpr std::int64_t most = std::int64_t(1) << 40;

}  // namespace

AttrSpec window_attr(std::string name, bool required) {
  AttrSpec spec = dims_attr(std::move(name), {per_dim(DimRole::Side::operand, 0, Fill::one)});
  spec.required = required;
  return spec;
}

AttrSpec padding_attr(bool has_roles) {
  AttrSpec spec;
  spec.name = "padding";
  spec.kind = AttrKind::dense;
  spec.required = false;
  if (has_roles) spec.roles = {per_dim(DimRole::Side::operand, 0, Fill::zero)};
  return spec;
}

AttrSpec plain_list_attr(std::string name) {
  AttrSpec spec = dims_attr(std::move(name), {});
  spec.required = false;
  return spec;
}

void expect_positive_list(const InferContext& c, const char* name, std::size_t rank) {
  if (!c.attrs.contains(name)) return;
  const I64s& list = c.attrs.i64s(name);
  expect_size(c, name, list, std::int64_t(rank));
  for (const std::int64_t x : list)
    c.expect(x > 0 && x <= most, cat("entries of 1 or more in ", name), to_text(list));
}

void expect_padding(const InferContext& c, std::size_t rank) {
  const Attribute* found = c.attrs.find("padding");
  if (found == nullptr) return;
  const Type& type = (*found->get_if<DenseRef>())->type();
  c.expect(is_integer(type.dtype) && type.dims == Dims({std::int64_t(rank), 2}),
           cat("padding of shape [", rank, ", 2]"), to_string(type));
  for (const std::int64_t x : padding_pairs(c.attrs, rank))
    c.expect(x >= -most && x <= most, "padding of a representable extent", cat(x));
}

void expect_reach(const InferContext& c, const std::vector<WindowDim>& window) {
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    c.expect(std::max(w.base_dilation, w.stride) <= most / std::max<std::int64_t>(w.extent, 1) &&
                 w.window_dilation <= most / std::max<std::int64_t>(w.size, 1),
             cat("a window of a representable extent in dimension ", d),
             cat("dilations of ", w.base_dilation, " and ", w.window_dilation, ", a stride of ",
                 w.stride));
  }
}

}  // namespace partita::ir::ops

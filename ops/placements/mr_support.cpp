// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/placements/mr_support.hpp"

namespace partita::ir::ops {
namespace {

View axis_view(const Type& type, std::int64_t axis, std::int64_t i) {
  View view = view_of(type);
  view.offset = i * view.strides[std::size_t(axis)];
  view.strides.erase(view.strides.begin() + axis);
  return view;
}

}  // namespace

// --- Placements ------------------------------------------------------------------------------------

AttrSpec placement_attr(bool required) {
  return AttrSpec{.name = "placement", .kind = AttrKind::text, .required = required};
}

std::optional<std::int64_t> declared_size(const InferContext& c, const std::string& placement) {
  if (!c.module) return std::nullopt;
  const auto size = c.module->placement_size(placement);
  if (!size) {
    std::string known;
    if (const Attribute* all = c.module->attrs.find("mr.placements"))
      if (const auto* dict = all->get_if<Dict>())
        for (const NamedAttribute& entry : dict->items())
          known += cat(known.empty() ? "" : ", ", entry.name);
    c.fail(cat("a placement of mr.placements (", known.empty() ? "none is declared" : known, ")"),
           cat("\"", placement, "\""));
  }
  c.expect(*size >= 1, cat("a placement \"", placement, "\" of at least 1 partition"), cat(*size));
  return size;
}

PlacementSize::PlacementSize(const InferContext& c, std::string placement)
    : c_(c), placement_(std::move(placement)), size_(declared_size(c, placement_)) {}

void PlacementSize::expect(const std::string& what, const Type& type, std::int64_t axis) {
  c_.expect(axis >= 0 && axis < type.rank(),
            cat(what, " with a dimension ", axis, " for the partitions of \"", placement_, "\""),
            to_string(type));
  const std::int64_t extent = type.dims[std::size_t(axis)];
  if (!size_) {
    c_.expect(
        extent >= 1,
        cat(what, " with at least 1 partition of \"", placement_, "\" along dimension ", axis),
        to_string(type));
    size_ = extent;
  }
  if (extent == *size_) return;
  Type wanted = type;
  wanted.dims[std::size_t(axis)] = *size_;
  c_.fail(cat(what, " of type ", to_string(wanted), " (\"", placement_, "\" has ", *size_,
              " partitions)"),
          to_string(type));
}

std::int64_t PlacementSize::size() const {
  if (!size_)
    c_.fail(cat("a size of placement \"", placement_,
                "\", in mr.placements or as the extent of an operand or result"),
            "none");
  return *size_;
}

Type without_axis(Type type, std::int64_t axis) {
  type.dims.erase(type.dims.begin() + axis);
  return type;
}

Type with_axis(Type type, std::int64_t axis, std::int64_t n) {
  type.dims.insert(type.dims.begin() + axis, n);
  return type;
}

I64s operand_segments(const InferContext& c, std::size_t count) {
  const I64s& segments = c.attrs.i64s("operand_segments");
  std::int64_t sum = 0;
  for (const std::int64_t s : segments) sum += std::clamp<std::int64_t>(s, -1, 1 << 20);
  const bool fits = segments.size() == count &&
                    std::ranges::all_of(segments, [](std::int64_t s) { return s >= 0; });
  c.expect(fits, cat("operand_segments of ", count, " non-negative entries"), to_text(segments));
  c.expect(sum == std::int64_t(c.operands.size()),
           cat("operand_segments that add up to ", c.operands.size(), " operands"),
           to_text(segments));
  return segments;
}

// --- Slices ----------------------------------------------------------------------------------------

HostArray slice_of(const HostArray& array, std::int64_t axis, std::int64_t i) {
  HostArray slice(without_axis(array.type, axis));
  copy_box(array, axis_view(array.type, axis, i), slice, view_of(slice.type), slice.type.dims);
  return slice;
}

void put_slice(const HostArray& slice, HostArray& into, std::int64_t axis, std::int64_t i) {
  copy_box(slice, view_of(slice.type), into, axis_view(into.type, axis, i), slice.type.dims);
}

}  // namespace partita::ir::ops

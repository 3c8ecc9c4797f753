// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/memory_views.hpp"

namespace partita::lowering {

using ir::Value;

std::optional<StridedView> view_in_memory(Context& context, Value v) {
  const auto is_root = [&](Value x) {
    return context.is_in_memory(x) || context.slice(x) != nullptr;
  };
  auto view = strided_view(
      v, is_root, [&](Value x) { return context.is_host(x); },
      [&](Value x) { return context.host_value(x); });
  if (!view) return std::nullopt;
  const Slice* slice = context.slice(view->root);
  return slice != nullptr && slice->is_block ? std::nullopt : std::move(view);
}

bool is_dense(const Dims& extents, const Dims& strides) {
  std::int64_t stride = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (extents[d] > 1 && strides[d] != stride) return false;
    stride *= extents[d];
  }
  return true;
}

BufferRef place_of(Context& context, const StridedView& view) {
  const Location at = context.memory(view.root);
  return {at.buffer, at.offset + view.offset};
}

}  // namespace partita::lowering

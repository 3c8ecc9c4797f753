// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <limits>

#include "kernel/ast/neighbours.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;

void Context::launch(KernelBody& body, HostExpr items, bool of_any_group) {
  Launch l;
  std::int64_t local = of_any_group ? 1 : policy_.target.preferred_group;
  ExprId limit{};
  if (items.is_constant()) {
    if (items.value() == 0) return;
    while (local / 2 >= items.value()) local /= 2;
    limit = body.pool().index(items.value());
  } else {
    limit = body.scalar(items);
  }
  // The last group may be larger than what is left.
  if (!items.is_constant() || items.value() % local != 0)
    body.guard_all(body.pool().less(body.pool().variable(unbounded_item), limit));
  l.global[0] =
      HostExpr::binary(HostExpr::Kind::div, items + HostExpr(local - 1), HostExpr(local)) *
      HostExpr(local);
  if (!of_any_group) l.local = {local, 1, 1};
  emit_launch(
      body, std::move(l),
      items.is_constant() && items.value() > std::numeric_limits<std::int32_t>::max() - local);
}

void Context::launch_groups(KernelBody& body, std::int64_t groups) {
  if (groups == 0) return;
  const std::int64_t local = body.kernel().group_items;
  PARTITA_ASSERT(local > 0);
  Launch l{.kernel = -1, .buffers = {}, .scalars = {}};
  l.global[0] = HostExpr(groups * local);
  l.local = {local, 1, 1};
  emit_launch(body, std::move(l), groups > std::numeric_limits<std::int32_t>::max() / local);
}

void Context::emit_launch(KernelBody& body, Launch launch, bool has_many_items) {
  launch.kernel = int(draft_.kernels.size());
  launch.buffers = body.buffers();
  for (const HostExpr& s : body.scalars()) launch.scalars.push_back({DType::i64, s});
  std::unique_ptr<Kernel> kernel = body.finish();
  note_alignments(*kernel);
  kernel->wide_index =
      has_many_items || body.largest_count() > std::numeric_limits<std::int32_t>::max();
  const std::string name = kernel->stem;
  draft_.kernels.push_back(std::move(kernel));
  emit(std::move(launch), name);
}

}  // namespace partita::lowering

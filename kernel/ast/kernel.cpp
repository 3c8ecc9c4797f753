// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/kernel.hpp"

#include <algorithm>
#include <type_traits>

namespace partita::kernel {
namespace {

using scalar::ExprId;
using scalar::no_expr;

/// Calls `f` with each expression of a statement; a loop's beginning may be none.
template <class S, class F>
void for_each_root(S& s, const F& f) {
  std::visit(
      [&](auto& x) {
        using T = std::remove_cvref_t<decltype(x)>;
        if constexpr (std::is_same_v<T, MultiplyAdd>)
          f(x.a), f(x.b);
        else if constexpr (std::is_same_v<T, AddLanes>)
          f(x.vector);
        else if constexpr (std::is_same_v<T, StoreWide>)
          std::ranges::for_each(x.values, f), f(x.index);
        else if constexpr (std::is_same_v<T, LoadMatrices>)
          f(x.index);
        else if constexpr (std::is_same_v<T, MultiplyMatrices>)
          std::ranges::for_each(x.a, f), std::ranges::for_each(x.b, f);
        else if constexpr (std::is_same_v<T, Store> || std::is_same_v<T, StoreLocal> ||
                           std::is_same_v<T, AtomicCombine>)
          f(x.value), f(x.index);
        else if constexpr (std::is_same_v<T, Loop>)
          f(x.end), f(x.begin);
        else if constexpr (std::is_same_v<T, When>)
          f(x.condition);
        else if constexpr (!std::is_same_v<T, Barrier>)
          f(x.value);
      },
      s.what);
}

/// A member of the kind of statement that `s` is, or null where that has none; `get` names the member.
template <class Member, class S, class Get>
auto* find_member(S& s, const Get& get) {
  using Found = std::conditional_t<std::is_const_v<S>, const Member, Member>;
  return std::visit(
      [&](auto& x) -> Found* {
        if constexpr (requires { get(x); })
          return &get(x);
        else
          return nullptr;
      },
      s.what);
}

constexpr auto its_body = [](auto& x) -> auto& requires requires { x.body; }
{ return x.body; };
constexpr auto its_register = [](auto& x) -> auto& requires requires { x.slot; }
{ return x.slot; };

}  // namespace

const Block& body_of(const Stmt& s) {
  static const Block none;
  const Block* const body = find_member<Block>(s, its_body);
  return body == nullptr ? none : *body;
}

Block* body_of(Stmt& s) { return find_member<Block>(s, its_body); }

const std::int32_t* register_of(const Stmt& s) {
  return find_member<std::int32_t>(s, its_register);
}
std::int32_t* register_of(Stmt& s) { return find_member<std::int32_t>(s, its_register); }

std::optional<DType> dtype_of(const Stmt& s) {
  return std::visit(
      [](const auto& x) -> std::optional<DType> {
        if constexpr (requires { x.dtype; })
          return x.dtype;
        else
          return std::nullopt;
      },
      s.what);
}

std::vector<ExprId> roots_of(const Stmt& s) {
  std::vector<ExprId> roots;
  for_each_root(s, [&](const ExprId e) {
    if (e != no_expr) roots.push_back(e);
  });
  return roots;
}

void map_roots(Stmt& s, const std::function<ExprId(ExprId)>& map) {
  for_each_root(s, [&](ExprId& e) {
    if (e != no_expr) e = map(e);
  });
}

Kernel without_body(const Kernel& kernel) {
  Kernel to;
  to.stem = kernel.stem;
  to.comment = kernel.comment;
  to.buffers = kernel.buffers;
  to.arrays = kernel.arrays;
  to.scalars = kernel.scalars;
  to.wide_index = kernel.wide_index;
  to.stores_last = kernel.stores_last;
  to.next_variable = kernel.next_variable;
  to.next_register = kernel.next_register;
  return to;
}

}  // namespace partita::kernel

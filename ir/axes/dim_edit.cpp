// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/dim_edit.hpp"

#include <algorithm>
#include <numeric>

#include "partita/ir/window.hpp"

namespace partita::ir {
namespace {

const std::optional<DimEdit>& edit_of(const DimRole& role, const DimEdits& operands,
                                      const DimEdits& results) {
  static const std::optional<DimEdit> none;
  const DimEdits& side = role.side == DimRole::Side::operand ? operands : results;
  return std::size_t(role.of) < side.size() ? side[std::size_t(role.of)] : none;
}

/// An integer attribute as a list, and back.  A constant of shape [n, 2] has `width` 2 entries for
/// each dimension.
struct Entries {
  I64s list;
  bool is_single = false;
  std::ptrdiff_t width = 1;
  explicit Entries(const Attribute& a) {
    if (const auto* integer = a.get_if<Integer>()) {
      list = {integer->value};
      is_single = true;
    } else if (const auto* values = a.get_if<I64s>()) {
      list = *values;
    } else if (const auto* dense = a.get_if<DenseRef>()) {
      const HostArray pairs = partita::convert((*dense)->to_array(), DType::i64);
      PARTITA_ASSERT(pairs.type.rank() == 2 && pairs.type.dims[1] == 2);
      list.assign(pairs.data<DType::i64>(), pairs.data<DType::i64>() + pairs.type.count());
      width = 2;
    } else {
      throw_internal_error("an attribute with dimension roles is not of integers");
    }
  }
  [[nodiscard]] Attribute back() const {
    if (width == 2) return padding_attribute(list);
    return is_single ? Attribute(list[0]) : Attribute(list);
  }
  void insert(int dim, std::int64_t entry) {
    list.insert(list.begin() + dim * width, std::size_t(width), entry);
  }
  void erase(int dim) {
    const auto at = list.begin() + dim * width;
    list.erase(at, at + width);
  }
};

template <class F>
Dict changed(const Node& node, F&& change) {
  Dict attrs = node.attrs;
  for (const AttrSpec& spec : node.op().attrs) {
    const Attribute* a = spec.roles.empty() ? nullptr : node.attrs.find(spec.name);
    if (!a) continue;
    Entries entries(*a);
    change(spec, entries);
    attrs.set(spec.name, entries.back());
  }
  return attrs;
}

/// The entry for an inserted dimension: the dimension it is, where another role says so, else filler.
std::int64_t inserted_entry(const AttrSpec& spec, const DimRole& role, const DimEdit& edit,
                            const DimEdits& operands, const DimEdits& results) {
  for (const DimRole& other : spec.roles)
    if (other.kind == DimRole::Kind::dim_index)
      if (const auto& named = edit_of(other, operands, results)) return named->dim;
  switch (role.fill) {
    case DimRole::Fill::zero:
      return 0;
    case DimRole::Fill::one:
      return 1;
    case DimRole::Fill::extent:
      return edit.extent;
  }
  return 0;
}

}  // namespace

Dict attrs_with_inserted(const Node& node, const DimEdits& operands, const DimEdits& results) {
  return changed(node, [&](const AttrSpec& spec, Entries& entries) {
    for (const DimRole& role : spec.roles) {
      const auto& edit = edit_of(role, operands, results);
      if (role.kind != DimRole::Kind::dim_index || !edit) continue;
      for (std::int64_t& e : entries.list)
        if (e >= edit->dim) ++e;
    }
    for (const DimRole& role : spec.roles) {
      const auto& edit = edit_of(role, operands, results);
      if (role.kind != DimRole::Kind::per_dim || !edit) continue;
      entries.insert(edit->dim, inserted_entry(spec, role, *edit, operands, results));
    }
  });
}

Dict attrs_with_removed(const Node& node, const DimEdits& operands, const DimEdits& results) {
  return changed(node, [&](const AttrSpec& spec, Entries& entries) {
    for (const DimRole& role : spec.roles) {
      const auto& edit = edit_of(role, operands, results);
      if (role.kind == DimRole::Kind::per_dim && edit) entries.erase(edit->dim);
    }
    for (const DimRole& role : spec.roles) {
      const auto& edit = edit_of(role, operands, results);
      if (role.kind != DimRole::Kind::dim_index || !edit) continue;
      if (!entries.is_single) std::erase(entries.list, std::int64_t(edit->dim));
      PARTITA_ASSERT(!entries.is_single || entries.list[0] != edit->dim);
      for (std::int64_t& e : entries.list)
        if (e > edit->dim) --e;
    }
  });
}

Dict attrs_with_shrunk(const Node& node, const DimEdits& operands) {
  return changed(node, [&](const AttrSpec& spec, Entries& entries) {
    for (const DimRole& role : spec.roles) {
      const auto& edit = edit_of(role, operands, {});
      if (role.kind != DimRole::Kind::per_dim || role.fill != DimRole::Fill::extent || !edit)
        continue;
      std::int64_t& entry = entries.list[std::size_t(edit->dim)];
      if (entry == node.operand(std::size_t(role.of)).type().dims[std::size_t(edit->dim)])
        entry = edit->extent;
    }
  });
}

I64s counting(std::int64_t count, std::int64_t from) {
  I64s numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

I64s moved_dim(std::int64_t rank, std::int64_t from, std::int64_t to) {
  I64s permutation = counting(rank);
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  return permutation;
}

Type with_dim_inserted(Type type, int dim, std::int64_t extent) {
  type.dims.insert(type.dims.begin() + dim, extent);
  return type;
}

Node* remake(const Node& node, Graph& into, std::vector<Value> operands, Dict attrs,
             std::vector<Type> types, Node* before) {
  std::vector<std::unique_ptr<Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(clone_graph(*region));
  Node* made = create(into, node.name(), std::move(operands), std::move(attrs), std::move(regions),
                      types, before, node.location());
  made->hint = node.hint;
  made->loc_text = node.loc_text;
  return made;
}

}  // namespace partita::ir

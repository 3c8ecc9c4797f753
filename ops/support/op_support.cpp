// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <limits>
#include <set>

#include "ops/support/support.hpp"

namespace partita::ir::ops {

// --- Attribute specs ----------------------------------------------------------------------------

AttrSpec dims_attr(std::string name, std::vector<DimRole> roles) {
  AttrSpec spec;
  spec.name = std::move(name);
  spec.kind = AttrKind::i64s;
  spec.roles = std::move(roles);
  return spec;
}

AttrSpec dim_attr(std::string name, std::vector<DimRole> roles) {
  AttrSpec spec = dims_attr(std::move(name), std::move(roles));
  spec.kind = AttrKind::i64;
  return spec;
}

AttrSpec flag_attr(std::string name) {
  AttrSpec spec;
  spec.name = std::move(name);
  spec.kind = AttrKind::boolean;
  spec.required = false;
  return spec;
}

AttrSpec field_of(AttrSpec spec, std::string group, std::string structure) {
  spec.group = std::move(group);
  spec.structure = std::move(structure);
  return spec;
}

// --- Verification -------------------------------------------------------------------------------

std::string to_text(std::span<const std::int64_t> list) {
  std::string text = "[";
  for (std::size_t k = 0; k < list.size(); ++k) text += (k ? ", " : "") + std::to_string(list[k]);
  return text + "]";
}

void expect_precisions(const InferContext& c) {
  const Attribute* precision = c.attrs.find("precision_config");
  const auto* list = precision == nullptr ? nullptr : precision->get_if<List>();
  if (list == nullptr) return;
  c.expect(list->items.size() <= 2, "at most a precision for each operand",
           cat(list->items.size(), " precisions"));
  constexpr std::string_view known[] = {"DEFAULT", "HIGH", "HIGHEST", "PACKED_NIBBLE"};
  for (const Attribute& item : list->items) {
    const auto* name = item.get_if<EnumAttr>();
    c.expect(name != nullptr && std::ranges::find(known, name->value) != std::end(known),
             "a precision of DEFAULT, HIGH, HIGHEST and PACKED_NIBBLE",
             name == nullptr ? "another attribute" : name->value);
  }
}

void expect_operand_count(const InferContext& c, std::size_t count) {
  c.expect(c.operands.size() == count, cat(count, count == 1 ? " operand" : " operands"),
           cat(c.operands.size()));
}

void expect_size(const InferContext& c, std::string_view what, std::span<const std::int64_t> list,
                 std::int64_t rank) {
  c.expect(std::int64_t(list.size()) == rank, cat(rank, " entries in ", what), to_text(list));
}

void expect_dimensions(const InferContext& c, std::string_view what,
                       std::span<const std::int64_t> list, std::int64_t rank) {
  for (const std::int64_t d : list)
    c.expect(d >= 0 && d < rank, cat(what, " within [0, ", rank, ")"), to_text(list));
}

void expect_unique(const InferContext& c, std::string_view what,
                   std::span<const std::int64_t> list) {
  const std::set<std::int64_t> unique(list.begin(), list.end());
  c.expect(unique.size() == list.size(), cat("different entries in ", what), to_text(list));
}

void expect_sorted(const InferContext& c, std::string_view what,
                   std::span<const std::int64_t> list) {
  c.expect(std::is_sorted(list.begin(), list.end()), cat("ascending ", what), to_text(list));
}

void expect_start_indices(const InferContext& c, std::size_t first, std::int64_t rank) {
  expect_operand_count(c, first + std::size_t(rank));
  for (std::size_t k = first; k < c.operands.size(); ++k) {
    const Type& t = c.operands[k];
    c.expect(t.rank() == 0 && !t.is_token && is_integer(t.dtype) && t == c.operands[first],
             "start indices that are scalars of one integer type",
             cat(to_string(t), " as operand ", k));
  }
}

void expect_combiner_region(const InferContext& c, std::span<const Type> elements) {
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Graph& region = *c.regions[0];
  const std::size_t n = elements.size();
  c.expect(std::size_t(region.argument_count()) == 2 * n,
           cat("a region with ", 2 * n, " arguments"), cat(region.argument_count()));
  c.expect(region.results.size() == n, cat("a region with ", n, n == 1 ? " result" : " results"),
           cat(region.results.size()));
  for (std::size_t k = 0; k < 2 * n; ++k) {
    const Type wanted = Type::scalar(elements[k % n].dtype);
    const Type& argument = region.argument(int(k)).type();
    c.expect(argument == wanted, cat("argument ", k, " of the region of type ", to_string(wanted)),
             to_string(argument));
    if (k >= n) continue;
    const Type& result = region.results[k].type();
    c.expect(result == wanted, cat("result ", k, " of the region of type ", to_string(wanted)),
             to_string(result));
  }
}

I64s other_dims(std::int64_t rank, std::span<const std::int64_t> a,
                std::span<const std::int64_t> b) {
  I64s dims;
  for (std::int64_t d = 0; d < rank; ++d)
    if (!contains(a, d) && !contains(b, d)) dims.push_back(d);
  return dims;
}

// --- Evaluation ---------------------------------------------------------------------------------

View sub_view(const View& view, std::span<const std::int64_t> start) {
  return {view.offset + offset_of(start, view.strides), view.strides};
}

namespace {

template <std::size_t size>
struct Element {
  std::byte bytes[size];
};

template <class E>
void copy_elements(const E* from, const View& a, E* to, const View& b, const Dims& box,
                   std::size_t d) {
  const std::int64_t extent = box[d], step_a = a.strides[d], step_b = b.strides[d];
  if (d + 1 == box.size()) {
    for (std::int64_t i = 0; i < extent; ++i) to[i * step_b] = from[i * step_a];
    return;
  }
  for (std::int64_t i = 0; i < extent; ++i)
    copy_elements(from + i * step_a, a, to + i * step_b, b, box, d + 1);
}

template <std::size_t size>
void copy_sized(const HostArray& from, const View& a, HostArray& to, const View& b,
                const Dims& box) {
  using E = Element<size>;
  const auto* source = reinterpret_cast<const E*>(from.bytes.data()) + a.offset;
  auto* target = reinterpret_cast<E*>(to.bytes.data()) + b.offset;
  if (box.empty())
    *target = *source;
  else
    copy_elements(source, a, target, b, box, 0);
}

}  // namespace

void copy_box(const HostArray& from, const View& a, HostArray& to, const View& b, const Dims& box) {
  PARTITA_ASSERT(from.type.dtype == to.type.dtype && a.strides.size() == box.size() &&
                 b.strides.size() == box.size());
  for (const std::int64_t extent : box)
    if (extent <= 0) return;
  switch (byte_size(from.type.dtype)) {
    case 1:
      return copy_sized<1>(from, a, to, b, box);
    case 2:
      return copy_sized<2>(from, a, to, b, box);
    case 4:
      return copy_sized<4>(from, a, to, b, box);
    case 8:
      return copy_sized<8>(from, a, to, b, box);
    default:
      return copy_sized<16>(from, a, to, b, box);
  }
}

I64s index_values(const HostArray& array) {
  const HostArray wide = convert(array, DType::i64);
  const auto* data = wide.data<DType::i64>();
  I64s values(data, data + wide.type.count());
  if (array.type.dtype == DType::ui64)
    for (std::int64_t& v : values)
      if (v < 0) v = std::numeric_limits<std::int64_t>::max();
  return values;
}

I64s clamped_starts(const EvalContext& c, std::size_t first, const Dims& limits) {
  I64s starts;
  for (std::size_t d = 0; d < limits.size(); ++d)
    starts.push_back(
        std::clamp<std::int64_t>(index_values(*c.operands[first + d])[0], 0, limits[d]));
  return starts;
}

Tensor element(const HostArray& array, std::int64_t k) {
  HostArray scalar(Type::scalar(array.type.dtype));
  std::memcpy(scalar.bytes.data(), array.bytes.data() + std::size_t(k) * scalar.bytes.size(),
              scalar.bytes.size());
  return std::make_shared<const HostArray>(std::move(scalar));
}

// --- Factors ------------------------------------------------------------------------------------

FactorRule empty_rule(const Node& node) {
  FactorRule rule;
  for (const Value& v : node.operands()) rule.operands.emplace_back(v.type().dims.size());
  for (const Type& t : node.result_types()) rule.results.emplace_back(t.dims.size());
  return rule;
}

void replicate_rest(const Node& node, FactorRule& rule) {
  const auto fill = [&](std::vector<std::vector<int>>& factors, const Type& type) {
    for (std::size_t d = 0; d < factors.size(); ++d)
      if (factors[d].empty() && type.dims[d] != 1)
        factors[d].push_back(rule.add_factor(type.dims[d], FactorKind::replicated));
  };
  for (std::size_t k = 0; k < rule.operands.size(); ++k)
    fill(rule.operands[k], node.operand(k).type());
  for (std::size_t k = 0; k < rule.results.size(); ++k)
    fill(rule.results[k], node.result_types()[k]);
}

FactorRule dimwise_rule(const Node& node, const std::function<bool(std::size_t)>& passes) {
  FactorRule rule = empty_rule(node);
  const Dims& dims = node.result_types()[0].dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (!passes(d)) continue;
    const int f = rule.add_factor(dims[d]);
    rule.operands[0][d] = {f};
    rule.results[0][d] = {f};
  }
  replicate_rest(node, rule);
  return rule;
}

}  // namespace partita::ir::ops

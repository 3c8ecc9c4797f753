// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// chlo.broadcast_*: elementwise ops that first broadcast their operands, as numpy does or along
// broadcast_dimensions.
#include <array>
#include <numeric>

#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

struct Form {
  const char *name, *op, *sample_dtype;
};

constexpr std::array forms{
    Form{"add", "stablehlo.add", "f32"},
    Form{"and", "stablehlo.and", "i32"},
    Form{"atan2", "stablehlo.atan2", "f32"},
    Form{"compare", "stablehlo.compare", "f32"},
    Form{"complex", "stablehlo.complex", "f32"},
    Form{"divide", "stablehlo.divide", "f32"},
    Form{"maximum", "stablehlo.maximum", "f32"},
    Form{"minimum", "stablehlo.minimum", "f32"},
    Form{"multiply", "stablehlo.multiply", "f32"},
    Form{"next_after", "chlo.next_after", "f32"},
    Form{"or", "stablehlo.or", "i32"},
    Form{"polygamma", "chlo.polygamma", "f32"},
    Form{"power", "stablehlo.power", "f32"},
    Form{"remainder", "stablehlo.remainder", "f32"},
    Form{"select", "stablehlo.select", "f32"},
    Form{"shift_left", "stablehlo.shift_left", "i32"},
    Form{"shift_right_arithmetic", "stablehlo.shift_right_arithmetic", "i32"},
    Form{"shift_right_logical", "stablehlo.shift_right_logical", "i32"},
    Form{"subtract", "stablehlo.subtract", "f32"},
    Form{"xor", "stablehlo.xor", "i32"},
    Form{"zeta", "chlo.zeta", "f32"},
};

const Form& form_of(std::string_view op) {
  for (const Form& form : forms)
    if (op == cat("chlo.broadcast_", form.name)) return form;
  throw_internal_error(cat("no broadcasting form ", op));
}

/// Last dimensions meet; each is equal on both sides, or 1 on one of them.
Dims joined(const Expansion& e, const Dims& a, const Dims& b) {
  const Dims &more = a.size() >= b.size() ? a : b, &less = a.size() >= b.size() ? b : a;
  Dims dims = more;
  const std::size_t first = more.size() - less.size();
  for (std::size_t d = 0; d < less.size(); ++d) {
    std::int64_t& extent = dims[first + d];
    e.context.expect(extent == less[d] || extent == 1 || less[d] == 1,
                     "operands that broadcast to one shape", cat(to_text(a), " and ", to_text(b)));
    if (extent == 1) extent = less[d];
  }
  return dims;
}

Value broadcast(const Expansion& e, Value v, const Dims& to, I64s dims) {
  if (v.type().dims == to) return v;
  return e.value("stablehlo.broadcast_in_dim", {v}, {{"broadcast_dimensions", std::move(dims)}},
                 {Type{.dtype = v.type().dtype, .dims = to}});
}

/// The dimensions of the result that the operand's are, as its last ones.
I64s last_dims(const Value& v, const Dims& to) {
  I64s dims(v.type().dims.size());
  std::iota(dims.begin(), dims.end(), std::int64_t(to.size() - dims.size()));
  return dims;
}

Node* expand(const Expansion& e) {
  const Form& form = form_of(e.context.op);
  const bool selects = std::string_view(form.name) == "select";
  expect_operand_count(e.context, selects ? 3 : 2);
  Dims dims;
  Dict attrs;
  for (const char* name : {"comparison_direction", "compare_type"})
    if (const Attribute* given = e.context.attrs.find(name)) {
      if (!given->get_if<EnumAttr>() && !given->get_if<std::string>())
        e.context.fail(cat("an enumeration value as ", name), "another attribute");
      attrs.set(name, EnumAttr{"stablehlo",
                               name == std::string_view("compare_type") ? "comparison_type" : name,
                               e.context.attrs.text(name)});
    }
  const Attribute* given = e.context.attrs.find("broadcast_dimensions");
  std::vector<Value> operands;
  if (given == nullptr) {
    for (const Value& v : e.operands) dims = joined(e, dims, v.type().dims);
    for (const Value& v : e.operands) operands.push_back(broadcast(e, v, dims, last_dims(v, dims)));
  } else {
    // They say where the operand of lower rank lies in the other.
    const bool left_is_less = e.operands[0].type().rank() < e.operands[1].type().rank();
    const Dims &more = e.operands[left_is_less ? 1 : 0].type().dims,
               &less = e.operands[left_is_less ? 0 : 1].type().dims;
    const I64s& places = e.context.attrs.i64s("broadcast_dimensions");
    expect_size(e.context, "broadcast_dimensions", places, std::int64_t(less.size()));
    expect_dimensions(e.context, "broadcast_dimensions", places, std::int64_t(more.size()));
    expect_unique(e.context, "broadcast_dimensions", places);
    dims = more;
    for (std::size_t d = 0; d < less.size(); ++d)
      if (std::int64_t& extent = dims[std::size_t(places[d])]; extent == 1) extent = less[d];
    for (std::size_t k = 0; k < 2; ++k)
      operands.push_back(broadcast(e, e.operands[k], dims,
                                   left_is_less == (k == 0) && less.size() != more.size()
                                       ? places
                                       : last_dims(e.operands[k], dims)));
  }
  return e.make(form.op, std::move(operands), std::move(attrs));
}

std::string sample(const Form& form) {
  const std::string_view name = form.name;
  const auto type = [&](const char* dims, std::string_view dtype) {
    return cat("tensor<", dims, dtype, ">");
  };
  const std::string_view d = form.sample_dtype;
  const std::string a = type("3x1x", d), b = type("4x", d);
  const std::string result = type("3x4x", name == "compare"   ? "i1"
                                          : name == "complex" ? "complex<f32>"
                                                              : d);
  if (name == "select")
    return cat("func.func @main(%p: tensor<i1>, %a: ", a, ", %b: ", b, ") -> ", result,
               " {\n  %0 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, ", a, ", ", b, ") -> ",
               result, "\n  return %0 : ", result, "\n}");
  const std::string attrs =
      name == "compare" ? " {comparison_direction = #chlo<comparison_direction LT>}" : "";
  return cat("func.func @main(%a: ", a, ", %b: ", b, ") -> ", result, " {\n  %0 = chlo.broadcast_",
             name, " %a, %b", attrs, " : (", a, ", ", b, ") -> ", result,
             "\n  return %0 : ", result, "\n}");
}

}  // namespace

void register_chlo_broadcast(OpRegistry& registry) {
  for (const Form& form : forms) {
    OpDef op;
    op.name = cat("chlo.broadcast_", form.name);
    op.doc = cat(form.op, " of operands that are broadcast to one shape.");
    op.attrs = {
        AttrSpec{.name = "broadcast_dimensions", .kind = AttrKind::i64s, .required = false}};
    if (std::string_view(form.name) == "compare") {
      op.attrs.push_back({.name = "comparison_direction", .kind = AttrKind::any});
      op.attrs.push_back({.name = "compare_type", .kind = AttrKind::any, .required = false});
    }
    op.samples = {sample(form)};
    add_expansion(registry, std::move(op), expand);
  }
}

}  // namespace partita::ir::ops

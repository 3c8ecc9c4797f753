// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops of Shardy in pretty form.
#include "frontend/stablehlo/module_reader.hpp"
#include "frontend/stablehlo/read_as.hpp"

namespace partita::ir {

ModuleReader::PrettyReader ModuleReader::sdy_reader(std::string_view op) {
  if (op == "sdy.sharding_constraint" || op == "sdy.reshard")
    return &ModuleReader::read_sharding_constraint;
  if (op == "sdy.sharding_group") return &ModuleReader::read_sharding_group;
  if (op == "sdy.manual_computation") return &ModuleReader::read_manual_computation;
  if (op == "sdy.named_computation") return &ModuleReader::read_named_computation;
  if (op == "sdy.constant") return &ModuleReader::read_constant;
  return is_read_as_other(op) ? &ModuleReader::read_placed : &ModuleReader::read_plain;
}

Attribute ModuleReader::read_bare_sharding() {
  if (!at("<")) fail_expected("a sharding '<@mesh, […]>'");
  const Token where = peek();
  return sharding_or_raw("#sdy.sharding" + read_enclosed('<', '>'), where);
}

Attribute ModuleReader::read_bare_shardings() {
  const Token where = peek();
  return sharding_or_raw(cat("#sdy.sharding_per_value<", read_enclosed('[', ']'), ">"), where);
}

// sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, […]> : T      sdy.all_to_all [{"x"}: 0->1] %a out_sharding=… : T
// sdy.all_reduce {"x"} %a out_sharding=<@mesh, […]> : T            sdy.propagation_barrier %a allowed_direction=NONE : T
// sdy.reduce_scatter max [{"x"}, {}] %a out_sharding=<@mesh, […]> : T
// Which axes are moved, and how, follows from the shardings of operand and result.
void ModuleReader::read_placed(OpText& op) {
  if (at(TokenKind::identifier)) lexer_.take();
  if (at("["))
    read_enclosed('[', ']');
  else if (at("{"))
    read_enclosed('{', '}');
  op.operands.push_back(read_operand());
  while (at(TokenKind::identifier)) {
    const Token key = lexer_.take();
    expect("=");
    if (at("<"))
      op.attrs.set(std::string(key.text), read_bare_sharding());
    else
      expect(TokenKind::identifier, "a sharding '<@mesh, […]>' or a direction");
  }
  read_types_tail(op);
}

// sdy.sharding_constraint %x <@mesh, […]> : T
void ModuleReader::read_sharding_constraint(OpText& op) {
  op.operands.push_back(read_operand());
  op.attrs.set("sharding", read_bare_sharding());
  read_types_tail(op);
}

// sdy.sharding_group %x group_id=0 : T
void ModuleReader::read_sharding_group(OpText& op) {
  op.operands.push_back(read_operand());
  expect("group_id");
  expect("=");
  op.attrs.set("group_id", Integer{read_i64("the number of a group"), "i64"});
  if (eat("{")) {
    merge_dict(op, "}");
    expect("}");
  }
  expect(":");
  op.operand_types = {{read_type()}};
}

// sdy.manual_computation(%a) in_shardings=[…] out_shardings=[…] manual_axes={"x"} (%b: T) { … } : …
void ModuleReader::read_manual_computation(OpText& op) {
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  for (const char* name : {"in_shardings", "out_shardings"}) {
    expect(name);
    expect("=");
    op.attrs.set(name, read_bare_shardings());
  }
  expect("manual_axes");
  expect("=");
  const Token where = peek();
  op.attrs.set("manual_axes",
               sharding_or_raw(cat("#sdy<manual_axes", read_enclosed('{', '}'), ">"), where));
  std::vector<ArgumentText> arguments;
  if (at("(")) arguments = read_arguments();
  op.regions.push_back(read_region_with(op, std::move(arguments)));
  read_types_tail(op);
}

// sdy.named_computation<"name">(%a) [in_shardings=[…]] [out_shardings=[…]] (%b: T) { … } : …
void ModuleReader::read_named_computation(OpText& op) {
  expect("<");
  expect(TokenKind::string, "a name");
  expect(">");
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  for (const char* name : {"in_shardings", "out_shardings"}) {
    if (!eat(name)) continue;
    expect("=");
    op.attrs.set(name, read_bare_shardings());
  }
  std::vector<ArgumentText> arguments;
  if (at("(")) arguments = read_arguments();
  op.regions.push_back(read_region_with(op, std::move(arguments)));
  read_types_tail(op);
}

}  // namespace partita::ir

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# Programs that are wrong or use what partita does not have: `compile` says in one line where, which operation, what it
# expected and what it found, and writes no artifact. Needs no device.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"

# program WORDS <TEXT: the words that compiling the text must give.
program() {
  cat >p.mlir
  refused 2 "p.mlir|$1" "$partita" compile p.mlir -o "$out/p.pta" --target opencl
}
# body WORDS ARGUMENTS RESULT [MODULE] <LINES: the same for the body of @main, whose first line is line 3. Where the
# lines do not return, %b is returned.
body() {
  local lines
  lines=$(cat)
  [[ $lines == *" return "* ]] || lines+=$'\n'"    return %b : $3"
  program "$1" < <(printf '%s {\n  func.func public @main(%s) -> %s {\n%s\n  }\n}\n' "${4:-module}" "$2" "$3" "$lines")
}
a="%a: tensor<4x3xf32>" t="tensor<4x3xf32>" four="module attributes {mr.placements = {clients = 4}}"

# Syntax.
program "expected a module|empty" <<<""
program ":3:1: func.func: expected|found the end of the text" <<<$'module {\n  func.func public @main(%a: tensor<f32>) -> tensor<f32> {'
program "bytecode: expected MLIR bytecode of version" < <(printf 'ML\xefR bytecode')
program ":1:1: " < <(printf '\x01\x02\x00\xff')
program ":1:1: |found '\x00'" < <(printf '\x00')
program ":1:1: |found '\xFF'" < <(printf '\xff')
body ":3:31: stablehlo.add: expected ':', found ';'" "$a" "$t" <<<'    %b = stablehlo.add %a, %a ; tensor<4x3xf32>'
body ":2:30: func.func: expected a tensor type|found 'tensor<4y3xf32>'" "%a: tensor<4y3xf32>" "$t" <<<'    return %a : tensor<4x3xf32>'
body ":3:28: stablehlo.add: expected a value that is defined before, found %c" "$a" "$t" <<<'    %b = stablehlo.add %a, %c : tensor<4x3xf32>'
body ":4:5: stablehlo.abs: expected a new name, found %b" "$a" "$t" <<<$'    %b = stablehlo.abs %a : tensor<4x3xf32>\n    %b = stablehlo.abs %a : tensor<4x3xf32>'
body ":3:|stablehlo.constant: expected" "$a" "$t" <<<'    %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<4x3xf32>'
body ":3:35: stablehlo.constant: expected 48 bytes for tensor<4x3xf32>, found 2" "$a" "$t" <<<'    %b = stablehlo.constant dense<"0x0011"> : tensor<4x3xf32>'
program "expected a function @main, found no public function" <<<$'module {\n}'

# Shardings: what is none, and what does not fit its value or the mesh.
# meshed WORDS ARGUMENT <TEXT: of a body, whose first line is line 4, in a module with a mesh.
meshed() {
  program "$1" < <(printf 'module {\n  sdy.mesh @mesh = <["x"=2, "y"=4]>\n  func.func public @main(%s) -> %s {\n%s\n  }\n}\n' "$2" "$t" "$(cat)")
}
sharded() { meshed "$1" "$a {sdy.sharding = #sdy.sharding<$2>}" <<<'    return %a : tensor<4x3xf32>'; }
constrained() { meshed "$1" "$a" <<<"    %b = sdy.sharding_constraint %a <$2> : $t"$'\n    return %b : tensor<4x3xf32>'; }
sharded ':3:62: func.func: sharding: expected|at ' '@mesh, [{x}, {}]'
sharded ":3:3: func.func: @main: argument 0: sharding: expected one of 2 dimensions, found #sdy.sharding<@mesh, [{}]> of 1" '@mesh, [{}]'
sharded 'argument 0: sharding: expected a mesh of the module, found @other' '@other, [{}, {}]'
sharded 'argument 0: sharding: expected a part of axis "y" of 4, found (1)3' '@mesh, [{"y":(1)3}, {}]'
constrained ':4:37: sdy.sharding_constraint: sharding: expected|at ' '@mesh, [{"x":2}, {}]'
constrained ':4:10: sdy.sharding_constraint: sharding: expected an axis of the mesh, found "z"' '@mesh, [{"z"}, {}]'
constrained ':4:10: sdy.sharding_constraint: sharding: expected each axis once, found "y" twice' '@mesh, [{"y":(1)2}, {"y"}]'
meshed ':4:|sdy.manual_computation: sharding: expected axes of the mesh in manual_axes, found "z"' "$a" <<<"    %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={\"z\"} (%p: $t) {
      sdy.return %p : $t
    } : ($t) -> $t
    return %b : $t"

# What partita does not have, by name, with what it has instead.
body ":3:10: stablehlo.outfeed: unsupported op: expected one of stablehlo.abs, add, |, while, |found stablehlo.outfeed" "$a" "$t" \
  <<<'    %b = "stablehlo.outfeed"(%a) : (tensor<4x3xf32>) -> tensor<4x3xf32>'
body ":3:10: stablehlo.frobnicate: unknown or unsupported op: expected|found stablehlo.frobnicate" "$a" "$t" \
  <<<'    %b = stablehlo.frobnicate %a : tensor<4x3xf32>'
body ":3:10: tosa.abs: unknown or unsupported op: expected an op of the dialects stablehlo, chlo|found tosa.abs" "$a" "$t" \
  <<<'    %b = "tosa.abs"(%a) : (tensor<4x3xf32>) -> tensor<4x3xf32>'
body ":3:10: mr.scatter_gather: unknown or unsupported op: expected|mr.|found mr.scatter_gather" "$a" "$t" \
  <<<'    %b = "mr.scatter_gather"(%a) : (tensor<4x3xf32>) -> tensor<4x3xf32>'
body ":3:10: stablehlo.custom_call" "$a" "$t" <<<'    %b = stablehlo.custom_call @mystery(%a) : (tensor<4x3xf32>) -> tensor<4x3xf32>'
body ":2:26: func.func: @main: expected extents for argument 0, which has the type tensor<?x3xf32> (--shape a=…), found none" "%a: tensor<?x3xf32>" "$t" <<<''
body ":2:30: func.func: expected an element type of i1, i2,|, f64|found 'tensor<4xf6E3M2FN>'" "%a: tensor<4xf6E3M2FN>" "$t" <<<''
body ":2:30: func.func: expected|at most|found 'tensor<99999999999x99999999999xf32>'" "%a: tensor<99999999999x99999999999xf32>" "$t" <<<''
program "expected calls without recursion" <<'MLIR'
module {
  func.func public @main(%a: tensor<f32>) -> tensor<f32> {
    %b = call @main(%a) : (tensor<f32>) -> tensor<f32>
    return %b : tensor<f32>
  }
}
MLIR

# Shapes and types: the operation, the operand, expected and found.
body ":3:10: stablehlo.add: expected operand 1 of type tensor<4x3xf32>, found tensor<4x4xf32>" "$a, %c: tensor<4x4xf32>" "$t" \
  <<<'    %b = stablehlo.add %a, %c : (tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<4x3xf32>'
body ":3:10: stablehlo.add: expected operand 1 of type tensor<4x3xf32>|found tensor<4x4xf32>" "$a, %c: tensor<4x4xf32>" "$t" \
  <<<'    %b = stablehlo.add %a, %c : tensor<4x3xf32>'
body ":3:10: stablehlo.add: expected operand 1 of type tensor<4x3xf32>, found tensor<4x3xi32>" "$a, %c: tensor<4x3xi32>" "$t" \
  <<<'    %b = "stablehlo.add"(%a, %c) : (tensor<4x3xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>'
body ":3:10: stablehlo.log: expected operands of|f32|found tensor<4xi32>" "%a: tensor<4xi32>" "tensor<4xi32>" \
  <<<'    %b = stablehlo.log %a : tensor<4xi32>'
body ":3:10: stablehlo.transpose: expected result 0 of type tensor<3x4xf32>, found tensor<4x3xf32>" "$a" "$t" \
  <<<'    %b = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<4x3xf32>'
body ":2:3: func.func: @main: expected result 0 of type tensor<3x4xf32>, found tensor<4x3xf32>" "$a" "tensor<3x4xf32>" \
  <<<'    return %a : tensor<4x3xf32>'
body ":3:10: func.call: expected the name of a function, found @nobody" "$a" "$t" \
  <<<'    %b = call @nobody(%a) : (tensor<4x3xf32>) -> tensor<4x3xf32>'

# Attributes: what an algorithm, an accuracy and a name may be.
accuracy() { # accuracy WORDS FIELDS
  body "$1" "$a" "$t" <<<"    %b = \"stablehlo.exponential\"(%a) {result_accuracy = #stablehlo.result_accuracy<$2>} : ($t) -> $t"
}
for mode in DEFAULT HIGHEST; do
  accuracy ':3:10: stablehlo.exponential: expected no tolerance of the result_accuracy but in mode TOLERANCE, found' \
    "atol = 0.0, rtol = 0.0, ulps = 4, mode = #stablehlo.result_accuracy_mode<$mode>"
done
body ':3:10: stablehlo.dot_general: expected precision DEFAULT beside an algorithm, found another' "%a: tensor<3x3xf32>" "tensor<3x3xf32>" \
  <<<'    %b = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], precision = [HIGH, HIGH], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>'
for name in foo .foo foo. foo..bar 1foo.bar 'foo.%'; do
  program "stablehlo.composite: expected the name of an op with its dialect, such as \"chlo.top_k\", found \"$name\"" <<END
func.func public @main(%a: $t) -> $t {
  %b = stablehlo.composite "$name" %a {decomposition = @d} : ($t) -> $t
  return %b : $t
}
func.func private @d(%a: $t) -> $t {
  return %a : $t
}
END
done

# Placements.
body "mr.placements: expected a size of 'clients' of at least 1, found 0" "$a" "$t" "module attributes {mr.placements = {clients = 0}}" \
  <<<'    return %a : tensor<4x3xf32>'
body "mr.placements: expected a size of 'clients'" "$a" "$t" "module attributes {mr.placements = {clients = \"x\"}}" \
  <<<'    return %a : tensor<4x3xf32>'
body ":3:10: mr.reduce_sum: expected operand 0 of type tensor<5x3xf32> (\"clients\" has 5 partitions), found tensor<4x3xf32>" "$a" \
  "tensor<3xf32>" "module attributes {mr.placements = {clients = 5}}" \
  <<<'    %b = "mr.reduce_sum"(%a) {placement = "clients"} : (tensor<4x3xf32>) -> tensor<3xf32>'
body ":3:10: mr.broadcast: expected result 0 of type tensor<4x4x3xf32>, found tensor<5x4x3xf32>" "$a" "tensor<5x4x3xf32>" "$four" \
  <<<'    %b = "mr.broadcast"(%a) {placement = "clients"} : (tensor<4x3xf32>) -> tensor<5x4x3xf32>'
body ":3:10: mr.reduce_sum: expected a placement of mr.placements (clients), found \"servers\"" "$a" "tensor<3xf32>" "$four" \
  <<<'    %b = "mr.reduce_sum"(%a) {placement = "servers"} : (tensor<4x3xf32>) -> tensor<3xf32>'
body ":3:10: mr.map: expected argument 0 of the region of type tensor<3xf32>, found tensor<4xf32>" "$a" "$t" "$four" <<'MLIR'
    %b = "mr.map"(%a) ({
    ^bb0(%x: tensor<4xf32>):
      "mr.return"(%x) : (tensor<4xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
MLIR
body ":3:10: mr.reduce_weighted_mean: expected operand 0 of floats|found tensor<4x3xi32>" "%a: tensor<4x3xi32>, %w: tensor<4xf32>" \
  "tensor<3xi32>" "$four" \
  <<<'    %b = "mr.reduce_weighted_mean"(%a, %w) {placement = "clients", on_zero_weight = "nan", operand_segments = array<i64: 1, 1, 0, 0>} : (tensor<4x3xi32>, tensor<4xf32>) -> tensor<3xi32>'

# Attributes of composites are checked although they have no specification.
composite() { # composite WORDS ATTRIBUTES
  program "$1" <<MLIR
module {
  func.func public @main(%a: tensor<3xf32>) -> tensor<4x3xf32> {
    %b = stablehlo.composite "partita.broadcast" %a {composite_attributes = {$2}, decomposition = @d} : (tensor<3xf32>) -> tensor<4x3xf32>
    return %b : tensor<4x3xf32>
  }
  func.func private @d(%a: tensor<3xf32>) -> tensor<4x3xf32> {
    %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    return %b : tensor<4x3xf32>
  }
}
MLIR
}
composite ":3:10: stablehlo.composite: expected attribute 'n' to be an integer" 'n = 4.0 : f64, placement = "clients"'
composite ":3:10: stablehlo.composite: expected attribute 'placement' to be a string" 'n = 4 : i64, placement = 1 : i64'
composite ":3:10: stablehlo.composite: |expected attributes placement and n > 0" 'n = 0 : i64, placement = "clients"'
composite ":3:10: stablehlo.composite: |expected attributes placement and n > 0" 'n = 4 : i64'
composite ":3:10: mr.broadcast: expected|tensor<5x3xf32>|found tensor<4x3xf32>" 'n = 5 : i64, placement = "clients"'

finish_refusals

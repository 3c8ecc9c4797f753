#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
#
# `partita check` on the interpreter and `partita opt`: what passes, what fails, what is refused, and the exit codes.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${PARTITA_BIN_DIR:=$PARTITA_SOURCE_DIR/build/release/bin}"
partita=$PARTITA_BIN_DIR/partita
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect STATUS TEXT COMMAND...: exit status, and a line that holds the text.
expect() {
  local status=$1 text=$2 found=0
  shift 2
  "$@" >log 2>&1 || found=$?
  [[ $found == "$status" ]] || { echo "FAILED: $*: expected status $status, found $found"; cat log; exit 1; }
  grep -qF -- "$text" log || { echo "FAILED: $*: no '$text' in"; cat log; exit 1; }
}

cat >good.mlir <<'END'
func.func @sums() {
  %x = stablehlo.constant dense<[1.0, 2.0, -0.0]> : tensor<3xf32>
  %y = stablehlo.add %x, %x : tensor<3xf32>
  check.expect_eq_const %y, dense<[2.0, 4.0, 0.0]> : tensor<3xf32>
  return
}
func.func @infinities() {
  %x = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<3xf32>
  %y = stablehlo.add %x, %x : tensor<3xf32>
  check.expect_eq %x, %y : tensor<3xf32>
  return
}
// -----
func.func @second_module() {
  %x = stablehlo.iota dim = 0 : tensor<3xi32>
  check.expect_eq_const %x, dense<[0, 1, 2]> : tensor<3xi32>
  return
}
END
sed 's/4\.0, 0\.0/4.5, 0.0/' good.mlir >bad.mlir
expect 0 '3 passed, 0 failed' "$partita" check good.mlir
[[ $(tail -n 1 log) == '3 passed, 0 failed' ]]
expect 1 '2 passed, 1 failed' "$partita" check bad.mlir
expect 1 'check.expect_eq_const: expected 4.5 at [1], found 4' "$partita" check bad.mlir
expect 1 '5 passed, 1 failed' "$partita" check bad.mlir good.mlir

# A refused function takes those that call it along, wherever they stand, and no others.
cat >callees.mlir <<'END'
func.func private @narrow(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi3>
  return %x : tensor<2xf32>
}
func.func private @caller(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @narrow(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @refused() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %y = func.call @caller(%x) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %x, %y : tensor<2xf32>
  return
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.add %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @checked() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %y = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %y, dense<2.0> : tensor<2xf32>
  return
}
END
expect 2 '1 passed, 0 failed, 1 refused' "$partita" check callees.mlir

# What cannot be read or run is refused; the rest of the file is checked.
cat >mixed.mlir <<'END'
func.func @narrow() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi3>
  check.expect_eq %x, %x : tensor<2xi3>
  return
}
func.func @sums() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.add %x, %x : tensor<f32>
  check.expect_eq_const %y, dense<2.0> : tensor<f32>
  return
}
func.func @calls() {
  %x = func.call @helper() : () -> tensor<f32>
  check.expect_eq %x, %x : tensor<f32>
  return
}
func.func private @helper() -> (tensor<f32> {a.b = "{"}) attributes {c.d = [{}]} {
  %x = stablehlo.frobnicate : tensor<f32>
  return %x : tensor<f32>
}
// -----
module {
// -----
func.func @main() -> tensor<i32> {
  %x = stablehlo.constant dense<3> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%x, %x) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return %x : tensor<i32>
}
END
expect 2 '2 passed, 0 failed, 3 refused' "$partita" check mixed.mlir
expect 2 'pass mixed.mlir @sums (interpreter)' "$partita" check mixed.mlir
expect 2 'refused mixed.mlir @calls' "$partita" check mixed.mlir
expect 2 "mixed.mlir:2:43: stablehlo.constant: expected an element type" "$partita" check mixed.mlir
expect 2 "mixed.mlir:18:8: stablehlo.frobnicate: unknown" "$partita" check mixed.mlir
expect 2 'refused absent.mlir' "$partita" check absent.mlir good.mlir
expect 2 '5 passed, 1 failed, 1 refused' "$partita" check bad.mlir absent.mlir good.mlir

cat >probes.mlir <<'END'
func.func @probes() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.add %x, %x : tensor<2xf32>
  %p = interpreter.probe %y, probe_id = "sum" : tensor<2xf32>
  %z = stablehlo.add %p, %p : tensor<2xf32>
  check.expect_serialized_eq %p, probe_id = "sum", iter = 0 : tensor<2xf32>
  check.expect_eq_const %z, dense<[4.0, 8.0]> : tensor<2xf32>
  return
}
END
expect 0 '1 passed, 0 failed' "$partita" check probes.mlir

# Recorded results, found by name and given; made here so that no corpus is needed.
cat >twice.variant.mlir <<'END'
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0, %n : tensor<2xf32>, tensor<i32>
}
END
python3 - <<'END'
import struct, zipfile
def npy(descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head += ' ' * (-(len(head) + 11) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data
def save(name, result, more={}):
    arrays = {'in0': npy('<f4', '(2,)', struct.pack('<2f', 1, float('inf'))), 'n': npy('<i4', '()', struct.pack('<i', 7)),
              'out0': npy('<f4', '(2,)', struct.pack('<2f', result, float('inf'))), 'out1': npy('<i4', '()', struct.pack('<i', 7))} | more
    with zipfile.ZipFile(name, 'w') as z:
        for key, value in arrays.items():
            if value: z.writestr(key + '.npy', value)
save('twice.io.npz', 2)
save('near.npz', 2.00015)
save('wrong.npz', 3)
save('missing.npz', 2, {'in0': None})
save('shape.npz', 2, {'in0': npy('<f4', '(3,)', struct.pack('<3f', 1, 2, 3))})
END
expect 0 '1 passed, 0 failed' "$partita" check twice.variant.mlir
expect 0 '1 passed, 0 failed' "$partita" check twice.variant.mlir --io near.npz
expect 1 'out0 of type tensor<2xf32>: expected 3 at [0], found 2' "$partita" check twice.variant.mlir --io wrong.npz
expect 1 '0 passed, 1 failed' "$partita" check twice.variant.mlir --io near.npz --rtol 0
expect 0 '1 passed, 0 failed' "$partita" check twice.variant.mlir --io wrong.npz --atol 1
expect 2 'in0' "$partita" check twice.variant.mlir --io missing.npz
expect 2 'in0' "$partita" check twice.variant.mlir --io shape.npz
expect 2 'absent.npz' "$partita" check twice.variant.mlir --io absent.npz
expect 2 '--target: expected all or one of the targets built in (interpreter' "$partita" check good.mlir --target cuda

# Bad programs: one line, the place, no output file.
printf 'func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n  %%0 = stablehlo.frobnicate %%x : tensor<2xf32>\n}\n' >unknown.mlir
expect 2 'error: unknown.mlir:2:8: stablehlo.frobnicate: unknown or unsupported op' "$partita" check unknown.mlir
expect 2 'error: unknown.mlir:2:8:' "$partita" opt unknown.mlir -o out.mlir
[[ ! -e out.mlir ]]
expect 2 'absent.mlir' "$partita" check absent.mlir
printf 'func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %%x : tensor<2xf32>\n}\n' >nothing.mlir
expect 2 'nothing.mlir: expected check.* ops' "$partita" check nothing.mlir

# opt prints canonical text, which it reads again.
"$partita" opt good.mlir -o once.mlir
"$partita" opt once.mlir >twice.mlir
cmp once.mlir twice.mlir
expect 0 '3 passed, 0 failed' "$partita" check once.mlir
expect 2 'no-such-pass' "$partita" opt good.mlir --passes 'no-such-pass'
expect 2 'expected --passes or --pipeline, found both' "$partita" opt good.mlir --passes inline --pipeline frontend
expect 2 'expected a writable file' "$partita" opt good.mlir -o /nonexistent/out.mlir
expect 2 'recurs' "$partita" opt <(printf 'func.func @f() {\n  func.call @f() : () -> ()\n  return\n}\n')
echo "all as expected"

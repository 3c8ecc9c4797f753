#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# `partita check --poison` passes what is right on every target that is there, and finds machine code that leaves elements
# unwritten or writes outside of its array: a compiler that changes the bounds of loops stands for one with such a fault.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
export PARTITA_CACHE_DIR=

# expect STATUS TEXT COMMAND...: exit status, and a line that holds the text.
expect() {
  local status=$1 text=$2 found=0
  shift 2
  "$@" >log 2>&1 || found=$?
  [[ $found == "$status" ]] || failed "$*: expected status $status, found $found"
  grep -qF -- "$text" log || failed "$*: no '$text'"
}

cat >squares.mlir <<'TEXT'
func.func @squares() {
  %x = stablehlo.iota dim = 0 : tensor<37xf32>
  %y = stablehlo.multiply %x, %x : tensor<37xf32>
  check.expect_eq %y, %y : tensor<37xf32>
  return
}
TEXT

# Several kernels, a loop, temporaries that are not alive together.
cat >good.mlir <<'TEXT'
func.func @products() {
  %x = stablehlo.iota dim = 0 : tensor<16x16xf32>
  %scale = stablehlo.constant dense<0.0625> : tensor<16x16xf32>
  %y = stablehlo.multiply %x, %scale : tensor<16x16xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%n = %zero, %v = %y) : tensor<i32>, tensor<16x16xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.compare LT, %n, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %p = stablehlo.dot_general %v, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = stablehlo.reverse %p, dims = [0] : tensor<16x16xf32>
    %t = stablehlo.tanh %q : tensor<16x16xf32>
    %0 = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %0, %t : tensor<i32>, tensor<16x16xf32>
  }
  %three = stablehlo.constant dense<3> : tensor<i32>
  check.expect_eq %r#0, %three : tensor<i32>
  check.expect_eq %r#1, %r#1 : tensor<16x16xf32>
  return
}
TEXT

expect 2 '--poison: expected a compiled target, found interpreter' "$partita" check --poison good.mlir
expect 2 '--poison: expected a compiled target, found interpreter' "$partita" check --poison --target interpreter good.mlir
! has_device || expect 0 '2 passed, 0 failed' "$partita" check --poison --target opencl good.mlir squares.mlir

compiler=${PARTITA_CC:-cc}
command -v "$compiler" >/dev/null || { echo "no C compiler: target cpu is left out"; exit 77; }
expect 0 '2 passed, 0 failed' "$partita" check --poison --target cpu good.mlir squares.mlir
expect 0 '2 passed, 0 failed' env PARTITA_CC=/nowhere/cc "$partita" check --poison --target cpu good.mlir squares.mlir

# faulty NAME EXPRESSION: a compiler that edits the C first; fails where there is nothing to edit.
faulty() {
  cat >"$1" <<TEXT
#!/usr/bin/env bash
sed -i -E '$2
t changed
b
: changed
w changed.txt' 0.c
[[ -s changed.txt ]] || { echo "nothing to change in the text"; exit 1; }
exec $compiler "\$@"
TEXT
  chmod +x "$1"
}
# The kernel's loop is `for (i32 k0 = s0; k0 < v0; ++k0)`.
faulty short 's/k0 < v0;/k0 < v0 - 1;/'
faulty long 's/k0 < v0;/k0 <= v0;/'
faulty early 's/k0 = s0;/k0 = s0 - 2;/'
check() { env PARTITA_CC="$work/$1" "$partita" check --poison --target cpu squares.mlir; }

expect 1 'out0 depends on memory that nothing has written (each temporary in memory of its own): element' \
  check short
grep -qF 'of tensor<37xf32> is another where memory is filled with 0xff and with 0x2a' log || failed "no place"
grep -qF '0 passed, 1 failed' log || failed "no count"
expect 70 'poisoned memory: something wrote 1 bytes behind output 0' check long
expect 70 'poisoned memory: something wrote 8 bytes before output 0' check early
echo "all as expected"

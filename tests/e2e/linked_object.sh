#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# The example linked_object as its README says, the same from C text, and what --emit object and --emit c refuse.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
example=$PARTITA_SOURCE_DIR/examples/linked_object
program=$PARTITA_SOURCE_DIR/examples/c_host/average.mlir
export PARTITA_CACHE_DIR=$work/cache
cd "$work"

"$partita" compile "$program" -o average.o --target cpu --emit object >log
grep -qx "links with libc, libm" log
mkdir again
PARTITA_CACHE_DIR='' "$partita" compile "$program" -o again/average.o --target cpu --emit object >log
cmp average.o again/average.o
cmp average.h again/average.h
cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I. "$example/main.c" average.o -o average -lm -lpthread
[[ $(./average) == "model: 2 3 4 5" ]]
[[ $(./average 3) == "model: 3.5 4.5 5.5 6.5" ]]
[[ $(./average 3 threads) == "model: 3.5 4.5 5.5 6.5" ]]

# C text needs a compiler only when it becomes an object, with the flags that it names.
mkdir c
PARTITA_CC=/nowhere/cc "$partita" compile "$program" -o c/average.c --target cpu --emit c >log
grep -qx "links with libc, libm" log
cmp average.h c/average.h
flags() { sed -n 's|^ \* flags: \(.*\) \*/$|\1|p' "$1"; }
# shellcheck disable=SC2046  # words
cc $(flags c/average.c) -c c/average.c -o c/average.o
cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Ic "$example/main.c" c/average.o -o c/average -lm -lpthread
[[ $(./c/average 3 threads) == "model: 3.5 4.5 5.5 6.5" ]]

# A loop that is a step function, and constants.
cat >turns.mlir <<'TEXT'
func.func public @main(%x: tensor<5xi32>) -> tensor<5xi32> {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %n = %none) : tensor<5xi32>, tensor<i32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %more = stablehlo.compare LT, %n, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %by = stablehlo.constant dense<[7, -20, 300, -4000, 50000]> : tensor<5xi32>
    %c = stablehlo.add %a, %by : tensor<5xi32>
    %m = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %c, %m : tensor<5xi32>, tensor<i32>
  }
  return %r#0 : tensor<5xi32>
}
TEXT
cat >host.c <<'TEXT'
#include <stdio.h>
#include "turns.h"
int main(void) {
  const int32_t x[TURNS_MAIN_X_COUNT] = {1, 2, 3, 4, 5};
  int32_t y[TURNS_MAIN_OUT0_COUNT];
  if (turns_main(x, y, 0, 0) != TURNS_OK) return 1;
  for (int k = 0; k < TURNS_MAIN_OUT0_COUNT; ++k) printf("%d ", (int)y[k]);
  return 0;
}
TEXT
for form in c o; do
  emit=object
  [[ $form == o ]] || emit=c
  "$partita" compile turns.mlir -o turns.$form --target cpu --emit $emit >log
  # shellcheck disable=SC2046
  cc $([[ $form == o ]] || flags turns.c) host.c turns.$form -o turns -lm
  [[ $(./turns) == "22 -58 903 -11996 150005 " ]]
done
grep -q "partita_steps_0" turns.c
grep -q "partita_constants\[\] = {" turns.c

refused 2 "target cpu|opencl" "$partita" compile "$program" -o out/a.o --target opencl --emit object
refused 2 "target cpu|opencl" "$partita" compile "$program" -o out/a.c --target opencl --emit c
refused 2 "one instruction set|2" "$partita" compile "$program" -o out/a.c --target cpu --emit c --cpu x86-64-v2,x86-64-v3
refused 2 "--output|a.h" "$partita" compile "$program" -o out/a.h --target cpu --emit c
refused 2 "missing" "$partita" compile "$program" -o out/a.c --target cpu --emit c --function missing
refused 2 "one instruction set|2" "$partita" compile "$program" -o out/a.o --target cpu --emit object --cpu x86-64-v2,x86-64-v3
refused 2 "--cpu|none such" "$partita" compile "$program" -o out/a.o --target cpu --emit object --cpu "none such"
refused 2 "--emit|artifact, object or c|text" "$partita" compile "$program" -o out/a.o --target cpu --emit text
refused 2 "--output|a.h" "$partita" compile "$program" -o out/a.h --target cpu --emit object
refused 2 "missing" "$partita" compile "$program" -o out/a.o --target cpu --emit object --function missing
refused 3 "C compiler" env PARTITA_CC=/nowhere/cc "$partita" compile "$program" -o out/a.o --target cpu --emit object
echo 'func.func private @f() { return }' >private.mlir
refused 2 "public function" "$partita" compile private.mlir -o out/a.o --target cpu --emit object
echo 'func.func @"a-b"() { return } func.func @a_b() { return }' >alike.mlir
refused 2 "one public function|--emit c|found 2|--function" "$partita" compile alike.mlir -o out/alike.c --target cpu --emit c
refused 2 "C names differ|alike_a_b" "$partita" compile alike.mlir -o out/alike.o --target cpu --emit object
finish_refusals

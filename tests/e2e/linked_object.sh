#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# The example linked_object as its README says, and what --emit object refuses.
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

refused 2 "target cpu|opencl" "$partita" compile "$program" -o out/a.o --target opencl --emit object
refused 2 "one instruction set|2" "$partita" compile "$program" -o out/a.o --target cpu --emit object --cpu x86-64-v2,x86-64-v3
refused 2 "--cpu|none such" "$partita" compile "$program" -o out/a.o --target cpu --emit object --cpu "none such"
refused 2 "--emit|artifact or object|text" "$partita" compile "$program" -o out/a.o --target cpu --emit text
refused 2 "--output|a.h" "$partita" compile "$program" -o out/a.h --target cpu --emit object
refused 2 "missing" "$partita" compile "$program" -o out/a.o --target cpu --emit object --function missing
refused 3 "C compiler" env PARTITA_CC=/nowhere/cc "$partita" compile "$program" -o out/a.o --target cpu --emit object
echo 'func.func private @f() { return }' >private.mlir
refused 2 "public function" "$partita" compile private.mlir -o out/a.o --target cpu --emit object
echo 'func.func @"a-b"() { return } func.func @a_b() { return }' >alike.mlir
refused 2 "C names differ|alike_a_b" "$partita" compile alike.mlir -o out/alike.o --target cpu --emit object
finish_refusals

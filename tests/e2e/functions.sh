#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 240
#
# Several functions of a program in one artifact: each runs as when it is compiled alone, constants are there once.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"
python3 - >program.mlir <<'PYTHON'
import struct

weights = struct.pack("<256f", *(k / 7 for k in range(256))).hex().upper()
constant = f'%w = stablehlo.constant dense<"0x{weights}"> : tensor<16x16xf32>'
product = "%y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32>"
print(f"""
func.func public @forward(%x: tensor<3x16xf32>) -> tensor<3x16xf32> {{
  {constant}
  {product}
  return %y : tensor<3x16xf32>
}}
func.func public @twice(%x: tensor<3x16xf32>) -> (tensor<3x16xf32> {{jax.result_info = "y"}}) {{
  {constant}
  {product}
  %z = stablehlo.add %y, %y : tensor<3x16xf32>
  return %z : tensor<3x16xf32>
}}
func.func public @count() -> tensor<i32> {{
  %n = stablehlo.constant dense<48> : tensor<i32>
  return %n : tensor<i32>
}}
""")
PYTHON

for target in cpu opencl; do
  "$partita" compile program.mlir -o all.pta --target "$target" --function forward,twice,count >log
  grep -c '^function ' log | grep -qx 3
  "$partita" inspect all.pta | grep -qx 'function forward; others: twice count'
  # The matrix is held once.
  python3 -c 'import sys, zipfile; sizes = [i.file_size for i in zipfile.ZipFile("all.pta").infolist() if i.filename.startswith("constants/")]; sys.exit(sizes.count(1024) != 1)'
  for function in forward twice count; do
    "$partita" compile program.mlir -o one.pta --target "$target" --function "$function" >log
    "$partita" run one.pta --inputs random:3 --outputs expected.npz
    "$partita" run all.pta --inputs random:3 --outputs found.npz --function "$function"
    cmp expected.npz found.npz
    "$partita" inspect all.pta --function "$function" >alone
    diff <(grep -v ' hash ' alone) <("$partita" inspect one.pta | grep -v ' hash ')
  done
  # The first is meant where none is named.
  "$partita" run one.pta --outputs expected.npz
  "$partita" run all.pta --inputs random:3 --outputs found.npz
  "$partita" run all.pta --inputs random:3 --outputs expected.npz --function forward
  cmp expected.npz found.npz
done

unknown="function 'test': expected one of 'forward', 'twice', 'count'"
refused 2 "$unknown" "$partita" run all.pta --function test
refused 2 "$unknown" "$partita" inspect all.pta --function test
compile=("$partita" compile program.mlir -o "$out/no.pta" --target cpu --function)
refused 2 "--function: expected NAME or NAME,NAME,…, found 'forward,'" "${compile[@]}" forward,
refused 2 "expected functions of distinct names, found 'twice' twice" "${compile[@]}" twice,twice
refused 2 "--dump-after: expected one --function, found 2" "${compile[@]}" twice,count --dump-after all
refused 2 "expected a function @test" "${compile[@]}" twice,test
finish_refusals

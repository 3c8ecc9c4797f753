#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 360
#
# `partita prebuild` and `compile --prebuild`: an artifact with its kernels as machine code of this machine's device gives what
# it gives without, of all functions and in both classes of kernels, and nothing is compiled in the run.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"
cat >p.mlir <<'MLIR'
func.func public @main(%x: tensor<37x53xf32>, %w: tensor<53x29xf32>) -> (tensor<37x29xf32>, tensor<53xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<37x53xf32>, tensor<53x29xf32>) -> tensor<37x29xf32>
  %t = stablehlo.tanh %y : tensor<37x29xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<37x53xf32>, tensor<f32>) -> tensor<53xf32>
  return %t, %s : tensor<37x29xf32>, tensor<53xf32>
}
func.func public @loop(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<1000xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %v2 = stablehlo.sine %v : tensor<1000xf32>
    stablehlo.return %j, %v2 : tensor<i32>, tensor<1000xf32>
  }
  return %r#1 : tensor<1000xf32>
}
func.func public @nothing() -> tensor<i32> {
  %n = stablehlo.constant dense<48> : tensor<i32>
  return %n : tensor<i32>
}
MLIR
"$partita" compile p.mlir -o cpu.pta --target cpu --tier 0 >log
refused 2 "expected an artifact whose kernels are text|cpu" "$partita" prebuild cpu.pta -o "$out/x.pta"
refused 2 "expected an artifact whose kernels are text|cpu" "$partita" compile p.mlir -o "$out/x.pta" --target cpu --tier 0 --prebuild
refused 2 "--prebuild: expected --emit artifact, found c" "$partita" compile p.mlir -o "$out/x.c" --target cpu --emit c --prebuild
refused 2 "nowhere.pta" "$partita" prebuild nowhere.pta -o "$out/x.pta"
refused 2 "/nonexistent" "$partita" prebuild cpu.pta -o /nonexistent/x.pta
"$partita" compile p.mlir -o text.pta --target opencl --function main,loop,nothing >log
cp text.pta before.pta
refused 3 "pocl-opencl-icd" env OCL_ICD_VENDORS=/nonexistent "$partita" prebuild text.pta
cmp text.pta before.pta
has_device || { finish_refusals; exit 77; }

"$partita" prebuild text.pta -o built.pta --jobs 1 | tee log
grep -q '^prebuilt [0-9]* kernels for ' log
cmp text.pta before.pta
"$partita" compile p.mlir -o at_once.pta --target opencl --function main,loop,nothing --prebuild >log
grep -q '^prebuilt [0-9]* kernels for ' log
"$partita" inspect built.pta | grep -q '^machine code .*\.bin'

# same FUNCTION ARTIFACT: a run with empty caches gives what the text gives, and PoCL compiles nothing.
same() {
  local pocl=$work/pocl
  rm -rf "$pocl"
  mkdir "$pocl"
  "$partita" run text.pta --inputs random:3 --outputs expected.npz --function "$1"
  env PARTITA_CACHE_DIR= POCL_CACHE_DIR="$pocl" POCL_DEBUG=all \
    "$partita" run "$2" --inputs random:3 --outputs found.npz --function "$1" 2>said.txt
  cmp expected.npz found.npz
  ! grep -E 'Built a .* WG function|building from sources' said.txt || { echo "FAILED: $2 $1: compiled in the run"; exit 1; }
}
for function in main loop nothing; do
  same "$function" built.pta
  same "$function" at_once.pta
done
# That is what PoCL says where it does.
POCL_CACHE_DIR=$(mktemp -d -p "$work") POCL_DEBUG=all "$partita" run text.pta --inputs random:3 2>said.txt >log
if grep -q 'PoCL.*POCL_DEBUG' "$work/devices.txt"; then
  grep -q 'Built a .* WG function' said.txt
  grep -q 'building from sources' said.txt
fi

# The variant for GPUs has binaries of its own beside those of the first.
cp built.pta both.pta
export PARTITA_OPENCL_CLASS=gpu
"$partita" prebuild both.pta >log
for function in main loop nothing; do same "$function" both.pta; done
unset PARTITA_OPENCL_CLASS
for function in main loop nothing; do same "$function" both.pta; done
# Again: nothing is there twice.
files() { python3 -c 'import sys, zipfile; print(*(i.filename for i in zipfile.ZipFile(sys.argv[1]).infolist()), sep="\n")' "$1"; }
cp built.pta again.pta
"$partita" prebuild again.pta >log
diff <(files built.pta) <(files again.pta)
finish_refusals

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
#
# Target cpu as a user sees it: the same program gives the same artifact with and without a cache, levels are listed and
# chosen, damaged cache entries are compiled anew, the cache alone is enough where there is no compiler, shards and threads
# and ranks give one result.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
export PARTITA_CACHE_DIR=$work/cache

cat >round.mlir <<'TEXT'
module attributes {mr.placements = {clients = 5}} {
  func.func public @main(%model: tensor<24x10xf32>, %data: tensor<5x20x24xf32>) -> (tensor<24x10xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %m = "mr.broadcast"(%model) {placement = "clients"} : (tensor<24x10xf32>) -> tensor<5x24x10xf32>
    %d = "mr.map"(%m, %data) ({
    ^bb0(%w: tensor<24x10xf32>, %x: tensor<20x24xf32>):
      %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<20x24xf32>, tensor<24x10xf32>) -> tensor<20x10xf32>
      %t = stablehlo.tanh %y : tensor<20x10xf32>
      %g = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0] : (tensor<20x24xf32>, tensor<20x10xf32>) -> tensor<24x10xf32>
      "mr.return"(%g) : (tensor<24x10xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<5x24x10xf32>, tensor<5x20x24xf32>) -> tensor<5x24x10xf32>
    %s = "mr.reduce_mean"(%d) {placement = "clients"} : (tensor<5x24x10xf32>) -> tensor<24x10xf32>
    %n = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x10xf32>, tensor<f32>) -> tensor<f32>
    return %s, %n : tensor<24x10xf32>, tensor<f32>
  }
}
TEXT
compile() { quiet "$partita" compile round.mlir --target cpu "$@"; }

compile -o one.pta
compile -o warm.pta
cmp one.pta warm.pta || failed "the artifact from the cache differs"
quiet env PARTITA_CACHE_DIR= TMPDIR=/var/tmp "$partita" compile round.mlir --target cpu -o cold.pta
cmp one.pta cold.pta || failed "the artifact without a cache differs"
entries=("$work"/cache/cpu/*.so)
[[ ${#entries[@]} == 1 ]] || failed "expected one cache entry, found ${entries[*]}"

# Two programs loaded in one process keep their own kernels.
cat >other.mlir <<'TEXT'
module {
  func.func public @main(%x: tensor<7x3xf32>) -> tensor<7x3xf32> {
    %y = stablehlo.exponential %x : tensor<7x3xf32>
    return %y : tensor<7x3xf32>
  }
}
TEXT
quiet "$partita" bench --target cpu --compiles 1 --rounds 1 round.mlir other.mlir

# A damaged entry is compiled anew; a missing compiler is said.
head -c 1000 "${entries[0]}" >cut && mv cut "${entries[0]}"
compile -o again.pta
cmp one.pta again.pta || failed "the artifact after a damaged entry differs"
if PARTITA_CC=/nowhere/cc "$partita" compile round.mlir --target cpu --tier 1 -o none.pta >log 2>&1; then failed "no compiler"; fi
grep -q "PARTITA_CC: expected a C compiler" log || failed "no compiler"

# The artifact alone runs where there is no compiler and no cache.
quiet env PARTITA_CC=/nowhere/cc PARTITA_CACHE_DIR= "$partita" run one.pta --inputs random:3 --outputs default.npz
for devices in 1 2 3; do
  quiet "$partita" run one.pta --inputs random:3 --devices-per-rank $devices --check-replicas --outputs d$devices.npz
  quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" default.npz d$devices.npz
done
quiet on_ranks 2 "$partita" run one.pta --inputs random:3 --check-replicas --outputs ranks.npz
quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" default.npz ranks.npz
for options in "--layout loop" "--layout batch:2" "--gemm generated" "--gemm library"; do
  # shellcheck disable=SC2086  # several words
  compile -o other.pta $options
  quiet "$partita" run other.pta --inputs random:3 --outputs other.npz
  quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" default.npz other.npz
done

# Without a compiler there is lane code, which gives the same on shards and ranks.
PARTITA_CC=/nowhere/cc compile -o lanes.pta
compile -o tier0.pta --tier 0
cmp lanes.pta tier0.pta || failed "lane code with and without a compiler differs"
quiet env PARTITA_CC=/nowhere/cc "$partita" run lanes.pta --inputs random:3 --check-replicas --outputs lanes.npz
quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" default.npz lanes.npz
quiet on_ranks 2 "$partita" run lanes.pta --inputs random:3 --check-replicas --outputs ranks.npz
quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" lanes.npz ranks.npz
if "$partita" compile round.mlir --target cpu --tier 2 -o none.pta >log 2>&1; then failed "tier 2"; fi
grep -q "error: --tier: expected 0, 1 or auto" log || failed "tier 2"

# Levels: each asked for is in the artifact.
if [[ $(uname -m) == x86_64 ]]; then
  compile -o levels.pta --cpu x86-64-v2,x86-64-v3 --cpu x86-64-v3
  quiet python3 - <<'TEXT'
import json, zipfile
archive = zipfile.ZipFile("levels.pta")
assert json.loads(archive.read("manifest.json"))["binaries"] == ["x86-64-v2", "x86-64-v3"]
for level in ("v2", "v3"):
    assert archive.read(f"cpu/module_x86-64-{level}.so")[:4] == b"\x7fELF"
TEXT
  compile -o v2.pta --cpu x86-64-v2
  quiet "$partita" run v2.pta --inputs random:3 --outputs v2.npz
  quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" default.npz v2.npz

  # Products of bf16 give the same where the library multiplies bf16 and where it does not.
  cat >halves.mlir <<'TEXT'
module {
  func.func public @main(%x: tensor<3x37x129xbf16>, %w: tensor<3x65x129xbf16>) -> (tensor<3x37x65xf32>, tensor<3x65x65xbf16>) {
    %y = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x37x129xbf16>, tensor<3x65x129xbf16>) -> tensor<3x37x65xf32>
    %z = stablehlo.dot_general %w, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x65x129xbf16>, tensor<3x65x129xbf16>) -> tensor<3x65x65xbf16>
    return %y, %z : tensor<3x37x65xf32>, tensor<3x65x65xbf16>
  }
}
TEXT
  quiet "$partita" compile halves.mlir -o v3.pta --target cpu --tier 0 --cpu x86-64-v3
  quiet "$partita" compile halves.mlir -o v4.pta --target cpu --tier 0 --cpu x86-64-v4
  "$partita" inspect v4.pta >log
  grep -q "GEMM bf16 to f32 37x65x129" log || failed "no product of bf16"
  quiet "$partita" run v3.pta --inputs random:3 --outputs wide.npz
  for isa in ALL AVX512_CORE AVX2; do
    quiet env DNNL_MAX_CPU_ISA=$isa "$partita" run v4.pta --inputs random:3 --outputs half.npz
    quiet python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" half.npz wide.npz --rtol 1e-2
  done
fi

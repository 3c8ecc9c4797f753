#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
# processors: 2
#
# `partita tune --quick` writes a file that `compile --tuning` decides by; results stay what they were; bad files and
# options are one line.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"
has_device || exit 77


cat >p.mlir <<'MLIR'
func.func @main(%x: tensor<5x40x30xf32>, %w: tensor<5x50x30xf32>) -> tensor<5x40x50xf32> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<5x40x30xf32>, tensor<5x50x30xf32>) -> tensor<5x40x50xf32>
  return %0 : tensor<5x40x50xf32>
}
MLIR

quiet "$partita" tune --quick -o quick.json
grep -q '"version": 1' quick.json || failed "expected a version in the file"
grep -q '"median_ns"' quick.json || failed "expected times in the file"
(($(grep -c '"library": {"median_ns"' quick.json) == 3)) || failed "expected the library at 3 shapes"
quiet "$partita" tune --quick --no-library --shapes 40x50x30x5:nt:f32,9x7x64:tn -o shapes.json
grep -q '"form":"tn","m":9,"n":7,"k":64' shapes.json || failed "expected the shape that was asked for"

# The same results with and without, the same bytes twice.
quiet "$partita" compile p.mlir -o rules.pta --target opencl
quiet "$partita" run rules.pta --inputs random:3 --outputs rules.npz
for file in quick.json shapes.json; do
  quiet "$partita" compile p.mlir -o tuned.pta --target opencl --tuning "$file"
  grep -q '^tuning given file, hash' log || failed "$file: expected the summary to name the file's hash"
  grep -q '^contraction dot_5x40x50x30: generated.*GFLOP/s' log || failed "$file: expected the choice in numbers"
  mkdir -p elsewhere
  cp "$file" elsewhere/copy.json
  quiet "$partita" compile p.mlir -o again.pta --target opencl --tuning elsewhere/copy.json
  cmp tuned.pta again.pta || failed "$file: expected the same artifact twice"
  quiet "$partita" run tuned.pta --inputs random:3 --outputs tuned.npz
  python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" rules.npz tuned.npz >log 2>&1 ||
    failed "$file: expected the same results"
done
quiet "$partita" inspect tuned.pta
grep -q 'tuning = given file, hash' log || failed "inspect: expected the tuning"
quiet "$partita" compile p.mlir -o local.pta --target opencl --device local
quiet "$partita" compile p.mlir -o local.pta --target opencl --device local --tuning quick.json

compile() { # compile WORDS OPTION...
  local words=$1
  shift
  refused 2 "$words" "$partita" compile p.mlir -o "$out/p.pta" "$@"
}
head -c 500 quick.json >short.json
sed 's/"version": 1/"version": 7/' quick.json >newer.json
echo '{"a": 1}' >foreign.json
: >empty.json
compile "short.json|expected JSON" --target opencl --tuning short.json
compile "newer.json|found version 7 (a newer partita wrote it)" --target opencl --tuning newer.json
compile "foreign.json|another JSON document" --target opencl --tuning foreign.json
compile "empty.json|expected JSON" --target opencl --tuning empty.json
compile "rules.pta|expected JSON" --target opencl --tuning rules.pta
compile "nowhere.json" --target opencl --tuning nowhere.json
compile "expected a file for target cpu, found one for opencl" --target cpu --tuning quick.json
compile "expected a file for the device 'pocl-avx2'" --target opencl --device pocl-avx2 --tuning quick.json
compile "--device: expected generic, local,|found 'abacus'" --target opencl --device abacus --tuning quick.json
sed 's/"covers": \[/&"abac",/' quick.json >covering.json
quiet "$partita" compile p.mlir -o covered.pta --target opencl --device abacus --tuning covering.json
refused 2 "--shapes: expected MxNxK[xB]|found '3x4'" "$partita" tune --shapes 3x4 -o "$out/t.json"
refused 2 "--device: expected local or a number below|found 99" "$partita" tune --device 99 -o "$out/t.json"
refused 2 "--device: expected a number|found x" "$partita" tune --device x -o "$out/t.json"
refused 2 "nowhere" "$partita" tune --quick -o nowhere/t.json
finish_refusals

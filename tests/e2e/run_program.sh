#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# `partita run` of a program: compiled first, by the tier that takes less time, with the results of its artifact.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
export PARTITA_CACHE_DIR=
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/p.mlir" <<'END'
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = stablehlo.multiply %x, %x : tensor<3x5xf32>
  %z = stablehlo.add %y, %x : tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}
END
"$partita" compile "$folder/p.mlir" -o "$folder/p.pta" --target cpu --tier 1
"$partita" run "$folder/p.pta" --inputs random:7 --outputs "$folder/expected.npz"
for words in "" "--tier 0" "--tier 1" "--rounds 3 --repeat 2"; do
  # shellcheck disable=SC2086
  "$partita" run "$folder/p.mlir" --inputs random:7 --outputs "$folder/found.npz" $words
  cmp "$folder/expected.npz" "$folder/found.npz"
done
# Without a compiler to be found a single run needs none; many runs of `compile --runs` ask for it.
"$partita" compile "$folder/p.mlir" -o "$folder/few.pta" --target cpu --runs 1
grep -aq cpu/lanes.json "$folder/few.pta"
"$partita" compile "$folder/p.mlir" -o "$folder/many.pta" --target cpu --runs 1000000
grep -aq cpu/module_ "$folder/many.pta"
status=0
"$partita" run "$folder/p.mlir" --inputs random --tier 2 2>"$folder/error" || status=$?
[ "$status" -eq 2 ]
grep -q -- "--tier: expected 0, 1 or auto" "$folder/error"

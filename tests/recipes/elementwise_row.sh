#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 1500
# processors: 2
#
# An elementwise op is one row: a copy of the sources gets one more row and nothing else, and the new op parses, runs on
# the interpreter and on OpenCL, has its gradient in the table, passes the tests of rows and is in the documents.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$PARTITA_SOURCE_DIR"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -t "$work"
else
  tar c --exclude=./build . | tar x -C "$work"
fi
cd "$work"

python3 - <<'PY'
path = "scalar/elementwise.def"
text = open(path).read()
row = '''PARTITA_ROW(softsign, "chlo.softsign", unary,
   ON(floating, x / (K(1) + fabs(x))),
   GRAD(g / square(K(1) + abs(x))),
   range(-3, 3), 3, "x over 1 plus its absolute value.")

'''
before = "PARTITA_ROW(sqrt,"
assert text.count(before) == 1
open(path, "w").write(text.replace(before, row + before))
PY

# Unoptimised: nothing here is about speed.
cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= >configure.log || { cat configure.log; exit 1; }
cmake --build build --target partita test_ops test_codegen >build.log || { tail -n 40 build.log; exit 1; }

echo "== text, interpreter, OpenCL"
cat >softsign.mlir <<'MLIR'
func.func @softsign_f32() {
  %x = stablehlo.constant dense<[-3.0, -1.0, 0.0, 1.0, 3.0, 0x7FC00000]> : tensor<6xf32>
  %y = chlo.softsign %x : tensor<6xf32> -> tensor<6xf32>
  check.expect_almost_eq_const %y, dense<[-0.75, -0.5, 0.0, 0.5, 0.75, 0x7FC00000]> : tensor<6xf32>
  return
}
func.func @softsign_bf16() {
  %x = stablehlo.constant dense<[-1.0, 3.0]> : tensor<2xbf16>
  %y = chlo.softsign %x : tensor<2xbf16> -> tensor<2xbf16>
  check.expect_almost_eq_const %y, dense<[-0.5, 0.75]> : tensor<2xbf16>
  return
}
MLIR
target=all
"$PARTITA_BIN_DIR/partita" devices >/dev/null 2>&1 || target=interpreter
build/bin/partita check --target "$target" softsign.mlir
build/bin/partita opt softsign.mlir | grep -q 'chlo.softsign'

echo "== the tests of rows"
PARTITA_UPDATE_DOCS=1 build/bin/test_ops --gtest_brief=1 --gtest_filter='Elementwise*:OpsDocument.*'

echo "== documents"
PARTITA_UPDATE_DOCS=1 build/bin/test_codegen --gtest_brief=1 --gtest_filter='SupportDocument.*'
grep -F '| softsign | chlo.softsign | T(T) | f16 bf16, f32 f64 | `g / square(K(1) + abs(x))` |' docs/ops.md
grep -F '| chlo.softsign |' docs/support.md

echo "== nothing else was edited"
for file in $(cd "$PARTITA_SOURCE_DIR" && git ls-files 2>/dev/null || true); do
  [[ -e $PARTITA_SOURCE_DIR/$file ]] || continue
  cmp -s "$PARTITA_SOURCE_DIR/$file" "$file" || echo "$file"
done | { grep -vxE 'scalar/elementwise.def|docs/(ops|support).md' && exit 1 || true; }

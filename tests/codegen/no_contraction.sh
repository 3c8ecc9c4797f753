#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 270
#
# gcc makes no fused products and sums of a*b-c, a*b+c side by side, which it does with -ffp-contract=off too, and results
# do not depend on how items are split over threads, which they did as items left over were computed without
# (docs/decisions/0011-promises-of-generated-code.md).  Without the barriers around products there are such instructions.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=tests/e2e/_device.sh
source "$PARTITA_SOURCE_DIR/tests/e2e/_device.sh"
cd "$work"
export PARTITA_CACHE_DIR=
compiler=${PARTITA_CC:-cc}
[[ $(uname -m) == x86_64 ]] || { echo "skipped: the instruction set is one of x86-64"; exit 77; }
command -v objdump >/dev/null || { echo "skipped: objdump is not installed"; exit 77; }
command -v "$compiler" >/dev/null || { echo "skipped: no C compiler"; exit 77; }

cat >products.mlir <<'TEXT'
func.func @main(%x: tensor<9x240xcomplex<f64>>, %y: tensor<9x240xcomplex<f64>>, %u: tensor<9x240xcomplex<f32>>, %v: tensor<9x240xcomplex<f32>>, %a: tensor<4099xf64>, %b: tensor<4099xf64>, %c: tensor<4099xf64>, %t: tensor<240x9xcomplex<f64>>) -> (tensor<9x240xcomplex<f64>>, tensor<9x240xcomplex<f32>>, tensor<9x240xcomplex<f64>>, tensor<9x240xcomplex<f32>>, tensor<9x240xcomplex<f64>>, tensor<4099x2xf64>, tensor<240x9xcomplex<f64>>) {
  %0 = stablehlo.multiply %x, %y : tensor<9x240xcomplex<f64>>
  %1 = stablehlo.multiply %u, %v : tensor<9x240xcomplex<f32>>
  %2 = stablehlo.fft %x, type = FFT, length = [240] : (tensor<9x240xcomplex<f64>>) -> tensor<9x240xcomplex<f64>>
  %3 = stablehlo.fft %u, type = FFT, length = [240] : (tensor<9x240xcomplex<f32>>) -> tensor<9x240xcomplex<f32>>
  %4 = stablehlo.divide %x, %y : tensor<9x240xcomplex<f64>>
  %p = stablehlo.multiply %a, %b : tensor<4099xf64>
  %m = stablehlo.subtract %p, %c : tensor<4099xf64>
  %n = stablehlo.add %p, %c : tensor<4099xf64>
  %mc = stablehlo.reshape %m : (tensor<4099xf64>) -> tensor<4099x1xf64>
  %nc = stablehlo.reshape %n : (tensor<4099xf64>) -> tensor<4099x1xf64>
  %5 = stablehlo.concatenate %mc, %nc, dim = 1 : (tensor<4099x1xf64>, tensor<4099x1xf64>) -> tensor<4099x2xf64>
  %6 = stablehlo.fft %t, type = FFT, length = [240, 9] : (tensor<240x9xcomplex<f64>>) -> tensor<240x9xcomplex<f64>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<9x240xcomplex<f64>>, tensor<9x240xcomplex<f32>>, tensor<9x240xcomplex<f64>>, tensor<9x240xcomplex<f32>>, tensor<9x240xcomplex<f64>>, tensor<4099x2xf64>, tensor<240x9xcomplex<f64>>
}
TEXT

# compile NAME: NAME.pta, and NAME.LEVEL with the fused instructions of each level's machine code.
compile() {
  local level
  quiet "$partita" compile products.mlir -o "$1.pta" --target cpu --tier 1 --cpu x86-64-v3,x86-64-v4
  for level in v3 v4; do
    python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
      "$1.pta" "cpu/module_x86-64-$level.so" >module.so
    objdump -d module.so >code.txt
    grep -q 'vmulpd' code.txt || { echo "FAILED: $1, $level: no products in vectors"; exit 1; }
    grep -oE 'vfm(addsub|subadd)[0-9a-z]*' code.txt | sort | uniq -c >"$1.$level" || true
  done
}

compile products
for level in v3 v4; do
  [[ ! -s products.$level ]] || { echo "FAILED: $level: fused products:"; cat "products.$level"; exit 1; }
done

# The same bits however the cores come to take their pieces, and on one core.
for round in 1 2 3 4 5 6; do
  quiet "$partita" run products.pta --inputs random:7 --outputs "$round.npz"
  cmp 1.npz "$round.npz" || failed "run $round gives other bits"
done
quiet taskset -c "$(taskset -cp $$ | grep -oE '[0-9]+' | tail -n 1)" "$partita" run products.pta --inputs random:7 --outputs one.npz
cmp 1.npz one.npz || failed "one core gives other bits"

# That the search finds something, and that the barriers alone are enough: with vectors of straight-line code, where
# gcc fuses, and the same text with and without barriers.
"$compiler" --version | grep -q "Free Software Foundation" || { echo "$compiler is not gcc: nothing to find"; exit 0; }
# compile_with NAME SCRIPT: with the C text changed by sed.
compile_with() {
  cat >"$1" <<TEXT
#!/usr/bin/env bash
sed -i '$2' ./*.c
exec $compiler "\$@" -ftree-slp-vectorize --param=max-completely-peel-times=16
TEXT
  chmod +x "$1"
  PARTITA_CC=$work/$1 compile "$1.out"
}
compile_with barriers ''
compile_with plain 's/define as_written(x) __builtin_assoc_barrier(x)/define as_written(x) (x)/'
for level in v3 v4; do
  [[ ! -s barriers.out.$level ]] || { echo "FAILED: $level: fused products:"; cat "barriers.out.$level"; exit 1; }
  [[ -s plain.out.$level || $("$compiler" -dumpversion) != 12* ]] ||
    { echo "FAILED: $level: no fused products without the barriers either"; exit 1; }
done
echo "no fused products; without the barriers: $(tr -s '\n ' ' ' <plain.out.v3)"

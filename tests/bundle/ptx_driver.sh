#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: bundle
# timeout: 120
#
# The driver of gpu/ptx without a GPU: a stand-in for libcuda runs the same kernels on this processor, item by item.  A program
# whose kernels have barriers, local memory, a launch that does not begin at 0 and fixed groups gives the interpreter's results; a text
# of which no PTX was made is a device error.
set -euo pipefail
source_dir=$PARTITA_SOURCE_DIR partita=$PARTITA_BIN_DIR/partita driver=$PARTITA_BIN_DIR/../lib/libpartita_ptx.so
for needed in clang-16 /usr/lib/llvm-16/bin/llc /usr/lib/clc/nvptx64--nvidiacl.bc cc; do
  command -v "$needed" >/dev/null || [[ -e $needed ]] || { echo "$needed is not installed (./dev lab installs it)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir cuda vendors
cc -shared -fPIC -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -o cuda/libcuda.so.1 "$source_dir/tests/bundle/stand_in_cuda.c" -lm -ldl
echo "$driver" >vendors/ptx.icd
for_stand_in() { # TEXT
  clang-16 -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target x86_64-unknown-linux-gnu -O1 -fPIC -w -c "$1" -o kernels.o
  cc -shared -o kernels.so kernels.o -Lcuda -l:libcuda.so.1
}
prepare() { # NAME DEVICE: the program on standard input with its results, PTX, and kernels for the stand-in
  cat >"$1.mlir"
  "$partita" record "$1.mlir" -o "$1.io.npz"
  "$partita" compile "$1.mlir" -o "$1.pta" --target opencl --device "$2" >/dev/null
  python3 "$source_dir/gpu/ptx/make_ptx.py" ptx "$1.pta"
  python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    sys.stdout.buffer.write(b"".join(archive.read(n) for n in archive.namelist() if n.endswith(".cl")))' "$1.pta" >kernels.cl
  for_stand_in kernels.cl
}

export LD_LIBRARY_PATH=$work/cuda OCL_ICD_VENDORS=$work/vendors PARTITA_PTX_DIR=$work/ptx STAND_IN_KERNELS=$work/kernels.so PARTITA_CACHE_DIR=
unset PARTITA_OPENCL_CLASS
prepare program nvidia-sm_90 <<'MLIR'
func.func @main(%a: tensor<65537xf32>, %b: tensor<65537xf32>, %c: tensor<130x83xf32>, %d: tensor<83x99xf32>, %h: tensor<64x80xf32>) -> (tensor<65537xf32>, tensor<130x99xf32>, tensor<64x80xf32>, tensor<80x64xf32>) {
  %0 = stablehlo.multiply %a, %b : tensor<65537xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<130x83xf32>, tensor<83x99xf32>) -> tensor<130x99xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %he = stablehlo.exponential %h : tensor<64x80xf32>
  %hn = stablehlo.reduce(%he init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x80xf32>, tensor<f32>) -> tensor<64xf32>
  %hb = stablehlo.broadcast_in_dim %hn, dims = [0] : (tensor<64xf32>) -> tensor<64x80xf32>
  %y = stablehlo.divide %he, %hb : tensor<64x80xf32>
  %t = stablehlo.transpose %h, dims = [1, 0] : (tensor<64x80xf32>) -> tensor<80x64xf32>
  return %0, %1, %y, %t : tensor<65537xf32>, tensor<130x99xf32>, tensor<64x80xf32>, tensor<80x64xf32>
}
MLIR
[[ $(cat ptx/*.ptx | grep -c '^\.visible \.entry') == $(cat ptx/*.ptx | grep -c '\.entry') ]] || { echo "expected every entry to be visible"; exit 1; }
grep -q '^\.reqntid 128, 1, 1' ptx/*.ptx || { echo "expected the product's groups of 128 in the PTX"; exit 1; }
"$partita" devices >devices.txt
grep -q '^opencl: NVIDIA stand-in (NVIDIA (PTX through libcuda))' devices.txt || { cat devices.txt; exit 1; }
grep -q 'PTX through libcuda, not OpenCL' devices.txt || { echo "expected the platform to say what it is"; exit 1; }
"$partita" check --artifacts . program.mlir
"$partita" bench artifact program.pta --turns 2 --kernels --json one.json
python3 - <<'PYTHON'
import json
one = json.load(open("one.json"))
kernels = {k["kernel"]: k for k in one["kernels"]}
# The stand-in's clock has a millisecond for each launch.
assert one["is_right"] and len(kernels) == 5 and all(k["launches"] == 1 and abs(k["seconds"] - 1e-3) < 1e-9 for k in kernels.values()), one
PYTHON

# A launch that does not begin at item 0, by OpenCL's own interface.
cat >mark.cl <<'CL'
__kernel void mark(__global int* marks, const int width) { marks[get_global_id(1) * width + get_global_id(0)] += 1; }
CL
python3 -c 'import zipfile; zipfile.ZipFile("mark.pta", "w").write("mark.cl")'
python3 "$source_dir/gpu/ptx/make_ptx.py" ptx mark.pta
for_stand_in mark.cl
cc -Wall -Wextra -Werror -o offset_launch "$source_dir/tests/bundle/offset_launch.c" -lOpenCL
./offset_launch mark.cl || { echo "a launch with an offset ran other items"; exit 1; }

sed -i 's/multiply/subtract/' program.mlir
"$partita" compile program.mlir -o program.pta --target opencl --device nvidia-sm_90 >/dev/null
status=0
"$partita" check --artifacts . program.mlir 2>error.txt || status=$?
[[ $status == 3 && $(cat error.txt) == *'no PTX was made of this text'* ]] || { echo "expected a device error, found $status:"; cat error.txt; exit 1; }

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: codegen
# timeout: 300
#
# Generated kernels of every shape depend on no memory that nothing has written, and give what they give on the other
# device.  Two things would be reported that are none of ours: oclgrind takes memory of the host that a buffer
# uses (CL_MEM_USE_HOST_PTR, as `partita run` lends its inputs) for unwritten, so `partita check` is run, which copies
# them; and it does not know LLVM's freeze instruction, which optimised code has, so kernels are not optimised.
# It interprets on one thread: with two it once gave wrong results, which 600 runs on one or two did not repeat.
set -euo pipefail
command -v oclgrind >/dev/null || { echo "oclgrind is not installed"; exit 77; }
# shellcheck source=tests/e2e/_device.sh
source "$PARTITA_SOURCE_DIR/tests/e2e/_device.sh"
has_device || exit 77
cd "$work"
# oclgrind's build options are in no key of partita's cache: what another test left there is optimised.
export OCLGRIND_NUM_THREADS=1 PARTITA_CACHE_DIR=

cat >arrays.py <<'TEXT'
"""arrays.py inputs P.mlir IN.npz: an array for each argument of main. arrays.py join A.npz B.npz BOTH.npz"""
import math, re, struct, sys, zipfile

def npy(dtype, dims):
    code = {"f32": "f", "i32": "i"}[dtype]
    count = math.prod(dims)
    values = [k * 37 % 101 / 50 - 1 if code == "f" else k * 5 % 7 for k in range(count)]
    head = str({"descr": f"<{code}4", "fortran_order": False, "shape": tuple(dims)})
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{count}{code}", *values)

with zipfile.ZipFile(sys.argv[-1], "w") as archive:
    if sys.argv[1] == "inputs":
        signature = re.search(r"@main\((.*?)\) ->", open(sys.argv[2]).read()).group(1)
        for k, words in enumerate(re.findall(r"tensor<(.*?)>", signature)):
            *dims, dtype = words.split("x")
            archive.writestr(f"in{k}.npy", npy(dtype, [int(d) for d in dims]))
    else:
        for name in sys.argv[2:-1]:
            with zipfile.ZipFile(name) as one:
                for part in one.namelist():
                    archive.writestr(part, one.read(part))
TEXT

# check STEM LAYOUT
check() {
  local program=$PARTITA_SOURCE_DIR/tests/oclgrind/$1.mlir
  rm -f out.npz findings
  python3 arrays.py inputs "$program" in.npz
  quiet "$partita" compile "$program" -o shapes.pta --target opencl --layout "$2"
  quiet "$partita" run shapes.pta --inputs in.npz --outputs out.npz
  python3 arrays.py join in.npz out.npz both.npz
  local status=0
  oclgrind --uninitialized --build-options -cl-opt-disable --log findings \
    "$partita" check --target opencl --layout "$2" --io both.npz "$program" >log 2>&1 || status=$?
  ((status == 0)) && [[ ! -s findings ]] || { cat findings log; exit 1; }
  echo "$1, layout $2: no finding"
}
for layout in loop batch:3 batch; do check kernel_shapes "$layout"; done
check window_shapes auto

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 180
#
# on_zero_weight = "error": one artifact works with weights that sum to something; with weights of zero each number of
# ranks ends with one error that names the step, status 2 and no output file. The interpreter says the same.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
program=$PARTITA_SOURCE_DIR/tests/e2e/refused/zero_weight.mlir

python3 - "$work" <<'PYTHON'
import struct, sys, zipfile
def npy(shape, values):
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)
x = npy((3, 2), [1, 10, 2, 20, 4, 40])
for name, w in (("good", [1, 2, 5]), ("zero", [0, 0, 0])):
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}.npz", "w") as archive:
        for key, data in (("in0", x), ("in1", npy((3,), w)), ("out0", npy((2,), [3.125, 31.25]))):
            archive.writestr(key + ".npy", data)
PYTHON

failed() {
  echo "FAILED: $*"
  cat "$work/log"
  exit 1
}
# refused WHERE STATUS: the log holds the one error.
refused() {
  (($2 == 2)) || failed "$1: expected exit status 2, found $2"
  (($(grep -c 'error: .*mr.reduce_weighted_mean' "$work/log") == 1)) || failed "$1: expected one error that names the step"
}
"$partita" check --target interpreter --io "$work/good.npz" "$program" >"$work/log" 2>&1 || failed "interpreter, good weights"
status=0
"$partita" check --target interpreter --io "$work/zero.npz" "$program" >"$work/log" 2>&1 || status=$?
if ((status == 0)) || ! grep -q 'mr.reduce_weighted_mean' "$work/log"; then
  failed "interpreter, zero weights: expected an error that names the step"
fi
has_device || exit 77

"$partita" compile "$program" -o "$work/p.pta" --target opencl >"$work/log" 2>&1 || failed "compile"
for ranks in 1 2 3; do
  on_ranks "$ranks" "$partita" run "$work/p.pta" --inputs "$work/good.npz" --outputs "$work/out.npz" >"$work/log" 2>&1 ||
    failed "$ranks ranks, good weights: exit status $?"
  python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" "$work/out.npz" "$work/good.npz" >"$work/log" ||
    failed "$ranks ranks, good weights"
  rm "$work/out.npz"
  status=0
  on_ranks "$ranks" "$partita" run "$work/p.pta" --inputs "$work/zero.npz" --outputs "$work/out.npz" >"$work/log" 2>&1 || status=$?
  refused "$ranks ranks" "$status"
  [[ ! -e $work/out.npz ]] || failed "$ranks ranks: expected no output file"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
#
# Programs of examples/algorithms give the same on 1 and on 3 ranks. That they give their oracles on one is what
# tests/e2e/algorithms checks.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py
python3 - "$work/inputs.npz" <<'END'
import struct
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, shape, values in [("in0", "(2,)", (2, -1)), ("in1", "(3, 2)", (1, 2, 3, -4, -7, 6))]:
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s}" % shape
        header = header.ljust(117) + "\n"
        data = struct.pack("<%dd" % len(values), *values)
        archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
END
for stem in fed_sgd fed_opt hypergradients diloco diloco_streaming diloco_streaming_intervals; do
  "$partita" compile "$PARTITA_SOURCE_DIR/examples/algorithms/$stem.mlir" -o "$work/$stem.pta" --target cpu \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  for ranks in 1 3; do
    on_ranks "$ranks" "$partita" run "$work/$stem.pta" --inputs "$work/inputs.npz" --outputs "$work/$stem.$ranks.npz" \
      >"$work/log" 2>&1 || { echo "FAILED: $stem on $ranks ranks"; cat "$work/log"; exit 1; }
  done
  python3 "$compare" "$work/$stem.3.npz" "$work/$stem.1.npz" || { echo "FAILED: $stem"; exit 1; }
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# A side of `partita bench rounds` answers on its pipe, and memory does not grow with the number of launches: 60,000 of them,
# whose commands alone would take 60 MB if all waited at once.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
has_device || exit 77

cat >"$work/steps.mlir" <<'MLIR'
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<60000> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<8xf32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %p = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.multiply %a, %half : tensor<8xf32>
      %c = stablehlo.add %b, %half : tensor<8xf32>
      stablehlo.return %j, %c : tensor<i32>, tensor<8xf32>
    }
  return %r#1 : tensor<8xf32>
}
MLIR
python3 - "$partita" "$work" <<'PYTHON'
import json, struct, subprocess, sys, zipfile

partita, work = sys.argv[1:]

def npy(values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}f", *values)

with zipfile.ZipFile(f"{work}/inputs.npz", "w") as archive:
    archive.writestr("in0.npy", npy([0, 1, 2, 3, 4, 5, 6, 7]))
command = [partita, "bench", "serve-rounds", f"{work}/steps.mlir", f"{work}/inputs.npz", "--target", "opencl"]
process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def ask(request=None):
    if request:
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
    return json.loads(process.stdout.readline())

greeting = ask()
assert greeting["ready"] is True and greeting["versions"]["partita"], greeting
assert greeting["compile_s"] > greeting["artifact_s"] > 0 and greeting["first_round_s"] > 0, greeting
seconds = ask({"do": "rounds", "count": 3})["seconds"]
assert len(seconds) == 3 and min(seconds) > 0, seconds
memory = ask({"do": "memory"})
assert 0 <= memory["growth_bytes"] < memory["peak_bytes"], memory
assert memory["growth_bytes"] < 16 << 20, memory
assert ask({"do": "outputs", "path": f"{work}/outputs.npz"}) == {}
with zipfile.ZipFile(f"{work}/outputs.npz") as archive:
    values = struct.unpack("<8f", archive.read("out0.npy")[-32:])
assert values == (1.0,) * 8, values
process.stdin.write('{"do": "quit"}\n')
process.stdin.close()
assert process.wait() == 0
print(f"growth {memory['growth_bytes']} bytes")
PYTHON

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# Arrays and artifacts that are damaged, of other programs, or of other types: one line that names the file and the entry,
# before a device is touched.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"

cat >p.mlir <<'MLIR'
module attributes {mr.placements = {clients = 6}} {
  func.func public @main(%w: tensor<3xf32>, %x: tensor<6x3xf32>, %k: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
    %sum = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<6x3xf32>) -> tensor<3xf32>
    %new = stablehlo.add %w, %sum : tensor<3xf32>
    return %new, %k : tensor<3xf32>, tensor<i32>
  }
}
MLIR
"$partita" compile p.mlir -o p.pta --target opencl >log
python3 - <<'PYTHON'
import json, struct, zipfile

def npy(dtype, shape, data, fortran=False):
    header = repr({"descr": dtype, "fortran_order": fortran, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data

good = {"in0": npy("<f4", (3,), bytes(12)), "in1": npy("<f4", (6, 3), bytes(72)), "in2": npy("<i4", (), bytes(4))}
def npz(name, **changed):
    with zipfile.ZipFile(name + ".npz", "w") as archive:
        for key, data in {**good, **changed}.items():
            if data is not None:
                archive.writestr(key + ".npy", data)
npz("good")
npz("by_name", in0=None, in1=None, in2=None, w=good["in0"], x=good["in1"], k=good["in2"])
npz("missing", in1=None)
npz("fewer", in1=npy("<f4", (5, 3), bytes(60)))
npz("rank", in0=npy("<f4", (3, 1), bytes(12)))
npz("scalar", in2=npy("<i4", (1,), bytes(4)))
npz("f64", in0=npy("<f8", (3,), bytes(24)))
npz("i64", in2=npy("<i8", (), bytes(8)))
npz("text", in0=npy("<U1", (3,), bytes(12)))
npz("object", in0=npy("|O", (3,), bytes(12)))
npz("short", in1=npy("<f4", (6, 3), bytes(71)))
npz("long", in1=npy("<f4", (6, 3), bytes(73)))
npz("huge", in1=npy("<f4", (1 << 40, 1 << 40), bytes(72)))
npz("negative", in1=npy("<f4", (-6, 3), bytes(72)))
npz("no_array", in1=b"hello")
whole = open("good.npz", "rb").read()
open("cut.npz", "wb").write(whole[:-40])
open("empty.npz", "wb").close()

artifact = open("p.pta", "rb").read()
def pta(name, data):
    open(name + ".pta", "wb").write(data)
pta("cut", artifact[: len(artifact) // 2])
pta("one_less", artifact[:-1])
pta("empty", b"")
flipped = bytearray(artifact)
flipped[artifact.index(b"__kernel") + 2] ^= 1
pta("flipped", bytes(flipped))

def rewritten(name, change, drop=()):
    with zipfile.ZipFile("p.pta") as old, zipfile.ZipFile(name + ".pta", "w") as new:
        for entry in old.namelist():
            if entry not in drop:
                new.writestr(entry, change(entry, old.read(entry)))
def manifest(**fields):
    def change(entry, data):
        return json.dumps({**json.loads(data), **fields}).encode() if entry == "manifest.json" else data
    return change
rewritten("same", lambda entry, data: data)
rewritten("newer", manifest(format_major=2))
rewritten("other_kind", manifest(format="something else"))
rewritten("no_plan", lambda entry, data: data, drop=["plan.json"])
rewritten("kernel", lambda entry, data: data.replace(b"+", b"-", 1) if entry.endswith(".cl") else data)
rewritten("plan", lambda entry, data: data[:100] if entry == "plan.json" else data)
with zipfile.ZipFile("foreign.pta", "w") as archive:
    archive.writestr("hello.txt", "hello")
PYTHON

inputs() { # inputs WORDS FILE
  refused 2 "$2: |$1" "$partita" run p.pta --inputs "$2" --outputs "$out/y.npz"
}
inputs "none.npz: expected a zip archive, found: No such file" none.npz
inputs "expected a zip archive" cut.npz
inputs "expected a zip archive" empty.npz
inputs "expected a zip archive" p.mlir
inputs "expected a zip archive" .
inputs "in1 (x): expected an array tensor<6x3xf32>, found in0, in2" missing.npz
inputs "in1 (x): expected tensor<6x3xf32>, found tensor<5x3xf32>" fewer.npz
inputs "in0 (w): expected tensor<3xf32>, found tensor<3x1xf32>" rank.npz
inputs "in2 (k): expected tensor<i32>, found tensor<1xi32>" scalar.npz
inputs "in0 (w): expected tensor<3xf32>, found tensor<3xf64>" f64.npz
inputs "in2 (k): expected tensor<i32>, found tensor<i64>" i64.npz
inputs "in0: expected an array of|found dtype '<U1'" text.npz
inputs "in0: expected an array of|found dtype '|O'" object.npz
inputs "in1: expected the elements of tensor<6x3xf32>, found 71 bytes" short.npz
inputs "in1: expected the elements of tensor<6x3xf32>, found 73 bytes" long.npz
inputs "in1: expected the elements of|found 72 bytes" huge.npz
inputs "in1: expected a shape of extents, found (-6, 3)" negative.npz
inputs "in1: expected a .npy array" no_array.npz
inputs "manifest.json: expected a .npy array" p.pta

artifact() { # artifact WORDS FILE
  refused 2 "$2: |$1" "$partita" run "$2" --inputs good.npz --outputs "$out/y.npz"
  refused 2 "$2: |$1" "$partita" inspect "$2"
}
artifact "expected a readable file, found: No such file" none.pta
artifact "expected a readable file, found: Is a directory" .
artifact "expected a zip archive" cut.pta
artifact "expected a zip archive" one_less.pta
artifact "found no manifest.json" empty.pta
echo "no artifact" >words.pta
artifact "expected a zip archive" words.pta
refused 2 "p.mlir: |expected a zip archive" "$partita" inspect p.mlir
artifact "expected a partita artifact, found no manifest.json" foreign.pta
artifact "expected a partita artifact, found no manifest.json" good.npz
artifact "kernels/|CRC" flipped.pta
artifact "format|1|2" newer.pta
artifact "format|something else" other_kind.pta
artifact "plan.json" no_plan.pta
artifact "plan.json" plan.pta
artifact "content hash: expected|found" kernel.pta

if has_device; then
  for file in good by_name; do
    "$partita" run same.pta --inputs $file.npz --outputs y.npz >log 2>&1 || { cp log stderr; complain "run with $file.npz"; }
  done
fi
finish_refusals

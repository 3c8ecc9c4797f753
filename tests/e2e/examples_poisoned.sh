#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 450
#
# The programs of examples/, on drawn arguments, over poisoned memory: what target cpu without a C compiler gives, every target
# gives whatever memory held.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
target=all
has_device || target=cpu

PYTHONDONTWRITEBYTECODE=1 python3 - "$PARTITA_SOURCE_DIR" "$partita" <<'PYTHON'
import pathlib, sys, zipfile

source = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(source / "tests" / folder) for folder in ("sanitize", "support")]
import programs

for path in sorted((source / "examples").rglob("*.mlir")):
    name = f"{path.parent.name}_{path.stem}"
    scratch = pathlib.Path("scratch", name)
    program = programs.Program(pathlib.Path(sys.argv[2]), path)
    program.recording = None
    folder, _ = program.emit(scratch, "x86-64-v2")
    pathlib.Path(f"{name}.mlir").write_text((folder / "p.mlir").read_text())
    with zipfile.ZipFile(f"{name}.io.npz", "w") as both:
        for part in ("in.npz", "out.npz"):
            with zipfile.ZipFile(folder / part) as one:
                for array in one.namelist():
                    both.writestr(array, one.read(array))
PYTHON

programs=(./*.mlir)
((${#programs[@]} >= 10)) || failed "expected at least 10 programs in examples/"
# Over many local steps roundings of sums grow; what memory held may change no bit, whatever the tolerance.
"$partita" check --poison --target "$target" --rtol 1e-3 --atol 1e-3 "${programs[@]}"

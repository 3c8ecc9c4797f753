#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""PTX of artifacts' kernels for the driver of this folder, by clang-16, libclc-16 and llvm-16 (`./dev lab` installs them).

usage: make_ptx.py OUT ARTIFACT.pta ...

Writes OUT/HASH-KIND.ptx for each text of kernels: HASH is its FNV-1a in 64 bits, KIND 0 or, of texts that use matrix units where there
are some, also 1 (ptx_name in kernels.cpp says the same). Texts that are there already are not made again. A text that cannot be
compiled is named, and ends the command with exit status 1.
"""
import re
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LLVM = Path("/usr/lib/llvm-16/bin")
LIBRARY = "/usr/lib/clc/nvptx64--nvidiacl.bc"
HERE = Path(__file__).resolve().parent


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{Path(str(command[0])).name}: {done.stderr.strip()[:2000]}")


def groups_of(source):
    """Kernels of a fixed work-group size."""
    found = re.finditer(r"reqd_work_group_size\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\s*\)\s*\)\s*(?:__kernel\s+)?(?:void\s+)?(\w+)", source)
    return {m[4]: (m[1], m[2], m[3]) for m in found}


def for_cuda(ptx, groups):
    """As CUDA's driver takes it: entries that can be found by name, with the group that they are compiled for."""
    ptx = re.sub(r"[ \t]*//.*", "", ptx).replace(", texmode_independent", "")

    def entry(m):
        size = f".reqntid {', '.join(groups[m[1]])}\n" if m[1] in groups else ""
        return f".visible .entry {m[1]}({m[2]})\n{size}{{"

    return re.sub(r"^(?:\.visible )?\.entry (\S+?)\s*\(([^)]*)\)\s*\{", entry, ptx, flags=re.M)


def compile_text(source, kind, work):
    text = work / "a.cl"
    text.write_bytes(source)
    define = [f"-DPARTITA_MATRIX_UNITS={kind}"] if kind else []
    run("clang-16", "-target", "nvptx64-nvidia-nvcl", *define, "-Xclang", "-finclude-default-header", "-cl-std=CL1.2",
        "-Xclang", "-cl-ext=+cl_khr_fp64,+cl_khr_fp16", "-O2", "-w", "-x", "cl", "-emit-llvm", "-c", text, "-o", work / "a.bc")
    run(LLVM / "llvm-link", "--suppress-warnings", work / "a.bc", "--only-needed", HERE / "offset.ll", LIBRARY, "-o", work / "b.bc")
    run(LLVM / "opt", "-O3", work / "b.bc", "-o", work / "c.bc")
    run(LLVM / "llc", "-O3", "-mcpu=sm_80", "-mattr=+ptx75", work / "c.bc", "-o", work / "a.ptx")
    return for_cuda((work / "a.ptx").read_text(), groups_of(source.decode()))


def texts_of(artifacts):
    """(name of the file, text, kind), each once."""
    found = {}
    for path in artifacts:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if not name.endswith(".cl"):
                    continue
                text = archive.read(name)
                stem = f"{fnv(text):016x}"
                for kind in (0, 1) if b"PARTITA_MATRIX_UNITS" in text else (0,):
                    found.setdefault(f"{stem}-{kind}.ptx", (text, kind, path))
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)

    def make(item):
        name, (text, kind, path) = item
        if (out / name).exists():
            return None
        with tempfile.TemporaryDirectory() as work:
            try:
                ptx = compile_text(text, kind, Path(work))
            except RuntimeError as error:
                return f"{path}: {error}"
        (out / f"{name}.part").write_text(ptx)
        (out / f"{name}.part").rename(out / name)
        return None

    with ThreadPoolExecutor(2) as pool:
        failures = [f for f in pool.map(make, texts_of(sys.argv[2:]).items()) if f]
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()

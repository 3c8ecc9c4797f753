#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Makes build/wheel/partita-*.whl of a build: the Python package, the command line, and the libraries with what they need beside
libc and libstdc++, those of others under names of ours.  `./dev wheel` calls this.

The package is Python over the C interface (docs/decisions/0026-python-over-c.md), so one wheel serves all versions of Python 3.
"""
import argparse
import base64
import hashlib
import re
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tools"))
from binaries import copy_binary, libraries_of, needed_glibc, run  # noqa: E402: after the path of tools/

OURS = ("libpartita.so.0", "libpartita_compiler.so.0", "libpartita_pjrt.so")
# Loaded where there are several ranks, with the MPI that started them.
OF_RANKS = "libpartita_mpi.so"
# What a machine with a package manager in C++ has.
OF_THE_MACHINE = ("libstdc++.so.6", "libgcc_s.so.1")
TIME = (1980, 1, 1, 0, 0, 0)


def private_name(name):
    """Of a library of others, so that no other copy in the process is taken for it."""
    return re.sub(r"^lib", "libpartita-", name)


def add_libraries(folder, build):
    """Our libraries and all that they need, which find each other beside themselves."""
    folder.mkdir(parents=True)
    others = {}
    for name in OURS:
        source = build / "lib" / name
        copy_binary(source.resolve(), folder / name, "$ORIGIN")
        others |= {n: p for n, p in libraries_of(source).items() if n not in OURS and n not in OF_THE_MACHINE}
    copy_binary(build / "lib" / OF_RANKS, folder / OF_RANKS, "$ORIGIN")
    for name, path in others.items():
        target = folder / private_name(name)
        copy_binary(path.resolve(), target, "$ORIGIN")
        run("patchelf", "--set-soname", target.name, target)
    rename_needed(list(folder.iterdir()), others)
    return others


def rename_needed(files, others):
    for file in files:
        needed = run("patchelf", "--print-needed", file).split()
        for name in set(needed) & set(others):
            run("patchelf", "--replace-needed", name, private_name(name), file)


def write_wheel(path, root, version, tag):
    info = root / f"partita-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: partita\nVersion: {version}\n"
        "Summary: Dataflow graphs of map/reduce nodes compiled ahead of time for accelerators, and a plugin for JAX\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\nProvides-Extra: jax\nRequires-Dist: jax; extra == 'jax'\n")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: partita\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (info / "entry_points.txt").write_text(
        "[console_scripts]\npartita = partita.command:main\n\n[jax_plugins]\npartita = partita.jax_plugin\n")
    records = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in sorted(f for f in root.rglob("*") if f.is_file()):
            name, data = file.relative_to(root).as_posix(), file.read_bytes()
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o100755 if file.stat().st_mode & 0o100 else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(data)}\n")
        name = f"{info.name}/RECORD"
        wheel.writestr(zipfile.ZipInfo(name, TIME), "".join(records) + f"{name},,\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheel")
    options = parser.parse_args()
    version = re.search(r"project\(partita VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        package = root / "partita"
        shutil.copytree(HERE / "partita", package, ignore=shutil.ignore_patterns("__pycache__", "lib"))
        others = add_libraries(package / "lib", options.build)
        (package / "bin").mkdir()
        program = package / "bin" / "partita"
        copy_binary(options.build / "bin" / "partita", program, "$ORIGIN/../lib")
        rename_needed([program], others)
        glibc = needed_glibc([program, *(package / "lib").iterdir()])
        machine = run("uname", "-m").strip()
        tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"
        for old in options.out.glob("partita-*.whl"):
            old.unlink()
        wheel = options.out / f"partita-{version}-{tag}.whl"
        part = wheel.with_suffix(".part")
        write_wheel(part, root, version, tag)
        part.rename(wheel)
    print(f"{wheel} ({wheel.stat().st_size >> 20} MiB, glibc {glibc[0]}.{glibc[1]} or newer)")


if __name__ == "__main__":
    main()

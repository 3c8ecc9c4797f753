# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Programs and libraries copied with what they need, for machines where it is not installed."""
import re
import shutil
import subprocess
from pathlib import Path

# What every Linux has with its C library.
LIBC = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so", "libutil.so", "libanl.so")


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(f"{Path(str(command[0])).name} {command[1]}: {words[-1] if words else 'failed'}")
    return done.stdout


def libraries_of(program):
    """Path of each library that the program needs beside libc, at any depth, by its soname."""
    found = {}
    for line in run("ldd", program).splitlines():
        words = line.split()
        if words[0].split("/")[-1].startswith(LIBC):
            continue
        if len(words) < 3 or not words[2].startswith("/"):
            raise RuntimeError(f"{program}: {words[0]} is not found")
        found[words[0]] = Path(words[2])
    return found


def copy_binary(source, target, rpath):
    shutil.copyfile(source, target)
    target.chmod(0o755)
    run("strip", "--strip-unneeded", target)
    run("patchelf", "--set-rpath", rpath, target)


def needed_glibc(files):
    """The newest version of glibc's symbols that is asked for, as (2, 34)."""
    versions = set()
    for file in files:
        versions |= {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(2[\d.]*\d)", run("objdump", "-T", file))}
    return max(versions)

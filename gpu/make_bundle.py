#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Makes a folder and an archive that run on a machine with nothing but libc and a driver (docs/deploying.md).

bin/partita and the libraries that it needs in lib/; unless --plain, also gpu/run with what it measures: the conformance corpus and
benchmark programs, compiled here for one device, with the results that they should have, and their kernels as PTX where the device is NVIDIA's.
`./dev bundle` calls this.
"""
import argparse
import gzip
import hashlib
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tools"))
from binaries import copy_binary, libraries_of, needed_glibc, run  # noqa: E402: after the path of tools/

MOST_BYTES = 40 << 20
# Dense products of bf16 and f16 with sums in f32, operations a second, by vendors' data sheets.
MATRIX_PEAK = {"nvidia-sm_80": 312e12, "nvidia-sm_86": 71e12, "nvidia-sm_90": 989e12, "amd-gfx90a": 191.5e12, "amd-gfx1100": 122.8e12}
ROUNDS = (("mlp", 512), ("lm-s", 8), ("lm-m", 8))  # as benchmarks/README.md measures them
SAMPLES = 2048
# Operations that the interpreter does in some seconds; what has more is recorded from target cpu.
INTERPRETED = 3e9


def add_program(out, partita):
    (out / "bin").mkdir()
    (out / "lib").mkdir()
    copy_binary(partita, out / "bin" / "partita", "$ORIGIN/../lib")
    for name, path in libraries_of(partita).items():
        copy_binary(path.resolve(), out / "lib" / name, "$ORIGIN")
    of_ranks = partita.parents[1] / "lib" / "libpartita_mpi.so"  # with the MPI that starts them
    copy_binary(of_ranks, out / "lib" / of_ranks.name, "$ORIGIN")
    return needed_glibc([out / "bin" / "partita", *(out / "lib").iterdir()])


class Maker:
    """What gpu/run measures, in `out`/gpu."""

    def __init__(self, options, out):
        self.options, self.out = options, out / "gpu"
        self.left_out = []
        self.cache = ROOT / "build" / "bundle" / "recordings"
        self.cache.mkdir(parents=True, exist_ok=True)

    def compile(self, program, artifact, *more):
        run(self.options.partita, "compile", program, "-o", artifact, "--target", "opencl", "--device", self.options.device, *more)

    def record(self, program, recording, flops):
        """Results on random inputs: made once for a text."""
        target = "interpreter" if flops <= INTERPRETED else "cpu"
        kept = self.cache / (hashlib.sha256(f"{target} {SAMPLES} {program.read_text()}".encode()).hexdigest()[:32] + ".npz")
        if not kept.exists():
            part = kept.with_suffix(f".{os.getpid()}.npz")
            run(self.options.partita, "record", program, "-o", part, "--samples", SAMPLES, "--target", target)
            part.rename(kept)
        # Recordings are stored; in an archive of the same bytes it is the outer compression that counts.
        shutil.copyfile(kept, recording)

    def add_programs(self):
        folder = self.out / "programs"
        run(sys.executable, HERE / "programs.py", folder)
        rates = {}
        lines = []

        def add(line):
            stage, name, flops, moved, units = line.split()
            if self.options.small and float(flops) + float(moved) > 4e7:
                (folder / stage / f"{name}.mlir").unlink()
                return
            program = folder / stage / f"{name}.mlir"
            self.compile(program, program.with_suffix(".pta"))
            self.record(program, program.with_suffix(".io.npz"), float(flops))
            if not rates:
                rates.update(self.rates(program.with_suffix(".pta")))
            peak = MATRIX_PEAK.get(self.options.device, 0) if units == "matrix" else rates.get(units, 0)
            lines.append(f"{stage} {name} {flops} {moved} {peak:.0f}\n")

        given = (folder / "list").read_text().splitlines()
        for line in given:
            add(line)
        (folder / "list").write_text("".join(lines))

    def rates(self, artifact):
        """Operations a second by dtype, of the profile that was compiled for."""
        text = run(self.options.partita, "inspect", artifact)
        rates = re.search(r"target_info = .*; ([^;]*) GFLOP/s", text)
        return {dtype: float(rate) * 1e9 for dtype, rate in re.findall(r"(f\d+) ([\d.e+]+)", rates[1] if rates else "")}

    def add_corpus(self):
        corpus = self.options.corpus
        if corpus is None:
            self.left_out.append("the conformance corpus: PARTITA_CORPUS names none")
            return
        folder = self.out / "corpus"
        folder.mkdir()
        programs = [p for p in sorted(corpus.glob("*.mlir")) + sorted(corpus.glob("rounds/*.mlir")) if p.name.count(".") == 1]

        def add(program):
            recording = program.with_suffix(".io.npz")
            if not recording.exists() or (self.options.small and recording.stat().st_size > 100_000):
                return
            try:
                self.compile(program, folder / f"{program.stem}.pta")
            except RuntimeError as error:
                self.left_out.append(f"{program.name}: {str(error)[:200]}")
                return
            shutil.copyfile(program, folder / program.name)
            copy_npz(recording, folder / recording.name)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(add, programs))

    def add_rounds(self):
        python = self.options.python
        if python is None:
            self.left_out.append("rounds of mlp, lm-s and lm-m: no Python with jax and drjax was named (--python)")
            return
        folder = self.out / "programs" / "rounds"
        folder.mkdir(parents=True)
        exported = self.out / "exported"
        with (self.out / "programs" / "list").open("a") as lines:
            for case, clients in ROUNDS:
                exported.mkdir()
                run(python, ROOT / "benchmarks" / "peers" / "jax_peer.py", "--case", case, "--n", clients, "--export", exported,
                    env={**os.environ, "JAX_PLATFORMS": "cpu"})
                program = folder / f"{case}_{clients}.mlir"
                (exported / "round.mlir").rename(program)
                shutil.rmtree(exported)
                self.compile(program, program.with_suffix(".pta"), "--placement", f"clients={clients}")
                lines.write(f"rounds {program.stem} 0 0 0\n")
        site = run(python, "-c", "import drjax, pathlib; print(pathlib.Path(drjax.__file__).parent.parent)").strip()
        for name in [p.name for p in Path(site).glob("drjax*")]:
            shutil.copytree(Path(site) / name, self.out / "peers" / "site" / name, ignore=shutil.ignore_patterns("__pycache__", "*_test.py"))

    def add_ptx(self):
        if not self.options.device.startswith("nvidia"):
            return
        maker = HERE / "ptx" / "make_ptx.py"
        driver = self.options.partita.parents[1] / "lib" / "libpartita_ptx.so"
        (self.out / "ptx").mkdir()
        try:
            run(sys.executable, maker, self.out / "ptx", *sorted(self.out.rglob("*.pta")))
        except RuntimeError as error:
            self.left_out.append(f"kernels as PTX: {error}")
            shutil.rmtree(self.out / "ptx")
            return
        copy_binary(driver, self.out / "ptx" / driver.name, "$ORIGIN/../../lib")

    def add_all(self):
        (self.out / "peers").mkdir(parents=True)
        shutil.copy(HERE / "run", self.out)
        for name in ("peers.py", "../benchmarks/peers/jax_peer.py", "../benchmarks/peers/models.py", "../benchmarks/peers/serving.py"):
            shutil.copy(HERE / name, self.out / "peers")
        self.add_programs()
        self.add_corpus()
        self.add_rounds()
        self.add_ptx()


def copy_npz(source, target):
    """The same arrays, stored: an archive compresses better what is not compressed yet."""
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as out:
        for name in given.namelist():
            out.writestr(zipfile.ZipInfo(name), given.read(name))


def add_documents(out, options, glibc, left_out):
    facts = {"device": options.device, "version": run(options.partita, "--version").split()[-1],
             "commit": run("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip() if (ROOT / ".git").exists() else "",
             "glibc": ".".join(map(str, glibc)), "left_out": left_out}
    (out / "bundle.json").write_text(json.dumps(facts, indent=1) + "\n")
    shutil.copy(ROOT / "LICENSE", out)
    text = f"partita {facts['version']} ({facts['commit']}): bin/partita needs glibc {facts['glibc']} or newer and a driver of OpenCL, nothing else.\n"
    if not options.plain:
        text += f"gpu/run checks and measures it on a GPU (compiled for {options.device}); gpu/run --help says how.\n"
        text += "".join(f"Left out: {line}\n" for line in left_out)
    (out / "README").write_text(text)


def pack(out, compression):
    """The same bytes for the same files."""
    archive = out.parent / f"{out.name}.tar.{compression}"
    part = archive.with_suffix(".part")

    def plain(entry):
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
        return entry

    with part.open("wb") as file:
        packed = lzma.open(file, "wb") if compression == "xz" else gzip.GzipFile("", "wb", 9, file, mtime=0)
        with packed, tarfile.open(fileobj=packed, mode="w|") as tar:
            tar.add(out, out.name, filter=plain)
    part.rename(archive)
    return archive


def parse():
    parser = argparse.ArgumentParser(prog="./dev bundle", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="nvidia-sm_90", help="what `partita compile --device` takes (default: nvidia-sm_90)")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bundle", help="folder for the folder and its archive")
    parser.add_argument("--plain", action="store_true", help="program and libraries alone")
    parser.add_argument("--xz", action="store_true", help="a third smaller, for machines that have xz")
    parser.add_argument("--small", action="store_true", help="programs that a CPU runs in moments, for tests")
    parser.add_argument("--python", type=Path, help="a Python with jax and drjax, which writes the rounds")
    parser.add_argument("--partita", type=Path, default=ROOT / "build" / "release" / "bin" / "partita", help=argparse.SUPPRESS)
    options = parser.parse_args()
    corpus = os.environ.get("PARTITA_CORPUS") or ROOT.parent / "shared" / "conformance"
    options.corpus = Path(corpus) if Path(corpus).is_dir() else None
    return options


def main():
    options = parse()
    out = options.out.absolute() / f"partita-{'plain' if options.plain else options.device}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    try:
        if shutil.which("patchelf") is None:
            raise RuntimeError("patchelf is not installed (./dev deps installs it)")
        glibc = add_program(out, options.partita)
        maker = Maker(options, out)
        if not options.plain:
            maker.add_all()
        add_documents(out, options, glibc, maker.left_out)
    except (RuntimeError, OSError) as error:
        shutil.rmtree(out, ignore_errors=True)
        sys.exit(f"error: bundle: {error}")
    archive = pack(out, "xz" if options.xz else "gz")
    size = archive.stat().st_size
    print(f"{archive}: {size / (1 << 20):.1f} MiB, for {'any device' if options.plain else options.device}, glibc {'.'.join(map(str, glibc))} or newer")
    for line in maker.left_out:
        print(f"left out: {line}")
    if size > MOST_BYTES:
        sys.exit(f"error: bundle: expected at most {MOST_BYTES >> 20} MiB, found {size / (1 << 20):.1f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Times programs compiled by partita for a target beside XLA for the CPU, by turns.

    benchmarks/programs/against_xla.py [NAME|FILE.mlir ...] [--target cpu] [--turns 5] [--json FILE]

Names are those of models.py (default: all of them); a file NAME.mlir is fed with NAME.io.npz beside it.
Needs a Python with jax; both sides run the same StableHLO text and keep their arguments in place. The
ratio is XLA's median over ours: above 1, ours is faster. `spread` is half the distance between the
quartiles of the turns' ratios. Outputs are compared too.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
from jax._src import compiler  # noqa: E402  (what jit itself compiles text with)
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

import models  # noqa: E402

SECONDS_PER_TURN = 0.2


class Xla:
    """A program's text as XLA compiles and runs it."""

    def __init__(self, text, arrays):
        device = jax.devices()[0]
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            self.program = compiler.backend_compile_and_load(
                device.client, module, xla_client.DeviceList((device,)), options, [])
        self.give(arrays)

    def give(self, arrays):
        """Arguments of the runs from now on."""
        self.arrays = [jax.device_put(a, jax.devices()[0]) for a in arrays]

    def run(self):
        outputs = self.program.execute_sharded(self.arrays).disassemble_into_single_device_arrays()
        for parts in outputs:
            parts[0].block_until_ready()
        return [parts[0] for parts in outputs]

    def seconds(self, repeats):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            self.run()
            times.append(time.perf_counter() - start)
        return statistics.median(times)


class Ours:
    """`text` may be a portable artifact too, as bytes."""

    def __init__(self, partita, folder, text, arrays, flags):
        self.partita, self.folder = partita, folder
        (folder / "p.mlir").write_bytes(text if isinstance(text, bytes) else text.encode())
        np.savez(folder / "in.npz", **{f"in{k}": plain(a) for k, a in enumerate(arrays)})
        self.call("compile", folder / "p.mlir", "-o", folder / "p.pta", *flags)

    def call(self, *words):
        done = subprocess.run([self.partita, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError((done.stderr or done.stdout).splitlines()[0])

    def run(self, repeats, *words):
        self.call("run", self.folder / "p.pta", "--inputs", self.folder / "in.npz", "--stats", self.folder / "s.json",
                  "--repeat", str(repeats), *words)
        return json.loads((self.folder / "s.json").read_text())

    def outputs(self):
        self.run(1, "--outputs", self.folder / "out.npz")
        with np.load(self.folder / "out.npz") as file:
            return [file[f"out{k}"] for k in range(len(file.files))]


def plain(array):
    """bf16 travels as f32."""
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def departs(ours, theirs):
    """The largest difference as a part of the largest value; infinite where shapes or NaNs differ."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        a, b = (np.asarray(plain(x), np.complex128 if np.iscomplexobj(x) else np.float64) for x in (a, b))
        if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
            return float("inf")
        if a.size > 0:
            with np.errstate(invalid="ignore"):
                difference = np.where((a == b) | np.isnan(a), 0.0, np.abs(a - b))
            scale = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
            worst = max(worst, float(np.max(difference)) / max(scale, 1e-30))
    return worst


def text_of(name):
    """(text, arrays) of a program by name or file."""
    if name in models.PROGRAMS:
        function, arguments = models.PROGRAMS[name]()
        wide = any(np.asarray(a).dtype == np.float64 for a in jax.tree.leaves(arguments))
        with jax.enable_x64(wide):
            lowered = jax.jit(function, keep_unused=True).lower(*arguments)
        return lowered.as_text(), [np.asarray(a) for a in jax.tree.leaves(arguments)]
    path = pathlib.Path(name)
    if not path.is_file():
        sys.exit(f"error: {name}: expected a program of models.py or a file, found neither")
    text = path.read_text()
    with mlir.make_ir_context():
        types = [str(t) for t in ir.Module.parse(text).body.operations[0].type.inputs]
    with np.load(path.with_suffix("").with_suffix(".io.npz")) as file:
        arrays = [file[f"in{k}"] for k in range(len(types))]
    return text, [a.astype("bfloat16") if t.endswith("bf16>") else a for a, t in zip(arrays, types)]


def measure(name, options, folder):
    text, arrays = text_of(name)
    xla = Xla(text, arrays)
    ours = Ours(options.partita, folder, text, arrays, ["--target", options.target, *options.flags.split()])
    difference = departs(ours.outputs(), [np.asarray(a) for a in xla.run()])
    stats = ours.run(3)
    count = lambda seconds: int(min(max(SECONDS_PER_TURN / max(seconds, 1e-9), 3), 2000))  # noqa: E731
    repeats, xla_repeats = count(stats["median_s"]), count(xla.seconds(3))
    pairs = []
    for turn in range(options.turns):
        if turn % 2 == 0:
            own = ours.run(repeats)["median_s"]
            pairs.append((own, xla.seconds(xla_repeats)))
        else:
            theirs = xla.seconds(xla_repeats)
            pairs.append((ours.run(repeats)["median_s"], theirs))
    ratios = sorted(theirs / own for own, theirs in pairs)
    quarter = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
    return {"name": pathlib.Path(name).stem, "ours_ms": 1e3 * statistics.median(o for o, _ in pairs),
            "xla_ms": 1e3 * statistics.median(t for _, t in pairs), "ratio": statistics.median(ratios),
            "spread": (quarter[2] - quarter[0]) / 2, "launches": stats["launches"], "difference": difference}


def main():
    here = pathlib.Path(__file__).resolve().parent.parent.parent
    parser = argparse.ArgumentParser(description="Programs by partita and by XLA for the CPU, by turns")
    parser.add_argument("programs", nargs="*", help="names of models.py or files (default: all of models.py)")
    parser.add_argument("--partita", default=here / "build/release/bin/partita")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--flags", default="", help="more options of partita compile")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    print("| program | ours, ms | XLA, ms | XLA / ours | spread | launches | difference |")
    print("|---|---|---|---|---|---|---|")
    rows, failed = [], False
    for name in options.programs or models.PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = measure(name, options, pathlib.Path(folder))
            except RuntimeError as error:
                print(f"| {pathlib.Path(name).stem} | {str(error)[:90]} | | | | | |", flush=True)
                failed = True
                continue
        rows.append(row)
        print(f"| {row['name']} | {row['ours_ms']:.3f} | {row['xla_ms']:.3f} | {row['ratio']:.2f} | {row['spread']:.2f} "
              f"| {row['launches']} | {row['difference']:.0e} |", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

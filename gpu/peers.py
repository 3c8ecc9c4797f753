#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""PyTorch and JAX beside partita on one GPU, by turns; `gpu/run` calls this where python3 has them.

Each side computes the same on its own random inputs: at each turn a number of executions without a wait between them, then one
wait. Ratios are of medians over turns, the other's time over ours (above 1, ours is faster), beside the smallest and the largest ratio of
a turn. Rounds are JAX's own of benchmarks/peers, an execution at a time.
"""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}


class Ours:
    """`partita bench serve-artifact`, as a process that waits at a pipe."""

    def __init__(self, partita, artifact):
        self.process = subprocess.Popen([partita, "bench", "serve-artifact", str(artifact)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("it ended")
        return json.loads(line)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.read()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def queued(self, count):
        return self.ask(do="queued", count=count)["seconds"] / count

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


class Peer(Ours):
    """A program of benchmarks/peers; its rounds are waited for, one by one.  `precision` is JAX's for products of f32.  It compiles
    when it is made; `wait` returns when it is ready."""

    def __init__(self, case, clients, precision):
        environment = {**os.environ, "PYTHONPATH": str(HERE / "site") + os.pathsep + os.environ.get("PYTHONPATH", ""),
                       "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "JAX_DEFAULT_MATMUL_PRECISION": precision}
        self.process = subprocess.Popen([sys.executable, str(HERE / "jax_peer.py"), "--case", case, "--n", str(clients)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    def wait(self):
        self.read()


def rounds(side, count):
    return statistics.median(side.ask(do="rounds", count=count)["seconds"])


def torch_cases(torch):
    """Name of our program, and a function that does the same by PyTorch."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False

    def array(dtype, *dims):
        return (torch.rand(*dims, device="cuda") * 2 - 1).to(getattr(torch, DTYPES[dtype]))

    def product(dtype, n):
        a, b = array(dtype, n, n), array(dtype, n, n)
        out = torch.empty_like(a)
        return lambda: torch.matmul(a, b, out=out)

    def rows(function, dtype, m, n):
        x = array(dtype, m, n)
        return lambda: function(x)

    def attention(dtype, causal, batch, heads, length, depth):
        q, k, v = (array(dtype, batch, heads, length, depth) for _ in range(3))
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def copy(m, n):
        x = array("f32", m, n)
        y = torch.empty_like(x)
        return lambda: y.copy_(x)

    for dtype in ("f32", "bf16", "f16"):
        for n in (1024, 4096):
            yield f"products/dot_{dtype}_{n}", lambda dtype=dtype, n=n: product(dtype, n)
    yield "products/dot_bf16_8192", lambda: product("bf16", 8192)
    yield "products/dot_f32_128", lambda: product("f32", 128)
    yield "rows/copy_f32_8192x8192", lambda: copy(8192, 8192)
    yield "rows/softmax_f32_16384x4096", lambda: rows(lambda x: torch.softmax(x, -1), "f32", 16384, 4096)
    yield "rows/softmax_bf16_16384x4096", lambda: rows(lambda x: torch.softmax(x, -1), "bf16", 16384, 4096)
    yield "rows/layer_norm_f32_16384x4096", lambda: rows(lambda x: torch.nn.functional.layer_norm(x, (4096,)), "f32", 16384, 4096)
    yield "rows/sum_rows_f32_16384x4096", lambda: rows(lambda x: x.sum(1), "f32", 16384, 4096)
    yield "rows/sum_columns_f32_16384x4096", lambda: rows(lambda x: x.sum(0), "f32", 16384, 4096)
    for dtype in ("bf16", "f16", "f32"):
        for causal in (True, False):
            for depth in (64, 128):
                name = f"attention/attention_{dtype}{'_causal' if causal else ''}_2x16x2048x{depth}"
                yield name, lambda dtype=dtype, causal=causal, depth=depth: attention(dtype, causal, 2, 16, 2048, depth)


def by_turns(first, second, turns, seconds):
    """Seconds of an execution by each, at each turn; another begins each time. Ends early after `seconds`."""
    end = time.monotonic() + seconds
    times = ([], [])
    for turn in range(turns):
        for side in ((0, first), (1, second)) if turn % 2 == 0 else ((1, second), (0, first)):
            times[side[0]].append(side[1]())
        if time.monotonic() > end and turn > 1:
            break
    return times


def repeats(once, least):
    once(1)
    return max(1, min(2000, int(least / max(once(3), 1e-7))))


def entry(name, peer, times):
    ours, theirs = (statistics.median(t) for t in times)
    ratios = [b / a for a, b in zip(*times)]
    return {"name": name, "peer": peer, "ours_s": ours, "peer_s": theirs, "ratio": theirs / ours, "least_ratio": min(ratios), "largest_ratio": max(ratios),
            "turns": len(ratios)}


class Measurement:
    def __init__(self, options):
        self.options, self.end = options, time.monotonic() + options.seconds
        self.entries, self.notes, self.versions = [], [], {}

    def left(self):
        return self.end - time.monotonic()

    def write(self):
        lines = ["| program | peer | ours, ms | its, ms | its / ours | of turns |", "|---|---|---|---|---|---|"]
        lines += [f"| {e['name']} | {e['peer']} | {e['ours_s'] * 1e3:.3g} | {e['peer_s'] * 1e3:.3g} | {e['ratio']:.2f} | "
                  f"{e['least_ratio']:.2f} to {e['largest_ratio']:.2f} |" for e in self.entries]
        lines = (lines + [""] if self.entries else []) + [f"{k} {v}" for k, v in self.versions.items()] + self.notes
        for path, text in ((self.options.table, "\n".join(lines) + "\n"),
                           (self.options.json, json.dumps({"versions": self.versions, "entries": self.entries, "notes": self.notes}))):
            part = path.with_name(path.name + ".part")
            part.write_text(text)
            part.rename(path)

    def take(self, name, peer, measure):
        """One program, so that what fails does not keep the others from being measured."""
        if self.left() < 5:
            self.notes.append(f"{name}: not measured, for lack of time.")
            return
        try:
            self.entries.append(entry(name, peer, measure()))
        except Exception as error:  # a peer's own errors are of any kind
            self.notes.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
        self.write()

    def artifact(self, name):
        return self.options.programs / f"{name}.pta"

    def torch(self):
        import torch

        if not torch.cuda.is_available():
            self.notes.append("PyTorch: it sees no GPU.")
            return
        self.versions["torch"] = torch.__version__
        for name, make in torch_cases(torch):
            if self.artifact(name).exists():
                self.take(name.split("/")[1], "PyTorch", lambda name=name, make=make: self.beside_torch(torch, name, make))

    def beside_torch(self, torch, name, make):
        run, ours = make(), Ours(self.options.partita, self.artifact(name))

        def theirs(count):
            begin = time.perf_counter()
            for _ in range(count):
                run()
            torch.cuda.synchronize()
            return (time.perf_counter() - begin) / count

        try:
            counts = [repeats(side, 0.05) for side in (ours.queued, theirs)]
            return by_turns(lambda: ours.queued(counts[0]), lambda: theirs(counts[1]), 9, min(8, self.left()))
        finally:
            ours.close()

    def jax(self):
        import jax

        if jax.default_backend() == "cpu" and not self.options.quick:
            self.notes.append("JAX: it sees no GPU.")
            return
        self.versions["jax"] = jax.__version__
        # As JAX has it where nothing is said, which on NVIDIA's GPUs is tf32, and as exact as ours.
        sides = []
        for precision, peer in (("highest", "DrJAX, f32"), ("default", "DrJAX, tf32 where XLA likes")):
            for path in sorted((self.options.programs / "rounds").glob("*.pta")):
                case, clients = path.stem.rsplit("_", 1)
                if not self.options.quick or case == "lm-s":
                    sides.append((path, peer, Peer(case, int(clients), precision)))
        # XLA tries its kernels for tens of seconds: all compile side by side, and nothing is measured meanwhile.
        failures = {}
        for _, _, theirs in sides:
            try:
                theirs.wait()
            except RuntimeError as error:
                failures[theirs] = error
        for path, peer, theirs in sides:
            self.take(path.stem, peer, lambda path=path, theirs=theirs: self.beside_jax(path, theirs, failures.get(theirs)))

    def beside_jax(self, path, theirs, failure):
        try:
            if failure:
                raise failure
            ours = Ours(self.options.partita, path)
            try:
                turns, count = (3, 1) if self.options.quick else (9, 3)
                return by_turns(lambda: rounds(ours, count), lambda: rounds(theirs, count), turns, min(20, self.left()))
            finally:
                ours.close()
        finally:
            theirs.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partita", required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="one case of JAX, also where it has no GPU")
    measurement = Measurement(parser.parse_args())
    for name, measure in (("jax", measurement.jax), ("torch", measurement.torch)):
        if importlib.util.find_spec(name) is None:
            measurement.notes.append(f"{name}: not installed.")
            continue
        try:
            measure()
        except Exception as error:
            measurement.notes.append(f"{name}: {type(error).__name__}: {error}")
    measurement.write()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Runs the zoo's programs as partita and as XLA for the CPU compile them: results, compile time, memory, speed.

    benchmarks/zoo/run.py [--only REGEX] [--target cpu,opencl] [--json FILE] [--turns 5] [--large] [--list]

Needs a Python with the packages of requirements.txt. Programs of a package run one after the
other in a process with a limit of memory and one of time for each; where it dies, the program at hand gets a row that
says so and the next one a new process. Rows are added to the JSON file as they come; what has a row there is not run
again (`--again REGEX` runs it anew). report.py makes a table of the file. `--keep DIR` leaves NAME.mlir and
NAME.io.npz with XLA's results there, as `partita check` takes them.

Results are judged against a run of the same text in f64 by XLA (wide.py): an output's error is its largest difference
from there as a part of the largest value, and ours may be twice XLA's and a few ulp; where it is more, but XLA's own
results move as much when its arguments change by an ulp (as the gradient of an activation that is zero but for rounding),
that is the row's state, `edge`. A text that cannot be widened or
whose f64 run fails is compared with XLA's results alone.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "programs"))

ULPS, ULP = 8, 2.0**-23
MOVES = 8  # runs of XLA with arguments an ulp away
WRONG = 0.02  # of the largest value: a difference from XLA and from f64 that is no rounding


# --- Programs, in a process of their own ---


def lowered(program):
    """(text, arrays): what JAX lowers the program to, and its arguments as the text takes them."""
    import jax
    import numpy as np

    with jax.enable_x64(False):
        function, arguments = program.make()
        text = jax.jit(function, keep_unused=True).lower(*arguments)
        kinds = [a.dtype for a in jax.tree.leaves(text.in_avals)]
        arrays = [np.asarray(a).astype(k) for a, k in zip(jax.tree.leaves(arguments), kinds, strict=True)]
    return text.as_text(), arrays


def as_wide(array):
    import numpy as np

    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.float64) if array.dtype.name in ("float32", "float16", "bfloat16") else array


def error_of(values, truth, by, other=None):
    """The differences' `by` as a part of the largest value (of `other` too); infinite where shapes or NaNs differ."""
    import numpy as np

    a, b = (
        np.asarray(as_wide(np.asarray(x)), np.complex128 if np.iscomplexobj(x) else np.float64) for x in (values, truth)
    )
    if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        return float("inf")
    if a.size == 0:
        return 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.where((a == b) | np.isnan(a), 0.0, np.abs(a - b))
        scale = max(
            float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x)))
            for x in (b, b if other is None else as_wide(np.asarray(other)))
        )
        return float(by(difference)) / max(scale, 1e-30)


def largest(differences):
    import numpy as np

    return np.max(differences)


def root_mean_square(differences):
    import numpy as np

    return np.sqrt(np.mean(np.square(differences)))


BY = {"max": largest, "rms": root_mean_square}


def close(ours, theirs):
    """Whether f64 has nothing to decide."""
    import numpy as np

    return all(error_of(a, b, np.max) <= ULPS * ULP / 2 for a, b in zip(ours, theirs, strict=True))


def judge(ours, theirs, truth, moved=None):
    """What a row says of results: the output that is worst, with its errors and ours beside XLA's.  `moved`: how far each of
    XLA's own results goes where its arguments change by an ulp, which counts as an error of XLA's."""
    import numpy as np

    rows = []
    for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        row = {"output": k, "ours_to_xla": error_of(a, b, np.max)}
        rows.append(row)
        if truth is None or not np.issubdtype(np.asarray(truth[k]).dtype, np.inexact):
            continue
        # Results in bf16 and f16 cannot be nearer than their own rounding.
        own = {"bfloat16": 2.0**-8, "float16": 2.0**-11}.get(b.dtype.name, ULP)
        for name, by in BY.items():
            row[f"ours_{name}"], row[f"xla_{name}"] = (error_of(x, truth[k], by, b) for x in (a, b))
            if moved is not None:
                row[f"xla_{name}"] = max(row[f"xla_{name}"], moved[k][name])
            row[f"factor_{name}"] = row[f"ours_{name}"] / (row[f"xla_{name}"] + ULPS * own / 2)
        if row["xla_max"] > 0.5:
            row["undetermined"] = True  # Nothing but rounding: a sum that should be zero, or chaos.
        elif not np.isinf(row["ours_max"]) or row["ours_to_xla"] > 0:
            row["factor"] = min(row["factor_max"], row["factor_rms"])
    judged = [r for r in rows if "factor" in r]
    whole = [r for r in rows if "factor" not in r and "undetermined" not in r]
    found = {
        "outputs": len(rows),
        "judged_by": "f64" if truth is not None else "xla",
        "ours_to_xla": max((r["ours_to_xla"] for r in rows), default=0.0),
        "undetermined": sum("undetermined" in r for r in rows),
        "beyond": [r["output"] for r in judged if r["factor"] > 2],
    }
    state = "right"
    if judged:
        found |= {
            "worst": max(judged, key=lambda r: r["factor"]),
            "ours_error": max(r["ours_max"] for r in judged),
            "xla_error": max(r["xla_max"] for r in judged),
        }
        if found["beyond"]:
            state = (
                "wrong"
                if any(r["factor"] > 2 and r["ours_max"] > WRONG and r["xla_max"] < WRONG for r in judged)
                else "further"
            )
    if truth is None and not close(ours, theirs):
        state = "right" if found["ours_to_xla"] < 1e-3 else "apart"
    # Whole numbers that differ are no rounding, unless those in f64 differ from XLA's too.
    apart = [r["output"] for r in whole if r["ours_to_xla"] > 0]
    if truth is not None and any(error_of(theirs[k], truth[k], np.max) == 0 for k in apart):
        state, found["integers_apart"] = "wrong", apart
    return found | {"state": state}


def make_ours(options, folder):
    """Class of against_xla.py with a limit of time and the most memory a command held."""
    import against_xla

    class Limited(against_xla.Ours):
        def call(self, *words):
            began = time.perf_counter()
            with open(folder / "log", "w+") as log:
                child = subprocess.Popen([str(w) for w in (self.partita, *words)], stdout=log, stderr=log)
                signal.alarm(options.command_limit)
                try:
                    _, status, usage = os.wait4(child.pid, 0)
                except TimeoutError:
                    child.kill()
                    os.wait4(child.pid, 0)
                    raise RuntimeError(f"partita {words[0]}: more than {options.command_limit} s") from None
                finally:
                    signal.alarm(0)
                log.seek(0)
                said = log.read()
            self.took, self.peak = time.perf_counter() - began, usage.ru_maxrss * 1024
            self.cpu = usage.ru_utime + usage.ru_stime  # With what it started: the C compiler.
            code = os.waitstatus_to_exitcode(status)
            if code != 0:
                lines = [s for s in said.splitlines() if "error" in s.lower()] or said.splitlines() or ["nothing said"]
                raise RuntimeError(f"partita {words[0]}: exit {code}: {lines[0][:300]}")
            return said

    def expired(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, expired)
    return Limited


def steady(ours, xla, turns, row):
    """Times by turns, another side first each time."""
    import against_xla

    seconds = against_xla.SECONDS_PER_TURN
    own, theirs = ours.run(2)["median_s"], xla.seconds(2)
    count = lambda s: int(min(max(seconds / max(s, 1e-9), 1), 2000))  # noqa: E731
    pairs = []
    for turn in range(turns):
        if turn % 2 == 0:
            a = ours.run(max(2, count(own)))["median_s"]
            pairs.append((a, xla.seconds(count(theirs))))
        else:
            b = xla.seconds(count(theirs))
            pairs.append((ours.run(max(2, count(own)))["median_s"], b))
    ratios = sorted(b / a for a, b in pairs)
    quarter = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
    row |= {
        "ours_s": statistics.median(a for a, _ in pairs),
        "xla_s": statistics.median(b for _, b in pairs),
        "ratio": statistics.median(ratios),
        "spread": (quarter[2] - quarter[0]) / 2,
        "low": ratios[0],
        "high": ratios[-1],
        "load": os.getloadavg()[0],
    }


def run_target(options, target, case, row, save):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Compilers start with empty caches.
        os.environ["PARTITA_CACHE_DIR"] = str(folder / "cache")
        os.environ["POCL_CACHE_DIR"] = str(folder / "pocl")
        (folder / "pocl").mkdir()
        row["stage"] = "compile"
        save()
        ours = make_ours(options, folder)(
            options.partita, folder, case.text, case.arrays, ["--target", target, *options.flags.split()]
        )
        row |= {
            "ours_compile_s": ours.took,
            "ours_compile_cpu_s": ours.cpu,
            "ours_compile_peak": ours.peak,
            "stage": "first run",
        }
        save()
        own = ours.outputs()
        row |= {"ours_first_s": ours.took, "ours_peak": ours.peak, "stage": "results"}
        stats = json.loads((folder / "s.json").read_text())
        row |= {k: stats[k] for k in ("planned_bytes", "peak_arena_bytes", "held_bytes", "launches")}
        truth = None if close(own, case.results) else case.truth(row)
        row |= judge(own, case.results, truth)
        if row["state"] in ("wrong", "further") and judge(own, case.results, truth, case.moved())["state"] == "right":
            row["state"] = "edge"
        save()
        if options.turns > 0:
            row["stage"] = "times"
            steady(ours, case.xla, options.turns, row)
        row["stage"] = "done"
        save()


class Case:
    """A program as XLA compiles and runs it, and what each target's row says of that."""

    def __init__(self, options, program, stage):
        import against_xla
        import numpy as np

        stage("trace")
        began = time.perf_counter()
        self.text, self.arrays = lowered(program)
        self.facts = {
            "trace_s": time.perf_counter() - began,
            "text_bytes": len(self.text),
            "argument_bytes": int(sum(a.nbytes for a in self.arrays)),
        }
        if options.keep:
            (pathlib.Path(options.keep) / f"{program.name}.mlir").write_text(self.text)
        stage("xla")
        # XLA's first compilation in a process sets up LLVM.
        against_xla.Xla(
            "module @small { func.func public @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> } }",
            [np.float32(1)],
        ).run()
        began, cpu = time.perf_counter(), time.process_time()
        self.xla = against_xla.Xla(self.text, self.arrays)
        self.facts |= {"xla_compile_s": time.perf_counter() - began, "xla_compile_cpu_s": time.process_time() - cpu}
        began = time.perf_counter()
        self.results = [np.asarray(a) for a in self.xla.run()]
        memory = self.xla.program.get_compiled_memory_stats()
        self.facts |= {
            "xla_first_s": time.perf_counter() - began,
            "xla_temporaries": memory.temp_size_in_bytes,
            "xla_bytes": memory.temp_size_in_bytes
            + memory.argument_size_in_bytes
            + memory.output_size_in_bytes
            - memory.alias_size_in_bytes,
        }
        if options.keep:
            plain = {f"in{k}": against_xla.plain(a) for k, a in enumerate(self.arrays)}
            np.savez(
                pathlib.Path(options.keep) / f"{program.name}.io.npz",
                **plain,
                **{f"out{k}": against_xla.plain(a) for k, a in enumerate(self.results)},
            )
        self.wide = self.movements = None

    def moved(self):
        """By output: the most that XLA's results move, over runs whose floats are each another one next to the arguments'."""
        import numpy as np

        if self.movements is None:
            self.movements = [{"max": 0.0, "rms": 0.0} for _ in self.results]
            for seed in range(MOVES):
                random = np.random.default_rng(seed)
                near = [
                    np.nextafter(a, random.choice(np.float32([-np.inf, np.inf]), a.shape)) if a.dtype == np.float32 else a
                    for a in self.arrays
                ]
                self.xla.give(near)
                for most, moved, result in zip(self.movements, self.xla.run(), self.results, strict=True):
                    for name, by in BY.items():
                        most[name] = max(most[name], error_of(np.asarray(moved), result, by))
            self.xla.give(self.arrays)
        return self.movements

    def truth(self, row):
        """Results of the text in f64; None, with the reason in the row, where there are none."""
        import against_xla
        import numpy as np

        import wide

        if self.wide is None:
            try:
                self.wide = [
                    np.asarray(a)
                    for a in against_xla.Xla(wide.widen(self.text), [as_wide(a) for a in self.arrays]).run()
                ]
            except Exception as error:  # noqa: BLE001  (whatever MLIR or XLA raises is a remark)
                self.wide = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
        if isinstance(self.wide, str):
            row["f64"] = self.wide
            return None
        return self.wide


def serve(options):
    """Programs one after the other: a JSON line of (name, rows, whether that is all) at each stage of each."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_DATA, (options.memory << 30, options.memory << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import gc

    for name in options.serve.split(","):
        rows = {t: {"name": name, "target": t, "stage": "import"} for t in options.target}

        def say(last=False):
            out.write(json.dumps([name, list(rows.values()), last]) + "\n")
            out.flush()

        def stage(word):
            for row in rows.values():
                row["stage"] = word
            say()

        def fail(row, error):
            line = (str(error).strip().splitlines() or [""])[0]
            row |= {"state": f"failed: {row['stage']}", "error": f"{type(error).__name__}: {line}"[:500]}

        case = None
        try:
            stage("import")
            import programs

            case = Case(options, programs.PROGRAMS[name], stage)
        except Exception as error:  # noqa: BLE001  (whatever a package raises is its row)
            traceback.print_exc()
            for row in rows.values():
                fail(row, error)
        for target, row in rows.items() if case is not None else ():
            row |= case.facts
            try:
                run_target(options, target, case, row, say)
            except Exception as error:  # noqa: BLE001
                fail(row, error)
        say(True)
        del case
        gc.collect()
    return 0


# --- All of them ---


def run_some(options, names, targets, take):
    """Gives the rows of each name to `take`. Returns the names that are left when the process ended before them."""
    words = [
        sys.executable,
        str(HERE / "run.py"),
        "--serve",
        ",".join(names),
        "--target",
        ",".join(targets),
        "--partita",
        str(options.partita),
        "--turns",
        str(options.turns),
        "--memory",
        str(options.memory),
        "--command-limit",
        str(options.command_limit),
        f"--flags={options.flags}",
        *(["--keep", options.keep] if options.keep else []),
    ]
    variables = {
        "JAX_PLATFORMS": "cpu",
        "KERAS_BACKEND": "jax",
        "USE_TF": "0",
        # Equinox would call back into Python to raise.
        "EQX_ON_ERROR": "nan",
        "USE_TORCH": "0",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    at, rows = names[0], [{"name": names[0], "target": t, "stage": "start"} for t in targets]
    with tempfile.TemporaryDirectory() as folder, open(pathlib.Path(folder) / "log", "w+") as log:
        child = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            env=os.environ | variables | {"TMPDIR": folder},
        )
        began, buffer, left = time.monotonic(), b"", list(names)
        while left:
            ready, _, _ = select.select([child.stdout], [], [], max(0.0, began + options.limit - time.monotonic()))
            piece = os.read(child.stdout.fileno(), 1 << 20) if ready else b""
            if not piece:
                break
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                at, rows, last = json.loads(line)
                if last:
                    take(at, rows, time.monotonic() - began)
                    began = time.monotonic()
                    left.remove(at)
                    rows = [{"name": left[0], "target": t, "stage": "start"} for t in targets] if left else []
        if left:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        code = child.wait()
        if not left:
            return []
        log.seek(0)
        said = [s for s in log.read().splitlines() if s.strip()]
        reason = (
            f"more than {options.limit} s"
            if time.monotonic() - began >= options.limit
            else f"exit {code}: {said[-1][:300] if said else ''}"
        )
        for row in rows:
            if row["stage"] != "done" and "error" not in row:
                row |= {"state": f"failed: {row['stage']}", "error": reason}
        take(left[0], rows, time.monotonic() - began)
        return left[1:]


def short(row):
    if "ratio" not in row:
        return f"{row['state']}: {row.get('error', '')[:120]}"
    return (
        f"{row['state']}; factor {row.get('worst', {}).get('factor', 0):.2f}; {row['ratio']:.2f} x; compile "
        f"{row['ours_compile_s'] / row['xla_compile_s']:.2f}; "
        f"bytes {row['planned_bytes'] / max(row['xla_bytes'], 1):.2f}"
    )


def parse():
    parser = argparse.ArgumentParser(description="The zoo's programs by partita and by XLA for the CPU")
    parser.add_argument("--list", action="store_true", help="list programs, with family and package")
    parser.add_argument("--only", default="", help="regular expression that names match")
    parser.add_argument("--family", default="", help="regular expression that families match")
    parser.add_argument("--large", action="store_true", help="the large ones too")
    parser.add_argument("--target", default="cpu", help="targets, with commas between")
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("zoo.json"))
    parser.add_argument("--again", help="regular expression of names whose rows are made anew")
    parser.add_argument("--turns", type=int, default=5, help="0: results alone")
    parser.add_argument("--limit", type=int, default=900, help="seconds of a program")
    parser.add_argument("--command-limit", type=int, default=300, help="seconds of a command of partita")
    parser.add_argument("--memory", type=int, default=12, help="GiB of a process")
    parser.add_argument("--keep", help="folder for texts and results")
    parser.add_argument("--flags", default="", help="more options of partita compile")
    parser.add_argument("--partita", default=HERE.parent.parent / "build/release/bin/partita")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.target = options.target.split(",")
    return options


def main():
    options = parse()
    if options.serve:
        return serve(options)
    import programs

    chosen = [
        p
        for p in programs.PROGRAMS.values()
        if re.search(options.only, p.name)
        and re.search(options.family, p.family)
        and (options.large or not p.large or options.only == p.name)
    ]
    if options.list:
        for p in chosen:
            print(f"{p.name:40} {p.family:14} {p.package}{'  large' if p.large else ''}")
        return 0
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    rows = json.loads(options.json.read_text()) if options.json.exists() else []
    if options.again:
        rows = [r for r in rows if not (re.search(options.again, r["name"]) and r["target"] in options.target)]
    by_name = {p.name: p for p in chosen}

    def take(name, found, seconds):
        p = by_name[name]
        for row in found:
            rows.append({"family": p.family, "package": p.package, "large": p.large} | row | {"took_s": seconds})
            print(f"{name} {row['target']}: {short(row)}", flush=True)
        temporary = options.json.with_suffix(".part")
        temporary.write_text(json.dumps(rows, indent=1) + "\n")
        temporary.replace(options.json)

    # Programs of a package share a process, one at a time, since imports take longer than most programs.
    waiting = {}
    for p in chosen:
        have = {r["target"] for r in rows if r["name"] == p.name}
        targets = tuple(t for t in options.target if t not in have)
        if targets:
            waiting.setdefault((p.package, targets), []).append(p.name)
    for (_, targets), names in waiting.items():
        while names:
            names = run_some(options, names, targets, take)
    return 1 if any(r["state"] not in ("right",) for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

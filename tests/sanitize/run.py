#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Runs generated C of target cpu under clang's memory sanitizer and valgrind, compiled by gcc and clang at -O1 and -O3.

Each program becomes C (`partita compile --emit c --gemm generated`) and runs in a small host whose memory holds nothing
yet: what reads it before it was written, leaves part of a result unwritten or writes an argument fails, and so does a
result that is not the recorded one or depends on what memory held. --list names configurations; --budget begins
nothing after so many seconds, in a fixed order: each round runs every program, in another configuration than before and
than the program's neighbours. Exit status 77 where a tool is missing, and 1 for findings.
Standard library only.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import programs  # noqa: E402

SOURCE = HERE.parent.parent
VALGRIND = ["valgrind", "-q", "--error-exitcode=8", "--leak-check=no", "--expensive-definedness-checks=yes", "--max-stackframe=8000000"]
MSAN = ["-fsanitize=memory", "-fsanitize-memory-track-origins", "-fno-omit-frame-pointer"]
# Reports name functions and lines; valgrind 3.19 does not read what clang 16 writes by itself.
READABLE = ["-g1", "-gdwarf-4", "-fasynchronous-unwind-tables"]
# Filled with a byte; the second time launches are shared in parts.
FILLED = [["0"], ["255", "3"]]


class Configuration:
    def __init__(self, tool, compiler, level, optimisation):
        self.tool, self.compiler, self.level, self.optimisation = tool, compiler, level, optimisation
        self.name = f"{tool}:{compiler}:{level}:{optimisation}"

    def lacks(self):
        """What this machine has not got for it; or nothing."""
        for tool in [self.compiler] + (["valgrind"] if self.tool == "valgrind" else []):
            if programs.missing(tool):
                return tool
        flags = pathlib.Path("/proc/cpuinfo").read_text()
        if self.level == "x86-64-v3" and " avx2 " not in flags:
            return "a processor with AVX2"
        if self.tool == "msan":
            test = ["-fsanitize=memory", "-x", "c", "-", "-o", "/dev/null"]
            if subprocess.run([self.compiler, *test], input=b"int main(void) { return 0; }", capture_output=True).returncode != 0:
                return f"the memory sanitizer's runtime of {self.compiler} (libclang-rt-16-dev)"
        return None


def configurations():
    msan = [Configuration("msan", "clang-16", "native", o) for o in ("-O1", "-O3")]
    both = [(c, o) for o in ("-O3", "-O1") for c in ("gcc", "clang-16")]
    valgrind = [Configuration("valgrind", c, level, o) for level in ("x86-64-v3", "x86-64-v2") for c, o in both]
    # valgrind has no AVX-512.
    plain = [Configuration("plain", c, "native", o) for c, o in both]
    return msan + valgrind + plain


def rounds(all_programs, all_configurations):
    """Pairs of a program and a configuration, in the order in which they run: every program once before any twice."""
    n = len(all_configurations)
    return [(p, all_configurations[(k + r) % n]) for r in range(n) for k, p in enumerate(all_programs)]


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder, self.begin = options, folder, time.monotonic()
        self.findings, self.unfinished, self.passed, self.spent, self.lock = [], [], 0, {}, threading.Lock()
        self.without_object_code = set()

    def seconds(self):
        return time.monotonic() - self.begin

    def limit(self):
        """Seconds that a command may take; with a budget, little more than what is left of it."""
        if not self.options.budget:
            return self.options.limit
        return max(5, min(self.options.limit, self.options.budget + 20 - self.seconds()))

    def build(self, program, configuration):
        folder, flags = program.emit(self.folder, configuration.level)
        flags = [f for f in flags if not re.fullmatch(r"-O\d|-pipe", f)] + [configuration.optimisation, *READABLE]
        binary = folder / re.sub(r"\W", "_", configuration.name)
        sanitizer = MSAN if configuration.tool == "msan" else []
        objects = []
        # The driver without the flags of generated code, which hide warnings.
        for stem, own in (("p", flags), ("driver", ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", *READABLE])):
            source = folder / "p.c" if stem == "p" else HERE / "driver.c"
            assembly = pathlib.Path(f"{binary}.{stem}.s")
            objects.append(assembly.with_suffix(".o"))
            command = [configuration.compiler, *own, *sanitizer, f"-I{folder}"]
            programs.run([*command, "-S", source, "-o", assembly], timeout=self.limit())
            # valgrind 3.19 does not know the short form of these.
            text = re.sub(rb"^\tvmovq\t(?=%xmm\d+, %xmm)", b"\t{vex3} vmovq\t", assembly.read_bytes(), flags=re.M)
            assembly.write_bytes(text)
            programs.run([configuration.compiler, "-c", assembly, "-o", objects[-1]], timeout=self.limit())
        programs.run([configuration.compiler, *sanitizer, *objects, "-o", binary, "-lm"], timeout=self.limit())
        return folder, binary

    def problems(self, program, configuration):
        folder, binary = self.build(program, configuration)
        own = pathlib.Path(f"{binary}.d")
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        for k in range(len(program.inputs)):
            (own / f"in{k}").symlink_to(folder / f"in{k}")
        if configuration.tool == "msan":
            return self.drive([binary, own, "left"], program, own)
        found, results = [], []
        for filled in FILLED:
            found += self.drive([binary, own, *filled], program, own)
            results.append([(own / f"out{k}").read_bytes() for k in range(len(program.expected))])
        differing = [k for k, (first, second) in enumerate(zip(*results)) if first != second]
        found += [f"out{k}: other bits where memory held something else or launches were shared" for k in differing]
        if configuration.tool == "valgrind":
            wrong = self.drive([*VALGRIND, binary, own, "left"], program, own)
            # Where a value comes from takes twice the time to know.
            found += wrong and (self.drive([*VALGRIND, "--track-origins=yes", binary, own, "left"], program, own) or wrong)
        return found

    def drive(self, command, program, own):
        """Runs the host and says what is wrong."""
        try:
            programs.run(command, timeout=self.limit())
        except programs.Refused as error:
            return [str(error)]
        wrong = program.problems(own)
        return [" ".join(map(str, command)) + ":", *wrong] if wrong else []

    def one(self, pair):
        program, configuration = pair
        if self.options.budget and self.seconds() > self.options.budget:
            return
        begin, result = time.monotonic(), None
        try:
            problems = self.problems(program, configuration)
        except programs.NoObjectCode:
            with self.lock:
                self.without_object_code.add(program.name)
            return
        except programs.Refused as error:
            problems = [str(error)]
        except subprocess.TimeoutExpired as error:
            problems, result = [], f"not finished within {error.timeout:.0f} s"
        seconds = time.monotonic() - begin
        with self.lock:
            self.spent[configuration.name] = self.spent.get(configuration.name, 0) + seconds
            if problems:
                self.findings.append((program.name, configuration.name))
                result = "FOUND\n  " + "\n".join(problems).replace("\n", "\n  ")
            elif result:
                self.unfinished.append((program.name, configuration.name))
            else:
                self.passed += 1
            if result or self.options.verbose:
                print(f"{seconds:6.1f} s  {program.name} {configuration.name}: {result or 'ok'}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path, help="programs instead of all known ones")
    parser.add_argument("--budget", type=float, help="begin nothing after so many seconds")
    parser.add_argument("--limit", type=float, default=900, help="seconds for one command")
    parser.add_argument("--only", default="", help="regular expression of configurations")
    parser.add_argument("--keep", type=pathlib.Path, help="folder in which all files stay")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="name what passes too")
    return parser.parse_args()


def folder_of(variable, default):
    path = pathlib.Path(os.environ.get(variable) or default)
    return path if path.is_dir() else None


def main():
    options = arguments()
    chosen = [c for c in configurations() if re.search(options.only, c.name)]
    if options.list:
        print("\n".join(c.name for c in chosen))
        return 0
    lacks = {c.name: what for c in chosen if (what := c.lacks())}
    for name, what in lacks.items():
        print(f"skipped {name}: expected {what}, found none")
    chosen = [c for c in chosen if c.name not in lacks]
    if not chosen:
        return 77
    partita = pathlib.Path(os.environ.get("PARTITA_BIN_DIR") or SOURCE / "build/release/bin") / "partita"
    if options.programs:
        subjects = [s for path in options.programs for s in programs.programs_of(partita, path.resolve())]
    else:
        corpus = folder_of("PARTITA_CORPUS", SOURCE / "../shared/conformance")
        shared = folder_of("PARTITA_REAL", (corpus or SOURCE) / "../real")
        print(f"corpus: {corpus or 'not here'}; programs of users: {shared or 'not here'}")
        subjects = programs.all_programs(partita, SOURCE, corpus, shared)
    pairs = rounds(subjects, chosen)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options, options.keep or pathlib.Path(scratch))
        list(pool.map(runner.one, pairs))
    for name, seconds in runner.spent.items():
        print(f"{seconds:7.0f} s  {name}")
    print(f"{len(subjects)} programs, {len(chosen)} configurations: {runner.passed} of {len(pairs)} passed, "
          f"{len(runner.findings)} findings, {len(runner.unfinished)} not finished, {runner.seconds():.0f} s")  # fmt: skip
    if runner.without_object_code:
        print("call LAPACK, so are no object code:", ", ".join(sorted(runner.without_object_code)))
    for program, configuration in sorted(runner.findings):
        print(f"FOUND {program} {configuration}")
    if runner.findings or (runner.unfinished and not options.budget):
        return 1
    return 77 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())

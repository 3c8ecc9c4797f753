#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Runs JAX's own tests on a platform, file by file, and compares two such runs.

    tools/jax_tests.py run --tests DIR --out RESULTS --platforms partita,cpu [--sample K/N] [--not-passed OTHER] [FILE...]
    tools/jax_tests.py compare BASE RESULTS [--table] [--of-others]

DIR is the folder tests/ of JAX's repository at the commit of the installed jaxlib (jaxlib.version.__git_hash__).  `run`
takes each file in a process of its own with a limit; a test that ends the process is noted as such and the file goes on
after it.  RESULTS gets a file FILE.jsonl with a line for each test, so that a run that was interrupted goes on where it
was.  `compare` counts, of the tests that pass in BASE, those that pass in RESULTS; --table prints them by file in
Markdown, with the causes of failures.  A base that has run only what does not pass in RESULTS (--not-passed RESULTS) takes
a fraction of the time; with --of-others what passes in RESULTS counts as passing in it.  The plugin is found by
PARTITA_LIBRARY_FOLDER or where it is installed.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

#: Files whose matter is callbacks, Pallas, Mosaic, several processes or other platforms' own.
LEFT_OUT = re.compile(
    r"(pallas|mosaic|multiprocess|python_callback|buffer_callback|debugging_primitives|debugger|gpu|cudnn|distributed"
    r"|colocated|pytorch|profiler|pgle|ffi|magma|export_back_compat|notebooks|local_wheel|triton|tpu|jax_to_ir)")

#: A line of results: what became of a test, by its name within the file.
OUTCOMES = ("passed", "failed", "skipped", "crashed", "timeout")


# --- Inside of pytest -----------------------------------------------------------------------------------


def _record(**entry):
    with open(os.environ["PARTITA_JAX_TESTS_RECORD"], "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _is_in_sample(name):
    k, n = map(int, os.environ.get("PARTITA_JAX_TESTS_SAMPLE", "0/1").split("/"))
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % n == k


def pytest_configure(config):
    """Tests that name the devices they are for run where one of those is among --tags."""
    del config
    from jax._src import test_util

    known, own = test_util._get_device_tags, set(os.environ.get("PARTITA_JAX_TESTS_TAGS", "").split())
    test_util._get_device_tags = lambda: known() | own


def pytest_collection_modifyitems(config, items):
    record = pathlib.Path(os.environ["PARTITA_JAX_TESTS_RECORD"])
    left_out = set(read_results(record)[0])
    if other := os.environ.get("PARTITA_JAX_TESTS_NOT_PASSED"):
        left_out |= passed(read_results(pathlib.Path(other) / record.name)[0])
    kept = [i for i in items if _is_in_sample(_name(i.nodeid)) and _name(i.nodeid) not in left_out]
    config.hook.pytest_deselected(items=[i for i in items if i not in kept])
    items[:] = kept


def _name(nodeid):
    return nodeid.partition("::")[2]


def pytest_runtest_logstart(nodeid, location):
    del location
    _record(test=_name(nodeid), outcome="begun")


def pytest_runtest_logreport(report):
    is_outcome = report.when == "call" or (report.when == "setup" and report.outcome != "passed")
    if not is_outcome:
        return
    text = ""
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        text = report.longrepr[2]
    elif report.outcome == "failed":
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(report.longrepr)
    _record(test=_name(report.nodeid), outcome=report.outcome, text=text[:2000], seconds=round(report.duration, 3))


# --- Running --------------------------------------------------------------------------------------------


def read_results(path):
    """What became of each test; one that began and did not end is none."""
    results, begun = {}, None
    if not path.exists():
        return results, begun
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["outcome"] == "begun":
            begun = entry["test"]
        else:
            results[entry["test"]] = entry
            begun = None
    return results, begun


def passed(results):
    return {test for test, entry in results.items() if entry["outcome"] == "passed"}


def run_file(args, file, record):
    environment = dict(
        os.environ,
        JAX_PLATFORMS=args.platforms,
        PARTITA_NUM_DEVICES="8",
        XLA_FLAGS="--xla_force_host_platform_device_count=8",
        JAX_SKIP_SLOW_TESTS="1",
        JAX_NUM_GENERATED_CASES=str(args.cases),
        PARTITA_JAX_TESTS_RECORD=str(record),
        PARTITA_JAX_TESTS_SAMPLE=args.sample,
        PARTITA_JAX_TESTS_TAGS=args.tags,
        PARTITA_JAX_TESTS_NOT_PASSED=str(args.not_passed.resolve()) if args.not_passed else "",
        PYTHONPATH=os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    )
    begin = time.monotonic()
    while True:
        left = args.limit - (time.monotonic() - begin)
        if left <= 0:
            return "limit"
        command = [args.python, "-m", "pytest", "-q", "-p", "jax_tests", "-p", "no:cacheprovider", "-o", "addopts=",
                   f"--timeout={args.test_limit}", "--timeout-method=thread", file.name]
        try:
            done = subprocess.run(command, cwd=file.parent, env=environment, capture_output=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            done = None
        results, begun = read_results(record)
        if begun is None:
            if done is not None and done.returncode not in (0, 1, 5):
                sys.stderr.write(done.stdout.decode(errors="replace")[-2000:])
                return f"pytest ended with {done.returncode}"
            return "done" if done is not None else "limit"
        text = "" if done is None else done.stderr.decode(errors="replace")[-1500:]
        is_timeout = done is None or "Timeout" in (done.stdout + done.stderr).decode(errors="replace")
        with open(record, "a", encoding="utf-8") as out:
            outcome = "timeout" if is_timeout else "crashed"
            out.write(json.dumps({"test": begun, "outcome": outcome, "text": text}) + "\n")


def run(args):
    args.out.mkdir(parents=True, exist_ok=True)
    files = [args.tests / f for f in args.files] or sorted(args.tests.glob("*_test.py"))
    for file in files:
        if not args.files and LEFT_OUT.search(file.name):
            continue
        begin = time.monotonic()
        record = (args.out / (file.stem + ".jsonl")).resolve()
        ended = run_file(args, file, record)
        counts = collections.Counter(e["outcome"] for e in read_results(record)[0].values())
        print(f"{file.name:44} {time.monotonic() - begin:6.0f} s  {ended:5} ",
              ", ".join(f"{counts[o]} {o}" for o in OUTCOMES if counts[o]), flush=True)


# --- Comparing ------------------------------------------------------------------------------------------


def cause_of(entry):
    """The first line of a failure without what differs from test to test."""
    lines = [line for line in entry.get("text", "").splitlines() if line.strip()] or [""]
    line = lines[0] if entry["outcome"] == "failed" else f"{entry['outcome']}: {lines[-1]}"
    return re.sub(r"0x[0-9a-f]+|\d+", "N", line)[:140]


def compare(args):
    rows, causes, total, good_in_all, skipped = [], collections.Counter(), 0, 0, 0
    for base_file in sorted((args.results if args.of_others else args.base).glob("*.jsonl")):
        base, _ = read_results(args.base / base_file.name)
        ours, _ = read_results(args.results / base_file.name)
        wanted = passed(base) | (passed(ours) if args.of_others else set())
        found = {t: ours[t] for t in wanted if t in ours}
        good = len(passed(found))
        total += len(wanted)
        good_in_all += good
        own = collections.Counter(cause_of(e) for e in found.values() if e["outcome"] != "passed")
        own.update({"not run": len(wanted) - len(found)} if len(wanted) > len(found) else {})
        skipped += sum(e["outcome"] == "skipped" for e in found.values())
        causes.update(own)
        if wanted:
            rows.append((base_file.stem, len(wanted), good, own))
    if args.table:
        print("| file | pass on XLA:CPU | pass here | causes |\n|---|---|---|---|")
        for name, wanted, good, own in rows:
            text = "; ".join(f"{count} × {cause}" for cause, count in own.most_common(3)).replace("|", "\\|")
            print(f"| {name} | {wanted} | {good} | {text} |")
    for cause, count in causes.most_common(args.causes):
        print(f"{count:6}  {cause}")
    print(f"{good_in_all} of {total} tests that pass on the base pass here ({100 * good_in_all / max(total, 1):.1f} %), {skipped}"
          f" skip themselves: of the others {100 * good_in_all / max(total - skipped, 1):.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("--tests", type=pathlib.Path, required=True)
    one.add_argument("--out", type=pathlib.Path, required=True)
    one.add_argument("--platforms", required=True)
    one.add_argument("--python", default=sys.executable)
    one.add_argument("--sample", default="0/1", help="K/N: every N-th test, by its name")
    one.add_argument("--tags", default="", help="kinds of devices, such as cpu, whose own tests are run as well")
    one.add_argument("--not-passed", type=pathlib.Path, help="results of another run: only what does not pass there")
    one.add_argument("--cases", type=int, default=10, help="generated cases of a test")
    one.add_argument("--limit", type=float, default=3600, help="seconds for a file")
    one.add_argument("--test-limit", type=float, default=300, help="seconds for a test")
    one.add_argument("files", nargs="*")
    one.set_defaults(function=run)
    two = commands.add_parser("compare")
    two.add_argument("base", type=pathlib.Path)
    two.add_argument("results", type=pathlib.Path)
    two.add_argument("--table", action="store_true")
    two.add_argument("--of-others", action="store_true", help="BASE has run only what does not pass in RESULTS")
    two.add_argument("--causes", type=int, default=40)
    two.set_defaults(function=compare)
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()

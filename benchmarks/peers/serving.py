# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""A peer's side of the pipe: one JSON object per line, as benchmarks/README.md says.

Standard output is the pipe; whatever libraries print goes to standard error.
"""
import ctypes
import json
import os
import sys
import time

CLEAR_PEAK = "5"  # see proc(5), clear_refs


def memory_kib(field):
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise RuntimeError(f"/proc/self/status: expected {field}")


def reset_peak():
    """Gives freed memory back and forgets the peak; returns the bytes now resident."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write(CLEAR_PEAK)
    return 1024 * memory_kib("VmRSS")


def serve(pipe, round_fn, save_outputs, facts):
    """Runs one round that is not timed, says hello with `facts`, then answers until told to quit."""
    begin = time.perf_counter()
    round_fn()
    first = time.perf_counter() - begin
    at_reset = reset_peak()
    answer(pipe, {"ready": True, "first_round_s": first, **facts})
    for line in sys.stdin:
        request = json.loads(line)
        what = request["do"]
        if what == "rounds":
            seconds = []
            for _ in range(request["count"]):
                begin = time.perf_counter()
                round_fn()
                seconds.append(time.perf_counter() - begin)
            answer(pipe, {"seconds": seconds})
        elif what == "memory":
            peak = 1024 * memory_kib("VmHWM")
            answer(pipe, {"peak_bytes": peak, "growth_bytes": max(0, peak - at_reset)})
        elif what == "outputs":
            save_outputs(request["path"])
            answer(pipe, {})
        elif what == "quit":
            return
        else:
            raise ValueError(f"expected rounds, memory, outputs or quit, found {what}")


def answer(pipe, value):
    pipe.write(json.dumps(value) + "\n")
    pipe.flush()


def take_stdout():
    """The pipe; from here on descriptor 1 is standard error."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return pipe

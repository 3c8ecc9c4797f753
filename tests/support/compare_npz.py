#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""compare_npz.py FOUND EXPECTED [--prefix out] [--rtol R --atol A]

Compares the arrays of EXPECTED whose names start with the prefix with those of FOUND; exit status 1 where one is
missing, differs in type or shape, or departs by more than atol + rtol * |expected| (default: by dtype; integers and
booleans exactly). NaN equals NaN, infinities by sign, -0 equals +0. Standard library only.
"""

import argparse
import math
import struct
import sys

import npz

TOLERANCES = {"f2": (1e-3, 1e-3), "f4": (1e-5, 1e-4), "f8": (1e-10, 1e-10), "c8": (1e-5, 1e-4), "c16": (1e-10, 1e-10)}
CODES = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
CODES |= {"f2": "e", "f4": "f", "f8": "d", "c8": "ff", "c16": "dd"}


class Array:
    """Of an .npy file: dtype, shape, and values as a flat list in C order."""

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape = dtype[1:], shape
        code, count = CODES[self.dtype], math.prod(shape)
        numbers = struct.unpack(f"<{code * count if len(code) > 1 else str(count) + code}", data)
        self.values = list(map(complex, numbers[::2], numbers[1::2])) if len(code) > 1 else list(numbers)


def read(path, prefix):
    return {name: Array(*array) for name, array in npz.read_npz(path).items() if name.startswith(prefix)}


def excess(found, expected, atol, rtol):
    """How far outside the tolerance: at most 1 is inside."""
    if isinstance(expected, complex):
        return max(excess(found.real, expected.real, atol, rtol), excess(found.imag, expected.imag, atol, rtol))
    if found == expected or (found != found and expected != expected):
        return 0.0
    allowed = atol + rtol * abs(expected)
    if not math.isfinite(found) or not math.isfinite(expected) or allowed == 0:
        return math.inf
    return abs(found - expected) / allowed


def problem(name, found, expected, options):
    """What is wrong with one array, or nothing."""
    if found is None:
        return f"{name}: expected an array, found none"
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{name}: expected {expected.dtype} {expected.shape}, found {found.dtype} {found.shape}"
    atol, rtol = TOLERANCES.get(expected.dtype, (0, 0))
    atol, rtol = options.atol if options.atol is not None else atol, options.rtol if options.rtol is not None else rtol
    outside = [excess(f, e, atol, rtol) for f, e in zip(found.values, expected.values)]
    wrong = sum(e > 1 for e in outside)
    if not wrong:
        return None
    i = max(range(len(outside)), key=outside.__getitem__)
    return (
        f"{name}: {wrong} of {len(outside)} elements differ; element {i}: expected {expected.values[i]}, "
        f"found {found.values[i]} (atol {atol}, rtol {rtol})"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("found")
    parser.add_argument("expected")
    parser.add_argument("--prefix", default="out")
    parser.add_argument("--rtol", type=float)
    parser.add_argument("--atol", type=float)
    options = parser.parse_args()
    found, expected = read(options.found, options.prefix), read(options.expected, options.prefix)
    problems = [problem(n, found.get(n), a, options) for n, a in sorted(expected.items())]
    problems += [f"{n}: expected no such array" for n in sorted(found.keys() - expected.keys())]
    if not expected:
        problems.append(f"{options.expected}: expected arrays named {options.prefix}*, found none")
    for line in filter(None, problems):
        print(line)
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""small_float_program.py TYPE EXPONENT_BITS MANTISSA_BITS (ieee|finite) NUMPY_CODE PREFIX

Writes PREFIX.mlir, a program of conversions, arithmetic, reductions and products in the 8-bit float TYPE, PREFIX.npz with
arguments and what exact arithmetic makes of them (arrays of TYPE by their NumPy code), and PREFIX.f32.npz with the same
results as an artifact's run writes them (arrays of TYPE as float32). Standard library only.
"""

import math
import random
import struct
import sys
import zipfile
from fractions import Fraction

TYPE, NUMPY = sys.argv[1], sys.argv[5]
EXPONENT, MANTISSA, HAS_INFINITY = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "ieee"
BIAS = 2 ** (EXPONENT - 1) - 1
INFINITY, NAN = math.inf, math.nan


def decode(bits):
    """What eight bits stand for."""
    sign = -1.0 if bits & 128 else 1.0
    exponent, mantissa = (bits & 127) >> MANTISSA, bits & (2**MANTISSA - 1)
    if exponent == 2**EXPONENT - 1:
        if HAS_INFINITY:
            return NAN if mantissa else sign * INFINITY
        if mantissa == 2**MANTISSA - 1:
            return NAN
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - BIAS - MANTISSA)
    return sign * (2**MANTISSA + mantissa) * 2.0 ** (exponent - BIAS - MANTISSA)


VALUES = [decode(b) for b in range(256)]
FINITE = [b for b in range(128) if math.isfinite(VALUES[b])]
QUIET_NAN = 127 if not HAS_INFINITY else ((2**EXPONENT - 1) << MANTISSA) | 1 << (MANTISSA - 1)
OVERFLOW = FINITE[-1] + 1  # infinity, or the NaN
# Where numbers begin that are too large: half a step beyond the largest.
LARGEST = Fraction(VALUES[FINITE[-1]])
TOO_LARGE = LARGEST + (LARGEST - Fraction(VALUES[FINITE[-2]])) / 2


def encode(x):
    """The bits of the nearest value, of two the even one."""
    if isinstance(x, float) and math.isnan(x):
        return QUIET_NAN
    is_negative = math.copysign(1, x) < 0 if isinstance(x, float) else x < 0
    sign = 128 if is_negative else 0
    if x in (INFINITY, -INFINITY):
        return sign | OVERFLOW
    size = abs(Fraction(x))
    if size > TOO_LARGE or (size == TOO_LARGE and FINITE[-1] % 2 == 1):
        return sign | OVERFLOW
    return sign | min(FINITE, key=lambda b: (abs(Fraction(VALUES[b]) - size), b % 2))


def rounded(x):
    return VALUES[encode(x)]


class Array:
    """Shape, elements, and the type's name in programs and in .npy files; bits of TYPE and of bf16."""

    CODES = {"f32": ("<f4", "f"), "bf16": ("<V2", "H"), "i8": ("|i1", "b"), "ui8": ("|u1", "B"), "i1": ("|b1", "?"), TYPE: ("<" + NUMPY, "B")}

    def __init__(self, dtype, shape, elements):
        self.dtype, self.shape, self.elements = dtype, shape, elements

    def type(self):
        return f"tensor<{''.join(f'{n}x' for n in self.shape)}{self.dtype}>"

    def widened(self):
        return Array("f32", self.shape, [VALUES[b] for b in self.elements]) if self.dtype == TYPE else self

    def npy(self):
        descr, code = self.CODES[self.dtype]
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(self.shape)}, }}\n".encode()
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(self.elements)}{code}", *self.elements)


def as_f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bf16_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def neighbours(x):
    """The f32 before and after a number that is no zero."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return [struct.unpack("<f", struct.pack("<I", b))[0] for b in (bits - 1, bits + 1)]


def arguments():
    rng = random.Random(1)
    floats = [0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e30, 1e-30, float(TOO_LARGE), -float(TOO_LARGE)]
    floats += neighbours(float(TOO_LARGE))
    for low, high in zip(FINITE, FINITE[1:]):  # each value, the middle to the next, and what lies beside that
        middle = (VALUES[low] + VALUES[high]) / 2
        floats += [VALUES[high], middle, -middle, *neighbours(middle), *(-m for m in neighbours(middle))]
    floats += [as_f32(rng.uniform(-8, 8)) for _ in range(1024 - len(floats))]
    halves = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in floats[16:512]]
    pairs = [(a, b) for a in range(0, 256, 3) for b in range(0, 256, 5)]
    eighths = [encode(x) for x in (0.5, -0.5, 1.0, -1.0, 2.0, 1.5, -3.0, 0.0)]
    every = list(range(256))
    return [
        Array(TYPE, [256], every),
        Array("f32", [len(floats)], floats),
        Array("bf16", [len(halves)], halves),
        Array("i8", [256], [b - 128 for b in every]),
        Array(TYPE, [len(pairs)], [a for a, _ in pairs]),
        Array(TYPE, [len(pairs)], [b for _, b in pairs]),
        Array(TYPE, [6, 40], [rng.choice(eighths) for _ in range(240)]),
        Array(TYPE, [40, 5], [rng.choice(eighths) for _ in range(200)]),
        Array("ui8", [256], every),
        Array("f32", [256], VALUES),
    ]


def saturated(x):
    return 0 if math.isnan(x) else int(max(-128, min(127, x)))


def larger(a, b):
    if math.isnan(a) or math.isnan(b):
        return NAN
    return a if (a, math.copysign(1, a)) > (b, math.copysign(1, b)) else b


def product(a, b):
    return NAN if math.isnan(a) or math.isnan(b) or (INFINITY in (abs(a), abs(b)) and 0 in (a, b)) else a * b


def reduced(bits):
    """With one bit of the mantissa, rounded to nearest even."""
    if math.isnan(VALUES[bits]):
        return bits
    step = 2 ** (MANTISSA - 1)
    magnitude = round(Fraction(bits & 127, step)) * step
    return bits & 128 | (magnitude if magnitude <= FINITE[-1] else OVERFLOW)


def order(bits):
    """-NaN first, -0 before +0, NaN last."""
    return -(bits & 127) - 1 if bits & 128 else bits


def results(args):
    every, floats, halves, integers, a, b, lhs, rhs, bits, decoded = (x.elements for x in args)
    pairs = [(VALUES[x], VALUES[y]) for x, y in zip(a, b)]
    m, k, n = 6, 40, 5
    rows = [[VALUES[x] for x in lhs[i * k : i * k + k]] for i in range(m)]
    columns = [[VALUES[x] for x in rhs[j::n]] for j in range(n)]
    dots = [sum(Fraction(x) * Fraction(y) for x, y in zip(r, c)) for r in rows for c in columns]
    short = [sum(Fraction(x) * Fraction(y) for x, y in zip(r[:3], c[:3])) for r in rows for c in columns]

    def of_type(shape, values):
        return Array(TYPE, shape, [encode(v) for v in values])

    return [
        ("%r0 = stablehlo.convert %every", Array("f32", [256], VALUES)),
        ("%r1 = stablehlo.convert %floats", of_type([len(floats)], floats)),
        ("%r2 = stablehlo.convert %halves", of_type([len(halves)], map(bf16_value, halves))),
        ("%r3 = stablehlo.convert %integers", of_type([256], map(float, integers))),
        ("%r4 = stablehlo.convert %every", Array("i8", [256], [saturated(v) for v in VALUES])),
        ("%r5 = stablehlo.convert %decoded", of_type([256], decoded)),
        ("%r6 = stablehlo.bitcast_convert %bits", Array(TYPE, [256], bits)),
        ("%r7 = stablehlo.add %a, %b", of_type([len(pairs)], [x + y for x, y in pairs])),
        ("%r8 = stablehlo.multiply %a, %b", of_type([len(pairs)], [product(x, y) for x, y in pairs])),
        ("%r9 = stablehlo.maximum %a, %b", of_type([len(pairs)], [larger(x, y) for x, y in pairs])),
        ("%r10 = stablehlo.compare LT, %a, %b", Array("i1", [len(pairs)], [x < y for x, y in pairs])),
        ("%r11 = stablehlo.reduce(%lhs init: %zero) applies stablehlo.add across dimensions = [1]", of_type([m], [sum(map(Fraction, r)) for r in rows])),
        ("%r12 = stablehlo.reduce(%lhs init: %lowest) applies stablehlo.maximum across dimensions = [1]", of_type([m], [max(r) for r in rows])),
        ("%r13 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0]", Array("f32", [m, n], [float(d) for d in dots])),
        ("%r14 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0]", of_type([m, n], dots)),
        ("%r15 = stablehlo.dot_general %short_lhs, %short_rhs, contracting_dims = [1] x [0]", of_type([m, n], short)),
        ("%r16 = stablehlo.bitcast_convert %r5", Array("ui8", [256], list(map(encode, decoded)))),
        ("%r17 = stablehlo.reduce_precision %every, format = e8m1", Array(TYPE, [256], list(map(reduced, every)))),
        ("%r18 = stablehlo.compare LT, %a, %b, TOTALORDER", Array("i1", [len(pairs)], [order(x) < order(y) for x, y in zip(a, b)])),
        ('%r19 = "mr.reduce_sum"(%lhs) {placement = "parts"}', of_type([k], [sum(map(Fraction, column)) for column in zip(*rows)])),
    ]


def program(args, outs):
    names = ["every", "floats", "halves", "integers", "a", "b", "lhs", "rhs", "bits", "decoded"]
    types = {f"%{name}": x.type() for name, x in zip(names, args)} | {f"%r{k}": x.type() for k, (_, x) in enumerate(outs)}
    types |= {"%zero": f"tensor<{TYPE}>", "%lowest": f"tensor<{TYPE}>", "%short_lhs": f"tensor<6x3x{TYPE}>", "%short_rhs": f"tensor<3x5x{TYPE}>"}
    lines = [
        f"  %zero = stablehlo.constant dense<0.0> : tensor<{TYPE}>",
        f"  %lowest = stablehlo.constant dense<{-float(LARGEST)}> : tensor<{TYPE}>",
        f"  %short_lhs = stablehlo.slice %lhs [0:6, 0:3] : ({types['%lhs']}) -> {types['%short_lhs']}",
        f"  %short_rhs = stablehlo.slice %rhs [0:3, 0:5] : ({types['%rhs']}) -> {types['%short_rhs']}",
    ]
    for text, result in outs:
        operands = [w.strip(",)") for w in text.split(" = ", 1)[1].replace("(", " ").split() if w.startswith("%")]
        lines.append(f"  {text} : ({', '.join(types[o] for o in operands)}) -> {result.type()}")
    parameters = ", ".join(f"%{name}: {x.type()}" for name, x in zip(names, args))
    returned = ", ".join(x.type() for _, x in outs)
    lines.append(f"  return {', '.join(f'%r{k}' for k in range(len(outs)))} : {returned}")
    lines = [f"func.func @main({parameters}) -> ({returned}) {{", *lines, "}"]
    return "module attributes {mr.placements = {parts = 6}} {\n" + "\n".join(lines) + "\n}\n"


def write_npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            archive.writestr(name + ".npy", array.npy())


def main():
    prefix = sys.argv[6]
    args = arguments()
    outs = results(args)
    with open(prefix + ".mlir", "w", encoding="utf-8") as out:
        out.write(program(args, outs))
    inputs = {f"in{k}": a for k, a in enumerate(args)}
    write_npz(prefix + ".npz", inputs | {f"out{k}": a for k, (_, a) in enumerate(outs)})
    write_npz(prefix + ".f32.npz", {f"out{k}": a.widened() for k, (_, a) in enumerate(outs)})


if __name__ == "__main__":
    main()

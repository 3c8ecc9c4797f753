#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Writes short_elements.mlir and short_elements.io.npz beside this file: python3 make_short_elements.py. Needs numpy and ml_dtypes.

Integers of two and four bits and floats of at most eight: arithmetic, conversions, sums, products and a reduction over partitions,
as NumPy computes them wider and ml_dtypes rounds them. Arguments are stored as arrays of ml_dtypes, results widened, as `partita run`
writes them.
"""

import pathlib

import ml_dtypes
import numpy as np

INTEGERS = {"i2": "int2", "i4": "int4", "ui2": "uint2", "ui4": "uint4"}
FLOATS = {
    "f4E2M1FN": "float4_e2m1fn",
    "f8E3M4": "float8_e3m4",
    "f8E4M3": "float8_e4m3",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
}
PARTS, WIDTH = 6, 40
rng = np.random.default_rng(1)
inputs, outputs, parameters, lines, results = [], [], [], [], []


def text_of(shape, element):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def argument(array, element):
    """Its name."""
    inputs.append(array)
    parameters.append(f"%a{len(inputs)}: {text_of(array.shape, element)}")
    return f"%a{len(inputs)}"


def result(op, operands, array, element):
    """A line `op : (types of operands) -> type`; operands are pairs of name and type."""
    name = f"%r{len(outputs)}"
    outputs.append(array)
    results.append(text_of(array.shape, element))
    lines.append(f"    {name} = {op} : ({', '.join(t for _, t in operands)}) -> {results[-1]}")


def integers(element, dtype):
    bits, signed = int(element[-1]), not element.startswith("u")
    low = -(1 << (bits - 1)) if signed else 0
    native, wide = getattr(ml_dtypes, dtype), np.int8 if signed else np.uint8

    def wrapped(x):
        return ((np.asarray(x, np.int64) - low) % (1 << bits) + low).astype(wide)

    x, y = (rng.integers(low, low + (1 << bits), (PARTS, WIDTH)) for _ in range(2))
    floats = np.concatenate([[-1e30, 1e30, np.nan, low - 0.5, low + 0.5], rng.uniform(-20, 20, 35)]).astype(np.float32)
    a, b, f = argument(x.astype(native), element), argument(y.astype(native), element), argument(floats, "f32")
    t = text_of(x.shape, element)
    two = [(a, t), (b, t)]
    zero = f"%zero_{element}"
    lines.append(f"    {zero} = stablehlo.constant dense<0> : tensor<{element}>")
    result(f"stablehlo.add {a}, {b}", two, wrapped(x + y), element)
    result(f"stablehlo.multiply {a}, {b}", two, wrapped(x * y), element)
    result(f"stablehlo.maximum {a}, {b}", two, wrapped(np.maximum(x, y)), element)
    result(f"stablehlo.not {a}", two[:1], wrapped(~x), element)
    result(f"stablehlo.popcnt {a}", two[:1], wrapped(np.array([[bin(v & ((1 << bits) - 1)).count("1") for v in row] for row in x])), element)
    result(f"stablehlo.convert {a}", two[:1], x.astype(np.float32), "f32")
    saturated = np.nan_to_num(np.clip(np.trunc(floats.astype(np.float64)), low, low + (1 << bits) - 1))
    result(f"stablehlo.convert {f}", [(f, text_of(floats.shape, "f32"))], wrapped(saturated), element)
    result(
        f"stablehlo.reduce({a} init: {zero}) applies stablehlo.add across dimensions = [1]", [(a, t), (zero, f"tensor<{element}>")], wrapped(x.sum(1)), element
    )
    result(f"stablehlo.dot_general {a}, {b}, contracting_dims = [1] x [1]", two, wrapped(x @ y.T), element)
    result(f'"mr.reduce_sum"({a}) {{placement = "parts"}}', two[:1], wrapped(x.sum(0)), element)


def floats(element, dtype):
    native = getattr(ml_dtypes, dtype)
    has_zero = element != "f8E8M0FNU"

    def rounded(x):
        return np.asarray(x, np.float32).astype(native).astype(np.float32)

    codes = np.arange(16 if "f4" in element else 256, dtype=np.uint8)
    every = codes.view(native)
    exact = every.astype(np.float32)
    other = rng.permutation(codes).view(native)
    values = np.concatenate([exact[:-1] + np.diff(exact) / 2, rng.normal(0, 10, 64), [0, -0.0, np.inf, -np.inf, np.nan, 1e-40]])
    values = values.astype(np.float32)
    small = (2.0 ** rng.integers(-1, 2, (PARTS, WIDTH)) * (rng.choice([-1, 1], (PARTS, WIDTH)) if has_zero else 1)).astype(np.float32)
    a, b = argument(every, element), argument(other, element)
    v, s = argument(values, "f32"), argument(small.astype(native), element)
    t, u = text_of(every.shape, element), text_of(small.shape, element)
    with np.errstate(all="ignore"):
        result(f"stablehlo.convert {a}", [(a, t)], exact, "f32")
        result(f"stablehlo.convert {v}", [(v, text_of(values.shape, "f32"))], rounded(values), element)
        result(f"stablehlo.add {a}, {b}", [(a, t), (b, t)], rounded(exact + other.astype(np.float32)), element)
        result(f"stablehlo.multiply {a}, {b}", [(a, t), (b, t)], rounded(exact * other.astype(np.float32)), element)
        result(f"stablehlo.dot_general {s}, {s}, contracting_dims = [1] x [1]", [(s, u), (s, u)], rounded(small @ small.T), element)
        result(f"stablehlo.dot_general {s}, {s}, contracting_dims = [1] x [1]", [(s, u), (s, u)], small @ small.T, "f32")
        if has_zero:
            result(f'"mr.reduce_sum"({s}) {{placement = "parts"}}', [(s, u)], rounded(small.sum(0)), element)


def main():
    for element, dtype in INTEGERS.items():
        integers(element, dtype)
    for element, dtype in FLOATS.items():
        floats(element, dtype)
    path = pathlib.Path(__file__).with_name("short_elements")
    names = ", ".join(f"%r{k}" for k in range(len(outputs)))
    body = "\n".join(lines)
    path.with_suffix(".mlir").write_text(
        "// Written by make_short_elements.py.\n"
        "module attributes {mr.placements = {parts = 6}} {\n"
        f"  func.func @main({', '.join(parameters)}) -> ({', '.join(results)}) {{\n{body}\n    return {names} : {', '.join(results)}\n  }}\n}}\n"
    )
    arrays = {f"in{k}": x for k, x in enumerate(inputs)} | {f"out{k}": x for k, x in enumerate(outputs)}
    np.savez_compressed(path.with_suffix(".io.npz"), **arrays)


if __name__ == "__main__":
    main()

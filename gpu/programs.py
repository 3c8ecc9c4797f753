#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The programs that `gpu/run` measures, as StableHLO text: products, row kernels, elements, attention.

usage: programs.py DIR     writes DIR/STAGE/NAME.mlir, and DIR/list with a line "STAGE NAME FLOPS BYTES UNITS" for each

FLOPS are those that the definition needs (2 m n k of a product; half of the scores' where attention is causal), BYTES those of arguments
and results, each moved once. UNITS is what could do the operations at best: f32, f64, or matrix for products of bf16 and f16.
A further program is a further line of `all_programs`.
"""
import sys
from pathlib import Path
from typing import NamedTuple

BYTES = {"f64": 8, "f32": 4, "bf16": 2, "f16": 2}


class Program(NamedTuple):
    stage: str
    name: str
    text: str
    flops: float
    bytes: float
    units: str = "f32"


def tensor(dims, dtype):
    return "tensor<" + "".join(f"{d}x" for d in dims) + dtype + ">"


def size(dims, dtype):
    count = BYTES[dtype]
    for d in dims:
        count *= d
    return count


class Body:
    """Lines of a function; `op` gives the name of the value that it adds."""

    def __init__(self):
        self.lines = []

    def op(self, text):
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value, dims, dtype):
        return self.op(f"stablehlo.constant dense<{value}> : {tensor(dims, dtype)}")

    def same(self, name, dims, dtype, *operands):
        return self.op(f"stablehlo.{name} {', '.join(operands)} : {tensor(dims, dtype)}")

    def convert(self, x, dims, source, to):
        return x if source == to else self.op(f"stablehlo.convert {x} : ({tensor(dims, source)}) -> {tensor(dims, to)}")

    def reduce(self, name, x, dims, dtype, over):
        init = self.constant("0xFF800000" if name == "maximum" else "0.0", [], dtype)
        kept = [d for i, d in enumerate(dims) if i not in over]
        return self.op(f"stablehlo.reduce({x} init: {init}) applies stablehlo.{name} across dimensions = {list(over)} : "
                       f"({tensor(dims, dtype)}, tensor<{dtype}>) -> {tensor(kept, dtype)}")

    def spread(self, x, from_dims, at, dims, dtype):
        return self.op(f"stablehlo.broadcast_in_dim {x}, dims = {list(at)} : ({tensor(from_dims, dtype)}) -> {tensor(dims, dtype)}")

    def per_row(self, name, x, dims, dtype):
        """A reduction over the last dimension, beside every element of its row."""
        last = len(dims) - 1
        return self.spread(self.reduce(name, x, dims, dtype, [last]), dims[:-1], range(last), dims, dtype)

    def softmax(self, x, dims, dtype):
        shifted = self.same("subtract", dims, dtype, x, self.per_row("maximum", x, dims, dtype))
        e = self.same("exponential", dims, dtype, shifted)
        return self.same("divide", dims, dtype, e, self.per_row("add", e, dims, dtype))

    def normalised(self, x, dims, dtype, centred):
        n = self.constant(float(dims[-1]), dims, dtype)
        if centred:
            mean = self.same("divide", dims, dtype, self.per_row("add", x, dims, dtype), n)
            x = self.same("subtract", dims, dtype, x, mean)
        squares = self.per_row("add", self.same("multiply", dims, dtype, x, x), dims, dtype)
        variance = self.same("divide", dims, dtype, squares, n)
        variance = self.same("add", dims, dtype, variance, self.constant("1.0e-5", dims, dtype))
        return self.same("multiply", dims, dtype, x, self.same("rsqrt", dims, dtype, variance))


def function(arguments, results, body, returned, name="main", visibility="public"):
    """`arguments` and `results`: (dims, dtype) each; arguments are %a0, %a1, …"""
    taken = ", ".join(f"%a{i}: {tensor(*a)}" for i, a in enumerate(arguments))
    given = [tensor(*r) for r in results]
    return (f"func.func {visibility} @{name}({taken}) -> ({', '.join(given)}) {{\n" + "\n".join(body.lines) +
            f"\n  return {', '.join(returned)} : {', '.join(given)}\n}}\n")


def moved(*arrays):
    return sum(size(*a) for a in arrays)


def product(dtype, m, n, k, batch=0, turned=False):
    lead = [batch] if batch else []
    lhs, rhs, out = (lead + [m, k], dtype), (lead + ([n, k] if turned else [k, n]), dtype), (lead + [m, n], dtype)
    first = len(lead)
    dims = ("batching_dims = [0] x [0], " if batch else "") + f"contracting_dims = [{first + 1}] x [{first + turned}]"
    body = Body()
    r = body.op(f"stablehlo.dot_general %a0, %a1, {dims} : ({tensor(*lhs)}, {tensor(*rhs)}) -> {tensor(*out)}")
    extents = str(m) if m == n == k else f"{m}x{n}x{k}"
    name = f"dot_{dtype}_{extents}" + (f"_b{batch}" if batch else "") + ("_nt" if turned else "")
    return Program("products", name, function([lhs, rhs], [out], body, [r]), 2.0 * m * n * k * max(batch, 1), moved(lhs, rhs, out),
                   dtype if dtype in ("f32", "f64") else "matrix")


def rows(kind, dtype, m, n):
    """A kernel along rows of an m x n array, computed in f32."""
    x, dims, body = (([m, n], dtype), [m, n], Body())
    v = body.convert("%a0", dims, dtype, "f32")
    out = x
    if kind == "softmax":
        v = body.softmax(v, dims, "f32")
    elif kind in ("layer_norm", "rms_norm"):
        v = body.normalised(v, dims, "f32", centred=kind == "layer_norm")
    elif kind == "sum_rows":
        v, out = body.reduce("add", v, dims, "f32", [1]), ([m], dtype)
    elif kind == "sum_columns":
        v, out = body.reduce("add", v, dims, "f32", [0]), ([n], dtype)
    else:
        v, out = body.reduce("add", v, dims, "f32", [0, 1]), ([], dtype)
    v = body.convert(v, out[0], "f32", dtype)
    return Program("rows", f"{kind}_{dtype}_{m}x{n}", function([x], [out], body, [v]), 0, moved(x, out))


def layer_norm_gradient(m, n):
    """Of a layer norm's input, given the cotangent of its result."""
    x, dims, body = (([m, n], "f32"), [m, n], Body())
    weighted = body.same("multiply", dims, "f32", body.normalised("%a0", dims, "f32", centred=True), "%a1")
    loss = body.reduce("add", weighted, dims, "f32", [0, 1])
    outer = Body()
    g = outer.op(f"\"mr.grad\"(%a0, %a1) {{callee = @loss, wrt = array<i64: 0>}} : ({tensor(*x)}, {tensor(*x)}) -> {tensor(*x)}")
    text = function([x, x], [([], "f32")], body, [loss], "loss", "private") + function([x, x], [x], outer, [g])
    return Program("rows", f"layer_norm_grad_f32_{m}x{n}", text, 0, moved(x, x, x))


def elements(kind, dtype, m, n):
    x, dims, body, out = (([m, n], dtype), [m, n], Body(), ([m, n], dtype))
    arguments = [x]
    if kind == "copy":  # the cheapest op that has to read and to write everything
        v = body.same("negate", dims, dtype, "%a0")
    elif kind == "add":
        arguments = [x, x]
        v = body.same("add", dims, dtype, "%a0", "%a1")
    elif kind == "gelu":
        half, one, c = (body.constant(value, dims, dtype) for value in ("0.5", "1.0", "0.044715"))
        cube = body.same("multiply", dims, dtype, "%a0", body.same("multiply", dims, dtype, "%a0", "%a0"))
        inner = body.same("add", dims, dtype, "%a0", body.same("multiply", dims, dtype, c, cube))
        t = body.same("tanh", dims, dtype, body.same("multiply", dims, dtype, body.constant("0.797884583", dims, dtype), inner))
        v = body.same("multiply", dims, dtype, body.same("multiply", dims, dtype, half, "%a0"), body.same("add", dims, dtype, one, t))
    else:
        out = ([n, m], dtype)
        v = body.op(f"stablehlo.transpose %a0, dims = [1, 0] : ({tensor(*x)}) -> {tensor(*out)}")
    return Program("rows", f"{kind}_{dtype}_{m}x{n}", function(arguments, [out], body, [v]), 0, moved(*arguments, out))


def attention(dtype, batch, heads, length, depth, causal, gradient=False):
    """softmax(q kT / sqrt(depth)) v, with scores in f32; its gradient by q, k and v, given the result's cotangent."""
    x, scores, body = ([batch, heads, length, depth], dtype), [batch, heads, length, length], Body()
    s = body.op(f"stablehlo.dot_general %a0, %a1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : "
                f"({tensor(*x)}, {tensor(*x)}) -> {tensor(scores, 'f32')}")
    s = body.same("multiply", scores, "f32", s, body.constant(repr(depth**-0.5), scores, "f32"))
    if causal:
        places = [tensor(scores, "i32")] * 2
        row, column = (body.op(f"stablehlo.iota dim = {d} : {places[0]}") for d in (2, 3))
        seen = body.op(f"stablehlo.compare GE, {row}, {column} : ({', '.join(places)}) -> {tensor(scores, 'i1')}")
        hidden = body.constant("-1.0e+30", scores, "f32")
        s = body.op(f"stablehlo.select {seen}, {s}, {hidden} : {tensor(scores, 'i1')}, {tensor(scores, 'f32')}")
    weights = body.convert(body.softmax(s, scores, "f32"), scores, "f32", dtype)
    r = body.op(f"stablehlo.dot_general {weights}, %a2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
                f"({tensor(scores, dtype)}, {tensor(*x)}) -> {tensor(*x)}")
    name = f"attention{'_grad' if gradient else ''}_{dtype}{'_causal' if causal else ''}_{batch}x{heads}x{length}x{depth}"
    flops = 4.0 * batch * heads * length * length * depth * (0.5 if causal else 1)
    units = "matrix" if dtype in ("bf16", "f16") else dtype
    if not gradient:
        return Program("attention", name, function([x] * 3, [x], body, [r]), flops, moved(*[x] * 4), units)
    weighted = body.same("multiply", x[0], "f32", body.convert(r, x[0], dtype, "f32"), body.convert("%a3", x[0], dtype, "f32"))
    loss = body.reduce("add", weighted, x[0], "f32", [0, 1, 2, 3])
    outer = Body()
    types = ", ".join([tensor(*x)] * 4)
    outer.lines.append(f"  %0:3 = \"mr.grad\"(%a0, %a1, %a2, %a3) {{callee = @loss, wrt = array<i64: 0, 1, 2>}} : ({types}) -> "
                       f"({', '.join([tensor(*x)] * 3)})")
    text = function([x] * 4, [([], "f32")], body, [loss], "loss", "private")
    text += function([x] * 4, [x] * 3, outer, ["%0#0", "%0#1", "%0#2"])
    return Program("attention", name, text, 3.5 * flops, moved(*[x] * 7), units)


def all_programs():
    for n in (128, 256, 512, 1024, 2048, 4096):
        yield product("f32", n, n, n)
    for dtype in ("bf16", "f16"):
        for n in (128, 512, 1024, 2048, 4096):
            yield product(dtype, n, n, n)
        yield product(dtype, 4096, 4096, 4096, turned=True)
    for dtype in ("f32", "bf16"):
        yield product(dtype, 1023, 1021, 511)
        yield product(dtype, 4095, 4097, 4099)
        yield product(dtype, 16, 4096, 4096)
        yield product(dtype, 128, 192, 4096)
        yield product(dtype, 256, 256, 256, batch=64)
        yield product(dtype, 64, 64, 64, batch=512)
    yield product("f32", 4096, 4096, 4096, turned=True)
    yield product("bf16", 8192, 8192, 8192)
    yield product("f64", 2048, 2048, 2048)
    # The first is what memory-bound kernels are held against: 512 MB, more than caches hold.
    for kind, dtype, m, n in (("copy", "f32", 8192, 8192), ("copy", "f32", 512, 512), ("copy", "bf16", 8192, 8192), ("add", "f32", 8192, 8192),
                              ("gelu", "f32", 8192, 8192), ("gelu", "bf16", 8192, 8192), ("transpose", "f32", 8192, 8192),
                              ("transpose", "bf16", 8192, 8192), ("transpose", "f32", 4095, 4097)):
        yield elements(kind, dtype, m, n)
    for kind in ("softmax", "layer_norm", "rms_norm", "sum_rows", "sum_columns", "sum_all"):
        yield rows(kind, "f32", 256, 512)
        yield rows(kind, "f32", 16384, 4096)
        yield rows(kind, "bf16", 16384, 4096)
    yield rows("softmax", "f32", 262144, 256)
    yield layer_norm_gradient(256, 512)
    yield layer_norm_gradient(16384, 4096)
    for dtype in ("f32", "bf16", "f16"):
        for depth in (64, 128):
            for causal in (False, True):
                yield attention(dtype, 2, 16, 2048, depth, causal)
                yield attention(dtype, 2, 16, 2048, depth, causal, gradient=True)
        yield attention(dtype, 1, 4, 128, 64, True)
        yield attention(dtype, 1, 4, 128, 64, True, gradient=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    lines = []
    for p in all_programs():
        (folder / p.stage).mkdir(parents=True, exist_ok=True)
        (folder / p.stage / f"{p.name}.mlir").write_text(p.text)
        lines.append(f"{p.stage} {p.name} {p.flops:.0f} {p.bytes:.0f} {p.units}\n")
    (folder / "list").write_text("".join(lines))


if __name__ == "__main__":
    main()

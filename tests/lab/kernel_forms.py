#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""usage: kernel_forms.py PARTITA TOOLS

Compiles programs for sm_90 and gfx90a, takes their kernels through tools/kernel_lab.py and asks of each: nothing spills; products of
f32 from 128 x 128 x 128 on have loads of 128 bits from local memory and two groups at a time on a multiprocessor, and at least 85 %
multiply-adds in the inner loop where they fill the device with tiles of 64 sums of an item; others have smaller tiles, which were measured to
be faster there (docs/gpus.md), and at least 72 %; products of bf16 and f16 use matrix units there, and copies to local memory that
run beside them.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

partita, tools = sys.argv[1:3]
sys.path.insert(0, tools)
import kernel_lab  # noqa: E402

work = Path(tempfile.mkdtemp())
problems = []
looked_at = 0


def tensor(dims, dtype="f32"):
    return f"tensor<{''.join(f'{d}x' for d in dims)}{dtype}>"


TF32 = (", algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
        "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>")


def dot(batch, m, n, k, lhs_turned, rhs_turned, dtype="f32", algorithm=""):
    lead = [batch] if batch else []
    lhs = tensor(lead + ([k, m] if lhs_turned else [m, k]), dtype)
    rhs = tensor(lead + ([n, k] if rhs_turned else [k, n]), dtype)
    out = tensor(lead + [m, n], dtype)
    first = len(lead)
    dims = f"contracting_dims = [{first + (not lhs_turned)}] x [{first + rhs_turned}]"
    if batch:
        dims = f"batching_dims = [0] x [0], {dims}"
    return f"""func.func @main(%a: {lhs}, %b: {rhs}) -> {out} {{
  %0 = stablehlo.dot_general %a, %b, {dims}{algorithm} : ({lhs}, {rhs}) -> {out}
  return %0 : {out}
}}
"""


def attention(rows, depth, width, dtype):
    q, v, scores = tensor([8, rows, depth], dtype), tensor([8, rows, width], dtype), tensor([8, rows, rows], "i32")
    seen = tensor([8, rows, rows], "i1")
    return f"""func.func @main(%q: {q}, %k: {q}, %v: {v}) -> {v} {{
  %i = stablehlo.iota dim = 1 : {scores}
  %j = stablehlo.iota dim = 2 : {scores}
  %m = stablehlo.compare GE, %i, %j : ({scores}, {scores}) -> {seen}
  %0 = "mr.attention"(%q, %k, %v, %m) ({{
  ^bb0(%s: tensor<f32>, %x: tensor<i1>):
    %low = stablehlo.constant dense<-1.0e9> : tensor<f32>
    %t = stablehlo.select %x, %s, %low : tensor<i1>, tensor<f32>
    "mr.return"(%t) : (tensor<f32>) -> ()
  }}) : ({q}, {q}, {v}, {seen}) -> {v}
  return %0 : {v}
}}
"""


def attention_gradient(rows, depth, width, dtype):
    q, v, w = tensor([8, rows, depth], dtype), tensor([8, rows, width], dtype), tensor([8, rows, width])
    s, p, r = tensor([8, rows, rows]), tensor([8, rows, rows], dtype), tensor([8, rows])
    places, seen = tensor([8, rows, rows], "i32"), tensor([8, rows, rows], "i1")
    arguments, results = f"%q: {q}, %k: {q}, %v: {v}, %g: {v}", f"({q}, {q}, {v})"
    return f"""func.func private @loss({arguments}) -> tensor<f32> {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lows = stablehlo.constant dense<-1.0e9> : {s}
  %i = stablehlo.iota dim = 1 : {places}
  %j = stablehlo.iota dim = 2 : {places}
  %m = stablehlo.compare GE, %i, %j : ({places}, {places}) -> {seen}
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {q}) -> {s}
  %1 = stablehlo.select %m, %0, %lows : {seen}, {s}
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [2] : ({s}, tensor<f32>) -> {r}
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : ({r}) -> {s}
  %4 = stablehlo.subtract %1, %3 : {s}
  %5 = stablehlo.exponential %4 : {s}
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2] : ({s}, tensor<f32>) -> {r}
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : ({r}) -> {s}
  %8 = stablehlo.divide %5, %7 : {s}
  %9 = stablehlo.convert %8 : ({s}) -> {p}
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({p}, {v}) -> {v}
  %11 = stablehlo.multiply %10, %g : {v}
  %12 = stablehlo.convert %11 : ({v}) -> {w}
  %13 = stablehlo.reduce(%12 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : ({w}, tensor<f32>) -> tensor<f32>
  return %13 : tensor<f32>
}}
func.func @main({arguments}) -> {results} {{
  %0:3 = "mr.grad"(%q, %k, %v, %g) {{callee = @loss, wrt = array<i64: 0, 1, 2>}} : ({q}, {q}, {v}, {v}) -> {results}
  return %0#0, %0#1, %0#2 : {q}, {q}, {v}
}}
"""


def compiled(text, device):
    source, artifact = work / "program.mlir", work / "program.pta"
    source.write_text(text)
    subprocess.run([partita, "compile", source, "-o", artifact, "--target", "opencl", "--device", device],
                   check=True, stdout=subprocess.DEVNULL)
    return artifact


def look(name, text, check=None):
    """`check`: what is wrong with the facts of a kernel on sm_90."""
    global looked_at
    for device, arch in (("nvidia-sm_90", "sm_90"), ("amd-gfx90a", "gfx90a")):
        for kernel, facts in kernel_lab.facts_of(compiled(text, device), arch, work).items():
            looked_at += 1
            found = []
            if facts["spill"] > 0:
                found.append(f"{facts['spill']} bytes spill")
            if check and arch == "sm_90":
                found += check(kernel, facts)
            problems.extend(f"{name}, {kernel} on {arch}: {f}" for f in found)


def fills_device(kernel):
    """Whether a product has as many tiles of 128 x 128 as sm_90 multiprocessors."""
    batch, rows, columns = (int(x) for x in re.search(r"dot_(\d+)x(\d+)x(\d+)x", kernel).groups())
    return batch * rows * columns >= 132 * 128 * 128


def product(kernel, facts):
    if facts["loop"] == 0 and not kernel.startswith("partial_"):
        return []  # adds up what the parts gave
    groups = round(kernel_lab.DEVICE["sm_90"][2] * facts["occupancy"] / (facts["items"] / 32))
    found = []
    least = 0.85 if fills_device(kernel) else 0.72
    if facts["fma_share"] < least:
        found.append(f"multiply-adds are {facts['fma_share']:.1%} of the inner loop, expected at least {least:.0%}")
    if "LDS128" not in facts["loads"]:
        found.append(f"expected loads of 128 bits from local memory, found {facts['loads']}")
    if groups < 2:
        found.append(f"{groups:.1f} groups at a time, expected at least 2")
    return found


def matrix_product(kernel, facts):
    if facts["loop"] == 0 and not kernel.startswith("partial_"):
        return []
    found = []
    if facts["matrix"] == 0 or "LDSM32" not in facts["loads"]:
        found.append(f"expected matrix units in the inner loop, and operands for them by LDSM, found {facts['matrix']} and {facts['loads']}")
    if "LDGSTS128" not in facts["loads"] or any(kind.startswith(("LDG3", "LDG6", "LDG1", "STS")) for kind in facts["loads"]):
        found.append(f"expected copies of 128 bits to local memory and no other way there, found {facts['loads']}")
    return found + [f for f in product(kernel, facts) if "groups" in f]


def tf32_product(kernel, facts):
    if facts["loop"] == 0 and not kernel.startswith("partial_"):
        return []
    found = [f for f in product(kernel, facts) if "groups" in f]
    if facts["matrix"] == 0 or not {"LDG128", "STS128"} <= set(facts["loads"]):
        found.append(f"expected matrix units and accesses of 128 bits in the inner loop, found {facts['matrix']} and {facts['loads']}")
    return found


for sizes in ((0, 128, 128, 128), (0, 129, 131, 133), (0, 200, 784, 512), (0, 256, 256, 256), (0, 1023, 1021, 511), (0, 128, 192, 4096),
              (0, 4096, 4096, 4096), (0, 4095, 4097, 4099), (16, 128, 128, 128), (3, 257, 129, 130)):
    layouts = [(False, False), (True, True)] if sizes[1] > 1000 else [(a, b) for a in (False, True) for b in (False, True)]
    for layout in layouts:
        look(f"product {sizes} {layout}", dot(*sizes, *layout), product)
for dtype in ("bf16", "f16"):
    for layout in ((False, False), (False, True), (True, False), (True, True)):
        look(f"product of {dtype} {layout}", dot(0, 1024, 1024, 1024, *layout, dtype), matrix_product)
    look(f"odd product of {dtype}", dot(2, 513, 515, 517, False, True, dtype))
for layout in ((False, False), (False, True), (True, False), (True, True)):
    look(f"product of tf32 {layout}", dot(0, 1024, 1024, 1024, *layout, algorithm=TF32), tf32_product)
look("odd product of tf32", dot(2, 513, 515, 517, False, True, algorithm=TF32))
for dtype in ("f64", "i32", "complex<f32>"):
    look(f"product of {dtype}", dot(0, 512, 512, 512, False, True, dtype))
for sizes, dtype in (((1024, 64, 64), "f32"), ((1000, 128, 128), "f32"), ((512, 256, 256), "f32"), ((333, 40, 72), "bf16"),
                     ((1024, 128, 128), "bf16")):
    look(f"attention {sizes} of {dtype}", attention(*sizes, dtype))
    look(f"gradient of attention {sizes} of {dtype}", attention_gradient(*sizes, dtype))
for program in sorted((Path(partita).resolve().parents[3] / "tests" / "oclgrind").glob("group_*.mlir")):
    look(program.stem, program.read_text())
print(f"{looked_at} kernels, {len(problems)} problems")
print("\n".join(problems))
sys.exit(bool(problems))

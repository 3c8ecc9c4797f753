#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# GFLOP/s of contractions as compiled programs run them: forward (x w), transposed (g wT) and
# accumulating (w -= c xT g, in place) products, in batches.  Processor time is what a loaded machine
# leaves comparable, so the rate is per core: operations / (processor seconds of the steps).
#
#   benchmarks/contractions.py [--partita BIN] [--gemm generated,clblast] [--batches 1,4,16] [--product FORM:MxNxK]
#
# Each program runs its product N times in a loop; two numbers of repeats are run, so that start-up and
# compilation cancel.  The last line is the rate of the machine's fused multiply-adds on one core.
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

SHAPES = [  # form, m, n, k
    ("forward", 20, 200, 784), ("accumulate", 784, 200, 20), ("forward", 20, 200, 200),
    ("transposed", 20, 200, 200), ("accumulate", 200, 200, 20), ("forward", 20, 10, 200),
    ("forward", 64, 64, 64), ("forward", 256, 256, 256), ("forward", 512, 512, 512),
    ("forward", 1024, 1024, 1024),
    ("transposed", 256, 256, 256), ("accumulate", 256, 256, 256),
]
PROBE = r"""
#include <stdio.h>
#include <time.h>
typedef float v __attribute__((vector_size(64)));
#define EACH(f) f(a0) f(a1) f(a2) f(a3) f(a4) f(a5) f(a6) f(a7)
#define STEP(a) a = a * b + c; __asm__ volatile("" : "+v"(a));
#define DECLARE(a) v a = b;
#define ADD(a) c += a;
int main(void) {
  v b, c;
  for (int l = 0; l < 16; ++l) b[l] = 0.999f, c[l] = 0.001f;
  EACH(DECLARE)
  clock_t t = clock();
  for (long n = 0; n < 20000000; ++n) { EACH(STEP) }
  double s = (double)(clock() - t) / CLOCKS_PER_SEC;
  EACH(ADD)
  printf("%.1f %f\n", 20e6 * 8 * 32 / s / 1e9, c[0]);
}
"""


def tensor(*dims, dtype="f32"):
    return "tensor<" + "x".join([*map(str, dims), dtype]) + ">"


def program(form, b, m, n, k, steps):
    """A loop over `steps` products, each of other rows of x, so that none leaves the loop."""
    batch = [b] if b > 1 else []
    offsets = ", ".join([*["%zero"] * len(batch), "%i", "%zero"])
    scalars = ", ".join(["tensor<i32>"] * (len(batch) + 2))

    def rows(count, columns):
        whole, part = tensor(*batch, count + 8, columns), tensor(*batch, count, columns)
        sizes = ", ".join(map(str, [*batch, count, columns]))
        return whole, part, f"      %x = stablehlo.dynamic_slice %all, {offsets}, sizes = [{sizes}] : ({whole}, {scalars}) -> {part}\n"

    lead = "batching_dims = [0] x [0], " if b > 1 else ""
    o = len(batch)
    if form == "accumulate":
        whole, x, slice_x = rows(k, m)
        g, w = tensor(*batch, k, n), tensor(*batch, m, n)
        body = slice_x + f"""      %d = stablehlo.dot_general %x, %g, {lead}contracting_dims = [{o}] x [{o}] : ({x}, {g}) -> {w}
      %s = stablehlo.multiply %c, %d : {w}
      %next = stablehlo.subtract %v, %s : {w}"""
        carried, extra = w, f"    %c = stablehlo.constant dense<1.0e-6> : {w}\n"
        arguments = f"%all: {whole}, %g: {g}, %w: {w}"
    else:
        whole, x, slice_x = rows(m, k)
        g = tensor(*batch, m, n)
        w = tensor(*batch, n, k) if form == "transposed" else tensor(*batch, k, n)
        dim = o + 1 if form == "transposed" else o
        body = slice_x + f"""      %d = stablehlo.dot_general %x, %w, {lead}contracting_dims = [{o + 1}] x [{dim}] : ({x}, {w}) -> {g}
      %next = stablehlo.add %v, %d : {g}"""
        carried, extra = g, ""
        arguments = f"%all: {whole}, %w: {w}, %g: {g}"
    start = "%w" if form == "accumulate" else "%g"
    return f"""module @contraction {{
  func.func public @main({arguments}) -> {carried} {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<{steps}> : tensor<i32>
{extra}    %0:2 = stablehlo.while(%i = %zero, %v = {start}) : tensor<i32>, {carried}
    cond {{
      %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    }} do {{
{body}
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, {carried}
    }}
    return %0#1 : {carried}
  }}
}}
"""


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(partita, folder, gemm, form, b, m, n, k):
    flops = 2 * b * m * n * k
    steps = max(8, int(2e9 / flops))
    source, artifact = folder / "p.mlir", folder / "p.pta"
    source.write_text(program(form, b, m, n, k, steps))
    subprocess.run([partita, "compile", source, "-o", artifact, "--target", "opencl", "--gemm", gemm],
                   check=True, stdout=subprocess.DEVNULL)
    stats = folder / "s.json"
    run = [partita, "run", artifact, "--inputs", "random:1", "--stats", stats, "--repeat"]
    processor_seconds([*run, "2"])  # builds kernels
    few, many = processor_seconds([*run, "2"]), processor_seconds([*run, "7"])
    wall = json.loads(stats.read_text())["min_s"]
    work = flops * steps
    return 5 * work / max(many - few, 1e-9) / 1e9, work / wall / 1e9


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="GFLOP/s of contractions")
    parser.add_argument("--partita", default=here / "build/release/bin/partita")
    parser.add_argument("--gemm", default="generated,clblast")
    parser.add_argument("--batches", default="1,4,16")
    parser.add_argument("--product", default="", help="FORM:MxNxK, only this one")
    options = parser.parse_args()
    ways = options.gemm.split(",")
    print("| product | m x n x k | B |" + "".join(f" {w}: per core, all |" for w in ways))
    print("|---|---|---|" + "---|" * len(ways))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for form, m, n, k in SHAPES:
            if options.product not in ("", f"{form}:{m}x{n}x{k}"):
                continue
            for b in map(int, options.batches.split(",")):
                if b > 1 and m * n * k > 64**3 * 16:
                    continue
                cells = [measure(options.partita, folder, w, form, b, m, n, k) for w in ways]
                print(f"| {form} | {m} x {n} x {k} | {b} |" +
                      "".join(f" {core:.1f}, {wall:.1f} |" for core, wall in cells), flush=True)
        probe = folder / "probe.c"
        probe.write_text(PROBE)
        subprocess.run(["cc", "-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=fast", probe, "-o", folder / "probe"],
                       check=True)
        rate = subprocess.run([folder / "probe"], check=True, capture_output=True, text=True).stdout
        print(f"fused multiply-adds of one core: {rate.split()[0]} GFLOP/s")


if __name__ == "__main__":
    sys.exit(main())

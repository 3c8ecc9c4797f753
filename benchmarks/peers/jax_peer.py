# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""A round by JAX on XLA for the CPU, as a peer of `partita bench rounds`.

--form drjax|scan    the round as DrJAX vectorises it, or with a scan over clients
--export DIR         writes round.mlir (StableHLO), inputs.npz (in0…) and outputs.npz (out0…), and ends
"""
import argparse
import os
import time

import jax
import jaxlib
import numpy as np

import models
import serving


def save(path, prefix, tree):
    np.savez(path, **{f"{prefix}{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(tree))})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=sorted(models.CASES), required=True)
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--form", choices=sorted(models.ROUNDS), default="drjax")
    parser.add_argument("--export")
    arguments = parser.parse_args()
    pipe = serving.take_stdout()
    case = models.CASES[arguments.case](arguments.n)
    round_fn = models.ROUNDS[arguments.form](case.loss, arguments.n)
    begin = time.perf_counter()
    lowered = jax.jit(round_fn).lower(case.params, case.data)
    traced = time.perf_counter()
    program = lowered.compile()
    compiled = time.perf_counter()
    if arguments.export:
        with open(os.path.join(arguments.export, "round.mlir"), "w", encoding="utf-8") as file:
            file.write(lowered.as_text())
        save(os.path.join(arguments.export, "inputs.npz"), "in", (case.params, case.data))
        save(os.path.join(arguments.export, "outputs.npz"), "out", program(case.params, case.data))
        serving.answer(pipe, {"ready": True})
        return
    last = None

    def one_round():
        nonlocal last
        last = None
        last = jax.block_until_ready(program(case.params, case.data))

    del lowered
    versions = {"jax": jax.__version__, "jaxlib": jaxlib.__version__}
    if arguments.form == "drjax":
        from importlib import metadata

        versions["drjax"] = metadata.version("drjax")
    serving.serve(pipe, one_round, lambda path: save(path, "out", last),
                  {"versions": versions, "trace_s": traced - begin, "compile_s": compiled - traced})


if __name__ == "__main__":
    main()

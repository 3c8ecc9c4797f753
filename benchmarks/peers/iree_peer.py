# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The exported round by IREE's CPU backend, as a peer of `partita bench rounds`."""
import argparse
import time
from importlib import metadata

import iree.compiler
import iree.runtime
import numpy as np

import serving

FLAGS = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--inputs", required=True)
    arguments = parser.parse_args()
    pipe = serving.take_stdout()
    with open(arguments.program, encoding="utf-8") as file:
        text = file.read()
    begin = time.perf_counter()
    binary = iree.compiler.compile_str(text, input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=FLAGS)
    compiled = time.perf_counter()
    config = iree.runtime.Config("local-task")
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config)
    with np.load(arguments.inputs) as arrays:
        inputs = [iree.runtime.asdevicearray(config.device, arrays[f"in{i}"]) for i in range(len(arrays))]
    last = None

    def one_round():
        nonlocal last
        last = None
        last = module["main"](*inputs)
        leaves(last)[0].to_host()  # the calls of one module are in order

    def leaves(results):
        return list(results) if isinstance(results, (tuple, list)) else [results]

    def save(path):
        np.savez(path, **{f"out{i}": leaf.to_host() for i, leaf in enumerate(leaves(last))})

    versions = {name: metadata.version(name) for name in ("iree-base-compiler", "iree-base-runtime")}
    serving.serve(pipe, one_round, save, {"versions": versions, "compile_s": compiled - begin})


if __name__ == "__main__":
    main()

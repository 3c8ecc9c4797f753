#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Times programs of JAX on the devices of several processes, on the platform that JAX_PLATFORMS names:

    mpirun -n 2 env JAX_PLATFORMS=partita,cpu PARTITA_TARGET=cpu PARTITA_NUM_DEVICES=1 python over_processes.py
    mpirun -n 2 env JAX_PLATFORMS=cpu JAX_CPU_COLLECTIVES_IMPLEMENTATION=gloo python over_processes.py

Process 0 prints one line for each program: the median of a call's time in microseconds, and the quartiles.  By turns with another
platform, it is run several times.
"""
import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def programs(mesh):
    """By name: a function whose first result is its first argument of the next call, and its arguments."""
    cut, whole = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
    count = mesh.size

    def placed(shape, sharding, seed):
        array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        return jax.make_array_from_callback(shape, sharding, lambda index: array[index])

    for elements in (1, 1 << 10, 1 << 20):
        a = placed((count, elements), cut, 0)
        yield f"mean_{4 * elements}_bytes", jax.jit(lambda a: a - jnp.mean(a, 0, keepdims=True), out_shardings=cut), (a,)

    def loss(w, x, y):
        for layer in w[:-1]:
            x = jnp.tanh(x @ layer)
        return jnp.mean((x @ w[-1] - y) ** 2)

    def step(w, x, y):
        return jax.tree.map(lambda p, g: p - 1e-3 * g, w, jax.grad(loss)(w, x, y))

    for width, rows in ((64, 16), (512, 64)):
        w = [placed((width, width), whole, k) for k in range(4)]
        x, y = placed((rows * count, width), cut, 8), placed((rows * count, width), cut, 9)
        yield f"training_step_{width}", jax.jit(step, donate_argnums=0, out_shardings=whole), (w, x, y)
        yield f"fully_sharded_step_{width}", jax.jit(step, donate_argnums=0, out_shardings=cut), \
            ([placed((width, width), cut, k) for k in range(4)], x, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2, help="of each program")
    options = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("x",))
    for name, program, (carry, *others) in programs(mesh):
        for _ in range(5):
            carry = program(carry, *others)
        jax.block_until_ready(carry)
        begin = time.perf_counter()
        for _ in range(10):
            carry = jax.block_until_ready(program(carry, *others))
        calls = multihost_utils.broadcast_one_to_all(np.int32(max(5, 10 * options.seconds / (time.perf_counter() - begin) / 20)))
        times = []
        for _ in range(20):
            multihost_utils.sync_global_devices("turn")
            begin = time.perf_counter()
            for _ in range(int(calls)):
                carry = program(carry, *others)
            jax.block_until_ready(carry)
            times.append((time.perf_counter() - begin) / int(calls) * 1e6)
        if jax.process_index() == 0:
            print(f"{name} {np.median(times):.1f} {np.quantile(times, 0.25):.1f} {np.quantile(times, 0.75):.1f}", flush=True)


if __name__ == "__main__":
    main()

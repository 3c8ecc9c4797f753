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
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
import models  # noqa: E402


def programs(mesh):
    """By name: a function whose result is its first argument of the next call, and its arguments."""
    cut, whole = NamedSharding(mesh, P("clients")), NamedSharding(mesh, P())
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

    # DrJAX's rounds with as many clients on each device.
    for name, clients in (("mlp", 64), ("lm-s", 4)):
        case = models.CASES[name](clients * count)
        round_fn = models.drjax_round(case.loss, clients * count)
        model = jax.tree.map(lambda a: jax.make_array_from_callback(a.shape, whole, lambda i, a=np.asarray(a): a[i]), case.params)
        data = jax.tree.map(lambda a: jax.make_array_from_callback(a.shape, cut, lambda i, a=np.asarray(a): a[i]), case.data)
        yield f"round_{name}_{clients}_clients_each", jax.jit(lambda m, d, f=round_fn: f(m, d)[0], out_shardings=whole), (model, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2, help="of each program")
    options = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("clients",))
    for name, program, (carry, *others) in programs(mesh):
        with mesh:  # where DrJAX looks for the placement's axis
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

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Writes NAME.mlir, as JAX prints it, and NAME.io.npz, what XLA gives on 8 devices of the host: python3 make_programs.py [NAME...].

Needs jax, drjax and optax (written with 0.10.2, 0.2.1 and 0.2.8). Arrays are the global ones. What `tests/e2e/mesh_programs.sh` runs.
"""

import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import drjax
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax, shard_map
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

PROGRAMS = {}
random = np.random.default_rng(0)


def program(make):
    """Registers a function that gives a jitted function and its arguments."""
    PROGRAMS[make.__name__] = make
    return make


def mesh(**axes):
    sizes = list(axes.values())
    return Mesh(np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes), tuple(axes))


def floats(*shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(np.float32)


def integers(*shape, below, dtype=np.int32):
    return random.integers(0, below, shape).astype(dtype)


def placed(on, specs):
    return jax.tree.map(lambda s: NamedSharding(on, s), specs, is_leaf=lambda s: isinstance(s, P))


def jit(function, on, inputs, outputs=None):
    named = {} if outputs is None else {"out_shardings": placed(on, outputs)}
    return jax.jit(function, in_shardings=placed(on, inputs), **named)


def manual(body, on, inputs, outputs, **named):
    return shard_map(body, mesh=on, in_specs=inputs, out_specs=outputs, check_vma=False, **named)


# --- Arrays whose places propagate -----------------------------------------------------------------


@program
def fully_sharded_mlp():
    """Parameters and batch over one axis: parameters are gathered where they are used, gradients scattered."""

    def step(params, x, y):
        def loss(params):
            h = x
            for w in params[:-1]:
                h = jax.nn.gelu(h @ w)
            return jnp.mean((h @ params[-1] - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value

    params = [floats(32, 48, scale=0.1), floats(48, 48, scale=0.1), floats(48, 8, scale=0.1)]
    cut = [P("data", None)] * 3
    return jit(step, mesh(data=8), (cut, P("data"), P("data")), (cut, P())), (params, floats(16, 32), floats(16, 8))


@program
def heads_over_model():
    """Gradients of causal attention, batch over one axis and heads over another."""

    def attention(x, wq, wk, wv, wo):
        batch, length, width = x.shape
        q, k, v = ((x @ w).reshape(batch, length, 8, -1) for w in (wq, wk, wv))
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(q.shape[-1])
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        mixed = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v).reshape(batch, length, -1)
        return x + mixed @ wo

    def gradients(*arguments):
        return jax.grad(lambda *a: (attention(*a) ** 2).mean(), argnums=(0, 1, 2, 3, 4))(*arguments)

    columns = P(None, "model")
    weights = tuple(floats(16, 16, scale=0.2) for _ in range(4))
    return jit(gradients, mesh(data=2, model=4), (P("data"), columns, columns, columns, P("model", None))), (
        floats(4, 12, 16),
        *weights,
    )


@program
def experts():
    """A mixture of experts: tokens go to experts that lie over the axis that the groups have, and back."""
    on = mesh(expert=8)

    def mixture(x, router, w1, w2):
        weights = jax.nn.softmax(jnp.einsum("gsm,me->gse", x, router))
        chosen = jax.nn.one_hot(jnp.argmax(weights, -1), 8)
        place = jnp.cumsum(chosen, axis=1) * chosen - 1
        dispatch = chosen[..., None] * jax.nn.one_hot(place, 6) * (place < 6)[..., None]
        own = lax.with_sharding_constraint(jnp.einsum("gsec,gsm->egcm", dispatch, x), NamedSharding(on, P("expert")))
        hidden = jax.nn.relu(jnp.einsum("egcm,emh->egch", own, w1))
        out = lax.with_sharding_constraint(jnp.einsum("egch,ehm->egcm", hidden, w2), NamedSharding(on, P("expert")))
        return jnp.einsum("gsec,egcm->gsm", dispatch * weights[..., None], out)

    return jit(mixture, on, (P("expert"), P(), P("expert"), P("expert")), P("expert")), (
        floats(8, 16, 12),
        floats(12, 8),
        floats(8, 12, 20),
        floats(8, 20, 12),
    )


@program
def images_by_rows_and_columns():
    """A step of a convolutional net whose images are cut along height and width."""
    numbers = ("NHWC", "HWIO", "NHWC")

    def step(images, k1, k2):
        def loss(k1, k2):
            h = jax.nn.relu(lax.conv_general_dilated(images, k1, (1, 1), "SAME", dimension_numbers=numbers))
            h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            h = lax.conv_general_dilated(h, k2, (2, 2), "SAME", dimension_numbers=numbers)
            return (h**2).mean()

        return jax.value_and_grad(loss, argnums=(0, 1))(k1, k2)

    return jit(step, mesh(x=4, y=2), (P(None, "x", "y"), P(), P())), (
        floats(2, 32, 16, 3),
        floats(3, 3, 3, 8, scale=0.3),
        floats(5, 5, 8, 4, scale=0.2),
    )


@program
def heat():
    """Explicit steps of the heat equation on a torus whose rows are then set, cut both ways."""

    def run(u):
        def step(u, _):
            around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
            v = u + 0.1 * (around - 4 * u)
            return v.at[0].set(0.0).at[-1, :].set(1.0), jnp.abs(v - u).max()

        return lax.scan(step, u, None, length=5)

    return jit(run, mesh(x=4, y=2), (P("x", "y"),), (P("x", "y"), P())), (floats(32, 24),)


@program
def uneven_extents():
    on = mesh(x=8)

    def statistics(x, w):
        y = lax.with_sharding_constraint(jnp.tanh(x @ w), NamedSharding(on, P(None, "x")))
        y = y[:, :21]
        return y.sum(0), jax.nn.softmax(y, axis=1), y.max(), jnp.argmax(y, 1)

    return jit(statistics, on, (P(), P(None, "x"))), (floats(10, 12), floats(12, 24))


@program
def orders():
    """Sorts, largest elements, running sums and a median along what is cut, and across it."""

    def run(x, k):
        return (
            jnp.sort(x),
            jnp.argsort(x),
            lax.top_k(x, 5),
            jnp.cumsum(x),
            jnp.median(x),
            jnp.sort(k, axis=0),
            jnp.cumsum(k, axis=1),
            lax.cummax(k, axis=1, reverse=True),
        )

    return jit(run, mesh(x=8), (P("x"), P(None, "x"))), (floats(64), floats(6, 40))


@program
def tables():
    """Gradients of a table's rows, which are cut, by look-up and by loss."""

    def step(table, ids, w):
        def loss(table, w):
            log = jax.nn.log_softmax(table[ids] @ w.T)
            return -jnp.take_along_axis(log, ids[..., None], -1).mean()

        return jax.value_and_grad(loss, argnums=(0, 1))(table, w)

    rows = P("model", None)
    return jit(step, mesh(data=2, model=4), (rows, P("data"), rows)), (
        floats(64, 8, scale=0.3),
        integers(4, 6, below=64),
        floats(64, 8, scale=0.3),
    )


@program
def dropout():
    def run(data, x):
        key = jax.random.wrap_key_data(data)
        kept = jax.random.bernoulli(key, 0.8, x.shape)
        noise = jax.random.normal(jax.random.fold_in(key, 3), x.shape)
        return jnp.where(kept, x / 0.8, 0) + 0.1 * noise, jax.random.permutation(key, x.shape[0])

    return jit(run, mesh(data=8), (P(), P("data"))), (np.array([1, 2], np.uint32), floats(16, 12))


@program
def layers_in_a_loop():
    """Layers as a scan with recomputation, weights cut along both axes."""

    def step(ws, bs, x):
        def loss(ws, bs):
            def layer(h, wb):
                return h + jnp.tanh(h @ wb[0] + wb[1]), None

            return (lax.scan(jax.checkpoint(layer), x, (ws, bs))[0] ** 2).mean()

        value, (dw, db) = jax.value_and_grad(loss, argnums=(0, 1))(ws, bs)
        return value, ws - 0.1 * dw, bs - 0.1 * db

    weights, offsets = P(None, "data", "model"), P(None, "model")
    return jit(step, mesh(data=4, model=2), (weights, offsets, P("data")), (P(), weights, offsets)), (
        floats(3, 16, 16, scale=0.2),
        floats(3, 16),
        floats(8, 16),
    )


@program
def rows_by_index():
    def run(x, i, u):
        return (
            x[i],
            x.at[i].add(u),
            x.at[i].max(u),
            lax.dynamic_slice(x, (i[0], 0), (5, 3)),
            lax.dynamic_update_slice(x, u[:4, :2], (i[1], 1)),
            x[::-1],
            jax.ops.segment_sum(u, i % 5, 5),
        )

    return jit(run, mesh(x=8), (P("x"), P(), P("x"))), (floats(32, 6), integers(16, below=27), floats(16, 6))


@program
def loops_and_branches():
    def run(x):
        def more(state):
            return (jnp.linalg.norm(state[0]) > 1.0) & (state[1] < 50)

        def body(state):
            return state[0] * 0.8 - 0.01 * jnp.roll(state[0], 3), state[1] + 1

        y, n = lax.while_loop(more, body, (x, 0))
        reductions = [lambda y: y.sum(), lambda y: y.max(), lambda y: y.min()]
        return lax.cond(n > 3, jnp.cos, lambda y: y, y), n, lax.switch(n % 3, reductions, y)

    return jit(run, mesh(x=8), (P("x"),)), (floats(24),)


@program
def shapes():
    """Dimensions that two axes cut, taken apart, joined, concatenated and padded."""

    def run(x):
        y = x.reshape(4, 8, 6)
        z = y.transpose(1, 0, 2).reshape(8, 24)
        return (
            z,
            z.reshape(-1)[3:100],
            (y * 2).sum((0, 2)),
            jnp.concatenate([x, x[:5]], 0),
            jnp.stack([x, 2 * x], 1),
            jnp.pad(x, ((1, 2), (3, 0))),
        )

    return jit(run, mesh(a=2, b=4), (P(("a", "b"), None),)), (floats(32, 6),)


@program
def element_types():
    def run(a, b, c):
        return (
            a + b.astype(np.int32)[:, None],
            (a > 50).sum(),
            c.any(0),
            jnp.prod(b.astype(jnp.int32) % 3 + 1),
            a.astype(jnp.float16).mean(0),
        )

    return jit(run, mesh(x=8), (P("x"), P("x"), P("x"))), (
        integers(16, 5, below=100),
        integers(16, below=100, dtype=np.uint8),
        floats(16, 4) > 1,
    )


# --- Programs of one device (shard_map) ----------------------------------------------------------------


@program
def ring_attention():
    """Keys and values pass around a ring while sums of the softmax are kept."""

    def body(q, k, v):
        ring = [(j, (j + 1) % 8) for j in range(8)]

        def step(_, state):
            out, top, total, k, v = state
            scores = q @ k.T / np.sqrt(q.shape[-1])
            new = jnp.maximum(top, scores.max(-1))
            p, keep = jnp.exp(scores - new[:, None]), jnp.exp(top - new)
            k, v = (lax.ppermute(t, "sequence", ring) for t in (k, v))
            return out * keep[:, None] + p @ v, new, total * keep + p.sum(-1), k, v

        start = jnp.zeros_like(q), jnp.full(q.shape[:1], -jnp.inf), jnp.zeros(q.shape[:1]), k, v
        out, _, total, _, _ = lax.fori_loop(0, 8, step, start)
        return out / total[:, None]

    rows = P("sequence")
    return jax.jit(manual(body, mesh(sequence=8), (rows, rows, rows), rows)), tuple(floats(64, 8) for _ in range(3))


@program
def pipeline_of_stages():
    """Micro-batches pass from stage to stage."""

    def body(w, batches):
        stage, count = lax.axis_index("stage"), batches.shape[0]

        def step(t, state):
            held, out = state
            y = jnp.tanh(jnp.where(stage == 0, batches[jnp.clip(t, 0, count - 1)], held) @ w[0])
            is_last = (stage == 3) & (t >= 3)
            out = jnp.where(is_last, out.at[jnp.clip(t - 3, 0, count - 1)].set(y), out)
            return lax.ppermute(y, "stage", [(i, i + 1) for i in range(3)]), out

        start = jnp.zeros(batches.shape[1:]), jnp.zeros_like(batches)
        _, out = lax.fori_loop(0, count + 3, step, start)
        return lax.psum(jnp.where(stage == 3, out, 0), "stage")

    return jax.jit(manual(body, mesh(stage=4), (P("stage"), P()), P())), (floats(4, 12, 12, scale=0.3), floats(6, 4, 12))


@program
def collectives_of_two_axes():
    def body(x):
        number = lax.axis_index("a") * 10 + lax.axis_index("b")
        return (
            lax.psum(x, "a"),
            lax.psum(x, ("a", "b")),
            lax.all_gather(x, "b", axis=1, tiled=True),
            lax.psum_scatter(x, "b", scatter_dimension=0, tiled=True),
            lax.pmax(x, "b"),
            lax.pmean(x, "a"),
            lax.all_to_all(x, "b", split_axis=0, concat_axis=1, tiled=True),
            x * number,
        )

    outputs = (P(None, "b"), P(), P("a"), P(("a", "b"), None), P("a", None), P(None, "b"), P("a", "b"), P("a", "b"))
    return jax.jit(manual(body, mesh(a=2, b=4), P("a", "b"), outputs)), (floats(16, 24),)


@program
def data_parallel_adam():
    optimizer = optax.adam(1e-2)
    params = {"w": floats(12, 7, scale=0.3), "b": floats(7)}
    state = jax.tree.map(np.asarray, optimizer.init(params))

    def body(params, state, x, y):
        def loss(p):
            return ((jnp.tanh(x @ p["w"] + p["b"]) - y) ** 2).mean()

        value, gradients = lax.pmean(jax.value_and_grad(loss)(params), "data")
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    step = manual(body, mesh(data=8), (P(), P(), P("data"), P("data")), P())
    return jax.jit(step), (params, state, floats(16, 12), floats(16, 7))


@program
def manual_along_one_axis():
    """One axis is the program's, the other is left to propagation."""
    on = mesh(data=2, model=4)
    summed = manual(lambda x, w: lax.psum(jnp.sum(x @ w, 0), "data"), on, (P("data"), P()), P(), axis_names={"data"})
    return jit(lambda x, w: jnp.sin(summed(x, w)), on, (P("data"), P(None, "model"))), (floats(8, 12), floats(12, 16))


@program
def manual_under_vmap():
    body = manual(lambda x: lax.psum(jnp.outer(x, x), "i") / lax.axis_size("i"), mesh(i=8), P("i"), P())
    return jax.jit(jax.vmap(body)), (floats(3, 16),)


@program
def neighbours():
    """A stencil whose halo the program exchanges itself, in a loop around it."""
    on = mesh(x=8)

    def body(x):
        left = lax.ppermute(x[-1:], "x", [(i, (i + 1) % 8) for i in range(8)])
        right = lax.ppermute(x[:1], "x", [(i, (i - 1) % 8) for i in range(8)])
        padded = jnp.concatenate([left, x, right])
        return padded[:-2] + padded[2:] - 2 * padded[1:-1]

    curvature = manual(body, on, P("x"), P("x"))
    return jit(lambda x: lax.fori_loop(0, 4, lambda _, u: u + 0.2 * curvature(u), x), on, (P("x"),)), (floats(32, 5),)


# --- Placements ----------------------------------------------------------------------------------------


@program
def clients_with_cut_models():
    """A DrJAX round of clients whose models are cut."""

    @drjax.program(placements={"clients": 4})
    def federated(w1, w2, x, y):
        def local(w1, w2, x, y):
            g1, g2 = jax.grad(lambda ws: ((jnp.tanh(x @ ws[0]) @ ws[1] - y) ** 2).mean())((w1, w2))
            return w1 - 0.1 * g1, w2 - 0.1 * g2

        return drjax.reduce_mean(drjax.map_fn(local, (drjax.broadcast(w1), drjax.broadcast(w2), x, y)))

    models = (P(None, "model"), P("model", None))
    arguments = (floats(6, 16, scale=0.3), floats(16, 3, scale=0.3), floats(4, 5, 6), floats(4, 5, 3))
    return jit(federated, mesh(clients=4, model=2), (*models, P("clients"), P("clients")), models), arguments


def stored(array):
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype == jnp.bfloat16 else array


def main():
    folder = pathlib.Path(__file__).parent
    for name in sys.argv[1:] or PROGRAMS:
        function, arguments = PROGRAMS[name]()
        (folder / f"{name}.mlir").write_text(function.lower(*arguments).as_text())
        arrays = {f"in{k}": stored(x) for k, x in enumerate(jax.tree.leaves(arguments))}
        arrays |= {f"out{k}": stored(x) for k, x in enumerate(jax.tree.leaves(function(*arguments)))}
        np.savez(folder / f"{name}.io.npz", **arrays)


if __name__ == "__main__":
    main()

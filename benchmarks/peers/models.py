# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The federated rounds that are timed: local SGD of each client, then the mean of what changed.

A case is a function that makes a model, its data and its loss; a new case is one more of them. Each
round exists as DrJAX's users write it (`drjax_round`: vectorised over clients) and as the best plain
JAX for one CPU (`scan_round`: clients one after the other). Both compute the same.
"""
import functools
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

LOCAL_STEPS = 4
LOCAL_RATE = 0.05
SERVER_RATE = 1.0


class Case(NamedTuple):
    params: Any
    data: Any  # leading axes: clients, local steps
    loss: Callable[[Any, Any], jax.Array]


def dense_params(key, sizes):
    params = []
    for inputs, outputs in zip(sizes[:-1], sizes[1:]):
        key, own = jax.random.split(key)
        scale = 1 / np.sqrt(inputs)
        params.append((scale * jax.random.normal(own, (inputs, outputs), jnp.float32), jnp.zeros((outputs,), jnp.float32)))
    return params


def dense_loss(params, batch):
    h, labels = batch
    *hidden, (last_w, last_b) = params
    for w, b in hidden:
        h = jax.nn.relu(h @ w + b)
    log_p = jax.nn.log_softmax(h @ last_w + last_b)
    return -jnp.mean(jnp.sum(log_p * jax.nn.one_hot(labels, log_p.shape[-1]), axis=-1))


def mlp(n):
    """784-200-200-10 with ReLU, batches of 20."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, LOCAL_STEPS, 20, 784), np.float32)
    y = rng.integers(0, 10, (n, LOCAL_STEPS, 20), np.int32)
    return Case(dense_params(jax.random.PRNGKey(0), (784, 200, 200, 10)), (jnp.asarray(x), jnp.asarray(y)), dense_loss)


class LmShape(NamedTuple):
    vocab: int
    width: int
    layers: int
    length: int
    heads: int
    batch: int = 4


def lm_params(key, s):
    def normal(*shape):
        nonlocal key
        key, own = jax.random.split(key)
        return 0.02 * jax.random.normal(own, shape, jnp.float32)

    d = s.width
    return {
        "emb": normal(s.vocab, d),
        "pos": normal(s.length, d),
        "lnf": jnp.ones((d,)),
        "blocks": [
            {"ln1": jnp.ones((d,)), "ln2": jnp.ones((d,)), "qkv": normal(d, 3 * d), "o": normal(d, d),
             "up": normal(d, 4 * d), "down": normal(4 * d, d)}
            for _ in range(s.layers)
        ],
    }


def layer_norm(x, gain):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred**2, -1, keepdims=True) + 1e-5) * gain


def attention(x, block, heads):
    b, t, d = x.shape

    def split(a):
        return a.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)

    q, k, v = map(split, jnp.split(x @ block["qkv"], 3, -1))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(d // heads)
    causal = jnp.tril(jnp.ones((t, t), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), -1)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", weights, v)
    return mixed.transpose(0, 2, 1, 3).reshape(b, t, d) @ block["o"]


def lm_loss(heads, p, tokens):
    x, targets = tokens[:, :-1], tokens[:, 1:]
    h = p["emb"][x] + p["pos"]
    for block in p["blocks"]:
        h = h + attention(layer_norm(h, block["ln1"]), block, heads)
        h = h + jax.nn.gelu(layer_norm(h, block["ln2"]) @ block["up"]) @ block["down"]
    log_p = jax.nn.log_softmax(layer_norm(h, p["lnf"]) @ p["emb"].T)
    return -jnp.mean(jnp.take_along_axis(log_p, targets[..., None], -1))


def language_model(shape, n):
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, shape.vocab, (n, LOCAL_STEPS, shape.batch, shape.length + 1), np.int32)
    return Case(lm_params(jax.random.PRNGKey(0), shape), jnp.asarray(tokens), functools.partial(lm_loss, shape.heads))


CASES = {
    "mlp": mlp,
    "lm-s": functools.partial(language_model, LmShape(vocab=512, width=128, layers=2, length=64, heads=4)),
    "lm-m": functools.partial(language_model, LmShape(vocab=2048, width=256, layers=4, length=128, heads=8)),
}


def local_training(loss, params, batches):
    """A client's steps of SGD: what changed in its model, and its mean loss."""
    def step(p, batch):
        value, gradient = jax.value_and_grad(loss)(p, batch)
        return jax.tree.map(lambda w, g: w - LOCAL_RATE * g, p, gradient), value

    trained, losses = jax.lax.scan(step, params, batches)
    return jax.tree.map(lambda new, old: new - old, trained, params), losses.mean()


def updated(params, change):
    return jax.tree.map(lambda w, c: w + SERVER_RATE * c, params, change)


def drjax_round(loss, n):
    import drjax

    @drjax.program(placements={"clients": n})
    def round_fn(params, data):
        client = functools.partial(local_training, loss)
        change, losses = drjax.map_fn(client, (drjax.broadcast(params), data))
        return updated(params, drjax.reduce_mean(change)), drjax.reduce_mean(losses)

    return round_fn


def scan_round(loss, n):
    def round_fn(params, data):
        def client(total, batches):
            change, value = local_training(loss, params, batches)
            return jax.tree.map(lambda t, c: t + c / n, total, change), value

        change, losses = jax.lax.scan(client, jax.tree.map(jnp.zeros_like, params), data)
        return updated(params, change), losses.mean()

    return round_fn


ROUNDS = {"drjax": drjax_round, "scan": scan_round}

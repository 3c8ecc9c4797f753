# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""What several files of programs use: fixed random arrays, losses, and a training step around a loss."""

import numpy as np


def normal(*shape, scale=1.0, seed=0, dtype=np.float32):
    return (scale * np.random.default_rng(seed + sum(shape)).standard_normal(shape)).astype(dtype)


def uniform(*shape, low=0.0, high=1.0, seed=0):
    return np.random.default_rng(seed + sum(shape)).uniform(low, high, shape).astype(np.float32)


def integers(high, *shape, seed=0):
    return np.random.default_rng(seed).integers(0, high, shape, np.int32)


def cross_entropy(logits, labels):
    import jax
    import jax.numpy as jnp

    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1))


def sgd(loss, parameters, *data, rate=0.01):
    """(function, arguments): loss and new parameters of one step of gradient descent."""
    import jax

    def step(p, *data):
        value, gradient = jax.value_and_grad(loss)(p, *data)
        return value, jax.tree.map(lambda w, g: (w - rate * g).astype(w.dtype), p, gradient)

    return step, (parameters, *data)


def optimised(loss, optimiser, parameters, *data):
    """(function, arguments): one step of an optimiser of optax, with its state."""
    import jax
    import optax

    def step(p, state, *data):
        value, gradient = jax.value_and_grad(loss)(p, *data)
        updates, state = optimiser.update(gradient, state, p)
        return value, optax.apply_updates(p, updates), state

    return step, (parameters, optimiser.init(parameters), *data)

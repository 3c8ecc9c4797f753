#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Compile time of a training step of GPT-2 with many layers, by turns with XLA's for the CPU.

    benchmarks/zoo/large_step.py [--layers 24,48] [--turns 3] [--target cpu]

The step is that of the package transformers with optax' AdamW, 512 tokens; 24 layers of width 1024 have 355 million parameters. Nothing is
run, so that weights are shapes alone. Ours is a process `partita compile` with an empty cache, XLA's `Lowered.compile()` in a process that has
compiled before.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def lowered_step(layers):
    import jax
    import jax.numpy as jnp
    import optax
    from transformers import FlaxGPT2LMHeadModel, GPT2Config

    dropouts = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(n_embd=1024, n_layer=layers, n_head=16, vocab_size=50257, n_positions=1024, **dropouts)
    model = FlaxGPT2LMHeadModel(config, _do_init=False)
    optimiser = optax.adamw(1e-4)

    def logits(params, tokens):
        places = jnp.arange(tokens.shape[1])[None]
        return model.module.apply({"params": params}, tokens, jnp.ones_like(tokens), places, return_dict=False)[0]

    def loss(params, tokens):
        each = jax.nn.log_softmax(logits(params, tokens)[:, :-1])
        return -jnp.mean(jnp.take_along_axis(each, tokens[:, 1:, None], -1))

    def step(params, state, tokens):
        value, gradient = jax.value_and_grad(loss)(params, tokens)
        updates, state = optimiser.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    few = jax.ShapeDtypeStruct((1, 8), jnp.int32)
    init = lambda key, t: model.module.init(key, t, t, t, return_dict=False)["params"]
    params = jax.eval_shape(init, jax.random.PRNGKey(0), few)
    state = jax.eval_shape(optimiser.init, params)
    # A function of its own for each call, or JAX knows the lowered text.
    return jax.jit(lambda *a: step(*a), donate_argnums=(0, 1)).lower(params, state, jax.ShapeDtypeStruct((1, 512), jnp.int32))


def xla_seconds(layers):
    lowered = lowered_step(layers)
    began = time.perf_counter()
    lowered.compile()
    return time.perf_counter() - began


def our_seconds(partita, text, target):
    with tempfile.TemporaryDirectory() as folder:
        command = [partita, "compile", text, "-o", f"{folder}/step.pta", "--target", target]
        began = time.perf_counter()
        subprocess.run(command, env=os.environ | {"PARTITA_CACHE_DIR": f"{folder}/cache"}, check=True, capture_output=True)
        return time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", default="24", help="numbers, with commas between")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--partita", default=HERE.parent.parent / "build/release/bin/partita")
    args = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    xla_seconds(1)
    for layers in map(int, args.layers.split(",")):
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "step.mlir")
            text.write_text(lowered_step(layers).as_text(), encoding="utf-8")
            for _ in range(args.turns):
                theirs.append(xla_seconds(layers))
                ours.append(our_seconds(str(args.partita), str(text), args.target))
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        print(
            f"{layers} layers: ours {statistics.median(ours):.2f} s, XLA {statistics.median(theirs):.2f} s, ours / XLA "
            f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
            flush=True,
        )


if __name__ == "__main__":
    main()

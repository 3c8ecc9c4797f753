# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Language models written with Equinox, Flax (linen and nnx), Haiku, and backbones of Keras Hub."""

from .common import cross_entropy, integers, normal, optimised, sgd
from .registry import add, program


def equinox_gpt():
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    class Block(eqx.Module):
        attention: eqx.nn.MultiheadAttention
        first: eqx.nn.LayerNorm
        second: eqx.nn.RMSNorm
        mlp: eqx.nn.MLP

        def __init__(self, key):
            a, b = jax.random.split(key)
            self.attention = eqx.nn.MultiheadAttention(4, 96, key=a)
            self.mlp = eqx.nn.MLP(96, 96, 256, 1, activation=jax.nn.gelu, key=b)
            self.first, self.second = eqx.nn.LayerNorm(96), eqx.nn.RMSNorm(96)

        def __call__(self, x):
            h = jax.vmap(self.first)(x)
            x = x + self.attention(h, h, h, mask=jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool)))
            return x + jax.vmap(self.mlp)(jax.vmap(self.second)(x))

    class Gpt(eqx.Module):
        embed: eqx.nn.Embedding
        blocks: list
        head: eqx.nn.Linear

        def __init__(self, key):
            keys = jax.random.split(key, 5)
            self.embed, self.head = eqx.nn.Embedding(500, 96, key=keys[0]), eqx.nn.Linear(96, 500, key=keys[1])
            self.blocks = [Block(k) for k in keys[2:]]

        def __call__(self, t):
            x = jax.vmap(self.embed)(t)
            for block in self.blocks:
                x = block(x)
            return jax.vmap(self.head)(x)

    return eqx.partition(Gpt(jax.random.PRNGKey(0)), eqx.is_array)


@program("language", "equinox")
def equinox_gpt_forward():
    import equinox as eqx
    import jax

    arrays, rest = equinox_gpt()
    return lambda a, t: jax.vmap(eqx.combine(a, rest))(t), (arrays, integers(500, 4, 64))


@program("language", "equinox")
def equinox_gpt_adamw_step():
    import equinox as eqx
    import jax
    import optax

    arrays, rest = equinox_gpt()

    def loss(a, t):
        return cross_entropy(jax.vmap(eqx.combine(a, rest))(t[:, :-1]), t[:, 1:])

    return optimised(loss, optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3)), arrays, integers(500, 4, 65))


@program("language", "equinox")
def equinox_lstm_step():
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    cell = eqx.nn.LSTMCell(16, 64, key=jax.random.PRNGKey(0))
    head = eqx.nn.Linear(64, 10, key=jax.random.PRNGKey(1))
    arrays, rest = eqx.partition((cell, head), eqx.is_array)

    def loss(a, x, y):
        cell, head = eqx.combine(a, rest)

        def run(x):
            state, _ = jax.lax.scan(lambda s, v: (cell(v, s), None), (jnp.zeros(64), jnp.zeros(64)), x)
            return head(state[0])

        return cross_entropy(jax.vmap(run)(x), y)

    return sgd(loss, arrays, normal(8, 30, 16), integers(10, 8))


def nnx_lm(dtype=None):
    import jax.numpy as jnp
    from flax import nnx

    kind = jnp.bfloat16 if dtype == "bf16" else jnp.float32

    class Block(nnx.Module):
        def __init__(self, rngs):
            self.norm = nnx.LayerNorm(96, rngs=rngs)
            self.attention = nnx.MultiHeadAttention(4, 96, decode=False, dtype=kind, rngs=rngs)
            self.after = nnx.RMSNorm(96, rngs=rngs)
            self.up = nnx.Linear(96, 256, dtype=kind, rngs=rngs)
            self.down = nnx.Linear(256, 96, dtype=kind, rngs=rngs)

        def __call__(self, x):
            mask = nnx.make_causal_mask(jnp.ones(x.shape[:2]))
            x = x + self.attention(self.norm(x), mask=mask)
            return x + self.down(nnx.silu(self.up(self.after(x))))

    class Lm(nnx.Module):
        def __init__(self, rngs):
            self.embed = nnx.Embed(500, 96, rngs=rngs)
            self.blocks = nnx.List([Block(rngs) for _ in range(2)])
            self.head = nnx.Linear(96, 500, rngs=rngs)

        def __call__(self, t):
            x = self.embed(t)
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    graph, state = nnx.split(Lm(nnx.Rngs(0)))
    return lambda p, t: nnx.merge(graph, p)(t), nnx.to_pure_dict(state), state


@program("language", "flax")
def nnx_lm_forward():
    apply, _, state = nnx_lm()
    return apply, (state, integers(500, 4, 64))


@program("language", "flax")
def nnx_lm_bf16_forward():
    apply, _, state = nnx_lm("bf16")
    return apply, (state, integers(500, 4, 64))


@program("language", "flax")
def nnx_lm_adam_step():
    import optax

    apply, _, state = nnx_lm()
    return optimised(
        lambda p, t: cross_entropy(apply(p, t[:, :-1]), t[:, 1:]), optax.adam(1e-3), state, integers(500, 4, 65)
    )


@program("language", "flax")
def nnx_lm_bf16_step():
    import jax.numpy as jnp

    apply, _, state = nnx_lm("bf16")
    return sgd(
        lambda p, t: cross_entropy(apply(p, t[:, :-1]).astype(jnp.float32), t[:, 1:]), state, integers(500, 4, 65)
    )


def linen_lm():
    import flax.linen as nn
    import jax

    class Layer(nn.Module):
        @nn.compact
        def __call__(self, x, mask):
            x = x + nn.MultiHeadDotProductAttention(4, dropout_rate=0.1, deterministic=False)(
                nn.LayerNorm()(x), mask=mask
            )
            h = nn.Dense(96)(nn.gelu(nn.Dense(256)(nn.LayerNorm()(x))))
            return x + nn.Dropout(0.1, deterministic=False)(h), None

    class Lm(nn.Module):
        @nn.compact
        def __call__(self, t):
            x = nn.Embed(500, 96)(t)
            stack = nn.scan(
                nn.remat(Layer),
                variable_axes={"params": 0},
                split_rngs={"params": True, "dropout": True},
                length=3,
                in_axes=nn.broadcast,
            )
            x, _ = stack()(x, nn.make_causal_mask(t))
            return nn.Dense(500)(x)

    model = Lm()
    keys = {"params": jax.random.PRNGKey(0), "dropout": jax.random.PRNGKey(1)}
    return model, model.init(keys, integers(500, 1, 8))


@program("language", "flax")
def linen_scan_remat_lm_step():
    import jax

    model, weights = linen_lm()

    def loss(p, t, key):
        return cross_entropy(model.apply(p, t[:, :-1], rngs={"dropout": key}), t[:, 1:])

    return sgd(loss, weights, integers(500, 4, 65), jax.random.PRNGKey(2))


@program("language", "flax")
def linen_cached_decode():
    """Eight greedy steps of a decoder with a cache of keys and values."""
    import flax.linen as nn
    import jax
    import jax.numpy as jnp

    class Decoder(nn.Module):
        @nn.compact
        def __call__(self, t):
            x = nn.Embed(200, 64)(t)
            x = x + nn.MultiHeadDotProductAttention(4, decode=True)(nn.LayerNorm()(x))
            return nn.Dense(200)(nn.relu(nn.Dense(128)(x)))

    model = Decoder()
    variables = model.init(jax.random.PRNGKey(0), jnp.zeros((2, 32), jnp.int32))

    def decode(p, cache, first):
        def body(carry, _):
            t, cache = carry
            logits, new = model.apply({"params": p, "cache": cache}, t, mutable=["cache"])
            t = jnp.argmax(logits[:, -1:], -1).astype(jnp.int32)
            return (t, new["cache"]), (t, logits)

        return jax.lax.scan(body, (first, cache), None, length=8)

    return decode, (variables["params"], variables["cache"], integers(200, 2, 1))


@program("language", "dm-haiku")
def haiku_transformer_step():
    import haiku as hk
    import jax
    import jax.numpy as jnp

    def network(t):
        x = hk.Embed(500, 96)(t)
        mask = jnp.tril(jnp.ones((1, 1, t.shape[1], t.shape[1])))
        for _ in range(2):
            h = hk.LayerNorm(-1, True, True)(x)
            x = x + hk.MultiHeadAttention(4, 24, w_init=hk.initializers.VarianceScaling(1.0))(h, h, h, mask=mask)
            x = x + hk.nets.MLP([256, 96])(hk.LayerNorm(-1, True, True)(x))
        return hk.Linear(500)(x)

    model = hk.without_apply_rng(hk.transform(network))
    weights = model.init(jax.random.PRNGKey(0), integers(500, 1, 8))
    return sgd(lambda p, t: cross_entropy(model.apply(p, t[:, :-1]), t[:, 1:]), weights, integers(500, 4, 65))


TEXT = {"vocabulary_size": 500, "num_layers": 2, "hidden_dim": 96, "intermediate_dim": 192}
HEADS = TEXT | {"num_heads": 4}
GROUPED = TEXT | {"num_query_heads": 4, "num_key_value_heads": 2}
BACKBONES = {
    "bert": ("BertBackbone", HEADS | {"max_sequence_length": 64}, "bert"),
    "deberta_v3": ("DebertaV3Backbone", HEADS | {"max_sequence_length": 64, "bucket_size": 32}, "text"),
    "fnet": ("FNetBackbone", TEXT | {"max_sequence_length": 64}, "fnet"),
    "gpt_neox": ("GPTNeoXBackbone", HEADS | {"max_sequence_length": 64}, "text"),
    "falcon": ("FalconBackbone", TEXT | {"num_attention_heads": 4}, "text"),
    "gemma3": (
        "Gemma3Backbone",
        {
            "vocabulary_size": 500,
            "image_size": 16,
            "num_layers": 2,
            "num_query_heads": 4,
            "num_key_value_heads": 2,
            "hidden_dim": 96,
            "intermediate_dim": 192,
            "head_dim": 24,
            "use_sliding_window_attention": True,
            "sliding_window_size": 16,
            "vision_encoder": None,
        },
        "text",
    ),
    "mixtral": ("MixtralBackbone", GROUPED | {"num_experts": 4, "top_k": 2}, "text"),
    "qwen3": ("Qwen3Backbone", GROUPED | {"head_dim": 24}, "text"),
    "phi3": ("Phi3Backbone", GROUPED, "text"),
    "t5": ("T5Backbone", HEADS, "t5"),
    "xlnet": ("XLNetBackbone", HEADS, "text"),
}


def backbone(name, values, inputs, train):
    def make():
        import jax
        import jax.numpy as jnp
        import keras
        import keras_hub

        keras.utils.set_random_seed(0)
        model = getattr(keras_hub.models, name)(**values)
        tokens, ones = integers(500, 4, 64), integers(1, 4, 64) + 1
        data = {"token_ids": tokens, "padding_mask": ones, "segment_ids": integers(2, 4, 64, seed=1)}
        data |= {f"{side}_{k}": data[k] for side in ("encoder", "decoder") for k in ("token_ids", "padding_mask")}
        data = {k: data[k] for k in model.input if k in data} if isinstance(model.input, dict) else data
        weights = [v.value for v in model.trainable_variables]
        state = [v.value for v in model.non_trainable_variables]

        def forward(w, s, d):
            out = model.stateless_call(w, s, d, training=train)[0]
            return out.get("sequence_output", out.get("decoder_sequence_output")) if isinstance(out, dict) else out

        if not train:
            return forward, (weights, state, data)
        return sgd(lambda w, s, d: jnp.mean(jax.nn.log_softmax(forward(w, s, d)) ** 2), weights, state, data)

    return make


for key, (name, values, inputs) in BACKBONES.items():
    add(f"hub_{key}", "language", "keras-hub", backbone(name, values, inputs, False))
    if key in ("deberta_v3", "fnet", "mixtral", "gemma3", "xlnet"):
        add(f"hub_{key}_step", "language", "keras-hub", backbone(name, values, inputs, True))

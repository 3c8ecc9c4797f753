# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Programs that are timed beside XLA: a function of JAX and its arguments each, by name.

`@program` adds one; what it returns is (function, arguments). Sizes are such that an execution takes
between some hundred microseconds and some ten milliseconds.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def normal(*shape, scale=1.0, seed=0, dtype=np.float32):
    return (scale * np.random.default_rng(seed + sum(shape)).standard_normal(shape)).astype(dtype)


def integers(high, *shape, seed=0):
    return np.random.default_rng(seed).integers(0, high, shape, np.int32)


# --- Convolutions ---

NHWC = ("NHWC", "HWIO", "NHWC")


def conv(x, w, stride=1, padding="SAME", layout=NHWC, **options):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=layout, **options)


def cnn_params():
    return {"c1": normal(3, 3, 3, 32, scale=0.1), "c2": normal(3, 3, 32, 64, scale=0.05),
            "d": normal(64 * 8 * 8, 10, scale=0.02), "b1": normal(32), "b2": normal(64), "b": normal(10)}


def cnn(p, x):
    h = jax.nn.relu(conv(x, p["c1"]) + p["b1"])
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = jax.nn.relu(conv(h, p["c2"]) + p["b2"])
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return h.reshape(h.shape[0], -1) @ p["d"] + p["b"]


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


@program
def cnn_forward():
    return cnn, (cnn_params(), normal(16, 32, 32, 3))


@program
def cnn_step():
    def step(p, x, y):
        loss, g = jax.value_and_grad(lambda p: cross_entropy(cnn(p, x), y))(p)
        return loss, jax.tree.map(lambda w, d: w - 0.1 * d, p, g)

    return step, (cnn_params(), normal(16, 32, 32, 3), integers(10, 16))


def residual_block(p, x):
    def norm(h, scale, offset):
        mean, var = jnp.mean(h, (0, 1, 2)), jnp.var(h, (0, 1, 2))
        return (h - mean) * lax.rsqrt(var + 1e-5) * scale + offset

    h = jax.nn.relu(norm(conv(x, p["a"]), p["s1"], p["o1"]))
    h = norm(conv(h, p["b"]), p["s2"], p["o2"])
    return jax.nn.relu(h + x)


def residual_params(c):
    return {"a": normal(3, 3, c, c, scale=0.05), "b": normal(3, 3, c, c, scale=0.05, seed=1), "s1": normal(c),
            "o1": normal(c, seed=1), "s2": normal(c, seed=2), "o2": normal(c, seed=3)}


@program
def residual_forward():
    return residual_block, (residual_params(64), normal(8, 16, 16, 64))


@program
def residual_gradient():
    f = jax.grad(lambda p, x: jnp.sum(residual_block(p, x) ** 2), argnums=(0, 1))
    return f, (residual_params(64), normal(8, 16, 16, 64))


@program
def conv_nchw_stride():
    def f(x, w):
        return conv(x, w, 2, "SAME", ("NCHW", "OIHW", "NCHW"))

    return f, (normal(8, 32, 56, 56), normal(64, 32, 3, 3, scale=0.1))


@program
def conv_nchw_stride_gradient():
    def f(x, w):
        return jnp.sum(conv(x, w, 2, "SAME", ("NCHW", "OIHW", "NCHW")) ** 2)

    return jax.grad(f, argnums=(0, 1)), (normal(8, 32, 56, 56), normal(64, 32, 3, 3, scale=0.1))


@program
def conv_1x1():
    return conv, (normal(8, 28, 28, 128), normal(1, 1, 128, 64, scale=0.1))


@program
def conv_depthwise():
    def f(x, w):
        return conv(x, w, feature_group_count=64)

    return f, (normal(8, 32, 32, 64), normal(3, 3, 1, 64))


@program
def conv_depthwise_gradient():
    def f(x, w):
        return jnp.sum(conv(x, w, feature_group_count=64) ** 2)

    return jax.grad(f, argnums=(0, 1)), (normal(8, 32, 32, 64), normal(3, 3, 1, 64))


@program
def conv_grouped():
    def f(x, w):
        return conv(x, w, feature_group_count=8)

    return f, (normal(8, 28, 28, 64), normal(3, 3, 8, 64))


@program
def conv_transposed():
    def f(x, w):
        return lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=NHWC)

    return f, (normal(8, 16, 16, 64), normal(4, 4, 64, 32, scale=0.1))


@program
def conv_dilated():
    return lambda x, w: conv(x, w, rhs_dilation=(2, 2)), (normal(8, 28, 28, 32), normal(3, 3, 32, 32, scale=0.1))


@program
def conv_1d():
    def f(x, w):
        return lax.conv_general_dilated(x, w, (1,), [(6, 0)], dimension_numbers=("NWC", "WIO", "NWC"))

    return f, (normal(8, 512, 64), normal(7, 64, 64, scale=0.1))


@program
def pool_mean_and_max():
    def f(x):
        big = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        return big, lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9

    return f, (normal(8, 56, 56, 64),)


# --- Attention and transformers ---


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool))
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)


def layer_norm(x, scale, offset):
    mean = jnp.mean(x, -1, keepdims=True)
    var = jnp.mean((x - mean) ** 2, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * scale + offset


def transformer_block(p, x):
    b, t, d = x.shape
    h = layer_norm(x, p["s1"], p["o1"]) @ p["qkv"]
    q, k, v = (a.reshape(b, t, 4, d // 4) for a in jnp.split(h, 3, -1))
    x = x + attention(q, k, v).reshape(b, t, d) @ p["o"]
    return x + jax.nn.gelu(layer_norm(x, p["s2"], p["o2"]) @ p["up"]) @ p["down"]


def transformer_params(d):
    return {"qkv": normal(d, 3 * d, scale=0.05), "o": normal(d, d, scale=0.05), "up": normal(d, 4 * d, scale=0.05),
            "down": normal(4 * d, d, scale=0.05), "s1": normal(d), "s2": normal(d, seed=1), "o1": normal(d, seed=2),
            "o2": normal(d, seed=3)}


@program
def attention_forward():
    return attention, tuple(normal(4, 128, 8, 32, seed=s) for s in range(3))


@program
def attention_gradient():
    f = jax.grad(lambda q, k, v: jnp.sum(attention(q, k, v) ** 2), argnums=(0, 1, 2))
    return f, tuple(normal(4, 128, 8, 32, seed=s) for s in range(3))


@program
def transformer_forward():
    return transformer_block, (transformer_params(128), normal(8, 64, 128))


@program
def transformer_gradient():
    f = jax.grad(lambda p, x: jnp.sum(transformer_block(p, x) ** 2))
    return f, (transformer_params(128), normal(8, 64, 128))


@program
def softmax_rows():
    return lambda x: jax.nn.softmax(x), (normal(1024, 512),)


@program
def layer_norm_rows():
    return layer_norm, (normal(2048, 256), normal(256), normal(256, seed=1))


@program
def log_softmax_loss():
    return jax.value_and_grad(cross_entropy), (normal(512, 1000), integers(1000, 512))


# --- Recurrent networks and loops ---


@program
def lstm_scan():
    def f(w, x):
        def step(state, now):
            h, c = state
            i, g, o, u = jnp.split(jnp.concatenate([now, h], -1) @ w, 4, -1)
            c = jax.nn.sigmoid(g) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((x.shape[1], 64))
        return lax.scan(step, (zero, zero), x)[1]

    return f, (normal(64 + 64, 256, scale=0.1), normal(64, 16, 64))


@program
def lstm_gradient():
    f = lstm_scan()[0]
    return jax.grad(lambda w, x: jnp.sum(f(w, x) ** 2)), (normal(64 + 64, 256, scale=0.1), normal(64, 16, 64))


@program
def rnn_small_scan():
    def f(w, x):
        def step(h, now):
            h = jnp.tanh(now + h @ w)
            return h, h

        return lax.scan(step, jnp.zeros((x.shape[1],)), x)[1]

    return f, (normal(8, 8, scale=0.3), normal(1000, 8))


@program
def newton_loop():
    def f(x):
        def body(s):
            i, y = s
            return i + 1, 0.5 * (y + x / y)

        return lax.while_loop(lambda s: s[0] < 200, body, (0, jnp.ones_like(x)))[1]

    return f, (np.abs(normal(64)) + 1,)


@program
def converging_loop():
    def f(a, b):
        def body(s):
            x, _ = s
            y = x + 0.01 * (b - a @ x)
            return y, jnp.max(jnp.abs(y - x))

        return lax.while_loop(lambda s: s[1] > 1e-3, body, (jnp.zeros_like(b), jnp.float32(1)))[0]

    m = normal(48, 48, scale=0.1)
    return f, (m @ m.T + np.eye(48, dtype=np.float32), normal(48))


@program
def gru_scan():
    def f(wz, wh, x):
        def step(h, now):
            both = jnp.concatenate([now, h], -1)
            z, r = jnp.split(jax.nn.sigmoid(both @ wz), 2, -1)
            u = jnp.tanh(jnp.concatenate([now, r * h], -1) @ wh)
            h = (1 - z) * h + z * u
            return h, h
        return lax.scan(step, jnp.zeros((x.shape[1], 32)), x)[1]
    return f, (normal(16 + 32, 64, scale=0.2), normal(48, 32, scale=0.2), normal(50, 4, 16))


@program
def ode_rk4():
    def f(y0):
        def field(y):
            x, v, z = y[:, 0], y[:, 1], y[:, 2]
            return jnp.stack([10 * (v - x), x * (28 - z) - v, x * v - 8 / 3 * z], 1)
        def step(y, _):
            h = 0.005
            k1 = field(y)
            k2 = field(y + h / 2 * k1)
            k3 = field(y + h / 2 * k2)
            k4 = field(y + h * k3)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), jnp.mean(y, 0)
        return lax.scan(step, y0, None, length=300)
    return f, (normal(32, 3),)


@program
def conjugate_gradient():
    def f(a, b):
        def body(s):
            x, r, p, rr, k = s
            q = a @ p
            alpha = rr / (p @ q)
            x, r = x + alpha * p, r - alpha * q
            new = r @ r
            return x, r, r + new / rr * p, new, k + 1
        s = lax.while_loop(lambda s: (s[3] > 1e-6) & (s[4] < 100), body, (jnp.zeros_like(b), b, b, b @ b, 0))
        return s[0], s[4]
    m = normal(64, 64, scale=0.1)
    return f, (m @ m.T + np.eye(64, dtype=np.float32), normal(64))


@program
def viterbi():
    def f(start, move, seen):
        def forward(score, now):
            paths = score[:, None] + move
            return jnp.max(paths, 0) + now, jnp.argmax(paths, 0)
        last, back = lax.scan(forward, start + seen[0], seen[1:])
        def trace(state, pointers):
            return pointers[state], state
        first, path = lax.scan(trace, jnp.argmax(last), back, reverse=True)
        return jnp.max(last), jnp.concatenate([first[None], path])
    return f, (normal(12), normal(12, 12), normal(200, 12))


@program
def hmm_forward():
    def f(start, move, seen):
        def step(alpha, now):
            return jax.nn.logsumexp(alpha[:, None] + move, axis=0) + now, None
        return jax.nn.logsumexp(lax.scan(step, start + seen[0], seen[1:])[0])
    return f, (normal(16), normal(16, 16), normal(200, 16))


@program
def mlp_ensemble():
    def f(p, x, y):
        def loss(p, x, y):
            h = jnp.tanh(x @ p[0] + p[1])
            return jnp.mean((h @ p[2] - y) ** 2)
        def step(p, _):
            v, g = jax.vmap(jax.value_and_grad(loss), in_axes=(0, None, None))(p, x, y)
            return jax.tree.map(lambda w, d: w - 0.05 * d, p, g), v
        return lax.scan(step, p, None, length=50)
    return f, ((normal(8, 4, 16, scale=0.3), normal(8, 16), normal(8, 16, 1, scale=0.3)), normal(32, 4), normal(32, 1))


@program
def convnet_training():
    def f(p, x, y):
        def loss(p, x, y):
            h = jax.nn.relu(conv(x, p["c"], 2) + p["b"])
            return cross_entropy(h.reshape(h.shape[0], -1) @ p["d"], y)
        def step(p, batch):
            v, g = jax.value_and_grad(loss)(p, *batch)
            return jax.tree.map(lambda w, d: w - 0.1 * d, p, g), v
        return lax.scan(step, p, (x, y))
    p = {"c": normal(3, 3, 1, 4, scale=0.3), "b": normal(4), "d": normal(4 * 4 * 4, 3, scale=0.1)}
    return f, (p, normal(20, 4, 8, 8, 1), integers(3, 20, 4))


@program
def adam_rosenbrock():
    def f(x):
        def g(x):
            return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

        def step(k, s):
            x, m, v = s
            d = jax.grad(g)(x)
            m, v = 0.9 * m + 0.1 * d, 0.999 * v + 0.001 * d * d
            t = k + 1.0
            return x - 0.01 * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8), m, v
        return lax.fori_loop(0, 200, step, (x, jnp.zeros_like(x), jnp.zeros_like(x)))[0]
    return f, (normal(10),)


@program
def kalman_filter():
    def f(a, c, q, r, z):
        def step(s, now):
            x, p = s
            x, p = a @ x, a @ p @ a.T + q
            innovation = now - c @ x
            k = p @ c.T / (c @ p @ c.T + r)
            return (x + (k @ innovation), p - k @ c @ p), x
        return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), z)[1]
    a = np.eye(4, dtype=np.float32)
    a[0, 1] = a[2, 3] = 0.1
    return f, (a, normal(1, 4), 0.01 * np.eye(4, dtype=np.float32), np.float32([[1]]), normal(200, 1))


# --- Tables, sorting, statistics ---


@program
def embedding_gather():
    return lambda table, i: table[i], (normal(5000, 128), integers(5000, 32, 64))


@program
def embedding_gradient():
    f = jax.grad(lambda table, i: jnp.sum(jnp.tanh(table[i]) ** 2))
    return f, (normal(5000, 128), integers(5000, 32, 64))


@program
def segment_sum():
    return lambda x, i: jax.ops.segment_sum(x, i, 100), (normal(20000, 16), integers(100, 20000))


@program
def sort_vector():
    return lambda x: jnp.sort(x), (normal(50000),)


@program
def sort_rows():
    return lambda x: jnp.argsort(x, axis=1), (normal(256, 256),)


@program
def top_k_rows():
    return lambda x: lax.top_k(x, 8), (normal(256, 1000),)


@program
def cumsum_rows():
    return lambda x: jnp.cumsum(x, axis=1), (normal(256, 1024),)


@program
def cumsum_columns():
    return lambda x: jnp.cumsum(x, axis=0), (normal(1024, 256),)


@program
def kmeans():
    def f(points, centers):
        def step(c, _):
            distance = jnp.sum(points**2, 1)[:, None] - 2 * points @ c.T + jnp.sum(c**2, 1)
            hot = jax.nn.one_hot(jnp.argmin(distance, 1), c.shape[0])
            return (hot.T @ points) / jnp.maximum(jnp.sum(hot, 0)[:, None], 1), None

        return lax.scan(step, centers, None, length=5)[0]

    return f, (normal(4096, 32), normal(16, 32))


@program
def logistic_regression():
    def f(w, x, y):
        def loss(w):
            z = x @ w
            return jnp.mean(jnp.logaddexp(0.0, z) - y * z) + 1e-3 * jnp.sum(w**2)

        return w - 0.1 * jax.grad(loss)(w)

    return f, (normal(2000, scale=0.01), normal(1000, 2000), integers(2, 1000).astype(np.float32))


@program
def reduce_rows():
    return lambda x: (jnp.sum(x, 1), jnp.max(x, 1), jnp.min(x, 1)), (normal(1024, 1024),)


@program
def reduce_columns():
    return lambda x: (jnp.sum(x, 0), jnp.max(x, 0), jnp.min(x, 0)), (normal(1024, 1024),)


@program
def argmax_rows():
    return lambda x: jnp.argmax(x, 1), (normal(1024, 1024),)


@program
def reduce_all():
    return lambda x: (jnp.sum(x), jnp.max(x)), (normal(1024, 1024),)


@program
def normal_samples():
    return lambda k: jax.random.normal(k, (512, 512)), (np.array([1, 2], np.uint32),)


# --- Products ---


@program
def matmul_f32():
    return lambda a, b: a @ b, (normal(512, 512), normal(512, 512, seed=1))


@program
def matmul_f64():
    return lambda a, b: a @ b, (normal(384, 384, dtype=np.float64), normal(384, 384, seed=1, dtype=np.float64))


@program
def matmul_bf16():
    return lambda a, b: a @ b, (jnp.bfloat16(normal(256, 512)), jnp.bfloat16(normal(512, 256, seed=1)))


@program
def matmul_bf16_to_f32():
    def f(a, b):
        return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)

    return f, (jnp.bfloat16(normal(256, 512)), jnp.bfloat16(normal(512, 256, seed=1)))


@program
def mlp_bf16_gradient():
    def f(p, x):
        h = jax.nn.relu(x @ p[0])
        return jnp.sum((h @ p[1]).astype(jnp.float32) ** 2)

    p = (jnp.bfloat16(normal(256, 256, scale=0.05)), jnp.bfloat16(normal(256, 64, scale=0.05)))
    return jax.grad(f), (p, jnp.bfloat16(normal(128, 256)))


@program
def batched_products():
    return lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (normal(64, 64, 64), normal(64, 64, 64, seed=1))


@program
def einsum_layouts():
    return lambda a, b: jnp.einsum("ibjh,kbjh->bhik", a, b), (normal(64, 8, 4, 32), normal(64, 8, 4, 32, seed=1))


@program
def tensor_contraction():
    return lambda a, b: jnp.einsum("abcd,cbe->ade", a, b), (normal(32, 16, 32, 32), normal(32, 16, 48))


@program
def matrix_vector():
    return lambda a, x: a @ x, (normal(1024, 1024), normal(1024))


@program
def vector_matrix():
    return lambda a, x: x @ a, (normal(1024, 1024), normal(1024))


@program
def elementwise_chain():
    return lambda x, y: jnp.exp(-(x**2)) * jnp.sin(y) + jnp.log1p(jnp.abs(x * y)), (normal(512, 512), normal(512, 512, seed=1))


@program
def transpose_large():
    return lambda x: x.T + 1.0, (normal(1024, 1024),)


@program
def fft_rows():
    return lambda x: jnp.abs(jnp.fft.rfft(x)), (normal(256, 1024),)

# --- Elements, layouts, narrow types ---


@program
def histogram():
    def f(x):
        return jnp.zeros(256, jnp.int32).at[jnp.clip((x * 40 + 128).astype(jnp.int32), 0, 255)].add(1)

    return f, (normal(100000),)


@program
def transpose_axes():
    return lambda x: jnp.transpose(x, (0, 3, 1, 2)) * 2.0, (normal(8, 56, 56, 64),)


@program
def pad_and_concatenate():
    def f(x, y):
        z = jnp.concatenate([x, jnp.pad(y, ((0, 0), (3, 5))), x[:, ::-1]], axis=1)
        return jnp.roll(z, 7, axis=1) - z

    return f, (normal(512, 500), normal(512, 300))


@program
def where_and_clip():
    def f(x, y):
        return jnp.where(x > y, jnp.clip(x, -1, 1), jnp.maximum(y, 0.1 * y)) * jnp.sign(y) + jnp.floor(x)

    return f, (normal(1024, 1024), normal(1024, 1024, seed=1))


@program
def elementwise_bf16():
    def f(x, y):
        return x * jax.nn.sigmoid(x) + y * y

    return f, (jnp.bfloat16(normal(1024, 512)), jnp.bfloat16(normal(1024, 512, seed=1)))


@program
def elementwise_f16():
    return lambda x, y: jnp.tanh(x) * y + x, (np.float16(normal(1024, 512)), np.float16(normal(1024, 512, seed=1)))


@program
def quantized_int8():
    def f(x, scale):
        q = jnp.clip(jnp.round(x / scale), -127, 127).astype(jnp.int8)
        return q, q.astype(jnp.float32) * scale

    return f, (normal(1024, 512), np.float32(0.02) + np.abs(normal(512)))


@program
def bytes_blend():
    def f(a, b, alpha):
        wide = a.astype(jnp.uint16) * alpha + b.astype(jnp.uint16) * (255 - alpha)
        return (wide >> 8).astype(jnp.uint8)

    image = integers(256, 512, 1024).astype(np.uint8)
    return f, (image, image[::-1].copy(), np.uint16(77))


@program
def small_products():
    return lambda a, b: a @ b, (normal(20000, 4, 4), normal(20000, 4, 4, seed=1))


@program
def batch_norm_gradient():
    def f(x, scale, offset):
        mean, var = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
        return jnp.sum(jnp.tanh((x - mean) * lax.rsqrt(var + 1e-5) * scale + offset) ** 2)

    return jax.grad(f, argnums=(0, 1, 2)), (normal(16, 28, 28, 32), normal(32), normal(32, seed=1))


@program
def layer_norm_gradient():
    f = lambda x, s, o: jnp.sum(layer_norm(x, s, o) ** 3)  # noqa: E731
    return jax.grad(f, argnums=(0, 1, 2)), (normal(2048, 256), normal(256), normal(256, seed=1))


@program
def one_hot_counts():
    return lambda i: jnp.sum(jax.nn.one_hot(i, 100), 0), (integers(100, 20000),)


@program
def log_sum_exp_rows():
    return lambda x: jax.nn.logsumexp(x, axis=1), (normal(1024, 1024),)


@program
def cum_log_sum_exp():
    return lambda x: lax.cumlogsumexp(x, axis=1), (normal(256, 1024),)


@program
def variance_all():
    return lambda x: (jnp.mean(x), jnp.var(x)), (normal(1024, 1024),)


@program
def argmin_all():
    return lambda x: (jnp.argmin(x), jnp.argmax(x)), (normal(1024, 1024),)


@program
def pool_channels_first():
    def f(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME")

    return f, (normal(8, 32, 56, 56),)


@program
def pool_gradient():
    def f(x):
        return jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2)

    return jax.grad(f), (normal(8, 56, 56, 64),)


@program
def moving_average():
    def f(x):
        return lax.reduce_window(x, 0.0, lax.add, (1, 33), (1, 1), "SAME") / 33

    return f, (normal(256, 2048),)


@program
def fft_complex():
    return lambda x: jnp.fft.fft(x), ((normal(512, 720) + 1j * normal(512, 720, seed=1)).astype(np.complex64),)


@program
def fft_images():
    def f(x):
        return jnp.fft.irfft2(jnp.fft.rfft2(x) * 0.5)

    return f, (normal(16, 128, 128),)


@program
def fft_line():
    return lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 0.5), (normal(65536),)


@program
def fft_odd_lines():
    return lambda x: jnp.fft.rfft(x), (normal(64, 1155),)


@program
def fft_short_lines():
    return lambda x: jnp.fft.fft2(x), ((normal(40, 24, 20) + 1j * normal(40, 24, 20, seed=1)).astype(np.complex64),)


@program
def scatter_rows():
    return lambda x, i, u: x.at[i].add(u), (normal(5000, 64), integers(5000, 4000), normal(4000, 64))


@program
def sort_pairs():
    return lambda k, v: lax.sort((k, v), num_keys=1), (integers(1 << 30, 64, 2000), normal(64, 2000))

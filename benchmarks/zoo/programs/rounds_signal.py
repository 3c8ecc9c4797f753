# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""DrJAX rounds with its own map and reduce, images (dm_pix), JAX's scipy, linear algebra and FFTs."""

from .common import cross_entropy, integers, normal, uniform
from .registry import add, program


def drjax_round(kind, clients=8):
    def make():
        import drjax
        import jax
        import jax.numpy as jnp

        def loss(p, x, y):
            return cross_entropy(jnp.maximum(x @ p["a"] + p["b"], 0) @ p["c"], y)

        def local(p, x, y):
            def body(p, data):
                g = jax.grad(loss)(p, *data)
                return jax.tree.map(lambda w, d: w - 0.1 * d, p, g), None

            new, _ = jax.lax.scan(body, p, (x, y))
            return jax.tree.map(lambda a, b: a - b, p, new)

        p = {"a": normal(32, 64, scale=0.1), "b": jnp.zeros(64), "c": normal(64, 10, scale=0.1)}
        x, y = normal(clients, 4, 16, 32), integers(10, clients, 4, 16)

        @drjax.program(placements={"clients": clients})
        def average(p, x, y):
            deltas = drjax.map_fn(local, (drjax.broadcast(p), x, y))
            return jax.tree.map(lambda w, d: w - d, p, drjax.reduce_mean(deltas))

        @drjax.program(placements={"clients": clients})
        def weighted(p, x, y, n):
            def scaled(p, x, y, n):
                return jax.tree.map(lambda d: n * d, local(p, x, y))

            deltas = drjax.map_fn(scaled, (drjax.broadcast(p), x, y, n))
            total = drjax.reduce_sum(n)
            return jax.tree.map(lambda w, d: w - d / total, p, drjax.reduce_sum(deltas))

        @drjax.program(placements={"clients": clients})
        def evaluate(p, x, y):
            return drjax.reduce_mean(drjax.map_fn(lambda p, x, y: loss(p, x[0], y[0]), (drjax.broadcast(p), x, y)))

        if kind == "average":
            return average, (p, x, y)
        if kind == "weighted":
            return weighted, (p, x, y, uniform(clients, low=1.0, high=5.0))
        if kind == "evaluate":
            return evaluate, (p, x, y)
        return jax.value_and_grad(evaluate), (p, x, y)

    return make


for kind in ("average", "weighted", "evaluate", "gradient"):
    add(f"drjax_{kind}", "rounds", "drjax", drjax_round(kind))


@program("rounds", "drjax")
def drjax_personalised_maml():
    """A gradient through the clients' own steps."""
    import drjax
    import jax
    import jax.numpy as jnp

    @drjax.program(placements={"clients": 6})
    def outer(w, x, y):
        def client(w, x, y):
            f = lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2)  # noqa: E731
            return f(w - 0.1 * jax.grad(f)(w))

        return drjax.reduce_mean(drjax.map_fn(client, (drjax.broadcast(w), x, y)))

    return jax.value_and_grad(outer), (normal(12, scale=0.3), normal(6, 20, 12), normal(6, 20))


def pix(name):
    def make():
        import dm_pix
        import jax

        image = uniform(4, 48, 48, 3)
        calls = {
            "blur": lambda x: jax.vmap(lambda i: dm_pix.gaussian_blur(i, 1.5, 5.0))(x),
            "hue_saturation": lambda x: dm_pix.adjust_saturation(dm_pix.adjust_hue(x, 0.1), 1.3),
            "rotate": lambda x: jax.vmap(lambda i: dm_pix.rotate(i, 0.3))(x),
            "elastic": lambda x: jax.vmap(lambda i: dm_pix.elastic_deformation(jax.random.PRNGKey(0), i, 3.0, 2.0))(x),
            "ssim": lambda x: dm_pix.ssim(x, x * 0.9 + 0.02),
            "augment": lambda x: jax.vmap(
                lambda k, i: dm_pix.random_crop(
                    k, dm_pix.random_flip_left_right(k, dm_pix.random_contrast(k, i, 0.5, 1.5)), (32, 32, 3)
                )
            )(jax.random.split(jax.random.PRNGKey(0), 4), x),
        }
        return calls[name], (image,)

    return make


for name in ("blur", "hue_saturation", "rotate", "elastic", "ssim", "augment"):
    add(f"pix_{name}", "vision", "dm-pix", pix(name))


def positive(n):
    a = normal(n, n)
    return (a @ a.T / n + 0.5 * __import__("numpy").eye(n)).astype("float32")


LINALG = {
    "cholesky_solve": lambda j, a: j.scipy.linalg.cho_solve(j.scipy.linalg.cho_factor(a), a[:, :4]),
    "lu_solve": lambda j, a: j.scipy.linalg.lu_solve(j.scipy.linalg.lu_factor(a), a[:, :4]),
    "qr": lambda j, a: j.numpy.linalg.qr(a)[1],
    "eigh": lambda j, a: j.numpy.linalg.eigh(a)[0],
    "svd": lambda j, a: j.numpy.linalg.svd(a)[1],
    "slogdet_gradient": lambda j, a: j.grad(lambda a: j.numpy.linalg.slogdet(a)[1])(a),
    "expm": lambda j, a: j.scipy.linalg.expm(a / 10),
    "inverse": lambda j, a: j.numpy.linalg.inv(a),
    "eigvals": lambda j, a: j.numpy.sort(j.numpy.abs(j.numpy.linalg.eigvals(a))),
    "lstsq": lambda j, a: j.numpy.linalg.lstsq(a[:, :10], a[:, 20])[0],
    "pinv": lambda j, a: j.numpy.linalg.pinv(a[:, :10]),
    "cg": lambda j, a: j.scipy.sparse.linalg.cg(a, a[:, 0], maxiter=20)[0],
    "tridiagonal": lambda j, a: j.lax.linalg.tridiagonal_solve(a[0], a[1] + 4, a[2], a[:, :2]),
    "schur": lambda j, a: j.numpy.abs(j.scipy.linalg.schur(a)[0]),
}
for name, call in LINALG.items():

    def make(call=call):
        import jax
        import jax.numpy.linalg
        import jax.scipy.linalg
        import jax.scipy.sparse.linalg

        return lambda a: call(jax, a), (positive(32),)

    add(f"linalg_{name}", "linear algebra", "jax", make)


SIGNAL = {
    "stft": lambda j, x: j.numpy.abs(j.scipy.signal.stft(x, nperseg=64)[2]),
    "welch": lambda j, x: j.scipy.signal.welch(x, nperseg=128)[1],
    "fft_convolve": lambda j, x: j.scipy.signal.fftconvolve(x, x[:, :33], mode="same", axes=1),
    "dct": lambda j, x: j.scipy.fft.dct(x),
    "bessel": lambda j, x: (
        j.scipy.special.i0(x),
        j.scipy.special.i1e(x),
        j.scipy.special.bessel_jn(j.numpy.abs(x[0, :8]), v=3),
    ),
    "special": lambda j, x: (
        j.scipy.special.digamma(j.numpy.abs(x) + 0.1),
        j.scipy.special.gammainc(1.5, j.numpy.abs(x)),
        j.scipy.special.betainc(1.5, 2.5, j.nn.sigmoid(x)),
        j.scipy.special.zeta(2.0 + j.numpy.abs(x), 1.0),
        j.scipy.special.erfinv(j.numpy.tanh(x)),
        j.scipy.special.ndtri(j.nn.sigmoid(x)),
    ),
    "map_coordinates": lambda j, x: j.scipy.ndimage.map_coordinates(
        x, [j.numpy.abs(x) * 0.7, j.numpy.abs(x) * 90], order=1
    ),
    "resize_cubic": lambda j, x: j.image.resize(x, (9, 300), "cubic"),
    "resize_lanczos": lambda j, x: j.image.resize(x, (3, 1100), "lanczos3"),
    "interp_unique": lambda j, x: (
        j.numpy.interp(x[0], j.numpy.sort(x[1]), x[2]),
        j.numpy.unique(j.numpy.round(x[0]), size=8),
    ),
    "quantiles": lambda j, x: (
        j.numpy.quantile(x, j.numpy.array([0.1, 0.5, 0.9]), axis=1),
        j.numpy.median(x, axis=0),
        j.numpy.histogram(x, bins=20)[0],
    ),
    "kde": lambda j, x: j.scipy.stats.gaussian_kde(x[0, :200])(x[1, :50]),
    "savgol_polyfit": lambda j, x: (
        j.numpy.polyfit(j.numpy.linspace(0, 1, 100), x[0, :100], 3),
        j.numpy.cov(x),
        j.numpy.gradient(x, axis=1),
    ),
}
for name, call in SIGNAL.items():

    def make(call=call):
        import jax
        import jax.image
        import jax.scipy.fft
        import jax.scipy.ndimage
        import jax.scipy.signal
        import jax.scipy.special
        import jax.scipy.stats

        return lambda x: call(jax, x), (normal(6, 512),)

    add(f"scipy_{name}", "signals", "jax", make)

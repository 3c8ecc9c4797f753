# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Bayesian inference: NumPyro, BlackJAX, Distrax, FlowJAX; Gaussian processes by tinygp and GPJax."""

from .common import integers, normal, uniform
from .registry import add, program


def schools():
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    y, sigma = jnp.array([28.0, 8, -3, 7, -1, 1, 18, 12]), jnp.array([15.0, 10, 16, 11, 9, 11, 10, 18])

    def model():
        mu, tau = numpyro.sample("mu", dist.Normal(0, 5)), numpyro.sample("tau", dist.HalfCauchy(5))
        with numpyro.plate("J", 8):
            theta = numpyro.sample("theta", dist.Normal(mu, tau))
            numpyro.sample("obs", dist.Normal(theta, sigma), obs=y)

    return model


def logistic():
    import numpyro
    import numpyro.distributions as dist

    x, y = normal(200, 8), integers(2, 200)

    def model():
        w = numpyro.sample("w", dist.Normal(0, 1).expand([8]).to_event(1))
        b = numpyro.sample("b", dist.StudentT(3.0, 0, 2))
        numpyro.sample("obs", dist.Bernoulli(logits=x @ w + b), obs=y)

    return model


def numpyro_kernel(kernel, model, steps):
    def make():
        import jax
        from numpyro import infer

        kernel_of = getattr(infer, kernel)(model(), **({"max_tree_depth": 5} if kernel == "NUTS" else {}))
        state = kernel_of.init(jax.random.PRNGKey(0), 10, None, (), {})

        def run(state):
            state = jax.lax.fori_loop(0, steps, lambda _, s: kernel_of.sample(s, (), {}), state)
            return state.z

        return run, (state,)

    return make


add("numpyro_nuts_schools", "inference", "numpyro", numpyro_kernel("NUTS", schools, 2))
add("numpyro_nuts_logistic", "inference", "numpyro", numpyro_kernel("NUTS", logistic, 2))
add("numpyro_hmc_logistic", "inference", "numpyro", numpyro_kernel("HMC", logistic, 2))
add("numpyro_barker_logistic", "inference", "numpyro", numpyro_kernel("BarkerMH", logistic, 5))


@program("inference", "numpyro")
def numpyro_svi_step():
    import jax
    import numpyro
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoMultivariateNormal

    model = logistic()
    svi = SVI(model, AutoMultivariateNormal(model), numpyro.optim.Adam(1e-2), Trace_ELBO(4))
    state = svi.init(jax.random.PRNGKey(0))

    def run(state):
        state, loss = svi.update(state)
        return loss, svi.get_params(state)

    return run, (state,)


def numpyro_log_density(name):
    """Samples and log densities of many distributions."""

    def make():
        import jax
        import jax.numpy as jnp
        import numpyro.distributions as dist

        group = {
            "continuous": lambda a: [
                dist.Gamma(a, 2.0),
                dist.Beta(a, 1.5),
                dist.StudentT(a + 2),
                dist.LogNormal(a),
                dist.Gumbel(a),
                dist.Laplace(a),
                dist.Weibull(a + 1, 2.0),
                dist.InverseGamma(a + 1, 2.0),
                dist.Logistic(a),
            ],
            "discrete": lambda a: [
                dist.Poisson(a),
                dist.BinomialProbs(a / 3, 10),
                dist.GeometricProbs(a / 3),
                dist.NegativeBinomial2(a, 3.0),
                dist.BernoulliProbs(a / 3),
            ],
            "multivariate": lambda a: [
                dist.Dirichlet(a),
                dist.MultivariateNormal(jnp.zeros(6), jnp.diag(a)),
                dist.LKJCholesky(4, 1.5),
            ],
        }[name]

        def run(key, a):
            out = []
            for d in group(a):
                key, sub = jax.random.split(key)
                x = d.sample(sub, (100,))
                out.append((x, d.log_prob(x)))
            return out

        return run, (jax.random.PRNGKey(0), jnp.linspace(0.5, 2.5, 6))

    return make


for name in ("continuous", "discrete", "multivariate"):
    add(f"numpyro_distributions_{name}", "inference", "numpyro", numpyro_log_density(name))


def target(x):
    import jax.numpy as jnp

    return -0.5 * jnp.sum(x**2 / jnp.linspace(0.5, 2, x.shape[-1])) - 0.1 * jnp.sum(jnp.cos(3 * x))


def blackjax_kernel(name, steps, **options):
    def make():
        import blackjax
        import jax

        options_now = {k: v(10) if callable(v) else v for k, v in options.items()}
        kernel = getattr(blackjax, name)(target, **options_now)
        key = jax.random.PRNGKey(0)
        state = jax.vmap(lambda x, k: kernel.init(x, k) if name in ("ghmc", "mclmc") else kernel.init(x))(
            normal(4, 10), jax.random.split(key, 4)
        )

        def run(state, keys):
            def chain(state, key):
                return jax.lax.scan(
                    lambda s, k: (lambda r: (r[0], r[0].position))(kernel.step(k, s)),
                    state,
                    jax.random.split(key, steps),
                )[1]

            return jax.vmap(chain)(state, keys)

        return run, (state, jax.random.split(jax.random.PRNGKey(1), 4))

    return make


def ones(n):
    import jax.numpy as jnp

    return jnp.ones(n)


add(
    "blackjax_hmc",
    "inference",
    "blackjax",
    blackjax_kernel("hmc", 5, step_size=0.1, inverse_mass_matrix=ones, num_integration_steps=8),
)
add(
    "blackjax_nuts",
    "inference",
    "blackjax",
    blackjax_kernel("nuts", 2, step_size=0.2, inverse_mass_matrix=ones, max_num_doublings=4),
)
add("blackjax_mala", "inference", "blackjax", blackjax_kernel("mala", 10, step_size=0.05))
add("blackjax_mclmc", "inference", "blackjax", blackjax_kernel("mclmc", 10, L=1.0, step_size=0.1))


@program("inference", "blackjax")
def blackjax_tempered_smc():
    import blackjax
    import blackjax.smc.resampling as resampling
    import jax
    import jax.numpy as jnp

    smc = blackjax.adaptive_tempered_smc(
        lambda x: -0.5 * jnp.sum(x**2),
        target,
        blackjax.hmc.build_kernel(),
        blackjax.hmc.init,
        blackjax.smc.extend_params({"step_size": 0.1, "inverse_mass_matrix": jnp.ones(4), "num_integration_steps": 3}),
        resampling.systematic,
        0.5,
        num_mcmc_steps=2,
    )
    state = smc.init(jnp.asarray(normal(64, 4)))
    return lambda s, k: smc.step(k, s)[0], (state, jax.random.PRNGKey(0))


@program("inference", "distrax")
def distrax_hmm_smooth():
    import distrax
    import jax

    hmm_of = lambda p, q, m: distrax.HMM(
        distrax.Categorical(logits=p), distrax.Categorical(logits=q), distrax.Normal(m, 1.0)
    )  # noqa: E731

    def run(p, q, m, x):
        hmm = hmm_of(p, q, m)
        return jax.vmap(hmm.forward_backward)(x), jax.vmap(hmm.viterbi)(x)

    return run, (normal(6), normal(6, 6), normal(6, scale=2.0), normal(8, 40))


@program("inference", "distrax")
def distrax_flow_step():
    import distrax
    import jax
    import jax.numpy as jnp

    def log_prob(p, x):
        layers = []
        for k, (w, b) in enumerate(zip(p["w"], p["b"])):
            mask = jnp.arange(6) % 2 == k % 2
            layers.append(
                distrax.MaskedCoupling(
                    mask,
                    lambda h, w=w, b=b: jnp.tanh((h @ w + b).reshape(*h.shape, 13)),
                    lambda q: distrax.RationalQuadraticSpline(q, -3.0, 3.0),
                )
            )
        flow = distrax.Transformed(
            distrax.MultivariateNormalDiag(jnp.zeros(6), jnp.ones(6)), distrax.Inverse(distrax.Chain(layers))
        )
        return flow.log_prob(x)

    p = {"w": [normal(6, 78, scale=0.1, seed=k) for k in range(3)], "b": [jnp.zeros(78)] * 3}

    def step(p, x):
        value, g = jax.value_and_grad(lambda p: -jnp.mean(log_prob(p, x)))(p)
        return value, jax.tree.map(lambda w, d: w - 0.01 * d, p, g)

    return step, (p, normal(64, 6))


@program("inference", "flowjax")
def flowjax_maf_step():
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    from flowjax.distributions import Normal
    from flowjax.flows import masked_autoregressive_flow

    flow = masked_autoregressive_flow(jax.random.PRNGKey(0), base_dist=Normal(jnp.zeros(4)), flow_layers=3, nn_width=16)
    arrays, rest = eqx.partition(flow, eqx.is_inexact_array)
    return jax.value_and_grad(lambda a, x: -jnp.mean(eqx.combine(a, rest).log_prob(x))), (arrays, normal(64, 4))


@program("gaussian processes", "tinygp")
def tinygp_likelihood_gradient():
    import jax
    import jax.numpy as jnp
    import tinygp

    def loss(p, x, y):
        kernel = jnp.exp(p["a"]) * tinygp.kernels.Matern32(jnp.exp(p["l"])) + tinygp.kernels.ExpSineSquared(
            scale=1.0, gamma=0.5
        )
        return -tinygp.GaussianProcess(kernel, x, diag=0.1).log_probability(y)

    return jax.value_and_grad(loss), (
        {"a": jnp.float32(0.1), "l": jnp.float32(-0.2)},
        jnp.sort(jnp.asarray(uniform(100, high=5.0))),
        normal(100),
    )


@program("gaussian processes", "tinygp")
def tinygp_quasisep_predict():
    import jax.numpy as jnp
    import tinygp

    def run(x, y, t):
        gp = tinygp.GaussianProcess(tinygp.kernels.quasisep.Matern52(scale=1.5), x, diag=0.1)
        return gp.log_probability(y), gp.condition(y, t).gp.loc

    return run, (jnp.sort(jnp.asarray(uniform(100, high=5.0))), normal(100), jnp.linspace(0, 5, 20))


@program("gaussian processes", "gpjax")
def gpjax_marginal_likelihood():
    import gpjax as gpx
    import jax.numpy as jnp
    from flax import nnx

    data = gpx.Dataset(X=jnp.sort(jnp.asarray(uniform(80, 1, high=3.0)), axis=0), y=jnp.asarray(normal(80, 1)))
    posterior = (
        gpx.gps.Prior(mean_function=gpx.mean_functions.Zero(), kernel=gpx.kernels.RBF()) * gpx.likelihoods.Gaussian()
    )
    graph, state = nnx.split(posterior)

    def loss(state, x, y):
        return -gpx.objectives.conjugate_mll(nnx.merge(graph, state), gpx.Dataset(X=x, y=y))

    return loss, (state, data.X, data.y)

# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Optimisers: a training step of a small network by each of optax, and solvers of optimistix, JAXopt and kfac_jax."""

from .common import cross_entropy, integers, normal, optimised
from .registry import add, program

# name: how it is made from the module optax
OPTAX = {
    "adam": lambda o: o.adam(1e-3),
    "adamw_schedule": lambda o: o.adamw(o.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 100), weight_decay=1e-2),
    "nadam": lambda o: o.nadam(1e-3),
    "adamax": lambda o: o.adamax(1e-3),
    "amsgrad": lambda o: o.amsgrad(1e-3),
    "adabelief": lambda o: o.adabelief(1e-3),
    "adan": lambda o: o.adan(1e-3),
    "adadelta": lambda o: o.adadelta(1e-1),
    "adafactor": lambda o: o.adafactor(1e-3, min_dim_size_to_factor=16),
    "adagrad": lambda o: o.adagrad(1e-2),
    "lamb": lambda o: o.lamb(1e-3),
    "lars": lambda o: o.lars(1e-2),
    "lion": lambda o: o.lion(1e-4),
    "fromage": lambda o: o.fromage(1e-2),
    "novograd": lambda o: o.novograd(1e-3),
    "radam": lambda o: o.radam(1e-3),
    "rmsprop_momentum": lambda o: o.rmsprop(1e-3, momentum=0.9, centered=True),
    "rprop": lambda o: o.rprop(1e-3),
    "sgd_nesterov_clipped": lambda o: o.chain(o.clip_by_global_norm(1.0), o.sgd(1e-2, momentum=0.9, nesterov=True)),
    "sm3": lambda o: o.sm3(1e-2),
    "yogi": lambda o: o.yogi(1e-3),
    "sign_sgd": lambda o: o.sign_sgd(1e-3),
    "schedule_free": lambda o: o.contrib.schedule_free_adamw(1e-3),
    "muon": lambda o: o.contrib.muon(1e-3),
    "prodigy": lambda o: o.contrib.prodigy(1.0),
    "dadapt_adamw": lambda o: o.contrib.dadapt_adamw(1.0),
    "cocob": lambda o: o.contrib.cocob(),
    "ademamix": lambda o: o.contrib.ademamix(1e-3),
    "multi_steps": lambda o: o.MultiSteps(o.adam(1e-3), 4),
    "apply_if_finite": lambda o: o.apply_if_finite(o.adam(1e-3), 3),
}


def network():
    import jax.numpy as jnp

    p = {
        "a": normal(64, 128, scale=0.1),
        "b": jnp.zeros(128),
        "c": normal(128, 128, scale=0.1),
        "d": normal(128, 10, scale=0.1),
    }

    def loss(p, x, y):
        h = jnp.tanh(x @ p["a"] + p["b"])
        return cross_entropy(jnp.maximum(h @ p["c"], 0) @ p["d"], y)

    return loss, p, normal(64, 64), integers(10, 64)


def optax_step(build):
    def make():
        import optax

        loss, p, x, y = network()
        return optimised(loss, build(optax), p, x, y)

    return make


for name, build in OPTAX.items():
    add(f"optax_{name}", "optimisers", "optax", optax_step(build))


@program("optimisers", "optax")
def optax_lbfgs():
    """Ten steps with a zoom line search."""
    import jax
    import jax.numpy as jnp
    import optax

    def f(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    solver = optax.lbfgs(memory_size=5)

    def run(x):
        both = optax.value_and_grad_from_state(f)

        def body(carry, _):
            x, state = carry
            value, g = both(x, state=state)
            updates, state = solver.update(g, state, x, value=value, grad=g, value_fn=f)
            return (optax.apply_updates(x, updates), state), value

        (x, _), values = jax.lax.scan(body, (x, solver.init(x)), length=10)
        return x, values

    return run, (normal(10, scale=0.3),)


def curve():
    import jax.numpy as jnp

    t = jnp.linspace(0, 1, 50)
    y = 2 * jnp.exp(-3 * t) + 0.5 * jnp.sin(4 * t) + 0.01 * normal(50)
    return (lambda p, data: p[0] * jnp.exp(-p[1] * data[0]) + p[2] * jnp.sin(p[3] * data[0]) - data[1]), (t, y)


def optimistix_solver(kind, name):
    def make():
        import jax.numpy as jnp
        import optimistix as optx

        residual, data = curve()
        if kind == "least_squares":
            solver = getattr(optx, name)(rtol=1e-4, atol=1e-4)
            return lambda p, d: optx.least_squares(residual, solver, p, d, max_steps=30, throw=False).value, (
                jnp.array([1.0, 1.0, 0.3, 3.0]),
                data,
            )
        if kind == "minimise":
            solver = getattr(optx, name)(rtol=1e-4, atol=1e-4)
            return (
                lambda p, d: (
                    optx.minimise(
                        lambda p, d: jnp.sum(residual(p, d) ** 2), solver, p, d, max_steps=30, throw=False
                    ).value
                ),
                (jnp.array([1.0, 1.0, 0.3, 3.0]), data),
            )
        solver = getattr(optx, name)(rtol=1e-5, atol=1e-5)
        return (
            lambda x, a: optx.root_find(lambda x, a: x - jnp.cos(a @ x), solver, x, a, max_steps=30, throw=False).value,
            (normal(12), normal(12, 12, scale=0.1)),
        )

    return make


for kind, name in (
    ("least_squares", "LevenbergMarquardt"),
    ("least_squares", "GaussNewton"),
    ("least_squares", "Dogleg"),
    ("minimise", "BFGS"),
    ("minimise", "NelderMead"),
    ("minimise", "NonlinearCG"),
    ("root_find", "Newton"),
    ("root_find", "Chord"),
):
    add(f"optimistix_{name.lower()}", "optimisers", "optimistix", optimistix_solver(kind, name))


@program("optimisers", "jaxopt")
def jaxopt_projected_gradient():
    import jax.numpy as jnp
    import jaxopt

    def loss(w, x, y):
        return jnp.mean((x @ w - y) ** 2)

    solver = jaxopt.ProjectedGradient(loss, jaxopt.projection.projection_simplex, maxiter=50, jit=True)
    return lambda w, x, y: solver.run(w, x=x, y=y).params, (jnp.ones(16) / 16, normal(100, 16), normal(100))


@program("optimisers", "jaxopt")
def jaxopt_proximal_lasso():
    import jax.numpy as jnp
    import jaxopt

    solver = jaxopt.ProximalGradient(jaxopt.objective.least_squares, jaxopt.prox.prox_lasso, maxiter=50, stepsize=0.2)
    return lambda w, l1, x, y: solver.run(w, l1, data=(x, y)).params, (jnp.zeros(20), 0.1, normal(100, 20), normal(100))


@program("optimisers", "jaxopt")
def jaxopt_lbfgs_logistic():
    import jax.numpy as jnp
    import jaxopt

    solver = jaxopt.LBFGS(jaxopt.objective.l2_multiclass_logreg, maxiter=15)
    return lambda w, x, y: solver.run(w, l2reg=0.1, data=(x, y)).params, (
        jnp.zeros((20, 5)),
        normal(100, 20),
        integers(5, 100),
    )


@program("optimisers", "jaxopt")
def jaxopt_osqp():
    import jax.numpy as jnp
    import jaxopt

    q = jnp.diag(jnp.linspace(1, 3, 8))
    solver = jaxopt.BoxOSQP(maxiter=60)
    return (
        lambda q, c, a, low, high: solver.run(params_obj=(q, c), params_eq=a, params_ineq=(low, high)).params.primal,
        (q, normal(8), normal(12, 8), -jnp.ones(12), jnp.ones(12)),
    )


@program("optimisers", "jaxopt")
def jaxopt_implicit_gradient():
    """Hypergradient of ridge regression through the fixed point."""
    import jax
    import jax.numpy as jnp
    import jaxopt

    solver = jaxopt.GradientDescent(lambda w, l2, x, y: jnp.mean((x @ w - y) ** 2) + l2 * jnp.sum(w**2), maxiter=30)

    def outer(l2, x, y):
        return jnp.mean((x @ solver.run(jnp.zeros(12), l2, x, y).params) ** 2)

    return jax.value_and_grad(outer), (0.3, normal(60, 12), normal(60))


@program("optimisers", "evosax")
def evosax_cma_es():
    import jax
    import jax.numpy as jnp
    from evosax.algorithms import CMA_ES

    es = CMA_ES(population_size=16, solution=jnp.zeros(10))
    state = es.init(jax.random.PRNGKey(0), jnp.zeros(10), es.default_params)

    def run(state, key):
        def body(state, key):
            a, b = jax.random.split(key)
            x, state = es.ask(a, state, es.default_params)
            fitness = jnp.sum(x**2 + 3 * jnp.sin(x), axis=-1)
            state, _ = es.tell(b, x, fitness, state, es.default_params)
            return state, jnp.min(fitness)

        return jax.lax.scan(body, state, jax.random.split(key, 10))

    return run, (state, jax.random.PRNGKey(1))

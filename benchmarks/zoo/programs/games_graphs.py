# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Games and environments (pgx, gymnax, jumanji, rlax), graph networks (jraph, e3nn), optimal transport (ott)."""

from .common import integers, normal, uniform
from .registry import add, program


def pgx_game(name, batch, steps):
    """Random legal moves."""

    def make():
        import jax
        import jax.numpy as jnp
        import pgx

        env = pgx.make(name)
        state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))

        def run(state, key):
            def body(state, key):
                logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
                action = jax.random.categorical(key, logits, axis=-1)
                state = jax.vmap(env.step)(state, action, jax.random.split(key, batch))
                return state, state.rewards

            state, rewards = jax.lax.scan(body, state, jax.random.split(key, steps))
            return state.observation, state.terminated, rewards

        return run, (state, jax.random.PRNGKey(1))

    return make


for name, batch, steps in (
    ("tic_tac_toe", 32, 5),
    ("connect_four", 32, 8),
    ("othello", 8, 4),
    ("2048", 16, 4),
    ("kuhn_poker", 64, 3),
    ("leduc_holdem", 32, 3),
    ("hex", 8, 4),
    ("backgammon", 4, 2),
    ("animal_shogi", 8, 3),
    ("go_9x9", 4, 2),
    ("minatar-breakout", 16, 5),
    ("minatar-asterix", 16, 5),
):
    add(f"pgx_{name.replace('-', '_')}", "games", "pgx", pgx_game(name, batch, steps))


def gymnax_environment(name, batch, steps):
    def make():
        import gymnax
        import jax

        env, parameters = gymnax.make(name)
        observed, state = jax.vmap(env.reset, in_axes=(0, None))(
            jax.random.split(jax.random.PRNGKey(0), batch), parameters
        )

        def run(state, key):
            def body(state, key):
                actions = jax.vmap(env.action_space(parameters).sample)(jax.random.split(key, batch))
                out = jax.vmap(env.step, in_axes=(0, 0, 0, None))(
                    jax.random.split(key, batch), state, actions, parameters
                )
                return out[1], (out[0], out[2])

            return jax.lax.scan(body, state, jax.random.split(key, steps))[1]

        return run, (state, jax.random.PRNGKey(1))

    return make


for name in (
    "CartPole-v1",
    "Pendulum-v1",
    "Acrobot-v1",
    "MountainCar-v0",
    "Catch-bsuite",
    "Breakout-MinAtar",
    "SpaceInvaders-MinAtar",
    "FourRooms-misc",
):
    add(f"gymnax_{name.split('-')[0].lower()}", "games", "gymnax", gymnax_environment(name, 16, 10))


def jumanji_environment(name):
    def make():
        import jax
        import jumanji

        env = jumanji.make(name)
        state, step = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), 8))

        def run(state, key):
            def one(state, key):
                new, step = env.step(state, env.action_spec.generate_value())
                return step.reward, step.observation

            return jax.vmap(one)(state, jax.random.split(key, 8))

        return run, (state, jax.random.PRNGKey(1))

    return make


for name in ("Snake-v1", "Game2048-v1", "Maze-v0", "Knapsack-v1", "TSP-v1"):
    add(f"jumanji_{name.split('-')[0].lower()}", "games", "jumanji", jumanji_environment(name))


@program("games", "rlax")
def rlax_ppo_losses():
    import jax
    import jax.numpy as jnp
    import rlax

    def loss(logits, values, rewards, discounts, actions, old):
        advantage = jax.vmap(rlax.truncated_generalized_advantage_estimation, in_axes=(0, 0, None, 0))(
            rewards, discounts, 0.95, values
        )
        ratio = rlax.categorical_importance_sampling_ratios(logits, old, actions)
        flat = lambda a: a.reshape(-1)  # noqa: E731
        policy = rlax.clipped_surrogate_pg_loss(flat(ratio), flat(jax.lax.stop_gradient(advantage)), 0.2)
        vtrace = jax.vmap(rlax.vtrace_td_error_and_advantage)(values[:, :-1], values[:, 1:], rewards, discounts, ratio)
        return policy + jnp.mean(vtrace.errors**2)

    return jax.value_and_grad(loss, argnums=(0, 1)), (
        normal(8, 20, 6),
        normal(8, 21),
        normal(8, 20, seed=1),
        uniform(8, 20, low=0.9),
        integers(6, 8, 20),
        normal(8, 20, 6, seed=2),
    )


@program("games", "rlax")
def rlax_distributional():
    import jax
    import jax.numpy as jnp
    import rlax

    atoms = jnp.linspace(-5, 5, 51)

    def loss(logits, action, reward, discount, next_logits, selector):
        one = lambda a, b, c, d, e, f: rlax.categorical_double_q_learning(atoms, a, b, c, d, atoms, e, f)  # noqa: E731
        return jnp.mean(jax.vmap(one)(logits, action, reward, discount, next_logits, selector))

    return jax.value_and_grad(loss), (
        normal(32, 4, 51),
        integers(4, 32),
        normal(32),
        uniform(32, low=0.9),
        normal(32, 4, 51, seed=1),
        normal(32, 4),
    )


def graph():
    import jax.numpy as jnp
    import jraph

    return jraph.GraphsTuple(
        nodes=jnp.asarray(normal(60, 16)),
        edges=jnp.asarray(normal(200, 8)),
        senders=jnp.asarray(integers(60, 200)),
        receivers=jnp.asarray(integers(60, 200, seed=1)),
        n_node=jnp.array([20, 25, 15]),
        n_edge=jnp.array([70, 80, 50]),
        globals=jnp.asarray(normal(3, 4)),
    )


def jraph_network(kind):
    def make():
        import haiku as hk
        import jax
        import jax.numpy as jnp
        import jraph

        def network(g):
            if kind == "gcn":
                layer = lambda n: jraph.GraphConvolution(hk.Linear(n), add_self_edges=True)  # noqa: E731
                g = layer(32)(g)
                return layer(8)(g._replace(nodes=jax.nn.relu(g.nodes))).nodes
            if kind == "gat":
                net = jraph.GAT(
                    lambda n: hk.Linear(16)(n),
                    lambda s, r, e: jax.nn.leaky_relu(hk.Linear(1)(jnp.concatenate([s, r], -1))),
                )
                return net(g).nodes
            mlp = lambda n: jraph.concatenated_args(hk.nets.MLP([32, n]))  # noqa: E731
            out = jraph.GraphNetwork(mlp(16), mlp(16), mlp(8))(g)
            return out.globals

        model = hk.without_apply_rng(hk.transform(network))
        weights = model.init(jax.random.PRNGKey(0), graph())
        return jax.value_and_grad(lambda p, g: jnp.mean(model.apply(p, g) ** 2)), (weights, graph())

    return make


for kind in ("gcn", "gat", "network"):
    add(f"jraph_{kind}_gradient", "graphs", "jraph", jraph_network(kind))


@program("graphs", "e3nn-jax")
def e3nn_tensor_product():
    import e3nn_jax as e3nn
    import jax
    import jax.numpy as jnp

    def run(r, f, senders, receivers):
        x = e3nn.IrrepsArray("8x0e + 4x1o", f)
        y = e3nn.spherical_harmonics("0e + 1o + 2e", r[senders] - r[receivers], normalize=True)
        messages = e3nn.tensor_product(x[senders], y, filter_ir_out="0e + 1o")
        return jnp.sum(e3nn.scatter_sum(messages, dst=receivers, output_size=r.shape[0]).array ** 2)

    return jax.value_and_grad(run, argnums=(0, 1)), (
        normal(30, 3),
        normal(30, 20),
        integers(30, 120),
        (integers(29, 120, seed=1) + 1),
    )


def transport(kind):
    def make():
        import jax
        import jax.numpy as jnp
        from ott.geometry import pointcloud
        from ott.problems.linear import linear_problem
        from ott.solvers.linear import sinkhorn, sinkhorn_lr

        def solve(x, y):
            problem = linear_problem.LinearProblem(pointcloud.PointCloud(x, y, epsilon=0.1))
            if kind == "low_rank":
                return sinkhorn_lr.LRSinkhorn(rank=4, max_iterations=20, min_iterations=20)(problem).reg_ot_cost
            return sinkhorn.Sinkhorn(max_iterations=50, min_iterations=50)(problem).reg_ot_cost

        x, y = normal(64, 3), normal(80, 3, seed=1) + 0.5
        if kind == "gradient":
            return jax.value_and_grad(solve), (x, y)
        if kind == "batched":
            return jax.vmap(solve), (normal(4, 32, 2), normal(4, 32, 2, seed=1))
        return solve, (jnp.asarray(x), jnp.asarray(y))

    return make


for kind in ("sinkhorn", "gradient", "low_rank", "batched"):
    add(f"ott_{kind}", "optimal transport", "ott-jax", transport(kind))


@program("optimal transport", "ott-jax")
def ott_gromov_wasserstein():
    from ott.geometry import pointcloud
    from ott.problems.quadratic import quadratic_problem
    from ott.solvers.linear import sinkhorn
    from ott.solvers.quadratic import gromov_wasserstein

    def solve(x, y):
        problem = quadratic_problem.QuadraticProblem(pointcloud.PointCloud(x), pointcloud.PointCloud(y))
        solver = gromov_wasserstein.GromovWasserstein(
            linear_solver=sinkhorn.Sinkhorn(max_iterations=20), epsilon=0.5, max_iterations=4, min_iterations=4
        )
        return solver(problem).reg_gw_cost

    return solve, (normal(24, 3), normal(30, 2))


@program("optimal transport", "ott-jax")
def ott_soft_sort():
    from ott.tools import soft_sort

    return lambda x: soft_sort.sort(x, epsilon=0.05, min_iterations=40, max_iterations=40), (normal(40),)

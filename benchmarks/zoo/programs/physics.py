# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Physics: molecules, rigid bodies, fluids, differential equations."""

from .common import normal, uniform
from .registry import add, program


@program("physics", "jax-md")
def jaxmd_soft_sphere_minimise():
    import jax
    import jax.numpy as jnp
    from jax_md import energy, minimize, space

    displacement, shift = space.periodic(8.0)
    start, apply = minimize.fire_descent(energy.soft_sphere_pair(displacement), shift)

    def run(r):
        return jax.lax.fori_loop(0, 20, lambda _, s: apply(s), start(r)).position

    return run, (jnp.asarray(uniform(64, 2, high=8.0)),)


def lattice(n=4, side=1.2):
    import numpy as np

    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3), -1).reshape(-1, 3)
    return (grid * side + 0.1 + 0.05 * normal(n**3, 3)).astype(np.float32)


@program("physics", "jax-md")
def jaxmd_lennard_jones_nve():
    import jax
    from jax_md import energy, simulate, space

    displacement, shift = space.periodic(4.8)
    start, apply = simulate.nve(energy.lennard_jones_pair(displacement), shift, 1e-3)
    state = start(jax.random.PRNGKey(0), lattice(), kT=0.5)
    return lambda s: jax.lax.fori_loop(0, 20, lambda _, s: apply(s), s), (state,)


@program("physics", "jax-md")
def jaxmd_nvt_nose_hoover():
    import jax
    from jax_md import energy, simulate, space

    displacement, shift = space.periodic(4.8)
    start, apply = simulate.nvt_nose_hoover(energy.morse_pair(displacement), shift, 1e-3, 0.5)
    state = start(jax.random.PRNGKey(0), lattice())
    return lambda s: jax.lax.fori_loop(0, 10, lambda _, s: apply(s), s), (state,)


@program("physics", "jax-md")
def jaxmd_neighbor_list_forces():
    import jax
    import jax.numpy as jnp
    from jax_md import energy, space

    displacement, _ = space.periodic(7.2)
    find, potential = energy.lennard_jones_neighbor_list(displacement, 7.2, r_cutoff=2.0)
    r = jnp.asarray(lattice(6))
    neighbors = find.allocate(r)

    def run(r, neighbors):
        neighbors = neighbors.update(r)
        return jax.value_and_grad(potential)(r, neighbor=neighbors)

    return run, (r, neighbors)


@program("physics", "jax-md")
def jaxmd_brownian():
    import jax
    from jax_md import energy, simulate, space

    displacement, shift = space.free()
    start, apply = simulate.brownian(energy.soft_sphere_pair(displacement), shift, 1e-3, 0.3)
    state = start(jax.random.PRNGKey(0), lattice())
    return lambda s: jax.lax.fori_loop(0, 10, lambda _, s: apply(s), s), (state,)


ARM = """<mujoco><option timestep="0.005" iterations="4" ls_iterations="4"/><worldbody>
<geom type="plane" size="5 5 .1"/>
<body pos="0 0 1"><joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>
<body pos="0 0 -.4"><joint type="hinge" axis="0 1 0" damping=".1"/>
<geom type="capsule" fromto="0 0 0 0 0 -.4" size=".04"/>
<body pos="0 0 -.4"><joint type="ball"/><geom type="sphere" size=".1"/></body></body></body>
<body pos="1 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""


def mjx(steps):
    def make():
        import jax
        import mujoco
        from mujoco import mjx

        model = mujoco.MjModel.from_xml_string(ARM)
        put = mjx.put_model(model)
        data = mjx.make_data(put)
        data = data.replace(qvel=jax.numpy.asarray(normal(model.nv, scale=0.3)))

        def run(d):
            d = jax.lax.fori_loop(0, steps, lambda _, d: mjx.step(put, d), d) if steps > 1 else mjx.step(put, d)
            return d.qpos, d.qvel, d.xpos

        return run, (data,)

    return make


add("mjx_arm_step", "physics", "mujoco-mjx", mjx(1))
add("mjx_arm_rollout", "physics", "mujoco-mjx", mjx(10))


def brax_environment(name, backend, batch):
    def make():
        import jax
        from brax import envs

        env = envs.get_environment(name, backend=backend)
        state = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), batch))

        def run(state, action):
            new = jax.vmap(env.step)(state, action)
            return new.obs, new.reward, new.done

        return run, (state, uniform(batch, env.action_size, low=-1.0))

    return make


for name, backend in (
    ("ant", "spring"),
    ("halfcheetah", "positional"),
    ("inverted_pendulum", "generalized"),
    ("reacher", "generalized"),
    ("fast", "spring"),
):
    add(f"brax_{name}_{backend}", "physics", "brax", brax_environment(name, backend, 8))


def diffrax_solve(solver, stiff=False, gradient=False):
    def make():
        import diffrax
        import jax
        import jax.numpy as jnp

        def lorenz(t, y, args):
            return jnp.array([args[0] * (y[1] - y[0]), y[0] * (args[1] - y[2]) - y[1], y[0] * y[1] - args[2] * y[2]])

        def robertson(t, y, args):
            a = args[0] * 0.004 * y[0]
            b, c = args[1] * 100.0 * y[1] * y[2], args[2] * 1000.0 * y[1] ** 2
            return jnp.array([-a + b, a - b - c, c])

        field, first = (robertson, jnp.array([1.0, 0.0, 0.0])) if stiff else (lorenz, jnp.array([1.0, 1.0, 1.0]))

        def solve(args, y):
            return diffrax.diffeqsolve(
                diffrax.ODETerm(field),
                getattr(diffrax, solver)(),
                0.0,
                1.0,
                0.01,
                y,
                args,
                saveat=diffrax.SaveAt(ts=jnp.linspace(0, 1, 11)),
                max_steps=256,
                throw=False,
                stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-5),
            ).ys

        if gradient:
            return jax.value_and_grad(lambda a, y: jnp.sum(solve(a, y) ** 2)), (
                jnp.array([10.0, 28.0, 2.6667]) / 4,
                first,
            )
        return solve, (jnp.array([10.0, 28.0, 2.6667]) / (1 if not stiff else 10), first)

    return make


for name, options in (("Tsit5", {}), ("Dopri8", {}), ("Kvaerno5", {"stiff": True}), ("Tsit5", {"gradient": True})):
    add(
        f"diffrax_{name.lower()}{'_gradient' if options.get('gradient') else ''}",
        "physics",
        "diffrax",
        diffrax_solve(name, **options),
    )


@program("physics", "diffrax")
def diffrax_neural_ode_step():
    import diffrax
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    net = eqx.nn.MLP(2, 2, 32, 2, activation=jnp.tanh, key=jax.random.PRNGKey(0))
    arrays, rest = eqx.partition(net, eqx.is_array)

    def loss(a, y0, target):
        f = eqx.combine(a, rest)

        def solve(y):
            return diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, _: f(y)), diffrax.Heun(), 0.0, 1.0, 0.1, y, saveat=diffrax.SaveAt(t1=True)
            ).ys[0]

        return jnp.mean((jax.vmap(solve)(y0) - target) ** 2)

    def step(a, y0, target):
        value, g = jax.value_and_grad(loss)(a, y0, target)
        return value, jax.tree.map(lambda w, d: w - 0.1 * d, a, g)

    return step, (arrays, normal(32, 2), normal(32, 2, seed=1))


@program("physics", "diffrax")
def diffrax_sde():
    import diffrax
    import jax
    import jax.numpy as jnp

    def solve(y, key):
        path = diffrax.VirtualBrownianTree(0.0, 1.0, 1e-3, (), key)
        terms = diffrax.MultiTerm(
            diffrax.ODETerm(lambda t, y, _: -y), diffrax.ControlTerm(lambda t, y, _: 0.2 * jnp.cos(y), path)
        )
        return diffrax.diffeqsolve(terms, diffrax.EulerHeun(), 0.0, 1.0, 0.02, y, saveat=diffrax.SaveAt(t1=True)).ys[0]

    return lambda y, keys: jax.vmap(solve)(y, keys), (normal(16), jax.random.split(jax.random.PRNGKey(0), 16))


@program("physics", "jax-cfd")
def jaxcfd_navier_stokes():
    import jax
    import jax.numpy as jnp
    import jax_cfd.base as cfd

    grid = cfd.grids.Grid((32, 32), domain=((0, 2 * jnp.pi), (0, 2 * jnp.pi)))
    v = cfd.initial_conditions.filtered_velocity_field(jax.random.PRNGKey(0), grid, 1.0, 4)
    step = cfd.equations.semi_implicit_navier_stokes(density=1.0, viscosity=1e-3, dt=1e-2, grid=grid)
    return lambda v: jax.lax.fori_loop(0, 4, lambda _, v: step(v), v), (v,)


@program("physics", "jax-cfd")
def jaxcfd_spectral():
    import jax
    import jax.numpy as jnp
    import jax_cfd.base as cfd
    import jax_cfd.spectral as spectral

    grid = cfd.grids.Grid((32, 32), domain=((0, 2 * jnp.pi), (0, 2 * jnp.pi)))
    step = spectral.time_stepping.crank_nicolson_rk4(
        spectral.equations.ForcedNavierStokes2D(1e-3, grid, smooth=True), 1e-2
    )
    w = jnp.fft.rfftn(normal(32, 32))
    return lambda w: jax.lax.fori_loop(0, 4, lambda _, w: step(w), w), (w,)


def exponax_stepper(name, dimensions, points, **options):
    def make():
        import exponax
        import jax

        stepper = getattr(exponax.stepper, name)(dimensions, 1.0, points, 0.01, **options)
        channels = stepper.num_channels
        u = normal(channels, *[points] * dimensions, scale=0.1)
        return lambda u: jax.lax.fori_loop(0, 5, lambda _, u: stepper(u), u), (u,)

    return make


for name, dimensions, points in (
    ("Burgers", 1, 128),
    ("KuramotoSivashinsky", 1, 128),
    ("NavierStokesVorticity", 2, 32),
    ("Advection", 3, 12),
):
    add(f"exponax_{name.lower()}", "physics", "exponax", exponax_stepper(name, dimensions, points))

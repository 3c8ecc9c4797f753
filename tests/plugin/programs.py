# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Programs of JAX, run on platform `partita` with 8 devices and compared with XLA's CPU: the first argument is the name of
one, or nothing for all.  Each is a function of this file whose name begins with `case_`."""
import collections
import pathlib
import sys
import tempfile
import traceback

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

OURS, THEIRS = jax.devices("partita"), jax.devices("cpu")


def agree(function, *args, tolerance=1e-5, **jit_options):
    """The function's results, jitted on either platform, are close."""
    results = []
    for devices in (OURS, THEIRS):
        with jax.default_device(devices[0]):
            placed = jax.tree.map(lambda a, d=devices[0]: jax.device_put(a, d), args)
            results.append(jax.tree.map(np.asarray, jax.jit(function, **jit_options)(*placed)))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, tolerance, tolerance), *results)


def numbers(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def case_arithmetic_of_all_types():
    for name in ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "complex64"):
        x = (np.arange(24).reshape(2, 3, 4) % 7).astype(jnp.dtype(name))
        with jax.default_device(OURS[0]):
            y = jnp.asarray(x)
            np.testing.assert_array_equal(np.asarray(y), x)
            np.testing.assert_array_equal(np.asarray(y[:, ::-1].T), x[:, ::-1].T)


def case_eager_ops():
    with jax.default_device(OURS[0]):
        x = jnp.arange(10.0)
        assert float(jnp.sum(x * 2 + 1)) == 100
        assert x.devices() == {OURS[0]}
        assert jnp.zeros((0, 3)).shape == (0, 3)
        np.testing.assert_allclose(jnp.linspace(0, 1, 5), np.linspace(0, 1, 5))


def case_strided_and_empty_host_arrays():
    x = numbers(6, 5)
    for view in (x[::2], x[:, ::-1], x.T, x[3:3], np.broadcast_to(x[0], (4, 5))):
        np.testing.assert_array_equal(np.asarray(jax.device_put(view, OURS[0])), view)


def case_gradient_of_a_network():
    def loss(parameters, x, y):
        for w, b in parameters:
            x = jnp.tanh(x @ w + b)
        return jnp.mean((x - y) ** 2)

    parameters = [(numbers(8, 16, seed=k), numbers(16, seed=9 + k)) if k == 0 else (numbers(16, 16, seed=k), numbers(16)) for k in range(3)]
    agree(jax.value_and_grad(loss), parameters, numbers(4, 8), numbers(4, 16))


def case_scan_and_while():
    agree(lambda x: jax.lax.scan(lambda c, v: (c * 0.5 + v, c), x[0], x), numbers(7, 3))
    agree(lambda n: jax.lax.while_loop(lambda s: s[0] < 40, lambda s: (s[0] * 2, s[1] + 1), (n, 0)), np.int32(3))


def case_random_numbers():
    agree(lambda: jax.random.normal(jax.random.key(3), (5, 4)))
    agree(lambda: jax.random.permutation(jax.random.key(4), 20))


def case_donation():
    with jax.default_device(OURS[0]):
        step = jax.jit(lambda s, d: s + d, donate_argnums=0)
        state = jnp.zeros(1000)
        for _ in range(5):
            before, state = state, step(state, 1.0)
            assert before.is_deleted()
        assert float(state[7]) == 5
        try:
            np.asarray(before)
        except RuntimeError as error:
            assert "deleted" in str(error)
        else:
            raise AssertionError("a donated array was read")
    # Whose memory no result can have stays alive.
    x = jax.device_put(numbers(8, 2), NamedSharding(mesh(OURS[:2], 2), P("x")))
    y = jax.jit(lambda v: v @ v.T, donate_argnums=0)(x)
    assert y.shape == (8, 8) and not x.is_deleted()


def case_results_in_memory_of_donated_arguments():
    def step(state, gradient):
        p, m, v = state
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
        return p - 0.01 * m / (jnp.sqrt(v) + 1e-8), m, v

    with jax.default_device(OURS[0]):
        state, gradient = tuple(jnp.full((300, 7), float(k)) for k in range(3)), jnp.asarray(numbers(300, 7))
        expected = jax.jit(step)(state, gradient)
        compiled = jax.jit(step, donate_argnums=0).lower(state, gradient).compile()
        assert compiled.memory_analysis().alias_size_in_bytes == 3 * state[0].nbytes
        places = {x.unsafe_buffer_pointer() for x in state}
        kept = state[1] + 0  # made before the memory is another's
        state = compiled(state, gradient)
        assert {x.unsafe_buffer_pointer() for x in state} == places
        for x, y in zip(state, expected, strict=True):
            np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(kept, np.full((300, 7), 1.0, np.float32))
        x = jnp.arange(5.0)
        try:
            jax.jit(lambda a, b: (a + 1, b * 2), donate_argnums=0)(x, x)
        except RuntimeError as error:
            assert "another argument too" in str(error), error
        else:
            raise AssertionError("an array was donated that is another argument too")
        np.testing.assert_array_equal(x, np.arange(5.0))


def case_arrays_by_dlpack():
    x = numbers(4, 5)
    with jax.default_device(OURS[0]):
        y = jnp.asarray(x) * 2
        np.testing.assert_array_equal(np.from_dlpack(y), 2 * x)
        np.testing.assert_array_equal(np.asarray(jnp.from_dlpack(x)), x)
        try:
            y.__dlpack__(copy=False)
            raise AssertionError("expected an error, found none")
        except BufferError:
            pass
    np.testing.assert_array_equal(np.from_dlpack(jax.device_put(x, THEIRS[0])), x)


def case_copies_between_devices():
    x = jax.device_put(numbers(5), OURS[1])
    y = jax.device_put(x, OURS[6])
    assert y.devices() == {OURS[6]}
    np.testing.assert_array_equal(x, y)


def case_errors_are_one_line():
    with jax.default_device(OURS[0]):
        try:
            jax.jit(lambda x: x + 1, compiler_options={"layuot": "loop"})(1.0)
        except Exception as error:  # noqa: BLE001: whatever JAX makes of it
            assert "layuot" in str(error) and "layout" in str(error), error
        else:
            raise AssertionError("an unknown option was taken")


def mesh(devices, *shape, names="xyz"):
    return Mesh(np.array(devices[: int(np.prod(shape))]).reshape(shape), tuple(names[: len(shape)]))


def sharded(function, specs, args, out=None, shape=(8,), tolerance=1e-5):
    """On a mesh of devices of either platform; results and their shardings agree."""
    results = []
    for devices in (OURS, THEIRS):
        m = mesh(devices, *shape)
        placed = [jax.device_put(a, NamedSharding(m, s)) for a, s in zip(args, specs)]
        options = {} if out is None else {"out_shardings": NamedSharding(m, out)}
        results.append(jax.jit(function, **options)(*placed))
    ours, theirs = results
    np.testing.assert_allclose(ours, theirs, tolerance, tolerance)
    if out is not None:
        assert ours.sharding.spec == theirs.sharding.spec
    return ours


def case_sharded_matrix_product():
    a, b = numbers(16, 24), numbers(24, 32)
    sharded(jnp.matmul, (P("x"), P()), (a, b), P("x"))
    sharded(jnp.matmul, (P(None, "x"), P("x")), (a, b), P())
    sharded(jnp.matmul, (P("x", "y"), P("y")), (a, b), shape=(4, 2))


def case_sharded_reduction_and_reshards():
    x = numbers(8, 16)
    sharded(lambda x: x.sum(0), (P("x"),), (x,), P())
    sharded(lambda x: jnp.sin(x).T, (P("x", "y"),), (x,), P("x", "y"), shape=(2, 4))
    m = mesh(OURS, 8)
    y = jax.device_put(jax.device_put(x, NamedSharding(m, P("x"))), NamedSharding(m, P(None, "x")))
    np.testing.assert_array_equal(y, x)


def case_shard_map():
    x = numbers(16, 4)

    def run(devices):
        m = mesh(devices, 8)

        def body(v):
            return jax.lax.psum(v, "x"), jax.lax.all_gather(v, "x"), jax.lax.ppermute(v, "x", [(i, (i + 1) % 8) for i in range(8)])

        f = jax.shard_map(body, mesh=m, in_specs=P("x"), out_specs=(P(), P(None), P("x")), check_vma=False)
        return jax.tree.map(np.asarray, jax.jit(f)(jax.device_put(x, NamedSharding(m, P("x")))))

    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, 1e-5, 1e-5), run(OURS), run(THEIRS))


def case_unreduced_values():
    """Sums over devices as arguments and results, of products and of computations for devices."""
    a, b, c = numbers(4, 8), numbers(8, 6), numbers(64)
    terms = P(None, None, unreduced={"x"})

    def run(devices):
        m = jax.make_mesh((8,), ("x",), (jax.sharding.AxisType.Explicit,), devices=devices)
        with jax.set_mesh(m):
            x, y, z = (jax.device_put(v, s) for v, s in ((a, P(None, "x")), (b, P("x", None)), (c, P("x"))))
            product = jax.jit(lambda x, y: jnp.einsum("ab,bc->ac", x, y, out_sharding=terms))(x, y)
            assert product.sharding.spec == terms and product.addressable_shards[3].data.shape == (4, 6)
            whole = jax.jit(lambda p: jax.reshard(p, P(None, None)))(product)
            parts = jax.jit(jax.shard_map(lambda v: jax.lax.pcast(v, "x", to="unreduced"), out_specs=P(unreduced={"x"})))(z)
            np.testing.assert_array_equal(parts.addressable_shards[3].data, c[24:32])
            scattered = jax.jit(jax.shard_map(lambda v: jax.lax.psum_scatter(v, "x", tiled=True), out_specs=P("x")))(parts)
            return [np.asarray(v) for v in (whole, scattered)]

    for ours, theirs in zip(run(OURS), run(THEIRS)):
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-5)


def case_values_that_lie_alike():
    from jax.experimental.shard_alike import shard_alike

    x = numbers(16, 4)
    sharded(lambda v: shard_alike(v, v * 2)[1], (P("x"),), (x,))


def case_functions_with_partitions_of_their_own():
    from jax.experimental.custom_partitioning import custom_partitioning

    @custom_partitioning
    def row_sums(x):
        return jnp.sum(x, axis=-1)

    def partition(mesh, arg_shapes, result_shape):
        del arg_shapes, result_shape
        return mesh, lambda x: jnp.sum(x, axis=-1), NamedSharding(mesh, P("x")), (NamedSharding(mesh, P("x", None)),)

    row_sums.def_partition(partition=partition, sharding_rule="i j -> i")
    sharded(lambda x: row_sums(x) * 2, (P("x"),), (numbers(16, 6),), P("x"))


def case_persistent_cache():
    """JAX's cache on disk: a program that is compiled again comes from there, one with other options does not."""
    from jax._src import compilation_cache, monitoring

    events = collections.Counter()
    monitoring.register_event_listener(lambda event, **_: events.update([event]))
    hits, misses = "/jax/compilation_cache/cache_hits", "/jax/compilation_cache/cache_misses"
    x = numbers(32, 32)
    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        compilation_cache.reset_cache()
        try:
            for options in ({}, {}, {"layout": "loop"}):
                jax.clear_caches()
                y = jax.jit(lambda x: jnp.tanh(x @ x) + x.sum(0), compiler_options=options)(jax.device_put(x, OURS[0]))
                np.testing.assert_allclose(y, np.tanh(x @ x) + x.sum(0), 1e-5, 1e-5)
        finally:
            jax.config.update("jax_compilation_cache_dir", None)
            compilation_cache.reset_cache()
    assert events[hits] == 1 and events[misses] == 2, events


def case_text_of_a_compiled_program():
    with jax.default_device(OURS[0]):
        text = jax.jit(lambda x: jnp.sin(x) * 2).lower(1.0).compile().as_text()
    assert "sine(" in text and "ENTRY" in text, text
    m = mesh(OURS, 8)
    x = jax.device_put(numbers(16, 4), NamedSharding(m, P("x")))
    text = jax.jit(lambda v: v.sum(0), out_shardings=NamedSharding(m, P())).lower(x).compile().as_text()
    assert "all-reduce(" in text and "f32[2,4]" in text, text


def case_narrow_integers():
    """Their bits in the host's bytes are those of the number alone."""
    for name, low, high in (("int4", -8, 8), ("uint4", 0, 16), ("int2", -2, 2)):
        x, y = (np.random.default_rng(k).integers(low, high, 64) for k in range(2))
        with jax.default_device(OURS[0]):
            a, b = (jnp.asarray(v.astype(jnp.dtype(name))) for v in (x, y))
            np.testing.assert_array_equal(jax.lax.gt(a, b), x > y)
            np.testing.assert_array_equal(np.asarray(jax.lax.max(a, b)).astype(int), np.maximum(x, y))
            np.testing.assert_array_equal(np.asarray(a).astype(int), x)
            np.testing.assert_array_equal(np.asarray(jnp.asarray(x.astype(jnp.dtype(name))[::-2]) + a[:32] * 0).astype(int), x[::-2])


def case_tokens_in_and_out():
    def chain(token, x):
        return jax.lax.after_all(token, jax.lax.create_token()), x + 1

    with jax.default_device(OURS[0]):
        token, y = jax.jit(chain)(jax.jit(lambda x: jax.lax.create_token(x))(0.0), numbers(3))
        np.testing.assert_array_equal(jax.jit(chain)(token, y)[1], numbers(3) + 1 + 1)


def case_options_of_xla_alone():
    with jax.default_device(OURS[0]):
        assert float(jax.jit(lambda x: x + 1, compiler_options={"xla_cpu_enable_fast_math": False})(2.0)) == 3


def case_statements_about_layouts():
    from jax.experimental.layout import Format, Layout

    x = numbers(4, 6)
    wanted = Format(Layout((1, 0)), jax.sharding.SingleDeviceSharding(OURS[0]))
    y = jax.jit(lambda v: jax.lax.with_sharding_constraint(v.T, wanted) * 2)(jax.device_put(x, OURS[0]))
    np.testing.assert_array_equal(y, x.T * 2)


def case_linear_algebra():
    """Narrow floats too, which XLA's CPU refuses, and exported with open extents."""
    a = numbers(5, 5) + 3 * np.eye(5, dtype=np.float32)
    symmetric = a + a.T
    agree(lambda x: jnp.linalg.eigvalsh(x), symmetric, tolerance=1e-4)
    agree(lambda x: jnp.linalg.svd(x)[1], a, tolerance=1e-4)
    agree(jnp.linalg.inv, a, tolerance=1e-4)
    with jax.default_device(OURS[0]):
        values = jax.jit(lambda x: jax.lax.linalg.svd(x, compute_uv=False))(jnp.asarray(a, jnp.bfloat16))
        assert values.dtype == jnp.bfloat16
        np.testing.assert_allclose(np.asarray(values, np.float32), np.linalg.svd(a)[1], 0.05)
        shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, n, n"), np.float32)
        exported = jax.export.export(jax.jit(lambda x: jax.lax.linalg.lu(x)[0]), platforms=["partita"])(shape)
        np.testing.assert_allclose(exported.call(a[None])[0], jax.lax.linalg.lu(a)[0], 1e-4, 1e-4)


def case_meshes_of_some_devices():
    x = numbers(4, 6)
    m = mesh(OURS[2:6], 4)
    y = jax.jit(lambda v: v * 2 + v.sum())(jax.device_put(x, NamedSharding(m, P("x"))))
    np.testing.assert_allclose(y, x * 2 + x.sum(), 1e-5, 1e-5)
    assert y.devices() == set(OURS[2:6])


def case_started_collectives():
    """Their ops are of StableHLO's newer versions, in which JAX may hand programs over."""
    from jax._src.lax import parallel

    if not hasattr(parallel, "all_gather_start"):
        return
    x, results = numbers(4, 6), []
    for devices in (OURS, jax.devices("cpu")):
        m = mesh(devices[:4], 2, 2)
        body = lambda v: parallel.all_gather_start(v * 2, "x", tiled=True).done() + jax.lax.psum(v, ("y", "x")).sum()
        f = jax.shard_map(body, mesh=m, in_specs=P("x", "y"), out_specs=P(None, "y"), check_vma=False)
        results.append(jax.jit(f)(jax.device_put(x, NamedSharding(m, P("x", "y")))))
    np.testing.assert_allclose(*map(np.asarray, results), 1e-5, 1e-5)


def case_memory_of_the_host():
    x, own = numbers(3, 4), jax.sharding.SingleDeviceSharding(OURS[0])
    host = own.with_memory_kind("pinned_host")
    assert OURS[0].default_memory().kind == "device"
    assert len({m.kind for m in OURS[0].addressable_memories()}) == 2
    there = jax.device_put(x, host)
    back = jax.device_put(there, own)
    assert (there.sharding.memory_kind, back.sharding.memory_kind) == ("pinned_host", "device")
    double = jax.jit(lambda v: v * 2, out_shardings=host)
    assert double.lower(back).compile().output_shardings.memory_kind == "pinned_host"
    y = double(back)
    z = jax.jit(lambda v: jax.device_put(v, own) + 1, out_shardings=own)(y)
    assert (y.sharding.memory_kind, z.sharding.memory_kind) == ("pinned_host", "device")
    np.testing.assert_array_equal(z, x * 2 + 1)
    parts = NamedSharding(mesh(OURS, 4), P("x"), memory_kind="pinned_host")
    cut = jax.device_put(numbers(8), parts)
    w = jax.jit(lambda v: jax.device_put(v, parts.with_memory_kind("device")) * 3, out_shardings=parts)(cut)
    assert w.sharding.memory_kind == "pinned_host"
    np.testing.assert_array_equal(w, numbers(8) * 3)

    from jax.ad_checkpoint import checkpoint_name

    offload = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["q"], offload_src="device", offload_dst="pinned_host"
    )

    def loss(weights, v, wrap):
        step = wrap(lambda v, w: (jnp.tanh(checkpoint_name(v @ w, "q")), None))
        return jax.lax.scan(step, v, weights)[0].sum()

    weights = jax.device_put(numbers(3, 4, 4), own)
    kept, offloaded = (
        jax.jit(jax.grad(lambda w, v: loss(w, v, wrap)))(weights, back)
        for wrap in (lambda f: f, lambda f: jax.checkpoint(f, policy=offload))
    )
    np.testing.assert_allclose(kept, offloaded, 1e-5, 1e-5)


def case_checks_for_debugging():
    from jax.experimental import checkify

    def function(v):
        checkify.debug_check(jnp.all(v > 0), "positive")
        return jnp.sqrt(v)

    with jax.default_device(OURS[0]):
        assert float(jax.jit(function)(4.0)) == 2
        error, _ = jax.jit(checkify.checkify(function))(-1.0)
        assert "positive" in error.get()


def case_callbacks():
    from jax.experimental import io_callback

    seen = []

    def function(x):
        total = io_callback(
            lambda a: (seen.append(a.shape), np.float32(a.sum()))[1], jax.ShapeDtypeStruct((), jnp.float32), x, ordered=True)
        jax.debug.callback(lambda t: seen.append(float(t)), total)
        return jax.pure_callback(np.sort, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + total

    def steps(x):
        def step(carry, v):
            io_callback(lambda a: seen.append(int(a)), None, v, ordered=True)
            return carry + v, carry

        return jax.lax.scan(step, 0, x)[0]

    x = numbers(8)
    with jax.default_device(OURS[0]):
        np.testing.assert_allclose(jax.jit(function)(x), np.sort(x) + x.sum(), 1e-5)
        jax.effects_barrier()
        assert seen[0] == (8,) and len(seen) == 2, seen
        seen.clear()
        assert jax.jit(steps)(jnp.arange(5)) == 10 and seen == [0, 1, 2, 3, 4], seen
        for dtype in ("bool", "int4", "uint8", "bfloat16", "float8_e4m3fn", "complex64"):
            y = (np.arange(6) % 2).astype(jnp.dtype(dtype))
            got = jax.jit(lambda a: jax.pure_callback(lambda b: np.asarray(b)[::-1], a, a))(y)
            np.testing.assert_array_equal(np.asarray(got), y[::-1])
        empty = jax.jit(lambda a: jax.pure_callback(lambda b: b, a, a))(np.zeros((0, 3), np.float32))
        assert empty.shape == (0, 3)
        each = jax.vmap(lambda a: jax.pure_callback(lambda b: b * 2, a, a, vmap_method="sequential"))
        np.testing.assert_array_equal(jax.jit(each)(x), 2 * x)


def case_callbacks_of_several_devices():
    seen = []
    devices = mesh(OURS[:4], 4)

    def pieces(v):
        jax.debug.callback(lambda a: seen.append(tuple(np.asarray(a))), v)
        return v * 2

    def whole(v):
        jax.debug.callback(lambda a: seen.append(a.shape), v)
        return jax.pure_callback(lambda a: a[::-1], jax.ShapeDtypeStruct(v.shape, v.dtype), v) * 2

    x = jax.device_put(np.arange(8.0, dtype=np.float32), NamedSharding(devices, P("x")))
    by_device = jax.shard_map(pieces, mesh=devices, in_specs=P("x"), out_specs=P("x"))
    np.testing.assert_array_equal(jax.jit(by_device)(x), 2 * np.arange(8.0))
    jax.effects_barrier()
    assert sorted(seen) == [(0, 1), (2, 3), (4, 5), (6, 7)], seen
    seen.clear()
    np.testing.assert_array_equal(jax.jit(whole)(x), 2 * np.arange(8.0)[::-1])
    jax.effects_barrier()
    assert seen == [(8,)], seen


def case_callbacks_stay_out_of_the_persistent_cache():
    from jax._src import compilation_cache

    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes")
    before = [getattr(jax.config, name) for name in names]
    with tempfile.TemporaryDirectory() as folder, jax.default_device(OURS[0]):
        try:
            for name, value in zip(names, (folder, 0, -1)):
                jax.config.update(name, value)
            compilation_cache.reset_cache()
            np.testing.assert_allclose(jax.jit(lambda a: jax.pure_callback(np.sort, a, a) + 1)(numbers(7)), np.sort(numbers(7)) + 1)
            kept = {path.name for path in pathlib.Path(folder).iterdir()}
            assert not any("lambda" in name for name in kept), kept
            jax.jit(lambda a: a * 3 + 1)(numbers(7))
            assert any("lambda" in path.name for path in pathlib.Path(folder).iterdir())
        finally:
            for name, value in zip(names, before):
                jax.config.update(name, value)
            compilation_cache.reset_cache()


def case_callbacks_end_with_their_programs():
    import gc
    import time

    import partita.host

    def wrong(_):
        raise ValueError("not today")

    seen = []
    with jax.default_device(OURS[0]):
        try:
            jax.block_until_ready(jax.jit(lambda a: jax.pure_callback(wrong, a, a))(np.float32(1)))
            raise AssertionError("expected an error, found none")
        except jax.errors.JaxRuntimeError as error:
            assert "ValueError: not today" in str(error), error
        before = len(partita.host._functions)
        for k in range(20):  # programs that are gone before their executions are done
            jax.jit(lambda a, k=k: jax.debug.callback(lambda b: (time.sleep(0.005), seen.append(int(b) + k)), a))(k)
        jax.effects_barrier()
        assert seen == [2 * k for k in range(20)], seen
    jax.clear_caches()
    gc.collect()
    assert len(partita.host._functions) <= before, partita.host._functions


def case_cost_analysis():
    a = numbers(32, 16)
    with jax.default_device(OURS[0]):
        cost = jax.jit(lambda x: jnp.tanh(x @ x.T)).lower(a).compile().cost_analysis()
        assert cost["flops"] == 2 * 32 * 32 * 16, cost
        assert cost["transcendentals"] == 32 * 32, cost
        assert cost["bytes accessed"] >= 4 * (32 * 16 + 32 * 32), cost
        loop = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, v: v @ x, x)).lower(numbers(8, 8)).compile()
        assert loop.cost_analysis()["flops"] >= 5 * 2 * 8**3, loop.cost_analysis()


def case_compiling_for_devices_that_are_not_here():
    from jax.experimental import topologies
    from jax.experimental.serialize_executable import deserialize_and_load, serialize

    x = numbers(16, 24)
    function = jax.jit(lambda v: jnp.tanh(v @ v.T).sum(0))
    topology = topologies.get_topology_desc("cpu:8", "partita")
    assert len(topology.devices) == 8 and topology.devices[3].platform == "partita"
    ahead = topologies.make_mesh(topology, (4, 2), ("x", "y"))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(ahead, P("x", "y")))
    compiled = function.lower(shape).compile()
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == x.nbytes // 8 and memory.temp_size_in_bytes > 0, memory
    loaded = deserialize_and_load(*serialize(compiled), backend=OURS[0].client)
    here = NamedSharding(mesh(OURS, 4, 2), P("x", "y"))
    np.testing.assert_allclose(loaded(jax.device_put(x, here)), np.tanh(x @ x.T).sum(0), 1e-5, 1e-5)

    gpu = topologies.get_topology_desc("opencl:1", "partita", device="nvidia-sm_90").devices
    assert [d.device_kind for d in gpu] == ["nvidia-sm_90"]
    shape = jax.ShapeDtypeStruct((512, 512), np.float32, sharding=jax.sharding.SingleDeviceSharding(gpu[0]))
    assert function.lower(shape).compile().memory_analysis().temp_size_in_bytes >= 512 * 512 * 4
    for name, options in (("cpu:none", {}), ("abacus:2", {}), ("cpu:0", {}), ("cpu:99999", {}), ("cpu", {"devise": "x"})):
        try:
            topologies.get_topology_desc(name, "partita", **options)
        except jax.errors.JaxRuntimeError as error:
            assert str(error).startswith("INVALID_ARGUMENT") and "\n" not in str(error), error
        else:
            raise AssertionError(f"topology {name} was taken")


def case_exports_keep_drjaxs_placements():
    import drjax
    import partita
    import partita.jax

    @drjax.program(placements={"clients": 6})
    def federated_round(model, data):
        def update(weights, batch):
            x, y = batch
            return weights - 0.1 * jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(weights)

        return drjax.reduce_mean(drjax.map_fn(update, (drjax.broadcast(model), data)))

    def loss(model, data):
        return jnp.sum(federated_round(model, data) ** 2)

    model, data = numbers(5, 2), (numbers(6, 7, 5, seed=1), numbers(6, 7, 2, seed=2))
    for function in (federated_round, jax.grad(loss)):
        exported = partita.jax.export(function, model, data)
        for name in ("map", "broadcast", "reduce_"):
            assert f'stablehlo.composite "partita.{name}' in exported.text, exported.text
        with jax.default_device(THEIRS[0]):
            expected = np.asarray(jax.jit(function)(model, data))
            assert "partita." not in jax.jit(function).lower(model, data).as_text()
        for options in ({}, {"layout": "loop"}, {"layout": "batch"}):
            found = partita.compile(function, model, data, target="cpu", **options)(model, data)
            np.testing.assert_allclose(found, expected, 1e-5, 1e-5)
    # Written with vmap: the size is all that there is to go by.
    plain = partita.jax.export(jax.vmap(lambda x: x @ x), numbers(6, 4, 4), placement={"clients": 6}).compile(target="cpu")
    np.testing.assert_allclose(plain(numbers(6, 4, 4)), numbers(6, 4, 4) @ numbers(6, 4, 4), 1e-5, 1e-5)


def case_functions_exported_for_cpus():
    a = numbers(3, 4, 4)

    def function(a):
        return jnp.linalg.eigvalsh(a + jnp.swapaxes(a, -1, -2)), jnp.tanh(a).sum()

    for platforms in (("cpu",), ("tpu", "cpu")):
        exported = jax.export.export(jax.jit(jnp.tanh if "tpu" in platforms else function), platforms=platforms)(a)
        agree(exported.call, a, tolerance=1e-4)
    only = jax.export.export(jax.jit(jnp.tanh), platforms=("tpu",))(a)
    try:
        with jax.default_device(OURS[0]):
            jax.jit(only.call)(a)
        raise AssertionError("expected an error, found none")
    except ValueError as error:
        assert "exported for" in str(error), error


def case_exports_with_open_extents():
    import partita

    b, n = jax.export.symbolic_shape("b, n")

    def spec(*shape):
        return jax.ShapeDtypeStruct(shape, np.float32)

    def attention(q, k, v):
        scores = jnp.einsum("bqd,bkd->bqk", q, k) / np.sqrt(q.shape[-1])
        mask = jnp.tril(jnp.ones(scores.shape[1:], bool))
        return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)

    def moves(x):
        y = jnp.sort(jnp.concatenate([x, x[:, ::-1]], 1), axis=0)
        padded = jnp.pad(y, ((1, 2), (0, 0)))
        return padded.reshape(-1), jnp.cumsum(padded, 0), jnp.roll(x, 1, 0), jnp.arange(x.shape[0])

    def pooled(x, kernel):
        y = jax.lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").mean((1, 2))

    def scanned(x):
        return jax.lax.scan(lambda c, v: (0.9 * c + v, c.sum(-1)), jnp.zeros(x.shape[1:]), x)

    programs = {
        "attention": (attention, [(b, n, 8)] * 3),
        "moves": (moves, [(b, 5)]),
        "pooled": (pooled, [(b, 12, 12, 3), (3, 3, 3, 4)]),
        "scanned": (scanned, [(n, b, 4)]),
        "factored": (lambda a: jnp.linalg.eigh(a + jnp.swapaxes(a, -1, -2))[0], [(b, 4, 4)]),
        "step": (jax.value_and_grad(lambda w, x: jnp.mean(jnp.tanh(x @ w) ** 2)), [(16, 4), (b, 16)]),
    }
    for name, (function, shapes) in programs.items():
        exported = jax.export.export(jax.jit(function), platforms=("cpu",))(*(spec(*shape) for shape in shapes))
        for extents in ({"b": 3, "n": 5}, {"b": 1, "n": 7}):
            arrays = [numbers(*(extents.get(str(d), d) for d in shape), seed=k) for k, shape in enumerate(shapes)]
            with jax.default_device(THEIRS[0]):
                expected = jax.tree.leaves(jax.jit(function)(*arrays))
            for text in (str(exported.mlir_module()), exported.mlir_module_serialized):
                results = partita.compile(text, *arrays, target="cpu").run(arrays)
                for ours, theirs in zip(results, expected):
                    np.testing.assert_allclose(ours, theirs, 1e-4, 1e-4, err_msg=name)
    constrained, = jax.export.symbolic_shape("b", constraints=["b>=2"])
    exported = jax.export.export(jax.jit(lambda x: x[1:] - x[:-1]), platforms=("cpu",))(spec(constrained, 3))
    try:
        partita.compile(str(exported.mlir_module()), numbers(1, 3), target="cpu")
        raise AssertionError("expected an error, found none")
    except partita.UserError as error:
        assert "do not match the symbolic shape constraint b>=2" in str(error), error


def main(names):
    cases = {n.removeprefix("case_"): f for n, f in globals().items() if n.startswith("case_")}
    failed = 0
    for name in names or cases:
        try:
            cases[name]()
            print("passed", name, flush=True)
        except Exception:  # noqa: BLE001: all cases are run
            failed += 1
            traceback.print_exc()
            print("FAILED", name, flush=True)
    print(f"{len(names or cases) - failed} passed, {failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

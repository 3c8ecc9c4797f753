# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Programs of JAX on the devices of several processes: each process of an MPI job runs this file, or each of those that
PARTITA_TEST_PROCESS (ADDRESS,PROCESSES,PROCESS) tells apart, and every result is compared with NumPy's or with the same function on one device.  Arguments: names of cases, or none for all.  Each is a function of this
file whose name begins with `case_`."""
import functools
import os
import sys
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

shard_map = getattr(jax, "shard_map", None)
if shard_map is None:
    from jax.experimental.shard_map import shard_map


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mesh_of(devices, *shape, names=("x", "y")):
    devices = np.array(devices)
    return Mesh(devices.reshape(shape or devices.shape), names[:max(len(shape), 1)])


def placed(array, mesh, *spec):
    """The array, cut over the mesh; every process has all of its elements."""
    return jax.make_array_from_callback(array.shape, NamedSharding(mesh, P(*spec)), lambda index: array[index], dtype=array.dtype)


def whole(array):
    """All elements of an array that lies on the devices of several processes."""
    if not (array.is_fully_addressable or array.is_fully_replicated):
        array = jax.jit(lambda a: a, out_shardings=NamedSharding(array.sharding.mesh, P()))(array)
    return np.asarray(array) if array.addressable_shards else None


def expect(array, expected, tolerance=1e-5):
    """The elements, in the processes that have some."""
    found = whole(array)
    if found is not None:
        np.testing.assert_allclose(found, expected, tolerance, tolerance)


def case_devices():
    count, mine = jax.device_count() // jax.process_count(), jax.process_index()
    assert [d.id for d in jax.devices()] == list(range(jax.device_count()))
    assert [d.process_index for d in jax.devices()] == [d // count for d in range(jax.device_count())]
    assert jax.local_devices() == jax.devices()[mine * count:(mine + 1) * count]
    assert [d.local_hardware_id for d in jax.local_devices()] == list(range(count))
    assert len({d.device_kind for d in jax.devices()}) == 1


def case_sums_and_products():
    mesh, n = mesh_of(jax.devices()), 3 * jax.device_count()
    x = numbers(n, 5)
    a = placed(x, mesh, "x")
    expect(jax.jit(jnp.sum)(a), x.sum(), 1e-4)
    expect(jax.jit(lambda a: a.T @ a)(a), x.T @ x, 1e-4)
    expect(jax.jit(lambda a: jnp.sort(a.reshape(-1))[::-1])(a), np.sort(x.reshape(-1))[::-1])
    expect(a * 2 + 1, x * 2 + 1)  # eager


def case_a_training_step():
    def loss(w, x, y):
        return jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)

    def step(w, x, y):
        value, gradient = jax.value_and_grad(loss)(w, x, y)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, w, gradient)

    mesh, n = mesh_of(jax.devices()), 4 * jax.device_count()
    w, x, y = (numbers(6, 8, seed=1), numbers(8, 2, seed=2)), numbers(n, 6, seed=3), numbers(n, 2, seed=4)
    here = jax.tree.map(jnp.asarray, (w, x, y))
    there = jax.tree.map(lambda a: placed(a, mesh), w), placed(x, mesh, "x"), placed(y, mesh, "x")
    whole_batch, cut_batch = jax.jit(step), jax.jit(step, donate_argnums=0)
    for _ in range(5):
        value, parameters = whole_batch(*here)
        expected, cut = cut_batch(*there)
        expect(expected, np.asarray(value))
        here, there = (parameters, *here[1:]), (cut, *there[1:])
    for ours, theirs in zip(there[0], here[0]):
        expect(ours, np.asarray(theirs))


def case_a_federated_round():
    import drjax

    clients = 3 * jax.device_count()

    @drjax.program(placements={"clients": clients})
    def federated_round(model, data):
        def update(weights, batch):
            x, y = batch
            return weights - 0.1 * jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(weights)

        return drjax.reduce_mean(drjax.map_fn(update, (drjax.broadcast(model), data)))

    model, data = numbers(5, 2), (numbers(clients, 7, 5, seed=1), numbers(clients, 7, 2, seed=2))
    mesh = mesh_of(jax.devices(), jax.device_count(), names=("clients",))
    there = placed(model, mesh), tuple(placed(a, mesh, "clients") for a in data)
    gradient = jax.grad(lambda model, data: jnp.sum(federated_round(model, data) ** 2))
    for function in (federated_round, gradient):
        expected = jax.jit(function)(model, data)
        with mesh:
            expect(jax.jit(function, out_shardings=NamedSharding(mesh, P()))(*there), np.asarray(expected))


def meetings(devices):
    """Every collective of shard_map over these devices, in this order."""
    mesh, n = mesh_of(devices), len(devices)
    x = numbers(2 * n * n, 3)
    a = placed(x, mesh, "x")
    blocks = x.reshape(n, 2 * n, 3)
    mapped = functools.partial(shard_map, mesh=mesh, in_specs=P("x"))
    expect(jax.jit(mapped(lambda b: jax.lax.psum(b, "x"), out_specs=P()))(a), blocks.sum(0), 1e-4)
    expect(jax.jit(mapped(lambda b: jax.lax.pmax(b, "x"), out_specs=P()))(a), blocks.max(0))
    expect(jax.jit(mapped(lambda b: jax.lax.psum_scatter(b, "x", tiled=True), out_specs=P("x")))(a), blocks.sum(0), 1e-4)
    turned = blocks.reshape(n, n, 2, 3).transpose(1, 0, 2, 3).reshape(x.shape)
    expect(jax.jit(mapped(lambda b: jax.lax.all_to_all(b, "x", 0, 0, tiled=True), out_specs=P("x")))(a), turned)
    ring = [(k, (k + 1) % n) for k in range(n)]
    expect(jax.jit(mapped(lambda b: jax.lax.ppermute(b, "x", ring), out_specs=P("x")))(a), np.roll(blocks, 1, 0).reshape(x.shape))
    expect(jax.jit(mapped(lambda b: b * 0 + jax.lax.axis_index("x"), out_specs=P("x")))(a)[::2 * n, 0], np.arange(n))


def case_all_collectives():
    meetings(jax.devices())


def case_devices_in_another_order():
    meetings(jax.devices()[::-1])
    meetings(np.random.default_rng(5).permutation(jax.devices()))


def case_some_devices():
    count = len(jax.local_devices())
    meetings(jax.devices()[::count])                # one of each process
    if jax.process_count() > 2 or count > 1:
        meetings(jax.devices()[:-1])                # not as many of each
    mine = jax.devices()[-count:]                   # of the last process alone: the others have no part in it
    x = jax.jit(lambda: jnp.arange(8.0) * 2, out_shardings=NamedSharding(mesh_of(mine), P()))()
    if jax.process_index() == jax.process_count() - 1:
        np.testing.assert_array_equal(np.asarray(x), np.arange(8.0) * 2)


def case_a_mesh_of_two_axes():
    if jax.device_count() % 2:
        return
    x, w = numbers(4, 8), numbers(8, 6, seed=1)
    for devices in (jax.devices(), jax.devices()[::-1], np.array(jax.devices()).reshape(2, -1).T):
        mesh = mesh_of(devices, 2, jax.device_count() // 2) if np.ndim(devices) == 1 else Mesh(devices, ("y", "x"))
        expect(jax.jit(lambda x, w: jax.nn.relu(x @ w))(placed(x, mesh, "x"), placed(w, mesh, None, "y" if 6 % mesh.shape["y"] == 0 else None)),
               np.maximum(x @ w, 0), 1e-4)


def case_moving_between_meshes():
    x = numbers(2 * jax.device_count(), 3)
    a = placed(x, mesh_of(jax.devices()), "x")
    for devices in (jax.devices()[::-1], jax.devices()):
        a = jax.device_put(a, NamedSharding(mesh_of(devices), P("x")))
        expect(a, x)


def case_work_of_ones_own_between():
    """Local programs and the job's, one after the other and out of step with other processes."""
    mesh = mesh_of(jax.devices())
    a, own = placed(numbers(jax.device_count(), 4), mesh, "x"), jnp.ones(3)
    step = jax.jit(lambda a: a / 2 + jnp.mean(a))
    for k in range(20):
        for _ in range(jax.process_index() * 3):
            own = jnp.sin(own) + 1
        a = step(a)
    assert np.isfinite(whole(a)).all() and np.isfinite(np.asarray(own)).all()


def case_several_programs_at_once():
    """Executions in flight, of programs that wait for each other's results."""
    mesh = mesh_of(jax.devices())
    x = numbers(jax.device_count(), 1000)
    a = placed(x, mesh, "x")
    add, mean = jax.jit(lambda a: a + 1), jax.jit(lambda a: a - jnp.mean(a, 0))
    expected = x
    for _ in range(30):
        a, expected = mean(add(a)), (expected + 1) - np.mean(expected + 1, 0)
    expect(a, expected, 1e-4)


def case_utilities():
    mine = jax.process_index()
    np.testing.assert_array_equal(multihost_utils.process_allgather(np.float32(mine)), np.arange(jax.process_count()))
    assert int(multihost_utils.broadcast_one_to_all(np.int32(mine + 5))) == 5
    multihost_utils.sync_global_devices("there")
    local = np.full((len(jax.local_devices()), 2), mine, np.int32)
    array = multihost_utils.host_local_array_to_global_array(local, mesh_of(jax.devices()), P("x"))
    assert int(jax.jit(jnp.sum)(array)) == 2 * len(local) * sum(range(jax.process_count()))


def case_callbacks():
    seen = []
    mesh = mesh_of(jax.devices())
    a = placed(np.arange(jax.device_count(), dtype=np.float32), mesh, "x")

    @jax.jit
    def program(a):
        jax.debug.callback(lambda total: seen.append(float(total)), jnp.sum(a))
        return a + 1

    expect(program(a), np.arange(jax.device_count()) + 1)
    jax.effects_barrier()
    counts = multihost_utils.process_allgather(np.int32(len(seen)))
    assert counts.sum() >= 1 and set(seen) <= {float(np.arange(jax.device_count()).sum())}, (counts, seen)


def case_empty_and_scalar_arrays():
    mesh = mesh_of(jax.devices())
    expect(jax.jit(lambda a: a + 1)(placed(np.zeros((0, 3), np.float32), mesh)), np.zeros((0, 3)))
    expect(jax.jit(lambda a, b: (a + b).sum())(placed(np.float32(2), mesh), placed(np.ones(jax.device_count(), np.float32), mesh, "x")),
           3 * jax.device_count())


def fail_alone():
    """What the script runs by itself: process 1 ends in the midst, and the others hear of it in one line. They end without JAX's
    shutdown, which waits long for all processes."""
    step = jax.jit(lambda a: a / 2 + jnp.mean(a))
    a = placed(numbers(jax.device_count(), 4), mesh_of(jax.devices()), "x")
    try:
        for k in range(100):
            a = step(a)
            a.block_until_ready()
            if k == 10 and jax.process_index() == 1:
                os._exit(7)
    except jax.errors.JaxRuntimeError as error:
        print(error, flush=True)
        os._exit(3)


def main(names):
    address, *numbers_of = os.environ.get("PARTITA_TEST_PROCESS", "").split(",")
    jax.distributed.initialize(address or None, *map(int, numbers_of))
    if names == ["fail_alone"]:
        return fail_alone()
    cases = {n.removeprefix("case_"): f for n, f in globals().items() if n.startswith("case_")}
    failed = 0
    for name in names or cases:
        try:
            cases[name]()
        except Exception:  # noqa: BLE001: all cases are run
            failed += 1
            traceback.print_exc()
            print(f"FAILED {name} on process {jax.process_index()}", flush=True)
    print(f"process {jax.process_index()}: {len(names or cases) - failed} passed, {failed} failed", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

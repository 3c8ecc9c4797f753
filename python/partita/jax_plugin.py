# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The plugin for JAX: platform `partita`, found by the entry point group `jax_plugins`.

Environment: PARTITA_TARGET is the target (opencl, cpu), PARTITA_NUM_DEVICES how many devices there are, and
PARTITA_LIBRARY_FOLDER another place of the libraries than in this package.
"""
import ctypes
import dataclasses
import importlib.util
import os
import pathlib
import types

from ._library import library_folder

NAME = "partita"


def library_path() -> pathlib.Path:
    """The library that exports GetPjrtApi; a FileNotFoundError that names it where it is not there."""
    path = library_folder() / "libpartita_pjrt.so"
    if not path.is_file():
        raise FileNotFoundError(f"partita's plugin for JAX: expected a library {path}, found none")
    return path


def initialize() -> None:
    """Registers the platform, its donation of arguments and its lowering rules. Called by JAX once."""
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    keep_pocl_apart()
    # Before 0.10 XLA's client hands Shardy's statements to plugins in a form of its own; GSPMD's are the same everywhere.
    if tuple(int(n) for n in jax.__version__.split(".")[:2]) < (0, 10) and "JAX_USE_SHARDY_PARTITIONER" not in os.environ:
        jax.config.update("jax_use_shardy_partitioner", False)
    # Before registering, or JAX says that the platform is experimental.
    xla_bridge._nonexperimental_plugins.add(NAME)
    xla_bridge.register_plugin(NAME, priority=500, library_path=str(library_path()))
    if NAME not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(NAME)
    register_lowerings()
    use_persistent_cache()
    lend_arrays()


def keep_pocl_apart() -> None:
    """Where there is TensorFlow, PoCL is loaded with symbols of its own before the loader of OpenCL does, and before TensorFlow may be:
    bound to those of TensorFlow's LLVM it crashes.  Not beside another malloc, which such a library would not use throughout."""
    if importlib.util.find_spec("tensorflow") is None or "LD_PRELOAD" in os.environ:
        return
    for path in sorted(pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")).glob("*pocl*.icd")):
        try:
            ctypes.CDLL(path.read_text().strip(), mode=os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND)
        except OSError:  # the loader passes over it as well
            pass


def use_persistent_cache() -> None:
    """JAX's persistent cache is for a list of platforms; ours is one more, as its executables can be written and read."""
    from jax._src import compilation_cache

    known = getattr(compilation_cache, "is_cache_used", None)
    if known is None:  # an older JAX
        return

    def is_cache_used(backend) -> bool:
        return known(types.SimpleNamespace(platform="cpu") if backend.platform == NAME else backend)

    compilation_cache.is_cache_used = is_cache_used


def lend_arrays() -> None:
    """Arrays of our devices go to other libraries by DLPack as copies on JAX's CPU: jaxlib lends those of its own devices."""
    import jax
    from jax._src import array

    usual, usual_device = array.ArrayImpl.__dlpack__, array.ArrayImpl.__dlpack_device__

    def is_ours(lent):
        return [device.platform for device in lent.sharding.device_set] == [NAME]

    def on_cpu(lent):
        return jax.device_put(lent, jax.devices("cpu")[0])

    def dlpack(self, *, copy=None, **options):
        if not is_ours(self):
            return usual(self, copy=copy, **options)
        if copy is False:
            raise BufferError("__dlpack__: expected to copy an array of platform partita, found copy=False")
        return usual(on_cpu(self), copy=None, **options)

    def dlpack_device(self):
        return usual_device(on_cpu(0) if is_ours(self) else self)  # any array says it

    array.ArrayImpl.__dlpack__, array.ArrayImpl.__dlpack_device__ = dlpack, dlpack_device


def register_lowerings() -> None:
    """Rules for primitives that JAX lowers on platforms it knows alone."""
    from jax._src import core, custom_partitioning
    from jax._src.export import _export
    from jax._src.interpreters import mlir

    from . import jax_callbacks, linalg

    def partitioned_call(ctx, *values, call, **_):
        """What is called, as it is: our own partitioner cuts it, without the functions given to custom_partitioning."""
        return mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(ctx, *values)

    def call_exported(ctx, *values, exported):
        """What was exported for CPUs is for us too: we read what JAX writes for those, LAPACK's calls included."""
        if NAME not in exported.platforms:
            ours = tuple(NAME if platform == "cpu" else platform for platform in exported.platforms)
            exported = dataclasses.replace(exported, platforms=ours)
        return _export._call_exported_lowering(ctx, *values, exported=exported)

    mlir.register_lowering(_export.call_exported_p, call_exported, platform=NAME)
    linalg.register(NAME)
    jax_callbacks.register(NAME)
    mlir.register_lowering(custom_partitioning.custom_partitioning_p, partitioned_call, platform=NAME)

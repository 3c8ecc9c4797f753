# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The plugin for JAX: platform `partita`, found by the entry point group `jax_plugins`.

Environment: PARTITA_TARGET is the target (opencl, cpu), PARTITA_NUM_DEVICES how many devices there are, and
PARTITA_LIBRARY_FOLDER another place of the libraries than in this package.
"""
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


def use_persistent_cache() -> None:
    """JAX's persistent cache is for a list of platforms; ours is one more, as its executables can be written and read."""
    from jax._src import compilation_cache

    known = getattr(compilation_cache, "is_cache_used", None)
    if known is None:  # an older JAX
        return

    def is_cache_used(backend) -> bool:
        return known(types.SimpleNamespace(platform="cpu") if backend.platform == NAME else backend)

    compilation_cache.is_cache_used = is_cache_used


def register_lowerings() -> None:
    """Rules for primitives that JAX lowers on platforms it knows alone."""
    from jax._src import core, custom_partitioning
    from jax._src.interpreters import mlir

    from . import jax_callbacks, linalg

    def partitioned_call(ctx, *values, call, **_):
        """What is called, as it is: our own partitioner cuts it, without the functions given to custom_partitioning."""
        return mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(ctx, *values)

    linalg.register(NAME)
    jax_callbacks.register(NAME)
    mlir.register_lowering(custom_partitioning.custom_partitioning_p, partitioned_call, platform=NAME)

# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Callbacks of JAX (pure_callback, io_callback, debug.callback, debug.print, checks of checkify) on our platform.

JAX lowers them by one function, which knows the platforms of XLA alone; for ours they become calls of functions of the
host (partita.host), under a name that no other process and no other lowering has.
"""
import functools
import itertools
import threading
import uuid
from typing import Any, Callable, Sequence

import numpy as np
from jax._src import callback, checkify, compiler, debugging, dtypes, sharding_impls
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from jax.interpreters import mlir as public_mlir

from . import host
from .linalg import tensor_type

_PROCESS = uuid.uuid4().hex
_MARK = "partita.calls_host"  # of modules
_numbers = itertools.count()


class _Registered:
    """A function under a name of its own, as long as this object lives."""

    def __init__(self, function: Callable[..., Any]):
        self.name = f"jax-{_PROCESS}-{next(_numbers)}"
        host.set_host_function(self.name, function)

    def __del__(self):
        host.set_host_function(self.name, None)


def _checked(function: Callable[..., Any], result_avals: Sequence[Any]) -> Callable[..., Any]:
    """The function with its results as JAX's other platforms take them."""

    def call(*arguments):
        results = function(*arguments)
        if len(results) != len(result_avals):
            raise RuntimeError(
                "Mismatched number of outputs from callback. "
                f"Expected: {len(result_avals)}, Actual: {len(results)}")
        arrays = tuple(_canonical(np.asarray(result)) for result in results)
        for k, (array, aval) in enumerate(zip(arrays, result_avals)):
            if array.shape != aval.shape:
                raise RuntimeError(
                    f"Incorrect output shape for return value #{k}: Expected: {aval.shape}, Actual: {array.shape}")
            if array.dtype != aval.dtype:
                raise RuntimeError(
                    f"Incorrect output dtype for return value #{k}: Expected: {aval.dtype}, Actual: {array.dtype}")
        return arrays

    return call


def _canonical(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, dtype=dtypes.canonicalize_dtype(array.dtype))


def _is_made_once(axis_context) -> bool:
    """Whether the program is one of several devices that is not written for each of them."""
    return isinstance(axis_context, sharding_impls.ShardingContext) and (axis_context.num_devices or 1) > 1


def _emit(ctx, function, token, operands, _operand_avals, result_avals, *, partitioned=False, **_):
    if partitioned:
        raise NotImplementedError("Partitioned callback not implemented on partita backend.")
    registered = _Registered(_checked(function, result_avals))
    ctx.module_context.add_keepalive(registered)
    ctx.module_context.module.operation.attributes[_MARK] = ir.UnitAttr.get(ctx.module_context.context)
    config = {"function": ir.StringAttr.get(registered.name)}
    if _is_made_once(ctx.module_context.axis_context):
        config["once"] = ir.BoolAttr.get(True)
    # Calls are in the program's order, with tokens or without.
    call = mlir.custom_call(
        "partita.host_call", result_types=[tensor_type(aval) for aval in result_avals], operands=list(operands), backend_config=config,
        has_side_effect=True)
    return list(call.results), token, registered


def _on_platform(usual, platform):
    @functools.wraps(usual)
    def emit(ctx, *arguments, **options):
        ours = tuple(ctx.module_context.platforms) == (platform,)
        return (_emit if ours else usual)(ctx, *arguments, **options)

    return emit


def _keep_out_of_persistent_cache(platform):
    """Programs with callbacks mean something in this process alone: JAX's cache on disk gets none of them."""
    current = threading.local()
    compiling, writing = (getattr(compiler, name, None) for name in ("_compile_and_write_cache", "_cache_write"))
    if compiling is None or writing is None:  # another version
        return

    @functools.wraps(compiling)
    def compile_and_write(backend, computation, *arguments, **options):
        current.calls_host = backend.platform == platform and _MARK in computation.operation.attributes
        try:
            return compiling(backend, computation, *arguments, **options)
        finally:
            current.calls_host = False

    @functools.wraps(writing)
    def write(*arguments, **options):
        return None if getattr(current, "calls_host", False) else writing(*arguments, **options)

    compiler._compile_and_write_cache, compiler._cache_write = compile_and_write, write


class _Rules(dict):
    """Rules of the platform, and of primitives that JAX's rule for its CPU calls back for that rule, which comes with a
    module that is loaded later or never."""

    _BORROWED = frozenset({"spsolve"})

    def _rule(self, primitive):
        own = dict.get(self, primitive)
        if own is not None:
            return own
        borrows = getattr(primitive, "name", None) in self._BORROWED
        return mlir._platform_specific_lowerings["cpu"].get(primitive) if borrows else None

    def __contains__(self, primitive):
        return self._rule(primitive) is not None

    def __getitem__(self, primitive):
        rule = self._rule(primitive)
        if rule is None:
            raise KeyError(primitive)
        return rule


def register(platform: str) -> None:
    """Callbacks, printing and checks on the platform."""
    _keep_out_of_persistent_cache(platform)
    mlir._platform_specific_lowerings[platform] = _Rules(mlir._platform_specific_lowerings[platform])
    for module in (callback, mlir, public_mlir):  # where the function is depends on the version
        usual = getattr(module, "emit_python_callback", None)
        if usual is not None:
            module.emit_python_callback = _on_platform(usual, platform)
    # Primitives with rules for platforms by name.
    for module, primitive, rule in (
            (debugging, "debug_callback_p", "debug_callback_lowering"),
            (debugging, "debug_print_p", "debug_print_lowering_rule"),
            (checkify, "check_p", "check_lowering_rule")):
        if hasattr(module, primitive):
            mlir.register_lowering(getattr(module, primitive), getattr(module, rule), platform=platform)

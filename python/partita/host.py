# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Functions of Python that programs call: custom calls @partita.host_call in texts, callbacks in JAX.

    partita.set_host_function("clip", lambda x: np.clip(x, 0, 1))
    # stablehlo.custom_call @partita.host_call(%x) {has_side_effect = true, api_version = 4 : i32,
    #     backend_config = {function = "clip"}} : (tensor<4xf32>) -> tensor<4xf32>

`jax.ffi.ffi_call("partita.host_call", shapes, has_side_effect=True)(x, function="clip")` writes that text, so that an
exported program names what the application that runs it has to bring.
"""
import ctypes
import functools
import itertools
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _library as c
from .program import numpy_dtype


class _Array(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("dtype", ctypes.c_int), ("rank", ctypes.c_size_t),
        ("dims", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
    ]


_Function = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(_Array), ctypes.c_size_t, ctypes.POINTER(_Array), ctypes.c_size_t, ctypes.c_void_p,
    ctypes.c_size_t, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

#: What the library may call, by number.
_functions: "dict[int, Callable[..., Any]]" = {}
_numbers = itertools.count(1)
_USER_ERROR = 2


@functools.cache
def _dtype(number: int) -> np.dtype:
    return numpy_dtype(c.runtime().partita_dtype_name(number).decode())


def _view(array: _Array) -> np.ndarray:
    """The array's memory, which is there as long as the call."""
    shape, dtype = tuple(array.dims[d] for d in range(array.rank)), _dtype(array.dtype)
    if not array.bytes:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * array.bytes).from_address(array.data), dtype=dtype).reshape(shape)


def _results(given: Any, count: int) -> "Sequence[Any]":
    results = given if isinstance(given, (tuple, list)) else () if given is None and count == 0 else (given,)
    if len(results) != count:
        raise ValueError(f"expected {count} results, found {len(results)}")
    return results


def _put(result: Any, into: np.ndarray) -> None:
    array = np.asarray(result)
    if array.shape != into.shape:
        raise ValueError(f"expected a result of shape {into.shape}, found {array.shape}")
    if array.dtype != into.dtype:
        raise ValueError(f"expected a result of {into.dtype}, found {array.dtype}")
    into[...] = array


@_Function
def _call(operands, operand_count, results, result_count, error, error_size, user):
    try:
        # Copies, as the function may keep them.
        given = _functions[user](*(_view(operands[k]).copy() for k in range(operand_count)))
        for k, result in enumerate(_results(given, result_count)):
            _put(result, _view(results[k]))
        return 0
    except BaseException as failure:  # noqa: BLE001 - it would be lost in the library's thread
        text = f"{type(failure).__name__}: {failure}".encode(errors="replace")
        if len(text) >= error_size:  # long ones say what happened at their end
            half = error_size // 2 - 4
            text = text[:half] + b" ... " + text[-half:]
        ctypes.memmove(error, text + b"\0", len(text) + 1)
        return _USER_ERROR


@_Release
def _release(user):
    _functions.pop(user, None)


def set_host_function(name: str, function: Optional[Callable[..., Any]]) -> None:
    """What @partita.host_call means by `name` from now on; None: nothing.  The function takes NumPy arrays and returns one
    array for each result, of its shape and type; what it raises fails the execution.  It may run in any thread and must
    not wait for the device that runs the program."""
    runtime = c.runtime()
    if function is None:
        c.check(runtime.partita_host_function_set(name.encode(), _Function(), None, _Release()))
        return
    number = next(_numbers)
    _functions[number] = function
    try:
        c.check(runtime.partita_host_function_set(name.encode(), _call, number, _release))
    except BaseException:
        _functions.pop(number, None)
        raise

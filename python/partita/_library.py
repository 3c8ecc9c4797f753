# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""partita's C interface (partita.h, partita_compiler.h) through ctypes."""
import ctypes
import functools
import os
import pathlib
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_void_p


class Error(RuntimeError):
    """What a call of partita failed with, in one line."""


class UserError(Error, ValueError):
    """The program, an option or an array is wrong."""


class DeviceError(Error):
    """A device, its memory or its driver failed."""


class InternalError(Error):
    """A fault of partita."""


_ERRORS = {2: UserError, 3: DeviceError, 70: InternalError}


class _Port(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int), ("rank", c_size_t),
        ("dims", POINTER(c_int64)), ("bytes", c_size_t), ("placement", c_char_p),
        ("axis_count", c_size_t), ("axes", c_void_p), ("local_dims", POINTER(c_int64)),
    ]


_SIGNATURES = {
    "partita_version": (c_char_p, []),
    "partita_last_error": (c_char_p, []),
    "partita_dtype_name": (c_char_p, [c_int]),
    "partita_host_function_set": (c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "partita_artifact_load": (c_int, [c_char_p, POINTER(c_void_p)]),
    "partita_artifact_parse": (c_int, [c_char_p, c_size_t, c_char_p, POINTER(c_void_p)]),
    "partita_artifact_save": (c_int, [c_void_p, c_char_p]),
    "partita_artifact_free": (None, [c_void_p]),
    "partita_artifact_function_count": (c_size_t, [c_void_p]),
    "partita_artifact_function_name": (c_char_p, [c_void_p, c_size_t]),
    "partita_artifact_function": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "partita_artifact_join": (c_int, [POINTER(c_void_p), POINTER(c_char_p), c_size_t, POINTER(c_void_p)]),
    "partita_artifact_target": (c_char_p, [c_void_p]),
    "partita_artifact_input_count": (c_size_t, [c_void_p]),
    "partita_artifact_output_count": (c_size_t, [c_void_p]),
    "partita_artifact_input": (c_int, [c_void_p, c_size_t, POINTER(_Port)]),
    "partita_artifact_output": (c_int, [c_void_p, c_size_t, POINTER(_Port)]),
    "partita_device_open": (c_int, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "partita_device_free": (None, [c_void_p]),
    "partita_device_name": (c_char_p, [c_void_p]),
    "partita_buffer_create": (
        c_int, [c_void_p, c_int, c_size_t, POINTER(c_int64), c_void_p, c_size_t, POINTER(c_void_p)]),
    "partita_buffer_type": (
        c_int, [c_void_p, POINTER(c_int), POINTER(c_size_t), POINTER(POINTER(c_int64)), POINTER(c_size_t)]),
    "partita_buffer_read": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "partita_buffer_free": (None, [c_void_p]),
    "partita_function_load": (c_int, [c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p)]),
    "partita_function_free": (None, [c_void_p]),
    "partita_execute": (
        c_int,
        [c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_uint8), POINTER(c_void_p), c_size_t],
    ),
}
_COMPILER_SIGNATURES = {
    "partita_compile": (
        c_int, [c_char_p, c_size_t, c_char_p, POINTER(c_char_p), c_size_t, POINTER(c_void_p)]),
}


def library_folder() -> pathlib.Path:
    """Where the libraries are: PARTITA_LIBRARY_FOLDER, else beside this file."""
    return pathlib.Path(os.environ.get("PARTITA_LIBRARY_FOLDER") or pathlib.Path(__file__).parent / "lib")


def _open(name, signatures):
    library = ctypes.CDLL(str(library_folder() / name))
    for function, (result, arguments) in signatures.items():
        declared = getattr(library, function)
        declared.restype, declared.argtypes = result, arguments
    return library


@functools.cache
def runtime():
    """The library that loads and runs artifacts."""
    return _open("libpartita.so.0", _SIGNATURES)


@functools.cache
def compiler():
    """The library with partita_compile."""
    return _open("libpartita_compiler.so.0", _COMPILER_SIGNATURES)


def check(status: int) -> None:
    """Raises what a call that returned `status` failed with."""
    if status:
        raise _ERRORS.get(status, Error)(runtime().partita_last_error().decode(errors="replace"))


class Handle:
    """An object of the C interface, freed with this one."""

    def __init__(self, pointer, free):
        self.pointer, self._free = pointer, free

    def __del__(self):
        if getattr(self, "pointer", None):
            self._free(self.pointer)
            self.pointer = None


def made(free, call, *arguments):
    """The handle that a call writes to its last argument."""
    pointer = c_void_p()
    check(call(*arguments, byref(pointer)))
    return Handle(pointer, free)


Port = _Port
__all__ = ["DeviceError", "Error", "Handle", "InternalError", "Port", "UserError", "check", "compiler", "library_folder",
           "made", "runtime"]

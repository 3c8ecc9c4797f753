# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Compiled programs as functions of NumPy arrays (or whatever NumPy reads: DLPack, buffers, lists)."""
import ctypes
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _library as c


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's type of an element type by StableHLO's name; ml_dtypes has those that NumPy lacks."""
    known = {"i1": "bool", "complex<f32>": "complex64", "complex<f64>": "complex128"}
    if name in known:
        return np.dtype(known[name])
    for prefix, word in (("ui", "uint"), ("i", "int"), ("f", "float")):
        if name.startswith(prefix) and name[len(prefix):] in ("8", "16", "32", "64"):
            return np.dtype(word + name[len(prefix):])
    import ml_dtypes

    words = {"bf16": "bfloat16", "i2": "int2", "i4": "int4", "ui2": "uint2", "ui4": "uint4"}
    word = words.get(name) or name.lower().replace("f8e", "float8_e").replace("f4e", "float4_e")
    return np.dtype(getattr(ml_dtypes, word))


class Port:
    """An argument or result: `name` ("" where it has none), `dtype`, `shape`."""

    def __init__(self, port: c.Port):
        self.name = port.name.decode()
        self.dtype_number = port.dtype
        self.dtype = numpy_dtype(c.runtime().partita_dtype_name(port.dtype).decode())
        self.shape = tuple(port.dims[d] for d in range(port.rank))

    def __repr__(self):
        return f"Port({self.name!r}, {self.dtype}, {self.shape})"


def _ports(artifact, count, get):
    ports = []
    for index in range(count):
        port = c.Port(struct_size=ctypes.sizeof(c.Port))
        c.check(get(artifact.pointer, index, ctypes.byref(port)))
        ports.append(Port(port))
    return ports


class _Home:
    """The device of the functions of a program, opened by the first that runs."""

    def __init__(self, target):
        self._target, self._device = target, None

    def device(self):
        if self._device is None:
            runtime = c.runtime()
            self._device = c.made(
                runtime.partita_device_free, lambda out: runtime.partita_device_open(self._target.encode(), 1, out))
        return self._device


class Program:
    """A compiled program.  Calling it with its arguments, by position or name, returns its results; it runs on one device
    that it opens with the first call.  `inputs` and `outputs` are its ports, `target` what it was compiled for, `functions`
    the names of its functions, the first of which is the one that calls, ports and `run` are about."""

    def __init__(self, artifact: c.Handle, in_tree=None, out_tree=None, kept=()):
        self._artifact = artifact
        self._trees = in_tree, out_tree, kept
        self._trees_of = {}
        self._function = None
        runtime = c.runtime()
        self.functions = tuple(
            runtime.partita_artifact_function_name(artifact.pointer, k).decode()
            for k in range(runtime.partita_artifact_function_count(artifact.pointer)))
        self.target = runtime.partita_artifact_target(artifact.pointer).decode()
        self.inputs = _ports(artifact, runtime.partita_artifact_input_count(artifact.pointer), runtime.partita_artifact_input)
        self.outputs = _ports(
            artifact, runtime.partita_artifact_output_count(artifact.pointer), runtime.partita_artifact_output)
        self._home = _Home(self.target)

    def function(self, name: str) -> "Program":
        """One of its functions, on the same device; constants are shared."""
        made = Program(
            c.made(c.runtime().partita_artifact_free, c.runtime().partita_artifact_function, self._artifact.pointer,
                   name.encode()), *self._trees_of.get(name, ()))
        made._home = self._home
        return made

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the artifact, whole or not at all."""
        c.check(c.runtime().partita_artifact_save(self._artifact.pointer, os.fsencode(path)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        in_tree, out_tree, kept = self._trees
        if in_tree is not None:
            import jax

            leaves, tree = jax.tree.flatten((args, kwargs))
            if tree != in_tree:
                raise c.UserError(f"expected arguments {in_tree}, found {tree}")
            return jax.tree.unflatten(out_tree, self.run([leaves[k] for k in kept]))
        results = self.run(self._by_position(args, kwargs))
        return results[0] if len(results) == 1 else tuple(results)

    def _by_position(self, args: Sequence[Any], named: Mapping[str, Any]) -> list:
        arrays = list(args)
        for port in self.inputs[len(arrays):]:
            if port.name not in named:
                break
            arrays.append(named[port.name])
        if len(arrays) != len(args) + len(named):
            known = ", ".join(p.name or "?" for p in self.inputs)
            raise c.UserError(f"expected arguments ({known}), found {len(args)} and {', '.join(named)}")
        return arrays

    def run(self, arrays: Sequence[Any]) -> "list[np.ndarray]":
        """The results for arguments by position, as arrays of NumPy."""
        if len(arrays) != len(self.inputs):
            raise c.UserError(f"expected {len(self.inputs)} arguments, found {len(arrays)}")
        device, function = self._loaded()
        buffers = [self._uploaded(device, port, index, array) for index, (port, array) in enumerate(zip(self.inputs, arrays))]
        given = (ctypes.c_void_p * len(buffers))(*(b.pointer for b in buffers))
        results = (ctypes.c_void_p * len(self.outputs))()
        donated = (ctypes.c_uint8 * len(buffers))(*(1 for _ in buffers))
        c.check(c.runtime().partita_execute(function.pointer, given, len(buffers), donated, results, len(self.outputs)))
        made = [c.Handle(pointer, c.runtime().partita_buffer_free) for pointer in results]
        return [self._read(port, buffer) for port, buffer in zip(self.outputs, made)]

    def _loaded(self):
        if self._function is None:
            device = self._home.device()
            devices = (ctypes.c_void_p * 1)(device.pointer)
            function = c.made(
                c.runtime().partita_function_free, c.runtime().partita_function_load, self._artifact.pointer, devices, 1)
            self._function = device, function
        return self._function

    @staticmethod
    def _uploaded(device, port, index, array):
        host = np.from_dlpack(array) if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__") else np.asarray(array)
        if host.dtype != port.dtype and np.can_cast(host.dtype, port.dtype, "same_kind") and not isinstance(array, np.ndarray):
            host = host.astype(port.dtype)
        if host.dtype != port.dtype or host.shape != port.shape:
            raise c.UserError(
                f"argument {index} {port.name}: expected {port.dtype}{list(port.shape)}, found {host.dtype}{list(host.shape)}")
        host = np.ascontiguousarray(host).reshape(port.shape)
        dims = (ctypes.c_int64 * len(port.shape))(*port.shape)
        return c.made(c.runtime().partita_buffer_free, c.runtime().partita_buffer_create, device.pointer, port.dtype_number,
                      len(port.shape), dims, host.ctypes.data, host.nbytes)

    @staticmethod
    def _read(port, buffer):
        host = np.empty(port.shape, port.dtype)
        c.check(c.runtime().partita_buffer_read(buffer.pointer, host.ctypes.data, host.nbytes, None))
        return host


def load(path: "str | os.PathLike[str]") -> Program:
    """The program of an artifact that `partita compile` or Program.save wrote."""
    return Program(c.made(c.runtime().partita_artifact_free, c.runtime().partita_artifact_load, os.fsencode(path)))


def join(programs: "Mapping[str, Program]") -> Program:
    """One program, to be saved as one artifact, of several under new names, each of one function: a step of training, one of
    evaluation.  All are for one target; constants that are equal are held once."""
    pointers = (ctypes.c_void_p * len(programs))(*(p._artifact.pointer for p in programs.values()))
    names = (ctypes.c_char_p * len(programs))(*(name.encode() for name in programs))
    made = Program(
        c.made(c.runtime().partita_artifact_free, c.runtime().partita_artifact_join, pointers, names, len(programs)),
        *next(iter(programs.values()))._trees)
    made._trees_of = {name: p._trees for name, p in programs.items()}
    return made


def compile(program: "str | bytes | Callable", *args: Any, **options: Any) -> Program:  # noqa: A001: the word for it
    """Compiles a program: StableHLO as text or a portable artifact, or a function for arguments like `args` (arrays or
    jax.ShapeDtypeStruct, in pytrees), which partita.jax.export traces: DrJAX's placements are kept.  A text that leaves
    extents open (jax.export's symbolic shapes) is compiled for those of `args`, its first arguments.  Options are those of
    `partita compile`, with _ for -, such as target="cpu", placement="clients=512" (or a list of such), layout="auto".
    Errors are UserError with one line of text."""
    if callable(program):
        from . import jax

        return jax.compile(program, *args, **options)
    text = program.encode() if isinstance(program, str) else bytes(program)
    texts = [f"shape={k}={'x'.join(map(str, np.shape(array)))}".encode() for k, array in enumerate(args) if np.ndim(array)]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            texts.append(f"{name.replace('_', '-')}={one}".encode())
    given = (ctypes.c_char_p * len(texts))(*texts)
    return Program(
        c.made(c.runtime().partita_artifact_free, c.compiler().partita_compile, text, len(text), b"<program>", given, len(texts)))

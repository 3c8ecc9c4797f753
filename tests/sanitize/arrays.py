# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Arrays of .npz files as bytes, and how far apart two arrays are. Standard library only."""

import ast
import math
import random
import struct
import zipfile

# Element types of programs: dtype of .npy files, code of struct.
TYPES = {"i1": ("|b1", "?"), "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}
TYPES |= {"ui8": ("|u1", "B"), "ui16": ("<u2", "H"), "ui32": ("<u4", "I"), "ui64": ("<u8", "Q")}
TYPES |= {"f16": ("<f2", "e"), "bf16": ("<u2", "H"), "f32": ("<f4", "f"), "f64": ("<f8", "d")}
TYPES |= {"complex<f32>": ("<c8", "f"), "complex<f64>": ("<c16", "d")}
TOLERANCES = {"bf16": (1e-5, 1e-2), "f16": (1e-3, 1e-3), "f32": (1e-5, 1e-4), "f64": (1e-10, 1e-10)}
TOLERANCES |= {"complex<f32>": TOLERANCES["f32"], "complex<f64>": TOLERANCES["f64"]}


def read_npz(path):
    """Name: (dtype, bytes in C order)."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            length, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
            header = ast.literal_eval(data[start : start + length].decode())
            if header["fortran_order"] and len(header["shape"]) > 1 or header["descr"][0] == ">":
                raise ValueError(f"{path}: only little-endian arrays in C order are read, found {header}")
            arrays[name.removesuffix(".npy")] = (header["descr"], data[start + length :])
    return arrays


def write_npz(path, arrays):
    """arrays: name: (dtype, shape, bytes)."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (dtype, shape, data) in arrays.items():
            text = str({"descr": dtype, "fortran_order": False, "shape": tuple(shape)})
            text += " " * (-(len(text) + 11) % 64) + "\n"
            archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)


def draw(element, count, seed):
    """Bytes of `count` numbers: floats in [-1, 2), integers in [0, 8)."""
    source, (dtype, code) = random.Random(seed), TYPES[element]
    if element == "i1":
        values = [source.random() < 0.5 for _ in range(count)]
    elif element == "bf16":
        values = [struct.unpack("<I", struct.pack("<f", source.uniform(-1, 2)))[0] >> 16 for _ in range(count)]
    elif code in "efd":
        values = [source.uniform(-1, 2) for _ in range(count * (2 if dtype[1] == "c" else 1))]
    else:
        values = [source.randrange(8) for _ in range(count)]
    return struct.pack(f"<{len(values)}{code}", *values)


def values(element, data):
    code = TYPES[element][1]
    numbers = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    if element == "bf16":
        return struct.unpack(f"<{len(numbers)}f", struct.pack(f"<{len(numbers)}I", *(n << 16 for n in numbers)))
    return list(map(complex, numbers[::2], numbers[1::2])) if element.startswith("complex") else numbers


def converted(element, dtype, data):
    """A recorded array as an argument or result of that element type: bf16 and narrow integers may be recorded wider."""
    if TYPES[element][0][1:] == dtype[1:] and element != "bf16" or dtype[1:] == "u2":
        return data
    recorded = values(next(e for e, (d, _) in TYPES.items() if d[1:] == dtype[1:]), data)
    if element == "bf16":
        bits = struct.unpack(f"<{len(recorded)}I", struct.pack(f"<{len(recorded)}f", *recorded))
        return struct.pack(f"<{len(bits)}H", *(b + 0x7FFF + (b >> 16 & 1) >> 16 if b & 0x7FFFFF or ~b & 0x7F800000 else b >> 16 for b in bits))
    return struct.pack(f"<{len(recorded)}{TYPES[element][1]}", *recorded)


def is_close(found, expected, atol, rtol):
    if found == expected or (found != found and expected != expected):
        return True
    if isinstance(expected, complex) and not (abs(found) < math.inf and abs(expected) < math.inf):
        return is_close(found.real, expected.real, atol, rtol) and is_close(found.imag, expected.imag, atol, rtol)
    distance = abs(found - expected)
    return distance < math.inf and distance <= atol + rtol * abs(expected)


def difference(element, found, expected, depends_on_bf16):
    """What is wrong with bytes of an array, or nothing: as `partita check` compares."""
    if len(found) != len(expected):
        return f"expected {len(expected)} bytes, found {len(found)}"
    if found == expected:
        return None
    atol, rtol = TOLERANCES.get(element, (0, 0))
    if rtol and depends_on_bf16:
        atol, rtol = TOLERANCES["bf16"]
    pairs = list(zip(values(element, found), values(element, expected)))
    wrong = [k for k, (f, e) in enumerate(pairs) if not is_close(f, e, atol, rtol)]
    if not wrong:
        return None
    f, e = pairs[wrong[0]]
    return f"{len(wrong)} of {len(pairs)} elements differ; element {wrong[0]}: expected {e}, found {f}"

# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Reads .npy and .npz files. Standard library only."""

import ast
import math
import struct
import zipfile


def read_npy(data):
    """Of the bytes of an .npy file: dtype (as "<f4"), shape, and the elements' bytes in C order.

    ValueError: the bytes are no .npy file, or big-endian.
    """
    if data[:6] != b"\x93NUMPY":
        raise ValueError("not an .npy file")
    length, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    header = ast.literal_eval(data[start : start + length].decode())
    dtype, shape, elements = header["descr"], tuple(header["shape"]), data[start + length :]
    if dtype[0] == ">":
        raise ValueError(f"only little-endian arrays are read, found {header}")
    return dtype, shape, in_c_order(elements, shape) if header["fortran_order"] else elements


def in_c_order(elements, shape):
    """Elements that lie with the first dimension fastest, with the last one fastest."""
    count = math.prod(shape)
    if len(shape) < 2 or count == 0:
        return elements
    size = len(elements) // count
    strides = [size * math.prod(shape[:d]) for d in range(len(shape))]
    places = [0]
    for extent, stride in zip(shape, strides):
        places = [place + k * stride for place in places for k in range(extent)]
    return b"".join(elements[place : place + size] for place in places)


def read_npz(path):
    """Name: what read_npy() makes of that array. ValueError, which names the array, as there."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            try:
                arrays[name.removesuffix(".npy")] = read_npy(archive.read(name))
            except ValueError as error:
                raise ValueError(f"{path}: {name}: {error}") from None
    return arrays

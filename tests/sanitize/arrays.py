# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Arrays of .npz files as bytes, and how far apart two arrays are. Standard library only."""

import math
import random
import re
import struct
import zipfile

# Element types of programs: dtype of .npy files, code of struct.
TYPES = {"i1": ("|b1", "?"), "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}
TYPES |= {"ui8": ("|u1", "B"), "ui16": ("<u2", "H"), "ui32": ("<u4", "I"), "ui64": ("<u8", "Q")}
TYPES |= {"f16": ("<f2", "e"), "bf16": ("<u2", "H"), "f32": ("<f4", "f"), "f64": ("<f8", "d")}
TYPES |= {"complex<f32>": ("<c8", "f"), "complex<f64>": ("<c16", "d")}
# Narrow integers take a byte each, sign- or zero-extended.
TYPES |= {"i2": TYPES["i8"], "i4": TYPES["i8"], "ui2": TYPES["ui8"], "ui4": TYPES["ui8"]}
# Absolute and relative: as `partita check` has them.
TOLERANCES = {"bf16": (1e-5, 1e-2), "f16": (1e-3, 1e-3), "f32": (1e-5, 1e-4), "f64": (1e-10, 1e-10)}
TOLERANCES |= {"complex<f32>": TOLERANCES["f32"], "complex<f64>": TOLERANCES["f64"]}

# Floats of at most a byte: bits of exponent and mantissa, bias, and which bits are no finite numbers: ieee, fn (NaN
# where all are ones), fnuz (NaN is negative zero), finite (none); f8E8M0FNU has neither sign nor zero.
SHORT_FLOATS = {"f4E2M1FN": (2, 1, 1, "finite"), "f8E3M4": (3, 4, 3, "ieee"), "f8E4M3": (4, 3, 7, "ieee")}
SHORT_FLOATS |= {"f8E4M3FN": (4, 3, 7, "fn"), "f8E5M2": (5, 2, 15, "ieee"), "f8E4M3B11FNUZ": (4, 3, 11, "fnuz")}
SHORT_FLOATS |= {"f8E4M3FNUZ": (4, 3, 8, "fnuz"), "f8E5M2FNUZ": (5, 2, 16, "fnuz"), "f8E8M0FNU": (8, 0, 127, "fnu")}
TYPES |= {element: TYPES["ui8"] for element in SHORT_FLOATS}
TOLERANCES |= {element: (2.0**-bits[1], 2.0**-bits[1]) for element, bits in SHORT_FLOATS.items()}


def short_value(element, bits):
    """The number that the bits of a short float say."""
    exponent_bits, mantissa_bits, bias, special = SHORT_FLOATS[element]
    if special == "fnu":
        return math.nan if bits == 0xFF else 2.0 ** (bits - bias)
    exponent, mantissa = bits >> mantissa_bits & (1 << exponent_bits) - 1, bits & (1 << mantissa_bits) - 1
    magnitude = bits & (1 << exponent_bits + mantissa_bits) - 1
    sign = -1.0 if bits >> exponent_bits + mantissa_bits & 1 else 1.0
    if special == "ieee" and exponent == (1 << exponent_bits) - 1:
        return math.nan if mantissa else sign * math.inf
    if special == "fn" and magnitude == (1 << exponent_bits + mantissa_bits) - 1:
        return math.nan
    if special == "fnuz" and sign < 0 and magnitude == 0:
        return math.nan
    fraction = mantissa * 2.0**-mantissa_bits
    return sign * (fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias))


def short_values(element):
    """All numbers of a short float, by their bits."""
    return [short_value(element, bits) for bits in range(16 if element.startswith("f4") else 256)]


def coarsest(text):
    """The float of fewest digits that a program names, if its tolerance is for what it feeds too; else none."""
    found = [e for e in TOLERANCES if TOLERANCES[e][1] > TOLERANCES["f16"][1] and re.search(rf"\b(?:\d+x)*{e}\b", text)]
    return max(found, key=lambda e: TOLERANCES[e][1], default=None)


def write_npz(path, arrays):
    """arrays: name: (dtype, shape, bytes)."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (dtype, shape, data) in arrays.items():
            text = str({"descr": dtype, "fortran_order": False, "shape": tuple(shape)})
            text += " " * (-(len(text) + 11) % 64) + "\n"
            archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)


def draw(element, count, seed):
    """Bytes of `count` numbers: floats in [-1, 2), integers in [0, 8), narrow ones in [0, 2)."""
    source, (dtype, code) = random.Random(seed), TYPES[element]
    if element == "i1":
        values = [source.random() < 0.5 for _ in range(count)]
    elif element in SHORT_FLOATS:
        values = source.choices([bits for bits, v in enumerate(short_values(element)) if -1 <= v < 2], k=count)
    elif element in ("i2", "i4", "ui2", "ui4"):
        values = [source.randrange(2) for _ in range(count)]
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
    if element in SHORT_FLOATS:
        return [short_value(element, bits) for bits in numbers]
    if element == "bf16":
        return struct.unpack(f"<{len(numbers)}f", struct.pack(f"<{len(numbers)}I", *(n << 16 for n in numbers)))
    return list(map(complex, numbers[::2], numbers[1::2])) if element.startswith("complex") else numbers


def converted(element, dtype, data):
    """A recorded array as an argument or result of that element type: bf16, short floats and narrow integers may be
    recorded wider."""
    if element in ("i2", "i4") and dtype[1:] == "V1":  # the bits above a number are any
        width = int(element[1:])
        return bytes((byte & (1 << width) - 1) - ((byte >> width - 1 & 1) << width) & 0xFF for byte in data)
    if TYPES[element][0][1:] == dtype[1:] and element != "bf16" or dtype[1:] in ("u2", "V1", "f1"):
        return data
    recorded = values(next(e for e, (d, _) in TYPES.items() if d[1:] == dtype[1:]), data)
    if element == "bf16":
        bits = struct.unpack(f"<{len(recorded)}I", struct.pack(f"<{len(recorded)}f", *recorded))
        return struct.pack(f"<{len(bits)}H", *(b + 0x7FFF + (b >> 16 & 1) >> 16 if b & 0x7FFFFF or ~b & 0x7F800000 else b >> 16 for b in bits))
    if element in SHORT_FLOATS:
        bits_of = {str(v): bits for bits, v in enumerate(short_values(element))}
        return bytes(bits_of[str(float(v))] for v in recorded)
    return struct.pack(f"<{len(recorded)}{TYPES[element][1]}", *recorded)


def is_close(found, expected, atol, rtol):
    if found == expected or (found != found and expected != expected):
        return True
    if isinstance(expected, complex) and not (abs(found) < math.inf and abs(expected) < math.inf):
        return is_close(found.real, expected.real, atol, rtol) and is_close(found.imag, expected.imag, atol, rtol)
    distance = abs(found - expected)
    return distance < math.inf and distance <= atol + rtol * abs(expected)


def difference(element, found, expected, fed_by):
    """What is wrong with bytes of an array, or nothing: as `partita check` compares. fed_by: see coarsest()."""
    if len(found) != len(expected):
        return f"expected {len(expected)} bytes, found {len(found)}"
    if found == expected:
        return None
    atol, rtol = TOLERANCES.get(element, (0, 0))
    if rtol and fed_by:
        atol, rtol = max(TOLERANCES[element], TOLERANCES[fed_by], key=lambda tolerance: tolerance[1])
    pairs = list(zip(values(element, found), values(element, expected)))
    wrong = [k for k, (f, e) in enumerate(pairs) if not is_close(f, e, atol, rtol)]
    if not wrong:
        return None
    f, e = pairs[wrong[0]]
    return f"{len(wrong)} of {len(pairs)} elements differ; element {wrong[0]}: expected {e}, found {f}"

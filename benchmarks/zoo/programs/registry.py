# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The zoo's programs by name.

`@program("family")` adds the function below it, by its name; `add(name, family, make)` adds several from a
loop. What is added returns (function, arguments) when called, and imports its package only then. `large`: takes more
than about two seconds or more than a gigabyte; such programs are left out unless they are asked for.
"""

import dataclasses
import typing


@dataclasses.dataclass
class Program:
    name: str
    family: str
    package: str
    make: typing.Callable
    large: bool = False


PROGRAMS = {}


def add(name, family, package, make, large=False):
    if name in PROGRAMS:
        raise ValueError(f"{name}: there are two programs of this name")
    PROGRAMS[name] = Program(name, family, package, make, large)


def program(family, package, large=False):
    def take(make):
        add(make.__name__, family, package, make, large)
        return make

    return take

# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""partita: dataflow graphs of map/reduce nodes, compiled ahead of time for accelerators and CPUs.

    program = partita.compile(function, x, y, target="cpu")    # or the text of StableHLO
    program.save("round.pta")
    partita.load("round.pta")(x, y)                            # NumPy arrays

Programs of JAX run on platform `partita` without any of this: JAX_PLATFORMS=partita (partita.jax_plugin).
"""
from ._library import DeviceError, Error, InternalError, UserError
from .host import set_host_function
from .program import Port, Program, compile, join, load  # noqa: A004

__all__ = ["DeviceError", "Error", "InternalError", "Port", "Program", "UserError", "compile", "join", "load",
           "set_host_function"]

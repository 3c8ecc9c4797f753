# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""The command line of an installed wheel."""
import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "partita"
    os.execv(program, [str(program), *sys.argv[1:]])

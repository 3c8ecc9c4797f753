# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Imports every file of this folder, which add their programs to `registry.PROGRAMS`."""

import importlib
import pathlib

from .registry import PROGRAMS  # noqa: F401

for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if path.stem not in ("__init__", "registry", "common"):
        importlib.import_module(f"{__name__}.{path.stem}")

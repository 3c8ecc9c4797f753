# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Parses and verifies MLIR texts with the MLIR inside of jaxlib: files, or folders with *.mlir.

Ops of dialects that it does not know are allowed in generic form. A `// -----` line separates modules.
"""
import pathlib
import sys

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo


def make_context():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    context.allow_unregistered_dialects = True
    return context


def main(arguments):
    files = []
    for argument in map(pathlib.Path, arguments):
        files += sorted(argument.rglob("*.mlir")) if argument.is_dir() else [argument]
    context, failures = make_context(), 0
    for file in files:
        try:
            for text in file.read_text().split("\n// -----"):
                ir.Module.parse(text, context)
        except ir.MLIRError as error:
            failures += 1
            print(f"REFUSED {file}: {' '.join(str(error).split())[:1000]}")
    print(f"{len(files)} texts, {failures} of them refused")
    return 1 if failures or not files else 0


sys.exit(main(sys.argv[1:]))

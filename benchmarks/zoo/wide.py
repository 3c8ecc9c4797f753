# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""A program's text in double precision: what results of single precision are judged against.

`widen(text)` gives the text with f16, bf16 and f32 (also as parts of complex numbers) replaced by f64. Constants keep
the value they had, bits that are taken as floats (and floats as bits) are converted at that place, calls of LAPACK name
the routine of the wider type. Needs MLIR's Python bindings, which come with jaxlib.
"""

import re

import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

NARROW = ("f16", "bf16", "f32")


def wide_type(kind):
    """The type with wide elements; the same one where nothing in it is narrow."""
    if str(kind) in NARROW:
        return ir.F64Type.get()
    if isinstance(kind, ir.ComplexType):
        return ir.ComplexType.get(wide_type(kind.element_type))
    if isinstance(kind, ir.RankedTensorType):
        element = wide_type(kind.element_type)
        return kind if element == kind.element_type else ir.RankedTensorType.get(kind.shape, element)
    if isinstance(kind, ir.FunctionType):
        return ir.FunctionType.get([wide_type(t) for t in kind.inputs], [wide_type(t) for t in kind.results])
    if isinstance(kind, ir.TupleType):
        return ir.TupleType.get_tuple([wide_type(kind.get_type(k)) for k in range(kind.num_types)])
    return kind


def wide_constant(attribute):
    kind = ir.RankedTensorType(attribute.type)
    wide = wide_type(kind)
    if wide == kind:
        return attribute
    if attribute.is_splat:
        value = ir.FloatAttr(attribute.get_splat_value()).value
        return ir.DenseElementsAttr.get_splat(wide, ir.FloatAttr.get(ir.F64Type.get(), value))
    try:
        values = np.array(attribute).astype(np.float64)
    except (TypeError, ValueError, RuntimeError):
        values = np.array(list(ir.DenseFPElementsAttr(attribute)), np.float64).reshape(kind.shape)
    return ir.DenseElementsAttr.get(np.ascontiguousarray(values.reshape(kind.shape)))


def wide_complex_constant(found):
    """The bindings do not know attributes of complex numbers: such a constant is made wide in the text."""
    indent, name, values, dimensions = found.groups()
    if values.startswith('"0x'):
        values = (
            '"0x' + np.frombuffer(bytes.fromhex(values[3:-1]), np.complex64).astype(np.complex128).tobytes().hex() + '"'
        )
    wide = f"tensor<{dimensions}complex<f64>>"
    return (
        f"{indent}{name}_wide = stablehlo.constant dense<{values}> : {wide}\n"
        f"{indent}{name} = stablehlo.convert {name}_wide : ({wide}) -> tensor<{dimensions}complex<f32>>"
    )


def convert_around(op, kept):
    """Lets a bitcast_convert have the types it had, with conversions before and after it."""
    source, result = op.operands[0], op.results[0]
    if wide_type(source.type) != source.type:
        with ir.InsertionPoint(op), op.location:
            before = ir.Operation.create("stablehlo.convert", results=[source.type], operands=[source])
        op.operands[0] = before.results[0]
        kept.append(before.results[0])
    if wide_type(result.type) != result.type:
        with ir.InsertionPoint(op), op.location:
            after = ir.Operation.create("stablehlo.convert", results=[wide_type(result.type)], operands=[result])
        after.move_after(op)
        result.replace_all_uses_except(after.results[0], after)
        kept.append(result)


def all_operations(op, found):
    found.append(op)
    for region in op.regions:
        for block in region:
            for inner in block:
                all_operations(inner.operation, found)
    return found


def widen(text):
    text = re.sub(
        r"^( *)(%\w+) = stablehlo.constant dense<(.*)> : tensor<([\dx]*)complex<f32>>$",
        wide_complex_constant,
        text,
        flags=re.MULTILINE,
    )
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        operations, kept = all_operations(module.operation, []), []
        for op in operations:
            if op.name == "stablehlo.bitcast_convert":
                convert_around(op, kept)
        for op in all_operations(module.operation, []):
            for region in op.regions:
                for block in region:
                    for argument in block.arguments:
                        argument.set_type(wide_type(argument.type))
            for result in op.results:
                if not any(result == k for k in kept):
                    result.set_type(wide_type(result.type))
            if op.name == "stablehlo.constant" and "complex" not in str(op.results[0].type):
                op.attributes["value"] = wide_constant(op.attributes["value"])
            if op.name == "func.func":
                op.attributes["function_type"] = ir.TypeAttr.get(
                    wide_type(ir.TypeAttr(op.attributes["function_type"]).value)
                )
            if op.name == "stablehlo.custom_call":
                target = ir.StringAttr(op.attributes["call_target_name"]).value
                for old, new in (("lapack_s", "lapack_d"), ("lapack_c", "lapack_z")):
                    target = target.replace(old, new)
                op.attributes["call_target_name"] = ir.StringAttr.get(target)
        module.operation.verify()
        return str(module)

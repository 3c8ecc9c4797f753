# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Programs of JAX with their placements: DrJAX's map, broadcast and reductions keep their names when a program is exported.

    program = partita.jax.compile(round, model, data, target="cpu")     # round is a drjax.program
    text = partita.jax.export(round, model, data).text                  # what `partita compile` takes

DrJAX lowers a map to the batched ops of jax.vmap, in which the clients are one dimension of many.  Here they become
composites @partita.map, @partita.broadcast, @partita.reduce_sum and @partita.reduce_mean that say placement and number
of partitions; their decompositions are DrJAX's own, so other compilers read the same text.
"""
import contextlib
import dataclasses
import functools
import re
import threading
from typing import Any, Callable, Iterator, Mapping

import jax
from jax._src import pjit
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo

from . import program as _program

#: The version of the composites.
VERSION = 1

_COMPOSITES = {"broadcast": "partita.broadcast", "sum_from": "partita.reduce_sum", "mean_from": "partita.reduce_mean"}
_PRIMITIVE = re.compile(rf"({'|'.join(_COMPOSITES)})_(\w+)")
_REGION = re.compile(r"partita_map__(\w+)__(\d+)")
_PLATFORM = "cpu"  # whose rules all exported programs are lowered by
_lock = threading.RLock()


# --- Lowering -------------------------------------------------------------------------------------------


def _composite(ctx, name, body, operands, placement, size):
    """The results of composite NAME whose decomposition is a function of the text that does `body`."""
    lowered = mlir.lower_called_computation(
        name, body, ctx.module_context, 0, ctx.avals_in, ctx.avals_out, ctx.tokens_in)[0]
    attributes = ir.DictAttr.get({"placement": ir.StringAttr.get(placement), "n": mlir.i64_attr(size)})
    return hlo.CompositeOp(
        lowered.type.results, list(operands), name=ir.StringAttr.get(name), composite_attributes=attributes,
        decomposition=ir.FlatSymbolRefAttr.get(lowered.name.value), version=mlir.i32_attr(VERSION)).results


def _primitive_rule(primitive, kind, placement):
    def rule(ctx, *operands, **parameters):
        size = (ctx.avals_out if kind == "broadcast" else ctx.avals_in)[0].shape[0]
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in ctx.avals_in]
        body = jax.make_jaxpr(functools.partial(primitive.impl, **parameters))(*shapes)
        return _composite(ctx, _COMPOSITES[kind], body, operands, placement, size)

    return rule


def _region_rule(usual):
    def rule(ctx, *operands, name, jaxpr, **parameters):
        region = _REGION.fullmatch(name)
        if region is None or jaxpr.consts or jaxpr.effects:
            return usual(ctx, *operands, name=name, jaxpr=jaxpr, **parameters)
        return _composite(ctx, "partita.map", jaxpr, operands, region[1], int(region[2]))

    return rule


# --- DrJAX ----------------------------------------------------------------------------------------------


def _drjax_primitives():
    """Those that its programs have defined until now, with kind and placement."""
    for primitive in list(mlir._lowerings):
        named = _PRIMITIVE.fullmatch(primitive.name)
        # JAX has primitives of such names too.
        if named and str(getattr(primitive.impl, "__module__", "")).startswith("drjax."):
            yield primitive, named[1], named[2]


def _named_map(usual):
    """Maps as a region whose name says placement and size: it lasts through differentiation."""

    @functools.wraps(usual)
    def map_to_placement(self, fn, arg, placement, mesh=None):
        def region(arg):
            return usual(self, fn, arg, placement, mesh=mesh)

        region.__name__ = region.__qualname__ = f"partita_map__{placement}__{self._placements_to_n_elements[placement]}"
        return jax.jit(region)(arg)

    return map_to_placement


@contextlib.contextmanager
def keeping_placements() -> Iterator[None]:
    """Within, what is traced and lowered for export keeps DrJAX's placements.  Nothing where DrJAX is not installed.

    Primitives are those of programs that were made by then, and of those that are made within."""
    try:
        from drjax._src import impls, primitives
    except ImportError:
        yield
        return
    with _lock:
        rules = mlir._platform_specific_lowerings[_PLATFORM]
        kept = dict(rules)
        define, map_to_placement = primitives._define_and_register_prims_for_placement, impls.PlacedComputations.map_to_placement

        def add_rules():
            for primitive, kind, placement in _drjax_primitives():
                if primitive not in rules:
                    mlir.register_lowering(
                        primitive, _primitive_rule(primitive, kind, placement), platform=_PLATFORM, cacheable=False)

        @functools.wraps(define)
        def define_and_add(*arguments, **named):
            result = define(*arguments, **named)
            add_rules()
            return result

        try:
            primitives._define_and_register_prims_for_placement = define_and_add
            impls.PlacedComputations.map_to_placement = _named_map(map_to_placement)
            mlir.register_lowering(pjit.jit_p, _region_rule(pjit._pjit_lowering), platform=_PLATFORM, cacheable=False)
            add_rules()
            yield
        finally:
            primitives._define_and_register_prims_for_placement = define
            impls.PlacedComputations.map_to_placement = map_to_placement
            rules.clear()
            rules.update(kept)


# --- Export ---------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Exported:
    """A program as StableHLO, with what its caller needs to know."""

    text: str  #: for readers, and for `partita compile`
    artifact: bytes  #: the same as a portable artifact of StableHLO
    placements: Mapping[str, int]  #: those whose sizes partita is to look for
    trees: tuple  #: of arguments and results, and which arguments' leaves the program takes

    def compile(self, **options: Any) -> _program.Program:
        """As partita.compile, with the placements."""
        if self.placements:
            options.setdefault("placement", [f"{name}={size}" for name, size in self.placements.items()])
        made = _program.compile(self.artifact, **options)
        made._trees = self.trees
        return made


def export(function: Callable, *args: Any, placement: "Mapping[str, int] | None" = None, **kwargs: Any) -> Exported:
    """The function for arguments like these (arrays or jax.ShapeDtypeStruct, in pytrees).

    DrJAX's programs keep their placements.  `placement`, {"clients": 512}, names placements of programs that have their
    partitions as a dimension and nothing that says so, as those written with jax.vmap: partita then looks for that size."""
    with keeping_placements():
        # A new function, so that nothing which was traced without placements is found again.
        exported = jax.export.export(jax.jit(lambda *a, **k: function(*a, **k)), platforms=[_PLATFORM])(*args, **kwargs)
    return Exported(
        exported.mlir_module(), exported.mlir_module_serialized, dict(placement or {}),
        (exported.in_tree, exported.out_tree, exported.module_kept_var_idx))


def compile(function: Callable, *args: Any, **options: Any) -> _program.Program:  # noqa: A001: the word for it
    """Exports the function for arguments like these and compiles it; options as of partita.compile."""
    return export(function, *args).compile(**options)

# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Lowering rules for the linear algebra that JAX has no rules for on a platform it does not know.

`register(platform)`, once the platform's backend is registered, makes eigh, svd, eig, schur, hessenberg, tridiagonal,
lu, pivoted QR, products with Q and tridiagonal systems custom calls @partita.NAME on stacks of matrices, which the host
computes by LAPACK.  What fails to converge is NaN, as on JAX's CPU.  Cholesky factors, triangular systems and QR need
no rule: JAX's own emit what partita has kernels for.  Derivatives are JAX's, which are made of the same primitives.
"""
import jax.numpy as jnp
import numpy as np
from jax._src import core
from jax._src.export import _export
from jax._src.interpreters import mlir
from jax._src.lax import linalg
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo

_DTYPES = tuple(np.dtype(name) for name in ("float32", "float64", "complex64", "complex128"))
# What LAPACK has no routines for is computed in f32.
_NARROW = (jnp.dtype("bfloat16"), jnp.dtype("float16"))


def _is_narrow(aval):
    return jnp.dtype(aval.dtype) in _NARROW


def tensor_type(aval, dtype=None):
    # Exporting leaves extents open.
    open_size = ir.ShapedType.get_dynamic_size()
    shape = [d if core.is_constant_dim(d) else open_size for d in aval.shape]
    return ir.RankedTensorType.get(shape, mlir.dtype_to_ir_type(np.dtype(dtype or aval.dtype)))


def _wide_type(aval):
    """Of the value as LAPACK takes or gives it."""
    return tensor_type(aval, "float32" if _is_narrow(aval) else None)


def _call(ctx, routine, operands, result_types=None, **options):
    """Results of @partita.ROUTINE as the primitive has them.  The call itself gives `result_types`; default: the
    primitive's, with f32 for narrow floats."""
    dtype = jnp.dtype(ctx.avals_in[0].dtype)
    if dtype not in _DTYPES + _NARROW:
        raise NotImplementedError(f"{ctx.primitive}: unsupported dtype {dtype}")
    operands = [hlo.convert(_wide_type(aval), x) if _is_narrow(aval) else x for aval, x in zip(ctx.avals_in, operands)]
    # Open extents are operands too.
    is_open = not all(core.is_constant_shape(aval.shape) for aval in ctx.avals_out)
    shapes = [mlir.eval_dynamic_shape_as_tensor(ctx, aval.shape) for aval in ctx.avals_out] if is_open else None
    op = mlir.custom_call(
        f"partita.{routine}",
        result_types=result_types or [_wide_type(aval) for aval in ctx.avals_out],
        operands=operands,
        result_shapes=shapes,
        backend_config={name: ir.BoolAttr.get(bool(value)) for name, value in options.items()},
    )
    return [hlo.convert(tensor_type(aval), x) if _is_narrow(aval) else x for aval, x in zip(ctx.avals_out, op.results)]


def _expect_all(primitive, subset_by_index, extents):
    if subset_by_index is not None and tuple(subset_by_index) != (0, min(extents)):
        raise NotImplementedError(f"{primitive}: subset_by_index is not supported on this platform")


def _eigh(ctx, a, *, lower, subset_by_index=None, **_):
    _expect_all("eigh", subset_by_index, ctx.avals_in[0].shape[-1:])
    return _call(ctx, "eigh", [a], lower=lower)


def _svd(ctx, a, *, full_matrices, compute_uv, subset_by_index=None, **_):
    _expect_all("svd", subset_by_index, ctx.avals_in[0].shape[-2:])
    return _call(ctx, "svd", [a], full_matrices=full_matrices, compute_uv=compute_uv)


def _eig(ctx, a, *, compute_left_eigenvectors, compute_right_eigenvectors, **_):
    return _call(ctx, "eig", [a], compute_left=compute_left_eigenvectors, compute_right=compute_right_eigenvectors)


def _schur(ctx, a, *, compute_schur_vectors, sort_eig_vals=False, **_):
    if sort_eig_vals:
        raise NotImplementedError("schur: sort_eig_vals is not supported on this platform")
    return _call(ctx, "schur", [a], compute_vectors=compute_schur_vectors)


def _hessenberg(ctx, a):
    return _call(ctx, "hessenberg", [a])


def _tridiagonal(ctx, a, *, lower):
    return _call(ctx, "tridiagonal", [a], lower=lower)


def _lu(ctx, a):
    return _call(ctx, "lu", [a])


def _geqp3(ctx, a, order, **_):
    order_type = tensor_type(ctx.avals_in[1])
    types = [_wide_type(aval) for aval in ctx.avals_out]
    narrow = ir.RankedTensorType.get(order_type.shape, ir.IntegerType.get_signless(32))
    if order_type == narrow:
        return _call(ctx, "pivoted_qr", [a, order])
    order = hlo.convert(narrow, order)
    r, order, taus = _call(ctx, "pivoted_qr", [a, order], [types[0], narrow, types[2]])
    return [r, hlo.convert(order_type, order), taus]


def _ormqr(ctx, a, taus, c, *, left, transpose):
    return _call(ctx, "apply_reflections", [a, taus, c], left=left, transpose=transpose)


def _tridiagonal_solve(ctx, below, diagonal, above, b, *, perturb_singular=False, **_):
    return _call(ctx, "tridiagonal_solve", [below, diagonal, above, b], perturb_singular=perturb_singular)


# By the names of primitives, of which older versions of JAX lack some.
_RULES = {
    "eigh_p": _eigh,
    "svd_p": _svd,
    "eig_p": _eig,
    "schur_p": _schur,
    "hessenberg_p": _hessenberg,
    "tridiagonal_p": _tridiagonal,
    "lu_p": _lu,
    "geqp3_p": _geqp3,
    "ormqr_p": _ormqr,
    "tridiagonal_solve_p": _tridiagonal_solve,
}


_ROUTINES = ("eigh", "svd", "eig", "schur", "hessenberg", "tridiagonal", "lu", "pivoted_qr", "apply_reflections")
_ROUTINES += ("tridiagonal_solve",)


def register(platform: str) -> None:
    """Registers the rules for a platform that JAX knows already, and their calls as ones that jax.export may write."""
    stable = getattr(_export, "_CUSTOM_CALL_TARGETS_GUARANTEED_STABLE", None)
    if isinstance(stable, set):
        stable.update(f"partita.{name}" for name in _ROUTINES)
    for name, rule in _RULES.items():
        primitive = getattr(linalg, name, None)
        if primitive is not None:
            mlir.register_lowering(primitive, rule, platform=platform)

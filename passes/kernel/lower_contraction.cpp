// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// dot_general: through the GEMM library where operands are matrices in memory, else a generated
// kernel whose work-items each compute a tile of results in registers.
#include <algorithm>

#include "passes/kernel/contraction_shape.hpp"
#include "passes/kernel/kernel_body.hpp"

namespace partita::passes {
namespace {

using ir::I64s;
using ir::Node;
using ir::Value;
using kernel::ExprId;

/// Index of one operand from batch, free and contracted linear indices.
std::vector<ExprId> operand_index(kernel::ExprPool& pool, const Dims& dims, const I64s& batch,
                                  const I64s& free, const I64s& contracting, ExprId b, ExprId f,
                                  ExprId c) {
  std::vector<ExprId> index(dims.size());
  const auto spread = [&](const I64s& group, ExprId linear) {
    Dims extents;
    for (std::int64_t d : group) extents.push_back(dims[std::size_t(d)]);
    const auto parts = kernel::delinearize(pool, linear, extents);
    for (std::size_t i = 0; i < group.size(); ++i) index[std::size_t(group[i])] = parts[i];
  };
  spread(batch, b);
  spread(free, f);
  spread(contracting, c);
  return index;
}

/// Rows and columns of results that one work-item computes.
struct Tile {
  std::int64_t m = 4, n = 8;
};

Tile choose_tile(const ContractionShape& s) {
  Tile t;
  while (t.m > s.m) t.m /= 2;
  while (t.n > s.n) t.n /= 2;
  if (t.n == 1) t.m = std::min<std::int64_t>(s.m, 4);
  return t;
}

struct Matrix {
  Location at;
  bool is_transposed = false;
  std::int64_t leading = 0, batch_stride = 0;
};

}  // namespace

bool PlanBuilder::lower_library_gemm(Node& node, Location to) {
  if (!is_library_contraction(node, policy_)) return false;
  const ContractionShape s = contraction_shape(node);
  const auto matrix = [&](Value v, const I64s& batch, const I64s& rows, const I64s& columns,
                          std::int64_t row_count,
                          std::int64_t column_count) -> std::optional<Matrix> {
    const auto is_root = [&](Value x) { return locations_.contains(x) || slices_.contains(x); };
    const auto view = strided_view(
        v, is_root, [&](Value x) { return is_host(x); }, [&](Value x) { return host_value(x); });
    if (!view || (slices_.contains(view->root) && slices_.at(view->root).has_lanes))
      return std::nullopt;
    const Dims& dims = v.type().dims;
    const auto b = joint_stride(dims, view->strides, batch),
               r = joint_stride(dims, view->strides, rows),
               c = joint_stride(dims, view->strides, columns);
    if (!b || !r || !c) return std::nullopt;
    Matrix m;
    m.at = memory(view->root);
    m.at.offset = m.at.offset + view->offset;
    m.batch_stride = s.batch == 1 ? 0 : *b;
    // Row-major with leading dimension, or its transpose.
    const std::int64_t row_stride =
        row_count == 1 ? std::max<std::int64_t>(column_count * *c, 1) : *r;
    const std::int64_t column_stride =
        column_count == 1 ? (row_count == 1 ? 1 : (*r == 1 ? row_count : 1)) : *c;
    if (column_stride == 1 && row_stride >= column_count)
      m.leading = row_stride;
    else if (row_stride == 1 && column_stride >= row_count)
      m.is_transposed = true, m.leading = column_stride;
    else
      return std::nullopt;
    return m;
  };
  const auto a = matrix(node.operand(0), s.lhs_batch, s.lhs_free, s.lhs_contracting, s.m, s.k);
  const auto b = matrix(node.operand(1), s.rhs_batch, s.rhs_contracting, s.rhs_free, s.k, s.n);
  if (!a || !b) return false;
  Gemm g{.dtype = node.result_types()[0].dtype,
         .transpose_a = a->is_transposed,
         .transpose_b = b->is_transposed,
         .m = s.m,
         .n = s.n,
         .k = s.k,
         .a = {a->at.buffer, a->at.offset},
         .b = {b->at.buffer, b->at.offset},
         .c = {to.buffer, to.offset},
         .lda = a->leading,
         .ldb = b->leading,
         .ldc = s.n,
         .batch = s.batch,
         .stride_a = a->batch_stride,
         .stride_b = b->batch_stride,
         .stride_c = s.m * s.n};
  emit(std::move(g), cat("gemm_", s.batch, "x", s.m, "x", s.n, "x", s.k));
  ++draft_.counts["library_calls"];
  return true;
}

void PlanBuilder::lower_contraction(Node& node) {
  const Value v = node.result();
  const Location to = new_temporary(v.type(), step_name(node));
  const ContractionShape s = contraction_shape(node);
  const DType d = v.type().dtype, acc_dtype = d == DType::f16 || d == DType::bf16 ? DType::f32 : d;
  if (v.type().count() == 0 || lower_library_gemm(node, to)) {
    locations_[v] = to;
    return;
  }
  const Tile tile = choose_tile(s);
  const std::int64_t tiles_m = (s.m + tile.m - 1) / tile.m, tiles_n = (s.n + tile.n - 1) / tile.n;
  const std::int64_t items = s.batch * tiles_m * tiles_n;
  auto k = std::make_unique<Kernel>();
  k->stem = cat("dot_", s.batch, "x", s.m, "x", s.n, "x", s.k);
  k->pool.set_extent(0, items);
  KernelBody body(*this, *k);
  auto& pool = k->pool;
  const auto place = kernel::delinearize(pool, pool.variable(0), {s.batch, tiles_m, tiles_n});
  const std::int32_t kk = k->new_variable(s.k);
  // Rows and columns past the end read the last one again and are not stored.
  const auto coordinates = [&](ExprId t, std::int64_t size, std::int64_t extent) {
    std::vector<ExprId> c;
    for (std::int64_t i = 0; i < size; ++i) c.push_back(pool.add(pool.mul(t, size), i));
    if (extent % size == 0) return std::pair(c, c);
    std::vector<ExprId> safe;
    for (ExprId x : c) safe.push_back(pool.min(x, pool.index(extent - 1)));
    return std::pair(c, safe);
  };
  const auto [rows, safe_rows] = coordinates(place[1], tile.m, s.m);
  const auto [columns, safe_columns] = coordinates(place[2], tile.n, s.n);
  std::vector<std::int32_t> acc;
  for (std::int64_t i = 0; i < tile.m * tile.n; ++i) {
    acc.push_back(k->next_register++);
    k->body.push_back({.kind = Stmt::Kind::declare,
                       .slot = acc.back(),
                       .dtype = acc_dtype,
                       .value = pool.constant_of(acc_dtype, 0)});
  }
  std::vector<Stmt> inner;
  const auto operand = [&](std::size_t o, const I64s& batch, const I64s& free,
                           const I64s& contracting, ExprId f) {
    const Value x = node.operand(o);
    const auto index = operand_index(pool, x.type().dims, batch, free, contracting, place[0], f,
                                     pool.variable(kk));
    return pool.convert(body.element(x, index), acc_dtype);
  };
  std::vector<ExprId> a, b;
  for (ExprId r : safe_rows) a.push_back(operand(0, s.lhs_batch, s.lhs_free, s.lhs_contracting, r));
  for (ExprId c : safe_columns)
    b.push_back(operand(1, s.rhs_batch, s.rhs_free, s.rhs_contracting, c));
  for (std::int64_t i = 0; i < tile.m; ++i)
    for (std::int64_t j = 0; j < tile.n; ++j)
      inner.push_back({.kind = Stmt::Kind::multiply_add,
                       .slot = acc[std::size_t(i * tile.n + j)],
                       .dtype = acc_dtype,
                       .value = a[std::size_t(i)],
                       .other = b[std::size_t(j)]});
  if (s.k > 0)
    k->body.push_back(
        {.kind = Stmt::Kind::loop, .slot = kk, .value = pool.index(s.k), .body = std::move(inner)});
  const std::int32_t out = body.buffer(to, d, true);
  body.note_count(v.type().count());
  for (std::int64_t i = 0; i < tile.m; ++i)
    for (std::int64_t j = 0; j < tile.n; ++j) {
      const ExprId row = rows[std::size_t(i)], column = columns[std::size_t(j)];
      const ExprId linear = pool.add(pool.mul(pool.add(pool.mul(place[0], s.m), row), s.n), column);
      Stmt store{.kind = Stmt::Kind::store,
                 .slot = out,
                 .dtype = d,
                 .value = pool.convert(pool.reg(acc[std::size_t(i * tile.n + j)], acc_dtype), d),
                 .other = linear};
      ExprId inside = pool.boolean(true);
      if (s.m % tile.m != 0) inside = pool.logical_and(inside, pool.less(row, pool.index(s.m)));
      if (s.n % tile.n != 0) inside = pool.logical_and(inside, pool.less(column, pool.index(s.n)));
      if (inside == pool.boolean(true))
        k->body.push_back(std::move(store));
      else
        k->body.push_back({.kind = Stmt::Kind::when, .value = inside, .body = {std::move(store)}});
    }
  const std::string name = k->stem;
  launch(std::move(k), body, items, name);
  locations_[v] = to;
}

}  // namespace partita::passes

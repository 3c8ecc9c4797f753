// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// dot_general: through the GEMM library where operands are matrices in memory, else a generated
// kernel whose work-items each compute a tile of results in registers.  Either may do more to the
// result before it is stored (epilogues.hpp).
#include <algorithm>
#include <array>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/context/memory_views.hpp"
#include "lowering/ops/contraction/group_contraction.hpp"
#include "lowering/ops/contraction/tiled_contraction.hpp"
#include "lowering/values/strided_view.hpp"
#include "lowering/values/tile_sizes.hpp"
#include "lowering/values/tuning_model.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::I64s;
using ir::Node;
using ir::Value;
using scalar::ExprId;

/// Rows and columns of results that one work-item computes.
struct Tile {
  std::int64_t m = 4, n = 8;
};

Tile choose_tile(const ir::ContractionShape& s) {
  Tile t;
  while (t.m > s.m) t.m /= 2;
  while (t.n > s.n) t.n /= 2;
  if (t.n == 1) t.m = std::min<std::int64_t>(s.m, 4);
  return t;
}

/// Rows or columns of a tile: those past the end read the last one again and are not stored.
struct TileAxis {
  std::vector<ExprId> at, read;
  bool is_cut = false;
  std::int64_t extent;

  TileAxis(scalar::ExprPool& pool, ExprId tile, std::int64_t size, std::int64_t all) : extent(all) {
    for (std::int64_t i = 0; i < size; ++i) at.push_back(pool.add(pool.mul(tile, size), i));
    is_cut = extent % size != 0;
    read = at;
    if (is_cut)
      for (ExprId& x : read) x = pool.min(x, pool.index(extent - 1));
  }
};

/// Stores an element of a tile, after what follows the contraction.
void store_element(const Epilogue& epilogue, KernelBody& body, std::int32_t out, ExprId batch,
                   const std::array<const TileAxis*, 2>& axes, const std::array<std::size_t, 2>& at,
                   ExprId sum) {
  auto& pool = body.pool();
  const Value root = epilogue.root();
  const ExprId row = axes[0]->at[at[0]], column = axes[1]->at[at[1]];
  const auto index = root_index(pool, epilogue, batch, row, column);
  const Node& node = *epilogue.contraction;
  body.define(epilogue.contraction->result(), pool.convert(sum, node.result_types()[0].dtype));
  const ExprId value = body.element(root, index);
  ExprId inside = pool.boolean(true);
  if (axes[0]->is_cut)
    inside = pool.logical_and(inside, pool.less(row, pool.index(axes[0]->extent)));
  if (axes[1]->is_cut)
    inside = pool.logical_and(inside, pool.less(column, pool.index(axes[1]->extent)));
  body.guard_if_needed(
      inside, [&] { body.store(out, scalar::linear_index(pool, index, root.type().dims), value); });
}

/// Tiles of single elements: any dtype and any operands.
std::int64_t scalar_tiles(const Epilogue& epilogue, Location to, KernelBody& body) {
  Node& node = *epilogue.contraction;
  const Value root = epilogue.root();
  const ir::ContractionShape s = contraction_shape(node);
  const DType d = node.result_types()[0].dtype, acc_dtype = accumulator_dtype(d);
  const Tile tile = choose_tile(s);
  const std::int64_t tiles_m = (s.m + tile.m - 1) / tile.m, tiles_n = (s.n + tile.n - 1) / tile.n;
  const std::int64_t items = s.batch * tiles_m * tiles_n;
  auto& pool = body.pool();
  body.set_items(items);
  const auto place = scalar::delinearize(pool, body.item(), {s.batch, tiles_m, tiles_n});
  const TileAxis rows(pool, place[1], tile.m, s.m), columns(pool, place[2], tile.n, s.n);
  std::vector<Register> acc;
  for (std::int64_t i = 0; i < tile.m * tile.n; ++i)
    acc.push_back(body.declare(acc_dtype, pool.constant_of(acc_dtype, 0)));
  const OperandIndex lhs{node.operand(0).type().dims, s.lhs_batch, s.lhs_free, s.lhs_contracting},
      rhs{node.operand(1).type().dims, s.rhs_batch, s.rhs_free, s.rhs_contracting};
  const auto add_products = [&](ExprId k) {
    const auto operand = [&](std::size_t o, const OperandIndex& index, ExprId f) {
      return pool.convert(body.element(node.operand(o), index.at(pool, place[0], f, k)), acc_dtype);
    };
    std::vector<ExprId> a, b;
    for (ExprId r : rows.read) a.push_back(operand(0, lhs, r));
    for (ExprId c : columns.read) b.push_back(operand(1, rhs, c));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        body.multiply_add(acc[i * b.size() + j], a[i], b[j]);
  };
  if (s.k > 0) body.loop(s.k, add_products);
  const std::int32_t out = body.buffer(to, root.type().dtype, true);
  body.note_count(root.type().count());
  for (std::size_t i = 0; i < rows.at.size(); ++i)
    for (std::size_t j = 0; j < columns.at.size(); ++j)
      store_element(epilogue, body, out, place[0], {&rows, &columns}, {i, j},
                    body.value(acc[i * std::size_t(tile.n) + j]));
  return items;
}

struct Matrix {
  Location at;
  MatrixLayout layout;
};

/// An operand as the library reads it, in memory; nothing where it cannot.
std::optional<Matrix> library_matrix(Context& context, Node& node, bool is_lhs) {
  const auto view = view_in_memory(context, context.analysis().library_operand(node, is_lhs));
  if (!view) return std::nullopt;
  const auto layout = matrix_layout(node, is_lhs, view->strides);
  if (!layout) return std::nullopt;
  const BufferRef at = place_of(context, *view);
  return Matrix{.at = {at.buffer, at.offset}, .layout = *layout};
}

/// Whether the right operand is a constant that the library had better lay out once: what it multiplies then is a
/// convolution with windows of one element.
bool takes_constant_weights(const Context& context, const Node& node, const Accumulation& sum,
                            const Matrix& a, const Matrix& b) {
  constexpr std::int64_t fewest_features = 16;
  const ir::ContractionShape s = contraction_shape(node);
  const bool is_plain = sum.addend.node == nullptr && sum.alpha == 1 && !sum.swaps &&
                        s.batch == 1 && !a.layout.is_transposed && a.layout.leading == s.k;
  const bool is_constant =
      context.plan().buffers[std::size_t(b.at.buffer)].kind == BufferKind::constant &&
      b.at.offset.is_constant();
  return context.policy().target.library_convolves && is_plain && is_constant &&
         node.result_types()[0].dtype == DType::f32 && !context.analysis().reads_bf16(node) &&
         s.m >= fewest_rows_by_constant && s.n >= fewest_features && s.k >= fewest_features;
}

Convolve product_by_constant(const ir::ContractionShape& s, const Matrix& a, const Matrix& b,
                             const Location& to) {
  const std::int64_t row = b.layout.leading;
  return {
      .inputs = s.k,
      .outputs = s.n,
      .window = {{.input = s.m}},
      .source = {a.at.buffer, a.at.offset},
      .weights = {b.at.buffer, b.at.offset},
      .result = {to.buffer, to.offset},
      .weight_strides = {1, b.layout.is_transposed ? 1 : row, b.layout.is_transposed ? row : 1}};
}

}  // namespace

static bool lower_library_gemm(Context& context, const Epilogue& epilogue, Location to) {
  Node& node = *epilogue.contraction;
  const auto sum = accumulation(epilogue);
  if (!sum || !is_library_contraction(node, context.policy())) return false;
  const ir::ContractionShape s = contraction_shape(node);
  const auto a = library_matrix(context, node, true), b = library_matrix(context, node, false);
  if (!a || !b) return false;
  if (sum->addend.node != nullptr) {
    if (context.is_placed(sum->addend))
      context.emit_copy(context.place_of(sum->addend), to, sum->addend.type(), "copy to add to");
    else
      lower_loops(context, sum->addend, to);
  }
  const std::string name = cat("gemm_", s.batch, "x", s.m, "x", s.n, "x", s.k);
  context.explain(name, explain_library(node, context.policy()));
  context.count("library_calls");
  if (takes_constant_weights(context, node, *sum, *a, *b)) {
    context.emit(product_by_constant(s, *a, *b, to), name);
    return true;
  }
  Gemm g{.dtype = node.result_types()[0].dtype,
         .reads_bf16 = context.analysis().reads_bf16(node),
         .transpose_a = a->layout.is_transposed,
         .transpose_b = b->layout.is_transposed,
         .m = s.m,
         .n = s.n,
         .k = s.k,
         .alpha = sum->alpha,
         .beta = sum->beta,
         .a = {a->at.buffer, a->at.offset},
         .b = {b->at.buffer, b->at.offset},
         .c = {to.buffer, to.offset},
         .lda = a->layout.leading,
         .ldb = b->layout.leading,
         .ldc = s.n,
         .batch = s.batch,
         .stride_a = a->layout.batch_stride,
         .stride_b = b->layout.batch_stride,
         .stride_c = s.m * s.n};
  if (sum->swaps) {  // (A B)^T = B^T A^T
    std::swap(g.m, g.n);
    std::swap(g.a, g.b);
    std::swap(g.lda, g.ldb);
    std::swap(g.stride_a, g.stride_b);
    g.transpose_a = !b->layout.is_transposed;
    g.transpose_b = !a->layout.is_transposed;
    g.ldc = g.n;
  }
  context.emit(std::move(g), name);
  return true;
}

/// A product of every second element of an image, say, is a convolution with windows of one element.
static bool lower_strided_product(Context& context, const Epilogue& epilogue, Location to) {
  const Node& node = *epilogue.contraction;
  const Node* slice = epilogue.chain.empty() ? strided_image(node, context.policy()) : nullptr;
  if (slice == nullptr) return false;
  const auto image = view_in_memory(context, slice->operand(0)),
             weights = view_in_memory(context, node.operand(1));
  const Dims& whole = slice->operand(0).type().dims;
  if (!image || !weights || !is_dense(whole, image->strides)) return false;
  const ir::ContractionShape s = contraction_shape(node);
  Convolve step{.batch = whole.front(),
                .inputs = s.k,
                .outputs = s.n,
                .window = {},
                .source = place_of(context, *image),
                .weights = place_of(context, *weights),
                .result = {to.buffer, to.offset},
                .weight_strides = {}};
  for (std::size_t d = 1; d + 1 < whole.size(); ++d) {
    step.window.push_back({.input = whole[d], .stride = slice->attrs.i64s("strides")[d]});
    step.weight_strides.push_back(1);
  }
  const auto sums = std::size_t(s.rhs_contracting.front());
  step.weight_strides.push_back(weights->strides[sums]);
  step.weight_strides.push_back(weights->strides[1 - sums]);
  const std::string name = cat("gemm_", s.batch, "x", s.m, "x", s.n, "x", s.k);
  context.explain(name, explain_library(node, context.policy()));
  context.emit(std::move(step), name);
  context.count("library_calls");
  return true;
}

static void lower_epilogue(Context& context, const Epilogue& epilogue, Location to);

static void lower_contraction(Context& context, Node& node) {
  const Value v = node.result();
  if (!context.analysis().is_materialised(v)) return;  // comes with its epilogue's root
  const Location to = context.new_temporary(v.type(), step_name(node));
  lower_epilogue(context, {.contraction = &node, .chain = {}}, to);
  context.place(v, to);
}

static std::optional<PackedOperand> pack_operand(Context& context, const ContractionWork& work) {
  const Node& node = *work.epilogue.contraction;
  const ir::ContractionShape s = contraction_shape(node);
  if (double(s.batch) * double(s.m) * double(s.n) * double(s.k) <
      double(context.policy().target.packing_threshold))
    return std::nullopt;
  KernelBody probe(context, "probe");
  const auto is_lhs = operand_to_pack(work, probe);
  if (!is_lhs) return std::nullopt;
  const Value v = node.operand(*is_lhs ? 0 : 1);
  const OperandIndex index =
      *is_lhs ? OperandIndex{v.type().dims, s.lhs_batch, s.lhs_free, s.lhs_contracting}
              : OperandIndex{v.type().dims, s.rhs_batch, s.rhs_free, s.rhs_contracting};
  const std::int64_t columns = *is_lhs ? s.m : s.n, width = tile_size(columns, 16);
  const std::int64_t tiles = (columns + width - 1) / width, items = s.batch * tiles;
  const Type type{.dtype = v.type().dtype, .dims = {s.batch, s.k, columns}};
  const Location at = context.new_temporary(type, "packed");
  const std::string stem = cat("pack_", s.batch, "x", s.k, "x", columns);
  // An item moves some columns, whose rows lie side by side where it reads them.
  KernelBody body(context, stem, items);
  auto& pool = body.pool();
  const auto place = scalar::delinearize(pool, body.item(), {s.batch, tiles});
  const LoopVariable rows{body.new_variable(s.k), pool.index(s.k)},
      of_tile{body.new_variable(width), pool.index(width)};
  const ExprId in_tile = pool.variable(of_tile.slot);
  // The last item begins earlier and moves some columns again.
  ExprId first = pool.mul(place[1], width);
  if (columns % width != 0) first = pool.min(first, pool.index(columns - width));
  const ExprId column = pool.add(first, in_tile), row = pool.variable(rows.slot);
  body.nest(std::array{rows, of_tile}, [&] {
    const ExprId element = body.element(v, index.at(pool, place[0], column, row));
    body.store_to(at, type.dtype,
                  scalar::linear_index(pool, std::vector{place[0], row, column}, type.dims),
                  element);
  });
  body.note_count(type.count());
  context.launch(body, items, true);
  return PackedOperand{*is_lhs, at};
}

static void lower_epilogue(Context& context, const Epilogue& epilogue, Location to) {
  if (epilogue.root().type().count() == 0 || lower_library_gemm(context, epilogue, to) ||
      lower_strided_product(context, epilogue, to))
    return;
  const ir::ContractionShape s = contraction_shape(*epilogue.contraction);
  std::string stem = cat("dot_", s.batch, "x", s.m, "x", s.n, "x", s.k);
  if (!epilogue.chain.empty()) {
    const std::string_view last = epilogue.chain.back()->name();
    stem += cat("_", last.substr(last.find('.') + 1));
  }
  if (context.policy().target.device_class == DeviceClass::simt && s.k > 0 &&
      epilogue.contraction->result_types()[0].dtype != DType::i1)
    return lower_group_contraction(context, epilogue, to, stem);
  ContractionWork work{epilogue, to, tiles_of(*epilogue.contraction, context.policy()),
                       std::nullopt};
  work.packed = pack_operand(context, work);
  KernelBody tiles(context, stem);
  if (const auto items = tile_contraction(work, tiles)) {
    context.explain(stem, explain_tiles(*epilogue.contraction, context.policy()));
    return context.launch(tiles, *items, true);
  }
  context.explain(stem, "generated: single elements");
  KernelBody elements(context, stem);
  const std::int64_t items = scalar_tiles(epilogue, to, elements);
  context.launch(elements, items);
}

void register_contraction_lowering(Lowerings& all) {
  all.add(ir::KernelShape::contraction, lower_contraction);
  all.add_epilogue(lower_epilogue);
}

}  // namespace partita::lowering

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <complex>

#include "ir/axes/batching.hpp"
#include "ops/support/arranged.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir::ops {
namespace {

/// Dimensions of each side by role, in the order of the result and of the contraction.
struct DotDims {
  const I64s &lhs_batch, &rhs_batch, &lhs_contract, &rhs_contract;
  I64s lhs_free, rhs_free;
  DotDims(const Dict& attrs, std::int64_t lhs_rank, std::int64_t rhs_rank)
      : lhs_batch(attrs.i64s("lhs_batching_dimensions")),
        rhs_batch(attrs.i64s("rhs_batching_dimensions")),
        lhs_contract(attrs.i64s("lhs_contracting_dimensions")),
        rhs_contract(attrs.i64s("rhs_contracting_dimensions")),
        lhs_free(other_dims(lhs_rank, lhs_batch, lhs_contract)),
        rhs_free(other_dims(rhs_rank, rhs_batch, rhs_contract)) {}
};

void expect_side(const InferContext& c, const std::string& side, const I64s& batch,
                 const I64s& contract, std::int64_t rank) {
  const std::string batching = side + "_batching_dimensions",
                    contracting = side + "_contracting_dimensions";
  expect_dimensions(c, batching, batch, rank);        // (C5), (C7)
  expect_dimensions(c, contracting, contract, rank);  // (C6), (C8)
  I64s both = batch;
  both.insert(both.end(), contract.begin(), contract.end());
  expect_unique(c, batching + " and " + contracting, both);  // (C3), (C4)
}

DType result_dtype(const InferContext& c) {
  const DType lhs = c.operands[0].dtype, rhs = c.operands[1].dtype;
  if (c.declared_results.empty()) {
    c.expect(lhs == rhs, cat("operands of one element type, or a declared result"),
             cat(to_string(lhs), " and ", to_string(rhs)));
    return lhs;
  }
  const DType result = c.declared_results[0].dtype;
  const auto group = [](DType d) { return is_complex(d) ? 2 : is_float(d) ? 1 : 0; };
  c.expect(group(lhs) <= group(result) && group(rhs) <= group(result),
           cat("a result that can hold products of ", to_string(lhs), " and ", to_string(rhs)),
           cat(to_string(result)));
  return result;
}

/// Counts of the algorithm, which is kept as written, are positive; products are at least as precise
/// as any algorithm asks for.
void expect_algorithm(const InferContext& c) {
  const Attribute* precision = c.attrs.find("precision_config");
  const auto* list = precision ? precision->get_if<List>() : nullptr;
  const Attribute* algorithm = c.attrs.find("algorithm");
  const auto* raw = algorithm ? algorithm->get_if<RawAttr>() : nullptr;
  if (!raw) return;
  for (const Attribute& item : list ? list->items : std::vector<Attribute>{})
    c.expect(item.get_if<EnumAttr>()->value == "DEFAULT", "precision DEFAULT beside an algorithm",
             "another");  // (C21)
  for (const std::string_view name :
       {"lhs_component_count", "rhs_component_count", "num_primitive_operations"}) {
    const std::size_t at = raw->text.find(cat(name, " = "));
    const std::string value =
        at == std::string::npos ? "none" : raw->text.substr(at + name.size() + 3, 10);
    c.expect(value[0] >= '1' && value[0] <= '9', cat("a positive ", name, " of the algorithm"),
             value.substr(0, value.find_first_of(",> ")));  // (C22), (C23), (C24)
  }
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 2);
  expect_precisions(c);  // (C11)
  expect_algorithm(c);
  const Type &lhs = c.operands[0], &rhs = c.operands[1];
  const DotDims dims(c.attrs, lhs.rank(), rhs.rank());
  c.expect(dims.lhs_batch.size() == dims.rhs_batch.size(),
           "as many batching dimensions on both sides",
           cat(to_text(dims.lhs_batch), " and ", to_text(dims.rhs_batch)));  // (C1)
  c.expect(dims.lhs_contract.size() == dims.rhs_contract.size(),
           "as many contracting dimensions on both sides",
           cat(to_text(dims.lhs_contract), " and ", to_text(dims.rhs_contract)));  // (C2)
  expect_side(c, "lhs", dims.lhs_batch, dims.lhs_contract, lhs.rank());
  expect_side(c, "rhs", dims.rhs_batch, dims.rhs_contract, rhs.rank());
  const auto expect_equal = [&](const I64s& a, const I64s& b, const char* what) {
    for (std::size_t k = 0; k < a.size(); ++k)
      c.expect(lhs.dims[std::size_t(a[k])] == rhs.dims[std::size_t(b[k])],
               cat("equal extents of ", what, " dimensions ", a[k], " and ", b[k]),
               cat(to_string(lhs), " and ", to_string(rhs)));
  };
  expect_equal(dims.lhs_batch, dims.rhs_batch, "batching");           // (C9)
  expect_equal(dims.lhs_contract, dims.rhs_contract, "contracting");  // (C10)
  Type result{.dtype = result_dtype(c), .dims = {}};
  for (const std::int64_t d : dims.lhs_batch)
    result.dims.push_back(lhs.dims[std::size_t(d)]);  // (C12)
  for (const std::int64_t d : dims.lhs_free) result.dims.push_back(lhs.dims[std::size_t(d)]);
  for (const std::int64_t d : dims.rhs_free) result.dims.push_back(rhs.dims[std::size_t(d)]);
  return {result};
}

/// Of f32 a few terms are summed in f32, as they are written; all else in a wider type.
template <DType d, bool is_short>
auto accumulator() {
  if constexpr (is_short && d == DType::c64)
    return std::complex<float>();
  else if constexpr (is_short && d == DType::f32)
    return float();
  else if constexpr (is_complex(d))
    return std::complex<double>();
  else if constexpr (is_float(d))
    return double();
  else
    return std::uint64_t();  // wraps; a boolean is whether it is not zero
}

/// c[m, n] += Σ a[m, k] b[k, n], in blocks of k that keep rows of b in cache.
template <class Acc>
void multiply(const Acc* a, const Acc* b, Acc* c, std::size_t rows, std::size_t inner,
              std::size_t columns) {
  constexpr std::size_t block = 64;
  for (std::size_t first = 0; first < inner; first += block) {
    const std::size_t last = std::min(inner, first + block);
    for (std::size_t i = 0; i < rows; ++i) {
      Acc* row = c + i * columns;
      for (std::size_t k = first; k < last; ++k) {
        const Acc x = a[i * inner + k];
        const Acc* other = b + k * columns;
        for (std::size_t j = 0; j < columns; ++j) row[j] += product_of(x, other[j]);
      }
    }
  }
}

std::size_t extent_of(const Type& type, const I64s& dims) {
  std::size_t n = 1;
  for (const std::int64_t d : dims) n *= std::size_t(type.dims[std::size_t(d)]);
  return n;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const HostArray &lhs = *c.operands[0], &rhs = *c.operands[1];
  const DotDims dims(c.node.attrs, lhs.type.rank(), rhs.type.rank());
  const std::size_t batches = extent_of(lhs.type, dims.lhs_batch),
                    rows = extent_of(lhs.type, dims.lhs_free),
                    inner = extent_of(lhs.type, dims.lhs_contract),
                    columns = extent_of(rhs.type, dims.rhs_free);
  HostArray result(c.result_type());
  const auto multiply_all = [&](auto d, auto is_short) {
    using Acc = decltype(accumulator<d, is_short>());
    const std::vector<Acc> a =
        arranged<Acc>(lhs, {&dims.lhs_batch, &dims.lhs_free, &dims.lhs_contract});
    const std::vector<Acc> b =
        arranged<Acc>(rhs, {&dims.rhs_batch, &dims.rhs_contract, &dims.rhs_free});
    std::vector<Acc> sums(batches * rows * columns);
    for (std::size_t k = 0; k < batches; ++k)
      multiply(a.data() + k * rows * inner, b.data() + k * inner * columns,
               sums.data() + k * rows * columns, rows, inner, columns);
    auto* out = result.data<d>();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if constexpr (d == DType::i1)
        store<d>(sums[i] != 0, out, i);
      else if constexpr (is_float(d))
        store<d>(round_to<d>(sums[i]), out, i);
      else
        store<d>(ValueType<d>(sums[i]), out, i);
    }
  };
  visit(result.type.dtype, [&](auto d) {
    if (std::int64_t(inner) <= few_terms)
      multiply_all(d, std::true_type{});
    else
      multiply_all(d, std::false_type{});
  });
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Type &lhs = node.operand(0).type(), &rhs = node.operand(1).type();
  const DotDims dims(node.attrs, lhs.rank(), rhs.rank());
  std::size_t at = 0;
  for (std::size_t k = 0; k < dims.lhs_batch.size(); ++k) {
    const int f = rule.add_factor(lhs.dims[std::size_t(dims.lhs_batch[k])]);
    rule.operands[0][std::size_t(dims.lhs_batch[k])] =
        rule.operands[1][std::size_t(dims.rhs_batch[k])] = rule.results[0][at++] = {f};
  }
  for (const std::int64_t d : dims.lhs_free)
    rule.operands[0][std::size_t(d)] =
        rule.results[0][at++] = {rule.add_factor(lhs.dims[std::size_t(d)])};
  for (const std::int64_t d : dims.rhs_free)
    rule.operands[1][std::size_t(d)] =
        rule.results[0][at++] = {rule.add_factor(rhs.dims[std::size_t(d)])};
  for (std::size_t k = 0; k < dims.lhs_contract.size(); ++k) {
    const int f = rule.add_factor(
        lhs.dims[std::size_t(dims.lhs_contract[k])], FactorKind::reduced,
        node.result_types()[0].dtype == DType::i1 ? Combiner::logical_or : Combiner::sum);
    rule.operands[0][std::size_t(dims.lhs_contract[k])] =
        rule.operands[1][std::size_t(dims.rhs_contract[k])] = {f};
  }
  return rule;
}

/// Cotangent of one side: the result's with the other side, over the other side's free dimensions.
Value side_vjp(const DerivativeContext& c, Value cotangent, bool of_lhs) {
  const Value lhs = c.node.operand(0), rhs = c.node.operand(1), own = of_lhs ? lhs : rhs,
              other = of_lhs ? rhs : lhs;
  const DotDims d(c.node.attrs, lhs.type().rank(), rhs.type().rank());
  const I64s &own_batch = of_lhs ? d.lhs_batch : d.rhs_batch,
             &own_free = of_lhs ? d.lhs_free : d.rhs_free,
             &own_contract = of_lhs ? d.lhs_contract : d.rhs_contract,
             &other_batch = of_lhs ? d.rhs_batch : d.lhs_batch,
             &other_free = of_lhs ? d.rhs_free : d.lhs_free,
             &other_contract = of_lhs ? d.rhs_contract : d.lhs_contract;
  const std::size_t batches = own_batch.size();
  const auto counted = [](std::size_t first, std::size_t count) {
    I64s list;
    for (std::size_t k = 0; k < count; ++k) list.push_back(std::int64_t(first + k));
    return list;
  };
  Dict attrs = c.node.attrs;
  attrs.set("lhs_batching_dimensions", counted(0, batches));
  attrs.set("rhs_batching_dimensions", other_batch);
  attrs.set("lhs_contracting_dimensions",
            counted(of_lhs ? batches + d.lhs_free.size() : batches, other_free.size()));
  attrs.set("rhs_contracting_dimensions", other_free);
  // The product has batches, own free dimensions, then the other side's contracted ones in order.
  I64s sorted = other_contract;
  std::sort(sorted.begin(), sorted.end());
  I64s order(own.type().dims.size());
  Type type{.dtype = cotangent.type().dtype, .dims = {}};
  for (std::size_t k = 0; k < batches; ++k) order[std::size_t(own_batch[k])] = std::int64_t(k);
  for (std::size_t k = 0; k < own_free.size(); ++k)
    order[std::size_t(own_free[k])] = std::int64_t(batches + k);
  for (std::size_t k = 0; k < own_contract.size(); ++k)
    order[std::size_t(own_contract[k])] =
        std::int64_t(batches + own_free.size()) +
        (std::find(sorted.begin(), sorted.end(), other_contract[k]) - sorted.begin());
  for (const std::int64_t k : own_batch) type.dims.push_back(own.type().dims[std::size_t(k)]);
  for (const std::int64_t k : own_free) type.dims.push_back(own.type().dims[std::size_t(k)]);
  for (const std::int64_t k : sorted) type.dims.push_back(other.type().dims[std::size_t(k)]);
  const Value product =
      c.transpose(c.op("stablehlo.dot_general", {cotangent, other}, attrs, type), order);
  return c.convert(product, own.type().dtype);
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  return {c.wanted(0) ? side_vjp(c, cotangents[0], true) : Value{},
          c.wanted(1) ? side_vjp(c, cotangents[0], false) : Value{}};
}

void batch(const BatchJob& job) {
  const DimEdit leading{0, job.context.size};
  const bool lhs = job.is_batched(0), rhs = job.is_batched(1);
  Dict attrs = attrs_with_inserted(
      job.node,
      {lhs ? std::optional(leading) : std::nullopt, rhs ? std::optional(leading) : std::nullopt},
      {});
  const Type& type = job.node.result_types()[0];
  const auto batches = std::int64_t(job.node.attrs.i64s("lhs_batching_dimensions").size());
  std::int64_t position = 0;  // of the new dimension in the result
  if (lhs && rhs) {
    for (const char* name : {"lhs_batching_dimensions", "rhs_batching_dimensions"}) {
      I64s dims = attrs.i64s(name);
      dims.insert(dims.begin(), 0);
      attrs.set(name, dims);
    }
  } else {
    const auto contracted = std::int64_t(job.node.attrs.i64s("lhs_contracting_dimensions").size());
    position = lhs ? batches : job.node.operand(0).type().rank() - contracted;
  }
  Node* made =
      remake(job.node, job.context.into, {job.plain(0), job.plain(1)}, std::move(attrs),
             {with_dim_inserted(type, int(position), job.context.size)}, job.context.before);
  if (position == 0) return job.set_all(made);
  job.set(0, job.maker().op("stablehlo.transpose", {made->result()},
                            {{"permutation", moved_dim(type.rank() + 1, position, 0)}}));
}

}  // namespace

void register_dot_general(OpRegistry& registry) {
  const auto field = [](const char* name, int operand) {
    return field_of(dims_attr(name, {dim_index(DimRole::Side::operand, operand)}),
                    "dot_dimension_numbers", "stablehlo.dot");
  };
  AttrSpec precision, algorithm;
  precision.name = "precision_config";
  precision.required = false;
  algorithm.name = "algorithm";
  algorithm.required = false;
  OpDef op;
  op.name = "stablehlo.dot_general";
  op.doc =
      "Sums of products over contracting dimensions, for each index of batching dimensions. "
      "Precision "
      "attributes are kept; products are summed in the result's type or a wider one. Where the "
      "algorithm has operands of tf32, matrix units of GPUs round them to it.";
  op.attrs = {field("lhs_batching_dimensions", 0),
              field("rhs_batching_dimensions", 1),
              field("lhs_contracting_dimensions", 0),
              field("rhs_contracting_dimensions", 1),
              precision,
              algorithm};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in_each({0, 1}, vjp);
  op.shape = KernelShape::contraction;
  op.factors = factors;
  op.batch = batch;
  op.samples = {
      R"(func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<2x3x4xf32>, %d: tensor<4x2x5xf32>, %v: tensor<4xf32>, %e: tensor<3x0xf32>, %f: tensor<0x2xf32>) -> (tensor<3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3xf32>, tensor<f32>, tensor<3x2xf32>, tensor<3x4x4x5xf32>, tensor<3x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.dot_general %c, %d, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x2x5xf32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.dot_general %c, %b, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %3 = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %4 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %5 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  %6 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
  %7 = stablehlo.dot_general %c, %d, contracting_dims = [0, 2] x [1, 0] : (tensor<2x3x4xf32>, tensor<4x2x5xf32>) -> tensor<3x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3xf32>, tensor<f32>, tensor<3x2xf32>, tensor<3x4x4x5xf32>, tensor<3x5xf32>
})",
      R"(func.func @main(%a: tensor<3x4xcomplex<f32>>, %b: tensor<4x5xcomplex<f32>>, %c: tensor<2x3xcomplex<f64>>, %d: tensor<2x3xcomplex<f64>>) -> (tensor<3x5xcomplex<f32>>, tensor<2x2xcomplex<f64>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xcomplex<f32>>, tensor<4x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [1] : (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
  return %0, %1 : tensor<3x5xcomplex<f32>>, tensor<2x2xcomplex<f64>>
})",
      R"(func.func @main(%a: tensor<3x4xbf16>, %b: tensor<4x5xbf16>, %c: tensor<3x4xi8>, %d: tensor<4x2xi8>, %e: tensor<2x3x4xf64>, %f: tensor<2x3x4xf64>) -> (tensor<3x5xf32>, tensor<3x2xi32>, tensor<2x3xf64>, tensor<2x4x4xf64>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi32>
  %2 = stablehlo.dot_general %e, %f, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x3x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3xf64>
  %3 = stablehlo.dot_general %e, %f, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4xf64>, tensor<2x3x4xf64>) -> tensor<2x4x4xf64>
  return %0, %1, %2, %3 : tensor<3x5xf32>, tensor<3x2xi32>, tensor<2x3xf64>, tensor<2x4x4xf64>
})",
      R"(func.func @main(%w: tensor<3x5x20xf32>, %x: tensor<7x5xf32>, %y: tensor<3x7x20xf32>) -> (tensor<3x7x20xf32>, tensor<3x7x20xf32>) {
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [1] : (tensor<3x5x20xf32>, tensor<7x5xf32>) -> tensor<3x20x7xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x20x7xf32>) -> tensor<3x7x20xf32>
  %2 = stablehlo.multiply %1, %y : tensor<3x7x20xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<7x5xf32>, tensor<3x5x20xf32>) -> tensor<7x3x20xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<7x3x20xf32>) -> tensor<3x7x20xf32>
  %5 = stablehlo.add %4, %y : tensor<3x7x20xf32>
  return %2, %5 : tensor<3x7x20xf32>, tensor<3x7x20xf32>
})",
      R"(func.func @main(%a: tensor<7x5xf32>, %b: tensor<5x37xf32>, %m: tensor<7x37xi1>, %n: tensor<37xi1>, %one: tensor<i1>, %c: tensor<7x37xf32>, %k: tensor<7x37xf32>, %d: tensor<7x5xf64>, %e: tensor<5x19xf64>, %o: tensor<7x19xi1>) -> (tensor<7x37xf32>, tensor<7x19xf64>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<7x5xf32>, tensor<5x37xf32>) -> tensor<7x37xf32>
  %1 = stablehlo.broadcast_in_dim %n, dims = [1] : (tensor<37xi1>) -> tensor<7x37xi1>
  %2 = stablehlo.not %1 : tensor<7x37xi1>
  %3 = stablehlo.compare GT, %c, %k : (tensor<7x37xf32>, tensor<7x37xf32>) -> tensor<7x37xi1>
  %4 = stablehlo.or %2, %3 : tensor<7x37xi1>
  %5 = stablehlo.and %m, %4 : tensor<7x37xi1>
  %6 = stablehlo.select %5, %0, %c : tensor<7x37xi1>, tensor<7x37xf32>
  %7 = stablehlo.select %one, %6, %k : tensor<i1>, tensor<7x37xf32>
  %8 = stablehlo.dot_general %d, %e, contracting_dims = [1] x [0] : (tensor<7x5xf64>, tensor<5x19xf64>) -> tensor<7x19xf64>
  %9 = stablehlo.constant dense<-1.0> : tensor<7x19xf64>
  %10 = stablehlo.select %o, %8, %9 : tensor<7x19xi1>, tensor<7x19xf64>
  return %7, %10 : tensor<7x37xf32>, tensor<7x19xf64>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <complex>

#include "ops/support/derivative_support.hpp"
#include "partita/ir/fourier.hpp"

namespace partita::ir::ops {
namespace {

DType complex_of(DType d) { return d == DType::f32 ? DType::c64 : DType::c128; }
DType real_of(DType d) { return d == DType::c64 ? DType::f32 : DType::f64; }
std::int64_t half_of(std::int64_t n) { return n == 0 ? 0 : n / 2 + 1; }

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  const Type& operand = c.operands[0];
  const std::string& type = c.attrs.text("fft_type");
  const I64s& length = c.attrs.i64s("fft_length");
  const auto transformed = std::int64_t(length.size());
  c.expect(transformed >= 1 && transformed <= 3, "fft_length with 1 to 3 entries",
           to_text(length));  // (C3)
  c.expect(transformed <= operand.rank(), cat("an operand of rank ", transformed, " or more"),
           to_string(operand));  // (C1)
  const bool of_real = type == "RFFT";
  c.expect(of_real ? operand.dtype == DType::f32 || operand.dtype == DType::f64
                   : is_complex(operand.dtype),
           cat("an operand of ", of_real ? "f32 or f64" : "complex numbers", " for ", type),
           to_string(operand));  // (C2)
  Type result = operand;
  if (of_real) result.dtype = complex_of(operand.dtype);
  if (type == "IRFFT") result.dtype = real_of(operand.dtype);
  Dims wanted = operand.dims;
  std::copy(length.begin(), length.end(), wanted.end() - transformed);
  for (const std::int64_t n : length)
    c.expect(n >= 0, "fft_length of no negative entries", to_text(length));
  result.dims = wanted;
  if (of_real) result.dims.back() = half_of(length.back());
  if (type == "IRFFT") wanted.back() = half_of(length.back());
  c.expect(wanted == operand.dims,
           cat("an operand ", to_string(Type{.dtype = operand.dtype, .dims = wanted}), " for ",
               type, " of length ", to_text(length)),
           to_string(operand));  // (C4), (C5)
  return {result};
}

/// Transforms along one dimension in place.
void transform_along(HostArray& array, std::size_t d, bool inverse) {
  const std::int64_t n = array.type.dims[d], step = row_major_strides(array.type.dims)[d];
  Dims starts = array.type.dims;
  if (array.type.count() == 0) return;
  starts[d] = 1;
  auto* data = array.data<DType::c128>();
  const Dims strides = row_major_strides(array.type.dims);
  for_each_index(starts, [&](std::span<const std::int64_t> index) {
    const std::int64_t at = offset_of(index, strides);
    ComplexLine line;
    for (std::int64_t k = 0; k < n; ++k) line.push_back(data[at + k * step]);
    line = fourier_transform(line, inverse ? 1 : -1);
    for (std::int64_t k = 0; k < n; ++k)
      data[at + k * step] = inverse ? line[std::size_t(k)] / double(n) : line[std::size_t(k)];
  });
}

/// The first `kept` along the last dimension; beyond what there is, the conjugate of n - k.
HostArray with_last(const HostArray& array, std::int64_t kept, std::int64_t n) {
  Type type = array.type;
  const std::int64_t have = type.dims.back();
  type.dims.back() = kept;
  HostArray out(type);
  const auto* from = array.data<DType::c128>();
  auto* to = out.data<DType::c128>();
  for (std::int64_t i = 0; i < type.count(); ++i) {
    const std::int64_t row = i / kept * have, k = i % kept;
    to[i] = k < have ? from[row + k] : std::conj(from[row + n - k]);
  }
  return out;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const std::string& type = c.node.attrs.text("fft_type");
  const std::size_t rank = c.operands[0]->type.dims.size(),
                    count = c.node.attrs.i64s("fft_length").size();
  const std::int64_t n = c.node.attrs.i64s("fft_length").back();
  const bool inverse = type == "IFFT" || type == "IRFFT";
  HostArray array = convert(*c.operands[0], DType::c128);
  if (!inverse) transform_along(array, rank - 1, inverse);
  if (type == "RFFT") array = with_last(array, half_of(n), n);
  for (std::size_t d = rank - count; d + 1 < rank; ++d) transform_along(array, d, inverse);
  if (type == "IRFFT") array = with_last(array, n, n);
  if (inverse) transform_along(array, rank - 1, inverse);
  return one(convert(array, c.result_type().dtype));
}

FactorRule factors(const Node& node) {
  const std::size_t leading =
      node.operand(0).type().dims.size() - node.attrs.i64s("fft_length").size();
  FactorRule rule = empty_rule(node);
  for (std::size_t d = 0; d < leading; ++d)
    rule.operands[0][d] = rule.results[0][d] = {rule.add_factor(node.operand(0).type().dims[d])};
  replicate_rest(node, rule);
  return rule;
}

/// The matrices of transforms are symmetric.  One of real numbers takes half of what it takes of
/// complex ones; its inverse counts what it mirrors twice.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const std::string& type = c.node.attrs.text("fft_type");
  const Type& from = c.node.operand(0).type();
  const I64s& length = c.node.attrs.i64s("fft_length");
  const Value g = cotangents[0];
  if (type == "FFT" || type == "IFFT") return {c.same({g})[0]};
  const auto transform = [&](const char* kind, Value v) {
    return c.op("stablehlo.fft", {v},
                {{"fft_type", EnumAttr{"stablehlo", "fft_type", kind}}, {"fft_length", length}});
  };
  if (from.count() == 0 || g.type().count() == 0) return {};
  const I64s none(from.dims.size(), 0);
  const std::int64_t n = length.back(), half = half_of(n);
  if (type == "RFFT") {
    I64s high = none;
    high.back() = n - half;
    const Value zero = c.zeros(Type::scalar(g.type().dtype));
    const Value whole =
        c.op("stablehlo.pad", {g, zero},
             {{"edge_padding_low", none}, {"edge_padding_high", high}, {"interior_padding", none}});
    return {c.op("stablehlo.real", {transform("FFT", whole)})};
  }
  double elements = 1;
  for (const std::int64_t l : length) elements *= double(l);
  const Type index{.dtype = DType::i64, .dims = {half}},
      weight{.dtype = g.type().dtype, .dims = {half}};
  const Value at = c.iota(index, 0);
  const Value mirrored =
      c.op("stablehlo.and", {c.compare("GT", at, c.zeros(index)),
                             c.compare("LT", at, c.splat(index, double(n - half + 1)))});
  const Value weights =
      c.broadcast(c.select(mirrored, c.splat(weight, 2 / elements), c.splat(weight, 1 / elements)),
                  from.dims, I64s{from.rank() - 1});
  const Value factor = c.op("stablehlo.complex", {weights, c.zeros(weights.type())});
  return {c.multiply(conjugate(c, transform("RFFT", g)), factor)};
}

}  // namespace

void register_fft(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.fft";
  op.doc = "The discrete Fourier transform along the last one to three dimensions.";
  op.attrs = {AttrSpec{.name = "fft_type",
                       .kind = AttrKind::enumeration,
                       .allowed = {"FFT", "IFFT", "RFFT", "IRFFT"},
                       .enum_kind = "fft_type"},
              AttrSpec{.name = "fft_length", .kind = AttrKind::i64s}};
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::procedure;
  op.factors = factors;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.samples = {
      R"(func.func @main(%a: tensor<3x12xf32>, %b: tensor<4x15xf64>, %c: tensor<2x3x4x5xf32>, %e: tensor<0x4xf32>) -> (tensor<3x12xf32>, tensor<4x15xf64>, tensor<2x3x4x5xf32>, tensor<0x4xf32>, tensor<3x7xf32>, tensor<3x7xf32>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [12] : (tensor<3x12xf32>) -> tensor<3x7xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [12] : (tensor<3x7xcomplex<f32>>) -> tensor<3x12xf32>
  %2 = stablehlo.fft %b, type = RFFT, length = [4, 15] : (tensor<4x15xf64>) -> tensor<4x8xcomplex<f64>>
  %3 = stablehlo.fft %2, type = IRFFT, length = [4, 15] : (tensor<4x8xcomplex<f64>>) -> tensor<4x15xf64>
  %z = stablehlo.complex %c, %c : tensor<2x3x4x5xcomplex<f32>>
  %4 = stablehlo.fft %z, type = FFT, length = [3, 4, 5] : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xcomplex<f32>>
  %5 = stablehlo.fft %4, type = IFFT, length = [3, 4, 5] : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xcomplex<f32>>
  %6 = stablehlo.real %5 : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xf32>
  %7 = stablehlo.fft %e, type = RFFT, length = [4] : (tensor<0x4xf32>) -> tensor<0x3xcomplex<f32>>
  %8 = stablehlo.fft %7, type = IRFFT, length = [4] : (tensor<0x3xcomplex<f32>>) -> tensor<0x4xf32>
  %9 = stablehlo.real %0 : (tensor<3x7xcomplex<f32>>) -> tensor<3x7xf32>
  %10 = stablehlo.imag %0 : (tensor<3x7xcomplex<f32>>) -> tensor<3x7xf32>
  return %1, %3, %6, %8, %9, %10 : tensor<3x12xf32>, tensor<4x15xf64>, tensor<2x3x4x5xf32>, tensor<0x4xf32>, tensor<3x7xf32>, tensor<3x7xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops

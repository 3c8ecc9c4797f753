// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <complex>

#include "ops/support/arranged.hpp"
#include "ops/windows/window_axes.hpp"
#include "ops/windows/window_derivatives.hpp"
#include "ops/windows/window_support.hpp"

namespace partita::ir::ops {
namespace {

void expect_group(const InferContext& c, const char* what, I64s dims, std::int64_t rank) {
  expect_size(c, what, dims, rank);
  expect_dimensions(c, what, dims, rank);
  expect_unique(c, what, dims);
}

/// All but padding and the result.
void expect_operands(const InferContext& c, const Type& lhs, const Type& rhs) {
  c.expect(lhs.rank() == rhs.rank() && lhs.rank() >= 2, "operands of one rank, 2 or more",
           cat(to_string(lhs), " and ", to_string(rhs)));  // (C1)
  const std::int64_t rank = lhs.rank();
  const auto spatial = std::size_t(rank - 2);
  const auto numbers = convolution_dims(*c.attrs.find("dimension_numbers"));
  if (!numbers)
    c.fail("dimension_numbers such as #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>",
           "another attribute");
  const ConvolutionDims d = numbers.value_or(ConvolutionDims{});
  const auto with = [](I64s list, std::int64_t a, std::int64_t b) {
    list.push_back(a);
    list.push_back(b);
    return list;
  };
  expect_group(c, "input dimensions", with(d.input_spatial, d.input_batch, d.input_feature),
               rank);  // (C12), (C13)
  expect_group(c, "kernel dimensions", with(d.kernel_spatial, d.kernel_input, d.kernel_output),
               rank);  // (C17), (C18)
  expect_group(c, "output dimensions", with(d.output_spatial, d.output_batch, d.output_feature),
               rank);  // (C19), (C20)
  for (const char* name :
       {"window_strides", "lhs_dilation", "rhs_dilation"})  // (C2), (C3), (C5) to (C8)
    expect_positive_list(c, name, spatial);
  if (const Attribute* reversal = c.attrs.find("window_reversal"))
    c.expect(reversal->get_if<Bools>()->values.size() == spatial,
             cat(spatial, " entries in window_reversal"),
             cat(reversal->get_if<Bools>()->values.size()));  // (C9)
  const std::int64_t features = c.attrs.i64("feature_group_count"),
                     batches = c.attrs.i64("batch_group_count");
  c.expect(features > 0 && batches > 0, "group counts of 1 or more",
           cat(features, " and ", batches));  // (C21), (C22)
  c.expect(features == 1 || batches == 1, "groups of features or of batches",
           cat(features, " and ", batches));  // (C23)
  const auto extent = [](const Type& t, std::int64_t dim) { return t.dims[std::size_t(dim)]; };
  c.expect(extent(lhs, d.input_batch) % batches == 0,
           cat("a batch dimension that is a multiple of ", batches), to_string(lhs));  // (C10)
  c.expect(extent(lhs, d.input_feature) % features == 0,
           cat("a feature dimension that is a multiple of ", features), to_string(lhs));  // (C11)
  c.expect(extent(rhs, d.kernel_input) == extent(lhs, d.input_feature) / features,
           cat(extent(lhs, d.input_feature) / features, " input features of the kernel"),
           to_string(rhs));  // (C14)
  c.expect(
      extent(rhs, d.kernel_output) % batches == 0 && extent(rhs, d.kernel_output) % features == 0,
      cat("output features that are a multiple of ", std::max(batches, features)),
      to_string(rhs));   // (C15), (C16)
  expect_precisions(c);  // (C24)
}

DType result_dtype(const InferContext& c) {
  const DType lhs = c.operands[0].dtype, rhs = c.operands[1].dtype;
  if (c.declared_results.empty()) {
    c.expect(lhs == rhs, "operands of one element type, or a declared result",
             cat(to_string(lhs), " and ", to_string(rhs)));  // (C27)
    return lhs;
  }
  const DType result = c.declared_results[0].dtype;
  const auto group = [](DType d) { return is_complex(d) ? 2 : is_float(d) ? 1 : 0; };
  c.expect(group(lhs) <= group(result) && group(rhs) <= group(result),
           cat("a result that can hold products of ", to_string(lhs), " and ", to_string(rhs)),
           cat(to_string(result)));
  return result;
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 2);
  const Type &lhs = c.operands[0], &rhs = c.operands[1];
  expect_operands(c, lhs, rhs);
  expect_padding(c, lhs.dims.size() - 2);  // (C4)
  const Convolution conv(lhs, rhs, c.attrs);
  expect_reach(c, conv.window);
  return {Type{.dtype = result_dtype(c), .dims = conv.result_dims()}};  // (C25), (C26)
}

// --- Evaluation ---------------------------------------------------------------------------------

template <DType d>
auto accumulator() {
  if constexpr (is_complex(d))
    return std::complex<double>();
  else if constexpr (is_float(d))
    return double();
  else
    return std::uint64_t();  // wraps; a boolean is whether it is not zero
}

/// Adds the products of one element of the window: all features of a group.  With `d` a float, each
/// product and sum is rounded to it.
template <DType d, class Acc>
void add_products(const Acc* x, const Acc* kernel, Acc* sums, const Convolution& conv,
                  bool is_rounded) {
  const auto columns = std::size_t(conv.output * conv.groups());
  for (std::int64_t i = 0; i < conv.input; ++i)
    for (std::int64_t o = 0; o < conv.output; ++o) {
      const Acc product = product_of(x[i], kernel[std::size_t(i) * columns + std::size_t(o)]);
      if constexpr (is_float(d))
        sums[o] =
            is_rounded ? Acc(round_to<d>(sums[o] + Acc(round_to<d>(product)))) : sums[o] + product;
      else
        sums[o] += product;
    }
}

/// Sums by batch, window and output feature, for operands as [batch, spatial…, feature] and
/// [spatial…, input, output].
template <DType d, class Acc>
std::vector<Acc> convolve(const Convolution& conv, const std::vector<Acc>& lhs,
                          const std::vector<Acc>& rhs) {
  const bool is_rounded = element_count(conv.window) * conv.input <= few_terms;
  Dims windows, sizes, extents;
  for (const WindowDim& w : conv.window) {
    windows.push_back(w.count());
    sizes.push_back(w.size);
    extents.push_back(w.extent);
  }
  const Dims strides = row_major_strides(extents);
  const std::int64_t features = conv.input * conv.feature_groups,
                     columns = conv.output * conv.groups(),
                     positions = Type{.dtype = DType::i1, .dims = extents}.count(),
                     count = Type{.dtype = DType::i1, .dims = windows}.count();
  std::vector<Acc> sums(std::size_t(conv.batch * count * columns));
  const std::vector<Acc> zeros(std::size_t(conv.input));  // padding times infinity is no number
  for (std::int64_t g = 0; g < conv.groups(); ++g) {
    const std::int64_t batch_group = conv.batch_groups > 1 ? g : 0,
                       feature_group = conv.batch_groups > 1 ? 0 : g;
    for (std::int64_t b = 0; b < conv.batch; ++b) {
      const std::int64_t image = (batch_group * conv.batch + b) * positions;
      std::int64_t window = b * count;
      for_each_index(windows, [&](std::span<const std::int64_t> at) {
        Acc* const sum = sums.data() + window++ * columns + g * conv.output;
        std::int64_t k = 0;
        for_each_index(sizes, [&](std::span<const std::int64_t> in_window) {
          std::int64_t offset = image;
          const std::int64_t element = k++;
          bool is_padding = false;
          for (std::size_t dim = 0; dim < conv.window.size(); ++dim) {
            const WindowDim& w = conv.window[dim];
            const auto source = w.source(w.position(at[dim], in_window[dim]));
            is_padding = is_padding || !source;
            offset += source.value_or(0) * strides[dim];
          }
          add_products<d>(is_padding ? zeros.data()
                                     : lhs.data() + offset * features + feature_group * conv.input,
                          rhs.data() + element * conv.input * columns + g * conv.output, sum, conv,
                          is_rounded);
        });
      });
    }
  }
  return sums;
}

HostArray convolution(const HostArray& lhs, const HostArray& rhs, const Dict& attrs,
                      const Type& type) {
  const Convolution conv(lhs.type, rhs.type, attrs);
  const ConvolutionDims& dims = conv.dims;
  Type ordered{.dtype = type.dtype, .dims = {conv.batch}};
  View to{0, {}};
  const Dims strides = row_major_strides(type.dims);
  to.strides.push_back(strides[std::size_t(dims.output_batch)]);
  for (std::size_t k = 0; k < conv.window.size(); ++k) {
    ordered.dims.push_back(conv.window[k].count());
    to.strides.push_back(strides[std::size_t(dims.output_spatial[k])]);
  }
  ordered.dims.push_back(conv.output * conv.groups());
  to.strides.push_back(strides[std::size_t(dims.output_feature)]);
  HostArray sums(ordered), result(type);
  visit(type.dtype, [&](auto d) {
    using Acc = decltype(accumulator<d>());
    const I64s batch{dims.input_batch}, feature{dims.input_feature}, input{dims.kernel_input},
        output{dims.kernel_output};
    const std::vector<Acc> totals =
        convolve<d, Acc>(conv, arranged<Acc>(lhs, {&batch, &dims.input_spatial, &feature}),
                         arranged<Acc>(rhs, {&dims.kernel_spatial, &input, &output}));
    auto* out = sums.data<d>();
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if constexpr (d == DType::i1)
        store<d>(totals[i] != 0, out, i);
      else if constexpr (is_float(d))
        store<d>(round_to<d>(totals[i]), out, i);
      else
        store<d>(ValueType<d>(totals[i]), out, i);
    }
  });
  copy_box(sums, view_of(ordered), result, to, ordered.dims);
  return result;
}

std::vector<Tensor> eval(const EvalContext& c) {
  return one(convolution(*c.operands[0], *c.operands[1], c.node.attrs, c.result_type()));
}

// --- Factors ------------------------------------------------------------------------------------

/// Builds the rule; factors of 1 are left out of dimensions that have others.
class Factors {
 public:
  explicit Factors(const Node& node)
      : rule_(empty_rule(node)),
        conv_(node.operand(0).type(), node.operand(1).type(), node.attrs),
        result_(node.result_types()[0].dtype) {}

  FactorRule run(const Node& node) {
    const ConvolutionDims& d = conv_.dims;
    const int groups = rule_.add_factor(conv_.groups()), batch = rule_.add_factor(conv_.batch),
              output = rule_.add_factor(conv_.output),
              input = rule_.add_factor(conv_.input, FactorKind::reduced, combiner());
    const bool by_batch = conv_.batch_groups > 1;
    set(rule_.operands[0], d.input_batch, {by_batch ? groups : -1, batch});
    set(rule_.operands[0], d.input_feature, {by_batch ? -1 : groups, input});
    set(rule_.operands[1], d.kernel_input, {input});
    set(rule_.operands[1], d.kernel_output, {groups, output});
    set(rule_.results[0], d.output_batch, {batch});
    set(rule_.results[0], d.output_feature, {groups, output});
    for (std::size_t k = 0; k < conv_.window.size(); ++k) add_spatial(k);
    drop_unused();
    replicate_rest(node, rule_);
    return std::move(rule_);
  }

 private:
  [[nodiscard]] Combiner combiner() const {
    return result_ == DType::i1 ? Combiner::logical_or : Combiner::sum;
  }

  void set(std::vector<std::vector<int>>& dims, std::int64_t dim, const std::vector<int>& factors) {
    std::vector<int>& of_dim = dims[std::size_t(dim)];
    for (const int f : factors)
      if (f >= 0 && rule_.factors[std::size_t(f)].size != 1) of_dim.push_back(f);
    if (of_dim.empty()) of_dim.push_back(factors.back());
  }

  /// A window of one element passes; one that covers the input exactly is a contraction.
  void add_spatial(std::size_t k) {
    const WindowDim& w = conv_.window[k];
    const auto in = std::size_t(conv_.dims.input_spatial[k]),
               of_kernel = std::size_t(conv_.dims.kernel_spatial[k]),
               out = std::size_t(conv_.dims.output_spatial[k]);
    if (w.is_identity()) {
      rule_.operands[0][in] = rule_.results[0][out] = {rule_.add_factor(w.extent)};
    } else if (w.size == w.extent && w.size > 0 && w.low == 0 && w.high == 0 &&
               w.base_dilation == 1 && w.window_dilation == 1 && !w.is_reversed) {
      rule_.operands[0][in] = rule_.operands[1][of_kernel] = {
          rule_.add_factor(w.extent, FactorKind::reduced, combiner())};
    }
  }

  /// Factors that no dimension has; numbers close up.
  void drop_unused() {
    std::vector<int> number(rule_.factors.size(), -1);
    std::vector<Factor> kept;
    for (auto* side : {&rule_.operands, &rule_.results})
      for (auto& value : *side)
        for (auto& dim : value)
          for (int& f : dim) {
            int& n = number[std::size_t(f)];
            if (n < 0) {
              n = int(kept.size());
              kept.push_back(rule_.factors[std::size_t(f)]);
            }
            f = n;
          }
    rule_.factors = std::move(kept);
  }

  FactorRule rule_;
  Convolution conv_;
  DType result_;
};

FactorRule factors(const Node& node) { return Factors(node).run(node); }

constexpr const char* samples[] = {
    R"(func.func @main(%a: tensor<2x7x6x4xf32>, %k: tensor<3x2x4x6xf32>, %g: tensor<3x2x2x6xf32>, %d: tensor<3x3x1x8xf32>, %p: tensor<1x1x4x3xf32>) -> (tensor<2x7x6x6xf32>, tensor<2x3x3x6xf32>, tensor<2x13x11x6xf32>, tensor<2x4x4x6xf32>, tensor<2x5x4x8xf32>, tensor<2x7x6x3xf32>, tensor<2x4x3x3xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x7x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x7x6x6xf32>
  %1 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x3x3x6xf32>
  %2 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 0], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<2x13x11x6xf32>
  %3 = stablehlo.convolution(%a, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[-1, 0], [0, -1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x4x4x6xf32>
  %4 = stablehlo.convolution(%a, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x7x6x4xf32>, tensor<3x3x1x8xf32>) -> tensor<2x5x4x8xf32>
  %5 = stablehlo.convolution(%a, %p) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<1x1x4x3xf32>) -> tensor<2x7x6x3xf32>
  %6 = stablehlo.convolution(%a, %p) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<1x1x4x3xf32>) -> tensor<2x4x3x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x7x6x6xf32>, tensor<2x3x3x6xf32>, tensor<2x13x11x6xf32>, tensor<2x4x4x6xf32>, tensor<2x5x4x8xf32>, tensor<2x7x6x3xf32>, tensor<2x4x3x3xf32>
})",
    R"(func.func @main(%a: tensor<5x4x3xi32>, %k: tensor<2x5x6xi32>, %m: tensor<3x4xbf16>, %n: tensor<4x5xbf16>, %e: tensor<2x0x3xf32>, %f: tensor<3x3x4xf32>, %z: tensor<2x5x0xf32>, %y: tensor<2x0x4xf32>, %w: tensor<4x5x3xf64>, %v: tensor<3x5x8xf64>) -> (tensor<6x3x2xi32>, tensor<3x5xf32>, tensor<2x2x4xf32>, tensor<2x4x4xf32>, tensor<1x8x2xf64>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [f, b, 0]x[0, i, o]->[f, 0, b], window = {pad = [[1, 0]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<5x4x3xi32>, tensor<2x5x6xi32>) -> tensor<6x3x2xi32>
  %1 = stablehlo.convolution(%m, %n) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  %2 = stablehlo.convolution(%e, %f) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x0x3xf32>, tensor<3x3x4xf32>) -> tensor<2x2x4xf32>
  %3 = stablehlo.convolution(%z, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x0xf32>, tensor<2x0x4xf32>) -> tensor<2x4x4xf32>
  %4 = stablehlo.convolution(%w, %v) dim_numbers = [b, 0, f]x[i, 0, o]->[b, f, 0], window = {stride = [4], pad = [[4, 0]]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<4x5x3xf64>, tensor<3x5x8xf64>) -> tensor<1x8x2xf64>
  return %0, %1, %2, %3, %4 : tensor<6x3x2xi32>, tensor<3x5xf32>, tensor<2x2x4xf32>, tensor<2x4x4xf32>, tensor<1x8x2xf64>
})",
    R"(func.func @main(%a: tensor<2x5x26xf32>, %k: tensor<21x5x4xf32>, %b: tensor<13x3x5xbf16>, %m: tensor<2x3x9x7xbf16>, %g: tensor<2x10x9x6xf32>, %h: tensor<2x3x10x8xf32>) -> (tensor<2x21x25xf32>, tensor<2x21x13xf32>, tensor<9x13x2x7xf32>, tensor<6x3x1x8xf32>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[2, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x26xf32>, tensor<21x5x4xf32>) -> tensor<2x21x25xf32>
  %1 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [4], pad = [[1, 2]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x26xf32>, tensor<21x5x4xf32>) -> tensor<2x21x13xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [0, 1, 2] : (tensor<13x3x5xbf16>) -> tensor<13x3x5x1xbf16>
  %2 = stablehlo.convolution(%bb, %m) dim_numbers = [b, f, 0, 1]x[0, i, o, 1]->[f, b, 0, 1], window = {pad = [[0, -2], [6, 6]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<13x3x5x1xbf16>, tensor<2x3x9x7xbf16>) -> tensor<9x13x2x7xf32>
  %3 = stablehlo.convolution(%g, %h) dim_numbers = [0, f, 1, b]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [-1, -1]], rhs_dilate = [1, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x9x6xf32>, tensor<2x3x10x8xf32>) -> tensor<6x3x1x8xf32>
  return %0, %1, %2, %3 : tensor<2x21x25xf32>, tensor<2x21x13xf32>, tensor<9x13x2x7xf32>, tensor<6x3x1x8xf32>
})"};

OpDef convolution_op() {
  AttrSpec numbers, reversal, precision, feature_groups, batch_groups;
  numbers.name = "dimension_numbers";
  reversal.name = "window_reversal";
  reversal.kind = AttrKind::bools;
  reversal.required = false;
  precision.name = "precision_config";
  precision.required = false;
  feature_groups.name = "feature_group_count";
  batch_groups.name = "batch_group_count";
  feature_groups.kind = batch_groups.kind = AttrKind::i64;
  OpDef op;
  op.attrs = {numbers,
              reversal,
              precision,
              feature_groups,
              batch_groups,
              plain_list_attr("window_strides"),
              plain_list_attr("lhs_dilation"),
              plain_list_attr("rhs_dilation")};
  return op;
}

}  // namespace

void register_convolution(OpRegistry& registry) {
  OpDef op = convolution_op();
  op.name = "stablehlo.convolution";
  op.doc =
      "Sums of products of windows of the first operand with the kernel, in groups of features or "
      "of batches. Products are summed in the result's type or a wider one.";
  op.attrs.push_back(padding_attr(false));
  op.infer = infer;
  op.eval = eval;
  op.derivative = convolution_derivative();
  op.shape = KernelShape::window;
  op.factors = factors;
  op.batch = batch_convolution;
  op.remove_axis = remove_from_convolution;
  op.samples = {std::begin(samples), std::end(samples)};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops

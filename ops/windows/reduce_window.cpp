// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/windows/window_axes.hpp"
#include "ops/windows/window_derivatives.hpp"
#include "ops/windows/window_support.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(!c.operands.empty() && c.operands.size() % 2 == 0, "as many operands as initial values",
           cat(c.operands.size(), " operands"));  // (C1)
  const std::size_t n = c.operands.size() / 2;
  const Type& first = c.operands[0];
  for (std::size_t k = 0; k < n; ++k) {
    const Type &operand = c.operands[k], &init = c.operands[n + k];
    c.expect(operand.dims == first.dims, cat("operand ", k, " of the shape of ", to_string(first)),
             to_string(operand));  // (C2)
    c.expect(init == Type::scalar(operand.dtype),
             cat("an initial value of type ", to_string(Type::scalar(operand.dtype))),
             to_string(init));  // (C3)
  }
  const std::size_t rank = first.dims.size();
  for (const char* name : {"window_dimensions", "window_strides", "base_dilations",
                           "window_dilations"})  // (C4) to (C11)
    expect_positive_list(c, name, rank);
  expect_padding(c, rank);                              // (C12)
  expect_combiner_region(c, c.operands.subspan(0, n));  // (C13)
  const std::vector<WindowDim> window = window_dims(first, c.attrs);
  expect_reach(c, window);
  std::vector<Type> results;
  for (std::size_t k = 0; k < n; ++k) {  // (C14) to (C16)
    Type& result = results.emplace_back(Type{.dtype = c.operands[k].dtype, .dims = {}});
    for (const WindowDim& w : window) result.dims.push_back(w.count());
  }
  return results;
}

// --- Evaluation ---------------------------------------------------------------------------------

/// Combines elements one after another.
class Total {
 public:
  virtual ~Total() = default;
  /// Starts from the initial values.
  virtual void reset() = 0;
  /// Combines with element `offset` of the operands, or with the initial values.
  virtual void add(std::int64_t offset) = 0;
  virtual void add_init() = 0;
  /// The same with the element in front.
  virtual void add_in_front(std::int64_t offset) = 0;
  /// Element i of the results.
  virtual void store(std::int64_t i) = 0;
};

/// Sums and products of many floats: in f64, rounded once.
class FloatTotal final : public Total {
 public:
  FloatTotal(const EvalContext& c, std::vector<HostArray>& results, bool sums)
      : values_(convert(*c.operands[0], DType::f64)),
        init_(*convert(*c.operands[1], DType::f64).data<DType::f64>()),
        result_(results[0]),
        sums_(sums) {}
  void reset() override { total_ = init_; }
  void add(std::int64_t offset) override { combine(values_.data<DType::f64>()[offset]); }
  void add_init() override { combine(init_); }
  void add_in_front(std::int64_t offset) override { add(offset); }
  void store(std::int64_t i) override {
    visit(result_.type.dtype, [&](auto d) {
      if constexpr (is_float(d))
        partita::store<d>(round_to<d>(total_), result_.data<d>(), std::size_t(i));
    });
  }

 private:
  void combine(double x) { total_ = sums_ ? total_ + x : total_ * x; }
  HostArray values_;
  double init_, total_ = 0;
  HostArray& result_;
  bool sums_;
};

/// A region that is one row of the elementwise table.
class RowTotal final : public Total {
 public:
  RowTotal(const EvalContext& c, std::vector<HostArray>& results, Combiner combiner)
      : values_(*c.operands[0]),
        init_(*c.operands[1]),
        result_(results[0]),
        apply_(elementwise_function(elementwise_row(info(combiner).row), values_.type.dtype)),
        size_(byte_size(values_.type.dtype)) {
    PARTITA_ASSERT(apply_);
  }
  void reset() override { std::memcpy(total_, init_.bytes.data(), size_); }
  void add(std::int64_t offset) override { combine(values_.bytes.data() + offset * step()); }
  void add_init() override { combine(init_.bytes.data()); }
  void add_in_front(std::int64_t offset) override { add(offset); }
  void store(std::int64_t i) override {
    std::memcpy(result_.bytes.data() + i * step(), total_, size_);
  }

 private:
  [[nodiscard]] std::ptrdiff_t step() const { return std::ptrdiff_t(size_); }
  void combine(const std::byte* x) {
    const void* operands[] = {total_, x};
    apply_(operands, total_, 1);
  }
  const HostArray &values_, &init_;
  HostArray& result_;
  ElementwiseFn apply_;
  std::size_t size_;
  alignas(16) std::byte total_[16] = {};
};

/// Any region.
class RegionTotal final : public Total {
 public:
  RegionTotal(const EvalContext& c, std::vector<HostArray>& results)
      : c_(c),
        results_(results),
        init_(c.operands.begin() + std::ptrdiff_t(results.size()), c.operands.end()) {}
  void reset() override { total_ = init_; }
  void add(std::int64_t offset) override { combine(total_, elements(offset)); }
  void add_init() override { combine(total_, init_); }
  void add_in_front(std::int64_t offset) override { combine(elements(offset), total_); }
  void store(std::int64_t i) override {
    for (std::size_t k = 0; k < results_.size(); ++k) {
      const std::size_t size = byte_size(results_[k].type.dtype);
      std::memcpy(results_[k].bytes.data() + std::size_t(i) * size, total_[k]->bytes.data(), size);
    }
  }
  /// Whether padding changes nothing beyond the initial values themselves.
  [[nodiscard]] bool absorbs_init() {
    total_ = init_;
    add_init();
    for (std::size_t k = 0; k < init_.size(); ++k)
      if (total_[k]->bytes != init_[k]->bytes) return false;
    return true;
  }

 private:
  [[nodiscard]] std::vector<Tensor> elements(std::int64_t offset) const {
    std::vector<Tensor> e;
    for (std::size_t k = 0; k < results_.size(); ++k) e.push_back(element(*c_.operands[k], offset));
    return e;
  }
  void combine(std::vector<Tensor> a, const std::vector<Tensor>& b) {
    a.insert(a.end(), b.begin(), b.end());
    total_ = c_.run_region(0, std::move(a));
  }
  const EvalContext& c_;
  std::vector<HostArray>& results_;
  std::vector<Tensor> init_, total_;
};

/// Every window by itself.
void reduce_each(const std::vector<WindowDim>& window, const Type& operand, const Dims& result,
                 Total& total) {
  const Dims strides = row_major_strides(operand.dims);
  Dims sizes;
  for (const WindowDim& w : window) sizes.push_back(w.size);
  std::int64_t i = 0;
  for_each_index(result, [&](std::span<const std::int64_t> at) {
    total.reset();
    for_each_index(sizes, [&](std::span<const std::int64_t> k) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < window.size(); ++d) {
        const auto source = window[d].source(window[d].position(at[d], k[d]));
        if (!source) return total.add_init();
        offset += *source * strides[d];
      }
      total.add(offset);
    });
    total.store(i++);
  });
}

/// Windows that grow by one element from one to the next: each from the one before.
void scan(const ScanShape& shape, const Type& operand, Total& total) {
  Dims line = operand.dims;
  const auto d = std::size_t(shape.dimension);
  const std::int64_t extent = line[d];
  const Dims strides = row_major_strides(line);
  line[d] = 1;
  for_each_index(line, [&](std::span<const std::int64_t> start) {
    const std::int64_t first = offset_of(start, strides);
    total.reset();
    for (std::int64_t k = 0; k < extent; ++k) {
      const std::int64_t at = first + (shape.is_reverse ? extent - 1 - k : k) * strides[d];
      shape.is_reverse ? total.add_in_front(at) : total.add(at);
      total.store(at);
    }
  });
}

std::vector<Tensor> eval(const EvalContext& c) {
  const std::size_t n = c.operands.size() / 2;
  const Type& operand = c.operands[0]->type;
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < n; ++k) results.emplace_back(c.result_type(int(k)));
  const std::vector<WindowDim> window = window_dims(operand, c.node.attrs);
  const auto combiner = n == 1 ? simple_combiner(c.node.region(0)) : std::nullopt;
  std::unique_ptr<Total> total;
  if (!combiner)
    total = std::make_unique<RegionTotal>(c, results);
  else if (is_float(operand.dtype) && info(*combiner).rounds && element_count(window) > few_terms)
    total = std::make_unique<FloatTotal>(c, results, combiner == Combiner::sum);
  else
    total = std::make_unique<RowTotal>(c, results, *combiner);
  const auto shape = scan_shape(window);
  if (shape && RegionTotal(c, results).absorbs_init())
    scan(*shape, operand, *total);
  else
    reduce_each(window, operand, c.result_type().dims, *total);
  std::vector<Tensor> tensors;
  for (HostArray& result : results)
    tensors.push_back(std::make_shared<const HostArray>(std::move(result)));
  return tensors;
}

// --- Factors ------------------------------------------------------------------------------------

/// A dimension that windows leave alone is shared; one that they tile is (windows, elements).
FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const std::size_t n = node.operands().size() / 2;
  const std::vector<WindowDim> window = window_dims(node.operand(0).type(), node.attrs);
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    if (!w.is_identity() && (!w.is_tiling() || w.count() == 0)) continue;
    const int f = rule.add_factor(w.count());
    std::vector<int> of_operand{f};
    if (w.size > 1) of_operand.push_back(rule.add_factor(w.size, FactorKind::replicated));
    for (std::size_t k = 0; k < n; ++k) {
      rule.operands[k][d] = of_operand;
      rule.results[k][d] = {f};
    }
  }
  replicate_rest(node, rule);
  return rule;
}

constexpr const char* samples[] = {
    R"(func.func @main(%a: tensor<2x6x5xf32>, %b: tensor<7x4xi32>, %e: tensor<0x3xf32>, %s: tensor<f32>) -> (tensor<2x3x5xf32>, tensor<2x6x4xf32>, tensor<3x2xi32>, tensor<5x4xi32>, tensor<2x5xf32>, tensor<f32>, tensor<0x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<2x6x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %1 = "stablehlo.reduce_window"(%a, %low) <{window_dimensions = array<i64: 1, 3, 2>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %y, %x : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<2x6x5xf32>, tensor<f32>) -> tensor<2x6x4xf32>
  %2 = "stablehlo.reduce_window"(%b, %two) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 3, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 2, 1>, padding = dense<[[-1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<7x4xi32>, tensor<i32>) -> tensor<3x2xi32>
  %3 = "stablehlo.reduce_window"(%b, %two) <{window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.multiply %x, %y : tensor<i32>
    %z = stablehlo.and %p, %x : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<7x4xi32>, tensor<i32>) -> tensor<5x4xi32>
  %4 = "stablehlo.reduce_window"(%e, %zero) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[2, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.minimum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x5xf32>
  %5 = "stablehlo.reduce_window"(%s, %zero) <{window_dimensions = array<i64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = "stablehlo.reduce_window"(%e, %zero) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<0x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3x5xf32>, tensor<2x6x4xf32>, tensor<3x2xi32>, tensor<5x4xi32>, tensor<2x5xf32>, tensor<f32>, tensor<0x3xf32>
})",
    R"(func.func @main(%a: tensor<3x37xf32>, %b: tensor<9x3xi32>, %c: tensor<300xf32>) -> (tensor<3x37xf32>, tensor<9x3xi32>, tensor<9x3xi32>, tensor<300xf32>, tensor<3x37xf32>, tensor<3x37xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<3x37xi32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 1, 37>, padding = dense<[[0, 0], [36, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<3x37xf32>, tensor<f32>) -> tensor<3x37xf32>
  %1 = "stablehlo.reduce_window"(%b, %one) <{window_dimensions = array<i64: 9, 1>, padding = dense<[[0, 8], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.multiply %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<9x3xi32>, tensor<i32>) -> tensor<9x3xi32>
  %2 = "stablehlo.reduce_window"(%b, %one) <{window_dimensions = array<i64: 9, 1>, padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<9x3xi32>, tensor<i32>) -> tensor<9x3xi32>
  %3 = "stablehlo.reduce_window"(%c, %zero) <{window_dimensions = array<i64: 300>, padding = dense<[[0, 299]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<300xf32>, tensor<f32>) -> tensor<300xf32>
  %4:2 = "stablehlo.reduce_window"(%a, %i, %low, %none) <{window_dimensions = array<i64: 1, 37>, padding = dense<[[0, 0], [36, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<i32>, %y: tensor<f32>, %q: tensor<i32>):
    %g = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %g, %x, %y : tensor<i1>, tensor<f32>
    %w = stablehlo.select %g, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }) : (tensor<3x37xf32>, tensor<3x37xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x37xf32>, tensor<3x37xi32>)
  return %0, %1, %2, %3, %4#0, %4#1 : tensor<3x37xf32>, tensor<9x3xi32>, tensor<9x3xi32>, tensor<300xf32>, tensor<3x37xf32>, tensor<3x37xi32>
})"};

}  // namespace

void register_reduce_window(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.reduce_window";
  op.doc =
      "Combines the elements of each window, padding and the initial value by a region. Windows "
      "that grow over a whole dimension are computed as a scan.";
  op.attrs = {window_attr("window_dimensions", true), window_attr("window_strides"),
              window_attr("base_dilations"), window_attr("window_dilations"), padding_attr(true)};
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::window;
  op.factors = factors;
  op.batch = batch_reduce_window;
  op.remove_axis = remove_from_windows;
  op.derivative = reduce_window_derivative();
  op.samples = {std::begin(samples), std::end(samples)};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops

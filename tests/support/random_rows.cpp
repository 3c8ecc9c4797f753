// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/random_rows.hpp"

#include <random>

#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::testing {
namespace {

using ir::I64s;
using ir::Value;

class Rows {
 public:
  explicit Rows(unsigned seed) : random_(seed), make_{graph(seed)} {
    static constexpr std::int64_t extents[] = {12, 16, 30, 36, 48, 64};
    heads_ = one_of({0, 0, 1, 2, 3});
    rows_ = extents[pick(6)];
    columns_ = extents[pick(6)];
    depth_ = 1 + pick(3);
  }

  RandomGraph finish() {
    for (const std::int64_t extent : {rows_, columns_, rows_, columns_})
      small_.push_back(argument(extent, depth_));
    phase();
    if (pick(2) == 0) {
      if (pick(2) == 0) mix_rows();
      phase();
    }
    for (const Value& v : sinks_) body_->results.push_back(v);
    program_.module->functions.back()->result_types.clear();
    for (const Value& v : body_->results) {
      program_.module->functions.back()->result_types.push_back(v.type());
      program_.noise.push_back(1e-4);
    }
    ir::Function& f = *program_.module->functions.back();
    f.arg_attrs.resize(std::size_t(body_->argument_count()));
    f.res_attrs.resize(body_->results.size());
    ir::remove_dead_nodes(*body_);
    return std::move(program_);
  }

 private:
  ir::Graph& graph(unsigned seed) {
    program_.module = std::make_unique<ir::Module>();
    program_.module->name = cat("rows_", seed);
    auto f = std::make_unique<ir::Function>();
    f->name = "main";
    f->body = std::make_unique<ir::Graph>();
    body_ = f->body.get();
    program_.module->functions.push_back(std::move(f));
    return *body_;
  }
  int pick(int n) { return int(random_() % unsigned(n)); }
  std::int64_t one_of(const std::vector<std::int64_t>& choices) {
    return choices[std::size_t(pick(int(choices.size())))];
  }
  Value any(const std::vector<Value>& values) {
    return values[std::size_t(pick(int(values.size())))];
  }

  /// Extents after those of the heads, if there are any.
  [[nodiscard]] Dims dims(std::vector<std::int64_t> extents) const {
    if (heads_ > 0) extents.insert(extents.begin(), heads_);
    return extents;
  }
  [[nodiscard]] std::int64_t first() const { return heads_ > 0 ? 1 : 0; }

  Value argument(std::int64_t rows, std::int64_t columns) {
    const Type type{.dtype = DType::f32, .dims = dims({rows, columns})};
    HostArray data(type);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::int64_t k = 0; k < type.count(); ++k) data.data<DType::f32>()[k] = uniform(random_);
    program_.inputs.push_back(std::move(data));
    return body_->add_argument(type);
  }

  /// a b^T over the last dimension of both: rows by columns, or columns by rows and transposed.
  Value product(Value a, Value b) {
    const bool swaps = pick(4) == 0;
    const I64s heads = heads_ > 0 ? I64s{0} : I64s{};
    const I64s last{first() + 1};
    const Value lhs = swaps ? b : a, rhs = swaps ? a : b;
    Dims extents{lhs.type().dims[std::size_t(first())], rhs.type().dims[std::size_t(first())]};
    const Value p = make_.typed("stablehlo.dot_general", {lhs, rhs}, {DType::f32, dims(extents)},
                                {{"lhs_batching_dimensions", heads},
                                 {"rhs_batching_dimensions", heads},
                                 {"lhs_contracting_dimensions", last},
                                 {"rhs_contracting_dimensions", last}});
    return swaps ? transposed(p) : p;
  }
  Value transposed(Value v) { return make_.transpose(v, heads_ > 0 ? I64s{0, 2, 1} : I64s{1, 0}); }
  /// Along rows or columns, which is dropped.
  Value reduced(Combiner combiner, Value large, bool over_columns) {
    return make_.reduce(combiner, large, {first() + (over_columns ? 1 : 0)});
  }
  /// One number for each row, or for each column, for all of the others.
  Value spread(Value v, bool is_by_row) {
    I64s at = heads_ > 0 ? I64s{0, 1} : I64s{0};
    if (!is_by_row) ++at.back();
    return make_.broadcast(v, dims({rows_, columns_}), at);
  }

  Value unary(Value v) {
    static const char* const names[] = {"tanh", "logistic", "negate", "sine"};
    return make_.op(cat("stablehlo.", names[pick(4)]), {v});
  }
  Value masked(Value v) {
    const Type counts{.dtype = DType::i32, .dims = v.type().dims};
    const Value i = make_.iota(counts, first()), j = make_.iota(counts, first() + 1);
    return make_.op("stablehlo.select", {make_.compare(pick(2) == 0 ? "GE" : "NE", i, j), v,
                                         make_.splat(v.type(), pick(2) == 0 ? -1e9 : 0)});
  }
  Value softmax(Value v) {
    const Value shifted =
        make_.op("stablehlo.subtract", {v, spread(reduced(Combiner::max, v, true), true)});
    const Value e = make_.op("stablehlo.exponential", {shifted});
    const Value z = reduced(Combiner::sum, e, true);
    row_sums_.push_back(z);
    if (pick(3) == 0)
      return make_.op("stablehlo.subtract",
                      {shifted, spread(make_.op("stablehlo.log", {z}), true)});
    return make_.op("stablehlo.divide", {e, spread(z, true)});
  }

  void grow() {
    const Value v = any(large_);
    switch (pick(8)) {
      case 0:
        large_.push_back(unary(v));
        break;
      case 1:
        large_.push_back(masked(v));
        break;
      case 2:
        large_.push_back(softmax(unary(v)));
        break;
      case 3:
        large_.push_back(make_.op("stablehlo.multiply", {v, any(large_)}));
        break;
      case 4:
        large_.push_back(make_.op("stablehlo.subtract", {v, any(large_)}));
        break;
      case 5: {
        const Value small = make_.reduce(Combiner::max, any(small_of(columns_)), {first() + 1});
        large_.push_back(make_.op("stablehlo.add", {v, spread(small, false)}));
        break;
      }
      case 6: {
        // A row's mean comes back to the row.
        const Value sum = unary(reduced(Combiner::sum, unary(v), true));
        large_.push_back(make_.op("stablehlo.add", {v, spread(sum, true)}));
        break;
      }
      default:
        large_.push_back(unary(transposed(unary(transposed(v)))));
    }
  }
  std::vector<Value> small_of(std::int64_t extent) const {
    std::vector<Value> fitting;
    for (const Value& v : small_)
      if (v.type().dims[std::size_t(first())] == extent) fitting.push_back(v);
    return fitting;
  }

  /// Rows by columns times columns by depth, or the transpose times rows by depth.
  void contract(Value large) {
    const bool by_rows = pick(2) == 0;
    const I64s heads = heads_ > 0 ? I64s{0} : I64s{};
    const std::int64_t kept = by_rows ? rows_ : columns_, summed = by_rows ? columns_ : rows_;
    const Value other = any(small_of(summed));
    const Value p =
        make_.typed("stablehlo.dot_general", {large, other}, {DType::f32, dims({kept, depth_})},
                    {{"lhs_batching_dimensions", heads},
                     {"rhs_batching_dimensions", heads},
                     {"lhs_contracting_dimensions", I64s{first() + (by_rows ? 1 : 0)}},
                     {"rhs_contracting_dimensions", I64s{first()}}});
    sinks_.push_back(p);
    // What follows must not grow.
    small_.push_back(make_.op("stablehlo.tanh", {p}));
  }

  void phase() {
    large_.push_back(product(any(small_of(rows_)), any(small_of(columns_))));
    for (int k = 2 + pick(6); k > 0; --k) grow();
    for (int k = 1 + pick(3); k > 0; --k) {
      const Value v =
          large_[large_.size() - 1 - std::size_t(pick(std::min(3, int(large_.size()))))];
      switch (pick(4)) {
        case 0:
          sinks_.push_back(reduced(pick(2) == 0 ? Combiner::sum : Combiner::max, v, true));
          break;
        case 1:
          sinks_.push_back(reduced(pick(2) == 0 ? Combiner::sum : Combiner::min, v, false));
          break;
        default:
          contract(unary(v));
      }
    }
    if (!row_sums_.empty() && pick(3) == 0) sinks_.push_back(row_sums_.back());
  }

  /// Rows meet each other.
  void mix_rows() {
    const Value v = any(small_of(rows_));
    I64s dimension{first()};
    small_.push_back(
        make_.op("stablehlo.multiply",
                 {v, make_.op("stablehlo.tanh",
                              {make_.op("stablehlo.reverse", {v}, {{"dimensions", dimension}})})}));
  }

  std::mt19937 random_;
  RandomGraph program_;
  ir::Graph* body_ = nullptr;
  ir::Maker make_;
  std::int64_t heads_ = 0, rows_ = 1, columns_ = 1, depth_ = 1;
  std::vector<Value> large_, small_, sinks_, row_sums_;
};

}  // namespace

RandomGraph random_rows(unsigned seed) { return Rows(seed).finish(); }

}  // namespace partita::testing

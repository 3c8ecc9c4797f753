// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/normalization.hpp"

#include "partita/ir/maker.hpp"

namespace partita::ir {
namespace {

/// Small floats are computed in f32 and rounded once.
class Normalization {
 public:
  Normalization(Graph& graph, const Node& node, Node* before)
      : m_{graph, before},
        node_(node),
        feature_(node.attrs.i64("feature_index")),
        wide_(node.operand(0).type()),
        epsilon_(node.attrs.find("epsilon")->get_if<Float>()->value) {
    if (wide_.dtype != DType::f64) wide_.dtype = DType::f32;
    vector_ = {.dtype = wide_.dtype, .dims = {wide_.dims[std::size_t(feature_)]}};
    for (const Value& v : node.operands()) operands_.push_back(m_.convert(v, wide_.dtype));
    elements_ = vector_.count() == 0 ? 0 : double(wide_.count()) / double(vector_.count());
  }

  std::vector<Value> run() {
    if (node_.is("stablehlo.batch_norm_inference"))
      return narrow({normalized(operands_[3], operands_[4], operands_[1], operands_[2])});
    return narrow(node_.is("stablehlo.batch_norm_training") ? training() : gradient());
  }

 private:
  Value spread(Value v) const { return m_.broadcast(v, wide_.dims, {feature_}); }
  Value binary(const char* name, Value a, Value b) const {
    return m_.op(cat("stablehlo.", name), {a, b});
  }
  Value sum(Value v) const {
    I64s others;
    for (std::int64_t d = 0; d < wide_.rank(); ++d)
      if (d != feature_) others.push_back(d);
    return m_.sum(v, others);
  }
  Value mean(Value v) const { return binary("divide", sum(v), m_.splat(vector_, elements_)); }
  Value shifted(Value variance) const {
    return binary("add", variance, m_.splat(vector_, epsilon_));
  }
  Value deviation(Value variance) const { return m_.op("stablehlo.sqrt", {shifted(variance)}); }
  Value centered(Value mean) const { return binary("subtract", operands_[0], spread(mean)); }

  Value normalized(Value mean, Value variance, Value scale, Value offset) const {
    const Value unit = binary("divide", centered(mean), spread(deviation(variance)));
    return binary("add", binary("multiply", spread(scale), unit), spread(offset));
  }
  std::vector<Value> training() const {
    const Value average = mean(operands_[0]), from_mean = centered(average);
    const Value variance = mean(binary("multiply", from_mean, from_mean));
    return {normalized(average, variance, operands_[1], operands_[2]), average, variance};
  }
  std::vector<Value> gradient() const {
    const Value scale = operands_[1], average = operands_[2], variance = operands_[3],
                g = operands_[4];
    const Value from_mean = centered(average), root = deviation(variance);
    const Value count = m_.splat(vector_, elements_);
    const Value offset = sum(g), moment = sum(binary("multiply", g, from_mean));
    const Value of_scale = sum(binary("multiply", g, binary("divide", from_mean, spread(root))));
    const Value around =
        binary("multiply", from_mean, spread(binary("divide", moment, shifted(variance))));
    const Value parts =
        binary("subtract", binary("subtract", binary("multiply", g, spread(count)), spread(offset)),
               around);
    const Value factor = binary("divide", binary("divide", scale, root), count);
    return {binary("multiply", spread(factor), parts), of_scale, offset};
  }
  std::vector<Value> narrow(std::vector<Value> results) const {
    for (std::size_t k = 0; k < results.size(); ++k)
      results[k] = m_.convert(results[k], node_.result_types()[k].dtype);
    return results;
  }

  Maker m_;
  const Node& node_;
  std::int64_t feature_;
  Type wide_, vector_;
  double epsilon_, elements_ = 0;
  std::vector<Value> operands_;
};

}  // namespace

std::vector<Value> normalization_ops(Graph& graph, const Node& node, Node* before) {
  return Normalization(graph, node, before).run();
}

}  // namespace partita::ir

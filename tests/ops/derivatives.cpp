// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of the ops' samples, in f64: against differences of the function, forward against
// reverse mode, and once more of what reverse mode gives.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <regex>
#include <set>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/elementwise.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {
namespace {

using ir::Function;
using ir::Module;
using ir::OpDef;
using ir::Tensor;
using Numbers = std::vector<Tensor>;

/// f64 for other floats, so that differences say something.
std::string wide(const std::string& text) {
  return std::regex_replace(text, std::regex("bf16|f16|f32"), "f64");
}

Tensor shared(HostArray array) { return std::make_shared<const HostArray>(std::move(array)); }

/// The numbers of an array of f64 or complex<f64>, one by one.
std::span<double> numbers(HostArray& array) {
  const std::size_t each = is_complex(array.type.dtype) ? 2 : 1;
  return {reinterpret_cast<double*>(array.bytes.data()), std::size_t(array.type.count()) * each};
}
std::span<const double> numbers(const HostArray& array) {
  return numbers(const_cast<HostArray&>(array));
}

class Inputs {
 public:
  explicit Inputs(unsigned seed) : random_(seed) {}
  Tensor draw(const Type& type, double low, double high) {
    if (ir::has_tangent(type)) {
      HostArray array(type);
      for (double& x : numbers(array))
        x = std::uniform_real_distribution<double>(low, high)(random_);
      return shared(std::move(array));
    }
    HostArray whole(Type{.dtype = DType::f64, .dims = type.dims});
    for (double& x : numbers(whole)) x = double(random_() % (type.dtype == DType::i1 ? 2 : 3));
    return shared(convert(whole, type.dtype));
  }
  Numbers like(const std::vector<Type>& types) {
    Numbers all;
    for (const Type& t : types) all.push_back(draw(t, -1, 1));
    return all;
  }

 private:
  std::mt19937 random_;
};

/// Σ re(a·b)
double pairing(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto x = numbers(*a[k]), y = numbers(*b[k]);
    const bool pairs = is_complex(a[k]->type.dtype);
    for (std::size_t i = 0; i < x.size(); ++i) sum += (pairs && i % 2 == 1 ? -1 : 1) * x[i] * y[i];
  }
  return sum;
}

Numbers moved(Numbers x, const std::vector<std::int64_t>& wrt, const Numbers& along, double by) {
  for (std::size_t k = 0; k < wrt.size(); ++k) {
    HostArray array = *x[std::size_t(wrt[k])];
    const auto to = numbers(array);
    const auto from = numbers(*along[k]);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * from[i];
    x[std::size_t(wrt[k])] = shared(std::move(array));
  }
  return x;
}

struct Subject {
  const Module& module;
  const Function& function;
  std::vector<std::int64_t> wrt;  ///< arguments with tangents
  std::vector<std::size_t> of;    ///< results with tangents
  std::string name;

  Subject(const Module& m, const Function& f, std::string what)
      : module(m), function(f), name(std::move(what)) {
    const auto types = f.argument_types();
    for (std::size_t k = 0; k < types.size(); ++k)
      if (ir::has_tangent(types[k])) wrt.push_back(std::int64_t(k));
    for (std::size_t k = 0; k < f.result_types.size(); ++k)
      if (ir::has_tangent(f.result_types[k])) of.push_back(k);
  }
  [[nodiscard]] Numbers run(const ir::Graph& graph, const Numbers& x) const {
    return ir::Interpreter(module).run(graph, x);
  }
  [[nodiscard]] Numbers values(const Numbers& x) const {
    const Numbers all = run(*function.body, x);
    Numbers kept;
    for (const std::size_t k : of) kept.push_back(all[k]);
    return kept;
  }
  [[nodiscard]] std::vector<Type> argument_types() const {
    std::vector<Type> types;
    for (const std::int64_t k : wrt) types.push_back(function.argument_types()[std::size_t(k)]);
    return types;
  }
  [[nodiscard]] std::vector<Type> result_types() const {
    std::vector<Type> types;
    for (const std::size_t k : of) types.push_back(function.result_types[k]);
    return types;
  }
};

Numbers tail(const Numbers& all, std::size_t count) {
  return {all.end() - std::ptrdiff_t(count), all.end()};
}

void expect_near(const Numbers& found, const Numbers& low, const Numbers& high, double h,
                 const std::string& what) {
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto x = numbers(*found[k]), a = numbers(*low[k]), b = numbers(*high[k]);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double slope = (b[i] - a[i]) / (2 * h);
      ASSERT_NEAR(x[i], slope, 2e-6 * (1 + std::abs(slope)) + 1e-9 * std::abs(a[i]) / h)
          << what << ", result " << k << ", element " << i;
    }
  }
}

/// First order at x: forward mode against differences, reverse against forward.
void expect_derivatives(const Subject& s, const Numbers& x, unsigned seed) {
  Inputs inputs(seed);
  const Numbers t = inputs.like(s.argument_types()), u = inputs.like(s.result_types());
  constexpr double h = 1e-5;
  Numbers with_t = x, with_u = x;
  with_t.insert(with_t.end(), t.begin(), t.end());
  with_u.insert(with_u.end(), u.begin(), u.end());
  const Numbers jt = tail(s.run(*ir::jvp_graph(s.module, s.function, s.wrt), with_t), s.of.size());
  expect_near(jt, s.values(moved(x, s.wrt, t, -h)), s.values(moved(x, s.wrt, t, h)), h,
              s.name + ": forward");
  const Numbers uj = tail(s.run(*ir::vjp_graph(s.module, s.function, s.wrt), with_u), s.wrt.size());
  const double forward = pairing(u, jt), reverse = pairing(uj, t);
  ASSERT_NEAR(forward, reverse, 1e-9 * (1 + std::abs(forward))) << s.name << ": reverse";
}

Numbers arguments(const Subject& s, const OpDef& op, unsigned seed) {
  Inputs inputs(seed);
  Numbers x;
  for (const Type& type : s.function.argument_types()) {
    const std::size_t k = x.size();
    const bool has_range = op.row != nullptr && k < 3;
    x.push_back(inputs.draw(type, has_range ? op.row->samples[k].low : 0.5,
                            has_range ? op.row->samples[k].high : 2));
  }
  return x;
}

void check(const OpDef& op, std::size_t sample) {
  const std::string name = cat(op.name, " sample ", sample);
  SCOPED_TRACE(name);
  const auto module = ir::parse_module(wide(op.samples[sample]), name);
  const Subject first(*module, module->entry("main"), name);
  if (first.wrt.empty() || first.of.empty()) return;
  const Numbers x = arguments(first, op, 7);
  expect_derivatives(first, x, 11);
  if (::testing::Test::HasFatalFailure()) return;
  // The reverse as a function of arguments and cotangents.
  const Function& reverse = ir::vjp(*module, "main", "reverse", first.wrt);
  const Subject second(*module, reverse, name + ", second order");
  Numbers with_u = x;
  for (const Tensor& u : Inputs(3).like(first.result_types())) with_u.push_back(u);
  expect_derivatives(second, with_u, 13);
}

class DerivativeOf : public ::testing::TestWithParam<const OpDef*> {};

TEST_P(DerivativeOf, samples) {
  const OpDef& op = *GetParam();
  for (std::size_t k = 0; k < op.samples.size(); ++k) {
    try {
      check(op, k);
    } catch (const Error& e) {
      // A row, or a reduction, may know some of its derivatives only.
      const std::string why = e.what();
      const bool is_known = why.find("no op computes it") != std::string::npos ||
                            why.find("by a region of several ops") != std::string::npos;
      EXPECT_TRUE(is_known) << op.name << " sample " << k << ": " << e.what();
    }
  }
}

std::vector<const OpDef*> with_derivatives() {
  std::vector<const OpDef*> all;
  for (const OpDef* op : ir::OpRegistry::instance().all())
    // What rounds has the derivative of the identity.
    if (op->derivative.exists() && op->name != "stablehlo.reduce_precision") all.push_back(op);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ops, DerivativeOf, ::testing::ValuesIn(with_derivatives()),
                         [](const auto& info) {
                           return std::regex_replace(info.param->name, std::regex("[^a-z0-9_]"),
                                                     "_");
                         });

/// Ops whose rules are still to be written; a name is taken out with its rule or its reason.
const std::set<std::string, std::less<>> unwritten{
    "chlo.constant_like",
    "interpreter.probe",
    "interpreter.run_parallel",
    "sdy.manual_computation",
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.cholesky",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.collective_reduce",
    "stablehlo.convolution",
    "stablehlo.custom_call",
    "stablehlo.custom_call @ProductOfElementaryHouseholderReflectors",
    "stablehlo.custom_call @Qr",
    "stablehlo.custom_call @SPMDFullToShardShape",
    "stablehlo.custom_call @SPMDShardToFullShape",
    "stablehlo.custom_call @Sharding",
    "stablehlo.custom_call @annotate_device_placement",
    "stablehlo.gather",
    "stablehlo.reduce_scatter",
    "stablehlo.rng",
    "stablehlo.scatter",
    "stablehlo.triangular_solve"};

TEST(Derivatives, every_op_has_one_or_a_reason) {
  for (const OpDef* op : ir::OpRegistry::instance().all()) {
    const bool is_said = !op->derivative.reason.empty() && op->derivative.reason != "no rule yet";
    EXPECT_EQ(op->derivative.exists() || is_said, !unwritten.contains(op->name))
        << op->name << " has neither a derivative nor a reason, or has one and is in the list";
  }
}

}  // namespace
}  // namespace partita::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Checks of derivatives in f64: forward mode against differences, reverse against forward mode, and
// the same for the reverse as a function of its own.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {

using ir::Function;
using ir::Module;
using ir::OpDef;
using ir::Tensor;
using Numbers = std::vector<Tensor>;

/// f64 for other floats, so that differences say something.
inline std::string wide(const std::string& text) {
  return std::regex_replace(text, std::regex("bf16|f16|f32"), "f64");
}

inline Tensor shared(HostArray array) {
  return std::make_shared<const HostArray>(std::move(array));
}

/// The numbers of an array of f64 or complex<f64>, one by one.
inline std::span<double> numbers(HostArray& array) {
  const std::size_t each = is_complex(array.type.dtype) ? 2 : 1;
  return {reinterpret_cast<double*>(array.bytes.data()), std::size_t(array.type.count()) * each};
}
inline std::span<const double> numbers(const HostArray& array) {
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
inline double pairing(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto x = numbers(*a[k]), y = numbers(*b[k]);
    const bool pairs = is_complex(a[k]->type.dtype);
    for (std::size_t i = 0; i < x.size(); ++i) sum += (pairs && i % 2 == 1 ? -1 : 1) * x[i] * y[i];
  }
  return sum;
}

inline Numbers moved(Numbers x, const std::vector<std::int64_t>& wrt, const Numbers& along,
                     double by) {
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

inline Numbers tail(const Numbers& all, std::size_t count) {
  return {all.end() - std::ptrdiff_t(count), all.end()};
}

inline void expect_near(const Numbers& found, const Numbers& low, const Numbers& high, double h,
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
inline void expect_derivatives(const Subject& s, const Numbers& x, unsigned seed) {
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

/// First and second order of @main at random arguments, by all from `first_wrt` on; `draw` makes
/// argument k.
template <class Draw>
void expect_both_orders(Module& module, const std::string& name, const Draw& draw,
                        std::int64_t first_wrt = 0) {
  const auto is_skipped = [&](std::int64_t k) { return k < first_wrt; };
  Subject first(module, module.entry("main"), name);
  std::erase_if(first.wrt, is_skipped);
  if (first.wrt.empty() || first.of.empty()) return;
  Numbers x;
  for (const Type& type : first.function.argument_types()) x.push_back(draw(type, x.size()));
  expect_derivatives(first, x, 11);
  if (::testing::Test::HasFatalFailure()) return;
  // The reverse as a function of arguments and cotangents.
  const Function& reverse = ir::vjp(module, "main", "reverse", first.wrt);
  Subject second(module, reverse, name + ", second order");
  std::erase_if(second.wrt, is_skipped);
  Numbers with_u = x;
  for (const Tensor& u : Inputs(3).like(first.result_types())) with_u.push_back(u);
  expect_derivatives(second, with_u, 13);
}

}  // namespace partita::testing

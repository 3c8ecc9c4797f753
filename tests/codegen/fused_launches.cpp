// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How many launches and kernels programs come to: values over the same items share kernels.
#include <gtest/gtest.h>

#include <set>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

struct Counts {
  int launches = 0, copies = 0;
  std::size_t kernels = 0, temporaries = 0;
};

void count(const Steps& steps, Counts& counts) {
  for (const Step& s : steps) {
    counts.launches += std::holds_alternative<Launch>(s.what);
    counts.copies += std::holds_alternative<Copy>(s.what);
    if (const For* f = std::get_if<For>(&s.what)) count(f->body, counts);
    if (const While* w = std::get_if<While>(&s.what)) {
      count(w->condition, counts);
      count(w->body, counts);
    }
  }
}

Counts counts_of(const std::string& arguments, const std::string& results,
                 const std::string& body) {
  const auto module = ir::parse_module(
      cat("func.func @main(", arguments, ") -> (", results, ") {\n", body, "}\n"), "program");
  const Artifact artifact = partita::compile(*module, {}).artifact;
  Counts counts{.kernels = artifact.kernels.size()};
  count(artifact.plan.steps, counts);
  for (const Buffer& b : artifact.plan.buffers) counts.temporaries += b.kind == BufferKind::arena;
  return counts;
}

/// Lines of a function, each defining the next value.
class Lines {
 public:
  std::string add(const std::string& op, const std::string& type) {
    const std::string name = cat("%v", next_++);
    text += cat("  ", name, " = ", op, " : ", type, "\n");
    return name;
  }
  std::string binary(const std::string& op, const std::string& a, const std::string& b,
                     const std::string& type) {
    return add(cat("stablehlo.", op, " ", a, ", ", b), type);
  }
  std::string splat(const std::string& value, const std::string& type) {
    return add(cat("stablehlo.constant dense<", value, ">"), type);
  }
  std::string text;

 private:
  int next_ = 0;
};

/// Threefry2x32 as JAX unrolls it: keys %k0 and %k1, counts are an iota.
std::pair<std::string, std::string> threefry(Lines& f, const std::string& type) {
  const auto spread = [&](const std::string& key) {
    return f.add(cat("stablehlo.broadcast_in_dim ", key, ", dims = []"),
                 cat("(tensor<ui32>) -> ", type));
  };
  const std::string mixed = f.binary("xor", "%k0", "%k1", "tensor<ui32>");
  const std::string parity = f.splat("466688986", "tensor<ui32>");
  const std::string keys[] = {spread("%k0"), spread("%k1"),
                              spread(f.binary("xor", mixed, parity, "tensor<ui32>"))};
  std::string x = f.binary("add", f.splat("0", type), keys[0], type);
  std::string y = f.binary("add", f.add("stablehlo.iota dim = 0", type), keys[1], type);
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  for (int group = 0; group < 5; ++group) {
    for (const int r : rotations[group % 2]) {
      x = f.binary("add", x, y, type);
      const std::string left = f.binary("shift_left", y, f.splat(cat(r), type), type);
      const std::string right =
          f.binary("shift_right_logical", y, f.splat(cat(32 - r), type), type);
      y = f.binary("xor", x, f.binary("or", left, right, type), type);
    }
    x = f.binary("add", x, keys[(group + 1) % 3], type);
    y = f.binary("add", f.binary("add", y, keys[(group + 2) % 3], type),
                 f.splat(cat(group + 1), type), type);
  }
  return {x, y};
}

TEST(FusedLaunches, RoundsOfAThreefry) {
  Lines f;
  const std::string type = "tensor<100xui32>";
  const auto [x, y] = threefry(f, type);
  f.text += cat("  return ", x, ", ", y, " : ", type, ", ", type, "\n");
  const Counts c = counts_of("%k0: tensor<ui32>, %k1: tensor<ui32>", cat(type, ", ", type), f.text);
  EXPECT_EQ(c.launches, 1);
  EXPECT_EQ(c.temporaries, 0u);
}

TEST(FusedLaunches, NormalNumbers) {
  Lines f;
  const std::string bits = "tensor<100xui32>", real = "tensor<100xf32>";
  const auto [x, y] = threefry(f, bits);
  const std::string mixed = f.binary("xor", x, y, bits);
  const std::string high = f.binary("shift_right_logical", mixed, f.splat("9", bits), bits);
  const std::string in_one = f.binary("or", high, f.splat("1065353216", bits), bits);
  const std::string near_one =
      f.add("stablehlo.bitcast_convert " + in_one, cat("(", bits, ") -> ", real));
  const std::string unit = f.binary("subtract", near_one, f.splat("1.0", real), real);
  const std::string wide = f.binary("multiply", unit, f.splat("2.0", real), real);
  const std::string moved = f.binary("add", wide, f.splat("-0.99999994", real), real);
  const std::string clipped = f.binary("maximum", f.splat("-0.99999994", real), moved, real);
  const std::string normal = f.add("chlo.erf_inv " + clipped, cat(real, " -> ", real));
  f.text += cat("  return ", normal, " : ", real, "\n");
  const Counts c = counts_of("%k0: tensor<ui32>, %k1: tensor<ui32>", real, f.text);
  EXPECT_LE(c.launches, 2);
}

/// Moments and parameter of one array by Adam's rule, all of them results.
std::string adam(Lines& f, const std::string& k, const std::string& type) {
  const auto scaled = [&](const std::string& x, const std::string& by) {
    return f.binary("multiply", x, f.splat(by, type), type);
  };
  const std::string m = f.binary("add", scaled("%m" + k, "0.9"), scaled("%g" + k, "0.1"), type);
  const std::string square = f.binary("multiply", "%g" + k, "%g" + k, type);
  const std::string v =
      f.binary("add", scaled("%v" + k + "_", "0.999"), scaled(square, "0.001"), type);
  const std::string root = f.add("stablehlo.sqrt " + scaled(v, "1.5"), type);
  const std::string step = f.binary("divide", scaled(m, "1.25"),
                                    f.binary("add", root, f.splat("1e-8", type), type), type);
  const std::string p = f.binary("subtract", "%p" + k, scaled(step, "0.001"), type);
  return cat(p, ", ", m, ", ", v);
}

TEST(FusedLaunches, AdamIsOneLaunchPerArray) {
  Lines f;
  std::string arguments, results, values;
  for (const auto& [k, type] : {std::pair("0", "tensor<300x70xf32>"), {"1", "tensor<70xf32>"}}) {
    for (const char* name : {"p", "m", "g"}) arguments += cat("%", name, k, ": ", type, ", ");
    arguments += cat("%v", k, "_: ", type, *k == '0' ? ", " : "");
    values += cat(values.empty() ? "" : ", ", adam(f, k, type));
    for (int n = 0; n < 3; ++n) results += cat(results.empty() ? "" : ", ", type);
  }
  f.text += cat("  return ", values, " : ", results, "\n");
  const Counts c = counts_of(arguments, results, f.text);
  EXPECT_EQ(c.launches, 2);
  EXPECT_EQ(c.copies, 0);
}

std::string reduce(Lines& f, const std::string& op, const std::string& x, const std::string& init) {
  return f.add(cat("stablehlo.reduce(", x, " init: ", init, ") applies stablehlo.", op,
                   " across dimensions = [1]"),
               "(tensor<32x48xf32>, tensor<f32>) -> tensor<32xf32>");
}

TEST(FusedLaunches, ReductionsOfOneOperandShareALoop) {
  Lines f;
  const std::string zero = f.splat("0.0", "tensor<f32>");
  const std::string sum = reduce(f, "add", "%x", zero), most = reduce(f, "maximum", "%x", zero);
  const std::string both = f.binary("subtract", most, sum, "tensor<32xf32>");
  f.text += cat("  return ", both, ", ", sum, " : tensor<32xf32>, tensor<32xf32>\n");
  const Counts c = counts_of("%x: tensor<32x48xf32>", "tensor<32xf32>, tensor<32xf32>", f.text);
  EXPECT_EQ(c.launches, 1);
}

TEST(FusedLaunches, Softmax) {
  Lines f;
  const std::string type = "tensor<32x48xf32>";
  const auto spread = [&](const std::string& x) {
    return f.add(cat("stablehlo.broadcast_in_dim ", x, ", dims = [0]"),
                 cat("(tensor<32xf32>) -> ", type));
  };
  const std::string zero = f.splat("0.0", "tensor<f32>");
  const std::string moved =
      f.binary("subtract", "%x", spread(reduce(f, "maximum", "%x", zero)), type);
  const std::string e = f.add("stablehlo.exponential " + moved, type);
  const std::string y = f.binary("divide", e, spread(reduce(f, "add", e, zero)), type);
  f.text += cat("  return ", y, " : ", type, "\n");
  EXPECT_LE(counts_of("%x: " + type, type, f.text).launches, 4);
}

TEST(FusedLaunches, LayerNorm) {
  Lines f;
  const std::string type = "tensor<32x48xf32>", rows = "tensor<32xf32>";
  const auto spread = [&](const std::string& x) {
    return f.add(cat("stablehlo.broadcast_in_dim ", x, ", dims = [0]"),
                 cat("(", rows, ") -> ", type));
  };
  const std::string zero = f.splat("0.0", "tensor<f32>"), n = f.splat("48.0", rows);
  const std::string mean = f.binary("divide", reduce(f, "add", "%x", zero), n, rows);
  const std::string off = f.binary("subtract", "%x", spread(mean), type);
  const std::string square = f.binary("multiply", off, off, type);
  const std::string variance = f.binary("divide", reduce(f, "add", square, zero), n, rows);
  const std::string safe = f.binary("add", variance, f.splat("1e-5", rows), rows);
  const std::string scale = f.add("stablehlo.rsqrt " + safe, rows);
  const std::string y = f.binary("multiply", off, spread(scale), type);
  f.text += cat("  return ", y, " : ", type, "\n");
  EXPECT_EQ(counts_of("%x: " + type, type, f.text).launches, 2);
}

TEST(FusedLaunches, LoopsStartFromValuesThatAreNotStored) {
  Lines f;
  const std::string type = "tensor<300x70xf32>";
  f.text = R"(
    %wide = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<70xf32>) -> tensor<300x70xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %a = %wide) : tensor<i32>, tensor<300x70xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.multiply %a, %a : tensor<300x70xf32>
      stablehlo.return %next, %b : tensor<i32>, tensor<300x70xf32>
    }
    %change = stablehlo.subtract %0#1, %wide : tensor<300x70xf32>
    return %change : tensor<300x70xf32>
)";
  const Counts c = counts_of("%x: tensor<70xf32>", type, f.text);
  EXPECT_EQ(c.launches, 3);
  EXPECT_EQ(c.copies, 0);
  EXPECT_EQ(c.temporaries, 0u);  // what the loop carries lies where the result does
}

TEST(FusedLaunches, WhatReadsOtherItemsIsAKernelOfItsOwn) {
  Lines f;
  const std::string type = "tensor<64xf32>";
  const std::string e = f.add("stablehlo.exponential %x", type);
  const std::string back = f.add(cat("stablehlo.reverse ", e, ", dims = [0]"), type);
  const std::string sum = f.binary("add", e, back, type);
  f.text += cat("  return ", sum, ", ", e, " : ", type, ", ", type, "\n");
  EXPECT_EQ(counts_of("%x: " + type, cat(type, ", ", type), f.text).launches, 2);
}

}  // namespace
}  // namespace partita::testing

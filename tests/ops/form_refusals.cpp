// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Forms that name functions are refused where these do not fit, with what would.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::ir {
namespace {

/// A program with these signatures of functions around one form.
std::string program(const std::string& fwd_results, const std::string& bwd,
                    const std::string& form) {
  const std::string x = "tensor<3xf32>";
  return cat("func.func private @f(%x: ", x, ") -> ", x, " {\n  return %x : ", x, "\n}\n",
             "func.func private @fwd(%x: ", x, ") -> (", fwd_results, ") {\n  return ",
             fwd_results == x ? "%x" : "%x, %x", " : ", fwd_results, "\n}\n",
             "func.func private @bwd(", bwd, ") -> ", x, " {\n  return %g : ", x, "\n}\n",
             "func.func @main(%x: ", x, ") -> ", x, " {\n  %r = ", form, " : (", x, ") -> ", x,
             "\n  return %r : ", x, "\n}");
}

std::string message(const std::string& text) {
  try {
    (void)parse_module(text, "form.mlir");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user);
    return e.located_message();
  }
  return "accepted";
}

const std::string one = "tensor<3xf32>", two = "tensor<3xf32>, tensor<3xf32>",
                  takes_one = "%g: tensor<3xf32>",
                  takes_two = "%r: tensor<3xf32>, %g: tensor<3xf32>",
                  all = R"("mr.custom_vjp"(%x) {callee = @f, fwd = @fwd, bwd = @bwd})";

TEST(FormRefusals, FunctionsThatFitAreTaken) {
  EXPECT_EQ(message(program(two, takes_two, all)), "accepted");
  EXPECT_EQ(message(program(one, takes_one, all)), "accepted");
}

TEST(FormRefusals, FunctionsThatDoNotFitAreNamed) {
  EXPECT_NE(message(program(two, takes_one, all)).find("expected 2 arguments of @bwd"),
            std::string::npos);
  EXPECT_NE(message(program(one, takes_two, all)).find("expected 1 arguments of @bwd"),
            std::string::npos);
}

TEST(FormRefusals, NamesThatAreMissingAreAskedFor) {
  EXPECT_NE(message(program(one, takes_one, R"("mr.custom_vjp"(%x) {callee = @f, fwd = @fwd})"))
                .find("expected an attribute bwd that names a function"),
            std::string::npos);
  EXPECT_NE(message(program(one, takes_one, R"("mr.checkpoint"(%x) {callee = @g})"))
                .find("expected the name of a function as callee, found @g"),
            std::string::npos);
  EXPECT_NE(message(program(one, takes_two, R"("mr.checkpoint"(%x) {callee = @bwd})"))
                .find("expected 2 operands for @bwd"),
            std::string::npos);
}

}  // namespace
}  // namespace partita::ir

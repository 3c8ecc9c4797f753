// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of functions of arrays, within a program that is being built.  The function may itself
// use derivatives, maps, loops, and arrays from around it; the latter count as constants.  Ops
// without derivative are refused when the program is expanded, by name and path.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "partita/builder/array.hpp"

namespace partita::build {

enum class Mode : std::uint8_t { reverse, forward };

/// One scalar of floats from arrays.
using Loss = std::function<Array(const Arrays&)>;

struct ValueAndGradients {
  Array value;
  Arrays gradients;  ///< one for each entry of `wrt`, of that argument's type
};
/// The loss at the arguments and its gradients with respect to the arguments `wrt`; none named: all.
ValueAndGradients value_and_grad(const Loss& loss, const Arrays& arguments,
                                 const std::vector<std::int64_t>& wrt = {},
                                 Mode mode = Mode::reverse);
/// Its gradients alone.
Arrays grad(const Loss& loss, const Arrays& arguments, const std::vector<std::int64_t>& wrt = {},
            Mode mode = Mode::reverse);

struct Pushed {
  Arrays results, tangents;
};
/// Results at the arguments and their tangents for tangents of all arguments.
Pushed jvp(const Body& function, const Arrays& arguments, const Arrays& tangents);

struct Pulled {
  Arrays results, cotangents;
};
/// Results at the arguments and cotangents of all arguments for cotangents of all results.
Pulled vjp(const Body& function, const Arrays& arguments, const Arrays& cotangents);

/// Derivatives of all elements of function(x) by all elements of x: dimensions of the result, then of x.
/// Forward mode takes tangents along all elements of x, reverse mode cotangents of all of the result,
/// many of them at once.
Array jacfwd(const std::function<Array(const Array&)>& function, const Array& x);
Array jacrev(const std::function<Array(const Array&)>& function, const Array& x);
/// Second derivatives of a loss: dimensions of x twice.
Array hessian(const std::function<Array(const Array&)>& loss, const Array& x);

}  // namespace partita::build

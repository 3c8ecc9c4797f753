// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lists of arrays that are treated alike: the leaves of a model, of its gradient, of a state.
#pragma once

#include <cstddef>
#include <functional>

#include "partita/builder/array.hpp"

namespace partita::algorithms {

using build::Array;
using build::Arrays;

/// f of each leaf, or of the leaves at the same position; lists of different length are a user error.
Arrays each(const Arrays& a, const std::function<Array(const Array&)>& f);
Arrays each(const Arrays& a, const Arrays& b,
            const std::function<Array(const Array&, const Array&)>& f);

/// One list after the other.
Arrays joined(const Arrays& a, const Arrays& b);
/// `count` leaves from `first` on.
Arrays part(const Arrays& leaves, std::size_t first, std::size_t count);

/// A scalar or a literal in an element type.
Array as_type(const Array& factor, DType dtype);
/// a + factor·b, leaf by leaf; `factor` is a scalar of any float type.
Arrays add_scaled(const Arrays& a, const Array& factor, const Arrays& b);

}  // namespace partita::algorithms

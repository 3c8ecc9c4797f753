// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Neighbouring elements of values, read and written as one where that is possible (kernel/ast/neighbours.hpp).
#pragma once

#include <functional>
#include <vector>

#include "kernel/ast/neighbours.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

/// An expression by the number of the neighbour.
using OfNeighbour = std::function<scalar::ExprId(scalar::ExprId number)>;

/// `element` for each of `width` neighbours, with what is given in its place.
[[nodiscard]] std::vector<scalar::ExprId> neighbours(
    KernelBody& body, int width, const OfNeighbour& element,
    const std::vector<GivenNeighbours>& given = {});

/// Whether neighbours read something, and all of that as one.
[[nodiscard]] bool reads_as_one(KernelBody& body, int width, const OfNeighbour& element);

/// Stores neighbours into the memory at a location, at linear indices by their number: as many as
/// possible as one.
void store_neighbours(KernelBody& body, const Location& at, DType d, const OfNeighbour& index,
                      const std::vector<scalar::ExprId>& values);

}  // namespace partita::lowering

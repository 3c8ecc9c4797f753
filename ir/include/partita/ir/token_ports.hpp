// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Tokens that come into a program and leave it.  JAX passes an empty array of i1 for one and takes one back.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Makes arguments and results of `f` that are tokens arrays of i1 without elements.  Programs have no
/// effects outside of themselves that tokens could put in order.
void replace_token_ports(Function& f);

}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values that are sums over axes of a mesh of what the devices hold: shardings with unreduced axes.  At edges of
// computations for devices and of programs they become arrays with the terms along a new first dimension, which those
// axes cut, so that nothing else has to know of them.  Within a program an unreduced value is its sum: constraints that
// ask for terms are taken for ones of the sum.
#pragma once

#include "partita/ir/graph.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

/// Operands and results of computations for devices (sdy.manual_computation) that are unreduced.
void split_partial_values(Module& module);

/// Arguments and results of a function that are unreduced: its types change.
void split_partial_ports(const Module& module, Function& f);

/// Whether what the attributes of a port say leaves sums over axes that have several devices.
[[nodiscard]] bool is_partial_port(const Module& module, const Dict& attributes);

}  // namespace partita::ir

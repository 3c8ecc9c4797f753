// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Constants as passes see them: asking for their value, and evaluating nodes of constants with the
// interpreter where the result is small or one repeated element.
#pragma once

#include <optional>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {

/// The data of a stablehlo.constant; null for other values.
[[nodiscard]] ir::DenseRef constant_of(ir::Value v);
/// The repeated element of a constant that has only one, as a scalar constant's data; else null.
[[nodiscard]] ir::DenseRef splat_of(ir::Value v);
/// Whether v is a constant whose elements all equal `x` in its type, bit for bit (0 is not -0).
[[nodiscard]] bool is_splat(ir::Value v, double x);
/// Whether v is a constant whose elements all are what changes nothing under a combiner.
[[nodiscard]] bool is_identity_of(Combiner combiner, ir::Value v);
/// A constant of integers or booleans as i64 numbers; nothing for other values, for ui64 beyond i64,
/// or with more than `max_count` elements.
[[nodiscard]] std::optional<ir::I64s> integers_of(ir::Value v, std::int64_t max_count = 64);
/// A scalar constant's element repeated to `dims`.
[[nodiscard]] ir::DenseRef repeat(const ir::Dense& scalar, const Dims& dims);

/// Results of a node whose operands are constants, unless they are large; empty where it cannot be
/// evaluated at compile time.
[[nodiscard]] std::vector<ir::DenseRef> evaluate(const ir::Node& node, const ir::Module& module);

}  // namespace partita::ir

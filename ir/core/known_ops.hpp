// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Names of ops that the dialects define, whether or not partita implements them: so that an error
// can tell a missing feature from a wrong name.
#pragma once

#include <string_view>

namespace partita::ir {

[[nodiscard]] bool is_dialect_op(std::string_view name);
/// Whether partita reads ops of this op's dialect.
[[nodiscard]] bool is_known_dialect(std::string_view op_name);

}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What went wrong on several shards, made into one error.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace partita {

/// The text of an exception, with its place where it has one.
[[nodiscard]] std::string describe(const std::exception_ptr& error) noexcept;

/// Rethrows the error that explains the others: the first that is no consequence of another
/// shard's failure, else the first.  Does nothing where all are null.
void rethrow_cause(const std::vector<std::exception_ptr>& errors);

}  // namespace partita

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

namespace partita::testing {

/// Whether the next case of a long list is run: with PARTITA_TEST_SLICE=K/N (.ci/run) one of N of a process, else each.
[[nodiscard]] bool is_in_slice();

}  // namespace partita::testing

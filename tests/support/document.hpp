// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Documents that are generated from the code: a test compares the file in docs/ with what the code
// says, and writes it instead when PARTITA_UPDATE_DOCS is set.
#pragma once

#include <string>

namespace partita::testing {

/// Expects docs/<name> to hold `text`; the failure says which test writes it anew.
void expect_document(const std::string& name, const std::string& text);

}  // namespace partita::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// docs/passes.md is what the passes say of themselves.  With PARTITA_UPDATE_DOCS=1 the test writes it.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/driver/pipelines.hpp"
#include "tests/support/document.hpp"

namespace partita::testing {
namespace {

std::string stage_name(passes::Stage stage) {
  switch (stage) {
    case passes::Stage::parsed:
      return "parsed";
    case passes::Stage::inlined:
      return "inlined";
    case passes::Stage::raised:
      return "raised";
    case passes::Stage::placed:
      return "placed";
    case passes::Stage::distributed:
      return "distributed";
  }
  return {};
}

std::string document() {
  std::string text =
      "# Passes\n\n"
      "Generated from the passes by `tests/passes/passes_document.cpp`; `partita opt IN --passes "
      "\"a b{k=v}\"` runs\n"
      "any of them, `--pipeline NAME` a named sequence.\n\n"
      "| pipeline | passes |\n|---|---|\n";
  for (const char* name : {"frontend", "placement", "compile"}) {
    std::string passes;
    for (const passes::PassRun& run : passes::named_pipeline(name))
      passes += cat(passes.empty() ? "" : ", ", run.name);
    text += cat("| ", name, " | ", passes, " |\n");
  }
  text += "\n| pass | does | needs | gives | idempotent |\n|---|---|---|---|---|\n";
  for (const passes::PassInfo& p : passes::all_passes())
    text += cat("| ", p.name, " | ", p.doc, " | ", stage_name(p.needs), " | ", stage_name(p.gives),
                " | ", p.idempotent ? "yes" : "no", " |\n");
  return text;
}

TEST(PassesDocument, IsUpToDate) { expect_document("passes.md", document()); }

}  // namespace
}  // namespace partita::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// docs/passes.md is what the passes say of themselves.  With PARTITA_UPDATE_DOCS=1 the test writes it.
#include <gtest/gtest.h>

#include "kernel/draft_pass.hpp"
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
      "any of them, `--pipeline NAME` a named sequence. `lower{target=cpu}` makes a draft of a "
      "module: what\n"
      "follows it are passes over drafts (docs/drafts.md). `partita compile --dump-after PASS` "
      "writes what a\n"
      "pass leaves.\n\n"
      "| pipeline | passes |\n|---|---|\n";
  for (const std::string& name : driver::pipeline_names()) {
    std::string passes;
    for (const driver::PassRun& run : driver::named_pipeline(name))
      passes += cat(passes.empty() ? "" : ", ", run.name);
    text += cat("| ", name, " | ", passes, " |\n");
  }
  text += "\n| pass | does | needs | gives | idempotent |\n|---|---|---|---|---|\n";
  for (const passes::PassInfo& p : passes::all_passes())
    text += cat("| ", p.name, " | ", p.doc, " | ", stage_name(p.needs), " | ", stage_name(p.gives),
                " | ", p.idempotent ? "yes" : "no", " |\n");
  text += "\n| pass over drafts | does | temporaries have places | options |\n|---|---|---|---|\n";
  for (const kernel::DraftPass& p : kernel::all_draft_passes()) {
    std::string options;
    for (const std::string& o : p.options) options += cat(options.empty() ? "" : ", ", o);
    text += cat("| ", p.name, " | ", p.doc, " | ",
                p.gives_places   ? "not before, after"
                : p.needs_places ? "yes"
                                 : "no",
                " | ", options, " |\n");
  }
  return text;
}

TEST(PassesDocument, IsUpToDate) { expect_document("passes.md", document()); }

}  // namespace
}  // namespace partita::testing

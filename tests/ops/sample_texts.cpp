// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The samples of all ops as text: what is printed is read again and printed the same.  Where
// PARTITA_SAMPLE_TEXTS names a folder, the printed texts are left there for other parsers.
#include <gtest/gtest.h>

#include <filesystem>

#include "partita/base/env.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

TEST(SampleTexts, are_printed_as_they_are_read_again) {
  const auto folder = environment("PARTITA_SAMPLE_TEXTS");
  for (const OpDef* op : OpRegistry::instance().all())
    for (std::size_t k = 0; k < op->samples.size(); ++k) {
      const std::string name = cat(op->name, " sample ", k);
      const std::string text = print_module(*parse_module(op->samples[k], name));
      EXPECT_EQ(print_module(*parse_module(text, "printed " + name)), text) << name;
      if (folder) write_file(std::filesystem::path(*folder) / (name + ".mlir"), text);
    }
}

}  // namespace
}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs with random inputs, what the interpreter makes of them, and whether artifacts of them do the same.
#pragma once

#include <string>
#include <vector>

#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "tests/codegen/group_form.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::testing {

/// @main of a text with inputs, the same each time, and the interpreter's results.
struct Asked {
  std::string text;
  std::vector<ir::Tensor> inputs, expected;

  explicit Asked(std::string program)
      : text(std::move(program)), inputs(inputs_of(text)), expected(ir::run_text(text, inputs)) {}

  /// Two runs over poisoned memory give these results, but for `rounding` times what one operation rounds.
  void expect_of(Artifact artifact, const std::string& what, double rounding = 1) const {
    Session session(std::move(artifact), {.poison = 0xff});
    for (std::size_t k = 0; k < inputs.size(); ++k) session.set_input(int(k), *inputs[k]);
    for (int run = 0; run < 2; ++run) {
      session.run();
      for (std::size_t k = 0; k < expected.size(); ++k)
        ir::expect_close(std::make_shared<const HostArray>(session.output(int(k)).value()),
                         expected[k], cat(what, ", result ", k), rounding);
    }
  }
};

/// Targets that this machine runs.
inline std::vector<std::string> targets_here() {
  if (list_devices().empty()) return {"cpu"};
  return {"cpu", "opencl"};
}

}  // namespace partita::testing

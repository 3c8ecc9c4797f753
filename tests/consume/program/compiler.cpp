// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A program that embeds the compiler: the registered ops and passes are linked in.
#include <iostream>

#include "partita/driver/pipelines.hpp"

int main() {
  const auto passes = partita::passes::all_passes();
  std::cout << "passes: " << passes.size() << '\n';
  return passes.empty() ? 1 : 0;
}

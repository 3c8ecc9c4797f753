// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A C++ host that links the runtime alone.
#include <iostream>

#include "partita/base/dtype.hpp"

int main() {
  std::cout << "dtypes: " << partita::all_dtypes.size() << '\n';
  return partita::all_dtypes.empty() ? 1 : 0;
}

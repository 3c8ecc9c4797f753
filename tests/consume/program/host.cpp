// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A C++ host that links the runtime alone, through both of its C++ interfaces.
#include <iostream>

#include "partita.hpp"
#include "partita/base/dtype.hpp"

int main() {
  std::cout << "dtypes: " << partita::all_dtypes.size() << '\n';
  try {
    const partita::host::Artifact artifact("no_such_file.pta");
  } catch (const partita::host::Error& error) {
    return error.status() == PARTITA_ERROR_USER ? 0 : 1;
  }
  return 1;
}

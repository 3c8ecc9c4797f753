// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/backend_config.hpp"

namespace partita::ir {

const Dict* backend_config(const Dict& attributes) {
  for (const char* name : {"mhlo.backend_config", "backend_config"})
    if (const Attribute* config = attributes.find(name))
      if (const Dict* dict = config->get_if<Dict>()) return dict;
  return nullptr;
}

}  // namespace partita::ir

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The object behind a partita_artifact.
#pragma once

#include <vector>

#include "partita.h"
#include "partita/artifact/artifact.hpp"

namespace partita::c_api {

/// What a partita_port points to, beyond the port itself.
struct PortView {
  Dims local_dims;
  std::vector<partita_port_axis> axes;
};

}  // namespace partita::c_api

struct partita_artifact {
  /// Its signature does not change any more.
  explicit partita_artifact(partita::Artifact program);
  partita::Artifact artifact;
  std::vector<partita::c_api::PortView> inputs, outputs;
};

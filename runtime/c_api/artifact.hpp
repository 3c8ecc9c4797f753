// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The object behind a partita_artifact.
#pragma once

#include "partita.h"
#include "partita/artifact/artifact.hpp"

struct partita_artifact {
  partita::Artifact artifact;
};

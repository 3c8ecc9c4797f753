// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs built in C++, all of it.
#pragma once

#include "partita/builder/array.hpp"
#include "partita/builder/control.hpp"
#include "partita/builder/derivatives.hpp"
#include "partita/builder/elementwise.hpp"
#include "partita/builder/meshes.hpp"
#include "partita/builder/ops.hpp"
#include "partita/builder/placements.hpp"
#include "partita/builder/program.hpp"

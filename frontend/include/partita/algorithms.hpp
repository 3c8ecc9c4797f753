// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Training algorithms over the partitions of a placement, as functions that build programs.
#pragma once

#include "partita/algorithms/diloco.hpp"
#include "partita/algorithms/leaves.hpp"
#include "partita/algorithms/optimizers.hpp"
#include "partita/algorithms/rounds.hpp"
#include "partita/algorithms/training.hpp"
#include "partita/algorithms/tuning.hpp"

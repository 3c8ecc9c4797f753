// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#define PARTITA_FOURIER_LEVEL base
#include "runtime/fourier/lanes.hpp"

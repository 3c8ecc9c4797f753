// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#if defined(__x86_64__)
#define PARTITA_FOURIER_LEVEL v3
#include "runtime/fourier/lanes.hpp"
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What most tests include, read once for each executable (cmake/precompiled.hpp).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"
#include "partita/ir/op.hpp"

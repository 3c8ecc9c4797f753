// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What most files include of the standard library.  With -DPARTITA_PRECOMPILE=ON it is read once for each
// target; files still include what they use.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

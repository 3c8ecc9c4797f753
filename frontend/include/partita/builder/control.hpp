// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control flow of built programs.
#pragma once

#include <cstdint>
#include <functional>

#include "partita/builder/array.hpp"

namespace partita::build {

/// Carries values as long as `condition` (to one i1) holds.
Arrays while_loop(const Arrays& initial, const std::function<Array(const Arrays&)>& condition,
                  const Body& body);
/// `count` times; the step (i32, from 0) and the carried values to the next ones.
Arrays repeat(std::int64_t count, const Arrays& initial,
              const std::function<Arrays(const Array& step, const Arrays& carried)>& body);

struct Scanned {
  Arrays carried, stacked;
};
/// Over the first dimension of `inputs`: what is carried and one slice of each input (without that
/// dimension) to what is carried on and what is stacked along a first dimension.
Scanned scan(const Arrays& initial, const Arrays& inputs,
             const std::function<Scanned(const Arrays& carried, const Arrays& slices)>& body);

/// Results of `then` or of `otherwise`, which yield the same types.
Arrays cond(const Array& condition, const std::function<Arrays()>& then,
            const std::function<Arrays()>& otherwise);

}  // namespace partita::build

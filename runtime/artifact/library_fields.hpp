// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The members of the matrix library's parameters, for artifacts and tuning files alike.
#pragma once

#include "partita/artifact/artifact.hpp"
#include "runtime/artifact/plan_fields.hpp"

namespace partita {

template <class A>
void fields(A& a, Ref<A, LibraryParameters::Value> x) {
  a("name", x.name);
  a("value", x.value);
}

template <class A>
void fields(A& a, Ref<A, LibraryParameters> x) {
  a("kernel", x.kernel);
  a("dtype", x.dtype);
  a("values", x.values);
}

template <class A>
void fields(A& a, Ref<A, LibrarySettings> x) {
  a("devices", x.devices);
  a("parameters", x.parameters);
}

}  // namespace partita

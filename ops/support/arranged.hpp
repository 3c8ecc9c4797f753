// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Operands of products for evaluation: in the order in which they are run over, and wide enough to be summed.
#pragma once

#include <initializer_list>
#include <vector>

#include "ops/support/support.hpp"

namespace partita::ir::ops {

/// The elements of an array with its dimensions in the given order, as Acc.
template <class Acc>
std::vector<Acc> arranged(const HostArray& array, std::initializer_list<const I64s*> order) {
  const Dims strides = row_major_strides(array.type.dims);
  View source;
  Type type{.dtype = array.type.dtype, .dims = {}};
  for (const I64s* dims : order)
    for (const std::int64_t d : *dims) {
      source.strides.push_back(strides[std::size_t(d)]);
      type.dims.push_back(array.type.dims[std::size_t(d)]);
    }
  HostArray moved(type);
  copy_box(array, source, moved, view_of(type), type.dims);
  std::vector<Acc> out(std::size_t(type.count()));
  visit(type.dtype, [&](auto d) {
    const auto* data = moved.data<d>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if constexpr (is_complex(d)) {
        if constexpr (is_std_complex<Acc>) out[i] = Acc(data[i]);
      } else {
        if constexpr (is_std_complex<Acc>)
          out[i] = Acc(typename Acc::value_type(load<d>(data, i)));
        else
          out[i] = Acc(load<d>(data, i));
      }
    }
  });
  return out;
}

}  // namespace partita::ir::ops

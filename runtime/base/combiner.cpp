// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/combiner.hpp"

#include "partita/base/error.hpp"

namespace partita {
namespace {

using Identity = CombinerInfo::Identity;

template <DType d>
ValueType<d> value_of(Identity identity) {
  using T = ValueType<d>;
  if (identity == Identity::zero) return T(0);
  if (identity == Identity::one) return T(1);
  if constexpr (std::is_floating_point_v<T>) {
    const T last = T(decode_float(d, info(d).format.last_number()));  // infinity, where it has one
    if (identity == Identity::highest) return last;
    return info(d).format.is_signed ? -last : T(decode_float(d, 0));
  } else if constexpr (std::is_integral_v<T>) {
    if (identity == Identity::lowest) return lowest_integer<d>;
    if (identity == Identity::highest || std::is_same_v<T, bool>) return highest_integer<d>;
    return T(-1);
  }
  return T{};
}

}  // namespace

HostArray identity_of(Combiner c, DType d) {
  if (!combines(c, d))
    throw_user_error(cat("elements of ", to_string(d), " have no identity of ", to_string(c)));
  HostArray scalar(Type::scalar(d));
  visit(d,
        [&](auto type) { store<type>(value_of<type>(info(c).identity), scalar.data<type>(), 0); });
  return scalar;
}

}  // namespace partita

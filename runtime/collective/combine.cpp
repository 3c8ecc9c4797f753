// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/combine.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "partita/base/cpu_levels.hpp"
#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Every NaN becomes the same one: which operand's payload survives is up to the compiler.
template <class T>
T one_nan(T x) {
  return x == x ? x : std::numeric_limits<T>::quiet_NaN();
}

struct Sum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_floating_point_v<T>) {
      return one_nan(a + b);
    } else {
      using U = std::make_unsigned_t<T>;
      return T(U(U(a) + U(b)));
    }
  }
};

/// Where two floats are equal they are the same bits, or zeros of different sign: the maximum then
/// has the sign bit of both, the minimum of either.
struct Max {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_floating_point_v<T>) {
      using U = BitsOf<T>;
      const T equal = std::bit_cast<T>(U(std::bit_cast<U>(a) & std::bit_cast<U>(b)));
      const T larger = a > b ? a : b > a ? b : equal;
      return a == a && b == b ? larger : std::numeric_limits<T>::quiet_NaN();
    } else {
      return a > b ? a : b;
    }
  }
};

struct Min {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_floating_point_v<T>) {
      using U = BitsOf<T>;
      const T equal = std::bit_cast<T>(U(std::bit_cast<U>(a) | std::bit_cast<U>(b)));
      const T smaller = a < b ? a : b < a ? b : equal;
      return a == a && b == b ? smaller : std::numeric_limits<T>::quiet_NaN();
    } else {
      return a < b ? a : b;
    }
  }
};

struct And {
  template <class T>
  static T apply(T a, T b) {
    return T(a & b);
  }
};

struct Or {
  template <class T>
  static T apply(T a, T b) {
    return T(a | b);
  }
};

constexpr std::size_t block = 64;

/// The inner loop has a constant length and, as the pragma says, no dependence between iterations
/// (out is a or b, or apart from them): that is what g++ vectorises at -O2.
template <class Op, class T>
[[gnu::always_inline]] inline void combine_loop(T* out, const T* a, const T* b, std::size_t count) {
  std::size_t i = 0;
  for (; i + block <= count; i += block) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (std::size_t j = 0; j < block; ++j) out[i + j] = Op::template apply<T>(a[i + j], b[i + j]);
  }
  for (; i < count; ++i) out[i] = Op::template apply<T>(a[i], b[i]);
}

// The same loop for the vectors that this machine has: a message that lies in the cache is combined at the rate of
// the cache. Additions, comparisons and selections alone, so every level gives the same bits.
#if defined(__x86_64__)
template <class Op, class T>
[[gnu::target("arch=x86-64-v3"), gnu::flatten]] void combine_v3(T* out, const T* a, const T* b,
                                                                std::size_t count) {
  combine_loop<Op, T>(out, a, b, count);
}
template <class Op, class T>
[[gnu::target("arch=x86-64-v4"), gnu::flatten]] void combine_v4(T* out, const T* a, const T* b,
                                                                std::size_t count) {
  combine_loop<Op, T>(out, a, b, count);
}

template <class Op, class T>
void combine_values(T* out, const T* a, const T* b, std::size_t count) {
  static const bool v4 = has_cpu_level("x86-64-v4"), v3 = has_cpu_level("x86-64-v3");
  if (v4) return combine_v4<Op, T>(out, a, b, count);
  if (v3) return combine_v3<Op, T>(out, a, b, count);
  combine_loop<Op, T>(out, a, b, count);
}
#else
template <class Op, class T>
void combine_values(T* out, const T* a, const T* b, std::size_t count) {
  combine_loop<Op, T>(out, a, b, count);
}
#endif

template <class Op>
void combine_booleans(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b,
                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::uint8_t(Op::template apply<bool>(a[i] != 0, b[i] != 0));
  }
}

template <class Op, DType d>
void combine_as(std::byte* out, const std::byte* a, const std::byte* b, std::size_t count) {
  using T = StorageType<d>;
  if constexpr (d == DType::i1) {
    combine_booleans<Op>(reinterpret_cast<T*>(out), reinterpret_cast<const T*>(a),
                         reinterpret_cast<const T*>(b), count);
  } else if constexpr (is_std_complex<T>) {
    // A complex number is an array of two parts, and its sum that of the parts.
    using Part = typename T::value_type;
    combine_values<Op, Part>(reinterpret_cast<Part*>(out), reinterpret_cast<const Part*>(a),
                             reinterpret_cast<const Part*>(b), 2 * count);
  } else {
    combine_values<Op, T>(reinterpret_cast<T*>(out), reinterpret_cast<const T*>(a),
                          reinterpret_cast<const T*>(b), count);
  }
}

bool is_combinable(DType dtype, Combiner combiner) {
  return travel_dtype(dtype) == dtype && combines(combiner, dtype) &&
         std::ranges::find(collective_combiners, combiner) != collective_combiners.end();
}

}  // namespace

void check_combinable(DType dtype, Combiner combiner) {
  if (is_combinable(dtype, combiner)) return;
  if (const DType travels = travel_dtype(dtype); travels != dtype) {
    throw_user_error(cat("all_reduce: expected ", to_string(travels), ", found ", to_string(dtype),
                         ", which travels as ", to_string(travels)));
  }
  throw_user_error(cat("all_reduce: expected a dtype that '", to_string(combiner),
                       "' combines, found ", to_string(dtype)));
}

void combine(DType dtype, Combiner combiner, std::byte* out, const std::byte* a, const std::byte* b,
             std::size_t count) {
  visit(dtype, [&](auto d) {
    constexpr DType type = decltype(d)::value;
    constexpr bool bits = intersects(info(type).kind, Kinds::bits);
    if constexpr (travel_dtype(type) != type) {
      check_combinable(dtype, combiner);
    } else {
      if (combiner == Combiner::sum) return combine_as<Sum, type>(out, a, b, count);
      if constexpr (!is_complex(type)) {
        if (combiner == Combiner::max) return combine_as<Max, type>(out, a, b, count);
        if (combiner == Combiner::min) return combine_as<Min, type>(out, a, b, count);
      }
      if constexpr (bits) {
        if (combiner == Combiner::logical_and) return combine_as<And, type>(out, a, b, count);
        if (combiner == Combiner::logical_or) return combine_as<Or, type>(out, a, b, count);
      }
      check_combinable(dtype, combiner);
    }
  });
}

}  // namespace partita::collective

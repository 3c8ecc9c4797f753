// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/lane_loops.hpp"

#include <algorithm>
#include <cstring>

#include "partita/base/error.hpp"

namespace partita::cpu {
namespace {

using Op = LaneInstruction::Op;

struct Wide {
  std::uint64_t parts[2];
};

/// Calls `f` with a value of the type that has so many bytes.
template <class F>
void with_bytes(int bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t());
    case 2:
      return f(std::uint16_t());
    case 4:
      return f(std::uint32_t());
    case 8:
      return f(std::uint64_t());
    default:
      return f(Wide());
  }
}

/// Calls `f` for each active lane.
template <class F>
void each(std::int64_t n, const std::uint8_t* mask, const F& f) {
  if (mask == nullptr) {
    for (std::int64_t i = 0; i < n; ++i) f(i);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      if (mask[i] != 0) f(i);
  }
}

// Elements in memory may be aligned to less than a number of their size (complex ones).
template <class T>
T read(const T* at) {
  T x;
  std::memcpy(&x, at, sizeof x);
  return x;
}
template <class T>
void write(T* at, T x) {
  std::memcpy(at, &x, sizeof x);
}

/// Of non-negative numbers by positive ones.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  // The nearest double to a quotient lies below the next integer where the numbers are small.
  constexpr std::int64_t small = std::int64_t(1) << 52;
  return a < small && a >= 0 ? std::int64_t(double(a) / double(b)) : a / b;
}

template <class To, class F>
void map(const std::int64_t* a, const std::int64_t* b, void* to, std::int64_t n, const F& f) {
  To* const result = static_cast<To*>(to);
  for (std::int64_t i = 0; i < n; ++i) result[i] = To(f(a[i], b[i]));
}

}  // namespace

void splat_lanes(const void* from, void* to, int bytes, std::int64_t n) {
  with_bytes(bytes, [&]<class T>(T x) {
    std::memcpy(&x, from, sizeof x);
    std::fill_n(static_cast<T*>(to), n, x);
  });
}

void ramp_lanes(std::int64_t first, std::int64_t step, std::int64_t* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = first + i * step;
}

void move_lanes(const void* from, void* to, int bytes, std::int64_t n, const std::uint8_t* mask) {
  if (mask == nullptr) {
    if (from != to) std::memcpy(to, from, std::size_t(n * bytes));
    return;
  }
  select_lanes(mask, from, to, to, bytes, n);
}

void select_lanes(const std::uint8_t* condition, const void* a, const void* b, void* to, int bytes,
                  std::int64_t n) {
  with_bytes(bytes, [&]<class T>(T) {
    const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
    T* const result = static_cast<T*>(to);
    for (std::int64_t i = 0; i < n; ++i) result[i] = condition[i] != 0 ? x[i] : y[i];
  });
}

void multiply_add_lanes(DType dtype, void* to, const void* a, const void* b, std::int64_t n,
                        const std::uint8_t* mask) {
  visit(dtype, [&](auto constant) {
    constexpr DType d = constant;
    if constexpr (is_float(d)) {
      using T = StorageType<d>;
      const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
      T* const sum = static_cast<T*>(to);
      each(n, mask, [&](std::int64_t i) {
        store<d>(round_to<d>(load<d>(sum, std::size_t(i)) +
                             load<d>(x, std::size_t(i)) * load<d>(y, std::size_t(i))),
                 sum, std::size_t(i));
      });
    } else {
      throw_internal_error(cat("a fused product of ", to_string(d)));
    }
  });
}

void gather_lanes(const void* from, const std::int64_t* index, void* to, int bytes, std::int64_t n,
                  const std::uint8_t* mask) {
  with_bytes(bytes, [&]<class T>(T) {
    const T* const x = static_cast<const T*>(from);
    T* const result = static_cast<T*>(to);
    each(n, mask, [&](std::int64_t i) { result[i] = read(x + index[i]); });
  });
}

void scatter_lanes(void* to, const std::int64_t* index, const void* from, int bytes, std::int64_t n,
                   const std::uint8_t* mask) {
  with_bytes(bytes, [&]<class T>(T) {
    const T* const x = static_cast<const T*>(from);
    T* const result = static_cast<T*>(to);
    each(n, mask, [&](std::int64_t i) { write(result + index[i], x[i]); });
  });
}

void read_row(const void* from, std::int64_t stride, void* to, int bytes, std::int64_t n,
              const std::uint8_t* mask) {
  if (mask == nullptr && stride == 1) {
    std::memcpy(to, from, std::size_t(n * bytes));
    return;
  }
  with_bytes(bytes, [&]<class T>(T) {
    const T* const x = static_cast<const T*>(from);
    T* const result = static_cast<T*>(to);
    each(n, mask, [&](std::int64_t i) { result[i] = read(x + i * stride); });
  });
}

void write_row(void* to, std::int64_t stride, const void* from, int bytes, std::int64_t n,
               const std::uint8_t* mask) {
  if (mask == nullptr && stride == 1) {
    std::memcpy(to, from, std::size_t(n * bytes));
    return;
  }
  with_bytes(bytes, [&]<class T>(T) {
    const T* const x = static_cast<const T*>(from);
    T* const result = static_cast<T*>(to);
    each(n, mask, [&](std::int64_t i) { write(result + i * stride, x[i]); });
  });
}

void index_lanes(Op op, const std::int64_t* a, const std::int64_t* b, void* to, std::int64_t n) {
  using I = std::int64_t;
  // Indices of lanes that are not active may be anything.
  using U = std::uint64_t;
  switch (op) {
    case Op::add:
      return map<I>(a, b, to, n, [](I x, I y) { return I(U(x) + U(y)); });
    case Op::subtract:
      return map<I>(a, b, to, n, [](I x, I y) { return I(U(x) - U(y)); });
    case Op::multiply:
      return map<I>(a, b, to, n, [](I x, I y) { return I(U(x) * U(y)); });
    case Op::divide:
      return map<I>(a, b, to, n, quotient);
    case Op::modulo:
      return map<I>(a, b, to, n, [](I x, I y) { return I(U(x) - U(quotient(x, y)) * U(y)); });
    case Op::least:
      return map<I>(a, b, to, n, [](I x, I y) { return std::min(x, y); });
    case Op::most:
      return map<I>(a, b, to, n, [](I x, I y) { return std::max(x, y); });
    case Op::less:
      return map<std::uint8_t>(a, b, to, n, [](I x, I y) { return x < y; });
    case Op::less_equal:
      return map<std::uint8_t>(a, b, to, n, [](I x, I y) { return x <= y; });
    case Op::equal:
      return map<std::uint8_t>(a, b, to, n, [](I x, I y) { return x == y; });
    default:
      throw_internal_error("an instruction that is no operation on indices");
  }
}

std::int64_t and_lanes(const std::uint8_t* condition, const std::uint8_t* mask, std::uint8_t wanted,
                       std::uint8_t* to, std::int64_t n) {
  const bool inverts = wanted == 0;
  for (std::int64_t i = 0; i < n; ++i)
    to[i] = std::uint8_t(((condition[i] != 0) != inverts) & (mask == nullptr || mask[i] != 0));
  return sum_lanes(to, n);
}

std::int64_t sum_lanes(const std::uint8_t* mask, std::int64_t n) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += mask[i] != 0;
  return sum;
}

}  // namespace partita::cpu

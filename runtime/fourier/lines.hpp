// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lines of numbers that are transformed together, and the machine code that does so: compiled once per instruction
// set (lanes.hpp), called by transform.cpp.  No templates of the standard library here: the linker would keep one copy
// of an instance, of any instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace partita::fourier {

/// A stage of a transform: n = radix · done · rest.
template <class T>
struct Stage {
  int radix = 0;
  std::int64_t done = 0, rest = 0;
  const T *re = nullptr, *im = nullptr;  ///< exp(-2πi u p / (radix · done)) at (u - 1) · done + p
  const T *cosines = nullptr, *sines = nullptr;  ///< of 2πk / radix, of a radix above 13
};

constexpr int largest_radix = 127;

/// A transform of n complex numbers, all stages over the whole line.
template <class T>
struct Plan {
  std::int64_t n = 1;
  int stages = 0;
  const Stage<T>* stage = nullptr;
};

/// One of n = columns.n · rows.n numbers as a matrix, of so many rows as columns.n.
template <class T>
struct Split {
  Plan<T> columns, rows;
  const T *re = nullptr, *im = nullptr;  ///< exp(-2πi k j / n) at k · rows.n + j
};

/// What a line is before and after: n complex numbers, or real ones and the first half of their spectrum.
enum class Form { complex, to_spectrum, from_spectrum };

/// Transforms of lines.  A line's elements lie `inner` elements apart; lines are outer · inner, the last of these side by
/// side.
template <class T>
struct Lines {
  Form form = Form::complex;
  bool inverse = false;
  T scale = 1;              ///< of results
  std::int64_t length = 1;  ///< of the complex or real end
  std::int64_t inner = 1;
  std::int64_t lines = 1;  ///< outer · inner
  const T* in = nullptr;
  T* out = nullptr;
  /// Real lines of even length are transformed as half as many complex numbers: exp(-2πi k / length), k = 0 … length / 4.
  bool in_pairs = false;
  const T *pair_re = nullptr, *pair_im = nullptr;
  const Plan<T>* plan = nullptr;  ///< of `points()` numbers; where there is no split
  const Split<T>* split = nullptr;

  /// Complex numbers that are transformed.
  [[nodiscard]] std::int64_t points() const { return in_pairs ? length / 2 : length; }
  /// Whether matrices are of two real lines each: those of odd length that lie one after another.
  [[nodiscard]] bool by_twos() const { return form != Form::complex && !in_pairs && inner == 1; }
  /// Numbers of a real line's spectrum that are kept.
  [[nodiscard]] std::int64_t spectrum() const { return length / 2 + 1; }
  /// Numbers of a line as it is read and written.
  [[nodiscard]] std::int64_t read() const {
    return form == Form::from_spectrum ? spectrum() : length;
  }
  [[nodiscard]] std::int64_t written() const {
    return form == Form::to_spectrum ? spectrum() : length;
  }
};

/// The machine code of one instruction set.
template <class T>
struct Code {
  int lanes = 1;  ///< numbers of a vector
  /// Transforms lines [begin, end), with scratch of scratch_size() numbers at an address that vectors may have.
  void (*run)(const Lines<T>& lines, std::int64_t begin, std::int64_t end, T* scratch) = nullptr;
};

/// Whether lines that lie so many side by side are too few to be taken as neighbours: those of several rows are taken
/// together instead, a number at a time.
[[nodiscard]] constexpr bool are_apart(std::int64_t inner, int lanes) {
  return inner == 1 || 4 * inner < lanes;
}

/// Elements of each of the two arrays of planes.
template <class T>
[[nodiscard]] std::int64_t planes_of(const Lines<T>& lines) {
  if (lines.split == nullptr) return lines.plan->n + 2;
  const std::int64_t rows = lines.split->columns.n, columns = lines.split->rows.n;
  return (rows > columns ? rows : columns) + 2;
}

/// Numbers of T.
template <class T>
[[nodiscard]] std::int64_t scratch_size(const Lines<T>& lines, int lanes) {
  const std::int64_t temporaries = lines.split == nullptr ? 0 : 3 * 2 * (lines.length + 2);
  return 4 * planes_of(lines) * lanes + temporaries;
}

// What lanes.hpp gives for instruction sets: what the library is compiled for, and on that processor x86-64-v3 and -v4.
namespace base {
Code<float> code_f32();
Code<double> code_f64();
}  // namespace base
namespace v3 {
Code<float> code_f32();
Code<double> code_f64();
}  // namespace v3
namespace v4 {
Code<float> code_f32();
Code<double> code_f64();
}  // namespace v4

}  // namespace partita::fourier

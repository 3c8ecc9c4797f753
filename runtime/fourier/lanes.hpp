// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Transforms of as many lines at once as a vector has numbers ("lanes"), for the instruction set that the including file
// is compiled for, in the namespace PARTITA_FOURIER_LEVEL.
//
// Planes hold element k of all lanes as two vectors, of real and of imaginary parts.  A transform of planes goes by stages
// (lowering/ops/fft/fft.cpp has their formula), without reordering.  A long line is a matrix instead: its columns are
// transformed side by side, multiplied by powers of the root, and so are its rows; what lies between stays in the cache,
// and no lanes are left over where lines are few.  Inverse transforms are those forward, read backwards.
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <type_traits>
#include <utility>

#include "runtime/fourier/lines.hpp"

namespace partita::fourier::PARTITA_FOURIER_LEVEL {

using Index = std::int64_t;

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T>
constexpr int lanes_of = vector_bytes / int(sizeof(T));

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

constexpr Index smaller(Index a, Index b) { return a < b ? a : b; }

template <class T>
Vector<T> load_vector(const T* at) {
  Vector<T> v;
  __builtin_memcpy(&v, at, sizeof v);
  return v;
}
template <class T>
void store_vector(const Vector<T>& v, T* at) {
  __builtin_memcpy(at, &v, sizeof v);
}

/// The first `count` numbers; the others are zeros, and are not read.
template <class T>
Vector<T> load_part(const T* at, Index count) {
#if defined(__AVX512F__)
  const auto mask = (1U << count) - 1;
  if constexpr (sizeof(T) == 4)
    return _mm512_maskz_loadu_ps(__mmask16(mask), at);
  else
    return _mm512_maskz_loadu_pd(__mmask8(mask), at);
#else
  Vector<T> v = {};
  for (Index l = 0; l < count; ++l) v[l] = at[l];
  return v;
#endif
}
/// The others are not written.
template <class T>
void store_part(const Vector<T>& v, Index count, T* at) {
#if defined(__AVX512F__)
  const auto mask = (1U << count) - 1;
  if constexpr (sizeof(T) == 4)
    _mm512_mask_storeu_ps(at, __mmask16(mask), v);
  else
    _mm512_mask_storeu_pd(at, __mmask8(mask), v);
#else
  for (Index l = 0; l < count; ++l) at[l] = v[l];
#endif
}

template <class V, int... k>
V low_by_turns(V a, V b, std::integer_sequence<int, k...> /*places*/) {
  return __builtin_shufflevector(a, b, (k / 2 + (k % 2) * int(sizeof...(k)))...);
}
template <class V, int... k>
V high_by_turns(V a, V b, std::integer_sequence<int, k...> /*places*/) {
  return __builtin_shufflevector(a, b,
                                 (k / 2 + int(sizeof...(k)) / 2 + (k % 2) * int(sizeof...(k)))...);
}
template <class V, int... k>
V every_second(V a, V b, std::integer_sequence<int, k...> /*places*/) {
  return __builtin_shufflevector(a, b, (2 * k)...);
}
template <class V, int... k>
V every_second_from_one(V a, V b, std::integer_sequence<int, k...> /*places*/) {
  return __builtin_shufflevector(a, b, (2 * k + 1)...);
}
template <class V, int... k>
V backwards(V a, std::integer_sequence<int, k...> /*places*/) {
  return __builtin_shufflevector(a, a, (int(sizeof...(k)) - 1 - k)...);
}
template <class T>
using Places = std::make_integer_sequence<int, lanes_of<T>>;

/// Rows of a square become its columns.
template <class T>
void turn(Vector<T>* rows) {
  constexpr int count = lanes_of<T>;
  for (int step = 1; step < count; step *= 2) {
    Vector<T> next[count];
#pragma GCC unroll 16
    for (int i = 0; i < count / 2; ++i) {
      next[2 * i] = low_by_turns(rows[i], rows[i + count / 2], Places<T>());
      next[2 * i + 1] = high_by_turns(rows[i], rows[i + count / 2], Places<T>());
    }
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) rows[i] = next[i];
  }
}

// --- Complex numbers of all lanes ---------------------------------------------------------------

template <class T>
struct Number {
  Vector<T> re, im;
};

template <class T>
Number<T> operator+(const Number<T>& a, const Number<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
Number<T> operator-(const Number<T>& a, const Number<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
Number<T> conjugate(const Number<T>& x) {
  return {x.re, -x.im};
}
/// -i x
template <class T>
Number<T> turned(const Number<T>& x) {
  return {x.im, -x.re};
}
/// By a number, of all lanes or one for each.
template <class T, class Part>
Number<T> times(const Number<T>& x, const Part& re, const Part& im) {
  return {x.re * re - x.im * im, x.re * im + x.im * re};
}

// --- Butterflies --------------------------------------------------------------------------------

/// Cosines and sines of 2πk / radix, of odd radices.
template <int radix>
struct Roots;
// clang-format off
template <> struct Roots<3> {
  static constexpr double cosines[] = {1, -0.5, -0.5};
  static constexpr double sines[] = {0, 0.86602540378443864676, -0.86602540378443864676};
};
template <> struct Roots<5> {
  static constexpr double cosines[] = {1, 0.30901699437494742410, -0.80901699437494742410, -0.80901699437494742410, 0.30901699437494742410};
  static constexpr double sines[] = {0, 0.95105651629515357212, 0.58778525229247312917, -0.58778525229247312917, -0.95105651629515357212};
};
template <> struct Roots<7> {
  static constexpr double cosines[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624, -0.90096886790241912624, -0.22252093395631440429, 0.62348980185873353053};
  static constexpr double sines[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048, -0.43388373911755812048, -0.97492791218182360702, -0.78183148246802980871};
};
template <> struct Roots<11> {
  static constexpr double cosines[] = {1, 0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044, -0.65486073394528506406, -0.95949297361449738990, -0.95949297361449738990, -0.65486073394528506406, -0.14231483827328514044, 0.41541501300188642553, 0.84125353283118116886};
  static constexpr double sines[] = {0, 0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238, 0.75574957435425828377, 0.28173255684142969771, -0.28173255684142969771, -0.75574957435425828377, -0.98982144188093273238, -0.90963199535451837141, -0.54064081745559758211};
};
template <> struct Roots<13> {
  static constexpr double cosines[] = {1, 0.88545602565320989590, 0.56806474673115580251, 0.12053668025532305335, -0.35460488704253562597, -0.74851074817110109863, -0.97094181742605202716, -0.97094181742605202716, -0.74851074817110109863, -0.35460488704253562597, 0.12053668025532305335, 0.56806474673115580251, 0.88545602565320989590};
  static constexpr double sines[] = {0, 0.46472317204376854566, 0.82298386589365639458, 0.99270887409805399280, 0.93501624268541482344, 0.66312265824079520238, 0.23931566428755776715, -0.23931566428755776715, -0.66312265824079520238, -0.93501624268541482344, -0.99270887409805399280, -0.82298386589365639458, -0.46472317204376854566};
};
// clang-format on

/// Of an odd radix: terms u and radix - u have the same cosine and opposite sines.
template <int most, class T, class Root>
void odd_butterfly(int radix, const Root* cosines, const Root* sines, Number<T>* x) {
  constexpr int most_half = (most - 1) / 2;
  const int half = (radix - 1) / 2;
  Number<T> sum[most_half], difference[most_half], all = x[0];
  for (int u = 0; u < half; ++u) {
    sum[u] = x[u + 1] + x[radix - 1 - u];
    difference[u] = x[u + 1] - x[radix - 1 - u];
    all = all + sum[u];
  }
  for (int j = 1; j <= half; ++j) {
    Number<T> even = x[0];
    Vector<T> re = {}, im = {};
    for (int u = 0, k = 0; u < half; ++u) {
      k += j;
      if (k >= radix) k -= radix;
      const T cosine = T(cosines[k]), sine = T(sines[k]);
      even.re += sum[u].re * cosine;
      even.im += sum[u].im * cosine;
      re += difference[u].im * sine;
      im += difference[u].re * sine;
    }
    x[j] = {even.re + re, even.im - im};
    x[radix - j] = {even.re - re, even.im + im};
  }
  x[0] = all;
}

template <int radix, class T>
struct Butterfly {
  static void run(Number<T>* x) {
    odd_butterfly<radix, T>(radix, Roots<radix>::cosines, Roots<radix>::sines, x);
  }
};

template <class T>
struct Butterfly<2, T> {
  static void run(Number<T>* x) {
    const Number<T> a = x[0] + x[1], b = x[0] - x[1];
    x[0] = a;
    x[1] = b;
  }
};

template <class T>
struct Butterfly<4, T> {
  static void run(Number<T>* x) {
    const Number<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = turned(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
};

template <class T>
struct Butterfly<8, T> {
  static void run(Number<T>* x) {
    Number<T> even[] = {x[0], x[2], x[4], x[6]}, odd[] = {x[1], x[3], x[5], x[7]};
    Butterfly<4, T>::run(even);
    Butterfly<4, T>::run(odd);
    constexpr T root = T(0.70710678118654752440);
    odd[1] = {(odd[1].re + odd[1].im) * root, (odd[1].im - odd[1].re) * root};
    odd[2] = turned(odd[2]);
    odd[3] = {(odd[3].im - odd[3].re) * root, (odd[3].re + odd[3].im) * -root};
    for (int k = 0; k < 4; ++k) {
      x[k] = even[k] + odd[k];
      x[k + 4] = even[k] - odd[k];
    }
  }
};

// --- Stages -------------------------------------------------------------------------------------

/// `Radix`: int, or a type of one number, at most `most`.
template <int most, class T, class Radix, class Apply>
void run_stage(const Stage<T>& stage, Radix radix, const Apply& butterfly, const Number<T>* from,
               Number<T>* to) {
  const Index done = stage.done, rest = stage.rest;
  for (Index q = 0; q < rest; ++q)
    for (Index p = 0; p < done; ++p) {
      Number<T> x[most];
      for (int u = 0; u < radix; ++u) x[u] = from[(q + u * rest) * done + p];
      if (p > 0)
        for (int u = 1; u < radix; ++u) {
          const Index at = (u - 1) * done + p;
          x[u] = times(x[u], stage.re[at], stage.im[at]);
        }
      butterfly(x);
      for (int j = 0; j < radix; ++j) to[(q * radix + j) * done + p] = x[j];
    }
}

template <int radix, class T>
void run_stage_of(const Stage<T>& stage, const Number<T>* from, Number<T>* to) {
  run_stage<radix>(
      stage, std::integral_constant<int, radix>(),
      [](Number<T>* x) { Butterfly<radix, T>::run(x); }, from, to);
}

/// Of any odd radix.
template <class T>
void run_any_stage(const Stage<T>& stage, const Number<T>* from, Number<T>* to) {
  run_stage<largest_radix>(
      stage, stage.radix,
      [&](Number<T>* x) {
        odd_butterfly<largest_radix, T>(stage.radix, stage.cosines, stage.sines, x);
      },
      from, to);
}

/// Transforms planes `a`, with as many more.  Gives those of the two that hold the result.
template <class T>
Number<T>* transform(const Plan<T>& plan, Number<T>* a, Number<T>* b) {
  for (int s = 0; s < plan.stages; ++s) {
    const Stage<T>& stage = plan.stage[s];
    switch (stage.radix) {
      case 2:
        run_stage_of<2>(stage, a, b);
        break;
      case 3:
        run_stage_of<3>(stage, a, b);
        break;
      case 4:
        run_stage_of<4>(stage, a, b);
        break;
      case 5:
        run_stage_of<5>(stage, a, b);
        break;
      case 7:
        run_stage_of<7>(stage, a, b);
        break;
      case 8:
        run_stage_of<8>(stage, a, b);
        break;
      case 11:
        run_stage_of<11>(stage, a, b);
        break;
      case 13:
        run_stage_of<13>(stage, a, b);
        break;
      default:
        run_any_stage(stage, a, b);
        break;
    }
    Number<T>* const other = a;
    a = b;
    b = other;
  }
  return a;
}

// --- Memory -------------------------------------------------------------------------------------

/// One line in each lane.  Element k is at k · element, its imaginary part, where it has one, `part` further.
template <class T>
struct Lanes {
  int count = 0;                ///< of lanes in use
  bool are_neighbours = false;  ///< whether one element of all lanes lies side by side
  Index element = 0, part = 0;  ///< part 0: there are no imaginary parts
  T* at[lanes_of<T>] = {};
};

/// Whether the numbers of a line are side by side, real and imaginary parts by turns, and enough for squares.
template <class T>
bool are_rows(const Lanes<T>& lanes, Index n) {
  return lanes.element == 2 && lanes.part == 1 && 2 * n >= lanes_of<T>;
}

/// The beginnings of squares over 2 n numbers, the last of which may overlap the one before.
template <class T, class F>
void for_squares(Index n, F visit) {
  constexpr Index width = lanes_of<T>;
  for (Index first = 0; first < 2 * n; first += width) visit(smaller(first, 2 * n - width));
}

/// Real and imaginary parts that lie by turns.
template <class T>
Number<T> by_parts(const Vector<T>& first, const Vector<T>& second, T sign) {
  return {every_second(first, second, Places<T>()),
          every_second_from_one(first, second, Places<T>()) * sign};
}

/// Elements of lines as planes; imaginary parts times `sign`.  Lanes that are not in use hold zeros.
template <class T>
void load(const Lanes<const T>& from, Index n, T sign, Number<T>* to) {
  constexpr int width = lanes_of<T>;
  if (from.are_neighbours) {
    const auto read = [&](const T* at, Index numbers) {
      return numbers >= width ? load_vector(at) : load_part<T>(at, numbers < 0 ? 0 : numbers);
    };
    const T* at = from.at[0];
    for (Index k = 0; k < n; ++k, at += from.element) {
      if (from.part == 1)
        to[k] = by_parts(read(at, 2 * from.count), read(at + width, 2 * from.count - width), sign);
      else
        to[k] = {read(at, from.count),
                 from.part == 0 ? Vector<T>{} : read(at + from.part, from.count) * sign};
    }
    return;
  }
  T* const planes = reinterpret_cast<T*>(to);
  if (are_rows(from, n)) {
    for_squares<T>(n, [&](Index first) {
      Vector<T> square[width];
      for (int l = 0; l < width; ++l)
        square[l] = l < from.count ? load_vector(from.at[l] + first) : Vector<T>{};
      turn<T>(square);
      for (int i = 0; i < width; ++i)
        store_vector<T>(i % 2 == 0 ? square[i] : square[i] * sign, planes + (first + i) * width);
    });
    return;
  }
  for (Index k = 0; k < n; ++k)
    for (int l = 0; l < width; ++l) {
      const bool is_used = l < from.count;
      const T* const at = is_used ? from.at[l] + k * from.element : nullptr;
      planes[2 * k * width + l] = is_used ? *at : T(0);
      planes[(2 * k + 1) * width + l] = is_used && from.part != 0 ? at[from.part] * sign : T(0);
    }
}

/// Planes as elements of lines; real parts times `scale`, imaginary ones times scale · sign.
template <class T>
void store(const Number<T>* from, Index n, T scale, T sign, const Lanes<T>& to) {
  constexpr int width = lanes_of<T>;
  const T scale_im = scale * sign;
  if (to.are_neighbours) {
    const auto write = [&](const Vector<T>& v, T* at, Index numbers) {
      if (numbers >= width)
        store_vector<T>(v, at);
      else
        store_part<T>(v, numbers < 0 ? 0 : numbers, at);
    };
    T* at = to.at[0];
    for (Index k = 0; k < n; ++k, at += to.element) {
      const Vector<T> re = from[k].re * scale, im = from[k].im * scale_im;
      if (to.part == 1) {
        write(low_by_turns(re, im, Places<T>()), at, 2 * to.count);
        write(high_by_turns(re, im, Places<T>()), at + width, 2 * to.count - width);
      } else {
        write(re, at, to.count);
        if (to.part != 0) write(im, at + to.part, to.count);
      }
    }
    return;
  }
  const T* const planes = reinterpret_cast<const T*>(from);
  if (are_rows(to, n)) {
    for_squares<T>(n, [&](Index first) {
      Vector<T> square[width];
      for (int i = 0; i < width; ++i)
        square[i] = load_vector(planes + (first + i) * width) * (i % 2 == 0 ? scale : scale_im);
      turn<T>(square);
      for (int l = 0; l < width; ++l)
        if (l < to.count) store_vector<T>(square[l], to.at[l] + first);
    });
    return;
  }
  for (Index k = 0; k < n; ++k)
    for (int l = 0; l < to.count; ++l) {
      T* const at = to.at[l] + k * to.element;
      *at = planes[2 * k * width + l] * scale;
      if (to.part != 0) at[to.part] = planes[(2 * k + 1) * width + l] * scale_im;
    }
}

/// As many lanes of `end` as there are at once: the first of them, or the last where fewer would be left.  Some are
/// computed twice then, and written twice.
template <class T>
constexpr Index block_at(Index first, Index end) {
  return end < lanes_of<T> ? 0 : smaller(first, end - lanes_of<T>);
}

/// Lanes `first`, … of lines that lie `lane` apart.
template <class T>
Lanes<T> lanes_from(T* base, Index first, Index end, Index lane, Index element, Index part) {
  Lanes<T> lanes{.count = int(smaller(lanes_of<T>, end)),
                 .are_neighbours = lane == (part == 1 ? 2 : 1),
                 .element = element,
                 .part = part};
  for (int l = 0; l < lanes.count; ++l) lanes.at[l] = base + (first + l) * lane;
  return lanes;
}

// --- Real lines ---------------------------------------------------------------------------------

/// Of a line of 2 m real numbers, z[k] = x[2k] + i x[2k + 1]: between the transform of z, whose beginning stands behind it
/// once more, and the spectrum of x, both m + 1 numbers.  The way back is the same but for the factor, of conjugates.
template <class T, class Part>
void fold(const Number<T>& at_k, const Number<T>& at_mirrored, const Part& re, const Part& im,
          T factor, Number<T>& to_k, Number<T>& to_mirrored) {
  const Number<T> mirrored = conjugate(at_mirrored);
  const Number<T> sum = at_k + mirrored, rest = turned(times(at_k - mirrored, re, im));
  const Number<T> first = sum + rest, second = sum - rest;
  to_k = {first.re * factor, first.im * factor};
  to_mirrored = {second.re * factor, second.im * -factor};
}

template <class T>
void fold_planes(const Lines<T>& lines, const Number<T>* from, T factor, Number<T>* to) {
  const Index m = lines.points();
  for (Index k = 0; k <= m / 2; ++k)
    fold(from[k], from[m - k], lines.pair_re[k], lines.pair_im[k], factor, to[k], to[m - k]);
}

/// The same of a line in memory, of few numbers.
template <class T>
void fold_few(const Lines<T>& lines, const T* from, T factor, T* to) {
  const Index m = lines.points();
  const auto at = [&](Index k) {
    return Number<T>{Vector<T>{} + from[2 * k], Vector<T>{} + from[2 * k + 1]};
  };
  for (Index k = 0; k <= m / 2; ++k) {
    Number<T> first, second;
    fold(at(k), at(m - k), lines.pair_re[k], lines.pair_im[k], factor, first, second);
    to[2 * k] = first.re[0];
    to[2 * k + 1] = first.im[0];
    to[2 * (m - k)] = second.re[0];
    to[2 * (m - k) + 1] = second.im[0];
  }
}

/// The same of a line whose numbers are side by side, parts by turns.
template <class T>
void fold_line(const Lines<T>& lines, const T* from, T factor, T* to) {
  constexpr Index width = lanes_of<T>;
  const Index m = lines.points(), count = m / 2 + 1;
  const Places<T> places;
  if (count < width) return fold_few(lines, from, factor, to);
  for (Index next = 0; next < count; next += width) {
    const Index k = smaller(next, count - width), opposite = m - k - width + 1;
    const T *x = from + 2 * k, *y = from + 2 * opposite;
    T *const to_x = to + 2 * k, *const to_y = to + 2 * opposite;
    const Number<T> at_k = by_parts<T>(load_vector(x), load_vector(x + width), T(1));
    const Number<T> above = by_parts<T>(load_vector(y), load_vector(y + width), T(1));
    const Number<T> mirrored{backwards(above.re, places), backwards(above.im, places)};
    Number<T> first, second;
    fold(at_k, mirrored, load_vector(lines.pair_re + k), load_vector(lines.pair_im + k), factor,
         first, second);
    second = {backwards(second.re, places), backwards(second.im, places)};
    store_vector<T>(low_by_turns(first.re, first.im, places), to_x);
    store_vector<T>(high_by_turns(first.re, first.im, places), to_x + width);
    store_vector<T>(low_by_turns(second.re, second.im, places), to_y);
    store_vector<T>(high_by_turns(second.re, second.im, places), to_y + width);
  }
}

// --- Lines in lanes -----------------------------------------------------------------------------

/// How elements of one end of the lines lie.
template <class T>
struct End {
  Index size;                  ///< numbers of T of an element
  Index extent;                ///< elements of a line in memory
  Index element, part, count;  ///< as they are transformed: pairs of real numbers are one
};

template <class T>
End<T> reading(const Lines<T>& l) {
  if (l.form != Form::to_spectrum) return {2, l.read(), 2 * l.inner, 1, l.read()};
  if (l.in_pairs) return {1, l.length, 2 * l.inner, l.inner, l.points()};
  return {1, l.length, l.inner, 0, l.length};
}
template <class T>
End<T> writing(const Lines<T>& l) {
  if (l.form != Form::from_spectrum) return {2, l.written(), 2 * l.inner, 1, l.written()};
  if (l.in_pairs) return {1, l.length, 2 * l.inner, l.inner, l.points()};
  return {1, l.length, l.inner, 0, l.length};
}

/// A line's place among the others.
struct Line {
  Index outer, inner;
};

template <class T>
T* start_of(T* base, const Lines<std::remove_const_t<T>>& l, const End<std::remove_const_t<T>>& end,
            Line line) {
  return base + (line.outer * end.extent * l.inner + line.inner) * end.size;
}

template <class T>
Lanes<T> lanes_of_lines(T* base, const Lines<std::remove_const_t<T>>& l,
                        const End<std::remove_const_t<T>>& end, Line first, int count) {
  Lanes<T> lanes{.count = count,
                 .are_neighbours = first.inner + count <= l.inner,
                 .element = end.element,
                 .part = end.part};
  for (int i = 0; i < count; ++i) {
    lanes.at[i] = start_of(base, l, end, first);
    if (++first.inner == l.inner) first = {first.outer + 1, 0};
  }
  return lanes;
}

template <class T>
void run_in_lanes(const Lines<T>& l, Line first, int count, Number<T>* a, Number<T>* b) {
  const End<T> in = reading(l), out = writing(l);
  const Index n = l.points();
  const T sign = l.inverse ? T(-1) : T(1);
  load(lanes_of_lines(l.in, l, in, first, count), in.count, sign, a);
  if (l.form == Form::from_spectrum) {
    a[0].im = Vector<T>{};
    if (l.length % 2 == 0) a[l.length / 2].im = Vector<T>{};
    if (l.in_pairs) {
      fold_planes(l, a, T(1), b);
      Number<T>* const other = a;
      a = b;
      b = other;
    } else {
      for (Index k = in.count; k < n; ++k) a[k] = conjugate(a[n - k]);
    }
  }
  Number<T>* result = transform(*l.plan, a, b);
  if (l.form == Form::to_spectrum && l.in_pairs) {
    Number<T>* const other = result == a ? b : a;
    result[n] = result[0];
    fold_planes(l, result, T(0.5), other);
    result = other;
  }
  store(result, out.count, l.scale, sign, lanes_of_lines(l.out, l, out, first, count));
}

// --- A line as a matrix -------------------------------------------------------------------------

/// One line, from and to numbers that lie `in.element` and `out.element` apart; of the result the first out.count.
template <class T>
void run_matrix(const Split<T>& split, const T* from, const End<T>& in, T sign, T* to,
                const End<T>& out, T scale, T out_sign, T* between, Number<T>* a, Number<T>* b) {
  constexpr int width = lanes_of<T>;
  const Index rows = split.columns.n, columns = split.rows.n;
  for (Index next = 0; next < columns; next += width) {
    const Index j = block_at<T>(next, columns);
    load(lanes_from(from, j, columns, in.element, columns * in.element, in.part), rows, sign, a);
    Number<T>* const x = transform(split.columns, a, b);
    const Lanes<T> lanes = lanes_from(between, j, columns, 2, 2 * columns, 1);
    for (Index k = 1; k < rows; ++k) {
      const Index at = k * columns + j;
      x[k] = lanes.count == width
                 ? times(x[k], load_vector(split.re + at), load_vector(split.im + at))
                 : times(x[k], load_part(split.re + at, lanes.count),
                         load_part(split.im + at, lanes.count));
    }
    store(x, rows, T(1), T(1), lanes);
  }
  for (Index next = 0; next < rows; next += width) {
    const Index k = block_at<T>(next, rows);
    load(lanes_from<const T>(between, k, rows, 2 * columns, 2, 1), columns, T(1), a);
    Number<T>* const x = transform(split.rows, a, b);
    store(x, columns, scale, out_sign,
          lanes_from(to, k, rows, out.element, rows * out.element, out.part));
  }
}

/// Real lines of odd length, of which one or two are the real and the imaginary parts of a complex one.
template <class T>
struct RealLines {
  Index length, element;  ///< of numbers of a spectrum
  int count;
  Index apart;  ///< from the first to the second in memory, of the spectra
};

/// The spectra of real lines, of the transform z of both: its number k is a + ib, its number -k conj(a) + i conj(b).
template <class T>
void take_spectra(const RealLines<T>& l, const T* z, T* to) {
  for (Index k = 0; k <= l.length / 2; ++k) {
    const Index opposite = k == 0 ? 0 : l.length - k;
    const T *x = z + 2 * k, *y = z + 2 * opposite;
    T* const a = to + k * l.element;
    if (l.count == 1) {
      a[0] = x[0];
      a[1] = x[1];
      continue;
    }
    T* const b = a + l.apart;
    a[0] = T(0.5) * (x[0] + y[0]);
    a[1] = T(0.5) * (x[1] - y[1]);
    b[0] = T(0.5) * (x[1] + y[1]);
    b[1] = T(0.5) * (y[0] - x[0]);
  }
}
/// The way back, to conjugates.
template <class T>
void join_spectra(const RealLines<T>& l, const T* from, T* z) {
  for (Index k = 0; k <= l.length / 2; ++k) {
    const T* const a = from + k * l.element;
    const T* const b = a + l.apart;
    const T a_im = k == 0 ? T(0) : a[1], b_re = l.count == 1 ? T(0) : b[0],
            b_im = l.count == 1 || k == 0 ? T(0) : b[1];
    T* const x = z + 2 * k;
    T* const y = z + 2 * (k == 0 ? 0 : l.length - k);
    // conj(a + ib) and conj(conj(a) + i conj(b))
    y[0] = a[0] + b_im;
    y[1] = a_im - b_re;
    x[0] = a[0] - b_im;
    x[1] = -a_im - b_re;
  }
}

/// `count` lines from `line` on: one, or two real ones of odd length side by side.
template <class T>
void run_as_matrix(const Lines<T>& l, Line line, int count, Number<T>* a, Number<T>* b,
                   T* temporary) {
  const End<T> packed{2, 0, 2, 1, 0};
  End<T> in = reading(l), out = writing(l);
  const T* const from = start_of(l.in, l, in, line);
  T* const to = start_of(l.out, l, out, line);
  const Index size = 2 * (l.length + 2);
  T *const between = temporary, *const first = temporary + size, *const second = first + size;
  const T sign = l.inverse ? T(-1) : T(1);
  if (l.form == Form::complex)
    return run_matrix(*l.split, from, in, sign, to, out, l.scale, sign, between, a, b);
  const RealLines<T> real{l.length, 2 * l.inner, count, 2 * l.spectrum()};
  if (l.form == Form::to_spectrum) {
    if (count == 2) in.part = l.length;
    run_matrix(*l.split, from, in, T(1), first, packed, T(1), T(1), between, a, b);
    if (!l.in_pairs) return take_spectra(real, first, to);
    const Index n = l.points();
    first[2 * n] = first[0];
    first[2 * n + 1] = first[1];
    T* const result = l.inner == 1 ? to : second;
    fold_line(l, first, T(0.5), result);
    if (result == to) return;
    for (Index k = 0; k < out.count; ++k)
      for (int part = 0; part < 2; ++part) to[k * out.element + part] = result[2 * k + part];
    return;
  }
  const T* spectrum = first;
  if (l.in_pairs) {
    for (Index k = 0; k < in.count; ++k) {
      first[2 * k] = from[k * in.element];
      first[2 * k + 1] = -from[k * in.element + 1];
    }
    first[1] = first[l.length + 1] = 0;
    fold_line(l, first, T(1), second);
    spectrum = second;
  } else {
    join_spectra(real, from, first);
    if (count == 2) out.part = l.length;
  }
  run_matrix(*l.split, spectrum, packed, T(1), to, out, l.scale, sign, between, a, b);
}

template <class T>
void run(const Lines<T>& lines, std::int64_t begin, std::int64_t end, T* scratch) {
  const Index points = planes_of(lines);
  auto* const a = reinterpret_cast<Number<T>*>(scratch);
  Number<T>* const b = a + points;
  T* const temporary = scratch + 4 * points * lanes_of<T>;
  Line line{begin / lines.inner, begin % lines.inner};
  for (Index left = end - begin; left > 0;) {
    // Neighbours are together where they fill enough of a vector.
    const Index beside =
        are_apart(lines.inner, lanes_of<T>) ? left : smaller(left, lines.inner - line.inner);
    const Index most = lines.split == nullptr ? lanes_of<T> : lines.by_twos() ? 2 : 1;
    const int count = int(smaller(most, beside));
    if (lines.split != nullptr)
      run_as_matrix(lines, line, count, a, b, temporary);
    else
      run_in_lanes(lines, line, count, a, b);
    left -= count;
    for (line.inner += count; line.inner >= lines.inner; line.inner -= lines.inner) ++line.outer;
  }
}

Code<float> code_f32() { return {lanes_of<float>, run<float>}; }
Code<double> code_f64() { return {lanes_of<double>, run<double>}; }

}  // namespace partita::fourier::PARTITA_FOURIER_LEVEL

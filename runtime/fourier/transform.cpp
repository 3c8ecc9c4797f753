// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/fourier/transform.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numbers>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "partita/base/cpu_levels.hpp"
#include "partita/base/error.hpp"

namespace partita::fourier {
namespace {

// --- Tables -------------------------------------------------------------------------------------

/// Powers of a root, real and imaginary parts apart.
template <class T>
struct Powers {
  std::vector<T> re, im;

  /// exp(-2πi k / n), of an angle of at most an eighth of a turn.
  void add(std::int64_t k, std::int64_t n) {
    k %= n;
    const std::int64_t eighths = (8 * k + n / 2) / n;  // the nearest of them
    const double angle = 2 * std::numbers::pi * double(8 * k - eighths * n) / double(8 * n);
    double c = std::cos(angle), s = std::sin(angle);
    const double h = std::numbers::sqrt2 / 2;
    if (eighths % 2 == 1) std::tie(c, s) = std::pair((c - s) * h, (c + s) * h);
    for (std::int64_t quarter = eighths / 2 % 4; quarter > 0; --quarter)
      std::tie(c, s) = std::pair(-s, c);
    re.push_back(T(c));
    im.push_back(T(-s));
  }
};

std::int64_t vectors_for(std::int64_t count, int lanes) { return (count + lanes - 1) / lanes; }

std::vector<int> radices_of(std::int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (; twos >= 5 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (int factor = 3; n > 1; factor += 2)
    for (; n % factor == 0; n /= factor) radices.push_back(factor);
  std::ranges::stable_sort(radices, [](int a, int b) { return a > 8 && a > b; });
  return radices;
}

/// Beyond this one butterflies are loops.
constexpr int largest_written_radix = 13;

/// A plan with the tables that it points to.
template <class T>
class Planned {
 public:
  explicit Planned(std::int64_t n) {
    std::int64_t done = 1;
    for (const int radix : radices_of(n)) {
      Stage<T>& stage = stages_.emplace_back();
      stage = {.radix = radix, .done = done, .rest = n / (done * radix)};
      Powers<T>& powers = powers_.emplace_back();
      for (std::int64_t u = 1; u < radix; ++u)
        for (std::int64_t p = 0; p < done; ++p) powers.add(u * p, radix * done);
      stage.re = powers.re.data();
      stage.im = powers.im.data();
      if (radix > largest_written_radix) {
        Powers<T>& roots = powers_.emplace_back();
        for (std::int64_t k = 0; k < radix; ++k) roots.add(radix - k, radix);
        stage.cosines = roots.re.data();
        stage.sines = roots.im.data();
      }
      done *= radix;
    }
    plan_ = {n, int(stages_.size()), stages_.data()};
  }
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;
  ~Planned() = default;

  [[nodiscard]] const Plan<T>& plan() const { return plan_; }

 private:
  Plan<T> plan_;
  std::vector<Stage<T>> stages_;
  std::deque<Powers<T>> powers_;
};

/// Estimates of what transforms take, in steps over a vector of numbers.
class Costs {
 public:
  Costs(int lanes, std::size_t size) : lanes_(lanes), size_(std::int64_t(size)) {}

  /// All stages over lines side by side in lanes.
  [[nodiscard]] double in_lanes(std::int64_t n, std::int64_t outer, std::int64_t inner) const {
    const double memory = inner == 1 ? squares : are_apart(inner, lanes_) ? apart() : beside;
    const std::int64_t vectors = are_apart(inner, lanes_) ? vectors_for(outer * inner, lanes_)
                                                          : outer * vectors_for(inner, lanes_);
    return double(vectors) * (stages(n) + double(n) * memory);
  }
  /// A line as a matrix of so many rows, whose elements lie `inner` apart.
  [[nodiscard]] double as_matrix(std::int64_t n, std::int64_t rows, std::int64_t inner) const {
    const std::int64_t columns = n / rows;
    const double outside = inner == 1 ? beside : apart();
    const auto blocks = [&](std::int64_t lines, std::int64_t length) {
      return double(vectors_for(lines, lanes_)) *
             (stages(length) + double(length) * (outside + squares));
    };
    return blocks(columns, rows) + blocks(rows, columns);
  }

 private:
  static constexpr double beside = 1.5;    ///< reading and writing vectors of numbers side by side
  static constexpr double squares = 3;     ///< those of lines, by squares that are turned
  static constexpr double slowness = 1.5;  ///< of planes that do not fit into the first cache
  static constexpr std::int64_t first_cache = 32768;

  [[nodiscard]] double apart() const { return 2.0 * lanes_; }
  [[nodiscard]] double stages(std::int64_t n) const {
    double steps = 0;
    for (const int radix : radices_of(n)) steps += std::max(1.0, radix / 6.0);
    return double(n) * steps * (4 * n * lanes_ * size_ > first_cache ? slowness : 1.0);
  }
  int lanes_;
  std::int64_t size_;
};

/// The rows of a matrix that take fewest steps, of which there are no more than columns; none of a prime number.
std::optional<std::int64_t> best_rows(std::int64_t n, const Costs& costs) {
  std::optional<std::int64_t> best;
  for (std::int64_t rows = 2; rows * rows <= n; ++rows)
    if (n % rows == 0 && (!best || costs.as_matrix(n, rows, 1) < costs.as_matrix(n, *best, 1)))
      best = rows;
  return best;
}

/// A split with the tables that it points to.
template <class T>
class PlannedSplit {
 public:
  PlannedSplit(std::int64_t n, std::int64_t rows) : columns_(rows), rows_(n / rows) {
    for (std::int64_t k = 0; k < rows; ++k)
      for (std::int64_t j = 0; j < n / rows; ++j) between_.add(k * j, n);
    split_ = {columns_.plan(), rows_.plan(), between_.re.data(), between_.im.data()};
  }
  [[nodiscard]] const Split<T>& split() const { return split_; }

 private:
  Planned<T> columns_, rows_;
  Powers<T> between_;
  Split<T> split_;
};

/// exp(-2πi k / length), of real lines of that length.
template <class T>
struct RootsOfPairs : Powers<T> {
  explicit RootsOfPairs(std::int64_t length) {
    for (std::int64_t k = 0; k <= length / 4; ++k) this->add(k, length);
  }
};

/// Tables by what they are made of, when they are first asked for; they stay.
template <class Made, class... Key>
const Made& made_once(Key... key) {
  static std::mutex mutex;
  static std::map<std::tuple<Key...>, std::unique_ptr<const Made>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Made>& made = all[{key...}];
  if (!made) made = std::make_unique<const Made>(key...);
  return *made;
}

// --- Threads ------------------------------------------------------------------------------------

/// Steps over vectors that are worth a further thread.
constexpr double steps_per_thread = 5000;

template <class T>
void run_range(const Lines<T>& lines, const Code<T>& code, std::int64_t begin, std::int64_t end) {
  constexpr std::size_t most_on_stack = 32768;
  constexpr std::align_val_t alignment{64};
  const auto size = std::size_t(scratch_size(lines, code.lanes)) * sizeof(T);
  if (size <= most_on_stack) {
    alignas(64) T scratch[most_on_stack / sizeof(T)];
    return code.run(lines, begin, end, scratch);
  }
  const auto release = [](void* memory) { ::operator delete(memory, alignment); };
  const std::unique_ptr<void, decltype(release)> scratch(::operator new(size, alignment), release);
  code.run(lines, begin, end, static_cast<T*>(scratch.get()));
}

template <class T>
std::vector<Code<T>> codes_of_processor() {
  const auto of_type = [](Code<float> single, Code<double> wide) {
    if constexpr (std::is_same_v<T, float>)
      return single;
    else
      return wide;
  };
  std::vector<Code<T>> all{of_type(base::code_f32(), base::code_f64())};
#if defined(__x86_64__)
  if (has_cpu_level("x86-64-v3")) all.push_back(of_type(v3::code_f32(), v3::code_f64()));
  if (has_cpu_level("x86-64-v4")) all.push_back(of_type(v4::code_f32(), v4::code_f64()));
#endif
  return all;
}

}  // namespace

template <class T>
std::span<const Code<T>> codes() {
  static const std::vector<Code<T>> all = codes_of_processor<T>();
  return all;
}

bool has_code(std::int64_t length) {
  if (length < 1) return false;
  for (std::int64_t factor = 2; factor <= largest_radix && length > 1; ++factor)
    while (length % factor == 0) length /= factor;
  return length == 1;
}

template <class T>
Transform<T>::Transform(Form form, bool inverse, std::int64_t length, std::int64_t outer,
                        std::int64_t inner, const Code<T>& code)
    : lines_{.form = form,
             .inverse = inverse,
             .scale = inverse ? T(1.0 / double(length)) : T(1),
             .length = length,
             .inner = inner,
             .lines = outer * inner,
             .in_pairs = form != Form::complex && length % 2 == 0},
      code_(code) {
  PARTITA_ASSERT(has_code(length));
  if (lines_.in_pairs) {
    const auto& roots = made_once<RootsOfPairs<T>>(length);
    lines_.pair_re = roots.re.data();
    lines_.pair_im = roots.im.data();
  }
  const std::int64_t points = lines_.points();
  const Costs costs(code.lanes, sizeof(T));
  const std::optional<std::int64_t> rows = best_rows(points, costs);
  const std::int64_t matrices = lines_.by_twos() ? vectors_for(lines_.lines, 2) : lines_.lines;
  const double in_lanes = costs.in_lanes(points, outer, inner),
               as_matrices = rows ? double(matrices) * costs.as_matrix(points, *rows, inner)
                                  : std::numeric_limits<double>::infinity();
  if (as_matrices < in_lanes)
    lines_.split = &made_once<PlannedSplit<T>>(points, *rows).split();
  else
    lines_.plan = &made_once<Planned<T>>(points).plan();
  const double steps = std::min(in_lanes, as_matrices);
  most_parts_ =
      std::clamp<std::int64_t>(std::int64_t(steps / steps_per_thread), 1,
                               std::max<std::int64_t>(vectors_for(lines_.lines, code.lanes), 1));
}

template <class T>
void Transform<T>::run(const T* in, T* out, const Threads& threads) const {
  if (lines_.lines == 0) return;
  Lines<T> lines = lines_;
  lines.in = in;
  lines.out = out;
  const std::int64_t parts = std::min<std::int64_t>(threads.most, most_parts_),
                     blocks = vectors_for(lines.lines, code_.lanes);
  if (parts == 1) return run_range(lines, code_, 0, lines.lines);
  const auto boundary = [&](std::int64_t part) {
    return std::min(lines.lines, blocks * part / parts * code_.lanes);
  };
  threads.run(parts, [&](std::int64_t part) {
    run_range(lines, code_, boundary(part), boundary(part + 1));
  });
}

template std::span<const Code<float>> codes();
template std::span<const Code<double>> codes();
template class Transform<float>;
template class Transform<double>;

}  // namespace partita::fourier

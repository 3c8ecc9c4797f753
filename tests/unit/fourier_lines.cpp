// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Transforms of lines by each instruction set of this machine are sums of the definition in f64, wherever lines lie.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "runtime/fourier/transform.hpp"

namespace partita::fourier {
namespace {

using Complex = std::complex<double>;

/// Lines of random numbers in an array [outer, n, inner], and what they are transformed to.
template <class T>
class Example {
 public:
  Example(Form form, bool inverse, std::int64_t length, std::int64_t outer, std::int64_t inner)
      : form_(form), inverse_(inverse), length_(length), outer_(outer), inner_(inner) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    in_.resize(std::size_t(outer * read() * inner * read_size()));
    for (T& x : in_) x = T(normal(random));
  }

  /// The largest error beside the size of a result, of some elements of each line.
  [[nodiscard]] double error(const Code<T>& code, int threads) const {
    constexpr T untouched = T(77);
    const std::size_t size = std::size_t(outer_ * written() * inner_ * written_size());
    std::vector<T> out(size + 1, untouched);
    Transform<T>(form_, inverse_, length_, outer_, inner_, code)
        .run(in_.data(), out.data(), new_threads(threads));
    EXPECT_EQ(out.back(), untouched);
    double worst = 0;
    for (std::int64_t o = 0; o < outer_; ++o)
      for (std::int64_t c = 0; c < inner_; ++c) {
        const std::vector<Complex> line = line_at(o, c);
        for (std::int64_t k = 0; k < written(); k += std::max<std::int64_t>(1, written() / 5)) {
          const std::int64_t at = ((o * written() + k) * inner_ + c) * written_size();
          const Complex expected = sum(line, k);
          const Complex found =
              written_size() == 1
                  ? Complex(double(out[std::size_t(at)]), expected.imag())
                  : Complex(double(out[std::size_t(at)]), double(out[std::size_t(at + 1)]));
          worst = std::max(worst, std::abs(found - expected));
        }
      }
    return worst / std::sqrt(double(length_)) * (inverse_ ? double(length_) : 1);
  }

 private:
  [[nodiscard]] std::int64_t half() const { return length_ / 2 + 1; }
  [[nodiscard]] std::int64_t read() const {
    return form_ == Form::from_spectrum ? half() : length_;
  }
  [[nodiscard]] std::int64_t written() const {
    return form_ == Form::to_spectrum ? half() : length_;
  }
  [[nodiscard]] std::int64_t read_size() const { return form_ == Form::to_spectrum ? 1 : 2; }
  [[nodiscard]] std::int64_t written_size() const { return form_ == Form::from_spectrum ? 1 : 2; }

  [[nodiscard]] Complex element(std::int64_t o, std::int64_t k, std::int64_t c) const {
    const auto at = std::size_t(((o * read() + k) * inner_ + c) * read_size());
    return read_size() == 1 ? Complex(double(in_[at]))
                            : Complex(double(in_[at]), double(in_[at + 1]));
  }
  /// All elements: the second half of a real line's spectrum mirrors the first.
  [[nodiscard]] std::vector<Complex> line_at(std::int64_t o, std::int64_t c) const {
    std::vector<Complex> line;
    for (std::int64_t k = 0; k < length_; ++k) {
      line.push_back(k < read() ? element(o, k, c) : std::conj(element(o, length_ - k, c)));
      const bool is_real = form_ == Form::from_spectrum && (k == 0 || 2 * k == length_);
      if (is_real) line.back() = line.back().real();
    }
    return line;
  }
  [[nodiscard]] Complex sum(const std::vector<Complex>& line, std::int64_t k) const {
    const double turn = (inverse_ ? 2 : -2) * std::numbers::pi / double(length_);
    Complex all = 0;
    for (std::int64_t j = 0; j < length_; ++j)
      all += line[std::size_t(j)] * std::polar(1.0, turn * double(j * k % length_));
    return inverse_ ? all / double(length_) : all;
  }

  Form form_;
  bool inverse_;
  std::int64_t length_, outer_, inner_;
  std::vector<T> in_;
};

template <class T>
void expect_sums(std::int64_t length, std::int64_t outer, std::int64_t inner, int threads = 1) {
  const double tolerance = std::is_same_v<T, float> ? 2e-6 : 4e-15;
  struct Kind {
    Form form;
    bool inverse;
  };
  for (const Kind kind : {Kind{Form::complex, false}, Kind{Form::complex, true},
                          Kind{Form::to_spectrum, false}, Kind{Form::from_spectrum, true}}) {
    const Example<T> example(kind.form, kind.inverse, length, outer, inner);
    for (const Code<T>& code : codes<T>())
      EXPECT_LT(example.error(code, threads), tolerance * std::log2(double(length) + 1))
          << "form " << int(kind.form) << (kind.inverse ? " inverse" : "") << ", " << outer << " x "
          << length << " x " << inner << " of " << sizeof(T) << " bytes, " << code.lanes
          << " lanes";
  }
}

void expect_sums_of_both(std::int64_t length, std::int64_t outer, std::int64_t inner) {
  expect_sums<float>(length, outer, inner);
  expect_sums<double>(length, outer, inner);
}

TEST(FourierLines, AreSumsForEachLength) {
  for (std::int64_t length = 1; length <= 140; ++length)
    if (has_code(length)) expect_sums_of_both(length, 1, 1);
  for (const std::int64_t length :
       {143, 160, 169, 225, 254, 256, 289, 343, 512, 544, 625, 1155, 2187})
    expect_sums_of_both(length, 1, 1);
}

TEST(FourierLines, MayLieAnywhere) {
  struct Place {
    std::int64_t outer, inner;
  };
  for (const Place place : {Place{3, 1}, Place{16, 1}, Place{37, 1}, Place{1, 16}, Place{2, 16},
                            Place{1, 3}, Place{3, 5}, Place{12, 7}, Place{2, 37}, Place{5, 2}})
    for (const std::int64_t length : {1, 2, 3, 8, 12, 15, 34, 64, 90, 144})
      expect_sums_of_both(length, place.outer, place.inner);
}

TEST(FourierLines, AreSharedByThreads) {
  expect_sums<float>(256, 500, 1, 3);
  expect_sums<float>(96, 3, 500, 2);
  expect_sums<double>(1000, 40, 3, 7);
}

TEST(FourierLines, OfComplexNumbersMayBeInPlace) {
  struct Shape {
    std::int64_t outer, length, inner;
  };
  for (const Shape s : {Shape{40, 12, 1}, Shape{3, 512, 1}, Shape{2, 30, 37}, Shape{9, 21, 3}})
    for (const Code<float>& code : codes<float>()) {
      const Transform<float> transform(Form::complex, true, s.length, s.outer, s.inner, code);
      std::vector<float> numbers(std::size_t(2 * s.outer * s.length * s.inner));
      std::mt19937 random(2);
      for (float& x : numbers) x = std::normal_distribution<float>()(random);
      std::vector<float> apart(numbers.size());
      transform.run(numbers.data(), apart.data());
      transform.run(numbers.data(), numbers.data(), new_threads(2));
      EXPECT_EQ(numbers, apart) << s.outer << " x " << s.length << " x " << s.inner;
    }
}

TEST(FourierLines, OfNoLinesAreNone) {
  Transform<float>(Form::complex, false, 8, 0, 3).run(nullptr, nullptr, new_threads(2));
  Transform<float>(Form::to_spectrum, false, 8, 3, 0).run(nullptr, nullptr, new_threads(2));
}

TEST(FourierLines, HaveCodeWithoutLargePrimeFactors) {
  for (const std::int64_t length : {1, 2, 127, 128, 254, 127 * 113, 1 << 20})
    EXPECT_TRUE(has_code(length));
  for (const std::int64_t length : {-8, 0, 131, 262, 1009}) EXPECT_FALSE(has_code(length));
}

}  // namespace
}  // namespace partita::fourier

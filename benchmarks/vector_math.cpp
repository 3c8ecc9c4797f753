// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The vector math functions: nanoseconds per element beside libm's, called in a loop, and the largest
// error on each instruction set.  bench_vector_math [--exhaustive | --every N] [NAME...]
//   --exhaustive  only errors, of f32 functions of one operand at all 2^32 arguments, against libm's
//                 double (a minute or two each); --every N: at each Nth of them
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/vector_math/vector_math.hpp"

namespace {

using namespace partita::vector_math;
using Clock = std::chrono::steady_clock;

/// Nanoseconds per element, the least of several runs over arrays that stay in the cache.
template <class F>
double nanoseconds(std::size_t n, const F& run) {
  double least = 1e9;
  for (int repeat = 0; repeat < 15; ++repeat) {
    const auto start = Clock::now();
    for (int k = 0; k < 20; ++k) run();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    least = std::min(least, time.count() / (20 * double(n)));
  }
  return least;
}

template <class T>
double largest_error(const Loop<T>& loop, const std::vector<T>& x, const std::vector<T>& y,
                     const std::vector<long double>& exact) {
  std::vector<T> actual(x.size());
  loop(long(x.size()), x.data(), y.data(), actual.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, ulps(actual[i], exact[i]));
  return worst;
}

template <class T>
void row(std::size_t index) {
  const Function& f = functions()[index];
  std::vector<T> x = sample<T>(f, sizeof(T) == 4 ? 500 : 60, 300000, 11), y = x;
  if (f.arity == 2) {
    y = sample<T>(f, sizeof(T) == 4 ? 500 : 60, 300000, 12);
    std::shuffle(y.begin(), y.end(), std::mt19937_64(13));
  }
  std::vector<long double> exact(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) exact[i] = f.exact(x[i], y[i]);
  std::vector<T> usual_x(x.end() - 4096, x.end()), usual_y(y.end() - 4096, y.end()), out(4096);
  if (f.arity == 2)
    for (std::size_t i = 0; i < out.size(); ++i) usual_y[i] = T(0.5) + T(i % 7);
  const double scalar = nanoseconds(out.size(), [&] {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f.libm<T>()(usual_x[i], usual_y[i]);
  });
  std::printf("| %s | f%zu | %.1f |", std::string(f.name).c_str(), 8 * sizeof(T), scalar);
  for (const Level& level : levels()) {
    if (!level.supported) continue;
    const Loop<T> loop = level.loops<T>()[index];
    const double time = nanoseconds(
        out.size(), [&] { loop(long(out.size()), usual_x.data(), usual_y.data(), out.data()); });
    std::printf(" %.2f | %.2f |", time, largest_error(loop, x, y, exact));
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Distance in units in the last place of f32, from a double that is close to exact.
double ulps_of(float actual, double exact) {
  const double a = std::fabs(exact);
  if (!(a > 0 && a < 0x1p128) || !std::isfinite(actual)) return ulps(actual, (long double)exact);
  const auto exponent = std::max<std::int64_t>(std::bit_cast<std::int64_t>(a) >> 52, 1023 - 126);
  return std::fabs(double(actual) - exact) * std::bit_cast<double>((2046 + 23 - exponent) << 52);
}

/// The first and the last supported instruction set: those with fma give the same bits.
bool wanted(std::size_t level) {
  const auto& all = levels();
  return level == 0 ||
         (all[level].supported && (level + 1 == all.size() || !all[level + 1].supported));
}

/// All 2^32 arguments, or one of so many, in two threads.
void exhaustive(std::size_t index, std::uint32_t every) {
  const Function& f = functions()[index];
  std::vector<std::vector<double>> worst(2, std::vector<double>(levels().size(), 0));
  const auto part = [&](unsigned thread) {
    constexpr std::uint32_t block = 1 << 16;
    std::vector<float> x(block), out(block);
    std::vector<double> exact(block);
    for (std::uint64_t start = thread * block; start * every < (1ull << 32); start += 2 * block) {
      for (std::uint32_t i = 0; i < block; ++i) {
        x[i] = std::bit_cast<float>((std::uint32_t(start) + i) * every);
        exact[i] = f.libm_f64(double(x[i]), 0);
      }
      for (std::size_t l = 0; l < levels().size(); ++l) {
        if (!wanted(l)) continue;
        levels()[l].f32[index](block, x.data(), x.data(), out.data());
        double w = worst[thread][l];
        for (std::uint32_t i = 0; i < block; ++i) w = std::max(w, ulps_of(out[i], exact[i]));
        worst[thread][l] = w;
      }
    }
  };
  std::thread other(part, 1);
  part(0);
  other.join();
  std::printf("| %s | f32 / %u |", std::string(f.name).c_str(), every);
  for (std::size_t l = 0; l < levels().size(); ++l)
    if (wanted(l)) std::printf(" %.3f |", std::max(worst[0][l], worst[1][l]));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t every = 0;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--exhaustive") == 0)
      every = 1;
    else if (std::strcmp(argv[i], "--every") == 0 && i + 1 < argc)
      every = std::uint32_t(std::max(1, std::atoi(argv[++i])));
    else
      names.emplace_back(argv[i]);
  const bool all = every != 0;
  std::printf("| function | type |%s", all ? "" : " libm ns |");
  for (std::size_t l = 0; l < levels().size(); ++l)
    if (all ? wanted(l) : levels()[l].supported)
      std::printf(all ? " %s ulp |" : " %s ns | ulp |", std::string(levels()[l].name).c_str());
  std::printf("\n");
  for (std::size_t i = 0; i < functions().size(); ++i) {
    const Function& f = functions()[i];
    if (!names.empty() && std::ranges::find(names, f.name) == names.end()) continue;
    if (all && f.arity == 1) exhaustive(i, every);
    if (all) continue;
    row<float>(i);
    row<double>(i);
  }
}

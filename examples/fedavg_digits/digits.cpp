// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Makes the inputs of round.mlir out of the UCI digits and measures the accuracy of a trained model.
// Training itself is `partita run`. Every choice comes from one fixed seed through integer
// arithmetic and exact floating-point steps, so each machine prepares the same bytes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"

namespace {

using partita::DType;
using partita::HostArray;
using Arrays = std::map<std::string, HostArray>;

constexpr std::int64_t features = 64;
constexpr std::int64_t hidden = 64;
constexpr std::int64_t classes = 10;
constexpr float brightest = 16.0F;          // of a pixel in the data
constexpr std::size_t test_examples = 360;  // a fifth of the 1797
constexpr std::uint64_t seed = 1;

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return double(next() >> 11) * 0x1.0p-53; }
  /// Uniform in [0, bound).
  std::size_t below(std::size_t bound) { return std::size_t(uniform() * double(bound)); }

 private:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

/// The data and its split: indices of examples.
struct Digits {
  HostArray x, y;
  std::vector<std::size_t> train, test;

  [[nodiscard]] float pixel(std::size_t example, std::int64_t feature) const {
    return float(x.data<DType::ui8>()[example * features + std::size_t(feature)]) / brightest;
  }
  [[nodiscard]] std::size_t label(std::size_t example) const {
    return y.data<DType::ui8>()[example];
  }
};

/// The array `name` of `arrays`; a missing one or another type is a user error that names `path`.
const HostArray& require(const Arrays& arrays, const std::filesystem::path& path,
                         const std::string& name, const partita::Type& type) {
  const auto found = arrays.find(name);
  if (found == arrays.end())
    partita::throw_user_error(partita::cat(path.string(), ": expected an array ", name, " of type ",
                                           to_string(type), ", found none"));
  if (found->second.type != type)
    partita::throw_user_error(partita::cat(path.string(), ": ", name, ": expected ",
                                           to_string(type), ", found ",
                                           to_string(found->second.type)));
  return found->second;
}

/// Reads the data and splits it: a shuffle by `random`, the first `test_examples` are the test set.
Digits read_digits(const std::filesystem::path& path, Random& random) {
  const Arrays arrays = partita::read_npz(path);
  const auto labels = arrays.find("y");
  if (labels == arrays.end() || labels->second.type.rank() != 1)
    partita::throw_user_error(
        partita::cat(path.string(), ": expected the labels as an array y of rank 1, found none"));
  const std::int64_t count = labels->second.type.dims[0];
  Digits digits{.x = require(arrays, path, "x", {.dtype = DType::ui8, .dims = {count, features}}),
                .y = require(arrays, path, "y", {.dtype = DType::ui8, .dims = {count}}),
                .train = {},
                .test = {}};
  if (std::size_t(count) <= test_examples)
    partita::throw_user_error(partita::cat(path.string(), ": expected more than ", test_examples,
                                           " examples, found ", count));
  for (std::size_t e = 0; e < std::size_t(count); ++e) {
    if (digits.label(e) >= std::size_t(classes))
      partita::throw_user_error(partita::cat(path.string(), ": y: expected labels below ", classes,
                                             ", found ", digits.label(e)));
  }
  std::vector<std::size_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::size_t(0));
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random.below(i + 1)]);
  const auto border = order.begin() + std::ptrdiff_t(test_examples);
  digits.test.assign(order.begin(), border);
  digits.train.assign(border, order.end());
  return digits;
}

/// Deals the training examples to clients. Each client wants each class by u^4 with u uniform, and
/// an example goes to a client with probability proportional to its wish for the example's class:
/// shares differ in size and consist mostly of two or three classes.
std::vector<std::vector<std::size_t>> deal(const Digits& digits, std::size_t clients,
                                           Random& random) {
  std::vector<std::vector<double>> wishes(clients, std::vector<double>(std::size_t(classes)));
  for (auto& wish : wishes) {
    for (double& w : wish) {
      const double u = random.uniform();
      w = (u * u) * (u * u);
    }
  }
  std::vector<std::vector<std::size_t>> shares(clients);
  for (const std::size_t example : digits.train) {
    const std::size_t label = digits.label(example);
    double total = 0;
    for (const auto& wish : wishes) total += wish[label];
    double left = random.uniform() * total;
    std::size_t client = 0;
    while (client + 1 < clients && left >= wishes[client][label]) left -= wishes[client++][label];
    shares[client].push_back(example);
  }
  return shares;
}

/// Uniform within ±sqrt(6 / inputs) (He et al. 2015).
HostArray initial_weights(std::int64_t inputs, std::int64_t outputs, Random& random) {
  HostArray weights({.dtype = DType::f32, .dims = {inputs, outputs}});
  const double bound = std::sqrt(6.0 / double(inputs));
  for (std::int64_t i = 0; i < inputs * outputs; ++i)
    weights.data<DType::f32>()[i] = float((2 * random.uniform() - 1) * bound);
  return weights;
}

struct Layout {
  std::size_t clients, steps, batch;
};

/// The clients' examples as round.mlir wants them (in4 to in7). A client goes through its share
/// twice, as far as its slots reach; slots left over are padding of mask 0.
void place_shares(const Digits& digits, const std::vector<std::vector<std::size_t>>& shares,
                  const Layout& layout, Arrays& inputs) {
  const auto n = std::int64_t(layout.clients);
  const auto s = std::int64_t(layout.steps);
  const auto b = std::int64_t(layout.batch);
  HostArray x({.dtype = DType::f32, .dims = {n, s, b, features}});
  HostArray y({.dtype = DType::i32, .dims = {n, s, b}});
  HostArray mask({.dtype = DType::f32, .dims = {n, s, b}});
  HostArray weight({.dtype = DType::f32, .dims = {n}});
  const std::size_t slots = layout.steps * layout.batch;
  for (std::size_t client = 0; client < layout.clients; ++client) {
    const auto& share = shares[client];
    weight.data<DType::f32>()[client] = float(share.size());
    const std::size_t used = std::min(slots, 2 * share.size());
    for (std::size_t i = 0; i < used; ++i) {
      const std::size_t example = share[i % share.size()];
      const std::size_t slot = client * slots + i;
      for (std::int64_t f = 0; f < features; ++f)
        x.data<DType::f32>()[slot * features + std::size_t(f)] = digits.pixel(example, f);
      y.data<DType::i32>()[slot] = std::int32_t(digits.label(example));
      mask.data<DType::f32>()[slot] = 1;
    }
  }
  inputs["in4"] = std::move(x);
  inputs["in5"] = std::move(y);
  inputs["in6"] = std::move(mask);
  inputs["in7"] = std::move(weight);
}

void prepare(const std::filesystem::path& data, const std::filesystem::path& out,
             const Layout& layout) {
  Random random(seed);
  const Digits digits = read_digits(data, random);
  const auto shares = deal(digits, layout.clients, random);
  Arrays inputs;
  place_shares(digits, shares, layout, inputs);
  inputs["in0"] = initial_weights(features, hidden, random);
  inputs["in1"] = HostArray({.dtype = DType::f32, .dims = {hidden}});
  inputs["in2"] = initial_weights(hidden, classes, random);
  inputs["in3"] = HostArray({.dtype = DType::f32, .dims = {classes}});
  partita::write_npz(out, inputs);
  const auto [smallest, largest] =
      std::minmax_element(shares.begin(), shares.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::printf("%zu training examples dealt to %zu clients, %zu to %zu each; %zu test examples\n",
              digits.train.size(), layout.clients, smallest->size(), largest->size(),
              digits.test.size());
}

/// out0 to out3 of a run of round.mlir.
struct Model {
  HostArray w1, b1, w2, b2;
};

Model read_model(const std::filesystem::path& path) {
  const Arrays arrays = partita::read_npz(path);
  return {.w1 = require(arrays, path, "out0", {.dtype = DType::f32, .dims = {features, hidden}}),
          .b1 = require(arrays, path, "out1", {.dtype = DType::f32, .dims = {hidden}}),
          .w2 = require(arrays, path, "out2", {.dtype = DType::f32, .dims = {hidden, classes}}),
          .b2 = require(arrays, path, "out3", {.dtype = DType::f32, .dims = {classes}})};
}

/// `input` times the matrix plus the bias, both of f32.
std::vector<double> dense(const std::vector<double>& input, const HostArray& matrix,
                          const HostArray& bias) {
  const float* w = matrix.data<DType::f32>();
  const float* b = bias.data<DType::f32>();
  const std::size_t width = bias.type.dims.empty() ? 0 : std::size_t(bias.type.dims[0]);
  std::vector<double> output(b, b + width);
  for (std::size_t i = 0; i < input.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) output[j] += input[i] * double(w[i * width + j]);
  }
  return output;
}

/// The class with the highest score.
std::size_t predict(const Model& model, const Digits& digits, std::size_t example) {
  std::vector<double> values;
  for (std::int64_t f = 0; f < features; ++f) values.push_back(digits.pixel(example, f));
  values = dense(values, model.w1, model.b1);
  for (double& v : values) v = std::max(v, 0.0);
  const std::vector<double> scores = dense(values, model.w2, model.b2);
  return std::size_t(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

/// Prints the accuracy on the test set; 0, or 1 where it is below `least` per cent.
int evaluate(const std::filesystem::path& data, const std::filesystem::path& params, double least) {
  Random random(seed);
  const Digits digits = read_digits(data, random);
  const Model model = read_model(params);
  std::size_t right = 0;
  for (const std::size_t example : digits.test)
    if (predict(model, digits, example) == digits.label(example)) ++right;
  const double accuracy = 100.0 * double(right) / double(digits.test.size());
  std::printf("test accuracy %.2f %% (%zu of %zu)\n", accuracy, right, digits.test.size());
  if (accuracy >= least) return 0;
  std::fprintf(stderr, "error: test accuracy: expected at least %g %%, found %.2f %%\n", least,
               accuracy);
  return 1;
}

int run(int argc, char** argv) {
  CLI::App app("Prepares and evaluates federated averaging on the UCI digits");
  app.require_subcommand(1);
  std::filesystem::path data, out, params;
  Layout layout{.clients = 64, .steps = 8, .batch = 8};
  double least = 0;

  CLI::App* preparing = app.add_subcommand("prepare", "write the inputs of round.mlir");
  preparing->add_option("--data", data, "digits.npz")->required();
  preparing->add_option("--out", out, "the inputs, in0 to in7")->required();
  preparing->add_option("--clients", layout.clients)->check(CLI::Range(1, 1 << 20));
  preparing->add_option("--steps", layout.steps, "local steps")->check(CLI::Range(1, 1 << 20));
  preparing->add_option("--batch", layout.batch, "examples of a step")
      ->check(CLI::Range(1, 1 << 20));
  CLI::App* evaluating = app.add_subcommand("evaluate", "print the accuracy on the test set");
  evaluating->add_option("--data", data, "digits.npz")->required();
  evaluating->add_option("--params", params, "outputs of a run, out0 to out3")->required();
  evaluating->add_option("--at-least", least, "exit with 1 below this accuracy in per cent");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*evaluating) return evaluate(data, params, least);
  prepare(data, out, layout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const partita::Error& error) {
    std::cerr << "error: " << error.located_message() << '\n';
    return error.kind() == partita::ErrorKind::user ? 2 : 70;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 70;
  }
}

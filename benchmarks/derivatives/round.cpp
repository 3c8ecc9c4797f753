// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `derivatives_round N`: the text of the federated round of mlp (peers/models.py) for N clients, its local
// gradients asked for by mr.grad.  Arguments and results are those of JAX's export.
#include <cstdlib>
#include <iostream>
#include <string>

#include "partita/algorithms.hpp"
#include "partita/builder.hpp"

namespace {

using namespace partita;
using build::Array, build::Arrays;

constexpr std::int64_t steps = 4, batch = 20, inputs = 784, width = 200, classes = 10;

Type f32(const Dims& dims) { return {.dtype = DType::f32, .dims = dims}; }

/// 784-200-200-10 with ReLU; cross entropy.
Array loss(const Arrays& params, const Arrays& examples) {
  Array h = examples[0];
  for (std::size_t layer = 0; layer < 2; ++layer)
    h = build::relu(build::matmul(h, params[2 * layer]) + params[2 * layer + 1]);
  return build::cross_entropy(build::matmul(h, params[4]) + params[5], examples[1]);
}

/// Changes of one client's model by its local steps, then the mean of its losses.
Arrays train(const Arrays& params, const Arrays& data) {
  const build::Scanned trained =
      build::scan(params, data, [](const Arrays& now, const Arrays& examples) {
        const auto found =
            build::value_and_grad([&](const Arrays& p) { return loss(p, examples); }, now);
        return build::Scanned{
            .carried = algorithms::each(
                now, found.gradients, [](const Array& p, const Array& g) { return p - 0.05 * g; }),
            .stacked = {found.value}};
      });
  Arrays results = algorithms::each(trained.carried, params,
                                    [](const Array& a, const Array& b) { return a - b; });
  results.push_back(build::mean(trained.stacked[0]));
  return results;
}

Arrays one_round(const Arrays& arguments) {
  const Arrays params = algorithms::part(arguments, 0, 6);
  const Arrays changes = build::reduce_mean(
      "clients", build::map(
                     "clients", [&](const Arrays& data) { return train(params, data); },
                     algorithms::part(arguments, 6, 2)));
  Arrays results = algorithms::each(params, algorithms::part(changes, 0, 6),
                                    [](const Array& p, const Array& change) { return p + change; });
  results.push_back(changes.back());
  return results;
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t n = count == 2 ? std::strtoll(arguments[1], nullptr, 10) : 0;
  if (n < 1) {
    std::cerr << "derivatives_round: expected the number of clients\n";
    return 2;
  }
  build::Program program({{"clients", n}}, "differentiated_round");
  program.function("main",
                   {f32({inputs, width}), f32({width}), f32({width, width}), f32({width}),
                    f32({width, classes}), f32({classes}), f32({n, steps, batch, inputs}),
                    Type{.dtype = DType::i32, .dims = {n, steps, batch}}},
                   one_round);
  std::cout << program.text();
}

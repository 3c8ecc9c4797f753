// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Trains a language model of characters by DiLoCo over 4 workers: the model is built and differentiated
// here, compiled for a target, and run step by step with its state on the devices.
//
//   diloco_lm --text FILE [--target cpu|opencl] [--steps N] [--interval H] [--layers L] [--mpi]
//            [--fragments F --delay D] [--by-interval] [--at-most FACTOR] [--emit FILE]
//
// With --by-interval a run of the program is an interval of steps instead of a step: what is reduced travels while the
// workers take the next --delay steps.
//
// Exit status 1 where the last losses are more than FACTOR times the first.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>

#include "examples/diloco_lm/model.hpp"
#include "partita/algorithms.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/ir/interpreter.hpp"

namespace {

using namespace partita;
using build::Array;
using build::Arrays;
using diloco_lm::Sizes;

constexpr std::int64_t workers = 4, batch = 4;
const std::string placement = "workers";

struct Options {
  std::filesystem::path text, emit;
  std::string target = "cpu";
  int steps = 60, interval = 10, layers = 2, width = 32, fragments = 1, delay = 0;
  bool use_mpi = false, by_interval = false;
  double at_most = 0;

  [[nodiscard]] int steps_of_run() const { return by_interval ? interval : 1; }
};

/// Tokens of a run: [workers, batch, length + 1], or [workers, steps, batch, length + 1] of an interval.
Type token_type(const Sizes& sizes, const Options& options) {
  Type type{.dtype = DType::i32, .dims = {workers, batch, sizes.length + 1}};
  if (options.by_interval) type.dims.insert(type.dims.begin() + 1, options.interval);
  return type;
}

/// The text as numbers of its distinct characters.
struct Corpus {
  std::vector<std::int32_t> tokens;
  std::int64_t vocabulary = 0;
};

Corpus read_corpus(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  std::string text;
  for (const std::byte b : bytes) text += char(b);
  const std::set<char> found(text.begin(), text.end());
  Corpus corpus{.tokens = {}, .vocabulary = std::int64_t(found.size())};
  for (const char c : text)
    corpus.tokens.push_back(std::int32_t(std::distance(found.begin(), found.find(c))));
  return corpus;
}

/// Windows of each worker's own part of the text, step by step.
HostArray next_batches(const Corpus& corpus, const Type& type, std::mt19937& random) {
  HostArray tokens(type);
  const std::int64_t length = type.dims.back(), steps = type.count() / (workers * batch * length);
  const std::size_t share = corpus.tokens.size() / std::size_t(workers);
  for (std::int64_t step = 0; step < steps; ++step)
    for (std::int64_t w = 0; w < workers; ++w)
      for (std::int64_t b = 0; b < batch; ++b) {
        const std::size_t offset =
            std::size_t(w) * share + random() % (share + 1 - std::size_t(length));
        std::copy_n(corpus.tokens.begin() + std::ptrdiff_t(offset), length,
                    tokens.data<DType::i32>() + ((w * steps + step) * batch + b) * length);
      }
  return tokens;
}

algorithms::DiLoCo diloco(const Sizes& sizes, const Options& options) {
  const std::size_t leaves = diloco_lm::parameter_types(sizes).size();
  return {.placement = placement,
          .loss = [sizes](const Arrays& params,
                          const Arrays& data) { return diloco_lm::loss(sizes, params, data[0]); },
          .inner = algorithms::adamw({.rate = 4e-3}),
          .outer = algorithms::momentum({.rate = 0.7, .decay = 0.6, .is_nesterov = true}),
          .interval = options.interval,
          .fragments = algorithms::spread_fragments(leaves, std::size_t(options.fragments),
                                                    options.interval),
          .delay = options.delay};
}

/// @init: parameters to the state; @main: the state and a run's batches to the next state and the losses.
void build_program(build::Program& program, const Sizes& sizes, const Options& options) {
  const algorithms::DiLoCo algorithm = diloco(sizes, options);
  const std::vector<Type> params = diloco_lm::parameter_types(sizes);
  std::vector<Type> inputs;
  program.function("init", params, [&](const Arrays& a) {
    const Arrays leaves = algorithms::diloco_init(algorithm, a).leaves();
    for (const Array& x : leaves) inputs.push_back(x.type());
    return leaves;
  });
  inputs.push_back(token_type(sizes, options));
  program.function("main", inputs, [&](const Arrays& a) {
    const auto state =
        algorithms::diloco_state(algorithm, algorithms::part(a, 0, a.size() - 1), params.size());
    const algorithms::DiLoCoStep next =
        options.by_interval ? algorithms::diloco_interval(algorithm, state, {a.back()})
                            : algorithms::diloco_step(algorithm, state, {a.back()});
    return algorithms::joined(next.state.leaves(), {next.loss});
  });
}

/// The state that training begins with.
std::vector<ir::Tensor> initial_state(const ir::Module& module, const Sizes& sizes,
                                      std::mt19937& random) {
  std::vector<ir::Tensor> params;
  for (HostArray& array : diloco_lm::initial_parameters(sizes, random))
    params.push_back(std::make_shared<const HostArray>(std::move(array)));
  return ir::Interpreter(module).run(module.entry("init"), params);
}

/// Means over the workers of [workers] or [workers, steps].
std::vector<double> means_of(const HostArray& losses) {
  const float* values = losses.data<DType::f32>();
  std::vector<double> means(std::size_t(losses.type.count() / workers));
  for (std::size_t k = 0; k < std::size_t(losses.type.count()); ++k)
    means[k % means.size()] += double(values[k]) / double(workers);
  return means;
}

/// Mean losses of the steps, on rank 0.
std::vector<double> train(Session& session, const std::vector<ir::Tensor>& state,
                          const Corpus& corpus, const Sizes& sizes, const Options& options,
                          std::mt19937& random) {
  const int leaves = int(state.size());
  std::vector<Carry> carries;
  for (int k = 0; k < leaves; ++k) {
    session.set_input(k, *state[std::size_t(k)]);
    carries.push_back({.output = k, .input = k});
  }
  std::vector<double> losses;
  const Type tokens = token_type(sizes, options);
  for (int step = 0; step < options.steps; step += options.steps_of_run()) {
    if (step > 0) session.carry(carries);
    session.set_input(leaves, next_batches(corpus, tokens, random));
    session.submit();
    const auto found = session.output(leaves);
    if (!found) continue;
    const std::vector<double> means = means_of(*found);
    losses.insert(losses.end(), means.begin(), means.end());
    if (step % options.interval == 0 || step + 1 == options.steps)
      std::printf("step %3d  loss %.4f  collective calls %lld\n", int(losses.size()), losses.back(),
                  static_cast<long long>(session.stats().collective_calls));
  }
  session.wait();
  return losses;
}

int run(const Options& options) {
  std::mt19937 random(7);
  const Corpus corpus = read_corpus(options.text);
  const Sizes sizes{
      .vocabulary = corpus.vocabulary, .width = options.width, .layers = options.layers};
  if (options.by_interval && options.steps % options.interval != 0)
    throw_user_error(cat("--steps: expected whole intervals of ", options.interval,
                         " steps with --by-interval, found ", options.steps));
  if (std::int64_t(corpus.tokens.size()) / workers <= sizes.length)
    throw_user_error(cat(options.text.string(), ": expected more than ", workers * sizes.length,
                         " characters, found ", corpus.tokens.size()));
  build::Program program({{placement, workers}}, "diloco_lm");
  build_program(program, sizes, options);
  if (!options.emit.empty()) write_file(options.emit, program.text());
  CompileOptions compile;
  compile.target = options.target;
  Session session(partita::compile(program, compile).artifact, {.use_mpi = options.use_mpi});
  const std::vector<double> losses = train(session, initial_state(program.module(), sizes, random),
                                           corpus, sizes, options, random);
  if (session.rank() != 0) return 0;
  const double factor = losses.back() / losses.front();
  std::printf("%d ranks, %d shards: the loss fell to %.3f of the first\n", session.ranks(),
              session.shards(), factor);
  if (options.at_most == 0 || factor <= options.at_most) return 0;
  std::fprintf(stderr, "error: expected at most %g of the first loss, found %.3f\n",
               options.at_most, factor);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains a small language model by DiLoCo");
  Options options;
  app.add_option("--text", options.text, "what to learn")->required();
  app.add_option("--target", options.target, "cpu or opencl");
  app.add_option("--steps", options.steps)->check(CLI::Range(1, 1 << 20));
  app.add_option("--interval", options.interval, "steps between outer steps")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--layers", options.layers)->check(CLI::Range(1, 64));
  app.add_option("--width", options.width, "a multiple of 4")->check(CLI::Range(4, 4096));
  app.add_option("--fragments", options.fragments,
                 "parts of the model with outer steps of their own")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--delay", options.delay, "steps from a reduction to its outer step")
      ->check(CLI::Range(0, 1 << 20));
  app.add_flag("--by-interval", options.by_interval, "run an interval of steps at once");
  app.add_flag("--mpi", options.use_mpi, "share the workers out over the ranks of an MPI job");
  app.add_option("--at-most", options.at_most,
                 "exit with 1 where a larger part of the loss is left");
  app.add_option("--emit", options.emit, "write the program's text");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const Error& error) {
    std::cerr << "error: " << error.located_message() << '\n';
    return error.kind() == ErrorKind::user ? 2 : 70;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 70;
  }
}

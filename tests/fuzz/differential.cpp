// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Compiled equals interpreted, on random programs over the table of ops.
//
//   fuzz_differential [--seconds S] [--seed N] [--programs N] [--steps N] [--target NAME] [--shrink FILE.mlir]
//
// Program k has the seed N + k, which is printed where it fails; --shrink writes the first failing
// program as small as `partita check --shrink` makes it, with its inputs and results beside it: a case
// for tests/regress.  Exit status 1 if a program failed, 77 where the target has no device.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/device/device.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/passes/compile.hpp"
#include "tests/support/random_graph.hpp"

namespace {

using namespace partita;
using testing::RandomGraph;

struct Options {
  double seconds = 2;
  unsigned seed = 1;
  unsigned programs = ~0u;
  int steps = 12;
  std::string target = "opencl", shrink;
};

std::vector<HostArray> interpreted(const RandomGraph& program) {
  ir::Interpreter interpreter(*program.module);
  std::vector<ir::Tensor> arguments;
  for (const HostArray& a : program.inputs)
    arguments.push_back(std::make_shared<const HostArray>(a));
  std::vector<HostArray> results;
  for (const ir::Tensor& t : interpreter.run(program.module->entry("main"), arguments))
    results.push_back(*t);
  return results;
}

std::vector<HostArray> compiled(const RandomGraph& program, const std::string& target) {
  passes::CompileOptions options;
  options.target = target;
  Session session(passes::compile_module(*program.module, options), SessionOptions{});
  for (std::size_t k = 0; k < program.inputs.size(); ++k)
    session.set_input(int(k), program.inputs[k]);
  session.run();
  session.finish();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < program.noise.size(); ++k) {
    auto result = session.output(int(k));
    PARTITA_ASSERT(result.has_value());
    results.push_back(std::move(*result));
  }
  return results;
}

/// How much was compared.
struct Tally {
  std::map<std::string, int> refused;  ///< what the target cannot do, and how often
  int results = 0, exact = 0;
};

/// What is wrong with the program on the target; empty: nothing.
std::string failure(const RandomGraph& program, const std::string& target, Tally& tally) {
  try {
    const std::vector<HostArray> expected = interpreted(program);
    try {
      const std::vector<HostArray> found = compiled(program, target);
      tally.results += int(found.size());
      tally.exact += int(std::ranges::count(program.noise, 0.0));
      return testing::noise_difference(found, expected, program.noise);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::user) return e.what();
      ++tally.refused[e.what()];
    }
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

/// Writes the program for `partita check`, which makes it small.
void shrink(const RandomGraph& program, const Options& options) {
  const std::filesystem::path path = options.shrink;
  std::map<std::string, HostArray> arrays;
  for (std::size_t k = 0; k < program.inputs.size(); ++k) arrays[cat("in", k)] = program.inputs[k];
  const std::vector<HostArray> results = interpreted(program);
  for (std::size_t k = 0; k < results.size(); ++k) arrays[cat("out", k)] = results[k];
  const std::string name = path.filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  write_npz(path.parent_path() / (stem + ".io.npz"), arrays);
  write_file(path, ir::print_module(*program.module));
  const auto tool = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "partita";
  const std::string command = cat("'", tool.string(), "' check --target ", options.target,
                                  " --shrink '", path.string(), "' '", path.string(), "'");
  std::cout << command << "\n" << std::flush;
  if (std::system(command.c_str()) < 0) std::cout << "cannot be run\n";  // NOLINT(cert-env33-c)
}

int run(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
           options.seconds;
  };
  Tally tally;
  unsigned failed = 0, k = 0;
  for (; k < options.programs && !is_over(); ++k) {
    const unsigned seed = options.seed + k;
    std::string why;
    try {
      const RandomGraph program = testing::random_graph(seed, options.steps);
      why = failure(program, options.target, tally);
      if (!why.empty() && failed == 0 && !options.shrink.empty()) shrink(program, options);
    } catch (const Error& e) {
      why = cat("the generator: ", e.what());
    }
    if (why.empty()) continue;
    ++failed;
    std::cout << "FAILED: --seed " << seed << " --programs 1: " << why << "\n" << std::flush;
  }
  for (const auto& [what, count] : tally.refused)
    std::cout << "refused " << count << " times: " << what << "\n";
  std::cout << k << " programs from seed " << options.seed << " (" << tally.results << " results, "
            << tally.exact << " of them without noise), " << failed << " failed\n";
  return failed > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* const value = argv[i + 1];
    if (name == "--seconds") options.seconds = std::atof(value);
    if (name == "--seed") options.seed = unsigned(std::strtoul(value, nullptr, 10));
    if (name == "--programs") options.programs = unsigned(std::strtoul(value, nullptr, 10));
    if (name == "--steps") options.steps = std::atoi(value);
    if (name == "--target") options.target = value;
    if (name == "--shrink") options.shrink = value;
  }
  const auto devices = list_devices();
  if (std::ranges::none_of(devices,
                           [&](const DeviceProfile& d) { return d.backend == options.target; })) {
    std::cout << "no device of target " << options.target << "\n";
    return 77;
  }
  return run(options);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs contractions on a device: first for their results, which are exact, then by turns for time.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/bench/statistics.hpp"
#include "tools/partita/tune/tune.hpp"

namespace partita::tool {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_transposed(const ContractionKey& key, bool left) {
  return (unsigned(key.form) & (left ? 2U : 1U)) != 0;
}

// batch? x rows x columns
std::string type_text(const ContractionKey& key, std::int64_t rows, std::int64_t columns) {
  return cat("tensor<", key.batch == 1 ? "" : cat(key.batch, "x"), rows, "x", columns, "x",
             to_string(key.dtype), ">");
}

std::string program_text(const ContractionKey& key) {
  const bool ta = is_transposed(key, true), tb = is_transposed(key, false);
  const std::string a = ta ? type_text(key, key.k, key.m) : type_text(key, key.m, key.k),
                    b = tb ? type_text(key, key.n, key.k) : type_text(key, key.k, key.n),
                    c = type_text(key, key.m, key.n);
  const int first = key.batch == 1 ? 0 : 1;
  return cat("func.func @main(%a: ", a, ", %b: ", b, ") -> ", c,
             " {\n  %0 = stablehlo.dot_general ", "%a, %b, ",
             key.batch == 1 ? "" : "batching_dims = [0] x [0], ", "contracting_dims = [",
             first + (ta ? 0 : 1), "] x [", first + (tb ? 1 : 0), "] : (", a, ", ", b, ") -> ", c,
             "\n  return %0 : ", c, "\n}\n");
}

/// Small whole numbers: sums are exact in any order.
double input_value(int operand, std::int64_t index) {
  const auto mixed = (std::uint64_t(index) * 2 + std::uint64_t(operand) + 1) * 0x9e3779b97f4a7c15;
  return double(std::int64_t(mixed >> 61)) - 3;
}

template <class Fn>
void with_dtype(DType dtype, const Fn& fn) {
  if (dtype == DType::f32)
    fn.template operator()<DType::f32>();
  else
    fn.template operator()<DType::f64>();
}

HostArray input_array(const Type& type, int operand) {
  HostArray array(type);
  with_dtype(type.dtype, [&]<DType d>() {
    auto* values = array.data<d>();
    for (std::int64_t i = 0; i < type.count(); ++i)
      values[i] = StorageType<d>(input_value(operand, i));
  });
  return array;
}

double exact_element(const ContractionKey& key, std::int64_t index) {
  const std::int64_t column = index % key.n, row = index / key.n % key.m,
                     batch = index / (key.n * key.m);
  const bool ta = is_transposed(key, true), tb = is_transposed(key, false);
  double sum = 0;
  for (std::int64_t k = 0; k < key.k; ++k) {
    const std::int64_t a = batch * key.m * key.k + (ta ? k * key.m + row : row * key.k + k),
                       b = batch * key.k * key.n + (tb ? column * key.k + k : k * key.n + column);
    sum += input_value(0, a) * input_value(1, b);
  }
  return sum;
}

/// All elements of small results, some thousands of large ones.
void check_result(const ContractionKey& key, const HostArray& found) {
  constexpr std::int64_t checked = 4000;
  const std::int64_t count = key.batch * key.m * key.n,
                     step = std::max<std::int64_t>(1, count / checked | 1);
  with_dtype(key.dtype, [&]<DType d>() {
    for (std::int64_t i = 0; i < count; i += step) {
      const double expected = exact_element(key, i), value = double(found.data<d>()[i]);
      if (value != expected)
        throw_device_error(cat("tune: ", to_text(key), ": expected element ", i, " to be ",
                               expected, ", found ", value));
    }
  });
}

Artifact compile(const ContractionKey& key, const std::string& gemm, Tuning tuning,
                 const std::string& target) {
  tuning.device.target = target;
  driver::CompileOptions options;
  options.target = target;
  options.gemm = gemm;
  options.tuning = std::make_shared<Tuning>(std::move(tuning));
  options.tuning_name = "candidate";
  options.has_variants = false;
  return partita::compile(program_text(key), options, "contraction").artifact;
}

}  // namespace

Subject::Subject(const ContractionKey& key, Artifact artifact)
    : session_(
          std::make_unique<Session>(std::move(artifact), SessionOptions{.devices_per_rank = 1})) {
  const auto& inputs = session_->artifact().plan.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    session_->set_input(int(i), input_array(inputs[i].type, int(i)));
  session_->wait();
  const auto run = [&] {
    const auto begin = Clock::now();
    session_->run();
    return seconds_since(begin);
  };
  first_s_ = run();
  check_result(key, session_->output(0).value());
  constexpr double least_turn_s = 2e-3;
  const double warm_s = std::max(std::min(run(), run()), 1e-7);
  runs_per_turn_ = int(std::clamp(std::ceil(least_turn_s / warm_s), 1.0, 1000.0));
}

void Subject::take_turn() {
  if (runs_per_turn_ > 1) {  // not counted: others may have changed what the library was told
    session_->run();
  }
  const auto begin = Clock::now();
  for (int i = 0; i < runs_per_turn_; ++i) session_->submit();
  session_->wait();
  turns_s_.push_back(seconds_since(begin) / runs_per_turn_);
}

Timing Subject::timing() const {
  return {.median_ns = std::max<std::int64_t>(1, std::llround(median(turns_s_) * 1e9)),
          .spread_permille = std::llround(spread(turns_s_) * 1e3),
          .turns = std::int64_t(turns_s_.size())};
}

Artifact generated_artifact(const ContractionKey& key, const TileSize& tile,
                            const DeviceProfile& device) {
  Tuning tuning;
  tuning.contractions.push_back(
      {.key = key, .generated = {{.tile = tile, .time = {1, 0, 1}}}, .library = {}});
  return compile(key, "generated", std::move(tuning), device.backend);
}

Artifact library_artifact(const ContractionKey& key,
                          const std::vector<LibraryParameters>& parameters,
                          const DeviceProfile& device) {
  Tuning tuning;
  tuning.device.covers = {device.name};
  tuning.parameters = parameters;
  return compile(key, "library", std::move(tuning), device.backend);
}

void take_turns(std::vector<std::unique_ptr<Subject>>& subjects, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    for (auto& subject : subjects) subject->take_turn();
}

}  // namespace partita::tool

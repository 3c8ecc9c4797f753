// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/fft/host_fourier.hpp"

#include "partita/linalg/matrix_routine.hpp"

namespace partita::lowering {

std::optional<Location> lower_host_fourier(Context& context, const Location& at,
                                           const FourierLines& lines, const ir::Node& node) {
  // How the routine adds depends on the number of lines, which differs between shards.
  if (!context.policy().host_computes() || context.policy().is_reproducible ||
      ir::largest_prime_factor(lines.n) > largest_fft_factor)
    return std::nullopt;
  const Dims& dims = lines.from.dims;
  const auto dimension = dims.begin() + std::ptrdiff_t(lines.dimension);
  const std::int64_t outer = Type{.dims = Dims(dims.begin(), dimension)}.count();
  const std::int64_t inner = Type{.dims = Dims(dimension + 1, dims.end())}.count();
  HostCall step{.call = {.routine = "fft"}, .count = outer};
  if (lines.inverse) step.call.options.emplace_back("inverse");
  if (lines.mirrors) {
    if (lines.n % 2 == 1) step.call.options.emplace_back("odd");
    step.call.options.emplace_back("real");
  }
  step.call.operands = {{.dtype = lines.from.dtype, .dims = {*dimension, inner}}};
  const Location to = context.new_temporary(lines.to, step_name(node));
  step.operands.push_back({at.buffer, at.offset});
  step.results.push_back({to.buffer, to.offset});
  context.emit(std::move(step), step_name(node));
  context.count("host_calls");
  return to;
}

}  // namespace partita::lowering

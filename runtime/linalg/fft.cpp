// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/fourier/transform.hpp"
#include "runtime/linalg/routines.hpp"

namespace partita::linalg {
namespace {

static_assert(largest_fft_factor == fourier::largest_radix);

fourier::Form form_of(const MatrixCall& call) {
  if (!partita::is_complex(call.operands[0].dtype)) return fourier::Form::to_spectrum;
  return call.has("real") ? fourier::Form::from_spectrum : fourier::Form::complex;
}

template <class T>
std::function<void(Operands in, Results out, const Threads& threads)> prepare_columns(
    const MatrixCall& call, std::int64_t count) {
  const fourier::Transform<T> transform(form_of(call), call.has("inverse"), fft_length(call), count,
                                        call.operands[0].dims[1]);
  return [transform](Operands in, Results out, const Threads& threads) {
    transform.run(reinterpret_cast<const T*>(in[0]), reinterpret_cast<T*>(out[0]), threads);
  };
}

}  // namespace

std::int64_t fft_length(const MatrixCall& call) {
  const std::int64_t rows = call.operands[0].dims[0];
  return call.has("real") ? 2 * (rows - 1) + (call.has("odd") ? 1 : 0) : rows;
}

std::function<void(Operands in, Results out, const Threads& threads)> prepare_fft(
    const MatrixCall& call, std::int64_t count) {
  return info(call.operands[0].dtype).part == DType::f32 ? prepare_columns<float>(call, count)
                                                         : prepare_columns<double>(call, count);
}

}  // namespace partita::linalg

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/linalg/matrix_routine.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <exception>
#include <limits>
#include <optional>

#include "partita/base/error.hpp"
#include "runtime/fourier/transform.hpp"
#include "runtime/linalg/lapack.hpp"
#include "runtime/linalg/plain.hpp"
#include "runtime/linalg/routines.hpp"

namespace partita {
namespace {

using linalg::Operands;
using linalg::Results;

// --- Types of results ---------------------------------------------------------------------------

void expect(bool condition, const std::string& expected, const std::string& found) {
  if (!condition) throw_user_error(cat("expected ", expected, ", found ", found));
}

/// Types of arrays beside a matrix `a`.
struct Beside {
  const Type& a;
  std::int64_t rows = a.dims[0], columns = a.dims[1], least = std::min(rows, columns);

  explicit Beside(const MatrixCall& call) : a(call.operands[0]) {}
  [[nodiscard]] Type with(Dims dims) const { return {.dtype = a.dtype, .dims = std::move(dims)}; }
  [[nodiscard]] Type reals(Dims dims) const {
    return {.dtype = info(a.dtype).part, .dims = std::move(dims)};
  }
  [[nodiscard]] Type complexes(Dims dims) const {
    const bool is_wide = info(a.dtype).part == DType::f64;
    return {.dtype = is_wide ? DType::c128 : DType::c64, .dims = std::move(dims)};
  }
  [[nodiscard]] static Type integers(Dims dims) {
    return {.dtype = DType::i32, .dims = std::move(dims)};
  }
  void expect_square() const { expect(rows == columns, "square matrices", to_string(a)); }
  /// Reductions have one element less beside the diagonal.
  void expect_square_and_some() const {
    expect_square();
    expect(rows > 0, "matrices of at least one row", to_string(a));
  }
};

void expect_operand(const MatrixCall& call, std::size_t k, const Type& type) {
  expect(call.operands[k] == type, cat("operand ", k, " of type ", to_string(type)),
         to_string(call.operands[k]));
}

std::vector<Type> eigh_types(const MatrixCall& call) {
  const Beside b(call);
  b.expect_square();
  return {b.a, b.reals({b.rows})};
}

std::vector<Type> svd_types(const MatrixCall& call) {
  const Beside b(call);
  std::vector<Type> types{b.reals({b.least})};
  if (!call.has("compute_uv")) return types;
  const bool is_full = call.has("full_matrices");
  types.push_back(b.with({b.rows, is_full ? b.rows : b.least}));
  types.push_back(b.with({is_full ? b.columns : b.least, b.columns}));
  return types;
}

std::vector<Type> eig_types(const MatrixCall& call) {
  const Beside b(call);
  b.expect_square();
  std::vector<Type> types{b.complexes({b.rows})};
  for (const char* side : {"compute_left", "compute_right"})
    if (call.has(side)) types.push_back(b.complexes(b.a.dims));
  return types;
}

std::vector<Type> schur_types(const MatrixCall& call) {
  const Beside b(call);
  b.expect_square();
  std::vector<Type> types{b.a};
  if (call.has("compute_vectors")) types.push_back(b.a);
  if (call.has("compute_values")) types.push_back(b.complexes({b.rows}));
  return types;
}

std::vector<Type> cholesky_types(const MatrixCall& call) {
  Beside(call).expect_square();
  return {call.operands[0]};
}

std::vector<Type> triangular_solve_types(const MatrixCall& call) {
  const Beside b(call);
  b.expect_square();
  const Type& x = call.operands[1];
  expect_operand(call, 1,
                 b.with(call.has("left") ? Dims{b.rows, x.dims[1]} : Dims{x.dims[0], b.rows}));
  return {x};
}

std::vector<Type> qr_types(const MatrixCall& call) {
  const Beside b(call);
  return {b.a, b.with({b.least})};
}

std::vector<Type> reflections_types(const MatrixCall& call) {
  const Beside b(call);
  const std::int64_t count = call.operands[1].dims[0];
  expect(b.rows >= b.columns, "matrices with at least as many rows as columns", to_string(b.a));
  expect_operand(call, 1, b.with({std::min(count, b.columns)}));
  return {b.a};
}

std::vector<Type> hessenberg_types(const MatrixCall& call) {
  const Beside b(call);
  b.expect_square_and_some();
  return {b.a, b.with({b.rows - 1})};
}

std::vector<Type> tridiagonal_types(const MatrixCall& call) {
  const Beside b(call);
  b.expect_square_and_some();
  return {b.a, b.reals({b.rows}), b.reals({b.rows - 1}), b.with({b.rows - 1})};
}

std::vector<Type> lu_types(const MatrixCall& call) {
  const Beside b(call);
  return {b.a, Beside::integers({b.least}), Beside::integers({b.rows})};
}

std::vector<Type> pivoted_qr_types(const MatrixCall& call) {
  const Beside b(call);
  expect_operand(call, 1, Beside::integers({b.columns}));
  return {b.a, call.operands[1], b.with({b.least})};
}

std::vector<Type> apply_reflections_types(const MatrixCall& call) {
  const Beside b(call);
  const Type& c = call.operands[2];
  expect_operand(call, 1, b.with({std::min(call.operands[1].dims[0], b.least)}));
  expect_operand(call, 2,
                 b.with(call.has("left") ? Dims{b.rows, c.dims[1]} : Dims{c.dims[0], b.rows}));
  return {c};
}

std::vector<Type> tridiagonal_solve_types(const MatrixCall& call) {
  const Type& b = call.operands[3];
  for (std::size_t k = 0; k < 3; ++k)
    expect_operand(call, k, {.dtype = b.dtype, .dims = {b.dims[0]}});
  return {b};
}

/// Columns of what there is, or of the first half of a spectrum.
std::vector<Type> fft_types(const MatrixCall& call) {
  const Beside b(call);
  const bool is_real = b.a.dtype == b.reals({}).dtype, to_real = call.has("real");
  expect(!is_real || !call.has("inverse"), "complex numbers for an inverse", to_string(b.a));
  expect(!to_real || (!is_real && call.has("inverse")),
         "an inverse of complex numbers to real ones", to_string(b.a));
  expect(b.rows > 0 && (!to_real || b.rows > 1 || call.has("odd")), "at least one element",
         to_string(b.a));
  const std::int64_t length = linalg::fft_length(call);
  expect(fourier::has_code(length), cat("no prime factor above ", largest_fft_factor),
         cat(length, " elements"));
  if (is_real) return {b.complexes({length / 2 + 1, b.columns})};
  return {to_real ? b.reals({length, b.columns}) : b.a};
}

// --- The table ----------------------------------------------------------------------------------

using Run = bool (*)(const MatrixCall& call, Operands in, Results out);

using Runs = std::array<Run, 4>;  // f32, f64, c64, c128

/// What computes so many matrices at once, on threads.
using Prepare = std::function<void(Operands in, Results out, const Threads& threads)> (*)(
    const MatrixCall& call, std::int64_t count);

struct Row {
  MatrixRoutine routine;
  std::vector<Type> (*types)(const MatrixCall& call);
  Runs run;
  std::optional<Runs> plain = std::nullopt;  // where LAPACK is not installed
  Prepare prepare = nullptr;                 // in place of run
};

#define PARTITA_RUNS(name)                                                        \
  Runs {                                                                          \
    linalg::name<float>, linalg::name<double>, linalg::name<std::complex<float>>, \
        linalg::name<std::complex<double>>                                        \
  }

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {{.name = "eigh",
        .doc = "Eigenvectors, as columns, and eigenvalues, which rise, of a Hermitian matrix, of "
               "which one "
               "triangle is read.",
        .options = {"lower"},
        .ranks = {2}},
       eigh_types,
       PARTITA_RUNS(eigh)},
      {{.name = "svd",
        .doc = "Singular values, which fall, and with compute_uv left singular vectors as columns, "
               "right ones "
               "as rows, conjugated; full_matrices: complete bases.",
        .options = {"compute_uv", "full_matrices"},
        .ranks = {2}},
       svd_types,
       PARTITA_RUNS(svd)},
      {{.name = "eig",
        .doc = "Eigenvalues of any square matrix, and what is asked of left and right "
               "eigenvectors, as columns.",
        .options = {"compute_left", "compute_right"},
        .ranks = {2}},
       eig_types,
       PARTITA_RUNS(eig)},
      {{.name = "schur",
        .doc =
            "The Schur form T, and what is asked of vectors Z, with A = Z T Zᴴ, and eigenvalues.",
        .options = {"compute_values", "compute_vectors"},
        .ranks = {2}},
       schur_types,
       PARTITA_RUNS(schur)},
      {{.name = "cholesky",
        .doc =
            "The triangular factor of a positive-definite matrix, of which one triangle is read.",
        .options = {"lower"},
        .ranks = {2}},
       cholesky_types,
       PARTITA_RUNS(cholesky),
       PARTITA_RUNS(plain::cholesky)},
      {{.name = "triangular_solve",
        .doc = "x of op(A) x = b, or without left of x op(A) = b, for a triangular matrix A.",
        .options = {"adjoint", "left", "lower", "transpose", "unit_diagonal"},
        .ranks = {2, 2}},
       triangular_solve_types,
       PARTITA_RUNS(triangular_solve),
       PARTITA_RUNS(plain::triangular_solve)},
      {{.name = "qr",
        .doc = "R above reflections, and the factors of these.",
        .options = {},
        .ranks = {2}},
       qr_types,
       PARTITA_RUNS(qr),
       PARTITA_RUNS(plain::qr)},
      {{.name = "reflections",
        .doc = "The first columns of the product of reflections, which lie below the diagonal.",
        .options = {},
        .ranks = {2, 1}},
       reflections_types,
       PARTITA_RUNS(reflections),
       PARTITA_RUNS(plain::reflections)},
      {{.name = "hessenberg",
        .doc = "A Hessenberg matrix H above reflections whose product Q has A = Q H Qᴴ, and their "
               "factors.",
        .options = {},
        .ranks = {2}},
       hessenberg_types,
       PARTITA_RUNS(hessenberg)},
      {{.name = "tridiagonal",
        .doc = "A Hermitian matrix, of which one triangle is read, reduced to a tridiagonal one: "
               "with reflections, "
               "its diagonal, what is beside that, factors of the reflections.",
        .options = {"lower"},
        .ranks = {2}},
       tridiagonal_types,
       PARTITA_RUNS(tridiagonal)},
      {{.name = "lu",
        .doc = "L (without its diagonal of ones) below U, the row that each was swapped with, and "
               "P as the rows "
               "of A in order, with P A = L U.",
        .options = {},
        .ranks = {2}},
       lu_types,
       PARTITA_RUNS(lu)},
      {{.name = "pivoted_qr",
        .doc = "QR of a matrix whose columns are reordered so that R's diagonal falls: R above "
               "reflections, the order "
               "of columns from 1 (operand 1: those that come first, 0 for others), factors of the "
               "reflections.",
        .options = {},
        .ranks = {2, 1}},
       pivoted_qr_types,
       PARTITA_RUNS(pivoted_qr)},
      {{.name = "apply_reflections",
        .doc = "Operand 2 times the product Q of reflections: Q C, or C Q without left; transpose: "
               "Qᴴ for Q.",
        .options = {"left", "transpose"},
        .ranks = {2, 1, 2}},
       apply_reflections_types,
       PARTITA_RUNS(apply_reflections)},
      {{.name = "tridiagonal_solve",
        .doc = "x of A x = b for what is below the diagonal of A (from the second element on), the "
               "diagonal and what is above it (but for the last element); perturb_singular: tiny "
               "pivots are replaced by small ones.",
        .options = {"perturb_singular"},
        .ranks = {1, 1, 1, 2}},
       tridiagonal_solve_types,
       PARTITA_RUNS(tridiagonal_solve)},
      {{.name = "fft",
        .doc =
            "The discrete Fourier transform of each column: of complex numbers; of real ones, to "
            "the first half of the spectrum; with inverse and real, back from there, to an odd "
            "number of elements or an even one.",
        .options = {"inverse", "odd", "real"},
        .ranks = {2},
        .is_operation = false,
        .may_fail = false,
        .is_in_place = true},
       fft_types,
       {},
       {},
       linalg::prepare_fft},
  };
  return table;
}

#undef PARTITA_RUNS

const Row* find_row(std::string_view name) {
  const auto at = std::ranges::find(rows(), name, [](const Row& row) { return row.routine.name; });
  return at == rows().end() ? nullptr : &*at;
}

constexpr std::array element_types{DType::f32, DType::f64, DType::c64, DType::c128};

std::optional<std::size_t> element_number(DType dtype) {
  const auto* const at = std::ranges::find(element_types, dtype);
  if (at == element_types.end()) return std::nullopt;
  return std::size_t(at - element_types.begin());
}

// --- Running ------------------------------------------------------------------------------------

/// Both parts of complex numbers; integers stay.
void fill_nan(std::byte* at, const Type& type) {
  const DType part = info(type.dtype).part;
  const std::size_t count = type.bytes() / byte_size(part);
  if (part == DType::f32)
    std::fill_n(reinterpret_cast<float*>(at), count, std::numeric_limits<float>::quiet_NaN());
  if (part == DType::f64)
    std::fill_n(reinterpret_cast<double*>(at), count, std::numeric_limits<double>::quiet_NaN());
}

/// A call on many matrices.
struct Stack {
  const MatrixCall& call;
  Run run;
  const std::vector<Type>& types;  // of results
  Operands operands;
  Results results;

  void run_range(std::int64_t begin, std::int64_t end) const {
    std::vector<const std::byte*> in(operands.size());
    std::vector<std::byte*> out(results.size());
    for (std::int64_t k = begin; k < end; ++k) {
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = operands[i] + std::size_t(k) * call.operands[i].bytes();
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = results[i] + std::size_t(k) * types[i].bytes();
      if (run(call, in, out)) continue;
      for (std::size_t i = 0; i < out.size(); ++i) fill_nan(out[i], types[i]);
    }
  }
};

/// Elements of operands that are worth a further thread.
constexpr std::int64_t elements_per_thread = 4096;

std::int64_t useful_threads(const MatrixCall& call, std::int64_t count, int threads) {
  std::int64_t elements = 0;
  for (const Type& type : call.operands) elements = std::max(elements, type.count());
  const std::int64_t wanted = count * elements / elements_per_thread;
  return std::clamp<std::int64_t>(wanted, 1, std::min<std::int64_t>(threads, count));
}

}  // namespace

bool MatrixCall::has(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

std::span<const MatrixRoutine> matrix_routines() {
  static const std::vector<MatrixRoutine> all = [] {
    std::vector<MatrixRoutine> routines;
    for (const Row& row : rows()) routines.push_back(row.routine);
    return routines;
  }();
  return all;
}

const MatrixRoutine* find_matrix_routine(std::string_view name) {
  const Row* const row = find_row(name);
  return row == nullptr ? nullptr : &row->routine;
}

std::vector<Type> result_types(const MatrixCall& call) {
  const Row* const row = find_row(call.routine);
  if (row == nullptr) {
    std::string names;
    for (const Row& known : rows()) names += cat(names.empty() ? "" : ", ", known.routine.name);
    expect(false, cat("one of ", names), call.routine);
  }
  const MatrixRoutine& routine = row->routine;
  for (const std::string& option : call.options)
    expect(std::ranges::find(routine.options, option) != routine.options.end(),
           cat("options of ", routine.name), option);
  expect(call.operands.size() == routine.ranks.size(), cat(routine.ranks.size(), " operands"),
         cat(call.operands.size()));
  for (std::size_t k = 0; k < routine.ranks.size(); ++k)
    expect(call.operands[k].dims.size() == routine.ranks[k],
           cat("operand ", k, " of rank ", routine.ranks[k]), to_string(call.operands[k]));
  expect(element_number(call.operands[0].dtype).has_value(),
         "matrices of f32, f64 or complex numbers of these", to_string(call.operands[0]));
  return row->types(call);
}

PreparedCall::PreparedCall(MatrixCall call, std::int64_t count)
    : call_(std::move(call)), count_(count), types_(partita::result_types(call_)) {
  const Row& row = *find_row(call_.routine);
  if (row.prepare != nullptr && count > 0) whole_ = row.prepare(call_, count);
}

void PreparedCall::run(Operands operands, Results results, const Threads& threads) const {
  PARTITA_ASSERT(operands.size() == call_.operands.size() && results.size() == types_.size());
  if (count_ == 0) return;
  if (whole_) return whole_(operands, results, threads);
  const Row& row = *find_row(call_.routine);
  const Runs& runs = row.plain && !lapack::is_installed() ? *row.plain : row.run;
  const Run run = runs[*element_number(call_.operands[0].dtype)];
  const Stack stack{call_, run, types_, operands, results};
  const std::int64_t parts = useful_threads(call_, count_, threads.most);
  if (parts == 1) return stack.run_range(0, count_);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(parts));
  threads.run(parts, [&](std::int64_t part) {
    try {
      stack.run_range(count_ * part / parts, count_ * (part + 1) / parts);
    } catch (...) {
      failures[std::size_t(part)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void run_matrix_call(const MatrixCall& call, std::int64_t count,
                     std::span<const std::byte* const> operands,
                     std::span<std::byte* const> results, const Threads& threads) {
  PreparedCall(call, count).run(operands, results, threads);
}

}  // namespace partita

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Routines on matrices give what their doc says: factors multiply back, known matrices have known values, and what
// has no result is NaN in that matrix alone.
#include "partita/linalg/matrix_routine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <thread>

#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"
#include "runtime/linalg/plain.hpp"

namespace partita {
namespace {

using ::testing::HasSubstr;

template <class T>
constexpr DType dtype = std::is_same_v<T, float>                 ? DType::f32
                        : std::is_same_v<T, double>              ? DType::f64
                        : std::is_same_v<T, std::complex<float>> ? DType::c64
                                                                 : DType::c128;
template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

/// Row-major.
template <class T>
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<T> data = std::vector<T>(std::size_t(rows * columns));

  T& operator()(std::int64_t i, std::int64_t j) { return data[std::size_t(i * columns + j)]; }
  const T& operator()(std::int64_t i, std::int64_t j) const {
    return data[std::size_t(i * columns + j)];
  }
  [[nodiscard]] Matrix adjoint() const {
    Matrix a{columns, rows};
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) a(j, i) = conjugate((*this)(i, j));
    return a;
  }
  Matrix operator*(const Matrix& b) const {
    Matrix c{rows, b.columns};
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < columns; ++k)
        for (std::int64_t j = 0; j < b.columns; ++j) c(i, j) += (*this)(i, k) * b(k, j);
    return c;
  }
};

template <class T>
Matrix<T> random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-1, 1);
  Matrix<T> m{rows, columns};
  for (T& x : m.data) {
    if constexpr (std::is_floating_point_v<T>)
      x = T(draw(random));
    else
      x = {typename T::value_type(draw(random)), typename T::value_type(draw(random))};
  }
  return m;
}

template <class T>
Matrix<T> hermitian(std::int64_t n, std::mt19937& random) {
  const Matrix<T> b = random_matrix<T>(n, n, random), c = b.adjoint();
  Matrix<T> a{n, n};
  for (std::size_t k = 0; k < a.data.size(); ++k) a.data[k] = b.data[k] + c.data[k];
  return a;
}

template <class T>
double distance(const Matrix<T>& a, const Matrix<T>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  double most = 0;
  for (std::size_t k = 0; k < a.data.size(); ++k)
    most = std::max(most, double(std::abs(a.data[k] - b.data[k])));
  return most;
}

template <class T>
Matrix<T> identity(std::int64_t n) {
  Matrix<T> m{n, n};
  for (std::int64_t i = 0; i < n; ++i) m(i, i) = T(1);
  return m;
}

template <class T>
HostArray array_of(const Matrix<T>& m) {
  HostArray array(Type{.dtype = dtype<T>, .dims = {m.rows, m.columns}});
  std::copy(m.data.begin(), m.data.end(), reinterpret_cast<T*>(array.bytes.data()));
  return array;
}

/// An array as a matrix; a vector is a column.
template <class T>
Matrix<T> matrix_of(const HostArray& array) {
  EXPECT_EQ(array.type.dtype, dtype<T>);
  const Dims& dims = array.type.dims;
  Matrix<T> m{dims[0], dims.size() == 1 ? 1 : dims[1]};
  const T* const data = reinterpret_cast<const T*>(array.bytes.data());
  std::copy(data, data + array.type.count(), m.data.begin());
  return m;
}

std::int64_t integer(const HostArray& array, std::int64_t at) {
  return array.data<DType::i32>()[at];
}

std::vector<HostArray> run(const std::string& routine, const std::vector<std::string>& options,
                           const std::vector<HostArray>& operands) {
  MatrixCall call{.routine = routine, .options = options, .operands = {}};
  std::vector<const std::byte*> in;
  for (const HostArray& operand : operands) {
    call.operands.push_back(operand.type);
    in.push_back(operand.bytes.data());
  }
  std::vector<HostArray> results;
  for (const Type& type : result_types(call)) results.emplace_back(type);
  std::vector<std::byte*> out;
  for (HostArray& result : results) out.push_back(result.bytes.data());
  run_matrix_call(call, 1, in, out);
  return results;
}

template <class T>
class MatrixRoutines : public ::testing::Test {
 protected:
  using Real = decltype(std::abs(T()));
  static constexpr double tolerance = std::is_same_v<Real, float> ? 1e-4 : 1e-11;

  /// A diagonal matrix of real numbers.
  static Matrix<T> diagonal(const HostArray& values, std::int64_t rows, std::int64_t columns) {
    const Matrix<Real> v = matrix_of<Real>(values);
    Matrix<T> m{rows, columns};
    for (std::int64_t i = 0; i < v.rows; ++i) m(i, i) = T(v(i, 0));
    return m;
  }
  std::mt19937 random{7};
};

using Elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatrixRoutines, Elements, );

TYPED_TEST(MatrixRoutines, eigh_multiplies_back_from_either_triangle) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 5, 40})
    for (const bool lower : {true, false}) {
      const Matrix<T> a = hermitian<T>(n, this->random);
      Matrix<T> given = a;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          if (lower ? j > i : j < i) given(i, j) = T(std::numeric_limits<float>::quiet_NaN());
      const auto out =
          run("eigh", lower ? std::vector<std::string>{"lower"} : std::vector<std::string>{},
              {array_of(given)});
      const Matrix<T> v = matrix_of<T>(out[0]);
      EXPECT_LT(distance(v * this->diagonal(out[1], n, n) * v.adjoint(), a), this->tolerance);
      EXPECT_LT(distance(v.adjoint() * v, identity<T>(n)), this->tolerance);
      const auto w = matrix_of<typename TestFixture::Real>(out[1]).data;
      EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
    }
}

TYPED_TEST(MatrixRoutines, svd_multiplies_back_for_wide_and_tall_matrices) {
  using T = TypeParam;
  for (const auto& [m, n] :
       std::vector<std::pair<int, int>>{{1, 1}, {3, 3}, {7, 4}, {4, 7}, {1, 5}})
    for (const bool full : {true, false}) {
      const Matrix<T> a = random_matrix<T>(m, n, this->random);
      std::vector<std::string> options{"compute_uv"};
      if (full) options.emplace_back("full_matrices");
      const auto out = run("svd", options, {array_of(a)});
      const Matrix<T> u = matrix_of<T>(out[1]), vt = matrix_of<T>(out[2]);
      EXPECT_LT(distance(u * this->diagonal(out[0], u.columns, vt.rows) * vt, a), this->tolerance);
      EXPECT_LT(distance(u.adjoint() * u, identity<T>(u.columns)), this->tolerance);
      EXPECT_LT(distance(vt * vt.adjoint(), identity<T>(vt.rows)), this->tolerance);
      const auto alone = run("svd", {}, {array_of(a)});
      EXPECT_EQ(alone.size(), 1u);
      EXPECT_LT(distance(matrix_of<typename TestFixture::Real>(alone[0]),
                         matrix_of<typename TestFixture::Real>(out[0])),
                this->tolerance);
    }
}

TYPED_TEST(MatrixRoutines, svd_of_nothing_has_whole_bases) {
  using T = TypeParam;
  const auto out = run("svd", {"compute_uv", "full_matrices"}, {array_of(Matrix<T>{3, 0})});
  EXPECT_EQ(out[0].type.count(), 0);
  EXPECT_EQ(distance(matrix_of<T>(out[1]), identity<T>(3)), 0);
  EXPECT_EQ(out[2].type.count(), 0);
}

TYPED_TEST(MatrixRoutines, eig_has_left_and_right_eigenvectors) {
  using T = TypeParam;
  using Complex = std::complex<typename TestFixture::Real>;
  for (const std::int64_t n : {1, 2, 3, 6, 11}) {
    const Matrix<T> a = random_matrix<T>(n, n, this->random);
    Matrix<Complex> wide{n, n};
    std::copy(a.data.begin(), a.data.end(), wide.data.begin());
    const auto out = run("eig", {"compute_left", "compute_right"}, {array_of(a)});
    const Matrix<Complex> w = matrix_of<Complex>(out[0]), vl = matrix_of<Complex>(out[1]),
                          vr = matrix_of<Complex>(out[2]);
    Matrix<Complex> lambda{n, n};
    for (std::int64_t i = 0; i < n; ++i) lambda(i, i) = w(i, 0);
    EXPECT_LT(distance(wide * vr, vr * lambda), 10 * this->tolerance);
    EXPECT_LT(distance(vl.adjoint() * wide, lambda * vl.adjoint()), 10 * this->tolerance);
    EXPECT_EQ(run("eig", {}, {array_of(a)}).size(), 1u);
    const auto right = run("eig", {"compute_right"}, {array_of(a)});
    EXPECT_EQ(distance(matrix_of<Complex>(right[1]), vr), 0);
  }
}

TYPED_TEST(MatrixRoutines, schur_multiplies_back) {
  using T = TypeParam;
  using Complex = std::complex<typename TestFixture::Real>;
  for (const std::int64_t n : {1, 2, 6}) {
    const Matrix<T> a = random_matrix<T>(n, n, this->random);
    const auto out = run("schur", {"compute_values", "compute_vectors"}, {array_of(a)});
    const Matrix<T> t = matrix_of<T>(out[0]), z = matrix_of<T>(out[1]);
    EXPECT_LT(distance(z * t * z.adjoint(), a), this->tolerance);
    Complex trace = 0, sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      trace += a(i, i);
      sum += matrix_of<Complex>(out[2])(i, 0);
      for (std::int64_t j = 0; j + 1 < i; ++j) EXPECT_EQ(t(i, j), T(0));
    }
    EXPECT_LT(std::abs(trace - sum), this->tolerance);
  }
}

TYPED_TEST(MatrixRoutines, lu_multiplies_back_to_the_permuted_rows) {
  using T = TypeParam;
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{{1, 1}, {4, 4}, {7, 3}, {3, 7}}) {
    const Matrix<T> a = random_matrix<T>(m, n, this->random);
    const auto out = run("lu", {}, {array_of(a)});
    const Matrix<T> lu = matrix_of<T>(out[0]);
    const std::int64_t k = std::min(m, n);
    Matrix<T> l{m, k}, u{k, n}, permuted{m, n};
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < k; ++j) l(i, j) = i == j ? T(1) : i > j ? lu(i, j) : T(0);
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = i; j < n; ++j) u(i, j) = lu(i, j);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) permuted(i, j) = a(integer(out[2], i), j);
    EXPECT_LT(distance(l * u, permuted), this->tolerance);
  }
}

TYPED_TEST(MatrixRoutines, reductions_are_similar_to_what_they_reduce) {
  using T = TypeParam;
  constexpr std::int64_t n = 6;
  const Matrix<T> a = random_matrix<T>(n, n, this->random);
  const auto out = run("hessenberg", {}, {array_of(a)});
  const Matrix<T> packed = matrix_of<T>(out[0]);
  // The reflections act on all rows but the first.
  Matrix<T> h = packed, vs{n - 1, n - 1};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j + 1 < i; ++j) h(i, j) = T(0);
  for (std::int64_t i = 0; i + 1 < n; ++i)
    for (std::int64_t j = 0; j + 1 < n; ++j) vs(i, j) = packed(i + 1, j);
  const auto q_part = matrix_of<T>(run("reflections", {}, {array_of(vs), out[1]})[0]);
  Matrix<T> q = identity<T>(n);
  for (std::int64_t i = 0; i + 1 < n; ++i)
    for (std::int64_t j = 0; j + 1 < n; ++j) q(i + 1, j + 1) = q_part(i, j);
  EXPECT_LT(distance(q * h * q.adjoint(), a), this->tolerance);

  const Matrix<T> s = hermitian<T>(n, this->random);
  const auto reduced = run("tridiagonal", {"lower"}, {array_of(s)});
  const auto d = matrix_of<typename TestFixture::Real>(reduced[1]),
             e = matrix_of<typename TestFixture::Real>(reduced[2]);
  Matrix<T> tridiagonal{n, n};
  for (std::int64_t i = 0; i < n; ++i) {
    tridiagonal(i, i) = T(d(i, 0));
    if (i + 1 < n) tridiagonal(i, i + 1) = tridiagonal(i + 1, i) = T(e(i, 0));
  }
  EXPECT_LT(
      distance(matrix_of<typename TestFixture::Real>(run("eigh", {}, {array_of(s)})[1]),
               matrix_of<typename TestFixture::Real>(run("eigh", {}, {array_of(tridiagonal)})[1])),
      this->tolerance);
}

TYPED_TEST(MatrixRoutines, reflections_multiply_back) {
  using T = TypeParam;
  const Matrix<T> a = random_matrix<T>(5, 3, this->random);
  const auto upper = [](const HostArray& packed) {
    const Matrix<T> all = matrix_of<T>(packed);
    Matrix<T> r{3, 3};
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = i; j < 3; ++j) r(i, j) = all(i, j);
    return r;
  };
  const auto out = run("qr", {}, {array_of(a)});
  const Matrix<T> q = matrix_of<T>(run("reflections", {}, out)[0]);
  EXPECT_LT(distance(q * upper(out[0]), a), this->tolerance);

  HostArray none(Type{.dtype = DType::i32, .dims = {3}});
  const auto pivoted = run("pivoted_qr", {}, {array_of(a), none});
  const Matrix<T> product =
      matrix_of<T>(run("reflections", {}, {pivoted[0], pivoted[2]})[0]) * upper(pivoted[0]);
  Matrix<T> ordered{5, 3};
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 3; ++j) ordered(i, j) = a(i, integer(pivoted[1], j) - 1);
  EXPECT_LT(distance(product, ordered), this->tolerance);

  // All of Q, applied from either side.
  const Matrix<T> c = random_matrix<T>(5, 2, this->random);
  const auto forward = run("apply_reflections", {"left"}, {out[0], out[1], array_of(c)});
  const auto back = run("apply_reflections", {"left", "transpose"}, {out[0], out[1], forward[0]});
  EXPECT_LT(distance(matrix_of<T>(back[0]), c), this->tolerance);
  const auto right =
      run("apply_reflections", {"transpose"}, {out[0], out[1], array_of(c.adjoint())});
  EXPECT_LT(distance(matrix_of<T>(right[0]).adjoint(), matrix_of<T>(forward[0])), this->tolerance);
}

TYPED_TEST(MatrixRoutines, cholesky_multiplies_back) {
  using T = TypeParam;
  const Matrix<T> b = random_matrix<T>(4, 4, this->random);
  Matrix<T> a = b * b.adjoint();
  for (std::int64_t i = 0; i < 4; ++i) a(i, i) += T(1);
  const Matrix<T> l = matrix_of<T>(run("cholesky", {"lower"}, {array_of(a)})[0]),
                  u = matrix_of<T>(run("cholesky", {}, {array_of(a)})[0]);
  EXPECT_LT(distance(l * l.adjoint(), a), this->tolerance);
  EXPECT_LT(distance(u.adjoint() * u, a), this->tolerance);
  EXPECT_EQ(l(0, 3), T(0));
}

TYPED_TEST(MatrixRoutines, loops_do_what_lapack_does) {
  using T = TypeParam;
  const auto expect_same = [](bool (*loops)(const MatrixCall&, linalg::Operands, linalg::Results),
                              const std::string& routine, const std::vector<std::string>& options,
                              const std::vector<HostArray>& operands) {
    const std::vector<HostArray> wanted = run(routine, options, operands);
    MatrixCall call{.routine = routine, .options = options, .operands = {}};
    std::vector<const std::byte*> in;
    std::vector<std::byte*> out;
    for (const HostArray& operand : operands) {
      call.operands.push_back(operand.type);
      in.push_back(operand.bytes.data());
    }
    std::vector<HostArray> found;
    for (const HostArray& array : wanted) found.emplace_back(array.type);
    for (HostArray& array : found) out.push_back(array.bytes.data());
    EXPECT_TRUE(loops(call, in, out));
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_LT(distance(matrix_of<T>(found[k]), matrix_of<T>(wanted[k])), TestFixture::tolerance)
          << routine;
  };
  Matrix<T> square = hermitian<T>(6, this->random);
  for (std::int64_t i = 0; i < 6; ++i) square(i, i) += T(20);
  const HostArray a = array_of(square), wide = array_of(random_matrix<T>(6, 3, this->random));
  expect_same(linalg::plain::cholesky<T>, "cholesky", {"lower"}, {a});
  expect_same(linalg::plain::cholesky<T>, "cholesky", {}, {a});
  expect_same(linalg::plain::triangular_solve<T>, "triangular_solve", {"left", "lower"}, {a, wide});
  expect_same(linalg::plain::triangular_solve<T>, "triangular_solve", {"adjoint", "left"},
              {a, wide});
  expect_same(linalg::plain::triangular_solve<T>, "triangular_solve",
              {"transpose", "unit_diagonal"}, {a, array_of(random_matrix<T>(2, 6, this->random))});
  expect_same(linalg::plain::qr<T>, "qr", {}, {wide});
  expect_same(linalg::plain::qr<T>, "qr", {}, {array_of(random_matrix<T>(3, 6, this->random))});
  expect_same(linalg::plain::reflections<T>, "reflections", {}, run("qr", {}, {wide}));
}

TYPED_TEST(MatrixRoutines, triangular_systems_of_every_form_are_solved) {
  using T = TypeParam;
  const Matrix<T> given = random_matrix<T>(4, 4, this->random);
  for (const bool left : {true, false})
    for (const bool lower : {true, false})
      for (const std::string op : {"", "transpose", "adjoint"}) {
        Matrix<T> a{4, 4}, of{4, 4}, known = given;
        for (std::int64_t i = 0; i < 4; ++i) {
          known(i, i) += T(3);
          for (std::int64_t j = 0; j < 4; ++j) {
            if (lower ? j <= i : j >= i) a(i, j) = known(i, j);
            if (op.empty()) of(i, j) = a(i, j);
          }
        }
        if (op == "adjoint") of = a.adjoint();
        if (op == "transpose") {
          of = a.adjoint();
          for (T& x : of.data) x = conjugate(x);
        }
        const Matrix<T> x = random_matrix<T>(left ? 4 : 3, left ? 3 : 4, this->random);
        std::vector<std::string> options;
        if (left) options.emplace_back("left");
        if (lower) options.emplace_back("lower");
        if (!op.empty()) options.push_back(op);
        const auto out =
            run("triangular_solve", options, {array_of(known), array_of(left ? of * x : x * of)});
        EXPECT_LT(distance(matrix_of<T>(out[0]), x), this->tolerance) << left << lower << op;
      }
}

TYPED_TEST(MatrixRoutines, tridiagonal_systems_are_solved) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 6}) {
    Matrix<T> a{n, n};
    std::vector<HostArray> operands;
    for (int k = 0; k < 3; ++k) {
      Matrix<T> line = random_matrix<T>(n, 1, this->random);
      for (std::int64_t i = 0; i < n; ++i) {
        if (k == 1) line(i, 0) += T(4);
        const std::int64_t j = i + k - 1;
        if (j >= 0 && j < n) a(i, j) = line(i, 0);
      }
      operands.push_back(array_of(line));
      operands.back().type.dims = {n};
    }
    const Matrix<T> x = random_matrix<T>(n, 2, this->random);
    operands.push_back(array_of(a * x));
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{}, std::vector<std::string>{"perturb_singular"}})
      EXPECT_LT(distance(matrix_of<T>(run("tridiagonal_solve", options, operands)[0]), x),
                this->tolerance);
  }
  // A singular matrix has a large solution, or none.
  HostArray zeros(Type{.dtype = dtype<T>, .dims = {3}});
  const std::vector<HostArray> singular{zeros, zeros, zeros, array_of(Matrix<T>{3, 1, {1, 1, 1}})};
  EXPECT_FALSE(
      std::isfinite(std::abs(matrix_of<T>(run("tridiagonal_solve", {}, singular)[0])(0, 0))));
  HostArray diagonal(Type{.dtype = dtype<T>, .dims = {2}}), beside = diagonal;
  reinterpret_cast<T*>(diagonal.bytes.data())[0] = T(1);
  const auto large =
      matrix_of<T>(run("tridiagonal_solve", {"perturb_singular"},
                       {beside, diagonal, beside, array_of(Matrix<T>{2, 1, {1, 1}})})[0]);
  EXPECT_GT(std::abs(large(1, 0)), 1e5);
  EXPECT_TRUE(std::isfinite(std::abs(large(1, 0))));
}

TEST(MatrixRoutine, known_matrices_have_known_values) {
  const auto symmetric = run("eigh", {"lower"}, {array_of(Matrix<double>{2, 2, {2, 1, 1, 2}})});
  EXPECT_NEAR(symmetric[1].data<DType::f64>()[0], 1, 1e-14);
  EXPECT_NEAR(symmetric[1].data<DType::f64>()[1], 3, 1e-14);
  const auto singular = run("svd", {}, {array_of(Matrix<double>{2, 2, {3, 0, 4, 5}})});
  EXPECT_NEAR(singular[0].data<DType::f64>()[0], std::sqrt(45.0), 1e-13);
  EXPECT_NEAR(singular[0].data<DType::f64>()[1], std::sqrt(5.0), 1e-13);
  const auto turned = run("eig", {}, {array_of(Matrix<double>{2, 2, {0, -1, 1, 0}})});
  EXPECT_NEAR(std::abs(turned[0].data<DType::c128>()[0] - std::complex<double>(0, 1)), 0, 1e-14);
  const auto lu = run("lu", {}, {array_of(Matrix<double>{2, 2, {1, 2, 4, 6}})});
  EXPECT_EQ(matrix_of<double>(lu[0]).data, (std::vector<double>{4, 6, 0.25, 0.5}));
  EXPECT_EQ(lu[1].data<DType::i32>()[0], 1);
  EXPECT_EQ(lu[2].data<DType::i32>()[0], 1);
  EXPECT_EQ(lu[2].data<DType::i32>()[1], 0);
}

TEST(MatrixRoutine, what_is_not_finite_is_nan_in_that_matrix_alone) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> given{nan, 1, 1, 2, 2, 1, 1, 2, infinity, 1, 1, 2};
  for (const char* routine : {"eigh", "svd", "eig", "schur"}) {
    const MatrixCall call{
        .routine = routine, .options = {}, .operands = {{.dtype = DType::f64, .dims = {2, 2}}}};
    std::vector<HostArray> results;
    for (const Type& type : result_types(call)) {
      Type stacked = type;
      stacked.dims.insert(stacked.dims.begin(), 3);
      results.emplace_back(stacked);
    }
    std::vector<std::byte*> out;
    for (HostArray& result : results) out.push_back(result.bytes.data());
    const std::byte* const in[] = {reinterpret_cast<const std::byte*>(given.data())};
    run_matrix_call(call, 3, in, out);
    for (const HostArray& result : results) {
      const std::int64_t third = std::int64_t(result.bytes.size() / sizeof(double)) / 3;
      const double* const x = reinterpret_cast<const double*>(result.bytes.data());
      EXPECT_TRUE(std::isnan(x[0])) << routine;
      for (std::int64_t k = third; k < 2 * third; ++k) EXPECT_TRUE(std::isfinite(x[k])) << routine;
      EXPECT_TRUE(std::isnan(x[2 * third])) << routine;
    }
  }
  const auto lu = run("lu", {}, {array_of(Matrix<double>{2, 2, {1, nan, 3, 4}})});
  EXPECT_TRUE(std::isnan(lu[0].data<DType::f64>()[0]));
  EXPECT_EQ(lu[2].data<DType::i32>()[1], 1);
  // A pivot of 0 is a result.
  const auto singular = run("lu", {}, {array_of(Matrix<double>{2, 2, {1, 1, 1, 1}})});
  EXPECT_EQ(singular[0].data<DType::f64>()[3], 0);
}

TEST(MatrixRoutine, threads_give_what_one_gives) {
  std::mt19937 random(5);
  constexpr std::int64_t count = 60, n = 24;
  const Matrix<float> a = random_matrix<float>(count * n, n, random);
  const MatrixCall call{.routine = "svd",
                        .options = {"compute_uv"},
                        .operands = {{.dtype = DType::f32, .dims = {n, n}}}};
  const auto results = [&](int threads) {
    std::vector<HostArray> arrays;
    std::vector<std::byte*> out;
    for (const Type& type : result_types(call)) {
      Type stacked = type;
      stacked.dims.insert(stacked.dims.begin(), count);
      arrays.emplace_back(stacked);
    }
    for (HostArray& array : arrays) out.push_back(array.bytes.data());
    const std::byte* const in[] = {reinterpret_cast<const std::byte*>(a.data.data())};
    run_matrix_call(call, count, in, out, new_threads(threads));
    return arrays;
  };
  const auto wanted = results(1);
  EXPECT_EQ(results(4), wanted);
  // Shards call at the same time.
  std::vector<std::vector<HostArray>> found(4);
  {
    std::vector<std::jthread> shards;
    for (auto& one : found) shards.emplace_back([&] { one = results(2); });
  }
  for (const auto& one : found) EXPECT_EQ(one, wanted);
}

TEST(MatrixRoutine, wrong_calls_say_what_was_expected) {
  const auto error = [](const MatrixCall& call) -> std::string {
    try {
      (void)result_types(call);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::user);
      return e.what();
    }
    return "none";
  };
  const Type square{.dtype = DType::f32, .dims = {3, 3}}, wide{.dtype = DType::f32, .dims = {2, 3}};
  EXPECT_THAT(error({"eigh", {}, {wide}}), HasSubstr("square matrices, found tensor<2x3xf32>"));
  EXPECT_THAT(error({"eigh", {}, {{.dtype = DType::bf16, .dims = {3, 3}}}}), HasSubstr("f32, f64"));
  EXPECT_THAT(error({"reflections", {}, {wide, {.dtype = DType::f32, .dims = {2}}}}),
              HasSubstr("at least as many rows"));
  EXPECT_THAT(
      error({"apply_reflections", {"left"}, {square, {.dtype = DType::f32, .dims = {3}}, wide}}),
      HasSubstr("operand 2 of type tensor<3x3xf32>"));
  EXPECT_THAT(error({"hessenberg", {}, {{.dtype = DType::f32, .dims = {0, 0}}}}),
              HasSubstr("at least one row"));
  EXPECT_THAT(error({"lu", {"lower"}, {square}}), HasSubstr("options of lu"));
}

}  // namespace
}  // namespace partita

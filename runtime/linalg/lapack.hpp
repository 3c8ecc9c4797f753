// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// LAPACK's Fortran interface by name, opened when it is first needed, so that programs which need none run where it
// is not installed.  Calls from several threads at once are safe; each runs on the thread that makes it.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "partita/base/error.hpp"

namespace partita::lapack {

/// Whether there is a library.
[[nodiscard]] bool is_installed();
/// The address of a routine such as "sgeev_"; a device error where the library or the routine is missing.
[[nodiscard]] void* find(const std::string& symbol);

/// The type of norms and of eigenvalues of symmetric matrices.
template <class T>
using Part = decltype(std::real(T{}));
template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, Part<T>>;

/// "s", "d", "c" or "z".
template <class T>
inline constexpr char letter = std::is_same_v<Part<T>, float> ? (is_complex<T> ? 'c' : 's')
                                                              : (is_complex<T> ? 'z' : 'd');

/// Calls routine NAME for elements of T: arguments by address, as Fortran has them, letters as `const char*`, of
/// which it also gets the lengths.
template <class T, class... Arguments>
void call(const char* name, Arguments... arguments) {
  constexpr int letters = (0 + ... + int(std::is_same_v<Arguments, const char*>));
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    using Function = void (*)(Arguments..., decltype(k)...);
    const auto routine = reinterpret_cast<Function>(find(cat(letter<T>, name, "_")));
    routine(arguments..., (void(k), std::size_t(1))...);
  }
  (std::make_index_sequence<letters>());
}

/// The name of a routine that is another one for complex numbers: "syevd" and "heevd".
template <class T>
constexpr const char* either(const char* of_real, const char* of_complex) {
  return is_complex<T> ? of_complex : of_real;
}

/// What a routine that was asked for the size of its workspace has said; a user error where that is no int.
template <class T>
int workspace_size(T said) {
  // A large size is rounded where it is said in f32.
  const double size = std::ceil(double(std::real(said)) *
                                (1 + 2 * double(std::numeric_limits<Part<T>>::epsilon())));
  if (!(size < double(std::numeric_limits<int>::max())))
    throw_user_error(
        cat("expected matrices whose workspace has fewer than 2^31 elements, found ", size));
  return size < 1 ? 1 : int(size);
}

/// Calls `routine(work, size)` twice: to ask for the size of its workspace, and with that.
template <class T, class Routine>
void with_workspace(const Routine& routine) {
  T said{};
  int size = -1;
  routine(&said, &size);
  size = workspace_size(said);
  std::vector<T> work(std::size_t(size), T{});
  routine(work.data(), &size);
}

}  // namespace partita::lapack

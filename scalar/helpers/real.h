// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions for the values of elementwise.def that neither C++ nor OpenCL C provides.  These files are
// compiled as C++ (scalar/scalar.hpp) and their text is printed into kernels (kernel/print).
//
//   PARTITA_HELPER(domain, result, name, (parameters)) { body }
//
// The body is C++ and OpenCL C at once.  In it
//   T     the type of the operands; R: the type of their parts when T is complex, else T
//   domain  real: T is a float (called with R where an expression is complex); integer; complex
//   K(c)  the literal c as an R
//   U(x), S(x), BITS  as in elementwise.def
//   RE(z), IM(z), MAKE(re, im)  parts of a complex value, and a complex value of parts
// A helper may call those above it, those of the files before (scalar/scalar.hpp has their order) and the
// functions that scalar.hpp lists.  Declare one variable per statement.  Both precisions run the same
// code, with coefficients good for f64, unless said.

// Larger operand; NaN if either is, and -0 < +0.
PARTITA_HELPER(real, T, ieee_maximum, (T x, T y)) {
  return x > y || x != x || (x == y && !signbit(x)) ? x : y;
}

PARTITA_HELPER(integer, T, integer_power, (T x, T y)) {
  T result = K(1);
  if (y < K(0))
    return x == K(1) || (x == K(-1) && (y & K(1)) == K(0)) ? K(1) : x == K(-1) ? x : K(0);
  for (; y != K(0); y = y >> 1) {
    if (y & K(1)) result = U(result) * U(x);
    x = U(x) * U(x);
  }
  return result;
}

// 1 / (1 + e^-x), without overflow on the way.
PARTITA_HELPER(real, T, sigmoid, (T x)) {
  T e = exp(-fabs(x));
  return (x < K(0) ? e : K(1)) / (K(1) + e);
}

// Digamma: reflection below 0, recurrence up to 10, then the asymptotic series (DLMF 5.11.2).
// The limits at a pole differ between its sides, so its value there, as at either zero, is NaN.  Near
// one the distance from it, which is exact, decides.
PARTITA_HELPER(real, T, digamma, (T x)) {
  T result = K(0);
  T y = x;
  if (x <= K(0)) {
    if (x == floor(x)) return sqrt(K(-1));
    T distance = x - floor(x + K(0.5));
    result = K(-3.141592653589793) / tan(K(3.141592653589793) * distance);
    y = K(1) - x;
  }
  for (int i = 0; i < 10; ++i) {
    if (y < K(10)) {
      result -= K(1) / y;
      y += K(1);
    }
  }
  T s = K(1) / (y * y);
  T series =
      s * (K(0.08333333333333333) -
           s * (K(0.008333333333333333) -
                s * (K(0.003968253968253968) -
                     s * (K(0.004166666666666667) -
                          s * (K(0.007575757575757576) -
                               s * (K(0.021092796092796094) - s * K(0.08333333333333333)))))));
  if (y > K(1e17)) return result + log(y);
  return result + log(y) - K(0.5) / y - series;
}

// Inverse error function: M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2011.
PARTITA_HELPER(real, T, erf_inv, (T x)) {
  T w = -log1p(-x * x);
  T p = K(0);
  if (fabs(x) == K(1)) return x / K(0);
  if (w < K(6.25)) {
    w = w - K(3.125);
    p = K(-3.6444120640178196996e-21);
    p = K(-1.685059138182016589e-19) + p * w;
    p = K(1.2858480715256400167e-18) + p * w;
    p = K(1.115787767802518096e-17) + p * w;
    p = K(-1.333171662854620906e-16) + p * w;
    p = K(2.0972767875968561637e-17) + p * w;
    p = K(6.6376381343583238325e-15) + p * w;
    p = K(-4.0545662729752068639e-14) + p * w;
    p = K(-8.1519341976054721522e-14) + p * w;
    p = K(2.6335093153082322977e-12) + p * w;
    p = K(-1.2975133253453532498e-11) + p * w;
    p = K(-5.4154120542946279317e-11) + p * w;
    p = K(1.051212273321532285e-09) + p * w;
    p = K(-4.1126339803469836976e-09) + p * w;
    p = K(-2.9070369957882005086e-08) + p * w;
    p = K(4.2347877827932403518e-07) + p * w;
    p = K(-1.3654692000834678645e-06) + p * w;
    p = K(-1.3882523362786468719e-05) + p * w;
    p = K(0.0001867342080340571352) + p * w;
    p = K(-0.00074070253416626697512) + p * w;
    p = K(-0.0060336708714301490533) + p * w;
    p = K(0.24015818242558961693) + p * w;
    p = K(1.6536545626831027356) + p * w;
  } else if (w < K(16)) {
    w = sqrt(w) - K(3.25);
    p = K(2.2137376921775787049e-09);
    p = K(9.0756561938885390979e-08) + p * w;
    p = K(-2.7517406297064545428e-07) + p * w;
    p = K(1.8239629214389227755e-08) + p * w;
    p = K(1.5027403968909827627e-06) + p * w;
    p = K(-4.013867526981545969e-06) + p * w;
    p = K(2.9234449089955446044e-06) + p * w;
    p = K(1.2475304481671778723e-05) + p * w;
    p = K(-4.7318229009055733981e-05) + p * w;
    p = K(6.8284851459573175448e-05) + p * w;
    p = K(2.4031110387097893999e-05) + p * w;
    p = K(-0.0003550375203628474796) + p * w;
    p = K(0.00095328937973738049703) + p * w;
    p = K(-0.0016882755560235047313) + p * w;
    p = K(0.0024914420961078508066) + p * w;
    p = K(-0.0037512085075692412107) + p * w;
    p = K(0.005370914553590063617) + p * w;
    p = K(1.0052589676941592334) + p * w;
    p = K(3.0838856104922207635) + p * w;
  } else {
    w = sqrt(w) - K(5);
    p = K(-2.7109920616438573243e-11);
    p = K(-2.5556418169965252055e-10) + p * w;
    p = K(1.5076572693500548083e-09) + p * w;
    p = K(-3.7894654401267369937e-09) + p * w;
    p = K(7.6157012080783393804e-09) + p * w;
    p = K(-1.4960026627149240478e-08) + p * w;
    p = K(2.9147953450901080826e-08) + p * w;
    p = K(-6.7711997758452339498e-08) + p * w;
    p = K(2.2900482228026654717e-07) + p * w;
    p = K(-9.9298272942317002539e-07) + p * w;
    p = K(4.5260625972231537039e-06) + p * w;
    p = K(-1.9681778105531670567e-05) + p * w;
    p = K(7.5995277030017761139e-05) + p * w;
    p = K(-0.00021503011930044477347) + p * w;
    p = K(-0.00013871931833623122026) + p * w;
    p = K(1.0103004648645343977) + p * w;
    p = K(4.8499064014085844221) + p * w;
  }
  return p * x;
}

// e^-|x| I0(x): as I1 below.
PARTITA_HELPER(real, T, bessel_i0e, (T x)) {
  T a = fabs(x);
  T term = K(1);
  T sum = K(1);
  if (a < K(20)) {
    T q = K(0.25) * x * x;
    for (int k = 1; k < 60; ++k) {
      term = term * q / ((T)k * (T)k);
      sum = sum + term;
    }
    return sum * exp(-a);
  }
  for (int k = 1; k < 30; ++k) {
    T odd = (T)(2 * k - 1);
    term = term * (odd * odd) / ((T)(8 * k) * a);
    sum = sum + term;
  }
  return sum / sqrt(K(6.283185307179586) * a);
}

// e^-|x| I1(x): the power series up to 20 (all terms positive), then DLMF 10.40.1.
PARTITA_HELPER(real, T, bessel_i1e, (T x)) {
  T a = fabs(x);
  T term = K(1);
  T sum = K(1);
  if (a < K(20)) {
    T q = K(0.25) * x * x;
    for (int k = 1; k < 60; ++k) {
      term = term * q / ((T)k * (T)(k + 1));
      sum = sum + term;
    }
    return K(0.5) * x * sum * exp(-a);
  }
  for (int k = 1; k < 30; ++k) {
    T odd = (T)(2 * k - 1);
    term = term * (odd * odd - K(4)) / ((T)(8 * k) * a);
    sum = sum + term;
  }
  return (x < K(0) ? -sum : sum) / sqrt(K(6.283185307179586) * a);
}

// Neighbour of x in the direction of y among the floats of that many mantissa bits and that smallest exponent.
// Only on the way to infinity, which not every format has, is a step beyond the largest one.
PARTITA_HELPER(real, T, neighbour, (T x, T y, int mantissa, int emin)) {
  if (mantissa >= 23) return nextafter(x, y);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  T tiny = ldexp(K(1), emin - mantissa);
  T normal = ldexp(K(1), emin);
  T largest = ldexp(K(2) - ldexp(K(1), -mantissa), 1 - emin);
  if (isinf(x)) return copysign(largest, x);
  if (x == K(0)) return copysign(tiny, y);
  T a = fabs(x);
  bool grows = (x < y) == (x > K(0));
  T unit = tiny;
  if (a >= normal) {
    unit = ldexp(K(1), ilogb(a) - mantissa);
    if (!grows && a > normal && a == ldexp(unit, mantissa)) unit = K(0.5) * unit;
  }
  a = grows ? a + unit : a - unit;
  return copysign(a > largest && isinf(y) ? a / K(0) : a, x);
}

// The sum of (q + k)^-x over all k: some terms, then Euler-Maclaurin (DLMF 25.11.43).
PARTITA_HELPER(real, T, hurwitz_zeta, (T x, T q)) {
  if (x != x || q != q || x < K(1)) return sqrt(K(-1));
  if (x == K(1)) return K(1) / K(0);
  if (q <= K(0)) {
    if (x != floor(x)) return sqrt(K(-1));
    if (q == floor(q)) return fmod(x, K(2)) == K(0) ? K(1) / K(0) : sqrt(K(-1));
  }
  T sum = K(0);
  T a = q;
  for (int k = 0; k < 1000; ++k) {
    if (k < 10 || a < K(10)) {
      sum = sum + pow(a, -x);
      a = a + K(1);
    }
  }
  T s = K(1) / (a * a);
  T series = K(1.3382536530684679e-11) - s * (x + K(13)) * (x + K(14)) * K(3.3896802963225829e-13);
  series = K(-5.284190138687493e-10) + s * (x + K(11)) * (x + K(12)) * series;
  series = K(2.08767569878681e-08) + s * (x + K(9)) * (x + K(10)) * series;
  series = K(-8.267195767195768e-07) + s * (x + K(7)) * (x + K(8)) * series;
  series = K(3.306878306878307e-05) + s * (x + K(5)) * (x + K(6)) * series;
  series = K(-0.001388888888888889) + s * (x + K(3)) * (x + K(4)) * series;
  series = K(0.08333333333333333) + s * (x + K(1)) * (x + K(2)) * series;
  T power = pow(a, -x);
  if (power == K(0)) return sum;
  return sum + power * (a / (x - K(1)) + K(0.5) + x / a * series);
}

PARTITA_HELPER(real, T, polygamma, (T n, T x)) {
  if (n == K(0)) return digamma(x);
  if (n != n || isinf(n) || n < K(0) || n != floor(n)) return sqrt(K(-1));
  T factorial = K(1);
  for (int k = 2; k < 172; ++k) {
    if ((T)k <= n) factorial = factorial * (T)k;
  }
  if (n > K(171)) factorial = K(1) / K(0);
  T value = factorial * hurwitz_zeta(n + K(1), x);
  return fmod(n, K(2)) == K(0) ? -value : value;
}

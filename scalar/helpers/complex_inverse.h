// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Inverse trigonometric functions of complex numbers: T. E. Hull, T. F. Fairgrieve, P. T. P. Tang,
// "Implementing the complex arcsine and arccosine functions using exception handling", ACM TOMS 23, 1997.
// scalar/helpers/real.h says what these files are.

// (h - b) / 2 for h = hypot(a, b), without cancellation.
PARTITA_HELPER(real, T, half_excess, (T a, T b, T h)) {
  if (b < K(0)) return K(0.5) * (h - b);
  if (b == K(0)) return K(0.5) * a;
  return K(0.5) * a * (a / (h + b));
}

// The imaginary part of asin in the first quadrant.
PARTITA_HELPER(real, T, asin_imaginary, (T x, T y)) {
  T epsilon = sizeof(T) == 4 ? K(1.1920928955078125e-07) : K(2.220446049250313e-16);
  if (x > K(1) / epsilon || y > K(1) / epsilon) return log_hypot(x, y) + K(0.6931471805599453);
  if (x != x || y != y) return x + y;
  T r = hypot(x + K(1), y);
  T s = hypot(x - K(1), y);
  T a = K(0.5) * (r + s);
  if (a < K(1)) a = K(1);
  if (a > K(10)) return log(a + sqrt(a * a - K(1)));
  if (x == K(1) && y < K(0.0078125) * epsilon * epsilon) return sqrt(y);
  if (y >= epsilon * fabs(x - K(1))) {
    T excess = half_excess(y, K(1) + x, r) + half_excess(y, K(1) - x, s);
    return log1p(excess + sqrt(excess * (a + K(1))));
  }
  if (x < K(1)) return y / sqrt((K(1) - x) * (K(1) + x));
  return log1p((x - K(1)) + sqrt((x - K(1)) * (x + K(1))));
}

// In the first quadrant, the point whose angle from the second axis is the real part of asin.
PARTITA_HELPER(complex, T, asin_point, (T z)) {
  R x = RE(z);
  R y = IM(z);
  R epsilon = sizeof(R) == 4 ? K(1.1920928955078125e-07) : K(2.220446049250313e-16);
  if (x > K(1) / epsilon || y > K(1) / epsilon) return z;
  if (x != x || (y != y && x != K(0))) return z;
  R r = hypot(x + K(1), y);
  R s = hypot(x - K(1), y);
  R a = K(0.5) * (r + s);
  if (a < K(1)) a = K(1);
  if (x <= K(0.6417) * a) return MAKE(x, sqrt((a - x) * (a + x)));
  if (x == K(1) && y < K(0.0078125) * epsilon) return MAKE(x, sqrt(y) * sqrt(K(0.5) * (a + x)));
  if (y >= epsilon * fabs(x - K(1))) {
    R excess = half_excess(y, x + K(1), r) + half_excess(y, x - K(1), s);
    return MAKE(x, sqrt(excess * (a + x)));
  }
  if (x > K(1)) return MAKE(x, y * x / sqrt((x + K(1)) * (x - K(1))));
  return MAKE(x, sqrt((K(1) - x) * (K(1) + x)));
}

PARTITA_HELPER(complex, T, complex_asin, (T x)) {
  R a = fabs(RE(x));
  R b = fabs(IM(x));
  T point = asin_point(MAKE(a, b));
  R im = a != a && b == K(0) ? a : asin_imaginary(a, b);
  return MAKE(copysign(atan2(RE(point), IM(point)), RE(x)), copysign(im, IM(x)));
}

PARTITA_HELPER(complex, T, complex_acos, (T x)) {
  R a = fabs(RE(x));
  R b = fabs(IM(x));
  T point = asin_point(MAKE(a, b));
  R re = atan2(IM(point), signbit(RE(x)) ? -RE(point) : RE(point));
  R im = asin_imaginary(a, b);
  return MAKE(re, signbit(IM(x)) ? im : -im);
}

PARTITA_HELPER(complex, T, complex_asinh, (T x)) {
  T w = complex_asin(MAKE(IM(x), RE(x)));
  return MAKE(IM(w), RE(w));
}

PARTITA_HELPER(complex, T, complex_acosh, (T x)) {
  T w = complex_acos(x);
  return MAKE(fabs(IM(w)), copysign(RE(w), IM(x)));
}

PARTITA_HELPER(complex, T, complex_atanh, (T x)) {
  R a = fabs(RE(x));
  R b = fabs(IM(x));
  R epsilon = sizeof(R) == 4 ? K(1.1920928955078125e-07) : K(2.220446049250313e-16);
  if (b == K(0) && a <= K(1)) return MAKE(atanh(RE(x)), IM(x));
  if (a == K(0)) return MAKE(RE(x), atan(IM(x)));
  R quarter = K(1.5707963267948966);
  if (isinf(a) || isinf(b))
    return MAKE(copysign(K(0), RE(x)), b != b ? b : copysign(quarter, IM(x)));
  if (a > K(1) / epsilon || b > K(1) / epsilon) {
    T inverse = complex_divide(MAKE(K(1), K(0)), x);
    return MAKE(RE(inverse), copysign(quarter, IM(x)));
  }
  R re = K(0);
  R im = K(0);
  if (a == K(1) && b < epsilon) {
    re = K(0.5) * (K(0.6931471805599453) - log(b));
  } else {
    re = K(0.25) * log1p(K(4) * a / ((a - K(1)) * (a - K(1)) + b * b));
  }
  if (a == K(1)) {
    im = K(0.5) * atan2(K(2), -b);
  } else {
    im = K(0.5) * atan2(K(2) * b, (K(1) - a) * (K(1) + a) - (b < epsilon ? K(0) : b * b));
  }
  return MAKE(copysign(re, RE(x)), copysign(im, IM(x)));
}

PARTITA_HELPER(complex, T, complex_atan, (T x)) {
  T w = complex_atanh(MAKE(IM(x), RE(x)));
  return MAKE(IM(w), RE(w));
}

#undef PARTITA_HELPER

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Complex numbers: arithmetic, exponentials, trigonometric functions.  scalar/helpers/real.h says what these
// files are.

// Rounded before it is added to anything, which not all compilers see by themselves.
PARTITA_HELPER(real, T, product, (T x, T y)) { return x * y; }

PARTITA_HELPER(complex, T, complex_multiply, (T x, T y)) {
  return MAKE(product(RE(x), RE(y)) - product(IM(x), IM(y)),
              product(RE(x), IM(y)) + product(IM(x), RE(y)));
}

// (a - b)(a + b): a² - b² is no number where both overflow.
PARTITA_HELPER(complex, T, complex_square, (T x)) {
  R a = RE(x);
  R b = IM(x);
  R re = fabs(a) == fabs(b) && isfinite(a) ? K(0) : product(a - b, a + b);
  return MAKE(re, product(a, b) + product(a, b));
}

// R. L. Smith's division, which does not overflow on the way; where it gives NaN, the infinity or
// zero that C's Annex G asks for.
PARTITA_HELPER(complex, T, complex_divide, (T x, T y)) {
  R a = RE(x);
  R b = IM(x);
  R c = RE(y);
  R d = IM(y);
  R re = K(0);
  R im = K(0);
  if (fabs(c) >= fabs(d)) {
    R ratio = d / c;
    R scale = c + product(d, ratio);
    re = (a + product(b, ratio)) / scale;
    im = (b - product(a, ratio)) / scale;
  } else {
    R ratio = c / d;
    R scale = product(c, ratio) + d;
    re = (product(a, ratio) + b) / scale;
    im = (product(b, ratio) - a) / scale;
  }
  if (re == re || im == im) return MAKE(re, im);
  if (c == K(0) && d == K(0)) {
    R infinity = copysign(K(1) / K(0), c);
    return MAKE(infinity * a, infinity * b);
  }
  if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
    a = copysign(isinf(a) ? K(1) : K(0), a);
    b = copysign(isinf(b) ? K(1) : K(0), b);
    return MAKE((product(a, c) + product(b, d)) / K(0), (product(b, c) - product(a, d)) / K(0));
  }
  if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
    c = copysign(isinf(c) ? K(1) : K(0), c);
    d = copysign(isinf(d) ? K(1) : K(0), d);
    return MAKE(K(0) * (product(a, c) + product(b, d)), K(0) * (product(b, c) - product(a, d)));
  }
  return MAKE(re, im);
}

PARTITA_HELPER(complex, R, complex_abs, (T x)) { return hypot(RE(x), IM(x)); }

// e^x overflows before its product with a sine does: beyond the limit it is multiplied by halves.
PARTITA_HELPER(complex, T, complex_exp, (T x)) {
  R a = RE(x);
  R b = IM(x);
  R limit = sizeof(R) == 4 ? K(88) : K(709);
  if (b == K(0)) return MAKE(exp(a), b);
  if (isinf(a) && !isfinite(b)) return a < K(0) ? MAKE(K(0), K(0)) : MAKE(a, b - b);
  R e = a > limit ? exp(K(0.5) * a) : exp(a);
  R rest = a > limit ? e : K(1);
  return MAKE(e * cos(b) * rest, e * sin(b) * rest);
}

// Nothing cancels below -1, where the result nears -1 whatever the angle.
PARTITA_HELPER(complex, T, complex_expm1, (T x)) {
  R a = RE(x);
  R b = IM(x);
  if (b == K(0)) return MAKE(expm1(a), b);
  if (!isfinite(b)) return MAKE(b - b, b - b);
  if (a > K(80)) return complex_exp(x);
  if (a < K(-1)) return MAKE(fma(exp(a), cos(b), K(-1)), exp(a) * sin(b));
  R s = sin(K(0.5) * b);
  return MAKE(fma(expm1(a), cos(b), K(-2) * s * s), exp(a) * sin(b));
}

// log |x + iy|.  Near the unit circle, of |x + iy|^2 - 1 with the rounding errors of the squares.
PARTITA_HELPER(real, T, log_hypot, (T x, T y)) {
  T a = fabs(x);
  T b = fabs(y);
  if (isinf(a)) return a;
  if (isinf(b)) return b;
  T more = a > b ? a : b;
  T less = a > b ? b : a;
  if (more > K(0.5) && more < K(3)) {
    T p = more * more;
    T q = less * less;
    T d = p - K(1);
    T sum = d + q;
    T part = sum - d;
    T error = d - (sum - part) + (q - part) + (fma(more, more, -p) + fma(less, less, -q));
    return K(0.5) * log1p(sum + error);
  }
  if (more > K(1e15)) return log(hypot(K(0.5) * more, K(0.5) * less)) + K(0.6931471805599453);
  return log(hypot(more, less));
}

PARTITA_HELPER(complex, T, complex_log, (T x)) {
  return MAKE(log_hypot(RE(x), IM(x)), atan2(IM(x), RE(x)));
}

// Near zero, of |1 + x|^2 - 1 with the rounding errors of squares and sums.
PARTITA_HELPER(complex, T, complex_log1p, (T x)) {
  R a = RE(x);
  R b = IM(x);
  R angle = atan2(b, a + K(1));
  if (!(fabs(a) < K(0.5) && fabs(b) < K(2))) return MAKE(log_hypot(a + K(1), b), angle);
  R p = a * a;
  R q = b * b;
  R first = K(2) * a + p;
  R part = first - K(2) * a;
  R error = K(2) * a - (first - part) + (p - part) + (fma(a, a, -p) + fma(b, b, -q));
  R sum = first + q;
  part = sum - first;
  error = error + (first - (sum - part) + (q - part));
  return MAKE(K(0.5) * log1p(sum + error), angle);
}

// The root with non-negative real part; scaled so that nothing overflows or vanishes on the way.
PARTITA_HELPER(complex, T, complex_sqrt, (T x)) {
  R a = RE(x);
  R b = IM(x);
  if (a == K(0) && b == K(0)) return MAKE(K(0), b);
  if (isinf(b)) return MAKE(fabs(b), b);
  if (isinf(a)) {
    R zero = b != b ? b : K(0);
    return a > K(0) ? MAKE(a, copysign(zero, b)) : MAKE(zero, copysign(a, b));
  }
  R more = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  R factor = K(1);
  if (more > (sizeof(R) == 4 ? K(1e37) : K(1e307))) {
    a = a * K(0.0625);
    b = b * K(0.0625);
    factor = K(4);
  }
  if (more < (sizeof(R) == 4 ? K(1e-30) : K(1e-290))) {
    a = a * K(18014398509481984);
    b = b * K(18014398509481984);
    factor = K(7.450580596923828e-09);
  }
  R s = sqrt(K(0.5) * (fabs(a) + hypot(a, b)));
  R t = K(0.5) * b / s;
  s = s * factor;
  t = t * factor;
  return a >= K(0) ? MAKE(s, t) : MAKE(fabs(t), copysign(s, b));
}

PARTITA_HELPER(complex, T, complex_rsqrt, (T x)) {
  return complex_divide(MAKE(K(1), K(0)), complex_sqrt(x));
}

PARTITA_HELPER(complex, T, complex_cbrt, (T x)) {
  R r = cbrt(hypot(RE(x), IM(x)));
  R angle = atan2(IM(x), RE(x)) / K(3);
  return MAKE(r * cos(angle), r * sin(angle));
}

PARTITA_HELPER(complex, T, complex_sinh, (T x)) {
  R a = RE(x);
  R b = IM(x);
  R limit = sizeof(R) == 4 ? K(88) : K(709);
  if (b == K(0)) return MAKE(sinh(a), b);
  if (a == K(0)) return MAKE(a, sin(b));
  if (isinf(a) && !isfinite(b)) return MAKE(a, b - b);
  if (fabs(a) > limit) {
    R e = exp(K(0.5) * fabs(a));
    return MAKE(copysign(K(0.5) * e, a) * cos(b) * e, K(0.5) * e * sin(b) * e);
  }
  return MAKE(sinh(a) * cos(b), cosh(a) * sin(b));
}

PARTITA_HELPER(complex, T, complex_cosh, (T x)) {
  R a = RE(x);
  R b = IM(x);
  R limit = sizeof(R) == 4 ? K(88) : K(709);
  if (b == K(0)) return MAKE(cosh(a), b * copysign(K(1), a));
  if (isinf(a) && !isfinite(b)) return MAKE(fabs(a), b - b);
  if (fabs(a) > limit) {
    R e = exp(K(0.5) * fabs(a));
    return MAKE(K(0.5) * e * cos(b) * e, copysign(K(0.5) * e, a) * sin(b) * e);
  }
  return MAKE(cosh(a) * cos(b), sinh(a) * sin(b));
}

PARTITA_HELPER(complex, T, complex_sin, (T x)) {
  T w = complex_sinh(MAKE(IM(x), RE(x)));
  return MAKE(IM(w), RE(w));
}

PARTITA_HELPER(complex, T, complex_cos, (T x)) { return complex_cosh(MAKE(-IM(x), RE(x))); }

// W. Kahan, "Branch Cuts for Complex Elementary Functions", 1987.
PARTITA_HELPER(complex, T, complex_tanh, (T x)) {
  R a = RE(x);
  R b = IM(x);
  if (a != a) return MAKE(a, b == K(0) ? b : a);
  if (isinf(a)) return MAKE(copysign(K(1), a), copysign(K(0), isinf(b) ? b : sin(b) * cos(b)));
  if (!isfinite(b)) return MAKE(a == K(0) ? a : b - b, b - b);
  if (fabs(a) > (sizeof(R) == 4 ? K(11) : K(22))) {
    R e = exp(-fabs(a));
    return MAKE(copysign(K(1), a), K(4) * sin(b) * cos(b) * e * e);
  }
  R t = tan(b);
  R beta = K(1) + t * t;
  R s = sinh(a);
  R rho = sqrt(K(1) + s * s);
  if (isinf(t)) return MAKE(rho / s, K(1) / t);
  R scale = K(1) + beta * s * s;
  return MAKE(beta * rho * s / scale, t / scale);
}

PARTITA_HELPER(complex, T, complex_tan, (T x)) {
  T w = complex_tanh(MAKE(IM(x), RE(x)));
  return MAKE(IM(w), RE(w));
}

PARTITA_HELPER(complex, T, complex_logistic, (T x)) {
  bool is_low = RE(x) < K(0);
  T e = complex_exp(is_low ? x : MAKE(-RE(x), -IM(x)));
  return complex_divide(is_low ? e : MAKE(K(1), K(0)), MAKE(K(1) + RE(e), IM(e)));
}

// Larger operand by real, then by imaginary parts; the first that has a NaN if one has.
PARTITA_HELPER(complex, T, complex_maximum, (T x, T y)) {
  if (RE(x) != RE(x) || IM(x) != IM(x)) return x;
  if (RE(y) != RE(y) || IM(y) != IM(y)) return y;
  return RE(x) > RE(y) || (RE(x) == RE(y) && IM(x) >= IM(y)) ? x : y;
}

PARTITA_HELPER(complex, T, complex_sign, (T x)) {
  R r = hypot(RE(x), IM(x));
  if (RE(x) != RE(x) || IM(x) != IM(x)) return MAKE(RE(x) + IM(x), RE(x) + IM(x));
  return r == K(0) ? MAKE(K(0), K(0)) : MAKE(RE(x) / r, IM(x) / r);
}

PARTITA_HELPER(complex, T, complex_power, (T x, T y)) {
  R r = hypot(RE(x), IM(x));
  if (r == K(0)) {
    if (RE(y) == K(0) && IM(y) == K(0)) return MAKE(K(1), K(0));
    if (RE(y) > K(0)) return MAKE(K(0), K(0));
  }
  R angle = atan2(IM(x), RE(x));
  R scale = pow(r, RE(y));
  R turn = RE(y) * angle;
  if (IM(y) != K(0)) {
    scale = scale * exp(-IM(y) * angle);
    turn = turn + IM(y) * log_hypot(RE(x), IM(x));
  }
  return turn == K(0) ? MAKE(scale, turn) : MAKE(scale * cos(turn), scale * sin(turn));
}

// -i log((y + ix) / sqrt(x^2 + y^2))
PARTITA_HELPER(complex, T, complex_atan2, (T x, T y)) {
  T p = complex_multiply(x, x);
  T q = complex_multiply(y, y);
  T root = complex_sqrt(MAKE(RE(p) + RE(q), IM(p) + IM(q)));
  T w = complex_log(complex_divide(MAKE(RE(y) - IM(x), IM(y) + RE(x)), root));
  return MAKE(IM(w), -RE(w));
}

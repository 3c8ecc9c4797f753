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

// Smaller operand; NaN if either is, and -0 < +0.
PARTITA_HELPER(real, T, ieee_minimum, (T x, T y)) { return -ieee_maximum(-x, -y); }

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

// Digamma: reflection below 0, ten steps of the recurrence below 10, then the asymptotic series (DLMF 5.11.2).
// The limits at a pole differ between its sides, so its value there, as at either zero, is NaN.  Near
// one the distance from it, which is exact, decides.
PARTITA_HELPER(real, T, digamma, (T x)) {
  bool is_left = x <= K(0);
  T distance = x - floor(x + K(0.5));
  T reflected = K(-3.141592653589793) / tan(K(3.141592653589793) * distance);
  T y = is_left ? K(1) - x : x;
  // The sum of 1 / (y + k) for k < 10 is the derivative of the product of all y + k divided by it.
  T z = y < K(10) ? y : K(10);
  T product = z;
  T derivative = K(1);
  T factor = z + K(1);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(2);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(3);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(4);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(5);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(6);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(7);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(8);
  derivative = derivative * factor + product;
  product = product * factor;
  factor = z + K(9);
  derivative = derivative * factor + product;
  product = product * factor;
  T shift = y < K(10) ? derivative / product : K(0);
  T w = y < K(10) ? y + K(10) : y;
  T s = K(1) / (w * w);
  T series =
      s * (K(0.08333333333333333) -
           s * (K(0.008333333333333333) -
                s * (K(0.003968253968253968) -
                     s * (K(0.004166666666666667) -
                          s * (K(0.007575757575757576) -
                               s * (K(0.021092796092796094) - s * K(0.08333333333333333)))))));
  T result = log(w) - K(0.5) / w - series - shift + (is_left ? reflected : K(0));
  return is_left && x == floor(x) ? sqrt(K(-1)) : result;
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

// e^-|x| I0(x): a polynomial in |x| up to 8, one in 1 / |x| divided by sqrt(|x|) from there on.  Both are
// computed, so that loops become vectors.
PARTITA_HELPER(real, T, bessel_i0e, (T x)) {
  T a = fabs(x);
  T t = K(0.25) * a - K(1);
  // fit: near = real_i0_near(t)
  T near = K(-1.471994500633474e-08);
  near = K(5.695189016841666e-08) + near * t;
  near = K(-9.647455292062342e-08) + near * t;
  near = K(2.7366839633877887e-07) + near * t;
  near = K(-1.1110355647490034e-06) + near * t;
  near = K(3.3983429248089207e-06) + near * t;
  near = K(-9.236984572022933e-06) + near * t;
  near = K(2.5003768792077326e-05) + near * t;
  near = K(-6.550878336835106e-05) + near * t;
  near = K(0.0001625653308464214) + near * t;
  near = K(-0.0003829101207608644) + near * t;
  near = K(0.000856225091121461) + near * t;
  near = K(-0.0018118795410601426) + near * t;
  near = K(0.0036171621974587266) + near * t;
  near = K(-0.006792403335907963) + near * t;
  near = K(0.011960068055824348) + near * t;
  near = K(-0.01968265367317882) + near * t;
  near = K(0.030177913860755454) + near * t;
  near = K(-0.04298594964183022) + near * t;
  near = K(0.056777031798439605) + near * t;
  near = K(-0.06954119559647856) + near * t;
  near = K(0.07927522592310268) + near * t;
  near = K(-0.0849633809174249) + near * t;
  near = K(0.08734341617492654) + near * t;
  near = K(-0.08904344136072449) + near * t;
  near = K(0.09451562853995979) + near * t;
  near = K(-0.11300432688620578) + near * t;
  near = K(0.20700192122398667) + near * t;
  T u = K(16) / (a > K(8) ? a : K(8)) - K(1);
  // fit: far = real_i0_far(u)
  T far = K(8.966310568488374e-11);
  far = K(3.945638733112105e-11) + far * u;
  far = K(-6.425331100907126e-10) + far * u;
  far = K(-2.9654536145915486e-10) + far * u;
  far = K(2.150350154148625e-09) + far * u;
  far = K(1.140575544355499e-09) + far * u;
  far = K(-4.517123501191787e-09) + far * u;
  far = K(-3.1780939053871537e-09) + far * u;
  far = K(6.515000289777516e-09) + far * u;
  far = K(7.368493705532373e-09) + far * u;
  far = K(-5.015956773684669e-09) + far * u;
  far = K(-1.334141516614189e-08) + far * u;
  far = K(-6.856219111146854e-09) + far * u;
  far = K(7.538863202752496e-09) + far * u;
  far = K(2.156755927375917e-08) + far * u;
  far = K(3.9328099930386986e-08) + far * u;
  far = K(8.872020249311673e-08) + far * u;
  far = K(2.973596811293878e-07) + far * u;
  far = K(1.4838476726745336e-06) + far * u;
  far = K(1.1143033797350328e-05) + far * u;
  far = K(0.00013621607438969892) + far * u;
  far = K(0.0033605519836677937) + far * u;
  far = K(0.4021765094450081) + far * u;
  return a > K(8) ? far / sqrt(a) : near;
}

// e^-|x| I1(x), likewise; the polynomial up to 8 is that of I1(x) / x.
PARTITA_HELPER(real, T, bessel_i1e, (T x)) {
  T a = fabs(x);
  T t = K(0.25) * a - K(1);
  // fit: near = real_i1_near(t)
  T near = K(-1.1575645645164956e-09);
  near = K(5.089217162881671e-09) + near * t;
  near = K(-1.0686908561499741e-08) + near * t;
  near = K(3.066279145638328e-08) + near * t;
  near = K(-1.1929229546715896e-07) + near * t;
  near = K(3.8872557933893146e-07) + near * t;
  near = K(-1.1411330147332134e-06) + near * t;
  near = K(3.27946826478672e-06) + near * t;
  near = K(-9.12726347678668e-06) + near * t;
  near = K(2.4244856947902325e-05) + near * t;
  near = K(-6.143054239010371e-05) + near * t;
  near = K(0.00014841529795582304) + near * t;
  near = K(-0.00034117243907387366) + near * t;
  near = K(0.0007445145648765183) + near * t;
  near = K(-0.0015388758471238956) + near * t;
  near = K(0.003005761848774774) + near * t;
  near = K(-0.005534567534278455) + near * t;
  near = K(0.009583962248956078) + near * t;
  near = K(-0.015571309294235914) + near * t;
  near = K(0.023686016946981324) + near * t;
  near = K(-0.033671355516088325) + near * t;
  near = K(0.04467457262194283) + near * t;
  near = K(-0.05528003922726956) + near * t;
  near = K(0.06376740371338492) + near * t;
  near = K(-0.06848260620581978) + near * t;
  near = K(0.06805759990951186) + near * t;
  near = K(-0.06112433802966634) + near * t;
  near = K(0.044687709875608835) + near * t;
  T u = K(16) / (a > K(8) ? a : K(8)) - K(1);
  // fit: far = real_i1_far(u)
  T far = K(-9.339103934537523e-11);
  far = K(-3.68648886688324e-11) + far * u;
  far = K(6.701902832383172e-10) + far * u;
  far = K(2.798282934863439e-10) + far * u;
  far = K(-2.2489261912025322e-09) + far * u;
  far = K(-1.0953688162545128e-09) + far * u;
  far = K(4.750351628108e-09) + far * u;
  far = K(3.1307405470376798e-09) + far * u;
  far = K(-6.937394006886692e-09) + far * u;
  far = K(-7.47718004053109e-09) + far * u;
  far = K(5.570631359687948e-09) + far * u;
  far = K(1.397393387744401e-08) + far * u;
  far = K(6.8471843529749e-09) + far * u;
  far = K(-8.413695590259236e-09) + far * u;
  far = K(-2.3393838690334233e-08) + far * u;
  far = K(-4.313117225334458e-08) + far * u;
  far = K(-1.000108128668646e-07) + far * u;
  far = K(-3.48385419931846e-07) + far * u;
  far = K(-1.8349102435362798e-06) + far * u;
  far = K(-1.5038547206169456e-05) + far * u;
  far = K(-0.000219235763831575) + far * u;
  far = K(-0.009749577193235678) + far * u;
  far = K(0.38939845902587233) + far * u;
  T size = far / sqrt(a);
  return a > K(8) ? (x < K(0) ? -size : size) : x * near;
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
  for (int k = 0; k < 1000 && (k < 10 || a < K(10)); ++k) {
    sum = sum + pow(a, -x);
    a = a + K(1);
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
  for (int k = 2; k < 172 && (T)k <= n; ++k) factorial = factorial * (T)k;
  if (n > K(171)) factorial = K(1) / K(0);
  T value = factorial * hurwitz_zeta(n + K(1), x);
  return fmod(n, K(2)) == K(0) ? -value : value;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Elementary functions of f64 without branches, calls or includes, for loops that a C compiler
// vectorises; bounds and methods: docs/vector-math.md.  Each paragraph is one definition: the code
// generator prints those that a kernel uses.  Compile with -ffp-contract=off -fno-math-errno
// -fno-trapping-math.

#define PARTITA_MATH static inline __attribute__((always_inline))

// a b + c, rounded once where the machine can.
PARTITA_MATH double pm_fma_f64(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// What the rounded product p = a b lost: a b - p, without fma by T. J. Dekker's splitting.
PARTITA_MATH double pm_lost_f64(double a, double b, double p) {
#ifdef __FMA__
  return __builtin_fma(a, b, -p);
#else
  const double s = a * 134217729.0, t = b * 134217729.0;
  const double ah = s - (s - a), bh = t - (t - b), al = a - ah, bl = b - bh;
  return al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
}

PARTITA_MATH unsigned long long pm_bits_f64(double x) {
  union {
    double value;
    unsigned long long bits;
  } u = {x};
  return u.bits;
}

PARTITA_MATH double pm_value_f64(unsigned long long bits) {
  union {
    unsigned long long bits;
    double value;
  } u = {bits};
  return u.value;
}

PARTITA_MATH double pm_abs_f64(double x) {
  return pm_value_f64(pm_bits_f64(x) & 0x7fffffffffffffffull);
}

// The absolute value of x with the sign of y.
PARTITA_MATH double pm_copysign_f64(double x, double y) {
  return pm_value_f64((pm_bits_f64(x) & 0x7fffffffffffffffull) |
                      (pm_bits_f64(y) & 0x8000000000000000ull));
}

// 2^n for the integer n = t - 1.5 2^52; normal results only.
PARTITA_MATH double pm_power2_f64(double t) { return pm_value_f64((pm_bits_f64(t) + 1023u) << 52); }

// The upper 12 bits, a signed integer, as a float.
PARTITA_MATH double pm_exponent_f64(unsigned long long bits) {
  const unsigned long long biased = (bits + 0x8000000000000000ull) >> 52;
  return pm_value_f64(biased | 0x4330000000000000ull) - 4503599627372544.0;
}

// e^(x + low) 2^k for a small low: 2^n e^r with |r| <= ln(2) / 2, 2^n in two factors, so that n may
// leave the normal range.
PARTITA_MATH double pm_exp_parts_f64(double x, double low, double k) {
  const double magic = 6755399441055744.0;
  x = x < -750.0 ? -750.0 : x;
  x = x > 715.0 ? 715.0 : x;
  const double t = x * 1.4426950408889634 + magic, n = t - magic;
  const double high = x - n * 0.6931471803691238;
  low = pm_fma_f64(n, -1.9082149292705877e-10, low);
  const double r = high + low, lost = (high - r) + low;
  // fit: p = f64_exp(r)
  double p = 2.4999796749015807e-08;
  p = pm_fma_f64(p, r, 2.763027310861547e-07);
  p = pm_fma_f64(p, r, 2.7557587342995383e-06);
  p = pm_fma_f64(p, r, 2.4801493036749037e-05);
  p = pm_fma_f64(p, r, 0.00019841269505366748);
  p = pm_fma_f64(p, r, 0.0013888888943682138);
  p = pm_fma_f64(p, r, 0.008333333333495063);
  p = pm_fma_f64(p, r, 0.041666666666529996);
  p = pm_fma_f64(p, r, 0.1666666666666641);
  p = pm_fma_f64(p, r, 0.5000000000000011);
  const double half = n * 0.5 + magic, rest = n - (half - magic) + k + magic;
  const double e = 1.0 + (r + pm_fma_f64(r * r, p, lost));
  return e * pm_power2_f64(half) * pm_power2_f64(rest);
}

PARTITA_MATH double pm_exp_f64(double x) { return pm_exp_parts_f64(x, 0.0, 0.0); }

// 2^n (e^r - 1) + 2^n - 1, halved on the way because 2^1024 is too large.
PARTITA_MATH double pm_expm1_f64(double x) {
  const double magic = 6755399441055744.0;
  double y = x < -60.0 ? -60.0 : x;
  y = y > 710.0 ? 710.0 : y;
  const double t = y * 1.4426950408889634 + magic, n = t - magic;
  const double high = y - n * 0.6931471803691238, low = n * 1.9082149292705877e-10;
  const double r = high - low, lost = (high - r) - low;
  // fit: p = f64_expm1(r)
  double p = 2.0875467195169114e-09;
  p = pm_fma_f64(p, r, 2.510900074614843e-08);
  p = pm_fma_f64(p, r, 2.755740224405433e-07);
  p = pm_fma_f64(p, r, 2.755724431696582e-06);
  p = pm_fma_f64(p, r, 2.480158717295831e-05);
  p = pm_fma_f64(p, r, 0.00019841269886017);
  p = pm_fma_f64(p, r, 0.0013888888888962177);
  p = pm_fma_f64(p, r, 0.008333333333321674);
  p = pm_fma_f64(p, r, 0.04166666666666651);
  p = pm_fma_f64(p, r, 0.16666666666666677);
  p = pm_fma_f64(p, r, 0.5);
  const double half = pm_power2_f64(t - 1.0);
  const double e = r + pm_fma_f64(r * r, p, lost);
  const double result = 2.0 * pm_fma_f64(half, e, half - 0.5);
  const double large = 2.0 * (half * e + half);
  return pm_abs_f64(x) < 1e-40 ? x : n > 60.0 ? large : result;
}

// log(2^n (1 + f)) for 1 + f from sqrt(1/2) to sqrt(2): s = f / (2 + f), log(1 + f) = 2 s + s^3 P(s^2),
// where 2 s = f - s f.
PARTITA_MATH double pm_log_parts_f64(double n, double f) {
  const double s = f / (2.0 + f), z = s * s;
  // fit: p = f64_log(z)
  double p = 0.1479547591066339;
  p = pm_fma_f64(p, z, 0.15314098676044702);
  p = pm_fma_f64(p, z, 0.1818356241605712);
  p = pm_fma_f64(p, z, 0.22222198610452293);
  p = pm_fma_f64(p, z, 0.28571428742020333);
  p = pm_fma_f64(p, z, 0.3999999999941634);
  p = pm_fma_f64(p, z, 0.6666666666666734);
  const double low = pm_fma_f64(n, 1.9082149292705877e-10, -(s * pm_fma_f64(-z, p, f)));
  return pm_fma_f64(n, 0.6931471803691238, f + low);
}

PARTITA_MATH double pm_log_f64(double x) {
  const int tiny = x < 2.2250738585072014e-308;
  const unsigned long long bits =
      pm_bits_f64(tiny ? x * 18014398509481984.0 : x) - 0x3fe6a09e00000000ull;
  const double f = pm_value_f64((bits & 0xfffffffffffffull) + 0x3fe6a09e00000000ull) - 1.0;
  double result = pm_log_parts_f64(pm_exponent_f64(bits) - (tiny ? 54.0 : 0.0), f);
  result = x == __builtin_inf() ? x : result;
  result = x == 0.0 ? -__builtin_inf() : result;
  return x >= 0.0 ? result : __builtin_nan("");
}

// As log of the rounded sum u = 1 + x, with what the sum lost added to f.
PARTITA_MATH double pm_log1p_f64(double x) {
  const double u = 1.0 + x, v = u - 1.0, lost = (1.0 - (u - v)) + (x - v);
  const unsigned long long bits = pm_bits_f64(u) - 0x3fe6a09e00000000ull;
  const double scale = pm_value_f64(0x3ff0000000000000ull - (bits & 0xfff0000000000000ull));
  const double correction = x < 1e17 ? lost * scale : 0.0;
  const double f =
      pm_value_f64((bits & 0xfffffffffffffull) + 0x3fe6a09e00000000ull) - 1.0 + correction;
  double result = pm_log_parts_f64(pm_exponent_f64(bits), f);
  result = x == __builtin_inf() ? x : result;
  result = x == -1.0 ? -__builtin_inf() : result;
  result = pm_abs_f64(x) < 1e-40 ? x : result;
  return x >= -1.0 ? result : __builtin_nan("");
}

// q = e^-|x| / (1 + e^-|x|); 1 - q, or e^-|x| (1 - q) where x < 0.
PARTITA_MATH double pm_logistic_f64(double x) {
  const double e = pm_exp_f64(-pm_abs_f64(x)), q = e / (1.0 + e);
  const double scale = x < 0.0 ? e : 1.0;
  return pm_fma_f64(-scale, q, scale);
}

// x + x^3 P(x^2) up to 0.6, then 1 - 2 / (e^2x + 1).
PARTITA_MATH double pm_tanh_f64(double x) {
  const double a = pm_abs_f64(x), z = a * a;
  // fit: p = f64_tanh(z)
  double p = -1.7178841721279215e-05;
  p = pm_fma_f64(p, z, 7.931415258429179e-05);
  p = pm_fma_f64(p, z, -0.0002303969578491381);
  p = pm_fma_f64(p, z, 0.000587188463360963);
  p = pm_fma_f64(p, z, -0.0014552153761767292);
  p = pm_fma_f64(p, z, 0.003592037381018578);
  p = pm_fma_f64(p, z, -0.008863226777575494);
  p = pm_fma_f64(p, z, 0.02186948800256693);
  p = pm_fma_f64(p, z, -0.05396825394929579);
  p = pm_fma_f64(p, z, 0.13333333333299663);
  p = pm_fma_f64(p, z, -0.33333333333333126);
  const double large = 1.0 - 2.0 / (pm_exp_f64(a + a) + 1.0);
  return pm_copysign_f64(a < 0.6 ? pm_fma_f64(a * z, p, a) : large, x);
}

// x + x^3 P(x^2) up to 1, then h - 1 / (4 h) with h = e^x / 2.
PARTITA_MATH double pm_sinh_f64(double x) {
  const double a = pm_abs_f64(x), z = a * a, h = pm_exp_parts_f64(a, 0.0, -1.0);
  // fit: p = f64_sinh(z)
  double p = 7.758746987039096e-13;
  p = pm_fma_f64(p, z, 1.6057259833913258e-10);
  p = pm_fma_f64(p, z, 2.5052123135802034e-08);
  p = pm_fma_f64(p, z, 2.7557319157078303e-06);
  p = pm_fma_f64(p, z, 0.0001984126984143185);
  p = pm_fma_f64(p, z, 0.008333333333333148);
  p = pm_fma_f64(p, z, 0.16666666666666669);
  return pm_copysign_f64(a < 1.0 ? pm_fma_f64(a * z, p, a) : h - 0.25 / h, x);
}

PARTITA_MATH double pm_cosh_f64(double x) {
  const double h = pm_exp_parts_f64(pm_abs_f64(x), 0.0, -1.0);
  return h + 0.25 / h;
}

PARTITA_MATH double pm_sqrt_f64(double x) { return __builtin_sqrt(x); }

PARTITA_MATH double pm_rsqrt_f64(double x) { return 1.0 / __builtin_sqrt(x); }

// log1p(a + (sqrt(1 + a^2) - 1)) without cancellation; log(2 a) where a^2 would overflow.
PARTITA_MATH double pm_asinh_f64(double x) {
  const double a = pm_abs_f64(x), z = a * a;
  const int large = a > 1e100;
  const double y = large ? a : a + z / (1.0 + __builtin_sqrt(1.0 + z));
  return pm_copysign_f64(pm_log1p_f64(y) + (large ? 0.6931471805599453 : 0.0), x);
}

PARTITA_MATH double pm_acosh_f64(double x) {
  const double t = x - 1.0;
  const int large = x > 1e100;
  const double y = large ? t : t + __builtin_sqrt(t * (t + 2.0));
  const double result = pm_log1p_f64(y) + (large ? 0.6931471805599453 : 0.0);
  return x >= 1.0 ? result : __builtin_nan("");
}

PARTITA_MATH double pm_atanh_f64(double x) {
  const double a = pm_abs_f64(x);
  return pm_copysign_f64(0.5 * pm_log1p_f64((a + a) / (1.0 - a)), x);
}

// A third of the exponent's bits as a first value, Halley's iteration twice, and once more on a
// value whose square is exact.
PARTITA_MATH double pm_cbrt_f64(double x) {
  const double magic = 4503599627370496.0, a = pm_abs_f64(x);
  const int tiny = a < 2.2250738585072014e-308;
  const double d = tiny ? a * 18014398509481984.0 : a;
  const double high = pm_value_f64((pm_bits_f64(d) >> 32) | 0x4330000000000000ull) - magic;
  const double third = high * 0.3333333333333333 + 715094163.0 + magic;
  double t = pm_value_f64(pm_bits_f64(third) << 32), q = d / (t * t);
  t = t + t * ((q - t) / (2.0 * t + q));
  q = d / (t * t);
  t = t + t * ((q - t) / (2.0 * t + q));
  t = pm_value_f64(pm_bits_f64(t) & 0xffffffffe0000000ull);
  q = d / (t * t);
  t = t + t * ((q - t) / (2.0 * t + q));
  t = tiny ? t * 3.814697265625e-06 : t;
  return ((a > 0.0) & (a < __builtin_inf())) ? pm_copysign_f64(t, x) : x;
}

// Row g, of four, holds 2^(40 g) 2/pi modulo 4 in pieces of 53 bits.
static const double pm_two_over_pi[100] = {
    0.6366197723675813,   7.166494911215067e-17,   1.0181664387499708e-32,  8.452990443154843e-49,
    -1.734052062930147,   -1.9487414564588523e-16, -2.0492168898367258e-32, -1.1509209724193643e-48,
    -0.6569525476390905,  -6.404466966325113e-17,  -1.1942031106192688e-32, -1.5667292152129495e-49,
    1.7533475508910081,   4.94535937175906e-17,    1.8245004693831983e-32,  1.5241681308014883e-48,
    1.2354059373013278,   5.095045764731626e-17,   7.016273809905387e-33,   1.6800657131910652e-50,
    -1.682072885629376,   -1.9823865276433683e-16, -8.69074040152953e-33,   -1.4925499794063782e-48,
    -0.22897773132878885, -1.9007019640683439e-16, -4.2296591570949964e-33, -1.424284031585152e-48,
    -1.7724257812660429,  -9.460129010878502e-17,  -3.6267788142658976e-34, -5.1608885033352e-49,
    0.02455418790652275,  2.932726999718512e-17,   8.022134478896171e-33,   8.091301079732568e-49,
    1.8186357612993727,   1.7613746335040931e-16,  1.0391883551038858e-32,  1.102349973613541e-48,
    1.9184065558140406,   1.180810425804703e-16,   9.461214255788519e-34,   2.3901326303599565e-48,
    -0.7542646997706628,  -6.56745063268007e-17,   -1.4565226491347567e-32, -1.2147368450409176e-48,
    1.1825449776166452,   2.0981796004583025e-18,  3.435245627230163e-33,   4.183333357397498e-49,
    1.6110862913478678,   1.6998646146221677e-17,  1.1161825843198584e-32,  1.3501662093818182e-48,
    -0.5068172472909056,  -1.7589952992847126e-16, -2.2390460345593074e-32, -2.3306522129364194e-48,
    -1.7753398879534765,  -1.6135390183734428e-16, -1.8494499310863992e-32, -2.6943223964513e-48,
    0.6113948551337427,   1.1422746900861784e-16,  1.0773638893758373e-33,  2.2933409765008086e-48,
    1.9732701256803862,   2.2020264580592966e-16,  3.37891748882399e-33,    8.298810099613937e-49,
    0.5937479747445304,   2.1071840738162604e-16,  6.0525454609493886e-33,  2.0786520219500446e-48,
    0.06224340608910239,  1.4469343476230252e-16,  7.663875562083704e-33,   2.326958806455887e-48,
    -0.648278407886016,   -1.6525656610109592e-17, -1.1122696176109336e-32, -1.7395550297554432e-48,
    1.2128724548484004,   1.014419887565532e-16,   2.0449055935979586e-32,  2.6672675994149465e-48,
    -0.9620466664788174,  -2.2556026267231968e-17, -1.0800330590057204e-32, -5.292957357527105e-49,
    -0.5991458943631571,  -1.1477467504665822e-16, -1.2898294063134262e-32, -7.419012054647275e-49,
    1.457637475785212,    2.055855439861154e-17,   1.590315263988315e-32,   7.685593746456617e-49,
};

// The remainder r + low of x = (k + 2 (r + low) / pi) pi/2 for any finite x; k modulo 4 is added to a
// magic number.  The idea of M. Payne and R. Hanek: only the bits of 2/pi that matter are multiplied.
PARTITA_MATH double pm_reduce_f64(double x, double* quadrant, double* low) {
  const double magic = 6755399441055744.0;
  const unsigned long long size = (pm_bits_f64(x) >> 52) & 0x7ffu;
  const unsigned long long sign = (size - 1115u) >> 63;  // 1 below the second row's range
  const unsigned long long g = ((size - 1075u) & (sign - 1u)) * 1639u >> 16;
  const double y = x * pm_value_f64((1023u - 40u * g) << 52);
  const double c1 = pm_two_over_pi[4u * g], c2 = pm_two_over_pi[4u * g + 1u];
  const double c3 = pm_two_over_pi[4u * g + 2u], c4 = pm_two_over_pi[4u * g + 3u];
  double p1 = y * c1, e1 = pm_lost_f64(y, c1, p1), p2 = y * c2;
  const double e2 = pm_lost_f64(y, c2, p2), p3 = y * c3, e3 = pm_lost_f64(y, c3, p3), p4 = y * c4;
  p1 -= 4.0 * __builtin_rint(p1 * 0.25);
  e1 -= 4.0 * __builtin_rint(e1 * 0.25);
  p2 -= 4.0 * __builtin_rint(p2 * 0.25);
  // p1 + e1 + p2 as h + l, then without the integer nearest.
  double h = p1 + e1, v = h - p1;
  double l = (p1 - (h - v)) + (e1 - v);
  const double sum = h + p2, w = sum - h;
  const double lost = (h - (sum - w)) + (p2 - w);
  const double t = sum + magic, k = t - magic;
  const double a = sum - k;
  *quadrant = t;
  // The rest in order of size, keeping what each sum loses.
  const double b = lost + l, bv = b - lost, bl = (lost - (b - bv)) + (l - bv);
  const double c = e2 + p3, cv = c - e2, cl = (e2 - (c - cv)) + (p3 - cv);
  const double d = b + c, dv = d - b, dl = (b - (d - dv)) + (c - dv);
  h = a + d;
  v = h - a;
  l = ((a - (h - v)) + (d - v)) + (dl + (bl + (cl + (e3 + p4))));
  const double f = h + l, fl = (h - f) + l;
  const double r = f * 1.5707963267948966, rl = pm_lost_f64(f, 1.5707963267948966, r);
  *low = rl + (f * 6.123233995736766e-17 + fl * 1.5707963267948966);
  return r;
}

PARTITA_MATH double pm_sin_part_f64(double r, double low) {
  const double z = r * r;
  // fit: p = f64_sin(z)
  double p = 1.5896223377467106e-10;
  p = pm_fma_f64(p, z, -2.5050747647409833e-08);
  p = pm_fma_f64(p, z, 2.7557313620629974e-06);
  p = pm_fma_f64(p, z, -0.00019841269829587175);
  p = pm_fma_f64(p, z, 0.008333333333322115);
  p = pm_fma_f64(p, z, -0.1666666666666663);
  return r + pm_fma_f64(r * z, p, low * (1.0 - 0.5 * z));
}

PARTITA_MATH double pm_cos_part_f64(double r, double low) {
  const double z = r * r, half = 0.5 * z, w = 1.0 - half;
  // fit: p = f64_cos(z)
  double p = -1.135853173104648e-11;
  p = pm_fma_f64(p, z, 2.087570075900811e-09);
  p = pm_fma_f64(p, z, -2.7557314178769843e-07);
  p = pm_fma_f64(p, z, 2.4801587288850227e-05);
  p = pm_fma_f64(p, z, -0.0013888888888873056);
  p = pm_fma_f64(p, z, 0.041666666666666595);
  return w + (((1.0 - w) - half) + pm_fma_f64(z * z, p, -(r * low)));
}

PARTITA_MATH double pm_sin_f64(double x) {
  double quadrant, low;
  const double r = pm_reduce_f64(x, &quadrant, &low);
  const unsigned long long k = pm_bits_f64(quadrant);
  const double value = (k & 1u) != 0 ? pm_cos_part_f64(r, low) : pm_sin_part_f64(r, low);
  return pm_abs_f64(x) < 1e-40 ? x : (k & 2u) != 0 ? -value : value;
}

PARTITA_MATH double pm_cos_f64(double x) {
  double quadrant, low;
  const double r = pm_reduce_f64(x, &quadrant, &low);
  const unsigned long long k = pm_bits_f64(quadrant);
  const double value = (k & 1u) != 0 ? pm_sin_part_f64(r, low) : pm_cos_part_f64(r, low);
  return ((k + 1u) & 2u) != 0 ? -value : value;
}

PARTITA_MATH double pm_tan_f64(double x) {
  double quadrant, low;
  const double r = pm_reduce_f64(x, &quadrant, &low);
  const int odd = (pm_bits_f64(quadrant) & 1u) != 0;
  const double s = pm_sin_part_f64(r, low), c = pm_cos_part_f64(r, low);
  const double result = (odd ? c : s) / (odd ? -s : c);
  return pm_abs_f64(x) < 1e-40 ? x : result;
}

// The angle of (x, y) for x, y >= 0 and not both zero or infinite, beyond pi/2 if `left`.
PARTITA_MATH double pm_angle_f64(double y, double x, int left) {
  const double low = y < x ? y : x, high = y < x ? x : y;
  const int middle = low > 0.41421356237309503 * high;
  const double t = (middle ? low - high : low) / (middle ? low + high : high), z = t * t;
  // fit: p = f64_atan(z)
  double p = -0.017904423812518146;
  p = pm_fma_f64(p, z, 0.03806158885641664);
  p = pm_fma_f64(p, z, -0.0503916929765022);
  p = pm_fma_f64(p, z, 0.05847854744959616);
  p = pm_fma_f64(p, z, -0.0666309861033443);
  p = pm_fma_f64(p, z, 0.07692059668582683);
  p = pm_fma_f64(p, z, -0.09090897722755872);
  p = pm_fma_f64(p, z, 0.11111110782079656);
  p = pm_fma_f64(p, z, -0.14285714280165346);
  p = pm_fma_f64(p, z, 0.19999999999953239);
  p = pm_fma_f64(p, z, -0.333333333333332);
  // The angle is base +- (t + rest).
  const double rest = t * z * p;
  // Of the first quadrant up to the diagonal, then reflected there, then at the second axis.
  double k = middle ? 1.0 : 0.0, sign = 1.0;
  k = y < x ? k : 2.0 - k;
  sign = y < x ? sign : -sign;
  k = left ? 4.0 - k : k;
  sign = left ? -sign : sign;
  const double base = k * 0.7853981633974483, base_low = k * 3.061616997868383e-17;
  return base + sign * (t + (rest + sign * base_low));
}

PARTITA_MATH double pm_atan_f64(double x) {
  const double a = pm_abs_f64(x), b = a > 1e300 ? 1e300 : a;
  return pm_copysign_f64(x == x ? pm_angle_f64(b, 1.0, 0) : x, x);
}

PARTITA_MATH double pm_atan2_f64(double y, double x) {
  double a = pm_abs_f64(y), b = pm_abs_f64(x);
  const double infinity = __builtin_inf();
  const int up = a == infinity, right = b == infinity, zero = (a == 0.0) & (b == 0.0);
  double scale = ((a < 1e-290) & (b < 1e-290)) ? 0x1p60 : 1.0;
  scale = ((a > 1e300) | (b > 1e300)) ? 1e-10 : scale;
  a = right ? 0.0 : a;
  a = up ? 1.0 : a;
  b = up ? 0.0 : b;
  b = (right | zero) ? 1.0 : b;
  const int left = (long long)pm_bits_f64(x) < 0;
  const double result = pm_copysign_f64(pm_angle_f64(a * scale, b * scale, left), y);
  return ((x == x) & (y == y)) ? result : x + y;
}

// asin(s) = s + s^3 P(s^2) up to 1/2; beyond, s = sqrt((1 - a) / 2) gives (pi/2 - asin(a)) / 2.
PARTITA_MATH double pm_asin_part_f64(double a, double* low) {
  const double z = a > 0.5 ? 0.5 - 0.5 * a : a * a;
  const double root = __builtin_sqrt(z), s = a > 0.5 ? root : a;
  // fit: p = f64_asin(z)
  double p = 0.032628980696823906;
  p = pm_fma_f64(p, z, -0.020999712165705654);
  p = pm_fma_f64(p, z, 0.02170796582847046);
  p = pm_fma_f64(p, z, 0.003706169126305389);
  p = pm_fma_f64(p, z, 0.01078032382953278);
  p = pm_fma_f64(p, z, 0.011398898051738639);
  p = pm_fma_f64(p, z, 0.013980822484359895);
  p = pm_fma_f64(p, z, 0.017351611832917627);
  p = pm_fma_f64(p, z, 0.022372214998913145);
  p = pm_fma_f64(p, z, 0.030381942707333416);
  p = pm_fma_f64(p, z, 0.04464285717462261);
  p = pm_fma_f64(p, z, 0.07499999999970787);
  p = pm_fma_f64(p, z, 0.1666666666666676);
  const double square = root * root;
  const double lost = ((z - square) - pm_lost_f64(root, root, square)) * 0.5 / root;
  *low = s * z * p + (((a > 0.5) & (z > 0.0)) ? lost : 0.0);
  return s;
}

PARTITA_MATH double pm_asin_f64(double x) {
  double low;
  const double a = pm_abs_f64(x), s = pm_asin_part_f64(a, &low);
  const double large = 1.5707963267948966 - 2.0 * s;
  const double lost = ((1.5707963267948966 - large) - 2.0 * s) + 6.123233995736766e-17;
  return pm_copysign_f64(a > 0.5 ? large + (lost - 2.0 * low) : s + low, x);
}

PARTITA_MATH double pm_acos_f64(double x) {
  double low;
  const double a = pm_abs_f64(x), s = pm_asin_part_f64(a, &low);
  const int large = a > 0.5, negative = x < 0.0;
  const double eighths = large ? (negative ? 2.0 : 0.0) : 1.0;
  const double base = eighths * 1.5707963267948966, base_low = eighths * 6.123233995736766e-17;
  const double signed_factor = (large ? 2.0 : -1.0) * (negative ? -1.0 : 1.0);
  const double t = signed_factor * s, u = signed_factor * low;
  const double sum = base + t;
  return sum + (((base - sum) + t) + (u + base_low));
}

// log|x| in two parts for x > 0: 2 s + 2/3 s^3 + s^5 P(s^2) as pm_log_parts_f64, all but the last
// term with twice the precision.
PARTITA_MATH double pm_log_two_f64(double x, double* low) {
  const int tiny = x < 2.2250738585072014e-308;
  const unsigned long long bits =
      pm_bits_f64(tiny ? x * 18014398509481984.0 : x) - 0x3fe6a09e00000000ull;
  const double n = pm_exponent_f64(bits) - (tiny ? 54.0 : 0.0);
  const double m = pm_value_f64((bits & 0xfffffffffffffull) + 0x3fe6a09e00000000ull);
  const double f = m - 1.0, d = m + 1.0, inverse = 1.0 / d, s = f * inverse, sd = s * d;
  const double s_low = (((f - sd) - pm_lost_f64(s, d, sd)) - s * (m - (d - 1.0))) * inverse;
  const double z = s * s, z_low = pm_lost_f64(s, s, z) + 2.0 * s * s_low;
  const double c = s * z, c_low = pm_lost_f64(s, z, c) + (s * z_low + s_low * z);
  const double third = 0.6666666666666666, third_low = 3.700743415417188e-17;
  const double u = c * third, u_low = pm_lost_f64(c, third, u) + (c * third_low + c_low * third);
  // fit: p = f64_log_wide(z)
  double p = 0.1101294430494871;
  p = pm_fma_f64(p, z, 0.10422956121084632);
  p = pm_fma_f64(p, z, 0.1176867069284537);
  p = pm_fma_f64(p, z, 0.13333240537187843);
  p = pm_fma_f64(p, z, 0.15384616751249122);
  p = pm_fma_f64(p, z, 0.18181818169275854);
  p = pm_fma_f64(p, z, 0.22222222222290425);
  p = pm_fma_f64(p, z, 0.28571428571428376);
  p = pm_fma_f64(p, z, 0.4);
  const double base = n * 0.6931471803691238;
  const double a = base + 2.0 * s, v = a - base, a_low = (base - (a - v)) + (2.0 * s - v);
  const double b = a + u, w = b - a, b_low = (a - (b - w)) + (u - w);
  const double rest =
      a_low + b_low + (n * 1.9082149292705877e-10 + (2.0 * s_low + (u_low + c * z * p)));
  const double sum = b + rest;
  *low = (b - sum) + rest;
  return sum;
}

// x^y = e^(y log|x|), negative where x is and y is odd.
PARTITA_MATH double pm_pow_f64(double x, double y) {
  const double infinity = __builtin_inf(), ax = pm_abs_f64(x), ay = pm_abs_f64(y);
  const int whole = __builtin_rint(y) == y;
  const int odd = whole & (__builtin_rint(0.5 * y) != 0.5 * y);
  const int finite = (ax > 0.0) & (ax < infinity);
  double low;
  const double l = pm_log_two_f64(finite ? ax : 1.0, &low);
  double w = y < -0x1p65 ? -0x1p65 : y;
  w = w > 0x1p65 ? 0x1p65 : w;
  const double t = w * l, rest = pm_lost_f64(w, l, t) + w * low;
  const int far = !(pm_abs_f64(t) < 800.0);
  double result = pm_exp_parts_f64(t, far ? 0.0 : rest, 0.0);
  const double end = ((ax == 0.0) ^ (y < 0.0)) ? 0.0 : infinity;
  result = finite ? result : end;
  result = ((x == x) & (y == y)) ? result : x + y;
  result = (((long long)pm_bits_f64(x) < 0) & odd) ? -result : result;
  result = ((x < 0.0) & (ax < infinity) & !whole & (y == y)) ? __builtin_nan("") : result;
  result = ((ax == 1.0) & (ay == infinity)) ? 1.0 : result;
  return ((x == 1.0) | (y == 0.0)) ? 1.0 : result;
}

// e^(-a^2) R(q) / (1 + 2 a) with q = (a - 2) / (a + 2), for a >= 1/2.
PARTITA_MATH double pm_erfc_part_f64(double x) {
  const double a = x > 28.0 ? 28.0 : x, q = (a - 2.0) / (a + 2.0), square = a * a;
  // fit: p = f64_erfcx(q)
  double p = -9.939983048748642e-08;
  p = pm_fma_f64(p, q, 1.777433711776055e-07);
  p = pm_fma_f64(p, q, 3.4329115442324474e-07);
  p = pm_fma_f64(p, q, -3.715313535621161e-07);
  p = pm_fma_f64(p, q, -9.828376692939724e-07);
  p = pm_fma_f64(p, q, -5.761340346063352e-07);
  p = pm_fma_f64(p, q, 1.5591822124579394e-06);
  p = pm_fma_f64(p, q, 5.158004611923119e-06);
  p = pm_fma_f64(p, q, 3.7011059242142412e-06);
  p = pm_fma_f64(p, q, -1.3471037677556904e-05);
  p = pm_fma_f64(p, q, -3.6423491283210504e-05);
  p = pm_fma_f64(p, q, -1.5144696328708596e-06);
  p = pm_fma_f64(p, q, 0.0001510395726694917);
  p = pm_fma_f64(p, q, 0.0002063678437772473);
  p = pm_fma_f64(p, q, -0.0004543409071975172);
  p = pm_fma_f64(p, q, -0.0014568140016571708);
  p = pm_fma_f64(p, q, 0.001271338972752861);
  p = pm_fma_f64(p, q, 0.00872265387851419);
  p = pm_fma_f64(p, q, -0.00803401508272528);
  p = pm_fma_f64(p, q, -0.05422000099211227);
  p = pm_fma_f64(p, q, 0.16405128003344782);
  p = pm_fma_f64(p, q, -0.1660303976152886);
  p = pm_fma_f64(p, q, -0.09276382658574604);
  p = pm_fma_f64(p, q, 1.2769783815525286);
  const double e = pm_exp_parts_f64(-square, -pm_lost_f64(a, a, square), 0.0);
  return e * (p / (1.0 + 2.0 * a));
}

// x + x P(x^2) up to 7/8, then 1 - erfc(x).
PARTITA_MATH double pm_erf_f64(double x) {
  const double a = pm_abs_f64(x), z = x * x;
  // fit: p = f64_erf(z)
  double p = -8.637875690202818e-10;
  p = pm_fma_f64(p, z, 1.4111074697580782e-08);
  p = pm_fma_f64(p, z, -1.6287161062804112e-07);
  p = pm_fma_f64(p, z, 1.6456398457880229e-06);
  p = pm_fma_f64(p, z, -1.4925374158824185e-05);
  p = pm_fma_f64(p, z, 0.00012055324039349489);
  p = pm_fma_f64(p, z, -0.0008548326832258504);
  p = pm_fma_f64(p, z, 0.005223977622844144);
  p = pm_fma_f64(p, z, -0.026866170644922457);
  p = pm_fma_f64(p, z, 0.11283791670954257);
  p = pm_fma_f64(p, z, -0.37612638903183737);
  p = pm_fma_f64(p, z, 0.1283791670955126);
  return pm_copysign_f64(a < 0.875 ? pm_fma_f64(a, p, a) : 1.0 - pm_erfc_part_f64(a), x);
}

PARTITA_MATH double pm_erfc_f64(double x) {
  const double a = pm_abs_f64(x), z = x * x;
  // fit: p = f64_erf(z)
  double p = -8.637875690202818e-10;
  p = pm_fma_f64(p, z, 1.4111074697580782e-08);
  p = pm_fma_f64(p, z, -1.6287161062804112e-07);
  p = pm_fma_f64(p, z, 1.6456398457880229e-06);
  p = pm_fma_f64(p, z, -1.4925374158824185e-05);
  p = pm_fma_f64(p, z, 0.00012055324039349489);
  p = pm_fma_f64(p, z, -0.0008548326832258504);
  p = pm_fma_f64(p, z, 0.005223977622844144);
  p = pm_fma_f64(p, z, -0.026866170644922457);
  p = pm_fma_f64(p, z, 0.11283791670954257);
  p = pm_fma_f64(p, z, -0.37612638903183737);
  p = pm_fma_f64(p, z, 0.1283791670955126);
  const double part = pm_erfc_part_f64(a), large = x < 0.0 ? 2.0 - part : part;
  return a < 0.5 ? 1.0 - pm_fma_f64(x, p, x) : large;
}

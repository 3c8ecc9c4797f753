// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Elementary functions of f32 without branches, calls or includes, for loops that a C compiler
// vectorises.  Needs vector_math_f64.c before it; bounds and methods: docs/vector-math.md.
// Each paragraph is one definition: the code generator prints those that a kernel uses.  Compile
// with -ffp-contract=off -fno-math-errno -fno-trapping-math.

// a b + c, rounded once where the machine can.
PARTITA_MATH float pm_fma_f32(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

PARTITA_MATH unsigned pm_bits_f32(float x) {
  union {
    float value;
    unsigned bits;
  } u = {x};
  return u.bits;
}

PARTITA_MATH float pm_value_f32(unsigned bits) {
  union {
    unsigned bits;
    float value;
  } u = {bits};
  return u.value;
}

PARTITA_MATH float pm_abs_f32(float x) { return pm_value_f32(pm_bits_f32(x) & 0x7fffffffu); }

// The absolute value of x with the sign of y.
PARTITA_MATH float pm_copysign_f32(float x, float y) {
  return pm_value_f32((pm_bits_f32(x) & 0x7fffffffu) | (pm_bits_f32(y) & 0x80000000u));
}

// x 2^n for the integer n = t - 1.5 2^23; normal results only.
PARTITA_MATH float pm_power2_f32(float t) { return pm_value_f32((pm_bits_f32(t) + 127u) << 23); }

// The integer nearest to x, for x from 0 to 2^23.
PARTITA_MATH int pm_nearest_f32(float x) {
#ifdef __clang__
  return (int)(pm_bits_f32(x + 8388608.0f) - 0x4b000000u);
#else
  return __builtin_irintf(x);
#endif
}

// e^x = 2^n e^r with |r| <= ln(2) / 2, n added to the bits of e^r's exponent; not right where that is not a normal number.
PARTITA_MATH int pm_exp_bits_f32(float x) {
  const float magic = 12582912.0f;
  const float t = pm_fma_f32(x, 1.44269504f, magic), n = t - magic;
  const float r = pm_fma_f32(n, 2.12194440e-4f, pm_fma_f32(n, -0.693359375f, x));
  // fit: p = f32_exp(r)
  float p = 0.00138144509f;
  p = pm_fma_f32(p, r, 0.00836872868f);
  p = pm_fma_f32(p, r, 0.0416683927f);
  p = pm_fma_f32(p, r, 0.166665211f);
  p = pm_fma_f32(p, r, 0.49999994f);
  const float e = 1.0f + pm_fma_f32(r * r, p, r);
  return (int)(pm_bits_f32(e) + (pm_bits_f32(t) << 23));
}

// Results that are not normal are multiples of 2^-149; they are counted with 2^149 added to the exponent.  No product becomes
// too small, for which processors take a hundred times as long.
PARTITA_MATH float pm_exp_f32(float x) {
  const int normal = pm_exp_bits_f32(x > -150.0f ? x : -150.0f);
  const int least = normal < 0x00800000 ? normal : 0x00800000;
  const int units = pm_nearest_f32(pm_value_f32((unsigned)least + (149u << 23)));
  const int bits = normal > units ? normal : units;
  return x < 88.7228394f ? pm_value_f32((unsigned)bits) : x + __builtin_inff();
}

// 2^n (e^r - 1) + 2^n - 1, halved on the way because 2^128 is too large.
PARTITA_MATH float pm_expm1_f32(float x) {
  const float magic = 12582912.0f;
  float y = x < -30.0f ? -30.0f : x;
  y = y > 89.0f ? 89.0f : y;
  const float t = y * 1.44269504f + magic, n = t - magic;
  const float r = pm_fma_f32(n, 2.12194440e-4f, pm_fma_f32(n, -0.693359375f, y));
  // fit: p = f32_expm1(r)
  float p = 0.000198458656f;
  p = pm_fma_f32(p, r, 0.0013940644f);
  p = pm_fma_f32(p, r, 0.00833338965f);
  p = pm_fma_f32(p, r, 0.0416663624f);
  p = pm_fma_f32(p, r, 0.166666657f);
  p = pm_fma_f32(p, r, 0.5f);
  const float half = pm_power2_f32(t - 1.0f);
  const float e = 2.0f * pm_fma_f32(half, pm_fma_f32(r * r, p, r), half - 0.5f);
  return pm_abs_f32(x) < 1e-20f ? x : e;
}

// x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2); log(1 + f) = f - f^2/2 + f^3 P(f).
PARTITA_MATH float pm_log_f32(float x) {
  const int tiny = x < 1.17549435e-38f;
  const unsigned bits = pm_bits_f32(tiny ? x * 8388608.0f : x) - 0x3f3504f3u;
  const float e = (float)((int)bits >> 23) - (tiny ? 23.0f : 0.0f);
  const float f = pm_value_f32((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  // fit: p = f32_log(f)
  float p = 0.0674604848f;
  p = pm_fma_f32(p, f, -0.116752543f);
  p = pm_fma_f32(p, f, 0.118881993f);
  p = pm_fma_f32(p, f, -0.124056585f);
  p = pm_fma_f32(p, f, 0.142195597f);
  p = pm_fma_f32(p, f, -0.166679919f);
  p = pm_fma_f32(p, f, 0.200021178f);
  p = pm_fma_f32(p, f, -0.250000089f);
  p = pm_fma_f32(p, f, 0.333333135f);
  const float z = f * f;
  const float low = pm_fma_f32(-0.5f, z, pm_fma_f32(e, -2.12194440e-4f, f * z * p));
  float result = pm_fma_f32(e, 0.693359375f, f + low);
  result = x == __builtin_inff() ? x : result;
  result = x == 0.0f ? -__builtin_inff() : result;
  return x >= 0.0f ? result : __builtin_nanf("");
}

// As log of the rounded sum u = 1 + x, with what the sum lost added to f.
PARTITA_MATH float pm_log1p_f32(float x) {
  const float u = 1.0f + x, v = u - 1.0f, lost = (1.0f - (u - v)) + (x - v);
  const unsigned bits = pm_bits_f32(u) - 0x3f3504f3u;
  const float e = (float)((int)bits >> 23);
  const float scale = pm_value_f32(0x3f800000u - (bits & 0xff800000u));
  const float correction = x < 1e9f ? lost * scale : 0.0f;
  const float f = pm_value_f32((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f + correction;
  // fit: p = f32_log(f)
  float p = 0.0674604848f;
  p = pm_fma_f32(p, f, -0.116752543f);
  p = pm_fma_f32(p, f, 0.118881993f);
  p = pm_fma_f32(p, f, -0.124056585f);
  p = pm_fma_f32(p, f, 0.142195597f);
  p = pm_fma_f32(p, f, -0.166679919f);
  p = pm_fma_f32(p, f, 0.200021178f);
  p = pm_fma_f32(p, f, -0.250000089f);
  p = pm_fma_f32(p, f, 0.333333135f);
  const float z = f * f;
  const float low = pm_fma_f32(-0.5f, z, pm_fma_f32(e, -2.12194440e-4f, f * z * p));
  float result = pm_fma_f32(e, 0.693359375f, f + low);
  result = x == __builtin_inff() ? x : result;
  result = x == -1.0f ? -__builtin_inff() : result;
  result = pm_abs_f32(x) < 1e-20f ? x : result;
  return x >= -1.0f ? result : __builtin_nanf("");
}

// q = e^-|x| / (1 + e^-|x|); 1 - q, or e^-|x| (1 - q) where x < 0.
PARTITA_MATH float pm_logistic_f32(float x) {
  const float e = pm_exp_f32(-pm_abs_f32(x)), q = e / (1.0f + e);
  const float scale = x < 0.0f ? e : 1.0f;
  return pm_fma_f32(-scale, q, scale);
}

// x + x^3 P(x^2) up to 0.6, then 1 - 2 / (e^2x + 1).
PARTITA_MATH float pm_tanh_f32(float x) {
  const float a = pm_abs_f32(x), b = a < 10.0f ? a : 10.0f, z = a * a;
  // fit: p = f32_tanh(z)
  float p = -0.00589520345f;
  p = pm_fma_f32(p, z, 0.0207960084f);
  p = pm_fma_f32(p, z, -0.0537838414f);
  p = pm_fma_f32(p, z, 0.133319244f);
  p = pm_fma_f32(p, z, -0.333332986f);
  const float large = 1.0f - 2.0f / (pm_value_f32((unsigned)pm_exp_bits_f32(b + b)) + 1.0f);
  return pm_copysign_f32(a >= 0.6f ? large : pm_fma_f32(a * z, p, a), x);
}

// x + x P(x^2) up to 0.9, then 1 - e^(-x Q(x)).
PARTITA_MATH float pm_erf_f32(float x) {
  const float a = pm_abs_f32(x), b = a > 4.0f ? 4.0f : a, z = a * a;
  // fit: p = f32_erf(z)
  float p = -0.000609036535f;
  p = pm_fma_f32(p, z, 0.0050119618f);
  p = pm_fma_f32(p, z, -0.0267789066f);
  p = pm_fma_f32(p, z, 0.112821408f);
  p = pm_fma_f32(p, z, -0.376125246f);
  p = pm_fma_f32(p, z, 0.128379151f);
  // fit: q = f32_log_erfc(b)
  float q = 5.66909239e-06f;
  q = pm_fma_f32(q, b, -5.44225804e-05f);
  q = pm_fma_f32(q, b, -4.87084253e-06f);
  q = pm_fma_f32(q, b, 0.00280756876f);
  q = pm_fma_f32(q, b, -0.0224773269f);
  q = pm_fma_f32(q, b, 0.10507758f);
  q = pm_fma_f32(q, b, 0.635719776f);
  q = pm_fma_f32(q, b, 1.12853158f);
  const float large = 1.0f - pm_value_f32((unsigned)pm_exp_bits_f32(-b * q));
  return pm_copysign_f32(a >= 0.9f ? large : pm_fma_f32(a, p, a), x);
}

// x P(w - 5/2) or x Q(sqrt(w) - 3) with w = -log(1 - x^2), where x^2 is rounded first, as in JAX.
PARTITA_MATH float pm_erf_inv_f32(float x) {
  const float w = -pm_log1p_f32(-x * x), t = w - 2.5f, u = __builtin_sqrtf(w) - 3.0f;
  // fit: p = f32_erf_inv_near(t)
  float p = 2.85362685e-08f;
  p = pm_fma_f32(p, t, 3.43728942e-07f);
  p = pm_fma_f32(p, t, -3.52888355e-06f);
  p = pm_fma_f32(p, t, -4.39679616e-06f);
  p = pm_fma_f32(p, t, 0.000218602334f);
  p = pm_fma_f32(p, t, -0.00125370745f);
  p = pm_fma_f32(p, t, -0.00417770818f);
  p = pm_fma_f32(p, t, 0.246640727f);
  p = pm_fma_f32(p, t, 1.50140941f);
  // fit: q = f32_erf_inv_far(u)
  float q = -0.000150336578f;
  q = pm_fma_f32(q, u, 7.59251125e-05f);
  q = pm_fma_f32(q, u, 0.00127896352f);
  q = pm_fma_f32(q, u, -0.00364978518f);
  q = pm_fma_f32(q, u, 0.00577182043f);
  q = pm_fma_f32(q, u, -0.00762807252f);
  q = pm_fma_f32(q, u, 0.00943403691f);
  q = pm_fma_f32(q, u, 1.00167429f);
  q = pm_fma_f32(q, u, 2.83297706f);
  const float value = x * (w < 5.0f ? p : q);
  return pm_abs_f32(x) == 1.0f ? x * __builtin_inff() : value;
}

PARTITA_MATH float pm_sqrt_f32(float x) { return __builtin_sqrtf(x); }

PARTITA_MATH float pm_rsqrt_f32(float x) { return 1.0f / __builtin_sqrtf(x); }

// --- Computed in f64 with about 2^-33 of relative error, then rounded ---

// e^x for |x| up to 700.
PARTITA_MATH double pm_narrow_exp(double x) {
  const double magic = 6755399441055744.0;
  const double t = x * 1.4426950408889634 + magic, n = t - magic;
  const double r = x - n * 0.6931471805599453;
  // fit: p = narrow_exp(r)
  double p = 0.0001979044524323838;
  p = pm_fma_f64(p, r, 0.001394467866858259);
  p = pm_fma_f64(p, r, 0.008333496973926545);
  p = pm_fma_f64(p, r, 0.04166629471039239);
  p = pm_fma_f64(p, r, 0.16666665868952688);
  p = pm_fma_f64(p, r, 0.5000000067733513);
  return (1.0 + pm_fma_f64(r * r, p, r)) * pm_power2_f64(t);
}

// log(x) for normal positive x: x = 2^e m, s = (m - 1) / (m + 1), log(m) = 2 s + s^3 P(s^2).
PARTITA_MATH double pm_narrow_log(double x) {
  const unsigned long long bits = pm_bits_f64(x) - 0x3fe6a09e00000000ull;
  const double e = pm_exponent_f64(bits);
  const double f = pm_value_f64((bits & 0xfffffffffffffull) + 0x3fe6a09e00000000ull) - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  // fit: p = narrow_log(z)
  double p = 0.1958347547527003;
  p = pm_fma_f64(p, z, 0.22176235707637046);
  p = pm_fma_f64(p, z, 0.28572108035830757);
  p = pm_fma_f64(p, z, 0.3999999563233204);
  p = pm_fma_f64(p, z, 0.6666666667577089);
  return pm_fma_f64(e, 0.6931471805599453, pm_fma_f64(s * z, p, 2.0 * s));
}

// Remainder r of x = (k + 2 r / pi) pi/2 for any finite x; k modulo 4 is added to a magic number.
// 2/pi modulo 4 / 2^s in three pieces, s by the size of x: the products of the first two are exact.
PARTITA_MATH double pm_narrow_reduce(double x, double* quadrant) {
  const double magic = 6755399441055744.0, a = pm_abs_f64(x);
  const int one = a >= 0x1p53, two = a >= 0x1p83, three = a >= 0x1p113;
  double c1 = 0.6366197690367699, c2 = 3.3308114738561656e-09, c3 = 2.276010073078396e-18;
  c1 = one ? -0.42356840893626213 : c1;
  c2 = one ? -1.2814430905283558e-09 : c2;
  c3 = one ? -6.239876518515109e-19 : c3;
  c1 = two ? -1.375939041376114 : c1;
  c2 = two ? -6.700016375038587e-10 : c2;
  c3 = two ? -1.9486603729150778e-18 : c3;
  c1 = three ? -0.71940878033638 : c1;
  c2 = three ? -2.0923581409149072e-09 : c2;
  c3 = three ? -2.2554493419533278e-18 : c3;
  const double y = x * (three ? 0x1p-90 : two ? 0x1p-60 : one ? 0x1p-30 : 1.0);
  double p1 = y * c1, p2 = y * c2;
  p1 -= 4.0 * __builtin_rint(p1 * 0.25);
  p2 -= 4.0 * __builtin_rint(p2 * 0.25);
  const double t = p1 + p2 + magic;
  *quadrant = t;
  return ((p1 - (t - magic) + p2) + y * c3) * 1.5707963267948966;
}

PARTITA_MATH double pm_narrow_sin(double r) {
  const double z = r * r;
  // fit: p = narrow_sin(z)
  double p = 2.7181170441569284e-06;
  p = pm_fma_f64(p, z, -0.00019839311740510682);
  p = pm_fma_f64(p, z, 0.008333329303018881);
  p = pm_fma_f64(p, z, -0.16666666640780572);
  return pm_fma_f64(r * z, p, r);
}

PARTITA_MATH double pm_narrow_cos(double r) {
  const double z = r * r;
  // fit: p = narrow_cos(z)
  double p = -2.7205738893025035e-07;
  p = pm_fma_f64(p, z, 2.479946000584253e-05);
  p = pm_fma_f64(p, z, -0.0013888883499767217);
  p = pm_fma_f64(p, z, 0.041666666619493586);
  return pm_fma_f64(z * z, p, 1.0 - 0.5 * z);
}

PARTITA_MATH float pm_sin_f32(float x) {
  double quadrant;
  const double r = pm_narrow_reduce((double)x, &quadrant);
  const unsigned long long k = pm_bits_f64(quadrant);
  const double value = (k & 1u) != 0 ? pm_narrow_cos(r) : pm_narrow_sin(r);
  const float result = (float)((k & 2u) != 0 ? -value : value);
  return x == 0.0f ? x : result;
}

PARTITA_MATH float pm_cos_f32(float x) {
  double quadrant;
  const double r = pm_narrow_reduce((double)x, &quadrant);
  const unsigned long long k = pm_bits_f64(quadrant);
  const double value = (k & 1u) != 0 ? pm_narrow_sin(r) : pm_narrow_cos(r);
  return (float)(((k + 1u) & 2u) != 0 ? -value : value);
}

PARTITA_MATH float pm_tan_f32(float x) {
  double quadrant;
  const double r = pm_narrow_reduce((double)x, &quadrant);
  const int odd = (pm_bits_f64(quadrant) & 1u) != 0;
  const double s = pm_narrow_sin(r), c = pm_narrow_cos(r);
  const float result = (float)((odd ? c : s) / (odd ? -s : c));
  return x == 0.0f ? x : result;
}

// The angle of (x, y) for x, y >= 0 and not both zero or infinite.
PARTITA_MATH double pm_narrow_angle(double y, double x) {
  const double low = y < x ? y : x, high = y < x ? x : y;
  const int middle = low > 0.41421356237309503 * high;
  const double t = (middle ? low - high : low) / (middle ? low + high : high), z = t * t;
  // fit: p = narrow_atan(z)
  double p = -0.03792417011403243;
  p = pm_fma_f64(p, z, 0.06991210318676035);
  p = pm_fma_f64(p, z, -0.08996838940907183);
  p = pm_fma_f64(p, z, 0.1110400380495353);
  p = pm_fma_f64(p, z, -0.14285423623192275);
  p = pm_fma_f64(p, z, 0.19999994326529147);
  p = pm_fma_f64(p, z, -0.3333333329572919);
  const double angle = pm_fma_f64(t * z, p, t) + (middle ? 0.7853981633974483 : 0.0);
  return y < x ? angle : 1.5707963267948966 - angle;
}

PARTITA_MATH float pm_atan_f32(float x) {
  const float a = pm_abs_f32(x);
  const float b = a > 1e30f ? 1e30f : a;
  const float result = (float)pm_narrow_angle((double)b, 1.0);
  return pm_copysign_f32(x == x ? result : x, x);
}

PARTITA_MATH float pm_atan2_f32(float y, float x) {
  const float a = pm_abs_f32(y), b = pm_abs_f32(x), infinity = __builtin_inff();
  const int up = a == infinity, right = b == infinity;
  const int ends = up | right | ((a == 0.0f) & (b == 0.0f));
  const float c = up ? 1.0f : 0.0f, d = (right | !up) ? 1.0f : 0.0f;
  double angle = pm_narrow_angle((double)(ends ? c : a), (double)(ends ? d : b));
  angle = (int)pm_bits_f32(x) < 0 ? 3.141592653589793 - angle : angle;
  const float result = pm_copysign_f32((float)angle, y);
  return ((x == x) & (y == y)) ? result : x + y;
}

// asin(s) = s + s^3 P(s^2) up to 1/2; beyond, s = sqrt((1 - a) / 2) gives (pi/2 - asin(a)) / 2.
PARTITA_MATH double pm_narrow_asin_part(double a) {
  const double z = a > 0.5 ? 0.5 - 0.5 * a : a * a;
  const double s = a > 0.5 ? __builtin_sqrt(z) : a;
  // fit: p = narrow_asin(z)
  double p = 0.03191425437451195;
  p = pm_fma_f64(p, z, -0.0028080750331756395);
  p = pm_fma_f64(p, z, 0.01860715577008479);
  p = pm_fma_f64(p, z, 0.01648351833710766);
  p = pm_fma_f64(p, z, 0.022470474389662525);
  p = pm_fma_f64(p, z, 0.03037530311792155);
  p = pm_fma_f64(p, z, 0.04464310920735285);
  p = pm_fma_f64(p, z, 0.07499999532959226);
  p = pm_fma_f64(p, z, 0.16666666669638888);
  return pm_fma_f64(s * z, p, s);
}

PARTITA_MATH float pm_asin_f32(float x) {
  const double a = (double)pm_abs_f32(x), part = pm_narrow_asin_part(a);
  const float result = (float)(a > 0.5 ? 1.5707963267948966 - 2.0 * part : part);
  return pm_copysign_f32(result, x);
}

PARTITA_MATH float pm_acos_f32(float x) {
  const double a = (double)pm_abs_f32(x), part = pm_narrow_asin_part(a);
  const double signed_part = x < 0.0f ? -part : part;
  const double large = 2.0 * signed_part + (x < 0.0f ? 3.141592653589793 : 0.0);
  return (float)(a > 0.5 ? large : 1.5707963267948966 - signed_part);
}

PARTITA_MATH float pm_sinh_f32(float x) {
  const double a = (double)pm_abs_f32(x), b = a > 100.0 ? 100.0 : a, z = a * a;
  // fit: p = narrow_sinh(z)
  double p = 2.5526627824988698e-08;
  p = pm_fma_f64(p, z, 2.75521416680502e-06);
  p = pm_fma_f64(p, z, 0.00019841295395449);
  p = pm_fma_f64(p, z, 0.00833333327848538);
  p = pm_fma_f64(p, z, 0.16666666667047123);
  const double e = pm_narrow_exp(b);
  const float result = (float)(a < 1.0 ? pm_fma_f64(a * z, p, a) : 0.5 * e - 0.5 / e);
  return pm_copysign_f32(result, x);
}

PARTITA_MATH float pm_cosh_f32(float x) {
  const double a = (double)pm_abs_f32(x), b = a > 100.0 ? 100.0 : a, e = pm_narrow_exp(b);
  return (float)(0.5 * e + 0.5 / e);
}

PARTITA_MATH float pm_asinh_f32(float x) {
  const double a = (double)pm_abs_f32(x), z = a * a;
  const double value = pm_narrow_log(a + __builtin_sqrt(z + 1.0));
  const float result = (float)(a < 0.001 ? a - a * z * 0.16666666666666666 : value);
  return pm_copysign_f32(a < __builtin_inf() ? result : (float)a, x);
}

PARTITA_MATH float pm_acosh_f32(float x) {
  const double a = (double)x, b = a < 1.0 ? 1.0 : a;
  const float result = (float)pm_narrow_log(b + __builtin_sqrt((b - 1.0) * (b + 1.0)));
  return x >= 1.0f ? (x < __builtin_inff() ? result : x) : __builtin_nanf("");
}

PARTITA_MATH float pm_atanh_f32(float x) {
  const double a = (double)pm_abs_f32(x), b = a < 1.0 ? a : 0.5, z = a * a;
  const double value = 0.5 * pm_narrow_log((1.0 + b) / (1.0 - b));
  float result = (float)(a < 0.001 ? a + a * z * (0.3333333333333333 + 0.2 * z) : value);
  result = a == 1.0 ? __builtin_inff() : result;
  return a <= 1.0 ? pm_copysign_f32(result, x) : __builtin_nanf("");
}

// A third of the exponent's bits as a first value, then Halley's iteration twice.
PARTITA_MATH float pm_cbrt_f32(float x) {
  const float a = pm_abs_f32(x);
  const double magic = 4503599627370496.0, d = (double)a;
  const double high = pm_value_f64((pm_bits_f64(d) >> 32) | 0x4330000000000000ull) - magic;
  const double third = high * 0.3333333333333333 + 715094163.0 + magic;
  double t = pm_value_f64(pm_bits_f64(third) << 32), c = t * t * t;
  t = t * ((c + 2.0 * d) / (2.0 * c + d));
  c = t * t * t;
  t = t * ((c + 2.0 * d) / (2.0 * c + d));
  return ((a > 0.0f) & (a < __builtin_inff())) ? pm_copysign_f32((float)t, x) : x;
}

// x^y = e^(y log|x|), negative where x is and y is odd.
PARTITA_MATH float pm_pow_f32(float x, float y) {
  const float infinity = __builtin_inff();
  const float ax = pm_abs_f32(x), ay = pm_abs_f32(y);
  const int whole = __builtin_rintf(y) == y;
  const int odd = whole & (__builtin_rintf(0.5f * y) != 0.5f * y);
  double l = pm_narrow_log((double)ax);
  l = ax == 0.0f ? -__builtin_inf() : l;
  l = ax < infinity ? l : (double)ax;
  double t = (double)y * l;
  t = t < -200.0 ? -200.0 : t;
  t = t > 200.0 ? 200.0 : t;
  float result = (float)pm_narrow_exp(t);
  result = (((int)pm_bits_f32(x) < 0) & odd) ? -result : result;
  result = ((x < 0.0f) & (ax < infinity) & !whole & (y == y)) ? __builtin_nanf("") : result;
  result = ((ax == 1.0f) & (ay == infinity)) ? 1.0f : result;
  return ((x == 1.0f) | (y == 0.0f)) ? 1.0f : result;
}

// e^(-a^2) R(q) / (1 + 2 a) with q = (a - 2) / (a + 2); mirrored below 0.
PARTITA_MATH float pm_erfc_f32(float x) {
  const double b = (double)pm_abs_f32(x), a = b > 11.0 ? 11.0 : b, d = a + 2.0, e = 1.0 + 2.0 * a;
  const double quotient = 1.0 / (d * e), q = (a - 2.0) * e * quotient;
  // fit: p = narrow_erfcx(q)
  double p = -1.1651943694782052e-05;
  p = pm_fma_f64(p, q, -6.796407785120095e-06);
  p = pm_fma_f64(p, q, 0.00011877273915934379);
  p = pm_fma_f64(p, q, 0.00019992413584136347);
  p = pm_fma_f64(p, q, -0.0004360023432431666);
  p = pm_fma_f64(p, q, -0.001450783836100044);
  p = pm_fma_f64(p, q, 0.0012660512781138417);
  p = pm_fma_f64(p, q, 0.008720775920251474);
  p = pm_fma_f64(p, q, -0.008033236895799226);
  p = pm_fma_f64(p, q, -0.05421975730592019);
  p = pm_fma_f64(p, q, 0.1640512280179977);
  p = pm_fma_f64(p, q, -0.16603040872618013);
  p = pm_fma_f64(p, q, -0.09276382552043982);
  p = pm_fma_f64(p, q, 1.2769783816316647);
  const double value = pm_narrow_exp(-a * a) * p * d * quotient;
  return (float)(x < 0.0f ? 2.0 - value : value);
}

// Stirling's series for the logarithm of gamma (DLMF 5.11.1) from 8 on, where the next term is below 2^-56.
PARTITA_MATH double pm_stirling_f64(double z) {
  const double s = 1.0 / z, q = s * s;
  double p = -0.029550653594771242;
  p = pm_fma_f64(p, q, 0.00641025641025641);
  p = pm_fma_f64(p, q, -0.0019175269175269176);
  p = pm_fma_f64(p, q, 0.0008417508417508417);
  p = pm_fma_f64(p, q, -0.0005952380952380953);
  p = pm_fma_f64(p, q, 0.0007936507936507937);
  p = pm_fma_f64(p, q, -0.002777777777777778);
  p = pm_fma_f64(p, q, 0.08333333333333333);
  return (z - 0.5) * (pm_log_f64(z) - 1.0) + (0.41893853320467274 + p * s);
}

// Below 1/2 as log(pi / sin(pi x)) less that of 1 - x; below 8 by way of z (z + 1) ... (z + 7).
PARTITA_MATH float pm_lgamma_f32(float x) {
  const double a = (double)x, z = a < 0.5 ? 1.0 - a : a, low = z < 8.0 ? z : 1.0;
  const double up = low * (low + 7.0);  // z (z + 7), to which (z + k) (z + 7 - k) add k (7 - k)
  const double product = z < 8.0 ? up * (up + 6.0) * (up + 10.0) * (up + 12.0) : 1.0;
  const double stirling = pm_stirling_f64(z < 8.0 ? z + 8.0 : z);
  const double r = pm_abs_f64(a - __builtin_floor(a + 0.5));
  const double angle = 3.141592653589793 * r, rest = 3.141592653589793 * (0.5 - r);
  const double sine = r < 0.25 ? pm_sin_part_f64(angle, 0.0) : pm_cos_part_f64(rest, 0.0);
  const double logarithm = pm_log_f64(a < 0.5 ? 3.141592653589793 * product / sine : product);
  const double sum = a < 0.5 ? logarithm - stirling : stirling - logarithm;
  const double value = (a == 1.0) | (a == 2.0) ? 0.0 : sum;
  return x - x == 0.0f ? (float)value : x * x;
}

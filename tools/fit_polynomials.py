#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Fits the polynomials of backend-cpu/kernels/vector_math_*.c and scalar/helpers/real.h and prints them as C.

Each entry of FITS names a function g, an interval and a degree; the polynomial P minimises the
largest weight(t) * |P(t) - g(t)| by the exchange algorithm of Remez (E. W. Cheney, Introduction to
Approximation Theory, 1966, chapter 3) in 60 digits, then its coefficients are rounded to the
precision in which they are used.  The weight turns the error of P into the relative error of the
function that is computed from it.  The tables of 2/pi for the reduction of large arguments follow
the idea of M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983.

  python3 tools/fit_polynomials.py [NAME...]           prints polynomials; no names: all
  python3 tools/fit_polynomials.py --update FILE...    writes them into the C files anew

In a C file the comment `// fit: p = NAME(t)` stands before the lines that evaluate the polynomial
NAME at t into p; --update replaces those lines.  Needs mpmath (PyPI).
"""
import re
import sys

from mpmath import mp, mpf
import mpmath as m

mp.prec = 240


def remez(g, lo, hi, degree, weight, rounds=30):
    """Coefficients of the minimax polynomial, lowest first, and its largest weighted error."""
    lo, hi = mpf(lo), mpf(hi)
    n = degree + 2
    weight = at_least(weight)
    points = [(lo + hi) / 2 - (hi - lo) / 2 * m.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * m.cos(mp.pi * (i + mpf(1) / 2) / (24 * n))
            for i in range(24 * n)]
    values = [(t, g(t), weight(t)) for t in grid]
    coefficients, largest = None, None
    for _ in range(rounds):
        rows = [[t ** k for k in range(degree + 1)] + [(-1) ** i / weight(t)]
                for i, t in enumerate(points)]
        solution = m.lu_solve(m.matrix(rows), m.matrix([g(t) for t in points]))
        coefficients = [solution[k] for k in range(degree + 1)]
        errors = [w * (m.polyval(coefficients[::-1], t) - v) for t, v, w in values]
        extrema = []  # the largest error of each run of one sign
        for t, e in zip(grid, errors):
            if extrema and (extrema[-1][1] > 0) == (e > 0):
                if abs(e) > abs(extrema[-1][1]):
                    extrema[-1] = (t, e)
            else:
                extrema.append((t, e))
        while len(extrema) > n:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        largest = max(abs(e) for e in errors)
        if len(extrema) < n or largest < abs(solution[degree + 1]) * mpf("1.001"):
            break
        points = [t for t, _ in extrema]
    return coefficients, largest


def at_least(weight):
    """The weight, kept away from 0, where the system of equations would be singular."""
    return lambda t: weight(t) + mpf(10) ** -20


def nearest(x, bits):
    """x rounded to that many bits."""
    x = mpf(x)
    if x == 0:
        return x
    exponent = m.floor(m.log(abs(x), 2))
    unit = mpf(2) ** (exponent + 1 - bits)
    return m.nint(x / unit) * unit


def literal(x, bits):
    """x as a C literal of 24 or 53 bits."""
    if bits == 24:
        text = "%.9g" % float(nearest(x, 24))
        return (text if any(c in text for c in ".e") else text + ".0") + "f"
    return repr(float(nearest(x, 53)))


class Fit:
    def __init__(self, g, lo, hi, degree, weight, bits):
        self.g, self.lo, self.hi, self.degree, self.weight, self.bits = g, lo, hi, degree, weight, bits

    def run(self):
        coefficients, error = remez(self.g, self.lo, self.hi, self.degree, self.weight)
        return [literal(c, self.bits) for c in coefficients], error


def near_zero(f, terms):
    """f, by the series terms[k] t^k where t is so small that f cancels."""
    return lambda t: m.polyval(terms[::-1], t) if abs(t) < mpf(10) ** -12 else f(t)


def root(f):
    """f of the square root, for even functions."""
    return lambda z: f(m.sqrt(z))


EXP = near_zero(lambda r: (m.expm1(r) - r) / r ** 2, [mpf(1) / 2, mpf(1) / 6, mpf(1) / 24])
LOG = near_zero(lambda f: (m.log1p(f) - f + f ** 2 / 2) / f ** 3, [mpf(1) / 3, -mpf(1) / 4, mpf(1) / 5])
# log((1 + s) / (1 - s)) = 2 s + s z A(z) with z = s^2
ATANH = near_zero(root(lambda s: (2 * m.atanh(s) / s - 2) / s ** 2),
                  [mpf(2) / 3, mpf(2) / 5, mpf(2) / 7])
# the same after two thirds: 2 s + s z (2/3 + z B(z))
ATANH2 = near_zero(root(lambda s: (2 * m.atanh(s) / s - 2 - 2 * s ** 2 / 3) / s ** 4),
                   [mpf(2) / 5, mpf(2) / 7, mpf(2) / 9])
SIN = near_zero(root(lambda r: (m.sin(r) / r - 1) / r ** 2), [-mpf(1) / 6, mpf(1) / 120])
COS = near_zero(root(lambda r: (m.cos(r) - 1 + r ** 2 / 2) / r ** 4), [mpf(1) / 24, -mpf(1) / 720])
SINH = near_zero(root(lambda r: (m.sinh(r) / r - 1) / r ** 2), [mpf(1) / 6, mpf(1) / 120])
TANH = near_zero(root(lambda r: (m.tanh(r) / r - 1) / r ** 2), [-mpf(1) / 3, mpf(2) / 15, -mpf(17) / 315])
ATAN = near_zero(root(lambda t: (m.atan(t) / t - 1) / t ** 2), [-mpf(1) / 3, mpf(1) / 5])
ASIN = near_zero(root(lambda t: (m.asin(t) / t - 1) / t ** 2), [mpf(1) / 6, mpf(3) / 40, mpf(15) / 336])
ERF = near_zero(root(lambda t: m.erf(t) / t - 1), [2 / m.sqrt(mp.pi) - 1, -2 / m.sqrt(mp.pi) / 3,
                                                   mpf(1) / 5 / m.sqrt(mp.pi)])


def erfcx(x):
    return m.exp(x * x) * m.erfc(x)


def erfcx_of(k):
    """erfcx(x) * (1 + 2 x) as a function of q = (x - k) / (x + k)."""
    def f(q):
        x = k * (1 + q) / (1 - q)
        return erfcx(x) * (1 + 2 * x)
    return f


def log_erfc(x):
    """-log(erfc(x)) / x."""
    return -m.log(m.erfc(x)) / x


def erf_inv_part(w):
    """erf_inv(x) / x where w = -log(1 - x^2), near 0 by the series of x^2."""
    z = -m.expm1(-w)
    if abs(z) < mpf(10) ** -12:
        return m.sqrt(mp.pi) / 2 * (1 + mp.pi * z / 12)
    x = m.sqrt(z)
    # Newton's iteration on -log(erfc(y)), which stays exact where x is next to 1.
    rest, y = m.exp(-w) / (1 + x), m.sqrt(w) * mpf("0.9")
    for _ in range(200):
        step = (m.log(m.erfc(y)) - m.log(rest)) * m.erfc(y) / (2 / m.sqrt(mp.pi) * m.exp(-y * y))
        y += step
        if abs(step) < mpf(10) ** -40 * y:
            break
    return y / x


def bessel_near(order):
    """e^-x I(x), of order 1 divided by x, as a function of t = x / 4 - 1."""
    def f(t):
        x = 4 * (1 + t)
        if order == 0:
            return m.exp(-x) * m.besseli(0, x)
        return m.exp(-x) * m.besseli(1, x) / x if x > 0 else mpf(1) / 2
    return f


def bessel_far(order):
    """sqrt(x) e^-x I(x) as a function of t = 16 / x - 1."""
    def f(t):
        u = (1 + t) / 16
        return m.exp(-1 / u) * m.besseli(order, 1 / u) / m.sqrt(u) if u > mpf(10) ** -30 else 1 / m.sqrt(2 * mp.pi)
    return f


def relative(g):
    return lambda t: 1 / abs(g(t))


HALF_LN2 = mpf("0.34668")
Z_LOG = mpf("0.029438")  # ((sqrt(2) - 1) / (sqrt(2) + 1))^2, slightly more
Z_PI4 = mpf("0.61690")  # (pi / 4)^2, slightly more
Z_PI8 = mpf("0.17158")  # tan(pi / 8)^2, slightly more
LO, HI = mpf("-0.29290"), mpf("0.41423")  # sqrt(1/2) - 1 and sqrt(2) - 1


exp_weight = lambda r: r * r / m.exp(r)
expm1_weight = near_zero(lambda r: abs(r * r / m.expm1(r)), [mpf(10) ** -15])
log_weight = near_zero(lambda f: abs(f ** 3 / m.log1p(f)), [mpf(10) ** -20])
cube = lambda f: near_zero(root(lambda r: abs(r ** 3 / f(r))), [mpf(10) ** -12])
fifth = near_zero(root(lambda s: abs(s ** 5 / (2 * m.atanh(s)))), [mpf(10) ** -20])


FITS = {
    # Computed in f32.
    "f32_exp": Fit(EXP, -HALF_LN2, HALF_LN2, 4, exp_weight, 24),
    "f32_expm1": Fit(EXP, -HALF_LN2, HALF_LN2, 5, expm1_weight, 24),
    "f32_log": Fit(LOG, LO, HI, 8, log_weight, 24),
    "f32_tanh": Fit(TANH, 0, mpf("0.36"), 4, cube(m.tanh), 24),
    "f32_erf": Fit(ERF, 0, mpf("0.81"), 5, lambda z: 1 / (1 + ERF(z)), 24),
    "f32_log_erfc": Fit(log_erfc, mpf("0.88"), mpf("4"), 7, lambda x: x * m.erfc(x) / m.erf(x), 24),
    "f32_erf_inv_near": Fit(lambda t: erf_inv_part(t + mpf("2.5")), mpf("-2.5"), mpf("2.5"), 8,
                            lambda t: 1 / erf_inv_part(t + mpf("2.5")), 24),
    "f32_erf_inv_far": Fit(lambda u: erf_inv_part((u + 3) ** 2), m.sqrt(5) - 3, m.sqrt(17) - 3, 8,
                           lambda u: 1 / erf_inv_part((u + 3) ** 2), 24),
    # Computed in f64 for an f32 result.
    "narrow_exp": Fit(EXP, -HALF_LN2, HALF_LN2, 5, exp_weight, 53),
    "narrow_log": Fit(ATANH, 0, Z_LOG, 4, cube(lambda s: 2 * m.atanh(s)), 53),
    "narrow_sin": Fit(SIN, 0, Z_PI4, 3, cube(m.sin), 53),
    "narrow_cos": Fit(COS, 0, Z_PI4, 3, root(lambda r: r ** 4 / m.cos(r)), 53),
    "narrow_sinh": Fit(SINH, 0, 1, 4, cube(m.sinh), 53),
    "narrow_atan": Fit(ATAN, 0, Z_PI8, 6, cube(m.atan), 53),
    "narrow_asin": Fit(ASIN, 0, mpf("0.25"), 8, cube(m.asin), 53),
    "narrow_erfcx": Fit(erfcx_of(mpf(2)), mpf("-1"), mpf("0.7"), 13, lambda q: 1 / erfcx_of(mpf(2))(q), 53),
    # Computed in f64.
    "f64_exp": Fit(EXP, -HALF_LN2, HALF_LN2, 9, exp_weight, 53),
    "f64_expm1": Fit(EXP, -HALF_LN2, HALF_LN2, 10, expm1_weight, 53),
    "f64_log": Fit(ATANH, 0, Z_LOG, 6, cube(lambda s: 2 * m.atanh(s)), 53),
    "f64_log_wide": Fit(ATANH2, 0, Z_LOG, 8, fifth, 53),
    "f64_sin": Fit(SIN, 0, Z_PI4, 5, cube(m.sin), 53),
    "f64_cos": Fit(COS, 0, Z_PI4, 5, root(lambda r: r ** 4 / m.cos(r)), 53),
    "f64_sinh": Fit(SINH, 0, 1, 6, cube(m.sinh), 53),
    "f64_tanh": Fit(TANH, 0, mpf("0.36"), 10, cube(m.tanh), 53),
    "f64_atan": Fit(ATAN, 0, Z_PI8, 10, cube(m.atan), 53),
    "f64_asin": Fit(ASIN, 0, mpf("0.25"), 12, cube(m.asin), 53),
    "f64_erf": Fit(ERF, 0, mpf("0.77"), 11, lambda z: 1 / (1 + ERF(z)), 53),
    "f64_erfcx": Fit(erfcx_of(mpf(2)), mpf("-0.61"), mpf("0.87"), 23, lambda q: 1 / erfcx_of(mpf(2))(q), 53),
    # Computed in f32 or f64.
    "real_i0_near": Fit(bessel_near(0), -1, 1, 27, relative(bessel_near(0)), 53),
    "real_i0_far": Fit(bessel_far(0), -1, 1, 22, relative(bessel_far(0)), 53),
    "real_i1_near": Fit(bessel_near(1), -1, 1, 27, relative(bessel_near(1)), 53),
    "real_i1_far": Fit(bessel_far(1), -1, 1, 22, relative(bessel_far(1)), 53),
}


def pieces(x, sizes):
    """x as a sum of numbers of so many bits, each the rest rounded towards zero."""
    result, top = [], 1
    for bits in sizes:
        top -= bits  # the unit of the last bit of this piece
        unit = mpf(2) ** top
        part = m.floor(abs(x) / unit) * unit * (1 if x > 0 else -1)
        result.append(part)
        x -= part
    return result


def two_over_pi(step, first, groups, sizes):
    """Rows of 2^(first + step (g - 1)) 2/pi modulo 4, in pieces; row 0 is 2/pi."""
    mp.prec = 2600
    rows = []
    for g in range(groups):
        x = 2 / mp.pi
        if g:
            x = x * mpf(2) ** (first + step * (g - 1))
            x -= 4 * m.nint(x / 4)
        rows.append([float(p) for p in pieces(x, sizes)])
    mp.prec = 240
    return rows


def horner(variable, name, argument):
    """Lines of C that evaluate a polynomial."""
    fit = FITS[name]
    coefficients = fit.run()[0][::-1]
    if name.startswith("real_"):
        return ["  T %s = K(%s);" % (variable, coefficients[0])] + [
            "  %s = K(%s) + %s * %s;" % (variable, c, variable, argument) for c in coefficients[1:]]
    dtype, suffix = ("float", "f32") if fit.bits == 24 else ("double", "f64")
    lines = ["  %s %s = %s;" % (dtype, variable, coefficients[0])]
    return lines + ["  %s = pm_fma_%s(%s, %s, %s);" % (variable, suffix, variable, argument, c)
                    for c in coefficients[1:]]


def update(path):
    with open(path) as file:
        lines = file.read().split("\n")
    result, variable = [], None
    for line in lines:
        if variable and re.match(r"  (float |double |T |)%s = (pm_fma_|K\(|[-0-9])" % variable, line):
            continue
        result.append(line)
        mark = re.match(r"  // fit: (\w+) = (\w+)\((\w+)\)$", line)
        variable = mark.group(1) if mark else None
        if mark:
            result += horner(*mark.groups())
    with open(path, "w") as file:
        file.write("\n".join(result))


def main():
    if sys.argv[1:2] == ["--update"]:
        for path in sys.argv[2:]:
            update(path)
        return
    names = sys.argv[1:] or list(FITS) + ["f32_two_over_pi", "f64_two_over_pi"]
    for name in names:
        if name in FITS:
            coefficients, error = FITS[name].run()
            print("%s: error 2^%.2f" % (name, m.log(error, 2)))
            print("  " + ", ".join(coefficients), flush=True)
        elif name == "f32_two_over_pi":
            print(name)
            for row in two_over_pi(30, 30, 4, [29, 29, 53]):
                print("  " + ", ".join(repr(v) for v in row))
        elif name == "f64_two_over_pi":
            print(name)
            for row in two_over_pi(40, 40, 25, [53, 53, 53, 53]):
                print("  " + ", ".join(repr(v) for v in row))
        else:
            sys.exit("unknown polynomial " + name)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Writes STEM.io.npz (in0..., out0...) beside each program: python3 make_oracles.py [FOLDER]. Needs numpy.

The values are computed in rational arithmetic, independently of the program texts, and rounded once when stored; the
published numbers of the algorithms are checked on the way.
"""

import math
import pathlib
import sys
from fractions import Fraction

import numpy as np

F = Fraction
NAN, INF = math.nan, math.inf
DATA = [[1, 2], [3, -4], [-7, 6]]
START = [F(2), F(-1)]
RATE = F(1, 100)


def array(values, dtype=np.float32):
    """Nested lists of fractions or floats as an array."""
    number = int if np.issubdtype(dtype, np.integer) else float

    def plain(v):
        return [plain(w) for w in v] if isinstance(v, (list, tuple, np.ndarray)) else number(v)

    return np.array(plain(values)).astype(dtype)


def close(found, published, relative=3e-8):
    """Checks a number against its published digits."""
    found, published = np.atleast_1d(array(found, np.float64)), np.atleast_1d(np.float64(published))
    assert np.all(np.abs(found - published) <= relative * np.abs(published)), (found, published)


# The toy problem.
def dot(a, b):
    return sum((F(p) * F(q) for p, q in zip(a, b)), F(0))


def gradient(x, y):
    return [(dot(x, y) - 1) * v for v in y]


def loss(x, y):
    return (dot(x, y) - 1) ** 2 / 2


def mean_of(rows, weights=None):
    weights = weights or [1] * len(rows)
    return [sum(F(w) * F(r[j]) for w, r in zip(weights, rows)) / sum(F(w) for w in weights) for j in range(len(rows[0]))]


def mean_loss(x, data=DATA):
    return sum(loss(x, y) for y in data) / len(data)


def step(x, direction, rate=RATE):
    return [a - rate * b for a, b in zip(x, direction)]


def train(x, y, steps=3):
    for _ in range(steps):
        x = step(x, gradient(x, y))
    return x


def fedsgd(x, rate=RATE):
    return step(x, mean_of([gradient(x, y) for y in DATA]), rate)


def fedavg(x):
    models = [train(x, y) for y in DATA]
    return models, mean_of(models)


TOY = [array(START), array(DATA)]


# Each function: the inputs and outputs of the program of its name, as lists of arrays.
def temperature_sensors():
    share = lambda count, limit: F(sum(i > limit for i in range(count)), count)
    outs = [share(100, 24), share(20, 3), share(100, 49.5)]
    close(outs, [0.75, 0.8, 0.5])
    return [array(24), array(list(range(100))), array(3), array(list(range(20))), array(49.5)], [array(o) for o in outs]


def tutorial():
    rows, offset = [[1, 2], [3, 4], [5, 6]], [1, 2]
    pair = loss([2, 3], [5, 6])
    close(pair, 364.5)
    shifted = [[a + b for a, b in zip(row, offset)] for row in rows]
    assert shifted == [[2, 4], [4, 6], [6, 8]]
    slope = mean_of([gradient(START, y) for y in DATA])
    close(mean_loss(START), 87.16667, 1e-7)
    close(slope, [57.666668, -54.666668], 1e-7)
    hessian = [[sum(F(y[i] * y[j]) for y in DATA) / 3 for j in range(2)] for i in range(2)]
    close(hessian, [[19.6666667, -17.3333333], [-17.3333333, 18.6666667]])
    after = step(START, slope)
    close(mean_loss(after), 35.551258, 1e-6)
    inputs = [array(v) for v in ([2, 3], [5, 6], rows, offset)] + TOY
    return inputs, [array(v) for v in (pair, shifted, mean_loss(START), slope, hessian, after, mean_loss(after))]


def fedsgd_round():
    x = fedsgd(START)
    close(x, [1.42333333, -0.453333333])
    return TOY, [array(x)]


def fedsgd_rounds():
    models = [START]
    for _ in range(3):
        models.append(fedsgd(models[-1]))
    losses = [mean_loss(x) for x in models[1:]]
    close(losses, [35.55125, 14.7380596, 6.34246802], 3e-7)
    return TOY, [array(models[1]), *(array(v) for v in losses)]


def fedsgd_while():
    x = START
    for _ in range(3):
        x = fedsgd(x)
    close(mean_loss(x), 6.34246802)
    return TOY, [array(x), array(mean_loss(x))]


def carried_state():
    model, still = [F(1), F(-2), F(3)], [[F(0)] * 3 for _ in range(5)]
    data = [[F(3 * p + j, 2) for j in range(3)] for p in range(5)]
    now, v, a, b = model, still, [[F(p)] * 3 for p in range(5)], data
    for _ in range(3):
        v = [[x - y + m / 2 for x, y, m in zip(now, ys, ms)] for ys, ms in zip(a, v)]
        now = mean_of([[x - m / 2 for x, m in zip(now, ms)] for ms in v])
        a, b = b, a
    total = [sum(v[p][j] * b[p][j] for p in range(5)) for j in range(3)]
    return [array(model), array(data), array(3, np.int32)], [array(now), array(v), array(a), array(total)]


def fedavg_round():
    return TOY, [array(fedavg(START)[1])]


def fedavg_rounds():
    clients, x = fedavg(START)
    close(clients, [[2.028525, -0.94295], [1.375625, -0.1675], [0.276425, 0.47735]])
    close(x, [1.22685833, -0.211033333])
    models = [x]
    for _ in range(2):
        models.append(fedavg(models[-1])[1])
    losses = [mean_loss(x) for x in models]
    close(losses, [21.7125856, 6.18057722, 2.31732757])
    return TOY, [array(clients), array(x), *(array(v) for v in losses)]


def local_training():
    return TOY, [array(fedavg(START)[0])]


def branch_train_merge():
    x = mean_of(fedavg(START)[0], [1, 2, 5])
    close(x, [0.7702375, 0.1386])
    close(mean_loss(x), 5.24809232)
    return TOY + [array([1, 2, 5])], [array(x), array(mean_loss(x))]


def papa():
    clients, x = fedavg(START)
    moved = [[F(9, 10) * a + F(1, 10) * b for a, b in zip(client, x)] for client in clients]
    close(moved, [[1.94835833, -0.869758333], [1.36074833, -0.171853333], [0.371468333, 0.408511667]])
    return TOY, [array(moved)]


def fedopt():
    x = np.array([2.0, -1.0])
    change = array([a - b for a, b in zip(fedavg(START)[1], START)], np.float64)
    close(change, [-0.773141667, 0.788966667])
    m, v0, square = 0.1 * change, 1e-6, change**2
    seconds = [v0 + square, 0.99 * v0 + 0.01 * square, v0 - 0.01 * square * np.sign(v0 - square)]
    models = [x + 0.1 * m / (np.sqrt(v) + 1e-3) for v in seconds]
    losses = [mean_loss([F(float(c)) for c in model]) for model in models]
    close(models, [[1.99001293, -0.990012667], [1.90128498, -0.90125937], [1.90128506, -0.901259448]])
    close(losses, [86.0484118, 76.4320502, 76.4320586])
    return TOY, [array(change)] + [array(v) for pair in zip(models, losses) for v in pair]


def rate_sweep():
    rates, losses = [F(1, 1000), F(3, 1000), F(1, 100), F(3, 100), F(1, 10)], []
    for rate in rates:
        x = START
        for _ in range(3):
            x = fedsgd(x, rate)
        losses.append(mean_loss(x))
    close(losses, [69.8716538, 43.8052208, 6.34246802, 0.630441674, 29992.6246])
    return [array(rates)] + TOY, [array(losses), array(min(losses))]


def weighted_mean():
    x, w = [[1, 10], [2, 20], [4, 40]], [1, 2, 5]
    scalar, cube = [3, -5, 7], [[[i + 2 * j - k for k in range(2)] for j in range(2)] for i in range(3)]
    w_full, x_nan, w_zero, mask = [[1, 0], [2, 3], [5, 1]], [[1, 10], [NAN, NAN], [4, 40]], [3, 0, 1], [1, 0, 1]
    close(mean_of(x, w), [3.125, 31.25])
    scalar_mean = mean_of([[v] for v in scalar], w)[0]
    cube_mean = [mean_of([c[j] for c in cube], w) for j in range(2)]
    full = [sum(F(w_full[i][j] * x[i][j]) for i in range(3)) / sum(w_full[i][j] for i in range(3)) for j in range(2)]
    two = [x[0], x[2]]
    masked_full = [F(1 * 1 + 5 * 4, 6), F(0 * 10 + 1 * 40, 1)]
    outs = [mean_of(x, w), mean_of(x, w), scalar_mean, cube_mean, full, mean_of(two, [3, 1]), mean_of(two, [1, 5]), masked_full]
    inputs = [array(v) for v in (x, w, scalar, cube, w_full, x_nan, w_zero)] + [np.array(mask, bool)]
    return inputs, [array(v) for v in outs]


def zero_weights():
    x = [[i + 1, -2 * i] for i in range(5)]
    scalar, w, old, old_scalar, mask = [5, 4, 3, 2, 1], [0, 2, 0, 1, 1], [8, -9], 0.5, [1, 0, 1, 0, 0]
    w_full = [[0, 1], [0, 2], [0, 0], [0, 4], [0, 1]]
    column = F(sum(x[i][1] * w_full[i][1] for i in range(5)), 8)
    outs = [[NAN, NAN], [NAN, NAN], old, old_scalar, [old[0], column], mean_of(x, w), old, [NAN, NAN]]
    inputs = [array(v) for v in (x, scalar, [0] * 5, w, w_full, old, old_scalar)] + [np.array(mask, bool)]
    return inputs, [array(v) for v in outs]


def masks():
    x = [[1, -8, 2.5], [NAN, NAN, NAN], [4, -3, 0.25], [INF, -INF, 1e30], [-2, -5, 4], [0.5, -16, -1], [-INF, INF, -1e30]]
    low, high = -(2**31), 2**31 - 1
    k = [[7, -3], [high, low], [5, -9], [low, high], [6, -8], [2**30, -1], [high, high]]
    d, mask = [0.1, NAN, 0.7, INF, -3.5, 1e-9, -INF], [1, 0, 1, 0, 1, 1, 0]
    here = [i for i in range(7) if mask[i]]
    columns = [[F(x[i][j]) for i in here] for j in range(3)]
    k_columns = [[k[i][j] for i in here] for j in range(2)]
    d_sum = sum(F(d[i]) for i in here)
    each = lambda f: [f(c) for c in columns]
    floats = [each(sum), d_sum, each(lambda c: sum(c) / len(c)), d_sum / 4, each(max), each(min)]
    outs = [array(v, np.float64 if i in (1, 3) else np.float32) for i, v in enumerate(floats)]
    outs += [array([f(c) for c in k_columns], np.int32) for f in (sum, max, min)]
    return [array(x), array(k, np.int32), array(d, np.float64), np.array(mask, bool), array([1, 2], np.int32)], outs


def mask_all_false():
    nan, old, old_k = array([NAN, NAN]), array([8, -9]), array(-77, np.int32)
    inputs = [array([[NAN, 1], [2, INF], [3, -INF], [4, 5]]), array([10, -20, 30, 1000], np.int32), array([1, 2, 3, 4]), old, old_k]
    return inputs, [array([0, 0]), array(0, np.int32), nan, old, nan, old, nan, old, nan, old, old_k, old_k]


def extremes():
    x = [[-5, INF, -1e38], [-3, -2, -3e38], [-4, 7, -2e38], [-8, -9, -1.5e38], [-6, 1, -1.25e38]]
    y, k, l = [-INF, -1, -2, -7, -3], [-9, -2, -30, -4, -5], [[2**40, -(2**41)], [5, -7], [2**62, -(2**62)], [-1, -1], [0, -2]]
    column = lambda f, rows: [f(r[j] for r in rows) for j in range(len(rows[0]))]
    outs = [array(column(max, x)), array(max(y)), array(column(min, x)), array(min(y))]
    outs += [array(f(k), np.int32) for f in (max, min)] + [array(column(f, l), np.int64) for f in (max, min)]
    return [array(x), array(y), array(k, np.int32), array(l, np.int64)], outs


def partition_index():
    pairs = [[10 * i + j for j in range(2)] for i in range(3)]
    ints = [array(v, np.int32) for v in ([0, 1, 2], [1, 3, 9], pairs, sum(map(sum, pairs)))]
    return [array([1.5, -2, 4])], [ints[0], array([0, -2, 8]), *ints[1:]]


def nested():
    data = [DATA, [[2, 1], [-1, 5], [4, 3]]]
    weights = [[1, 2, 5], [3, 1, 0]]
    hosts = [step(START, mean_of([gradient(START, y) for y in rows], w)) for rows, w in zip(data, weights)]
    x = mean_of(hosts)
    total = sum(loss(x, y) for rows in data for y in rows)
    return [array(START), array(data), array(weights)], [array(x), array(hosts), array(total)]


def side_by_side():
    c = [[i * i - 3, 2 * i + 1] for i in range(5)]
    s = [[3 * i, 10 - i * i] for i in range(7)]
    centre = mean_of(c)
    distance = [[abs(F(v) - m) for v, m in zip(row, centre)] for row in s]
    both = [max(r[j] for r in distance) + sum(F(r[j]) ** 2 for r in c) for j in range(2)]
    return [array(c), array(s)], [array(v) for v in (centre, distance, both)]


def one_partition():
    y = [F(-9, 4), F(-16)]
    return [array([1.5, -4]), array([0.25])], [array([y]), *(array(y) for _ in range(5)), array([0], np.int32)]


def indivisible():
    x = [[i, 7 - 2 * i, F(i * i, 4)] for i in range(7)]
    d, k = [F(i, 8) + 2**40 for i in range(7)], [[i - 3, 2**29 - i] for i in range(7)]
    mean = mean_of(x)
    away = [[F(v) - m for v, m in zip(row, mean)] for row in x]
    variance = mean_of([[v * v for v in row] for row in away])
    wrapped = [(sum(r[j] for r in k) + 2**31) % 2**32 - 2**31 for j in range(2)]
    outs = [array(mean), array(variance), array(sum(d), np.float64), array(wrapped, np.int32), array(away)]
    return [array(x), array(d, np.float64), array(k, np.int32)], outs + [array([sum(r) for r in k], np.int32)]


def map_axes():
    x = [[i + 10 * a for i in range(5)] for a in range(2)]
    y = [[[b - a + i for i in range(5)] for a in range(2)] for b in range(3)]
    same = [F(1, 2), F(-3)]
    first = [[x[a][i] + same[a] for i in range(5)] for a in range(2)]
    second = [[sum(y[b][a][i] * first[a][i] for a in range(2)) for b in range(3)] for i in range(5)]
    outs = [first, second, [2 * v for v in same], [sum(row[b] for row in second) for b in range(3)]]
    return [array(v) for v in (x, y, same)], [array(v) for v in outs]


def half_precision():
    h = [[2048 if i == 4 else 1, 0.5 * i] for i in range(9)]
    b = [256 if i == 0 else 1 for i in range(9)]
    column = [sum(F(r[j]) for r in h) for j in range(2)]
    outs = [array(column, np.float16), array([c / 9 for c in column], np.float16), array(sum(b)), array([2048, 4], np.float16)]
    return [array(h, np.float16), array(b)], outs


def call_in_map():
    x = [[i - 2, F(i, 2)] for i in range(6)]
    total = [sum(2 * F(r[j]) ** 2 + 1 for r in x) for j in range(2)]
    return [array(x)], [array(total), array([v * v for v in total])]


# Derivatives, by numbers a + b e with e * e = 0.
class Dual:
    def __init__(self, value, slope=0):
        self.value, self.slope = F(value), F(slope)

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -(other if isinstance(other, Dual) else Dual(other))

    __radd__, __rmul__ = __add__, __mul__


def dual_mean_loss(x):
    total = Dual(0)
    for y in DATA:
        error = x[0] * y[0] + x[1] * y[1] - 1
        total = total + error * error
    return total * F(1, 6)


def dual_round(x, rate, steps=3):
    sums = [Dual(0), Dual(0)]
    for y in DATA:
        model = list(x)
        for _ in range(steps):
            error = model[0] * y[0] + model[1] * y[1] - 1
            model = [v - rate * error * w for v, w in zip(model, y)]
        sums = [s + v for s, v in zip(sums, model)]
    return [s * F(1, 3) for s in sums]


def after_round(x, rate, steps=3):
    """The mean loss after a round, its slopes along both elements of x and along the rate."""
    slopes = []
    for k in range(3):
        along = [Dual(v, int(i == k)) for i, v in enumerate([*x, rate])]
        slopes.append(dual_mean_loss(dual_round(along[:2], along[2], steps)))
    return slopes[0].value, [s.slope for s in slopes[:2]], slopes[2].slope


def grad_mean_loss():
    slope = mean_of([gradient(START, y) for y in DATA])
    close(slope, [57.666668, -54.666668], 1e-7)
    return TOY, [array(mean_loss(START)), array(slope)]


def grad_hessian():
    rows = [[sum(F(y[i] * y[j]) for y in DATA) / 3 for j in range(2)] for i in range(2)]
    close(rows, [[19.6666667, -17.3333333], [-17.3333333, 18.6666667]])
    return TOY, [array(rows[k % 2]) for k in range(4)]


def grad_fedsgd_rounds():
    models = [START]
    for _ in range(3):
        models.append(fedsgd(models[-1]))
    return TOY, [array(models[3]), *(array(mean_loss(x)) for x in models[:3])]


def grad_meta():
    value, by_model, by_rate = after_round(START, RATE)
    _, short_by_model, short_by_rate = after_round(START, RATE, 1)
    next_model = fedavg(START)[1]
    close(next_model, [1.22685833, -0.211033333])
    close(value, 21.7125856)
    close(by_model, [14.6962437, -11.6813283])
    close(by_rate, -1166.95487)
    close(short_by_model, [23.6286111, -21.6455556])
    close(short_by_rate, -4009.19444)
    outs = [next_model, value, by_model, by_rate, short_by_model, short_by_rate]
    return TOY + [array(RATE)], [array(v) for v in outs]


def grad_rates():
    delta = [a - b for a, b in zip(fedavg(START)[1], START)]
    rate, slopes, rates = F(1), [], []
    for _ in range(3):
        moved = dual_mean_loss([Dual(x) + Dual(rate, 1) * d for x, d in zip(START, delta)])
        slopes.append(moved.slope)
        rate -= F(1, 1000) * moved.slope
        rates.append(rate)
    close(slopes[0], -43.1934816)
    close(rates, [1.04319348, 1.08446394, 1.12389698])
    model, rate, local, losses = START, RATE, [], []
    for _ in range(3):
        loss_after, _, slope = after_round(model, rate)
        model = [v.value for v in dual_round([Dual(x) for x in model], Dual(rate))]
        rate -= F(1, 1000000) * slope
        local.append(rate)
        losses.append(loss_after)
    close(local[:2], [0.0111669549, 0.0113487439])
    close(losses, [21.7125856, 5.93828395, 2.21788936])
    return TOY + [array(RATE)], [array(v) for v in (slopes[0], *rates, *local[:2], *losses)]


def grad_reductions():
    x, w, mask = [[1, 10], [2, 20], [4, 40]], [1, 2, 5], [1, 0, 1]
    x_nan = [[1, 10], [NAN, NAN], [4, 40]]
    tied = [[3, -1], [3, 2], [-2, 2]]

    def weighted(rows, weights):
        total, first = sum(F(v) for v in weights), sum(F(v) * F(r[0]) for v, r in zip(weights, rows)) / sum(F(v) for v in weights)
        return [[F(v) / total, 0] for v in weights], [(F(r[0]) - first) / total for r in rows]

    by_x, by_w = weighted(x, w)
    close(by_w, [-0.265625, -0.140625, 0.109375])
    close([r[0] for r in by_x], [0.125, 0.25, 0.625])
    masked_x, masked_w = weighted([x[0], x[2]], [w[0], w[2]])
    mean = mean_of([x[0], x[2]])
    # max [3, 2], min [-2, -1]; the first partition that holds one takes its cotangent.
    extrema = [[-2, 2], [0, -1], [3, 0]]
    outs = [by_x, by_w, [masked_x[0], [0, 0], masked_x[1]], [masked_w[0], 0, masked_w[1]], [mean, [0, 0], mean], extrema]
    inputs = [array(x), array(w), array(x_nan), array(mask, np.bool_), array(tied)]
    return inputs, [array(v) for v in outs]


def main():
    here = pathlib.Path(__file__).parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    for path in sorted(here.glob("*.mlir")):
        if path.stem not in globals():  # holds its expected values itself
            continue
        inputs, outputs = globals()[path.stem]()
        arrays = {f"in{i}": a for i, a in enumerate(inputs)} | {f"out{i}": a for i, a in enumerate(outputs)}
        np.savez(folder / f"{path.stem}.io.npz", **arrays)


if __name__ == "__main__":
    main()

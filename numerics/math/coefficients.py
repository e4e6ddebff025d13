#!/usr/bin/env python3
# Computes the polynomial coefficients of the math functions (needs mpmath).
#
# Each target is fitted with a weight, so that the maximum of |weight * (polynomial - target)| is
# close to the smallest (Lawson 1961).  Coefficients are then rounded to binary32 one after
# the other, lowest power first, and the rest is fitted again around the rounded ones (as in
# Brisebarre and Chevillard, "Efficient polynomial L-infinity approximations", ARITH 2007, but
# greedy).  Prints the coefficients as hexadecimal floats, highest power first, and log2 of the
# largest weighted error.
import struct
import sys

from mpmath import (cos, erf, erfc, exp, expm1, linspace, log, log1p, lu_solve, matrix, mp, mpf, pi,
                    sin, sqrt)

mp.prec = 160


def to_f32(x):
    """Nearest binary32 (the values here are far from overflow and underflow)."""
    return mpf(struct.unpack('f', struct.pack('f', float(x)))[0])


def minimax(target, weight, low, high, powers, rounds=12):
    """Coefficients of the given powers by Lawson's algorithm: weighted least squares whose weights
    grow where the error is large, which tends to the minimax fit and cannot lose its way when most
    coefficients are already fixed."""
    count = 60 + 20 * len(powers)
    grid = [low + (high - low) * (1 - cos(pi * (2 * i + 1) / (2 * count))) / 2
            for i in range(count)]
    rows = [[weight(x) * x**p for p in powers] for x in grid]
    right = [weight(x) * target(x) for x in grid]
    lawson = [mpf(1) / count] * count
    best = None
    for _ in range(rounds):
        n = len(powers)
        normal = matrix(n, n)
        side = matrix(n, 1)
        for w, r, t in zip(lawson, rows, right):
            for i in range(n):
                side[i] += w * r[i] * t
                for j in range(i, n):
                    normal[i, j] += w * r[i] * r[j]
        for i in range(n):
            for j in range(i):
                normal[i, j] = normal[j, i]
        solution = lu_solve(normal, side)
        errors = [abs(sum(c * v for c, v in zip(solution, r)) - t) for r, t in zip(rows, right)]
        worst = max(errors)
        if best is None or worst < best[0]:
            best = (worst, [solution[i] for i in range(n)])
        if worst == 0:
            break
        lawson = [w * e for w, e in zip(lawson, errors)]
        total = sum(lawson)
        lawson = [w / total for w in lawson]
    return best[1]


def fit(name, target, weight, low, high, degree):
    low, high = mpf(low), mpf(high)
    fixed = []
    for power in range(degree + 1):
        rest = list(range(power, degree + 1))

        def residue(x):
            return target(x) - sum(c * x**p for p, c in enumerate(fixed))

        fixed.append(to_f32(minimax(residue, weight, low, high, rest)[0]))
    worst = max(abs(weight(x) * (sum(c * x**p for p, c in enumerate(fixed)) - target(x)))
                for x in linspace(low, high, 4001))
    print(f'{name}: error 2^{float(log(worst, 2)):.2f}')
    for power in range(degree, -1, -1):
        print(f'  {float(fixed[power]).hex()}F  // {float(fixed[power]):.9g}')


def split(name, value, parts, bits=24):
    """A constant as a sum of binary32 numbers of at most `bits` bits."""
    out = []
    for i in range(parts):
        scale = mpf(2)**(bits - 1 - int(mp.floor(log(abs(value), 2))))
        part = mp.nint(value * scale) / scale if i + 1 < parts else to_f32(value)
        out.append(part)
        value -= part
    print(f'{name}: ' + ' '.join(f'{float(p).hex()}F' for p in out))


TINY = mpf(2)**-40  # stands for 0 where a target is a limit


def away(x):
    return x if abs(x) > TINY else TINY


def everything():
    ln2 = log(2)
    split('ln2, 16 bits + rest', ln2, 2, 16)
    split('ln2', ln2, 2)
    split('log2(e)', 1 / ln2, 2)
    split('pi/2', pi / 2, 3)
    split('1/12', mpf(1) / 12, 2)
    split('2/pi', 2 / pi, 1)
    split('1/sqrt(2)', 1 / sqrt(2), 1)
    mp.prec = 400
    word = int(mp.floor(2 / pi * mpf(2)**(32 * 7)))
    mp.prec = 160
    print('2/pi words:', ' '.join(f'0x{(word >> (32 * (6 - i))) & 0xffffffff:08x}U'
                                  for i in range(7)))
    half = ln2 / 2 * mpf('1.002')
    fit('exp: (e^r - 1 - r) / r^2', lambda r: (expm1(away(r)) - away(r)) / away(r)**2,
        lambda r: away(r)**2 / exp(r), -half, half, 4)
    fit('expm1: (e^r - 1 - r) / r^2', lambda r: (expm1(away(r)) - away(r)) / away(r)**2,
        lambda r: away(r)**2 / abs(expm1(away(r))), -half, half, 5)
    fit('exp2: (2^r - 1) / r', lambda r: expm1(away(r) * ln2) / away(r),
        lambda r: away(r) / exp(r * ln2), -mpf('0.501'), mpf('0.501'), 5)
    third = mpf(1) / 3 * mpf('1.0001')
    fit('log: (log(1+f) - f) / f^2', lambda f: (log1p(away(f)) - away(f)) / away(f)**2,
        lambda f: away(f)**2 / abs(log1p(away(f))), -third, third, 9)
    fit('log2: (log2(1+f) - f log2(e)) / f^2',
        lambda f: (log1p(away(f)) - away(f)) / away(f)**2 / ln2,
        lambda f: away(f)**2 * ln2 / abs(log1p(away(f))), -third, third, 9)
    fit('pow: (log((2+z)/(2-z)) - z - z^3/12) / z^5 in w = z^2',
        lambda w: (log((2 + sqrt(w)) / (2 - sqrt(w))) / sqrt(w) - 1 - w / 12) / w**2,
        lambda w: w**2, mpf(2)**-20, mpf('0.1601'), 3)
    edge = (pi / 4 * mpf('1.01'))**2
    fit('sin: (sin(r)/r - 1) / z', lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z, mpf(2)**-30, edge, 3)
    fit('cos: (cos(r) - 1 + z/2) / z^2', lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2, mpf(2)**-30, edge, 3)
    fit('erf below 1: erf(x)/x - 1 in z = x^2', lambda z: erf(sqrt(z)) / sqrt(z) - 1,
        lambda z: sqrt(z) / erf(sqrt(z)), mpf(2)**-60, mpf('1.001'), 7)
    fit('erf above 1: log(erfc(t))', lambda t: log(erfc(t)),
        lambda t: erfc(t), mpf('0.999'), mpf('4'), 7)


if __name__ == '__main__':
    sys.exit(everything())

#!/usr/bin/env python3
"""Fits the segments of numerics/approx/sm_XX/*.inc to recordings of the special-function unit.

    fit_approx.py FOLDER OUTDIR        FOLDER: what record_approx.cu wrote (*.i32 or *.i32.xz)

A segment gives c0 + c1 * x + c2 * s(x), truncated to 24 bits; s is the square without the partial
products below 2^cut.  c1 and c2 come from least squares, rounded to the grid that all segments of a
function share, and their neighbours; c0 is the value that satisfies most outputs.  It prints how many
outputs do not come out (none on sm_90) and needs numpy.
"""
import lzma
import os
import sys

import numpy as np

UNIT = 40  # c0, c1, c2 in units of 2^-40


def load(folder, name):
    path = f'{folder}/{name}.i32'
    data = open(path, 'rb').read() if os.path.exists(path) else lzma.open(path + '.xz').read()
    words = np.cumsum(np.frombuffer(data, dtype='<u4').astype(np.uint64)).astype(np.uint32)
    return words.view(np.float32).astype(np.float64)


def square(bits, cut):
    x = np.arange(1 << bits, dtype=np.int64)
    s = np.zeros_like(x)
    for a in range(bits):
        own = (x >> a) & 1
        if 2 * a >= cut:
            s += own << (2 * a)
        for b in range(a):
            if a + b + 1 >= cut:
                s += (own & (x >> b) & 1) << (a + b + 1)
    return s >> cut


def best_c0(low, high, base):
    """The c0 for which most of low <= base + c0 < high hold, and how many do not."""
    at = np.concatenate([low - base, high - base])
    step = np.concatenate([np.ones(len(low), int), -np.ones(len(low), int)])
    order = np.lexsort((step, at))
    count = np.cumsum(step[order])
    k = int(np.argmax(count))
    return int(at[order][k]), len(low) - int(count[k])


def fit_segment(y, x, s, grid):
    ulp = 2.0 ** (np.floor(np.log2(y)) - 23)
    low = np.rint(y * 2.0**UNIT).astype(np.int64)
    high = low + np.maximum(np.rint(ulp * 2.0**UNIT).astype(np.int64), 1)
    matrix = np.stack([np.ones(len(y)), x.astype(float), s.astype(float)], 1) / ulp[:, None]
    c, *_ = np.linalg.lstsq(matrix, (y + ulp / 2) / ulp, rcond=None)
    k1, k2 = round(c[1] * 2**UNIT / grid), round(c[2] * 2**UNIT / grid)
    best = None
    near = sorted(((a, b) for a in range(-2, 3) for b in range(-4, 5)), key=lambda d: abs(d[0]) + abs(d[1]))
    for da, db in near:
        c1, c2 = (k1 + da) * grid, (k2 + db) * grid
        c0, bad = best_c0(low, high, c1 * x + c2 * s)
        if best is None or bad < best[0]:
            best = (bad, c0, c1, c2)
        if bad == 0:
            break
    return best


def fit(name, table, bits, cut, grid, out, without_first=False):
    x, s = np.arange(1 << bits, dtype=np.int64), square(bits, cut)
    bad = 0
    with open(f'{out}/{name}.inc', 'w') as file:
        for k in range(len(table) >> bits):
            y = table[k << bits : (k + 1) << bits]
            skip = 1 if (without_first and k == 0) or y[0] <= 0 else 0
            wrong, c0, c1, c2 = fit_segment(y[skip:], x[skip:], s[skip:], grid)
            bad += wrong
            file.write('{%d, %d, %d},\n' % (c0, c1, c2))
    print(f'{name}: {len(table) >> bits} segments, {bad} of {len(table)} outputs do not come out')


def tanh_table(folder):
    """Octaves 1 to 11 from 2^-8 on, each with as many bits of the fraction as matter."""
    segments = [0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3]
    return np.concatenate(
        [load(folder, f'tanh_{o}')[:: 1 << (23 - 17 - n)] for o, n in enumerate(segments, 1)])


def main():
    folder, out = sys.argv[1:3]
    fit('ex2', load(folder, 'ex2') / 2, 17, 19, 4, out)  # recorded over [1, 2)
    fit('rcp', load(folder, 'rcp'), 16, 17, 2, out)
    fit('rsqrt', load(folder, 'rsqrt'), 17, 19, 1, out, without_first=True)
    fit('sqrt', load(folder, 'sqrt'), 17, 19, 1, out)
    # Next to 1 the least squares are too far off: the first segment by its own grid, below 2^-36.
    fit('lg2', load(folder, 'lg2_0'), 17, 19, 4, out, without_first=True)
    fit('tanh', tanh_table(folder), 17, 19, 2, out)
    fit('sin', load(folder, 'sin_0'), 17, 19, 8, out)


if __name__ == '__main__':
    main()

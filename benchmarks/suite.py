"""Nanoseconds per evaluation of the CEC 2017 suite, single and batch, against plain C.

    python benchmarks/suite.py [--dims 10 30 50 100] [--edition 2017]

Three loops over the same random points: `single` is a compiled loop that calls the problem's
function as the engine does, through a first-class function; `batch` is `Problem.evaluate`; `C` is
the same formula as plain loops in C, compiled with `cc -O3` where there is a compiler. The loops
take turns. Times are the best of all rounds, because other work on the machine only ever adds
time; ratios are medians over rounds, because it adds to neighbours alike. Compile time is reported
apart.
"""

import argparse
import ctypes
import math
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import types

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE, VECTOR
from rdex.problem.kernels import MATRIX
from rdex.suites import cec2017

N_POINTS = 64
ROUNDS = 15
SECONDS_PER_ROUND = 0.004

C_SOURCE = r"""
#include <math.h>
#define PI 3.14159265358979323846

static void shift(int d, const double *x, const double *data, double *y) {
    for (int j = 0; j < d; j++) y[j] = x[j] - data[j];
}
static void rotate(int d, const double *y, const double *rows, double *z) {
    for (int i = 0; i < d; i++) z[i] = 0.0;
    for (int j = 0; j < d; j++) {
        const double *row = rows + j * d;
        double yj = y[j];
        for (int i = 0; i < d; i++) z[i] += yj * row[i];
    }
}
static double prefix(int d, const double *z) {
    double s = 0.0, f = 0.0;
    for (int i = 0; i < d; i++) { s += z[i]; f += s * s; }
    return f;
}
static double wavy(int d, const double *z, double wave, double slope, double level) {
    double t = 0.0;
    for (int i = 0; i < d; i++) t += z[i] * z[i] - wave * cos(slope * z[i]) - level;
    return t;
}
static double valley(int d, const double *z) {
    double f = 0.0;
    for (int i = 0; i < d - 1; i++) {
        double a = z[i] * z[i] - z[i + 1], b = z[i] - 1.0;
        f += 100.0 * a * a + b * b;
    }
    return f;
}
#define ARGS int d, const double *x, const double *data, double *w, double *g, double *h
static double c01(ARGS) {
    shift(d, x, data, w);
    g[0] = wavy(d, w, 5000.0, 0.1 * PI, 4000.0);
    return prefix(d, w);
}
static double c02(ARGS) {
    shift(d, x, data, w);
    rotate(d, w, data + d, w + d);
    g[0] = wavy(d, w + d, 5000.0, 0.1 * PI, 4000.0);
    return prefix(d, w);
}
static double c04(ARGS) {
    double f = 0.0, a = 0.0, b = 0.0;
    shift(d, x, data, w);
    for (int i = 0; i < d; i++) {
        f += w[i] * w[i] - 10.0 * cos(2.0 * PI * w[i]) + 10.0;
        a += w[i] * sin(2.0 * w[i]);
        b += w[i] * sin(w[i]);
    }
    g[0] = -a; g[1] = b;
    return f;
}
static double c05(ARGS) {
    shift(d, x, data, w);
    for (int k = 0; k < 2; k++) {
        rotate(d, w, data + d + k * d * d, w + d);
        g[k] = wavy(d, w + d, 50.0, 2.0 * PI, 40.0);
    }
    return valley(d, w);
}
static double c13(ARGS) {
    double r = 0.0, s = 0.0;
    shift(d, x, data, w);
    for (int i = 0; i < d; i++) {
        r += w[i] * w[i] - 10.0 * cos(2.0 * PI * w[i]) + 10.0;
        s += w[i];
    }
    g[0] = r - 100.0; g[1] = s - 2.0 * d; g[2] = 5.0 - s;
    return valley(d, w);
}
static double c17(ARGS) {
    double q = 0.0, p = 1.0, n = 0.0;
    shift(d, x, data, w);
    for (int i = 0; i < d; i++) { q += w[i] * w[i]; p *= cos(w[i] / sqrt(1.0 + i)); }
    for (int i = 0; i < d; i++) {
        double e = fabs(w[i]) - q + w[i] * w[i] - 1.0;
        if (e > 0.0) n += 1.0; else if (e < 0.0) n -= 1.0;
    }
    g[0] = 1.0 - n; h[0] = q - 4.0 * d;
    return q / 4000.0 + 1.0 - p;
}
static double c20(ARGS) {
    double f = 0.0, s = 0.0;
    shift(d, x, data, w);
    for (int i = 0; i < d; i++) {
        double b = i + 1 < d ? w[i + 1] : w[0];
        double r = sqrt(w[i] * w[i] + b * b), n = sin(r), m = 1.0 + 0.001 * r;
        f += 0.5 + (n * n - 0.5) / (m * m);
        s += w[i];
    }
    double c = cos(s);
    g[0] = c * c - 0.25 * c - 0.125; g[1] = exp(c) - exp(0.25);
    return f;
}
static double c24(ARGS) {
    double *z = w + d, q = 0.0, f;
    shift(d, x, data, w);
    rotate(d, w, data + d, z);
    f = z[0];
    for (int i = 1; i < d; i++) if (z[i] > f) f = z[i];
    for (int i = 0; i < d; i++) q += z[i] * z[i];
    g[0] = q - 100.0 * d; h[0] = cos(f) + sin(f);
    return f;
}
static double c28(ARGS) {
    double *z = w + d, f = 0.0, n = 0.0, e = 0.0;
    shift(d, x, data, w);
    rotate(d, w, data + d, z);
    for (int i = 0; i < d; i++) {
        double s = sin(2.0 * z[i]);
        f += sqrt(fabs(z[i])) + 2.0 * sin(z[i] * z[i] * z[i]);
        n += s * s;
    }
    for (int i = 0; i < d - 1; i++) e += exp(-0.2 * sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]));
    g[0] = -10.0 * e + (d - 1.0) * 10.0 / exp(-5.0); g[1] = n - 0.5 * d;
    return f;
}
double loop(int number, long count, long points, int d, const double *x, const double *data,
            double *w, double *g, double *h) {
    double (*f)(ARGS) = number == 1 ? c01 : number == 2 ? c02 : number == 4 ? c04
        : number == 5 ? c05 : number == 13 ? c13 : number == 17 ? c17 : number == 20 ? c20
        : number == 24 ? c24 : c28;
    double total = 0.0;
    for (long k = 0; k < count; k++) total += f(d, x + (k % points) * d, data, w, g, h);
    return total;
}
"""
IN_C = (1, 2, 4, 5, 13, 17, 20, 24, 28)


@kernel(
    types.float64(types.FunctionType(OBJECTIVE), types.int64, MATRIX, *[VECTOR] * 4),
)
def single_loop(objective, count, x, data, work, g, h):
    """Σ f over `count` evaluations that walk round the rows of x."""
    total = 0.0
    for k in range(count):
        total += objective(x[k % x.shape[0]], data, work, g, h)
    return total


def c_library():
    """The C loop as a ctypes function, or None with a word why."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("no C compiler: the C column stays empty")
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "suite.c")
        source.write_text(C_SOURCE)
        library = Path(folder, "suite.so")
        command = [compiler, "-O3", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            print(f"cc failed, the C column stays empty: {outcome.stderr.strip()}")
            return None
        loop = ctypes.CDLL(str(library)).loop
    loop.restype = ctypes.c_double
    loop.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_long, ctypes.c_int]
    loop.argtypes += [np.ctypeslib.ndpointer(np.float64)] * 5
    return loop


def seconds(call):
    """Wall time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(problem, in_c, rng):
    """Best ns/evaluation of single, batch, C; median single/C and batch/single (nan without C)."""
    function, data, n_work = problem.compiled
    d = problem.dim
    points = rng.uniform(problem.lower, problem.upper, (N_POINTS, d))
    work, g, h = np.empty(n_work), np.empty(problem.n_ineq), np.empty(problem.n_eq)
    number = int(problem.name[1:])

    def single(n):
        return single_loop(function, n, points, data, work, g, h)

    def c(n):
        return in_c(number, n, N_POINTS, d, points, data, work, g, h)

    # Handing a function over costs 60 µs a call: the trial must be long enough to hide it.
    trial = 100 * N_POINTS
    one = seconds(lambda: single(trial)) / trial
    count = N_POINTS * max(100, math.ceil(SECONDS_PER_ROUND / one / N_POINTS))
    rows = np.tile(points, (count // N_POINTS, 1))
    if in_c and not math.isclose(single(count), c(count), rel_tol=1e-9):
        raise SystemExit(f"{problem.name}: C and compiled values differ")
    loops = [lambda: single(count), lambda: problem.evaluate(rows)]
    if in_c:
        loops.append(lambda: c(count))
    times = np.full((ROUNDS, 3), np.nan)
    for row in times:
        for k, loop in enumerate(loops):
            row[k] = seconds(loop)
    single, batch, c = times.T
    best = times.min(axis=0) / count * 1e9
    return *best, np.median(single / c), np.median(batch / single)


def main():
    """Print one line per problem and dimension, and the ratios to C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dims", type=int, nargs="+", default=list(cec2017.DIMENSIONS))
    parser.add_argument("--edition", choices=cec2017.EDITIONS, default="2017")
    options = parser.parse_args()
    rng = np.random.default_rng(2017)
    in_c = c_library()
    ready = seconds(
        lambda: [cec2017.problem(n, 10, options.edition).compiled for n in cec2017.NUMBERS]
    )
    print(f"28 functions ready in {ready:.2f} s (compiled, or loaded from the cache)")
    columns = f"{'':4} {'d':>4} {'single':>9} {'batch':>9} {'C':>9}"
    print(f"{columns}  ns/evaluation   single/C  batch/single")
    ratios, batch_ratios = [], []
    for dim in options.dims:
        for number in cec2017.NUMBERS:
            problem = cec2017.problem(number, dim, options.edition)
            has_c = in_c is not None and number in IN_C
            single, batch, c, to_c, to_single = measure(problem, in_c if has_c else None, rng)
            line = f"{problem.name:4} {dim:4d} {single:9.1f} {batch:9.1f}"
            line += f" {c:9.1f} {'':15} {to_c:8.2f}" if has_c else " " * 35
            print(f"{line} {to_single:13.2f}")
            batch_ratios.append(to_single)
            if has_c:
                ratios.append(to_c)
    print(f"batch/single: geometric mean {np.exp(np.mean(np.log(batch_ratios))):.2f}")
    if ratios:
        mean = np.exp(np.mean(np.log(ratios)))
        print(f"single/C: geometric mean {mean:.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()

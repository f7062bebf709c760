"""Chemical and thermal plants: f = name(x, data, work, g, h), writing g <= 0 and h = 0.

Sources, units and names stand beside each problem in `rdex.suites.engineering.processes`.
"""

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE

#: Below this the logarithms of temperature differences stay at its logarithm: no NaN in the box.
LEAST_DIFFERENCE = 1e-8


@kernel(OBJECTIVE)
def heat_exchanger_network(x, data, work, g, h):
    area1, area2, heat1, mean1, heat2, mean2 = x[0], x[1], x[2], x[3], x[4], x[5]
    cold, hot1, hot2 = x[6], x[7], x[8]
    h[0] = 200.0 * area1 * mean1 - heat1
    h[1] = 200.0 * area2 * mean2 - heat2
    h[2] = heat1 - 10000.0 * (cold - 100.0)
    h[3] = heat2 - 10000.0 * (300.0 - cold)
    h[4] = heat1 - 10000.0 * (600.0 - hot1)
    h[5] = heat2 - 10000.0 * (900.0 - hot2)
    near1 = np.log(max(hot1 - 100.0, LEAST_DIFFERENCE))
    far1 = np.log(max(600.0 - cold, LEAST_DIFFERENCE))
    near2 = np.log(max(hot2 - cold, LEAST_DIFFERENCE))
    h[6] = mean1 * (near1 - far1) - hot1 + cold + 500.0
    h[7] = mean2 * (near2 - np.log(600.0)) - hot2 + cold + 600.0
    return 35.0 * (area1**0.6 + area2**0.6)


@kernel(OBJECTIVE)
def process_synthesis(x, data, work, g, h):
    x1, x2, x3, y1, y2, y3, y4 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    s1, s2, s3 = x1 * x1, x2 * x2, x3 * x3
    g[0] = y1 + y2 + y3 + x1 + x2 + x3 - 5.0
    g[1] = y3 * y3 + s1 + s2 + s3 - 5.5
    g[2] = y1 + x1 - 1.2
    g[3] = y2 + x2 - 1.8
    g[4] = y3 + x3 - 2.5
    g[5] = y4 + x1 - 1.2
    g[6] = y2 * y2 + s2 - 1.64
    g[7] = y3 * y3 + s3 - 4.25
    g[8] = y2 * y2 + s3 - 4.64
    f = (y1 - 1.0) ** 2 + (y2 - 2.0) ** 2 + (y3 - 1.0) ** 2 - np.log(y4 + 1.0)
    return f + (x1 - 1.0) ** 2 + (x2 - 2.0) ** 2 + (x3 - 3.0) ** 2


@kernel(OBJECTIVE)
def gas_compressor(x, data, work, g, h):
    length, ratio, bore, share = x[0], x[1], x[2], x[3]
    g[0] = (share + 1.0) / (ratio * ratio) - 1.0
    f = 8.61e5 * np.sqrt(length / share) * ratio / bore ** (2.0 / 3.0) + 3.69e4 * bore
    return f + (7.72e8 * ratio**0.219 - 765.43e6) / length

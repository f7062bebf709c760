"""Mixed-integer design: a pressure vessel of rolled plates that come in sixteenths of an inch.

Best known cost: 6059.714335.
"""

import math

import rdex

PLATE = 1 / 16  # inches


def vessel(x):
    """Cost, and what must not be above 0: one call gives everything."""
    shell, head, radius, length = PLATE * x[0], PLATE * x[1], x[2], x[3]
    cost = (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )
    volume = math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3
    return cost, [0.0193 * radius - shell, 0.00954 * radius - head, 1_296_000 - volume]


problem = rdex.Problem.from_function(
    vessel,
    bounds=[(1, 99), (1, 99), (10, 200), (10, 200)],
    n_ineq=3,
    integrality=[True, True, False, False],
    variable_names=["shell plates", "head plates", "radius", "length"],
    constraint_names=["shell thickness", "head thickness", "volume"],
)

if __name__ == "__main__":
    print(rdex.minimize(problem, maxfev=20_000, rng=1))

"""Reaction rates: parameters over orders of magnitude.

Two rates between 1e-5 and 10 are fitted to measurements, on a logarithmic scale. A constraint
keeps the first reaction faster than the second one.
"""

import matplotlib.pyplot as plt
import numpy as np

import rdex

TIMES = np.linspace(0, 40, 15)
TRUE = (0.4, 0.02)


def product(first, second, times):
    """Concentration of the middle product of A -> B -> C."""
    rates = first / (first - second) if first != second else 1.0
    return rates * (np.exp(-second * times) - np.exp(-first * times))


MEASURED = product(*TRUE, TIMES) + 0.02 * np.random.default_rng(0).standard_normal(len(TIMES))


def misfit(rates):
    """Sum of squares, and the order of the rates."""
    gap = product(rates["first"], rates["second"], TIMES) - MEASURED
    return gap @ gap, [rates["second"] - rates["first"]]


def solve():
    """The rates that fit best."""
    problem = rdex.Problem.from_function(
        misfit,
        {name: {"bounds": (1e-5, 10), "log": True, "units": "1/s"} for name in ("first", "second")},
        n_ineq=1,
        constraint_names=["order"],
    )
    return rdex.minimize(problem, maxfev=3000, rng=1)


def draw(result):
    """Measurements and the fitted curve."""
    figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
    dense = np.linspace(0, 40, 200)
    first, second = result.design["first"], result.design["second"]
    axes.plot(TIMES, MEASURED, "ko", ms=4, label="measured")
    axes.plot(dense, product(first, second, dense), c="tab:red", label="fitted")
    axes.set_xlabel("seconds")
    axes.legend(fontsize=8)
    axes.set_title(f"rates {first:.3f} and {second:.4f} per second", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("kinetics.png")

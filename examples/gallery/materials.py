"""Materials: a categorical variable.

A tie rod: its material has no order, its diameter comes from a list. The figure shows every
combination, and the one that was found.
"""

import math

import matplotlib.pyplot as plt

import rdex

MATERIALS = {  # density kg/m³, strength MPa, price per kg
    "S235": (7850, 160, 1.0),
    "S355": (7850, 235, 1.3),
    "AlMgSi": (2700, 170, 4.2),
    "titanium": (4430, 550, 24.0),
}
DIAMETERS = [8, 10, 12, 14, 16, 20, 24, 30]  # mm
FORCE, LENGTH = 30_000.0, 2.0


def rod(material, diameter, rods):
    """Price, and stress minus strength."""
    density, strength, price = MATERIALS[material]
    area = rods * math.pi * diameter**2 / 4
    handling = 1.5 * rods
    return price * density * area * 1e-6 * LENGTH + handling, [FORCE / area - strength]


def solve():
    """The cheapest rods."""
    problem = rdex.Problem.from_function(
        rod,
        {
            "material": {"categories": list(MATERIALS)},
            "diameter": {"choices": DIAMETERS, "units": "mm"},
            "rods": {"integer": (1, 4)},
        },
        n_ineq=1,
        constraint_names=["stress"],
        call="keywords",
    )
    return rdex.minimize(problem, maxfev=2000, rng=1)


def draw(result):
    """The price of every feasible combination of material and number of rods."""
    figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
    best = result.design
    for row, material in enumerate(MATERIALS):
        for rods in range(1, 5):
            for diameter in DIAMETERS:
                price, (excess,) = rod(material, diameter, rods)
                if excess <= 0:
                    found = best == {"material": material, "diameter": diameter, "rods": rods}
                    style = {"c": "tab:red", "marker": "*", "s": 160} if found else {"s": 14}
                    axes.scatter(price, row, **{"c": "tab:blue", **style}, zorder=3 if found else 2)
    axes.set_yticks(range(len(MATERIALS)), list(MATERIALS))
    axes.set_xlabel("price")
    axes.set_xscale("log")
    title = f"{best['rods']} × {best['diameter']} mm of {best['material']}: {result.fun:.2f}"
    axes.set_title(title, fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("materials.png")

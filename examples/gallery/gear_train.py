"""Gear train: four integers.

Four wheels with 12 to 60 teeth shall have a ratio as close to 1 : 6.931 as possible. There is no
smooth way down: only integers count.
"""

import matplotlib.pyplot as plt

import rdex

WANTED = 1 / 6.931


def error(teeth):
    """Squared error of the ratio."""
    return (WANTED - teeth["a"] * teeth["b"] / (teeth["c"] * teeth["d"])) ** 2


def solve():
    """The best ratio found."""
    wheels = {name: {"integer": (12, 60)} for name in "abcd"}
    return rdex.minimize(error, wheels, maxfev=20_000, rng=1)


def draw(result):
    """The four wheels to scale."""
    sizes = result.design
    figure, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    c, a = sizes["c"], sizes["a"]
    d, b = sizes["d"], sizes["b"]
    places = {"a": 0, "c": a + c, "b": a + c, "d": a + c + b + d}
    for name, colour in zip(
        "cadb", ("lightsteelblue", "steelblue", "moccasin", "orange"), strict=True
    ):
        axes.add_patch(plt.Circle((places[name], 0), sizes[name], fc=colour, ec="black", alpha=0.8))
        axes.annotate(f"{sizes[name]}", (places[name], sizes[name] - 14), ha="center", fontsize=8)
    axes.set_aspect("equal")
    axes.set_xlim(-a - 5, places["d"] + d + 5)
    axes.set_ylim(-66, 66)
    axes.axis("off")
    axes.set_title(f"number of teeth; squared error {result.fun:.2g}", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("gear_train.png")

"""Functions that worker processes of the tests import: nothing here takes long to load."""

METALS = ["zinc", "iron", "gold", "tin"]
SHAPES = ["tube", "plate", "rod"]
WORTH = dict(zip(METALS, [4.0, 0.5, 7.0, 2.0], strict=True))
CENTRE = dict(zip(SHAPES, [0.2, 0.9, 0.5], strict=True))


def cost(d):
    """Its best is iron, rod, a = 0.5, b = 0.7: where b is at least a + 0.2."""
    ring = (d["a"] - CENTRE[d["shape"]]) ** 2 + (d["shape"] != "rod")
    return WORTH[d["metal"]] + 3 * ring + d["b"], [d["a"] + 0.2 - d["b"]]


def g15(x):
    """G15 as a tutorial writes it: three variables, two equalities."""
    f = 1000 - x[0] ** 2 - 2 * x[1] ** 2 - x[2] ** 2 - x[0] * x[1] - x[0] * x[2]
    return f, [], [x @ x - 25, 8 * x[0] + 14 * x[1] + 7 * x[2] - 56]

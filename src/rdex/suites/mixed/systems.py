"""Pumps, packs of cells, exchangers, and assignments where nothing but categories decides."""

from __future__ import annotations

import math
from typing import Any

from rdex.problem import Variables
from rdex.suites.mixed.design import Mixed

Design = dict[str, Any]

#: Pumps: head in m without flow, loss per (l/s)², efficiency, price.
PUMPS = {
    "A40": (31, 0.09, 0.58, 900),
    "K200": (62, 0.30, 0.71, 2400),
    "B65": (42, 0.05, 0.66, 1650),
    "N80": (38, 0.018, 0.74, 2600),
    "C32": (75, 0.9, 0.52, 1100),
    "K125": (48, 0.10, 0.69, 1500),
    "X50": (29, 0.03, 0.49, 600),
    "N100": (55, 0.024, 0.78, 4100),
    "B80": (35, 0.02, 0.70, 1900),
}
PIPES = {
    "steel": (0.024, 1.0),
    "PE": (0.019, 0.82),
    "copper": (0.018, 3.6),
    "concrete": (0.03, 0.5),
}


def pumping(d: Design) -> tuple[float, list[float]]:
    """Cost over ten years; head, speed of the water, reserve."""
    head, loss, efficiency, price = PUMPS[d["pump"]]
    roughness, per_metre = PIPES[d["pipe"]]
    diameter, flow = d["diameter"] / 1000, 30.0  # l/s
    each = flow / d["parallel"]
    available = d["stages"] * (head - loss * each**2)
    speed = flow / 1000 / (math.pi / 4 * diameter**2)
    needed = 24 + roughness * 850 / diameter * speed**2 / 19.62
    power = 9.81 * flow * needed / (1000 * efficiency)
    cost = d["parallel"] * d["stages"] * price + 850 * per_metre * 240 * diameter**1.4 * 10
    reserve = d["parallel"] * math.sqrt(max(d["stages"] * head - needed, 0) / (d["stages"] * loss))
    return cost + power * 3000, [needed - available, speed - 2.8, 33 - reserve]


PUMPING = Mixed(
    "pumping",
    "pumps and pipe",
    Variables()
    .categories("pump", list(PUMPS))
    .categories("pipe", list(PIPES))
    .choices("diameter", [80, 100, 125, 150, 175, 200, 250, 300, 400], units="mm")
    .integer("parallel", 1, 5)
    .integer("stages", 1, 3),
    pumping,
    ("head", "speed", "reserve"),
    135267.60638000528,
    {"pump": "N100", "pipe": "concrete", "diameter": 150, "parallel": 1, "stages": 2},
)

#: Cells: V, Ah, g, largest current in A, price.
CELLS = {
    "18650 E": (3.6, 3.4, 48, 8, 4.1),
    "21700 P": (3.6, 4.2, 70, 35, 6.2),
    "LFP 26650": (3.2, 3.3, 85, 30, 4.4),
    "pouch 10": (3.7, 10, 205, 50, 13.5),
    "18650 P": (3.6, 2.6, 46, 25, 3.9),
    "LTO": (2.3, 6.0, 240, 90, 12.0),
    "21700 E": (3.6, 5.0, 69, 12, 5.3),
}
COOLINGS = {
    "plates": (1.0, 2.4, 160),
    "none": (0.55, 0.0, 0),
    "air": (0.72, 0.6, 45),
    "immersion": (1.15, 3.9, 320),
}


def battery(d: Design) -> tuple[float, list[float]]:
    """Price of a pack; voltage window, energy, power, mass."""
    volt, ampere_hours, grams, current, price = CELLS[d["cell"]]
    share, mass, extra = COOLINGS[d["cooling"]]
    count = d["series"] * d["parallel"]
    voltage = d["series"] * volt
    bar = 40 / d["busbar"] * 0.35
    energy = count * volt * ampere_hours / 1000
    power = voltage * d["parallel"] * current * share * (1 - 0.02 * bar) / 1000
    total = count * grams / 1000 * 1.15 + mass + 0.8 * d["busbar"]
    cost = count * price + extra + 6 * d["busbar"] + 1.1 * d["series"]
    return cost, [abs(voltage - 48) - 4, 3.0 - energy, 9.0 - power, total - 24]


BATTERY = Mixed(
    "battery",
    "battery pack",
    Variables()
    .integer("series", 8, 24)
    .integer("parallel", 1, 40)
    .choices("busbar", [1, 1.5, 2, 3, 4, 6], units="mm")
    .categories("cell", list(CELLS))
    .categories("cooling", list(COOLINGS)),
    battery,
    ("voltage", "energy", "power", "mass"),
    1201.2,
    {"series": 12, "parallel": 7, "busbar": 1.5, "cell": "pouch 10", "cooling": "air"},
)

TUBES = {
    "copper": (380, 1.0, 14.0),
    "steel": (50, 1.15, 4.0),
    "titanium": (21, 0.9, 40.0),
    "aluminium": (205, 1.05, 9.0),
    "Cu-Ni": (40, 0.95, 22.0),
}
PITCHES = {"triangular": (1.0, 1.0), "square": (0.86, 0.72), "rotated square": (0.93, 0.8)}


def exchanger(d: Design) -> tuple[float, list[float]]:
    """Price of a tube bundle; duty, pressure loss, shell."""
    conduct, rough, price = TUBES[d["tube"]]
    transfer, loss = PITCHES[d["pitch"]]
    inner = (d["diameter"] - 2.4) / 1000
    area = math.pi * d["diameter"] / 1000 * d["length"] * d["tubes"]
    speed = 0.012 * d["passes"] / (d["tubes"] * math.pi / 4 * inner**2)
    inside = 4200 * speed**0.8 / inner**0.2 * 0.6
    total = 1 / (1 / inside + 0.0012 / conduct + 1 / (1900 * transfer) + 2e-4)
    drop = rough * 0.028 * d["length"] * d["passes"] / inner * 500 * speed**2 / 1000
    drop += 2 * d["passes"] * speed**2 * loss
    shell = (
        d["diameter"] * 1.3 * math.sqrt(d["tubes"]) / (0.9 if d["pitch"] == "triangular" else 0.8)
    )
    cost = area * price * 8 + 0.012 * shell**1.3 * d["length"] + 35 * d["passes"]
    return cost, [420 - total * area * 35 / 1000, drop - 45, shell - 650]


EXCHANGER = Mixed(
    "heat-exchanger",
    "heat exchanger",
    Variables()
    .choices("diameter", [10, 12, 16, 19, 25, 32], units="mm")
    .choices("tubes", [20, 32, 40, 56, 68, 90, 112, 140, 180, 220])
    .choices("length", [1.5, 2, 2.5, 3, 4, 5, 6], units="m")
    .choices("passes", [1, 2, 4, 6, 8])
    .categories("tube", list(TUBES))
    .categories("pitch", list(PITCHES)),
    exchanger,
    ("duty", "pressure loss", "shell"),
    388.0797438721488,
    {"diameter": 12, "tubes": 90, "length": 3, "passes": 1, "tube": "steel", "pitch": "triangular"},
)

PLACES = ("north", "east", "south", "west", "yard", "roof")
MACHINES = ("lathe", "mill", "saw", "press", "paint")


def assignment(d: Design) -> tuple[float, list[float]]:
    """Ways between machines: categories alone, and which goes well with which has no pattern."""
    at = [PLACES.index(d[name]) for name in MACHINES]
    cost = 0.0 + sum((7 * i * i + 11 * p * p + 5 * i * p + 3 * p) % 17 for i, p in enumerate(at))
    for i in range(len(at)):
        for j in range(i):
            flow, way = (3 * i + 5 * j) % 7, (5 * at[i] * at[j] + 3 * at[i] + 3 * at[j]) % 11
            cost += 0.25 * flow * way
    shared = len(at) - len(set(at))
    noisy = sum(p in (0, 3) for p in at)
    return cost, [shared - 1.0, noisy - 2.0]


ASSIGNMENT = Mixed(
    "assignment",
    "places of machines",
    Variables({name: {"categories": list(PLACES)} for name in MACHINES}),
    assignment,
    ("machines in one place", "noise"),
    44.0,
    {"lathe": "north", "mill": "east", "saw": "yard", "press": "south", "paint": "yard"},
)

SHAPES = ("round", "oval", "flat", "finned", "grooved", "star", "ring", "plain")
CENTRES = {shape: ((0.3 * k * k) % 2 - 1, (0.7 * k) % 2 - 1) for k, shape in enumerate(SHAPES)}


def valleys(d: Design) -> tuple[float, list[float]]:
    """A bowl per shape and coating, each with a centre and a depth of its own; real a and b."""
    a, b = CENTRES[d["shape"]]
    i, j = SHAPES.index(d["shape"]), ("raw", "zinc", "paint", "chrome").index(d["coating"])
    depth = ((i * i + 3 * i * j + 5 * j) % 19) / 19
    steep = 1 + (i + j) % 3
    bowl = steep * ((d["a"] - a) ** 2 + 4 * (d["b"] - b) ** 2)
    return 1 - depth + bowl + 0.1 * abs(d["ribs"] - 3 - i % 4), []


def valley_bottom(d: Design) -> dict[str, float]:
    """The centre of the bowl."""
    a, b = CENTRES[d["shape"]]
    return {"a": a, "b": b}


VALLEYS = Mixed(
    "valleys",
    "valleys",
    Variables({"a": (-2.0, 2.0), "b": (-2.0, 2.0)})
    .integer("ribs", 0, 12)
    .categories("shape", list(SHAPES))
    .categories("coating", ["raw", "zinc", "paint", "chrome"]),
    valleys,
    (),
    0.052631578947368474,
    {
        "a": 0.19999999999999996,
        "b": 0.3999999999999999,
        "ribs": 5,
        "shape": "flat",
        "coating": "chrome",
    },
    valley_bottom,
)

PROBLEMS = (PUMPING, BATTERY, EXCHANGER, ASSIGNMENT, VALLEYS)

"""Beams, trusses, slabs and vessels from catalogues."""

from __future__ import annotations

import math
from typing import Any

from rdex.problem import Variables
from rdex.suites.mixed.design import Mixed

Design = dict[str, Any]

#: Profiles: section modulus in cm³, moment of inertia in cm⁴, mass in kg/m; no common order.
PROFILES = {
    "IPE 160": (109, 869, 15.8),
    "HEA 140": (155, 1033, 24.7),
    "IPE 200": (194, 1943, 22.4),
    "HEB 120": (144, 864, 26.7),
    "U 200": (191, 1910, 25.3),
    "IPE 240": (324, 3892, 30.7),
    "HEA 180": (294, 2510, 35.5),
    "RHS 180x100": (157, 1410, 20.8),
    "HEB 160": (311, 2492, 42.6),
    "IPE 300": (557, 8356, 42.2),
    "CHS 219": (240, 2620, 31.0),
    "HEA 220": (515, 5410, 50.5),
}
STEELS = {"S235": (235, 1.0), "S460": (460, 1.65), "S355": (355, 1.08), "S275": (275, 1.02)}


def floor_beam(d: Design) -> tuple[float, list[float]]:
    """Price of the beams of a floor; bending and deflection of each."""
    modulus, inertia, mass = PROFILES[d["profile"]]
    strength, price = STEELS[d["steel"]]
    spacing = 12.0 / d["beams"]
    line = 6.0 * spacing + mass * 0.0098  # kN/m
    span = 6.0 / (1 + d["props"])
    factor = 8 if d["props"] == 0 else 10
    stress = line * span**2 / factor / modulus * 1000
    sag = 5 / 384 * line * span**4 / (210e6 * inertia * 1e-8) * 1000
    cost = (d["beams"] + 1) * (6 * mass * price + 35 + 180 * d["props"]) + 22 * spacing**2 * 12
    return cost, [stress - strength / 1.5, sag - span * 1000 / 300]


FLOOR_BEAM = Mixed(
    "floor-beams",
    "beams of a floor",
    Variables()
    .categories("profile", list(PROFILES))
    .categories("steel", list(STEELS))
    .integer("beams", 2, 20)
    .integer("props", 0, 2),
    floor_beam,
    ("bending", "deflection"),
    2566.8,
    {"profile": "IPE 240", "steel": "S235", "beams": 8, "props": 0},
)

AREAS = [0.5, 0.8, 1.0, 1.3, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0]
#: Bars: strength in MPa, density in g/cm³, price per kg.
BARS = {
    "aluminium": (180, 2.7, 3.2),
    "steel": (250, 7.85, 1.0),
    "titanium": (600, 4.43, 22.0),
    "glass fibre": (220, 1.9, 4.5),
}


def three_bars(d: Design) -> tuple[float, list[float]]:
    """Price of a symmetric truss of three bars; stresses with the stiffness left out."""
    a1, a2 = d["outer area"], d["middle area"]
    s1, rho1, price1 = BARS[d["outer"]]
    s2, rho2, price2 = BARS[d["middle"]]
    root = math.sqrt(2.0)
    shared = root * a1**2 + 2 * a1 * a2
    outer = 40.0 * (root * a1 + a2) / shared * 10
    middle = 40.0 * a1 * root / shared * 10
    cost = 2 * root * a1 * rho1 * price1 + a2 * rho2 * price2
    cost += 3.0 * (d["outer"] != d["middle"])  # a joint of two materials
    return cost, [outer - s1, middle - s2, (a1 + a2) * -1 + 1.2]


THREE_BARS = Mixed(
    "three-bars",
    "truss of three bars",
    Variables()
    .choices("outer area", AREAS, units="cm²")
    .choices("middle area", AREAS, units="cm²")
    .categories("outer", list(BARS))
    .categories("middle", list(BARS)),
    three_bars,
    ("outer stress", "middle stress", "total area"),
    35.14409880803487,
    {"outer area": 1.3, "middle area": 0.8, "outer": "steel", "middle": "steel"},
)

MESH = {"B500A": (500, 1.0), "stainless": (550, 4.2), "B500B": (500, 1.04), "BFRP": (800, 2.3)}


def slab(d: Design) -> tuple[float, list[float]]:
    """Price of a slab per m²; bending, shear, cracks."""
    strength, price = MESH[d["mesh"]]
    depth = d["thickness"] - 30 - d["bar"] / 2
    steel = math.pi / 4 * d["bar"] ** 2 * 1000 / d["spacing"]
    force = steel * strength / 1.15 / 1000
    lever = depth - force * 1000 / (1000 * 0.567 * d["concrete"]) / 2
    load = 8.0 + 25 * d["thickness"] / 1000
    moment = 1.4 * load * 6.5**2 / 8
    shear = 1.4 * load * 6.5 / 2
    resist = 0.12 * 1000 * depth * (100 * steel / (1000 * depth) * d["concrete"]) ** (1 / 3) / 1000
    cost = 0.11 * d["thickness"] * (0.7 + d["concrete"] / 60) + steel * 7.85e-3 * price * 1.1
    return cost, [moment - force * lever / 1000, shear - resist, steel * -1 + 1.3 * depth]


SLAB = Mixed(
    "slab",
    "reinforced slab",
    Variables()
    .choices("bar", [6, 8, 10, 12, 14, 16, 20, 25], units="mm")
    .choices("spacing", [75, 100, 125, 150, 175, 200, 250], units="mm")
    .choices("thickness", [160, 180, 200, 220, 240, 260, 300, 350], units="mm")
    .choices("concrete", [20, 25, 30, 35, 40, 50], units="MPa")
    .categories("mesh", list(MESH)),
    slab,
    ("bending", "shear", "least reinforcement"),
    40.28935811263891,
    {"bar": 16, "spacing": 125, "thickness": 200, "concrete": 30, "mesh": "B500A"},
)

#: Vessels: design stress in MPa, density in t/m³, price per kg, weld price.
PLATES = {
    "P265GH": (150, 7.85, 1.2, 30),
    "316L": (127, 8.0, 5.5, 55),
    "P355GH": (187, 7.85, 1.4, 36),
    "duplex": (250, 7.8, 6.8, 70),
    "AlMg4.5": (92, 2.66, 5.0, 48),
}
HEADS = {
    "flat": (0.45, 1.0),
    "torispherical": (1.3, 1.18),
    "hemispherical": (0.5, 2.0),
    "elliptical": (1.0, 1.38),
}


def vessel(d: Design) -> tuple[float, list[float]]:
    """Price of a vessel at 1.6 MPa with a real length; shell, heads, volume of 4 m³."""
    stress, density, price, weld = PLATES[d["plate"]]
    need, area = HEADS[d["heads"]]
    radius, length = d["diameter"] / 2000, d["length"]
    shell = 2 * math.pi * radius * length * d["shell"] / 1000 * density * 1000
    ends = 2 * math.pi * radius**2 * area * d["head"] / 1000 * density * 1000
    seams = 2 * 2 * math.pi * radius + length
    cost = (shell + ends) * price + weld * seams * (d["shell"] / 8) ** 1.5
    wall = 1.6 * radius * 1000 / (0.85 * stress - 0.6 * 1.6)
    thick = need * wall if d["heads"] != "flat" else need * 2000 * radius * math.sqrt(1.6 / stress)
    volume = math.pi * radius**2 * length
    return cost, [wall + 1 - d["shell"], thick + 1 - d["head"], 4.0 - volume]


def vessel_length(d: Design) -> dict[str, float] | None:
    """The least length that holds the volume: cost grows with it."""
    length = 4.0 / (math.pi * (d["diameter"] / 2000) ** 2) * (1 + 1e-14)
    return {"length": max(length, 0.5)} if length <= 8.0 else None


VESSEL = Mixed(
    "storage-tank",
    "tank from a catalogue",
    Variables()
    .real("length", 0.5, 8.0, units="m")
    .choices("diameter", [600, 800, 1000, 1200, 1400, 1600, 1800, 2000], units="mm")
    .choices("shell", [4, 5, 6, 8, 10, 12, 15, 20], units="mm")
    .choices("head", [4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60], units="mm")
    .categories("plate", list(PLATES))
    .categories("heads", list(HEADS)),
    vessel,
    ("shell", "heads", "volume"),
    1695.0133185676998,
    {
        "length": 5.092958178940702,
        "diameter": 1000,
        "shell": 8,
        "head": 5,
        "plate": "P265GH",
        "heads": "hemispherical",
    },
    vessel_length,
)

PROBLEMS = (FLOOR_BEAM, THREE_BARS, SLAB, VESSEL)

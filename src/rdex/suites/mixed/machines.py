"""Machine parts from catalogues."""

from __future__ import annotations

import math
from typing import Any

from rdex.problem import Variables
from rdex.suites.mixed.design import Mixed

Design = dict[str, Any]

#: Bolts: yield strength in MPa and price per cm³. Grades have no price order in this shop.
GRADES = {
    "4.6": (240, 0.8),
    "A2-70": (450, 2.4),
    "5.6": (300, 0.9),
    "10.9": (940, 1.9),
    "8.8": (660, 1.2),
    "12.9": (1100, 3.3),
}
PATTERNS = {"square": (1.0, 12.0), "ring": (0.92, 8.0), "staggered": (0.97, 9.5)}


def bolted_joint(d: Design) -> tuple[float, list[float]]:
    """Price of the bolts and holes; strength, spacing and stiffness."""
    strength, price = GRADES[d["grade"]]
    share, hole = PATTERNS[d["pattern"]]
    area = math.pi / 4 * (0.85 * d["diameter"]) ** 2
    cost = d["bolts"] * (price * area * 6 * d["diameter"] / 1000 + hole)
    force = share * d["bolts"] * area * 0.7 * strength / 1000  # kN
    pitch = 900 / d["bolts"] - 2.5 * d["diameter"]
    return cost, [620 - force, -pitch, 2600 - d["bolts"] * area]


BOLTED_JOINT = Mixed(
    "bolted-joint",
    "bolted joint",
    Variables()
    .choices("diameter", [6, 8, 10, 12, 16, 20, 24, 27, 30, 36], units="mm")
    .integer("bolts", 4, 40)
    .categories("grade", list(GRADES))
    .categories("pattern", list(PATTERNS)),
    bolted_joint,
    ("force", "pitch", "area"),
    445.2261577846106,
    {"diameter": 16, "bolts": 18, "grade": "8.8", "pattern": "ring"},
)

#: Gears: endurance in MPa, density in g/cm³, price per kg.
GEAR_MATERIALS = {
    "bronze": (90, 8.8, 9.0),
    "C45": (170, 7.85, 1.5),
    "16MnCr5": (310, 7.85, 2.6),
    "nylon": (24, 1.14, 6.0),
    "GG25": (110, 7.2, 1.1),
    "42CrMo4": (280, 7.85, 2.1),
}


def gear_pair(d: Design) -> tuple[float, list[float]]:
    """Price of two gears; bending of both, ratio, width."""
    m, z1, z2, b = d["module"], d["pinion"], d["wheel"], d["width"]
    cost = 0.0
    bending = []
    for z, material in ((z1, d["pinion material"]), (z2, d["wheel material"])):
        limit, density, price = GEAR_MATERIALS[material]
        cost += math.pi / 4 * (m * z / 10) ** 2 * b / 10 * density / 1000 * price + 0.02 * z
        force = 2 * 85_000 / (m * z1)
        form = 2.0 + 9.0 / z
        bending.append(force * form / (b * m) - limit)
    ratio = abs(z2 / z1 - 3.2) / 3.2 - 0.005
    return cost, [*bending, ratio, b - 14 * m]


GEAR_PAIR = Mixed(
    "gear-pair",
    "gear pair",
    Variables()
    .choices("module", [1.5, 2, 2.5, 3, 4], units="mm")
    .integer("pinion", 17, 24)
    .integer("wheel", 54, 78)
    .choices("width", [12, 16, 20, 25, 32, 40], units="mm")
    .categories("pinion material", list(GEAR_MATERIALS))
    .categories("wheel material", list(GEAR_MATERIALS)),
    gear_pair,
    ("pinion bending", "wheel bending", "ratio", "width"),
    5.647276214682658,
    {
        "module": 2.5,
        "pinion": 19,
        "wheel": 61,
        "width": 12,
        "pinion material": "16MnCr5",
        "wheel material": "42CrMo4",
    },
)

#: Springs: shear limit factor, shear modulus in GPa, price per kg.
WIRES = {
    "music wire": (1.0, 79, 6.0),
    "302 stainless": (0.82, 69, 9.0),
    "chrome vanadium": (0.94, 77, 7.0),
    "hard drawn": (0.72, 79, 3.0),
    "phosphor bronze": (0.5, 41, 14.0),
}
WIRE_DIAMETERS = [0.5, 0.63, 0.8, 1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0, 10.0]


def coil_spring(d: Design) -> tuple[float, list[float]]:
    """Price of the wire; shear stress, rate, index, solid length."""
    limit, modulus, price = WIRES[d["material"]]
    wire, coil, turns = d["wire"], d["coil"], d["turns"]
    index = coil / wire
    factor = (4 * index - 1) / max(4 * index - 4, 1e-3) + 0.615 / index
    stress = 8 * 900 * coil * factor / (math.pi * wire**3)
    rate = modulus * 1000 * wire**4 / (8 * coil**3 * turns)
    cost = math.pi**2 / 4 * coil * wire**2 * (turns + 2) * 7.85e-6 * price
    strength = limit * 1150 * wire**-0.15
    return cost, [stress - strength, abs(rate - 30) - 2.5, 4 - index, (turns + 2) * wire - 90]


COIL_SPRING = Mixed(
    "coil-spring",
    "coil spring from a catalogue",
    Variables()
    .choices("wire", WIRE_DIAMETERS, units="mm")
    .choices("coil", [16, 18, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63], units="mm")
    .integer("turns", 3, 30)
    .categories("material", list(WIRES)),
    coil_spring,
    ("shear stress", "rate", "index", "solid length"),
    0.5355168391195877,
    {"wire": 4.0, "coil": 18, "turns": 14, "material": "music wire"},
)

#: Clutches: friction, pressure in MPa, price per dm².
LININGS = {
    "sintered": (0.28, 1.8, 9.0),
    "organic": (0.35, 0.45, 2.0),
    "paper": (0.12, 2.4, 3.0),
    "ceramic": (0.45, 0.9, 14.0),
    "carbon": (0.25, 3.0, 30.0),
}


def clutch(d: Design) -> tuple[float, list[float]]:
    """Price of a disc clutch with a real outer radius; its torque in Nm."""
    friction, pressure, price = LININGS[d["lining"]]
    inner, outer, faces = d["inner"], d["outer"], 2 * d["discs"]
    area = math.pi * (outer**2 - inner**2) / 1e4  # dm²
    cost = faces * area * price + 4.0 * d["discs"] + 0.05 * outer
    torque = 2 / 3 * math.pi * friction * pressure * faces * (outer**3 - inner**3) / 1000
    return cost, [900 - torque, inner + 15 - outer]


def clutch_radius(d: Design) -> dict[str, float] | None:
    """The least outer radius that carries the torque: cost grows with it."""
    friction, pressure, _ = LININGS[d["lining"]]
    cube = 900_000 / (2 / 3 * math.pi * friction * pressure * 2 * d["discs"]) + d["inner"] ** 3
    outer = max(cube ** (1 / 3) * (1 + 1e-14), d["inner"] + 15.0)
    return {"outer": outer} if outer <= 200 else None


CLUTCH = Mixed(
    "disc-clutch",
    "disc clutch",
    Variables()
    .real("outer", 45.0, 200.0, units="mm")
    .choices("inner", [30, 35, 40, 50, 60, 75, 90, 110], units="mm")
    .integer("discs", 1, 9)
    .categories("lining", list(LININGS)),
    clutch,
    ("torque", "ring width"),
    18.256845881037236,
    {"outer": 127.58948060866388, "inner": 110, "discs": 1, "lining": "paper"},
    clutch_radius,
)

PROBLEMS = (BOLTED_JOINT, GEAR_PAIR, COIL_SPRING, CLUTCH)

"""A first tour: design a welded beam.

A bar is welded to a support and carries 6000 lb at its end, 14 inches out. Four sizes are to be
chosen so that the beam costs least, and seven requirements must hold: shear stress in the weld,
bending stress, geometry, side conditions, deflection and buckling load.
"""

import math

import rdex

LOAD, LENGTH = 6000.0, 14.0
YOUNG, SHEAR_MODULUS = 30e6, 12e6
SHEAR_LIMIT, STRESS_LIMIT, DEFLECTION_LIMIT = 13600.0, 30000.0, 0.25


def beam(x):
    """Cost in dollars, and the requirements as values that must not be above zero."""
    weld, length, height, thickness = x
    cost = 1.10471 * weld**2 * length + 0.04811 * height * thickness * (LENGTH + length)

    direct = LOAD / (math.sqrt(2) * weld * length)
    arm = math.sqrt(length**2 / 4 + ((weld + height) / 2) ** 2)
    polar = 2 * math.sqrt(2) * weld * length * (length**2 / 12 + ((weld + height) / 2) ** 2)
    torsion = LOAD * (LENGTH + length / 2) * arm / polar
    shear = math.sqrt(direct**2 + direct * torsion * length / arm + torsion**2)

    bending = 6 * LOAD * LENGTH / (thickness * height**2)
    deflection = 4 * LOAD * LENGTH**3 / (YOUNG * height**3 * thickness)
    buckling = (
        4.013 * YOUNG * math.sqrt(height**2 * thickness**6 / 36) / LENGTH**2
        * (1 - height / (2 * LENGTH) * math.sqrt(YOUNG / (4 * SHEAR_MODULUS)))
    )  # fmt: skip
    requirements = [
        shear - SHEAR_LIMIT,
        bending - STRESS_LIMIT,
        weld - thickness,
        0.10471 * weld**2 + 0.04811 * height * thickness * (LENGTH + length) - 5.0,
        0.125 - weld,
        deflection - DEFLECTION_LIMIT,
        LOAD - buckling,
    ]
    return cost, requirements


def main():
    """Solve it and print the design."""
    problem = rdex.Problem.from_function(
        beam,
        bounds=[(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)],
        n_ineq=7,
        name="welded beam",
        variable_names=["weld [in]", "length [in]", "height [in]", "thickness [in]"],
        constraint_names=[
            "shear stress [psi]",
            "bending stress [psi]",
            "weld not above thickness [in]",
            "side cost [$]",
            "least weld [in]",
            "deflection [in]",
            "buckling load [lb]",
        ],
    )
    print(rdex.minimize(problem, maxfev=80_000, rng=1, progress=True))


if __name__ == "__main__":
    main()

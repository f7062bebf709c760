"""Throw over a wall: an expensive simulator.

Every evaluation solves a differential equation: a ball with drag and wind. Find the slowest throw
that clears the wall and lands in the bucket, with 250 simulations.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import rdex

WALL, HEIGHT, BUCKET = 12.0, 5.0, 20.0


def flight(speed, angle):
    """Solution of the equations of motion."""

    def motion(_, state):
        along, up = state[2:]
        drag = 0.02 * np.hypot(along + 2, up)  # 2 m/s headwind
        return [along, up, -drag * (along + 2), -9.81 - drag * up]

    start = [0, 1.5, speed * np.cos(angle), speed * np.sin(angle)]
    return solve_ivp(motion, (0, 6), start, dense_output=True, rtol=1e-6)


def height_at(path, distance):
    """Height when the ball passes a distance; far below ground if it never does."""
    when = np.linspace(0, 6, 400)
    x, y = path.sol(when)[:2]
    return float(np.interp(distance, x, y)) if x.max() > distance else -99.0


def throw(x):
    """Speed; clearance at the wall and landing height as constraints."""
    path = flight(*x)
    return x[0], [HEIGHT + 0.3 - height_at(path, WALL)], [height_at(path, BUCKET)]


def solve():
    """The slowest throw."""
    problem = rdex.Problem.from_function(
        throw,
        [(8, 40), (0.2, 1.4)],
        n_ineq=1,
        n_eq=1,
        variable_names=["speed", "angle"],
        constraint_names=["wall", "bucket"],
    )
    return rdex.minimize(problem, maxfev=250, eq_tol=0.1, rng=1)


def draw(result):
    """The path of the ball."""
    path = flight(*result.x)
    x, y = path.sol(np.linspace(0, 6, 400))[:2]
    figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
    axes.plot(x[y > -0.2], y[y > -0.2], c="tab:red")
    axes.plot([WALL, WALL], [0, HEIGHT], c="gray", lw=5, solid_capstyle="butt")
    axes.plot([BUCKET - 0.4, BUCKET + 0.4], [0, 0], c="navy", lw=6, solid_capstyle="butt")
    axes.axhline(0, c="black", lw=0.8)
    axes.set_aspect("equal")
    axes.set_title(f"{result.fun:.2f} m/s at {np.degrees(result.x[1]):.1f} degrees", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("throw.png")

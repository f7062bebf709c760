"""Start from what is known: points of an earlier study, with their values where they are valid."""

import rdex


def cost(x, price):
    return x[0] ** 2 + price * x[1] ** 2 + x[0] * x[1]


def demand(x):
    return x[0] + 2 * x[1] - 3  # >= 0


BOUNDS = [(-10, 10)] * 2
DEMAND = {"type": "ineq", "fun": demand}

if __name__ == "__main__":
    first = rdex.minimize(cost, BOUNDS, args=(1.0,), constraints=DEMAND, maxfev=1500, rng=1)
    print(f"price 1.0: f = {first.fun:.6f} at {first.x.round(4)}, {first.nfev} evaluations")

    # Another price: the points are good, their values are not.
    points = first.population[:4]
    second = rdex.minimize(
        cost, BOUNDS, args=(1.1,), constraints=DEMAND, x0=points, maxfev=300, rng=1
    )
    print(f"price 1.1: f = {second.fun:.6f} at {second.x.round(4)}, {second.nfev} evaluations")

    # The same price: the result is a start whose values are known and not asked for again.
    third = rdex.minimize(
        cost, BOUNDS, args=(1.1,), constraints=DEMAND, x0=second, maxfev=300, rng=2, polish=True
    )
    print(f"refined:   f = {third.fun:.6f} at {third.x.round(4)}, {third.nfev} evaluations")

"""Ask and tell: the loop is yours, results may come in any order, the run can be kept in a file."""

import tempfile
from pathlib import Path

import rdex


def experiment(x):
    """Whatever you measure: f, g <= 0, or nothing."""
    if x[0] > 4:  # the machine refuses
        return None
    return (x[0] - 2) ** 2 + abs(x[1]), 1 - x[0] * x[1]


def make():
    return rdex.Optimizer([(-5, 5)] * 2, n_ineq=1, maxfev=100, rng=2, variable_names=["p", "q"])


def advance(optimizer, until):
    """Evaluate batches, last point first."""
    while not optimizer.stop and optimizer.nfev < until:
        for x in optimizer.ask(8)[::-1]:
            values = experiment(x)
            if values is None:
                optimizer.forget(x)
            else:
                optimizer.tell(x, values[0], G=values[1])


if __name__ == "__main__":
    optimizer = make()
    optimizer.tell([2.0, 0.5], *experiment([2.0, 0.5]))  # known before: an injection
    advance(optimizer, until=50)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.npz"
        optimizer.save(file)
        tomorrow = make()
        tomorrow.load(file)
    advance(tomorrow, until=100)
    print(tomorrow.result())

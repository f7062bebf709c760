"""Problems of other packages' documentation, solved by what they ship and by rdex inside them.

    python benchmarks/adapters.py [--only scipy openmdao …] [--seeds 10] [--csv FILE]

Every solver has the same number of evaluations, or fewer where it ends by itself. Told are the
seeds that come within the tolerance of the best known value, feasible; the median f of feasible
answers; and the median number of evaluations.
"""

import argparse
import contextlib
import io
import os
import statistics
import warnings
from pathlib import Path

import numpy as np
from small_tables import write_csv

import rdex


def row(package, problem, solver, answers, best, tolerance):
    """One line of the table; `answers` are (f or None where infeasible, evaluations)."""
    feasible = [f for f, _ in answers if f is not None]
    solved = sum(f <= best + tolerance for f in feasible)
    return {
        "package": package, "problem": problem, "solver": solver, "seeds": len(answers),
        "solved": solved, "feasible": len(feasible),
        "median f": float(f"{statistics.median(feasible):.7g}") if feasible else "",
        "evaluations": round(statistics.median(n for _, n in answers)),
    }  # fmt: skip


# --- SciPy: the eggholder of the tutorial on global optimisation, the cattle feed of shgo's page --
def eggholder(x):
    a, b = x[1] + 47, abs(x[0] / 2 + x[1] + 47)
    return -a * np.sin(np.sqrt(b)) - x[0] * np.sin(np.sqrt(abs(x[0] - a)))


def cattle_feed():
    """Price, and constraints in SciPy's form: two inequalities, one equality."""

    def protein(x):
        spread = (0.28 * x[0] ** 2 + 0.19 * x[1] ** 2 + 20.5 * x[2] ** 2 + 0.62 * x[3] ** 2) ** 0.5
        return 12 * x[0] + 11.9 * x[1] + 41.8 * x[2] + 52.1 * x[3] - 21 - 1.645 * spread

    price = np.array([24.55, 26.75, 39.0, 40.50])
    return lambda x: float(price @ x), (
        {"type": "ineq", "fun": lambda x: 2.3 * x[0] + 5.6 * x[1] + 11.1 * x[2] + 1.3 * x[3] - 5},
        {"type": "ineq", "fun": protein},
        {"type": "eq", "fun": lambda x: x[0] + x[1] + x[2] + x[3] - 1},
    )


def cattle_rows(seeds, algorithm):
    from scipy import optimize

    fun, limits = cattle_feed()
    box, budget, tolerance = [(0.0, 1.0)] * 4, 10_000, 1e-6
    both = (
        optimize.NonlinearConstraint(lambda x: [c["fun"](x) for c in limits[:2]], 0, np.inf),
        optimize.NonlinearConstraint(limits[2]["fun"], -tolerance, tolerance),
    )

    def start(seed):
        return np.random.default_rng(seed).uniform(0, 1, 4)

    solvers = {
        "differential_evolution": lambda s: optimize.differential_evolution(
            fun, box, constraints=both, rng=s, maxiter=budget // 60 - 1),
        "shgo": lambda s: optimize.shgo(fun, box, constraints=limits, n=150),
        "minimize, COBYLA": lambda s: optimize.minimize(
            fun, start(s), method="COBYLA", bounds=box, constraints=limits),
        "minimize, rdex.scipy_method": lambda s: optimize.minimize(
            fun, start(s), method=rdex.scipy_method, bounds=box, constraints=limits,
            options={"maxfev": budget, "rng": s, "eq_tol": tolerance, **algorithm}),
    }  # fmt: skip
    for name, solve in solvers.items():
        answers = []
        for seed in range(seeds):
            result = solve(seed)
            g, h = min(c["fun"](result.x) for c in limits[:2]), limits[2]["fun"](result.x)
            holds = g >= -1e-6 and abs(h) <= 1.01 * tolerance
            answers.append((float(fun(result.x)) if holds else None, int(result.nfev)))
        yield row("scipy", "cattle feed", name, answers, 29.894378, 1e-3)


def scipy_rows(seeds, algorithm):
    yield from cattle_rows(seeds, algorithm)
    yield from eggholder_rows(seeds, algorithm)


def eggholder_rows(seeds, algorithm):
    from scipy import optimize

    box, budget = [(-512, 512)] * 2, 4000
    solvers = {
        "dual_annealing": lambda s: optimize.dual_annealing(eggholder, box, rng=s, maxfun=budget),
        "differential_evolution": lambda s: optimize.differential_evolution(eggholder, box, rng=s),
        "shgo, 200 Sobol points": lambda s: optimize.shgo(
            eggholder, box, n=200, iters=5, sampling_method="sobol"),
        "minimize, SLSQP": lambda s: optimize.minimize(
            eggholder, np.random.default_rng(s).uniform(-512, 512, 2), method="SLSQP", bounds=box),
        "minimize, rdex.scipy_method": lambda s: optimize.minimize(
            eggholder, np.random.default_rng(s).uniform(-512, 512, 2), method=rdex.scipy_method,
            bounds=box, options={"maxfev": budget, "rng": s, **algorithm}),
    }  # fmt: skip
    for name, solve in solvers.items():
        results = [solve(seed) for seed in range(seeds)]
        answers = [(float(r.fun), int(r.nfev)) for r in results]
        yield row("scipy", "eggholder", name, answers, -959.6406627, 1e-3)


# --- OpenMDAO: Sellar, and Branin with a discrete variable ---------------------------------------
def sellar():
    import openmdao.api as om
    from openmdao.test_suite.components.sellar_feature import SellarMDA

    problem = om.Problem(SellarMDA(), reports=False)
    problem.model.add_design_var("x", lower=0, upper=10)
    problem.model.add_design_var("z", lower=0, upper=10)
    problem.model.add_objective("obj")
    problem.model.add_constraint("con1", upper=0)
    problem.model.add_constraint("con2", upper=0)
    return problem, "obj", ("con1", "con2")


def branin():
    import openmdao.api as om
    from openmdao.test_suite.components.branin import BraninDiscrete

    problem = om.Problem(reports=False)
    problem.model.add_subsystem("comp", BraninDiscrete(), promotes=["*"])
    problem.model.add_design_var("x0", lower=-5, upper=10)
    problem.model.add_design_var("x1", lower=0.0, upper=15.0)
    problem.model.add_objective("f")
    return problem, "f", ()


def openmdao_rows(seeds, algorithm):
    from openmdao.drivers.pymoo_driver import pymooDriver

    from rdex.adapters.openmdao import RdexDriver

    def theirs(optimizer, budget, **settings):
        def driver(seed):
            made = pymooDriver(optimizer=optimizer, disp=False)
            made.alg_settings.update(settings)
            made.run_settings.update(seed=seed, termination=("n_eval", budget), verbose=False)
            return made

        return driver

    def ours(budget):
        return lambda seed: RdexDriver(maxfev=budget, seed=seed, **algorithm)

    cases = (
        ("Sellar", sellar, 1000, 3.183393952, 1e-3, ("DE", "GA", "ISRES")),
        ("Branin, discrete", branin, 400, 0.4939955, 1e-4, ("MixedVariableGA",)),
    )
    for name, build, budget, best, tolerance, optimizers in cases:
        drivers = {f"pymooDriver, {each}": theirs(each, budget) for each in optimizers}
        drivers["RdexDriver"] = ours(budget)
        for label, driver in drivers.items():
            answers = [openmdao_answer(build, driver(seed)) for seed in range(1, seeds + 1)]
            yield row("openmdao", name, label, answers, best, tolerance)


def openmdao_answer(build, driver):
    """Where the model is left, and after how many runs."""
    problem, objective, constraints = build()
    problem.driver = driver
    problem.setup()
    problem.set_solver_print(level=-1)
    with contextlib.redirect_stdout(io.StringIO()):
        problem.run_driver()
    feasible = all(problem.get_val(each)[0] <= 1e-6 for each in constraints)
    f = float(problem.get_val(objective)[0])
    return (f if feasible else None), driver.result.model_evals - 1


# --- Optuna: the constraints of its FAQ, with the second of the two objectives -------------------
def optuna_objective(trial):
    x, y = trial.suggest_float("x", -15, 30), trial.suggest_float("y", -15, 30)
    trial.set_constraint("circle", (x - 5) ** 2 + y**2 - 25)
    trial.set_constraint("hole", -((x - 8) ** 2) - (y + 3) ** 2 + 7.7)
    return (x - 5) ** 2 + (y - 5) ** 2


def optuna_rows(seeds, algorithm):
    import optuna

    from rdex.adapters.optuna import RdexSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    budget = 300
    samplers = {
        "RandomSampler": lambda s: optuna.samplers.RandomSampler(seed=s),
        "TPESampler": lambda s: optuna.samplers.TPESampler(seed=s),
        "NSGAIISampler": lambda s: optuna.samplers.NSGAIISampler(seed=s),
        "RdexSampler": lambda s: RdexSampler(budget, seed=s, **algorithm),
    }
    for name, make in samplers.items():
        answers = []
        for seed in range(seeds):
            study = optuna.create_study(sampler=make(seed))
            study.optimize(optuna_objective, n_trials=budget)
            feasible = [t.value for t in study.trials if max(t.constraints.values()) <= 0]
            answers.append((min(feasible, default=None), budget))
        yield row("optuna", "constraints of the FAQ", name, answers, 0.0, 1e-2)


# --- pymoo: G1, the problem on the pages of SRES and ISRES ---------------------------------------
def pymoo_rows(seeds, algorithm):
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.algorithms.soo.nonconvex.isres import ISRES
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    from rdex.adapters.pymoo import Rdex

    budget = 35_000  # 175 generations of 200, as on the page
    solvers = {
        "ISRES, as on its page": lambda: ISRES(n_offsprings=200, rule=1 / 7, gamma=0.85, alpha=0.2),
        "DE": DE,
        "Rdex": lambda: Rdex(**algorithm),
    }
    for name, make in solvers.items():
        answers = []
        for seed in range(1, seeds + 1):
            result = minimize(get_problem("g1"), make(), ("n_eval", budget), seed=seed)
            f = None if result.F is None else float(result.F[0])
            answers.append((f, result.algorithm.evaluator.n_eval))
        yield row("pymoo", "G1", name, answers, -15.0, 1e-6)


# --- COCO: bbob-constrained, with the solvers of its example experiment --------------------------
def coco_rows(seeds, algorithm, dim=5, budget=1000):
    import cocoex
    from cocoex.solvers import random_search
    from scipy.optimize import fmin_cobyla

    def by_random(theirs, seed):
        np.random.seed(seed)  # noqa: NPY002 - their solver draws from it
        random_search(theirs, theirs.lower_bounds, theirs.upper_bounds, 2 * budget * dim)

    def by_cobyla(theirs, seed):
        rng = np.random.default_rng(seed)
        start = theirs.initial_solution
        while theirs.evaluations < budget * dim and not theirs.final_target_hit:
            fmin_cobyla(
                theirs, start, lambda x: -theirs.constraint(x), rhobeg=2.0, rhoend=1e-9,
                maxfun=budget * dim - theirs.evaluations, disp=False,
            )  # fmt: skip
            start = theirs.lower_bounds + rng.uniform(size=dim) * (
                theirs.upper_bounds - theirs.lower_bounds)  # fmt: skip

    def by_rdex(theirs, seed):
        from rdex.adapters.coco import solve

        solve(theirs, budget * dim, (seed, 0), algorithm)

    for name, solver in (("random_search", by_random), ("fmin_cobyla, restarted", by_cobyla),
                         ("rdex", by_rdex)):  # fmt: skip
        hits, evaluations = 0, []
        suite = cocoex.Suite("bbob-constrained", "instances: 1", f"dimensions: {dim}")
        for number, theirs in enumerate(suite):
            solver(theirs, number)
            hits += int(theirs.final_target_hit)
            evaluations.append(theirs.evaluations)
        yield {
            "package": "coco", "problem": f"bbob-constrained, {dim} variables", "solver": name,
            "seeds": len(evaluations), "solved": hits, "feasible": "", "median f": "",
            "evaluations": round(statistics.median(evaluations)),
        }  # fmt: skip


CONTESTS = {"scipy": scipy_rows, "openmdao": openmdao_rows, "optuna": optuna_rows,
            "pymoo": pymoo_rows, "coco": coco_rows}  # fmt: skip


def main():
    """Run, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(CONTESTS), choices=list(CONTESTS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--algorithm", help="of rdex; the default one where none is given")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    os.environ["OPENMDAO_REPORTS"] = "0"
    warnings.simplefilter("ignore")
    algorithm = {} if options.algorithm is None else {"algorithm": options.algorithm}
    rows = []
    for name in options.only:
        for line in CONTESTS[name](options.seeds, algorithm):
            print("  ".join(f"{key} {value}" for key, value in line.items()), flush=True)
            rows.append(line)
    if options.csv is not None:
        write_csv(options.csv, rows)


if __name__ == "__main__":
    main()

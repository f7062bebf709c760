"""Problems of other packages' documentation, solved by what they ship and by rdex inside them.

    python benchmarks/adapters.py [--only scipy openmdao …] [--seeds 10] [--csv FILE]

Every solver has the same number of evaluations, or fewer where it ends by itself. A run is solved
if it is feasible and comes within the tolerance of the best known value. The table also has the
median f of feasible answers and the median number of evaluations. `--csv` replaces the rows of the
packages that were run. Some solvers need more packages: pip install pydoe torch.
"""

import argparse
import contextlib
import csv
import importlib.util
import io
import os
import statistics
import warnings
from pathlib import Path

import numpy as np
from multistart import Counted, Spent, limits_of, multistart
from small_tables import write_csv

import rdex
from rdex.suites import get, is_solved


def median(values):
    """The middle one, in seven digits; nothing where there is none."""
    return float(f"{statistics.median(values):.7g}") if values else ""


def with_packages(solvers, needs):
    """Solvers by name without those that need a package which is not there."""
    for name, solver in solvers.items():
        if importlib.util.find_spec(needs.get(name, "numpy")) is None:
            print(f"{name} is left out: pip install {needs[name]}")
        else:
            yield name, solver


def row(package, problem, solver, answers, best, tolerance):
    """One line of the table; `answers` are (f or None where infeasible, evaluations)."""
    feasible = [f for f, _ in answers if f is not None]
    solved = sum(f <= best + tolerance for f in feasible)
    return {
        "package": package, "problem": problem, "solver": solver, "runs": len(answers),
        "solved": solved, "feasible": len(feasible),
        "median f": median(feasible),
        "evaluations": round(statistics.median(n for _, n in answers)),
    }  # fmt: skip


# --- SciPy: what its page on differential_evolution builds on, and the eggholder of its tutorial --
#: The problems of Lampinen's paper, which the page names for constraints, in the paper's order.
#: SciPy's own tests solve all of them.
LAMPINEN = ("G01", "G09", "G07", "G10", "G08", "G06", "G04", "G05", "G11")


#: One knows no constraints, the other triangulates 13 variables for hours.
UNCONSTRAINED = ("dual_annealing", "shgo, Sobol points")


def eggholder():
    """The surface of the tutorial, as a problem."""

    def f(x):
        a, b = x[1] + 47, abs(x[0] / 2 + x[1] + 47)
        return -a * np.sin(np.sqrt(b)) - x[0] * np.sin(np.sqrt(abs(x[0] - a)))

    return rdex.Problem.from_function(
        f, [(-512, 512)] * 2, optimum=-959.6406627, info={"success": "absolute"}
    )


def scipy_solvers(algorithm):
    """Solvers of SciPy, and ours as one of them; each takes a counted problem and a seed."""
    from scipy import optimize

    def box(counted):
        return [(0.0, 1.0)] * counted.problem.dim

    def f(counted):
        return lambda z: counted(z)[0]

    def shgo(**how):
        return lambda counted, seed: optimize.shgo(
            f(counted), box(counted), constraints=limits_of(counted) or None, iters=5, **how
        )

    def local(method):
        return lambda counted, seed: multistart(counted, method, seed)

    return {
        "differential_evolution": lambda counted, seed: optimize.differential_evolution(
            f(counted), box(counted), constraints=limits_of(counted), rng=seed),
        "dual_annealing": lambda counted, seed: optimize.dual_annealing(
            f(counted), box(counted), rng=seed),
        "shgo": shgo(),
        "shgo, Sobol points": shgo(n=200, sampling_method="sobol"),
        "minimize, COBYLA, many starts": local("COBYLA"),
        "minimize, SLSQP, many starts": local("SLSQP"),
        "minimize, rdex.scipy_method": lambda counted, seed: optimize.minimize(
            f(counted), np.random.default_rng(seed).random(counted.problem.dim),
            method=rdex.scipy_method, bounds=box(counted), constraints=limits_of(counted),
            options={"maxfev": counted.most, "rng": seed, **algorithm}),
    }  # fmt: skip


def scipy_rows(seeds, algorithm):
    """Every point counts once, with all its values; the best feasible one is the answer."""
    nine = [get(f"g2006/{name}") for name in LAMPINEN]
    cases = (("Lampinen, 9 problems", nine, 500), ("eggholder", [eggholder()], 4000))
    for name, problems, budget in cases:
        for solver, solve in scipy_solvers(algorithm).items():
            if solver in UNCONSTRAINED and problems[0].n_constraints:
                continue
            answers = []
            for problem in problems:
                for seed in range(1 if solver.startswith("shgo") else seeds):  # no chance in it
                    counted = Counted(problem, budget)
                    with np.errstate(all="ignore"), contextlib.suppress(Spent):
                        solve(counted, seed)
                    answers.append((problem, *counted.best, len(counted.known)))
            yield {
                "package": "scipy", "problem": name, "solver": solver, "runs": len(answers),
                "solved": sum(bool(is_solved(p, f, v)) for p, v, f, _ in answers),
                "feasible": sum(v == 0 for _, v, _, _ in answers),
                "median f": median([f for _, _, f, _ in answers]) if len(problems) == 1 else "",
                "evaluations": round(statistics.median(n for *_, n in answers)),
            }  # fmt: skip


# --- OpenMDAO: Branin with a discrete variable (page of SimpleGADriver), and Sellar --------------
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
    import openmdao.api as om
    from openmdao.drivers.pymoo_driver import pymooDriver

    from rdex.adapters.openmdao import RdexDriver

    def from_pymoo(optimizer):
        def driver(budget, seed):
            made = pymooDriver(optimizer=optimizer, disp=False)
            made.run_settings.update(seed=seed, termination=("n_eval", budget), verbose=False)
            return made

        return driver

    def evolving(kind, **settings):
        """A driver whose first population is not counted as a generation."""

        def driver(budget, seed):
            os.environ[f"{kind.__name__}_seed"] = str(seed)
            return kind(pop_size=20, max_gen=budget // 20 - 1, **settings)

        return driver

    ours = {"RdexDriver": lambda budget, seed: RdexDriver(maxfev=budget, seed=seed, **algorithm)}
    genetic, differential = om.SimpleGADriver, om.DifferentialEvolutionDriver
    cases = (
        ("Branin, discrete", branin, 0.4939805, 1e-4, {
            "SimpleGADriver, 8 bits": evolving(genetic, bits={"x1": 8}),
            "pymooDriver, MixedVariableGA": from_pymoo("MixedVariableGA"),
        }),
        ("Sellar", sellar, 3.183393952, 1e-3, {
            "SimpleGADriver, 8 bits": evolving(genetic, bits={"x": 8, "z": 8}),
            "DifferentialEvolutionDriver": evolving(differential),
            "pymooDriver, DE": from_pymoo("DE"),
            "pymooDriver, ISRES": from_pymoo("ISRES"),
            "ScipyOptimizeDriver, COBYLA": lambda budget, seed: om.ScipyOptimizeDriver(
                optimizer="COBYLA", maxiter=budget, disp=False),
            "ScipyOptimizeDriver, SLSQP with derivatives": lambda budget, seed:
                om.ScipyOptimizeDriver(optimizer="SLSQP", disp=False),
        }),
    )  # fmt: skip
    for name, build, best, tolerance, theirs in cases:
        needs = {"SimpleGADriver, 8 bits": "pydoe", "DifferentialEvolutionDriver": "pydoe"}
        for label, driver in with_packages({**theirs, **ours}, needs):
            answers = [openmdao_answer(build, driver(200, seed)) for seed in range(1, seeds + 1)]
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
    budget = 50
    samplers = {
        "RandomSampler": lambda s: optuna.samplers.RandomSampler(seed=s),
        "NSGAIISampler": lambda s: optuna.samplers.NSGAIISampler(seed=s),
        "TPESampler": lambda s: optuna.samplers.TPESampler(seed=s),
        "GPSampler": lambda s: optuna.samplers.GPSampler(seed=s),
        "RdexSampler": lambda s: RdexSampler(budget, seed=s, **algorithm),
    }
    for name, make in with_packages(samplers, {"GPSampler": "torch"}):
        answers = []
        for seed in range(seeds):
            study = optuna.create_study(sampler=make(seed))
            study.optimize(optuna_objective, n_trials=budget)
            feasible = [t.value for t in study.trials if max(t.constraints.values()) <= 0]
            answers.append((min(feasible, default=None), budget))
        yield row("optuna", "constraints of the FAQ", name, answers, 0.0, 1e-4)


# --- pymoo: G1, the problem on the pages of SRES and ISRES ---------------------------------------
def pymoo_rows(seeds, algorithm):
    """With the evaluations of the page, and with a tenth of them."""
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.algorithms.soo.nonconvex.isres import ISRES
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    from rdex.adapters.pymoo import Rdex

    solvers = {
        "ISRES, as on its page": lambda: ISRES(n_offsprings=200, rule=1 / 7, gamma=0.85, alpha=0.2),
        "DE": DE,
        "Rdex": lambda: Rdex(**algorithm),
    }
    for budget in (35_000, 3500):  # 175 generations of 200, as on the page
        for name, make in solvers.items():
            answers = []
            for seed in range(1, seeds + 1):
                result = minimize(get_problem("g1"), make(), ("n_eval", budget), seed=seed)
                f = None if result.F is None else float(result.F[0])
                answers.append((f, result.algorithm.evaluator.n_eval))
            yield row("pymoo", f"G1, {budget} evaluations", name, answers, -15.0, 1e-4)


CONTESTS = {"scipy": scipy_rows, "openmdao": openmdao_rows, "optuna": optuna_rows,
            "pymoo": pymoo_rows}  # fmt: skip


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
        write_csv(options.csv, others_of(options.csv, options.only) + rows)


def others_of(path, packages):
    """The rows of a file about other packages than these, which stay."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["package"] not in packages]


if __name__ == "__main__":
    main()

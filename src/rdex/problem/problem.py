"""`Problem`: a function, a box and the counts of its constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.common.extras import require
from rdex.problem.checks import (
    as_floats,
    checked_box,
    checked_integrality,
    checked_layout,
    checked_names,
    read_bounds,
)
from rdex.problem.compiled_function import CompiledFunction as CompiledFunction
from rdex.problem.compiled_function import KernelFunction
from rdex.problem.constraints import Stated, checked_stated, checked_units
from rdex.problem.functions import OneFunction, Presenting, VectorisedFunction, is_jitted
from rdex.problem.variables import Floats as Floats
from rdex.problem.variables import Variables

#: More constraints than that are a slip of the pen.
MOST_CONSTRAINTS = 1_000_000

#: Rows in, (F, G, H) out: X (n, d) -> (n,), (n, m_g), (n, m_h).
RowFunction = Callable[[Floats], tuple[ArrayLike, ArrayLike, ArrayLike]]

#: f = function(x, g, h), writing g (m_g,) and h (m_h,) for the point x (d,).
PointFunction = Callable[[Floats, Floats, Floats], float]


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Minimise f(x) over a box, subject to G(x) <= 0 and H(x) = 0.

    Parameters
    ----------
    lower, upper : (d,) array
        The box; finite, lower <= upper.
    n_ineq, n_eq : int
        Numbers of inequality (G <= 0) and equality (H = 0) constraints.
    rows : callable, optional
        Evaluates many points: X (n, d) -> F (n,), G (n, n_ineq), H (n, n_eq).
    point : callable, optional
        Evaluates one point: f = point(x, g, h), writing the constraints into g and h. A function
        jitted by `numba.njit` is compiled into the fused loop.
    compile : callable, optional
        Makes the `CompiledFunction`; called when it is first asked for. One of `rows`, `point`
        and `compile` must be given; `from_function` is the comfortable way to do it.
    name : str
        What to call it in messages and tables.
    id : str, optional
        Stable name in the registry of the suites, such as ``"g2006/G04"``.
    optimum : float, optional
        Best known feasible objective value.
    optimum_x : (d,) array, optional
        A point that attains it.
    integrality : (d,) bool array, optional
        True where a variable takes integer values only.
    variable_names, constraint_names : sequence of str, optional
        One name per variable; one per constraint, inequalities first.
    stated : sequence of Stated, optional
        How each constraint was written, such as ``(">=", 2)``; default G <= 0 and H = 0. For
        results alone: the function still gives G and H.
    units : mapping, optional
        Units by name of a variable or constraint, ``"f"`` for the objective.
    variables : Variables, optional
        What stands behind the numbers of a point where some are places in a list; see
        `rdex.Variables`. Searches and `evaluate` see the places, `from_function` the values.
    info : dict
        Further facts for people: source, units, remarks.

    Examples
    --------
    >>> import numpy as np
    >>> toy = Problem(
    ...     lower=[-5, -5], upper=[5, 5], n_eq=1, name="toy",
    ...     rows=lambda X: ((X**2).sum(1), np.empty((len(X), 0)), X.sum(1, keepdims=True) - 1),
    ... )
    >>> F, G, H = toy.evaluate([[0.5, 0.5], [1.0, 1.0]])
    >>> F.tolist(), H.tolist()
    ([0.5, 2.0], [[0.0], [1.0]])
    """

    lower: Floats
    upper: Floats
    n_ineq: int = 0
    n_eq: int = 0
    rows: RowFunction | None = None
    point: PointFunction | None = None
    compile: Callable[[], CompiledFunction] | None = None
    name: str = "problem"
    id: str | None = None
    optimum: float | None = None
    optimum_x: Floats | None = None
    integrality: NDArray[np.bool_] | None = None
    variable_names: tuple[str, ...] = ()
    constraint_names: tuple[str, ...] = ()
    stated: tuple[Stated, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    variables: Variables | None = None
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lower, upper = checked_box(self.lower, self.upper)
        put = object.__setattr__
        put(self, "lower", lower)
        put(self, "upper", upper)
        if self.rows is None and self.point is None and self.compile is None:
            raise ValueError("a Problem needs a function: rows=, point= or compile=")
        for label, count in (("n_ineq", self.n_ineq), ("n_eq", self.n_eq)):
            if not isinstance(count, int | np.integer) or count < 0:
                raise ValueError(f"{label} must be a whole number >= 0, got {count!r}")
            if count > MOST_CONSTRAINTS:
                raise ValueError(f"{label} must be at most {MOST_CONSTRAINTS}, got {count}")
            put(self, label, int(count))
        if self.point is not None and self.compile is None:
            if is_jitted(self.point):
                from rdex.problem.jitted import compile_point

                put(self, "compile", partial(compile_point, self.point))
        if self.optimum_x is not None:
            put(self, "optimum_x", np.asarray(self.optimum_x, dtype=np.float64))
        if self.variables is not None:
            self._take_variables(self.variables)
        if self.integrality is not None:
            put(self, "integrality", checked_integrality(self.integrality, lower, upper))
        names = checked_names("variable_names", self.variable_names, self.dim, "x")
        put(self, "variable_names", names)
        defaults = [f"g{i + 1}" for i in range(self.n_ineq)]
        defaults += [f"h{i + 1}" for i in range(self.n_eq)]
        given = tuple(self.constraint_names) or tuple(defaults)
        named = checked_names("constraint_names", given, self.n_constraints, "c")
        put(self, "constraint_names", named)
        put(self, "stated", checked_stated(self.stated, self.n_ineq, self.n_eq))
        put(self, "units", checked_units(self.units, (*names, *self.constraint_names)))

    def __repr__(self) -> str:
        parts = [f"{self.dim} variable{'s' if self.dim != 1 else ''}"]
        counts = ((self.n_ineq, "inequality"), (self.n_eq, "equality"))
        parts += [f"{n} {kind} constraint{'s' if n != 1 else ''}" for n, kind in counts if n]
        return f"Problem({self.name!r}: {', '.join(parts)})"

    def _take_variables(self, variables: Variables) -> None:
        """Kinds, names and units of variables, where they are not given as well."""
        put = object.__setattr__
        if len(variables) != self.dim:
            raise ValueError(f"variables: expected {self.dim}, got {len(variables)}")
        if self.integrality is not None:
            whole = checked_integrality(self.integrality, self.lower, self.upper)
            variables = variables.with_whole(whole)
        if self.variable_names:
            variables = variables.renamed(self.variable_names)
        put(self, "variables", variables)
        put(self, "variable_names", variables.names)
        put(self, "units", {**variables.units, **self.units})
        if variables.whole.any():
            put(self, "integrality", variables.whole)

    @classmethod
    def from_function(
        cls,
        fun: Callable[..., Any],
        bounds: Any,
        *,
        n_ineq: int = 0,
        n_eq: int = 0,
        args: tuple[Any, ...] = (),
        vectorized: bool | str = False,
        call: str | None = None,
        **facts: Any,
    ) -> Problem:
        """A problem whose objective and constraints come from one call, as a simulator gives them.

        Parameters
        ----------
        fun : callable
            ``fun(x, *args) -> (f, G, H)`` with G of `n_ineq` values (<= 0) and H of `n_eq` values
            (= 0). H may be left out where `n_eq` is 0; with no constraints at all f alone will do.
            A function jitted by `numba.njit`, without args, runs in the fused loop.
        bounds : scipy.optimize.Bounds, sequence of (low, high), mapping or Variables
            As in `rdex.minimize`.
        vectorized : False, True or "rows"
            True: points (d, n), F (n,), G (n_ineq, n), H (n_eq, n), as in SciPy. "rows": points
            (n, d), F (n,), G (n, n_ineq), H (n, n_eq).
        call : "array", "dict" or "keywords"
            How `fun` takes a design; default a dict where variables are named, else an array.
        **facts
            Further fields of `Problem`: name, variable_names, constraint_names, integrality, …

        Examples
        --------
        >>> p = Problem.from_function(
        ...     lambda x: (x @ x, [], [x.sum() - 1]), [(-5, 5)] * 2, n_eq=1, name="toy")
        >>> p.evaluate([[0.5, 0.5]])[0].tolist()
        [0.5]
        """
        lower, upper, variables = read_bounds(bounds)
        if variables is not None:
            facts["variables"] = variables
        layout = checked_layout(vectorized)
        fun = Presenting(variables, call, layout)(fun, tuple(args))
        if vectorized:
            rows = VectorisedFunction(fun, n_ineq, n_eq, layout)
            return cls(lower, upper, n_ineq, n_eq, rows=rows, **facts)
        point = OneFunction(fun, n_ineq, n_eq)
        if is_jitted(fun):
            from rdex.problem.jitted import compile_one_function

            facts["compile"] = partial(compile_one_function, fun, n_ineq, n_eq)
        return cls(lower, upper, n_ineq, n_eq, point=point, **facts)

    @classmethod
    def from_command(
        cls,
        command: str | Sequence[str],
        bounds: Any,
        *,
        n_ineq: int = 0,
        n_eq: int = 0,
        files: Any = None,
        result: Any = None,
        folder: Any = None,
        keep: str = "failed",
        timeout: float | None = None,
        env: Any = None,
        **facts: Any,
    ) -> Problem:
        """A problem whose evaluations are runs of a program, each in a folder of its own.

        Parameters
        ----------
        command : str or sequence of str
            The program and its arguments; no shell is involved. It runs in the folder of the
            evaluation and finds there the `files`, and on standard input the JSON object
            ``{"x": [...], "variables": {name: value}}``.
        bounds : scipy.optimize.Bounds, sequence of (low, high), mapping or Variables
        files : mapping of name to template
            Files to write for each evaluation: a text, or the path of a template file. In them and
            in the command ``${name}`` and ``${name:.3f}`` stand for variables, by their names.
        result : None, str or callable
            Where the answer is: JSON on standard output (the whole of it or its last line), JSON in
            a file of that name, or ``result(folder) -> (f, G, H)``. The JSON is
            ``{"f": 1.5, "G": [...], "H": [...]}``.
        folder : path
            Where the folders of evaluations are made; default the system's temporary folder.
        keep : "failed", "all" or "none"
            Which of them stay.
        timeout : float
            Seconds after which the program is ended and the evaluation has failed; in `minimize`
            `eval_timeout` does the same for everything an evaluation does.
        env : mapping
            Further environment variables.
        **facts
            Further fields of `Problem`: name, variable_names, constraint_names, integrality, …

        Examples
        --------
        >>> import sys
        >>> program = "import json, sys; x = json.load(sys.stdin)['x']; print(x[0] ** 2 + x[1])"
        >>> p = Problem.from_command([sys.executable, "-c", program], [(-5, 5)] * 2)
        >>> p.evaluate([[3.0, 1.0]])[0].tolist()
        [10.0]
        """
        from rdex.problem.command import Command

        lower, _, variables = read_bounds(bounds)
        given = facts.get("variable_names", () if variables is None else variables.names)
        names = checked_names("variable_names", given, lower.size, "x")
        run = Command(
            command, names, files=files, result=result, folder=folder, keep=keep, timeout=timeout,
            env=env,
        )  # fmt: skip
        design = {name: 0.0 for name in names} if variables is None else variables.design(lower)
        run.try_templates(list(design.values()))
        call = None if variables is None else "dict"
        return cls.from_function(run, bounds, n_ineq=n_ineq, n_eq=n_eq, call=call, **facts)

    @classmethod
    def from_pymoo(cls, theirs: Any, **facts: Any) -> Problem:
        """A pymoo problem with one objective; mixed variables too.

        Choices of three options or more take a coordinate each. Whole populations are evaluated by
        one call, except for pymoo's elementwise problems.

        Examples
        --------
        >>> from pymoo.problems import get_problem
        >>> p = Problem.from_pymoo(get_problem("g1"))
        >>> p.name, p.dim, p.n_ineq
        ('G1', 13, 9)
        """
        return cls._from_adapter("pymoo", theirs, facts)

    @classmethod
    def from_cocoex(cls, theirs: Any, **facts: Any) -> Problem:
        """A problem of COCO's `cocoex`; its observers see every evaluation.

        Examples
        --------
        >>> import cocoex
        >>> p = Problem.from_cocoex(cocoex.Suite("bbob-constrained", "", "dimensions: 2")[0])
        >>> p.name, p.n_ineq
        ('bbob-constrained_f001_i01_d02', 1)
        """
        return cls._from_adapter("coco", theirs, facts)

    @classmethod
    def from_pygmo(cls, theirs: Any, **facts: Any) -> Problem:
        """A `pygmo.problem`, or a user-defined problem of pygmo, with one objective.

        Examples
        --------
        >>> import pygmo
        >>> p = Problem.from_pygmo(pygmo.cec2006(prob_id=5))
        >>> p.n_ineq, p.n_eq
        (2, 3)
        """
        return cls._from_adapter("pygmo", theirs, facts)

    @staticmethod
    def _from_adapter(package: str, theirs: Any, facts: dict[str, Any]) -> Problem:
        """By name: the room `adapters` stands to the right of this one."""
        adapter = require(f"rdex.adapters.{package}", package)
        problem: Problem = adapter.problem_from(theirs, **facts)
        return problem

    @property
    def dim(self) -> int:
        """Number of variables."""
        return int(self.lower.size)

    @cached_property
    def inner_bounds(self) -> tuple[Floats, Floats]:
        """Smallest and largest value of every variable: whole numbers where it is an integer."""
        lower, upper, whole = self.lower.copy(), self.upper.copy(), self.integrality
        if whole is not None:
            lower[whole], upper[whole] = np.ceil(lower[whole]), np.floor(upper[whole])
        lower.setflags(write=False)
        upper.setflags(write=False)
        return lower, upper

    @property
    def n_constraints(self) -> int:
        """Number of constraints of both kinds."""
        return self.n_ineq + self.n_eq

    @property
    def is_compiled(self) -> bool:
        """Whether the fused compiled loop can run it."""
        return self.compile is not None

    @cached_property
    def compiled(self) -> CompiledFunction:
        """The compiled form; raises TypeError where there is none."""
        if self.compile is None:
            raise TypeError(f"{self.name} has no compiled form")
        return self.compile()

    @property
    def place(self) -> str | None:
        """Where its kernel is, as ``module:name``; None where the function is another."""
        return self.compile.place if isinstance(self.compile, KernelFunction) else None

    @property
    def interpreted(self) -> CompiledFunction:
        """The form for loops that are not compiled: the same bits, and no compiler where the
        function is a kernel of the package."""
        made = self.compile
        return made.interpreted() if isinstance(made, KernelFunction) else self.compiled

    @property
    def n_work(self) -> int:
        """Length of the scratch vector the compiled form needs."""
        return self.compiled.n_work

    def decoded(self, x: Floats) -> Floats:
        """Points (…, d) of a search with the numbers of lists in the place of their codes."""
        variables = self.variables
        return x if variables is None or not variables.has_lists else variables.decoded(x)

    def encoded(self, x: ArrayLike) -> ArrayLike:
        """The reverse of `decoded`; a ValueError names a number that is in no list."""
        variables = self.variables
        return x if variables is None or not variables.has_lists else variables.encoded(x)

    def design(self, x: Floats) -> dict[str, Any]:
        """Values by name, as a user's function sees them, of one point (d,) of a search."""
        if self.variables is not None:
            return self.variables.design(x)
        whole = self.integrality if self.integrality is not None else np.zeros(self.dim, bool)
        return {
            name: round(value) if flag else value
            for name, value, flag in zip(self.variable_names, x.tolist(), whole, strict=True)
        }

    def evaluate(self, x: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Raw values at the rows of `x` (n, d): F (n,), G (n, n_ineq), H (n, n_eq).

        A variable from a list is its place there; see `encoded`.

        Nothing is counted, repaired or caught here, and NaN in gives NaN out or what the
        function makes of it.
        """
        points = np.array(x, dtype=np.float64)  # a copy: the function may change it
        if points.ndim != 2 or points.shape[1] != self.dim:
            raise ValueError(
                f"{self.name}: expected rows of shape (n, {self.dim}), got {points.shape}"
            )
        if self.compile is not None:
            from rdex.problem.compiled_rows import evaluate_compiled

            made, n = self.compile, len(points)
            function = made.now(n) if isinstance(made, KernelFunction) else self.compiled
            return evaluate_compiled(function, points, self.n_ineq, self.n_eq)
        if self.rows is not None:
            return self._checked_values(self.rows(points), points.shape[0])
        assert self.point is not None
        n = points.shape[0]
        f = np.empty(n)
        # Constraints that a function does not write are not known.
        g, h = np.full((n, self.n_ineq), np.nan), np.full((n, self.n_eq), np.nan)
        for i in range(n):
            f[i] = self.point(points[i].copy(), g[i], h[i])
        return f, g, h

    def _checked_values(self, values: Any, n: int) -> tuple[Floats, Floats, Floats]:
        """F, G, H as float64 arrays of the declared shapes, or a message naming both shapes."""
        try:
            given_f, given_g, given_h = values
        except (TypeError, ValueError):
            raise ValueError(
                f"{self.name}: expected the three arrays (F, G, H), got {type(values).__name__}"
            ) from None
        checked = []
        for label, given, shape in (
            ("F", given_f, (n,)),
            ("G", given_g, (n, self.n_ineq)),
            ("H", given_h, (n, self.n_eq)),
        ):
            is_absent = given is None and shape[-1] == 0
            array = np.empty(shape) if is_absent else as_floats(label, given)
            if array.size == 0 and 0 in shape:
                array = np.empty(shape)
            if array.shape != shape:
                raise ValueError(
                    f"{self.name}: expected {label} of shape {shape}, got {array.shape}"
                )
            checked.append(array)
        return checked[0], checked[1], checked[2]

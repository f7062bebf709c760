"""What each of the 28 problems is: bound, constraints, matrices, formula in one line."""

from types import MappingProxyType
from typing import NamedTuple

DIMENSIONS = (10, 30, 50, 100)
EDITIONS = ("2017", "2024")

#: Tolerance of the equality constraints in this suite.
EQ_TOL = 1e-4


class Definition(NamedTuple):
    """One problem of the suite, for any dimension and instance."""

    number: int
    bound: float
    n_ineq: int
    n_eq: int
    n_matrices: int
    formula: str

    @property
    def name(self) -> str:
        """C01 to C28."""
        return f"C{self.number:02d}"

    @property
    def is_rotated(self) -> bool:
        """Whether a matrix takes part."""
        return self.n_matrices > 0

    @property
    def has_feasible_point(self) -> bool | None:
        """False where it is proved that no point is feasible, else None: not decided here.

        C19, C28: g1 >= (d - 1)(10 e⁵ - 10) > 0. C17, C26: at most one of the signs can be
        positive when Σz² is near 4d (two would need |z_i| + |z_j| >= Σz² + 2), so g > 0 for d > 2.
        """
        return False if self.number in (17, 19, 26, 28) else None


_FIRST = (
    (1, 100, 1, 0, 0, "S(z); g Σ(z² − 5000 cos 0.1πz − 4000)"),
    (2, 100, 1, 0, 1, "S(y); g as C01 on z = My"),
    (3, 100, 1, 1, 0, "S(z); g as C01; h −Σ z sin 0.1πz"),
    (4, 10, 2, 0, 0, "R(z); g −Σ z sin 2z, Σ z sin z"),
    (5, 10, 2, 0, 2, "B(z); g Σ(w² − 50 cos 2πw − 40), w = M₁y and M₂y"),
    (6, 20, 0, 6, 0, "R(z); h −Σ z sin z, Σ z sin πz, −Σ z cos z, Σ z cos πz, ±Σ z sin 2√|z|"),
    (7, 50, 0, 2, 0, "Σ z sin z; h ±Σ(z − 100 cos 0.5z + 100)"),
    (8, 100, 0, 2, 0, "max z; h S over odd, S over even coordinates"),
    (9, 10, 1, 1, 0, "max z; g Π of even coordinates; h Σ(z_i² − z_j)², pairs by edition"),
    (10, 100, 0, 2, 0, "max z; h S(z), Σ(z_i − z_i₊₁)²"),
    (11, 100, 1, 1, 0, "Σ z; g Π z; h Σ(z_i − z_i₊₁)²"),
    (12, 100, 2, 0, 0, "R(z); g 4 − Σ|z|, Σz² − 4"),
    (13, 100, 3, 0, 0, "B(z); g R(z) − 100, Σz − 2d, 5 − Σz"),
    (14, 100, 1, 1, 0, "Ackley(z); g Σ_{i≥2} z² + 1 − |z₁|; h Σz² − 4"),
    (15, 100, 1, 1, 0, "max z (2017), max |z| (2024); g Σz² − 100d; h cos f + sin f"),
    (16, 100, 1, 1, 0, "Σ|z|; g Σz² − 100d; h c² − exp c − 1 + e, c = cos f + sin f"),
    (17, 100, 1, 1, 0, "Griewank(z); g 1 − Σ sgn(|z_i| − Σ_{j≠i} z_j² − 1); h Σz² − 4d"),
    (18, 100, 2, 1, 0, "R(z rounded to halves); g 1 − Σ|z|, Σz² − 100d; h valley + Π sin² πz"),
    (19, 50, 2, 0, 0, "Σ(√|z| + 2 sin z³); g 10(d − 1)e⁵ − 10 Σ exp(−0.2 r), Σ sin² 2z − d/2"),
    (
        20,
        100,
        2,
        0,
        0,
        "Schaffer ring; g cos² s − 0.25 cos s − 0.125, exp cos s − exp 0.25, s = Σz",
    ),
)


def _all_definitions() -> dict[int, Definition]:
    """The twenty above, and C21-C28: C12-C19 with one matrix."""
    table = {row[0]: Definition(row[0], float(row[1]), *row[2:]) for row in _FIRST}
    for twin in range(12, 20):
        table[twin + 9] = table[twin]._replace(
            number=twin + 9, n_matrices=1, formula=f"C{twin} on z = My: {table[twin].formula}"
        )
    return table


DEFINITIONS = MappingProxyType(_all_definitions())
NUMBERS = tuple(DEFINITIONS)


def describe() -> dict[int, Definition]:
    """Every problem's definition by its number, in order.

    In the formulas y = x − o with the shift o; z = y, or My where a matrix M is named;
    S = Σ of squared partial sums, R = Rastrigin, B = Rosenbrock; g <= 0, h = 0.

    Examples
    --------
    >>> describe()[12].formula
    'R(z); g 4 − Σ|z|, Σz² − 4'
    """
    return dict(DEFINITIONS)


def names() -> tuple[str, ...]:
    """C01 to C28."""
    return tuple(definition.name for definition in DEFINITIONS.values())

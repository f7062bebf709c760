"""What is to be solved: the function, its box, its constraints.

`Problem` is the only form in which the rest of the package sees a task. It checks its own
description once and offers the raw evaluation of rows; budgets, failures and violations are the
business of the `evaluation` room. `arguments` makes one of what a user gives. Imports `jit` and
`common`.
"""

from rdex.problem.problem import CompiledFunction, Problem
from rdex.problem.variables import Variables

__all__ = ["CompiledFunction", "Problem", "Variables"]

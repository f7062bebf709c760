"""What most users touch: `minimize`, `Optimizer` and the result they return.

Arguments are checked in `problem.arguments` and `run.arguments`. Imports everything up to `run`.
"""

from rdex.api.minimize import minimize

__all__ = ["minimize"]

"""What most users touch: `minimize`, `Optimizer` and the result they return.

Checks every argument once and says what it did. Imports everything up to `recorder`.
"""

from rdex.api.minimize import minimize

__all__ = ["minimize"]

"""rdex: constrained single-objective black-box optimisation.

Public names are imported when first used, so that `import rdex` stays light.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "Optimizer": "rdex.api.optimizer",
    "Problem": "rdex.problem",
    "Settings": "rdex.engine.settings",
    "Variables": "rdex.problem.variables",
    "minimize": "rdex.api.minimize",
    "preset": "rdex.engine.settings",
    "scipy_method": "rdex.adapters.scipy",
}

__all__ = [
    "Optimizer",
    "Problem",
    "Settings",
    "Variables",
    "__version__",
    "minimize",
    "preset",
    "scipy_method",
]

if TYPE_CHECKING:
    from rdex.adapters.scipy import scipy_method
    from rdex.api.minimize import minimize
    from rdex.api.optimizer import Optimizer
    from rdex.engine.settings import Settings, preset
    from rdex.problem import Problem
    from rdex.problem.variables import Variables


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rdex' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

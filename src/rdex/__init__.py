"""rdex: constrained single-objective black-box optimisation.

Public names are imported when first used, so that `import rdex` stays light.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_PUBLIC = {
    "EvaluationError": "rdex.common.errors",
    "FileInUseError": "rdex.common.errors",
    "LogError": "rdex.common.errors",
    "Optimizer": "rdex.api.optimizer",
    "Problem": "rdex.problem",
    "RdexError": "rdex.common.errors",
    "Result": "rdex.run.result",
    "RunFileError": "rdex.common.errors",
    "Settings": "rdex.engine.settings",
    "Status": "rdex.run.status",
    "StoreError": "rdex.common.errors",
    "Variables": "rdex.problem.variables",
    "algorithms": "rdex.strategies.registry",
    "minimize": "rdex.api.minimize",
    "preset": "rdex.engine.presets",
    "scipy_method": "rdex.adapters.scipy",
}

__all__ = [
    "EvaluationError",
    "FileInUseError",
    "LogError",
    "Optimizer",
    "Problem",
    "RdexError",
    "Result",
    "RunFileError",
    "Settings",
    "Status",
    "StoreError",
    "Variables",
    "__version__",
    "algorithms",
    "minimize",
    "preset",
    "scipy_method",
]

if TYPE_CHECKING:
    from rdex.adapters.scipy import scipy_method
    from rdex.api.minimize import minimize
    from rdex.api.optimizer import Optimizer
    from rdex.common.errors import (
        EvaluationError,
        FileInUseError,
        LogError,
        RdexError,
        RunFileError,
        StoreError,
    )
    from rdex.engine.presets import preset
    from rdex.engine.settings import Settings
    from rdex.problem import Problem
    from rdex.problem.variables import Variables
    from rdex.run.result import Result
    from rdex.run.status import Status
    from rdex.strategies.registry import algorithms


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rdex' has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(_PUBLIC[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

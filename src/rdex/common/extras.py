"""One message for every optional dependency that is missing."""

import importlib
from types import ModuleType


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says what installs it."""


def require(module: str, extra: str) -> ModuleType:
    """Import `module`, or say which extra of rdex brings it.

    Examples
    --------
    >>> require("math", "bench").sqrt(4.0)
    2.0
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module + ".").startswith(error.name + "."):
            raise
        raise MissingExtraError(
            f'this needs the package "{error.name}", which is not installed: '
            f'pip install "rdex[{extra}]"'
        ) from error

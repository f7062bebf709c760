"""The family of errors. Each is also the built-in error that people would catch in its place."""


class RdexError(Exception):
    """Every error that rdex raises on purpose, bad arguments (ValueError) apart."""


class EvaluationError(RdexError, RuntimeError):
    """The user's function raised, in which case its traceback ends the message, or fails."""


class RunFileError(RdexError, ValueError):
    """A saved run is not whole, or is of another run."""


class LogError(RdexError, ValueError):
    """A file of evaluations is not whole, or is of another run."""


class FileInUseError(RdexError, OSError):
    """Another run writes the file."""


class StoreError(RdexError, ValueError):
    """A folder of runs is not whole, or holds other runs than asked for."""

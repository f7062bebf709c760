"""Solvers for smooth problems whose derivatives are known. Knows nothing of problems or runs."""

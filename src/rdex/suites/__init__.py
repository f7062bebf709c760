"""Benchmark problems with proven values, and the registry that names them.

One folder or file a suite: the formulas, their data, their best known values. Everything a suite
hands out is a `Problem`. Imports `problem` and `common`.
"""

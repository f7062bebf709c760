"""Processes that evaluate points: our own, and those of executors and clusters.

One point is a `PointTask`, what came of it an `Outcome`. Everything that evaluates is a `Pool`.
Imports `problem` and `common`.
"""

"""Ways to search: each asks for points and is told what came of them.

A strategy never sees workers, files or clocks. Imports `engine`, `solvers`, `models` and rooms to
their left.
"""

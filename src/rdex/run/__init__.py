"""One run: what decides it, how it is driven, watched, kept and stopped.

`arguments` makes a `RunSpec` of what a user gives: all that decides the results. `Driver` is the
loop from the strategy to the evaluator and back. Imports `recorder`, `strategies` and the rooms to
their left.
"""

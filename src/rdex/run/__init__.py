"""One run: what decides it, how it is driven, watched, kept and stopped.

`RunSpec` is all that decides the results, `Driver` the loop from the strategy to the evaluator and
back. Imports `recorder`, `strategies` and the rooms to their left.
"""

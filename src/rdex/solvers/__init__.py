"""Solvers for smooth subproblems: sequential quadratic programming one step at a time.

They know nothing of problems, budgets or strategies. Imports `common` alone.
"""

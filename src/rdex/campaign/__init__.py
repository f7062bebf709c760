"""Many runs: problems x algorithms x seeds, on processes or a cluster, resumable.

Writes to the `store` and to nothing else. Imports `store` and the rooms to its left.
"""

"""The one gate between the algorithm and the function under study.

What a violation is, what a failed evaluation is, and how evaluations are carried out: in place,
in rows or by workers. Imports `problem` and `common` (and never needs `suites`).
"""

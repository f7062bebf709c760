"""The one way from a search to the function under study.

What a failed evaluation is, and how evaluations are carried out, judged, skipped and remembered.
Imports `problem` and `common`.
"""

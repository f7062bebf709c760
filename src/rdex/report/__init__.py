"""Tables in, text, LaTeX, figures and the HTML page out; no statistics of its own.

Imports `scoring`, `store` and `common`.
"""

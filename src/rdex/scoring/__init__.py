"""Trials in, tables out: U-score, indicators, statistical tests; no plotting.

Reads arrays or a `store`; knows nothing of engines. Imports `store` and `common`.
"""

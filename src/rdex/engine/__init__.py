"""The search: one engine for the whole RDEx family, a variant being a settings value.

`settings` holds the constants, `state` what a run changes, the kernel files the steps of the
method and the loops over them. Imports `evaluation`, `problem`, `common`.
"""

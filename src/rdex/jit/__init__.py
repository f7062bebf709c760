"""Compiled code: two decorators, the cache on disk, and everything that leans on numba's inside.

`compiling` has the decorators `kernel` and `part`, `sources` names the cache after what a kernel is
made of, `cache_folders` keeps the cache small. Every other file is one trick: what it buys, a test
that shows it works with this numba, and a plain way that is slower and gives the same results.
`tricks` says which are on.
"""

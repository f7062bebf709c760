"""Runs on disk, in a format that docs/ describes and any tool reads.

Imports `recorder` and the rooms to its left.
"""

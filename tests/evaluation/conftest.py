"""Hypothesis draws the same examples every time; compiling may take longer than its deadline."""

from hypothesis import settings

settings.register_profile("rdex", deadline=None, derandomize=True, database=None)
settings.load_profile("rdex")

"""What a run leaves behind: the trace arrays of the engine turned into records.

Imports `engine` and the rooms to its left.
"""

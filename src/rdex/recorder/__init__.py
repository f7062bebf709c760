"""What a run leaves behind: the trace arrays of the engine turned into records.

`Record` is the plain result of one run, whoever made it: `record_of` takes it from an `Engine`,
`CountingRecorder` makes it while a foreign algorithm spends its budget. Imports `engine` and the
rooms to its left.
"""

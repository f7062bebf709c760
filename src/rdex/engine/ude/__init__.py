"""UDE-IV and UDE-III: another method behind the same engine.

`settings` holds the constants, `state` what a run changes, `kernels` the steps. Problems,
evaluation, recording, random numbers and files are those of the engine; `docs/ude.md` is the page.
"""

"""The steps of the method, compiled. Read in this order:

`layout` (what the state holds), `order` (the ε-score), `random` (the generator), `variation` (one
trial), `generation` (what N trials change), `steps` (what loops call), `drivers` (what all methods
share: loops, best so far, trace), `fused`, `asktell` and `anyorder` (the loops compiled).
"""

"""The steps of the method, compiled. Read in this order:

`layout` (what the state holds), `order` (the ε-score), `sampling` (parameters and donors),
`variation` (one trial), `selection` (what a result changes), `generation` (what N trials change),
`recording` (best and trace), `steps` (what loops call), `drivers` (the loops, of every method),
`fused`, `asktell` and `anyorder` (the loops compiled), `points` (in and out of the engine's box).
"""

"""The steps of the method, compiled. Read in this order:

`layout` (what the state holds), `order` (violation and ε-score), `random` (the generator),
`variation` (one trial), `generation` (what N trials change), `drivers` (what all methods share:
loops, best so far, trace), `steps` (what the loops call, and the loops compiled), `anyorder` (the
same for results in any order).
"""

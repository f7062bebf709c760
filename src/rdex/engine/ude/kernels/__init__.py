"""The steps of UDE, compiled. Read in this order:

`layout` (what the state holds), `order` (feasibility first, as an order), `variation` (one trial),
`generation` (what all trials of a generation change), `steps` (the two halves of every loop, and
the loops).
"""

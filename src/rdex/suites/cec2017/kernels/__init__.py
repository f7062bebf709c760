"""The 28 functions as compiled single-point evaluations, each compiled when first asked for.

Every function has the one signature f = function(x, data, work, g, h): it writes g and h, returns
f and allocates nothing. `data` holds the shift (d) and then the transposed matrices (d·d each);
`work` has 2d places: the point, and y = x - o beside it.
"""

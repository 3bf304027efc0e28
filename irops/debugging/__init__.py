"""Finding what is wrong with a model, and where: comparing, reducing, explaining, statistics of weights.

`compare` says whether two `sources` of values agree, and at which layer they part; `reduce` finds the
smallest model that still fails; `origins` says where a size or a type comes from; `weights` examines
constants. Models enter, reports leave.
"""

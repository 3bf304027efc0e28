"""Comparing values layer by layer, reducing failing models, explaining shapes, statistics of weights.

`sources` gives the values of a model's layers, `compare` judges them and looks for the layer at fault,
`reduce` finds the smallest model that still shows a fault, `origins` explains where a size or a value comes
from, `weights` measures constants. A model with inputs enters; a Comparison, a Reduction, an explanation or
statistics leave.
"""

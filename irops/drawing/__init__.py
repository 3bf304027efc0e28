"""Pictures of models: layers as boxes, with the types and shapes on their edges.

A model enters; `build` makes a scene of `boxes`, with repeats folded, `arrange` gives places, and `svg`
writes it; `drawing` is irops.draw, and the page that searches.
"""

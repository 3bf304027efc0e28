"""Pictures of models: layers as boxes, with the types and shapes on their edges.

A model enters; `build` makes a scene of `boxes`, with repeats folded, and `arrange` gives places;
`drawing` is irops.draw: the SVG, and the page that searches.
"""

"""Pictures of models: layers as boxes, with the types and shapes on their edges. draw.py takes an analysis;
build.py makes a scene (scene.py) of boxes, in which repeats.py finds repeated blocks; arrange.py gives them
places, with an engine for the order in rows (engines.py); what leaves is a Drawing (drawing.py), as SVG, page
or dot.
"""

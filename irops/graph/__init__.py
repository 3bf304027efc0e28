"""The topology of a graph: edges by position, topological order, cycles; port maps of bodies.

Layers and edges of a file enter; what is wrong with them leaves as faults, the rest as positions.
"""

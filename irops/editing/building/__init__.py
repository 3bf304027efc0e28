"""Graphs that are built node by node: nodes add themselves, wires join them, branches are merged."""

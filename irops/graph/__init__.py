"""The topology of a graph: wiring, topological order, cycles."""

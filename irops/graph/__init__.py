"""How the layers of a graph hang together: wiring, order, cycles."""

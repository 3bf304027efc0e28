"""Comparing the values of two sources, layer by layer."""

"""Comparing values layer by layer, reducing failing models, explaining shapes, statistics of weights."""

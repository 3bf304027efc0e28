"""Holding a model to the rules: everything wrong with it in one pass."""

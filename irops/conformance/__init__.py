"""Holding backends to the definitions: examples, counterexamples and generated cases, shrunk to the smallest
that fails.
"""

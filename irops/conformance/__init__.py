"""Test backends against the definitions: examples, counterexamples and generated cases, with shrinking."""

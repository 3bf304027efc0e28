"""Formulas of definitions, set as MathML."""

"""Diagnostics: the rules, the findings, and the formats in which they are reported."""

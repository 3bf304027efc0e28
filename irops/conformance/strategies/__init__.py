"""Hypothesis strategies that generate trials, by op."""

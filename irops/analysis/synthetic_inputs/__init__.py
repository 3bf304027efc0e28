"""Inputs generated for a model: sizes and values with which its layers show what they do."""

"""Runs on several workers: each computes some items of a batch."""

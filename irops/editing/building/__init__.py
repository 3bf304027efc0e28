"""Graphs of dialects without files, built on irops.Graph: branches are merged, and names come at the end."""

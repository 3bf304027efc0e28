"""The colour of a box: categories of ops, in groups of one hue each."""

from __future__ import annotations

_GROUPS = {
    "weighted": ("convolution", "matrix"),
    "elementwise": ("arithmetic", "bitwise", "comparison", "logical", "type"),
    "activation": ("activation",),
    "pooling": ("pooling", "reduction", "sort"),
    "normalization": ("normalization", "quantization"),
    "movement": ("movement", "shape", "generation"),
    "recurrent": ("sequence", "condition"),
    "detection": ("detection", "image", "signals", "sparse", "tokenizers"),
    "model": ("infrastructure",),
}
MARKS = ("removed", "added", "changed", "rewired", "weights", "unchanged")
"""In a picture of differences, these stand in place of categories."""
GROUP = {category: group for group, categories in _GROUPS.items() for category in categories} | {
    mark: mark for mark in MARKS
}
"""The group of each category, and of each mark; ops of other categories have the group "other"."""
LIGHT = {
    "weighted": "#3465a4",
    "elementwise": "#5c6670",
    "activation": "#a3354a",
    "pooling": "#2f7a3d",
    "normalization": "#8a6100",
    "movement": "#74508c",
    "recurrent": "#b14a12",
    "detection": "#0f7577",
    "model": "#3d4248",
    "other": "#6b5b4a",
    "removed": "#b3261e",
    "added": "#1a7f37",
    "changed": "#9a6700",
    "rewired": "#7a1fa2",
    "weights": "#0f7577",
    "unchanged": "#6b7280",
}
"""The colour of a title with white text on it, by group; each has a contrast of at least 4.5 to white."""
TITLES = {
    "weighted": "convolution, matrix",
    "elementwise": "arithmetic, logic, types",
    "activation": "activation",
    "pooling": "pooling, reduction, sorting",
    "normalization": "normalization, quantization",
    "movement": "movement, shapes",
    "recurrent": "sequence, control flow",
    "detection": "detection, image, signals",
    "model": "inputs, results, state",
    "other": "other",
    "removed": "removed",
    "added": "added",
    "changed": "changed",
    "rewired": "other inputs",
    "weights": "other weights",
    "unchanged": "as before",
}
"""What the legend calls the groups."""


def group_of(category: str) -> str:
    return GROUP.get(category, "other")

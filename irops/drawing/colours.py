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
GROUP = {category: group for group, categories in _GROUPS.items() for category in categories}
"""The group of each category; ops of other categories have the group "other"."""
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
}
"""What the legend calls the groups."""


def group_of(category: str) -> str:
    return GROUP.get(category, "other")

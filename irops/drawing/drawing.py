"""A picture of a model, in the formats that it can be written in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property

from irops.analysis.model_analysis import ModelAnalysis
from irops.drawing.details import details
from irops.drawing.dot import dot
from irops.drawing.page import page
from irops.drawing.scene import Scene, boxes
from irops.drawing.svg import svg
from irops.editing.scope import Scope
from irops.ir.pending import Pending
from irops.ir.targets import local_target

SUFFIXES = (".svg", ".html", ".dot")


@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A picture: svg, html and dot are its texts, write stores it. notes: what the picture leaves out"""

    title: str
    notes: tuple[str, ...]
    scene: Scene
    analysis: ModelAnalysis = field(repr=False)
    scope: Scope = field(repr=False)

    @cached_property
    def svg(self) -> str:
        """The picture, for light and dark displays."""
        return svg(self.scene, self.title, list(self.notes))

    @cached_property
    def html(self) -> str:
        """A page that needs no network: it pans, zooms, searches, and explains a layer on click."""
        return page(self.title, self.svg, details(self.scene, self.analysis, self.scope))

    @cached_property
    def dot(self) -> str:
        """The boxes and edges in the language of Graphviz."""
        return dot(self.scene, self.title)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the format of the suffix: .svg, .html or .dot. Raises: ValueError"""
        text = self.text(os.path.splitext(path)[1])
        with Pending(local_target(path)) as (file,):
            file.write(text.encode())

    def text(self, suffix: str) -> str:
        """The text of a format. Raises: ValueError"""
        if suffix not in SUFFIXES:
            raise ValueError(f"the suffix is {suffix!r}, must be .svg, .html or .dot")
        return str(getattr(self, suffix[1:]))

    def __len__(self) -> int:
        """The number of boxes, those inside others included."""
        return sum(1 for _ in boxes(self.scene))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing of {self.title!r}: {len(self)} boxes>"

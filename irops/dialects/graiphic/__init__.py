"""Graiphic's dialect: ONNX's, with nodes of its LabVIEW deep-learning toolkit that have parameters of the
builder. irops.editing.graiphic builds such models. See docs/graiphic.md.
"""

from __future__ import annotations

from irops.dialects.graiphic.dialect import Graiphic

DIALECT = Graiphic()

"""Graphs as Graiphic's LabVIEW deep-learning toolkit builds them: nodes that add themselves, branches that are merged.

See docs/graiphic.md.
"""
from __future__ import annotations

from irops.dialects.graiphic.graph import Graph as Graph
from irops.dialects.graiphic.node import Switched as Switched
from irops.dialects.graiphic.node import Wire as Wire

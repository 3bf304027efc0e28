"""Graphs as Graiphic's LabVIEW deep-learning toolkit builds them: nodes that add themselves, branches that
are merged.

See docs/graiphic.md.
"""

from __future__ import annotations

from irops.dialects.graiphic.export import as_onnx as as_onnx
from irops.dialects.graiphic.export import as_openvino as as_openvino
from irops.dialects.graiphic.export import export as export
from irops.dialects.graiphic.export import of_onnx as of_onnx
from irops.dialects.graiphic.graph import Graph as Graph
from irops.dialects.graiphic.node import Switched as Switched
from irops.dialects.graiphic.node import Wire as Wire

"""Graiphic's dialect: ONNX's, with nodes of its LabVIEW deep-learning toolkit that have parameters of the
builder. irops.editing.graiphic builds such models. See docs/graiphic.md.
"""

from irops.dialects.dialect import Dialect
from irops.dialects.onnx import DIALECT as ONNX
from irops.ir.model import LayerKind


class Graiphic(Dialect):
    """Graphs that are built; there are no files. Nodes that it does not define are those of an opset of
    ONNX.
    """

    name, title, base = "graiphic", "Graiphic", ONNX.name
    declares_inputs = ONNX.declares_inputs

    def layer_version(self, type: str, opset: int) -> str:
        return self.name if f"{self.name}:{type}" in self.paths else ONNX.layer_version(type, opset)

    def imports(self, opset: int) -> dict[str, int]:
        return ONNX.imports(opset)

    def layer_kind(self, type: str) -> LayerKind:
        return ONNX.layer_kind(type)


DIALECT = Graiphic()

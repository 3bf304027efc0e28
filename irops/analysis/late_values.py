"""What is computed only when it is asked for, after inference perhaps: values of constants and of layers.

Nothing here refers to the analysis or to the Facts of a layer's outputs: no cycles of references arise, and
a model and its Facts are freed as soon as nobody uses them.
"""

from __future__ import annotations

from weakref import ReferenceType

from irops.analysis.describing import facts_line, given_shape
from irops.analysis.fold import Budget, Inputs
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.structure import LayerNode
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.invocation import OpFault
from irops.ir.model import Layer, Model
from irops.ir.open_files import OpenFiles
from irops.ir.weights import constant
from irops.values.element import Array


class Constants:
    """Reads constants within a budget. unread: what is wrong with those whose values were asked for."""

    def __init__(self, model: Model, budget: Budget, files: OpenFiles) -> None:
        self._model, self._budget, self._files = model, budget, files
        self.unread: list[Diagnostic] = []

    def value(self, layer: Layer) -> Array | None:
        """The value of a constant; read, not mapped: a truncated mapping ends the process."""
        if not self._budget.affords(()):
            return None
        try:
            value = constant(self._model, layer, files=self._files)
        except DiagnosticError as error:
            self.unread.extend(error.diagnostics)
            return None
        return value if self._budget.affords((value,)) else None


class Failures:
    """Reports functions of ops that fail to compute a value. any: whether one failed"""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.any = False

    def report(
        self, node: LayerNode, inferred: ReferenceType[Inferred], inputs: Inputs, fault: OpFault
    ) -> None:
        """Add a finding, unless nobody uses what was inferred any more."""
        self.any = True
        target = inferred()
        if target is not None:
            target.findings.append(finding(self._model, node, inputs, fault))


def finding(model: Model, node: LayerNode, inputs: Inputs, fault: OpFault) -> Diagnostic:
    """A fault of a layer with an op, at the attribute or the part of the layer that it is about."""
    op, layer = node.op, node.layer
    assert op is not None
    facts = LayerFacts(layer, op, node.invocation, list(inputs))
    broken = None if fault.constraint is None else op.definition.constraints[fault.constraint]
    of = given_shape(facts) if broken is None else broken.of
    at = layer.at
    if fault.at >= 0:
        at = fault.at
    elif of and layer.data_at >= 0:
        at = layer.data_at
    place = model.location(layer, node.path, at, of[0] if len(of) == 1 else None)
    return fault.diagnostic(op, place, facts_line(facts))

"""irops: the executable specification of OpenVINO IR.

    model = irops.read("model.xml")            # and irops.write(model, "copy.xml")
    report = irops.check(model)                # every problem, with its place in the file
    facts = irops.infer(model)                 # element type, shape and value of every tensor
    results = irops.run(model, {"x": array})   # or irops.Session(model).run({"x": array})
    y = irops.call("Relu-1", array)            # one op
    grads = irops.vjp(model, inputs, cotangents)
    graph = irops.Graph("name")                # builds a model; irops.Graph(model) changes one
    part = irops.extract(model, inputs=["conv_1"], outputs=["relu_9"])
    delta = irops.diff(a, b)                   # what differs between two models
    layers = irops.compare(model, inputs, a="reference", b="openvino")    # which layer is wrong
    chain = irops.why(model, "relu", axis=1)   # where a size of a layer comes from
    small = irops.reduce(model, inputs, oracle)  # the smallest model that still fails
    image = irops.draw(model)                  # a picture, which notebooks show
    older = irops.convert(model, target="2023.0")    # what that release of OpenVINO reads
    other = irops.translate(model, to=dialect)
    table = irops.survey("models/", output="report")     # many models, and what is wrong with each

The names in __all__ are public; docs/versioning.md says what that promises. They are imported when first
used, so that importing irops costs next to nothing.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

_NAMES = {
    "irops.analysis.checks.run": "check",
    "irops.analysis.model_analysis": "infer",
    "irops.analysis.writing": "write",
    "irops.backends.backend": "Declined",
    "irops.debugging.compare.comparison": "compare",
    "irops.debugging.origins.why": "why",
    "irops.debugging.reduce.reduction": "reduce",
    "irops.diagnostics.diagnostic": (
        "DefinitionError Diagnostic DiagnosticError EvaluationError ReadError Rule Severity"
    ),
    "irops.diagnostics.report": "Report",
    "irops.dialects.reading": "read",
    "irops.dialects.registry": "Registry definition definitions",
    "irops.drawing.drawing": "draw",
    "irops.editing.conversion.convert": "ConversionWarning convert",
    "irops.editing.diff": "diff",
    "irops.editing.extraction": "extract",
    "irops.editing.graph.graph": "Graph",
    "irops.editing.translation.translate": "translate",
    "irops.files.limits": "Limits",
    "irops.ir.model": "Model",
    "irops.runtime.call": "call",
    "irops.runtime.gradients": "vjp",
    "irops.runtime.session": "Session run",
    "irops.spec.extension": "rules",
    "irops.surveys.survey": "survey",
    "irops.values.element": "tagged",
}
"""The public names that each module defines."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_HOMES)  # noqa: PLE0605

if TYPE_CHECKING:
    from irops.analysis.checks.run import check as check
    from irops.analysis.model_analysis import infer as infer
    from irops.analysis.writing import write as write
    from irops.backends.backend import Declined as Declined
    from irops.debugging.compare.comparison import compare as compare
    from irops.debugging.origins.why import why as why
    from irops.debugging.reduce.reduction import reduce as reduce
    from irops.diagnostics.diagnostic import (
        DefinitionError as DefinitionError,
        Diagnostic as Diagnostic,
        DiagnosticError as DiagnosticError,
        EvaluationError as EvaluationError,
        ReadError as ReadError,
        Rule as Rule,
        Severity as Severity,
    )
    from irops.diagnostics.report import Report as Report
    from irops.dialects.reading import read as read
    from irops.dialects.registry import (
        Registry as Registry,
        definition as definition,
        definitions as definitions,
    )
    from irops.drawing.drawing import draw as draw
    from irops.editing.conversion.convert import ConversionWarning as ConversionWarning, convert as convert
    from irops.editing.diff import diff as diff
    from irops.editing.extraction import extract as extract
    from irops.editing.graph.graph import Graph as Graph
    from irops.editing.translation.translate import translate as translate
    from irops.files.limits import Limits as Limits
    from irops.ir.model import Model as Model
    from irops.runtime.call import call as call
    from irops.runtime.gradients import vjp as vjp
    from irops.runtime.session import Session as Session, run as run
    from irops.spec.extension import rules as rules
    from irops.surveys.survey import survey as survey
    from irops.values.element import tagged as tagged
else:
    from sys import modules

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(
                f"module 'irops' has no attribute {name!r}", name=name, obj=modules[__name__]
            )
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])

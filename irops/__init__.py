"""irops: the executable specification of OpenVINO IR.

    model = irops.read("model.xml")            # and irops.write(model, "copy.xml")
    report = irops.check(model)                # every problem, with its place in the file
    facts = irops.infer(model)                 # element type, shape and value of every tensor
    results = irops.run(model, {"x": array})   # or irops.Session(model).run({"x": array})
    y = irops.call("Relu-1", array)            # one op
    grads = irops.vjp(model, inputs, cotangents)
    results, along = irops.jvp(model, inputs, tangents)
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

import sys

if (
    sys.argv[:1] == ["-m"]
    and not sys.flags.safe_path
    and sys.orig_argv[-len(sys.argv)] in ("irops", "-mirops")
):
    del sys.path[
        0
    ]  # the current folder, which may hold a typing.py of anybody: `python -m irops` is the command irops

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "ConversionWarning",
    "Declined",
    "DefinitionError",
    "Diagnostic",
    "DiagnosticError",
    "EvaluationError",
    "Graph",
    "Limits",
    "Model",
    "ReadError",
    "Registry",
    "Report",
    "Rule",
    "Session",
    "Severity",
    "bf16",
    "boolean",
    "call",
    "check",
    "compare",
    "convert",
    "definition",
    "definitions",
    "diff",
    "draw",
    "expansions",
    "extract",
    "f8e4m3",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "gradient_model",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "infer",
    "jvp",
    "nf4",
    "read",
    "reduce",
    "rules",
    "run",
    "survey",
    "tagged",
    "translate",
    "u1",
    "u4",
    "u8",
    "u16",
    "u32",
    "u64",
    "vjp",
    "why",
    "write",
]

_HOMES = {
    "check": "irops.analysis.checks.run",
    "Report": "irops.diagnostics.report",
    "Rule": "irops.diagnostics.rule",
    "Severity": "irops.diagnostics.rule",
    "rules": "irops.spec.extension",
    "Diagnostic": "irops.diagnostics.diagnostic",
    "DiagnosticError": "irops.diagnostics.diagnostic",
    "DefinitionError": "irops.diagnostics.diagnostic",
    "EvaluationError": "irops.diagnostics.diagnostic",
    "ReadError": "irops.diagnostics.diagnostic",
    "call": "irops.runtime.call",
    "Limits": "irops.files.limits",
    "Graph": "irops.editing.graph.graph",
    "extract": "irops.editing.extraction",
    "convert": "irops.editing.conversion.convert",
    "ConversionWarning": "irops.editing.conversion.convert",
    "diff": "irops.editing.diff.diff",
    "expansions": "irops.document.expanded",
    "draw": "irops.drawing.draw",
    "why": "irops.debugging.origins.why",
    "reduce": "irops.debugging.reduce.reduction",
    "Session": "irops.runtime.session",
    "run": "irops.editing.splitting.split",
    "infer": "irops.analysis.model_analysis",
    "vjp": "irops.runtime.gradients",
    "jvp": "irops.runtime.gradients",
    "gradient_model": "irops.editing.derivatives",
    "Declined": "irops.backends.declined",
    "Model": "irops.ir.model",
    "read": "irops.dialects.reading",
    "write": "irops.editing.writing",
    "Registry": "irops.registry",
    "definition": "irops.registry",
    "definitions": "irops.registry",
    "tagged": "irops.values.element",
    "translate": "irops.editing.translation.translate",
    "compare": "irops.debugging.compare.comparison",
    "survey": "irops.surveys.survey",
    "bf16": "irops.values.element",
    "boolean": "irops.values.element",
    "f16": "irops.values.element",
    "f32": "irops.values.element",
    "f64": "irops.values.element",
    "f8e4m3": "irops.values.element",
    "f8e5m2": "irops.values.element",
    "i16": "irops.values.element",
    "i32": "irops.values.element",
    "i4": "irops.values.element",
    "i64": "irops.values.element",
    "i8": "irops.values.element",
    "nf4": "irops.values.element",
    "u1": "irops.values.element",
    "u16": "irops.values.element",
    "u32": "irops.values.element",
    "u4": "irops.values.element",
    "u64": "irops.values.element",
    "u8": "irops.values.element",
}
"""The module that defines each public name."""

if TYPE_CHECKING:
    from irops.analysis.checks.run import check as check
    from irops.analysis.model_analysis import infer as infer
    from irops.backends.declined import Declined as Declined
    from irops.debugging.compare.comparison import compare as compare
    from irops.debugging.origins.why import why as why
    from irops.debugging.reduce.reduction import reduce as reduce
    from irops.diagnostics.diagnostic import DefinitionError as DefinitionError
    from irops.diagnostics.diagnostic import Diagnostic as Diagnostic
    from irops.diagnostics.diagnostic import DiagnosticError as DiagnosticError
    from irops.diagnostics.diagnostic import EvaluationError as EvaluationError
    from irops.diagnostics.diagnostic import ReadError as ReadError
    from irops.diagnostics.report import Report as Report
    from irops.diagnostics.rule import Rule as Rule
    from irops.diagnostics.rule import Severity as Severity
    from irops.dialects.reading import read as read
    from irops.document.expanded import expansions as expansions
    from irops.drawing.draw import draw as draw
    from irops.editing.conversion.convert import ConversionWarning as ConversionWarning
    from irops.editing.conversion.convert import convert as convert
    from irops.editing.derivatives import gradient_model as gradient_model
    from irops.editing.diff.diff import diff as diff
    from irops.editing.extraction import extract as extract
    from irops.editing.graph.graph import Graph as Graph
    from irops.editing.splitting.split import run as run
    from irops.editing.translation.translate import translate as translate
    from irops.editing.writing import write as write
    from irops.files.limits import Limits as Limits
    from irops.ir.model import Model as Model
    from irops.registry import Registry as Registry
    from irops.registry import definition as definition
    from irops.registry import definitions as definitions
    from irops.runtime.call import call as call
    from irops.runtime.gradients import jvp as jvp
    from irops.runtime.gradients import vjp as vjp
    from irops.runtime.session import Session as Session
    from irops.spec.extension import rules as rules
    from irops.surveys.survey import survey as survey
    from irops.values.element import bf16 as bf16
    from irops.values.element import boolean as boolean
    from irops.values.element import f8e4m3 as f8e4m3
    from irops.values.element import f8e5m2 as f8e5m2
    from irops.values.element import f16 as f16
    from irops.values.element import f32 as f32
    from irops.values.element import f64 as f64
    from irops.values.element import i4 as i4
    from irops.values.element import i8 as i8
    from irops.values.element import i16 as i16
    from irops.values.element import i32 as i32
    from irops.values.element import i64 as i64
    from irops.values.element import nf4 as nf4
    from irops.values.element import tagged as tagged
    from irops.values.element import u1 as u1
    from irops.values.element import u4 as u4
    from irops.values.element import u8 as u8
    from irops.values.element import u16 as u16
    from irops.values.element import u32 as u32
    from irops.values.element import u64 as u64
else:

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(
                f"module 'irops' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
            )
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])

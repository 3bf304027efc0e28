"""How far OpenVINO gets with a model, whether irops check agrees, and where irops is stricter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import irops
from irops.diagnostics.diagnostic import Diagnostic
from irops.work.worker import Process, ProcessDied

SECONDS = 60
UNRELATED = {"IR104", "IR106", "IR208", "IR209", "IR311", "IR405", "IR406", "IR409"}
"""Warnings that do not say that OpenVINO refuses a model."""
STRICTER = {
    "IR101": "elements lack what the format requires; OpenVINO ignores some of them",
    "IR102": "a layer has no type; OpenVINO drops it if it is unused",
    "IR103": "a number is malformed; OpenVINO reads its beginning",
    "IR107": "a section occurs twice; OpenVINO ignores one",
    "IR110": "two layers have one id; OpenVINO drops the first",
    "IR111": "two ports have one id",
    "IR112": "a dimension is malformed; OpenVINO ignores the dimensions of input ports",
    "IR113": "a precision is unknown",
    "IR114": "a runtime attribute has no value; OpenVINO reads it as empty",
    "IR201": "the model has no result",
    "IR202": "an edge ends nowhere; OpenVINO drops it if the layer is unused",
    "IR203": "an edge begins at no port",
    "IR205": "an input has no edge; OpenVINO moves the others up",
    "IR222": "a port map refers to no port",
    "IR223": "two entries feed one Parameter; OpenVINO keeps one of them",
    "IR224": "a Parameter is fed by nothing; its value is what was in memory",
    "IR225": "a back edge ends nowhere; OpenVINO drops it",
    "IR229": "two entries give one output",
    "IR226": "a purpose is unknown; OpenVINO takes the entry for one without a purpose",
    "IR301": "no such op; OpenVINO drops it if it is unused",
    "IR302": "the opset does not have the op",
    "IR303": "there is no such opset",
    "IR306": "OpenVINO drops a Result that is spelled otherwise",
    "IR312": "a required attribute is missing; OpenVINO has some default",
    "IR314": "the value of an attribute is malformed; OpenVINO reads its beginning",
    "IR315": "the value of an attribute is not one that the specification allows",
    "IR316": "an axis is out of range",
    "IR322": "the declared outputs are not those of the op",
    "IR401": "a requirement of the specification is broken",
    "IR402": "the specification does not allow the element type",
    "IR405": "declared dimensions contradict the shapes that follow",
    "IR406": "declared precisions contradict the types that follow",
    "IR503": "the size of a constant is not that of its elements; OpenVINO accepts a larger one",
    "IR505": "an attribute of a constant is malformed; OpenVINO reads its beginning",
    "IR506": "a constant has a dynamic shape",
    "IR507": "a table of strings has another number of strings than the shape",
}
"""Errors of models that OpenVINO runs all the same, and why: most files contradict themselves."""


def findings(folder: Path, xml: str, weights: bytes) -> list[Diagnostic]:
    (folder / "model.xml").write_text(xml)
    (folder / "model.bin").write_bytes(weights)
    return list(irops.check(folder / "model.xml"))


def disagreement(verdict: Verdict, found: list[Diagnostic]) -> str:
    """Why irops and OpenVINO disagree, or an empty string."""
    errors = {d.code for d in found if d.severity == "error"}
    if verdict.accepted:
        return ", ".join(sorted(errors - STRICTER.keys()))
    warnings = {d.code for d in found if d.severity == "warning"} - UNRELATED
    if verdict.stage != "run" and not errors and not warnings:
        return f"OpenVINO fails to {verdict.stage}: {verdict.message[-150:]}"
    return ""


class Verdict(NamedTuple):
    """stage: the one that fails (read, compile, run, crash), or ok; message: of the failure."""

    stage: str
    message: str = ""

    @property
    def accepted(self) -> bool:
        return self.stage == "ok"

    @property
    def refused(self) -> bool:
        """Whether OpenVINO refuses the model whatever its inputs are."""
        return self.stage in ("read", "compile")


class OpenVINO(Process):
    """The process that reads, compiles and runs models."""

    def __init__(self) -> None:
        super().__init__(_trying, (), SECONDS)

    def verdict(self, xml: str, weights: bytes) -> Verdict:
        try:
            return Verdict(*self.ask((xml, weights)))
        except ProcessDied:
            return Verdict("crash")


def _trying() -> Callable[[tuple[str, bytes]], tuple[str, str]]:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import openvino

    core = openvino.Core()
    return lambda question: _tried(openvino, core, *question)


def _tried(openvino: Any, core: Any, xml: str, weights: bytes) -> tuple[str, str]:
    import numpy as np

    stage = "read"
    try:
        model = core.read_model(xml.encode(), openvino.Tensor(np.frombuffer(weights, np.uint8).copy()))
        stage = "compile"
        compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        stage = "run"
        compiled([_input(openvino, source) for source in compiled.inputs])
    except Exception as error:
        return stage, " ".join(str(error).split())[-300:]
    return "ok", ""


def _input(openvino: Any, source: Any) -> Any:
    """A tensor of ones, of the smallest size that may be, and 2 where a size may be anything."""
    shape = source.get_partial_shape()
    sizes = [
        2 if d.is_dynamic and d.get_max_length() in (-1, 2**63 - 1) else d.get_min_length() for d in shape
    ]
    tensor = openvino.Tensor(source.get_element_type(), openvino.Shape(sizes))
    if tensor.data.dtype.kind in "biuf":
        tensor.data[...] = 1
    return tensor

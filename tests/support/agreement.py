"""How far OpenVINO gets with a model, whether irops check agrees, and where irops is stricter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tables import table

import irops
from irops.diagnostics.diagnostic import Diagnostic
from irops.work.worker import Process, ProcessDied

SECONDS = 60
UNRELATED = {"IR104", "IR106", "IR208", "IR209", "IR311", "IR405", "IR406", "IR409"}
"""Warnings that do not say that OpenVINO refuses a model."""
STRICTER = dict(table(__file__, "stricter"))
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

"""How far OpenVINO gets with a model: it reads, compiles and runs it in a process of its own."""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

SECONDS = 60


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


class OpenVINO:
    """The process, started when first asked, and again after it has died."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Any = None

    def verdict(self, xml: str, weights: bytes) -> Verdict:
        if self._process is None:
            context = get_context("spawn")
            self._pipe, other = context.Pipe()
            self._process = context.Process(target=_serve, args=(other,), daemon=True)
            self._process.start()
            other.close()
        self._pipe.send((xml, weights))
        try:
            if self._pipe.poll(SECONDS):
                return Verdict(*self._pipe.recv())
        except (EOFError, ConnectionResetError):
            pass
        self.close()
        return Verdict("crash")

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def _serve(pipe: Connection) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import openvino

    core = openvino.Core()
    while True:
        try:
            xml, weights = pipe.recv()
        except EOFError:
            return
        pipe.send(_tried(openvino, core, xml, weights))


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

"""repro.py: a program that shows the fault with nothing but the runtime and NumPy."""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from irops.diagnostics.printable import printable_lines
from irops.values.arrays import array_literal
from irops.values.element import STRING, Array, ElementType, element_type_of
from irops.values.packing import pack
from irops.verdicts.metrics import TOLERANCES

PASTED = 1 << 14
"""A program holds the model and the arrays themselves if these take at most this many bytes."""
WIDTH = 100
_SHOWN = 'print({title!r}, *(np.asarray(array).ravel()[:8] for array in {arrays}), sep="\\n")'


@dataclass(frozen=True, slots=True)
class ReproductionTarget:
    """The runtime of a program: openvino on a device with properties, onnxruntime, or a backend of irops.

    device: of openvino, or the name of the backend
    """

    name: str = "openvino"
    device: str = "CPU"
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_file(cls, model: Path) -> ReproductionTarget:
        """The runtime that reads a file, by its suffix."""
        return cls("openvino" if model.suffix == ".xml" else "onnxruntime")


@dataclass(frozen=True)
class ReproductionProgram:
    """The program for a model in a file.

    reason: why the model fails; inputs: by name, in the order of the model's inputs; expected: the results by
    position, None where there is nothing to compare with
    """

    model: Path
    reason: str
    inputs: Mapping[str, Array]
    expected: tuple[Array, ...] | None = None
    target: ReproductionTarget = field(default_factory=ReproductionTarget)

    def text(self) -> str:
        """The program; with a small model, it needs no other file."""
        parts = (self._data(), self._execution(), self._comparison())
        body = "\n".join(line for part in parts for line in part)
        standard = [f"import {name}" for name in ("base64", "zlib") if f"{name}." in body]
        path = ["from pathlib import Path"] if "Path(" in body else []
        reason = printable_lines(f"{self.reason}\n")[:-1].replace("\\", "\\\\").replace('"""', "'''")
        head = [f'"""{reason}"""', "", *standard, *path, *([""] if standard or path else [])]
        return "\n".join([*head, "import numpy as np", _LIBRARIES[self.target.name], "", body, ""])

    @property
    def is_pasted(self) -> bool:
        """Whether the program holds the model itself."""
        arrays = [*self.inputs.values(), *(self.expected or ())]
        if self.target.name == "irops" or any(array.dtype == object for array in arrays):
            return False
        if any(0 < element_type_of(array).bits < 8 for array in self.inputs.values()):
            return True  # a file has a byte for each element, OpenVINO wants them packed
        files = [path for path in (self.model, self._weights) if path.exists()]
        size = sum(path.stat().st_size for path in files) + sum(array.nbytes for array in arrays)
        return size <= PASTED

    @property
    def _weights(self) -> Path:
        return self.model.with_suffix(".bin")

    @property
    def _is_xml(self) -> bool:
        return self.model.suffix == ".xml"

    @property
    def _compared(self) -> tuple[Array, ...] | None:
        """The expected results, where NumPy has their types."""
        if self.expected is None or not all(_is_plain(element_type_of(a)) for a in self.expected):
            return None
        return self.expected

    def _data(self) -> Iterator[str]:
        if not self.is_pasted:
            yield "FOLDER = Path(__file__).resolve().parent"
            yield f"MODEL = str(FOLDER / {self.model.name!r})"
            yield from _loaded("INPUTS", "inputs.npz")
            yield from () if self._compared is None else _loaded("EXPECTED", "expected.npz")
            return
        if self._is_xml:
            text = self.model.read_text("utf-8").rstrip() + "\n"
            yield f"MODEL = {_text(text)}"
            yield from _bytes("WEIGHTS", self._weights.read_bytes() or b"\0")
        else:
            yield from _bytes("MODEL", self.model.read_bytes())
        yield from _listed("INPUTS", self.inputs.values())
        yield from () if self._compared is None else _listed("EXPECTED", self._compared)

    def _execution(self) -> Iterator[str]:
        match self.target.name:
            case "irops":
                yield f"backends = [{self.target.device!r}, 'reference']"
                yield "actual = list(irops.run(MODEL, INPUTS, backends=backends).values())"
            case "onnxruntime":
                yield 'session = ort.InferenceSession(MODEL, providers=["CPUExecutionProvider"])'
                yield "names = [port.name for port in session.get_inputs()]"
                yield "actual = session.run(None, dict(zip(names, INPUTS)))"
            case _:
                yield from self._openvino()
        yield _SHOWN.format(title="results:", arrays="actual")

    def _openvino(self) -> Iterator[str]:
        weights = "ov.Tensor(np.frombuffer(WEIGHTS, np.uint8).copy())"
        content = f"MODEL.encode(), {weights}" if self.is_pasted and self._is_xml else "MODEL"
        yield 'print("OpenVINO", ov.get_version())'
        yield "core = ov.Core()"
        yield f"model = core.read_model({content})"
        device, properties = self.target.device, dict(self.target.properties)
        yield f"compiled = core.compile_model(model, {device!r}, {properties!r})"
        yield "request = compiled.create_infer_request()"
        yield "for index, array in enumerate(INPUTS):"
        kinds = [element_type_of(array) for array in self.inputs.values()]
        if all(_is_plain(kind) or kind is STRING for kind in kinds):
            yield "    request.set_input_tensor(index, ov.Tensor(np.ascontiguousarray(array)))"
        else:  # NumPy lacks a type: the array has its bytes
            shapes = [list(array.shape) for array in self.inputs.values()]
            yield f"    shape = ov.Shape({shapes}[index])"
            yield "    tensor = ov.Tensor(compiled.inputs[index].get_element_type(), shape)"
            yield "    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)"
            yield "    tensor.data.reshape(-1).view(np.uint8)[:] = raw"
            yield "    request.set_input_tensor(index, tensor)"
        yield "request.infer()"
        yield "actual = [request.get_output_tensor(k).data for k in range(len(compiled.outputs))]"

    def _comparison(self) -> Iterator[str]:
        if self._compared is None:
            return
        yield _SHOWN.format(title="expected:", arrays="EXPECTED")
        yield "for result, right in zip(actual, EXPECTED):"
        tolerances = [TOLERANCES.get(element_type_of(array).name, (0.0, 0.0)) for array in self._compared]
        relative, absolute = max(tolerances, default=(0.0, 0.0))
        yield f"    np.testing.assert_allclose(result, right, rtol={relative}, atol={absolute})"


_LIBRARIES = {"openvino": "import openvino as ov", "onnxruntime": "import onnxruntime as ort"} | {
    "irops": "\nimport irops"
}


def _text(text: str) -> str:
    """A text in Python: as it stands, unless something in it would end the string, or hide."""
    return f'r"""{text}"""' if '"""' not in text and printable_lines(text) == text else repr(text)


def _loaded(name: str, file: str) -> Iterator[str]:
    yield f'with np.load(FOLDER / "{file}") as arrays:'
    yield f"    {name} = [arrays[name] for name in arrays.files]"


def _listed(name: str, arrays: Iterable[Array]) -> Iterator[str]:
    """Arrays as literals; where NumPy lacks the type of the elements, their bytes."""
    yield f"{name} = ["
    for array in arrays:
        kind = element_type_of(array)
        stored = array if _is_plain(kind) else np.frombuffer(pack(array, kind), np.uint8)
        literal = f"{array_literal(stored)},"
        if "'" in literal:
            yield f"    {literal}"
        else:
            yield from textwrap.wrap(literal, WIDTH, initial_indent="    ", subsequent_indent="    ")
    yield "]"


def _bytes(name: str, content: bytes) -> Iterator[str]:
    if len(content) <= WIDTH // 4:
        yield f"{name} = {content!r}"
        return
    packed = base64.b85encode(zlib.compress(content, 9)).decode()
    yield f"{name} = zlib.decompress("
    yield "    base64.b85decode("
    yield from (f"        {packed[start : start + 80]!r}" for start in range(0, len(packed), 80))
    yield "    )"
    yield ")"


def _is_plain(kind: ElementType) -> bool:
    """Whether NumPy has an element type, with elements of whole bytes."""
    return kind.name in ("boolean", "f16", "f32", "f64") or (kind.integral and kind.bits in (8, 16, 32, 64))

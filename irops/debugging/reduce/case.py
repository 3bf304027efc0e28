"""A model with inputs, which an oracle judges; its files, repro.py among them, and simpler arrays for it."""

import base64
import os
import textwrap
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.writing import write
from irops.debugging.sources.workers import weights_file, write_text
from irops.diagnostics.printable import printable_lines
from irops.dialects import dialect_of
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.files.output import PendingFiles
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.numpy_files import save_all
from irops.ir.weights import Region, region_of
from irops.ir.write import document
from irops.runtime.session import run
from irops.values.arrays import array_literal
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged, zeros
from irops.values.packing import pack
from irops.verdicts.metrics import TOLERANCES

PLAIN = ("f32", "i32")
FEW = 8
"""A vector of at most this many elements may contain axes, sizes or lengths."""


def shorter(size: int, smallest: int = 0) -> Iterator[slice]:
    """Shorter slices of an axis, from its start and from its end."""
    for length in dict.fromkeys((smallest, 1, size // 2, size - 1)):
        if smallest <= length < size:
            yield slice(0, length)
            yield slice(size - length, size)


def sliced(array: Array, axes: Collection[int], cut: slice) -> Array:
    """A copy of the slice of an array along some axes."""
    whole = slice(None)
    return array[tuple(cut if axis in axes else whole for axis in range(array.ndim))].copy()


def axes_of(array: Array, size: int) -> set[int]:
    """The axes of a size."""
    return {axis for axis, length in enumerate(array.shape) if length == size}


def in_plain_types(array: Array) -> Iterator[Array]:
    """The same numbers in a plain type."""
    kind = element_type_of(array)
    if kind is STRING or kind.name in PLAIN:
        return
    for name in PLAIN:
        plain = element_type(name)
        if (plain.floating, plain.integral) == (kind.floating, kind.integral):
            with np.errstate(all="ignore"):
                yield array.astype(plain.dtype)


def counting(shape: tuple[int, ...], kind: ElementType) -> Array:
    """Consecutive numbers from 0, which start again where the type has no greater ones."""
    numbers = np.arange(int(np.prod(shape))) % (1000 if kind.bits > 8 else 2 ** (kind.bits - 1))
    return tagged(
        numbers.reshape(shape).astype(np.uint8 if kind.dtype == np.uint8 else np.float32).astype(kind.dtype),
        kind,
    )


def may_be_parameters(array: Array) -> bool:
    """Whether an array may contain axes, sizes or lengths. These are lowered; other arrays are replaced by
    consecutive numbers.
    """
    return array.ndim == 1 and array.size <= FEW


def lower_numbers(array: Array) -> Iterator[Array]:
    """The array with one positive element lowered."""
    kind = element_type_of(array)
    if not may_be_parameters(array) or not (kind.integral or kind.floating):
        return
    for index in np.ndindex(array.shape):
        number = float(array[index])
        if 0 < number < 2.0**53:  # f64 has all integers up to there
            for lower in dict.fromkeys((0, number // 2, number - 1)):
                if 0 <= lower < number:
                    changed = array.copy()
                    changed[index] = lower
                    yield changed


def plainer(array: Array) -> Iterator[Array]:
    """Arrays of the same type and shape that are easier to read, the easiest first, up to the array itself:
    zeros, ones, consecutive numbers, whole numbers.
    """
    kind = element_type_of(array)
    if kind is STRING or not array.size or not (kind.integral or kind.floating):
        return
    wide = np.float64 if kind.bits > 32 else np.float32
    with np.errstate(all="ignore"):
        candidates = (
            zeros(array.shape, kind),
            np.ones(array.shape, np.uint8 if kind.dtype == np.uint8 else np.float32).astype(kind.dtype),
            counting(array.shape, kind),
            (np.rint(array.astype(wide)) + 0).astype(array.dtype) if kind.floating else array,
        )
    for candidate in candidates:
        plain = tagged(candidate, kind)
        if plain.tobytes() == array.tobytes():
            return
        yield plain


_PASSIVE = (LayerKind.PARAMETER, LayerKind.RESULT, LayerKind.CONSTANT)


@dataclass(frozen=True)
class Case:
    """A model and values for its inputs, by the names of its Parameters; none where they do not matter.

    registry: of its ops, None for the default one; limits: for all that is done with it
    """

    model: Model
    inputs: Mapping[str, Array]
    registry: Registry | None = None
    limits: Limits = field(default_factory=Limits)

    def with_model(self, model: Model, inputs: Mapping[str, Array] | None = None) -> "Case":
        """The case with another model. inputs: in place of those of the case; only those that it has count"""
        names = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
        given = self.inputs if inputs is None else inputs
        return replace(self, model=model, inputs={n: array for n, array in given.items() if n in names})

    def __repr__(self) -> str:
        return f"<Case of {self.operations} operations>"

    @cached_property
    def operations(self) -> int:
        """How many layers compute something, those of bodies included."""
        return sum(computes(layer) for _, layer in self.model.walk())

    @cached_property
    def analysis(self) -> ModelAnalysis:
        """The analysis of the model, which the checks and judges of a reduction share."""
        return analyse(self.model, self.registry, self.limits)

    @property
    def given(self) -> dict[str, Array]:
        """The values of inputs, in the order of the model."""
        ports = self.analysis.signature.inputs
        return {port.name: self.inputs[port.name] for port in ports if port.name in self.inputs}

    @cached_property
    def key(self) -> str:
        """The same for equal models with equal inputs alone."""
        digest = blake2b(digest_size=16)
        for piece in self._pieces():
            digest.update(piece)
        return digest.hexdigest()

    def _pieces(self) -> Iterator[bytes | memoryview]:
        for text in document(self.model, lambda layer: layer.data):
            yield text.encode("utf-8", "surrogatepass")
        weights = self.model.weights
        for _, layer in self.model.walk():
            if layer.is_constant and weights is not None:
                region = region_of(layer)
                if isinstance(region, Region) and region.end <= weights.size:
                    yield weights.digest(region.offset, region.size)
        for name, array in sorted(self.inputs.items()):
            kind = element_type_of(array)
            yield f"{name} {kind} {array.shape}".encode("utf-8", "surrogatepass")
            yield repr(array.tolist()).encode() if kind is STRING else array.tobytes()


def computes(layer: Layer) -> bool:
    """Whether a layer computes something: it is no input, no result and no constant."""
    return layer.kind not in _PASSIVE


STEM, PROGRAM, EXPECTED = "reduced", "repro.py", "expected.npz"
INPUTS = "inputs.npz"
LINKED = 64 << 20
"""A candidate does not copy more bytes of weights than this, where it can refer to the model's own file."""


def write_case(case: Case, folder: Path, *, link: bool = False) -> tuple[Path, Path]:
    """Write reduced.xml with reduced.bin (or a file of the model's format) and inputs.npz.

    link: make reduced.bin a link to the weights if they have more than LINKED bytes and need no change

    Returns: the paths of model and inputs

    The arrays of the inputs are in the order of the model's inputs, by the names of their layers.
    """
    suffixes = dialect_of(case.model).suffixes
    model, inputs = folder / f"{STEM}{suffixes[0] if suffixes else '.xml'}", folder / INPUTS
    stored = case.model.weights
    weights = weights_file(case.model) if link and stored is not None and stored.size > LINKED else None
    if weights is not None:
        write_text(case.model, model)
        model.with_suffix(".bin").symlink_to(weights)
    else:
        write(case.model, model, registry=case.registry)
    save_all(os.fspath(inputs), case.given)
    return model, inputs


def write_reproduction(
    case: Case, folder: Path, title: str, target: "ReproductionTarget | None", right: Case | None
) -> tuple[str, ...]:
    """Write a case with a program that shows the fault; the names of the files.

    title: what the program says of itself; target: what it runs, None for the runtime of the dialect;
    right: gives the right results by the reference, with which the program compares; None for no results
    """
    folder.mkdir(parents=True, exist_ok=True)
    model, _ = write_case(case, folder)
    files = [model.name, *([f"{STEM}.bin"] if model.suffix == ".xml" else []), INPUTS]
    expected = None if right is None else tuple(run(right.analysis, right.inputs).values())
    if right is not None and right is not case:
        write(right.model, folder / f"right{model.suffix}", registry=right.registry)
        save_all(os.fspath(folder / "right.npz"), right.given)
        files += [f"right{model.suffix}", "right.npz"]
    if expected is not None:
        save_all(os.fspath(folder / EXPECTED), {str(k): array for k, array in enumerate(expected)})
        files.append(EXPECTED)
    runtime = target or ReproductionTarget.of_file(model)
    text = ReproductionProgram(model, title, case.given, expected, runtime).text()
    with PendingFiles(folder / PROGRAM) as (file,):
        file.write(text.encode())
    return (*files, PROGRAM)


# repro.py: a program that shows the fault with nothing but the runtime and NumPy.


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
    def of_file(cls, model: Path) -> "ReproductionTarget":
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

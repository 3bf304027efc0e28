"""Stored tensors as a source: a mapping, an .npz file, a folder of .npy files or of OpenVINO's blob dumps."""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path

import numpy as np

from irops.analysis.signature import Port
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, Values
from irops.diagnostics.printable import in_json
from irops.ir.model import Layer
from irops.ir.numpy_files import DEFAULT, UnreadableFileError, load_member, load_one, member_names
from irops.ir.pending import Pending, encoded
from irops.ir.regular import bounded_bytes
from irops.ir.targets import require_own_files
from irops.ir.tensor_files import as_declared, write_array
from irops.ir.unique import UniqueNames
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, element_type, element_type_of

# Tensors that OpenVINO's CPU plug-in dumps (OV_CPU_BLOB_DUMP_DIR, in builds with debug capabilities).
#
# A file has a header of 72 bytes (magic, version, precision, rank, seven sizes, scaling axis; offset and size
# of the data) and the elements without padding. Files are called #<execution>_<node type>_<name>_out<k>.ieb.

DUMP_SUFFIX = ".ieb"
_NAME = re.compile(r"#\d+_[A-Za-z0-9]+_(.+)_out(\d+)\.ieb")
_HEADER = struct.Struct("<4s2sBB7IB3x4Q")
_SUBSTITUTES = str.maketrans({"\\": "_", "/": "_", " ": "_", ":": "-"})
_COMPUTED_AS = {
    ("f32", 2): "bf16",
    ("f64", 4): "f32",
    ("i64", 4): "i32",
    ("u64", 4): "i32",
    ("f16", 4): "f32",
}
"""The types that the plug-in computes tensors of a declared type in, by their number of bytes."""


def dump_name(name: str, output: int) -> str:
    """How files of dumps call the output of a layer."""
    return f"{name.translate(_SUBSTITUTES)}:{output}"


def dump_names(file: str) -> tuple[str, ...]:
    """The output that a file is of; none for inputs and weights."""
    match = _NAME.fullmatch(file)
    return (f"{match[1]}:{match[2]}",) if match else ()


def read_dump(path: Path, kind: ElementType) -> Array:
    """The tensor in a file, in the declared type of its layer. Raises: ValueError, OSError"""
    content = bounded_bytes(path, int(DEFAULT.tensor_bytes))
    if len(content) < _HEADER.size or content[:4] != b"IEB0":
        raise ValueError(f"{path} is not a blob dump")
    _, _, _, rank, *rest = _HEADER.unpack_from(content)
    sizes, offset, size = tuple(rest[: min(rank, 7)]), rest[8], rest[9]
    count = prod(sizes)
    if rank > 7 or offset + size > len(content) or (count and size % count):
        raise ValueError(f"{path} is cut off, or is not a blob dump")
    width = size // count if count else 0
    stored = _stored_type(kind, width)
    if count and stored.dtype.itemsize != width:
        raise ValueError(f"{path} has elements of {width} bytes; the layer gives {kind}")
    array = np.frombuffer(content, stored.dtype, count, offset).reshape(sizes)
    return array if stored is kind else array.astype(kind.dtype)


def _stored_type(kind: ElementType, width: int) -> ElementType:
    if kind is BOOLEAN:
        return element_type("u8")
    return element_type(_COMPUTED_AS.get((kind.name, width), kind.name))


INDEX = "values.json"
"""In a folder of recorded values: the file of each value by name, with its element type."""
UNFINISHED = {"schema": 1, "unfinished": True}
"""The content of the index while values are recorded, so that nothing reads values of two recordings."""

Loader = Callable[[ElementType], Array]
"""Loads an array; elements of a type that NumPy lacks are stored as their bits."""


class SourceError(ValueError):
    """A text names no source, or the file that it names cannot be read."""


class Stored(Source):
    """Values by name: of a layer, "layer:1" for its output 1, or of a tensor."""

    judges_layers = True

    def __init__(self, values: Mapping[str, Array | Loader], name: str = "stored values") -> None:
        self.name = name
        self._values = dict(values)

    def names(self) -> tuple[str, ...]:
        """The names of all values."""
        return tuple(self._values)

    def walk(self, context: Context) -> Iterator[LayerValue]:
        facts = context.analysis.infer()
        for node in context.analysis.root.order:
            known = facts.of(node.layer.id).outputs
            types = [
                known[k].element_type if k < len(known) else DYNAMIC for k in range(len(node.layer.outputs))
            ]
            outputs = tuple(self.output(context, node.layer, index, kind) for index, kind in enumerate(types))
            if any(array is not None for array in outputs):
                yield LayerValue(node.layer.id, outputs)

    def value(self, layer: Layer, index: int, kind: ElementType) -> Array | None:
        """The stored output of a layer; None where there is none."""
        names = [f"{layer.name}:{index}", *layer.outputs[index].names, dump_name(layer.name, index)]
        if len(layer.outputs) == 1 or index == 0:
            names.insert(0, layer.name)
        stored = next((self._values[name] for name in names if name in self._values), None)
        return None if stored is None else _loaded(stored, kind)

    def output(self, context: Context, layer: Layer, index: int, kind: ElementType) -> Array | None:
        """The stored output of a layer, which may be stored as a result of the model; None where there is
        none.
        """
        found = self.value(layer, index, kind)
        if found is not None:
            return found
        users = {user.id for user, _ in context.analysis.root.wiring.consumers.get((layer.id, index), ())}
        ports = (port for port in context.analysis.signature.results if port.layer.id in users)
        results = (self.result(port, kind) for port in ports)
        return next((array for array in results if array is not None), None)

    def named(self, name: str, kind: ElementType) -> Array:
        """The value of a name. Raises: KeyError"""
        return _loaded(self._values[name], kind)

    def unknown(self, context: Context) -> list[str]:
        """The names of values that are of no layer and no tensor of a model."""
        known: set[str] = set()
        for node in context.analysis.root.order:
            known.add(node.layer.name)
            for index, output in enumerate(node.layer.outputs):
                known.update((f"{node.layer.name}:{index}", *output.names, dump_name(node.layer.name, index)))
        return [name for name in self._values if name not in known]

    def results(self, context: Context) -> Values | Failure:
        found: Values = {}
        inferred = context.analysis.infer()
        for port in context.analysis.signature.results:
            source = context.analysis.root.wiring.first(port.layer.id)
            assert source is not None
            known = inferred.of(port.layer.id).inputs[0]
            kind = DYNAMIC if known is None else known.element_type
            array = self.result(port, kind)
            if array is None:
                array = self.value(source[0], source[1], kind)
            if array is not None:
                found[port.name] = array
        return found

    def result(self, port: Port, kind: ElementType) -> Array | None:
        """The value that is stored under the name of a result; None where there is none."""
        stored = next((self._values[name] for name in port.names if name in self._values), None)
        return None if stored is None else _loaded(stored, kind)


def _loaded(stored: Array | Loader, kind: ElementType) -> Array:
    return stored(kind) if callable(stored) else as_declared(np.asarray(stored), kind)


def stored_source(path: str) -> Stored:
    """The values in a file or a folder. Raises: SourceError"""
    try:
        if os.path.isdir(path):
            return Stored(_folder(Path(path)), path)
        if path.endswith(".npy"):
            return Stored({Path(path).stem: _npy(Path(path))}, path)
        return Stored({name: _member(path, member) for name, member in member_names(path).items()}, path)
    except UnreadableFileError as error:
        raise SourceError(str(error)) from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None


def _folder(folder: Path) -> dict[str, Array | Loader]:
    index = folder / INDEX
    if index.is_file():
        try:
            content = json.loads(bounded_bytes(index))
            if content == UNFINISHED:
                raise SourceError(f"the values in {folder} were not recorded to the end; record them again")
            entries = content["values"]
            return {
                name: _npy(folder / Path(entry["file"]).name, element_type(entry["type"], foreign=True))
                for name, entry in entries.items()
            }
        except SourceError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise SourceError(f"{index} is not an index of recorded values: {error!r}") from None
    values: dict[str, Array | Loader] = {path.stem: _npy(path) for path in sorted(folder.glob("*.npy"))}
    for path in sorted(folder.glob(f"*{DUMP_SUFFIX}")):
        for name in dump_names(path.name):
            values.setdefault(name, _dump(path))
    if not values:
        raise SourceError(f"{folder} has no .npy files and no blob dumps ({DUMP_SUFFIX})")
    return values


def _npy(path: Path, stored_type: ElementType | None = None) -> Loader:
    return _loader(lambda: load_one(os.fspath(path)), stored_type)


def _member(path: str, member: str) -> Loader:
    return _loader(lambda: load_member(path, member))


def _loader(load: Callable[[], Array], stored_type: ElementType | None = None) -> Loader:
    def loaded(kind: ElementType) -> Array:
        try:
            return as_declared(load(), stored_type or kind)
        except ValueError as error:  # UnreadableFileError, and elements that the type does not have
            raise SourceError(str(error)) from None

    return loaded


def _dump(path: Path) -> Loader:
    def load(kind: ElementType) -> Array:
        try:
            return read_dump(path, kind)
        except (OSError, ValueError) as error:
            raise SourceError(str(error)) from None

    return load


def save_values(source: Source, context: Context, folder: str | os.PathLike[str]) -> int:
    """Record the values of all layers and results in a folder, one .npy file each, and an index; how many
    there are.

    Raises:  OSError; what the source raises
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    present = [path.name for path in target.iterdir()]
    require_own_files(target, present, written_before=INDEX in present)
    _write_index(target, UNFINISHED)
    names = UniqueNames()
    entries: dict[str, dict[str, str]] = {}
    for value in source.walk(context):
        layer = context.analysis.root.layers[value.layer].layer
        for index, array in enumerate(value.outputs):
            if array is not None:
                name = layer.name if len(layer.outputs) == 1 else f"{layer.name}:{index}"
                if name in entries:
                    continue
                entries[name] = _saved(array, target, names.unique(f"{value.layer}_{index}"))
    results = source.results(context)  # of another model, they need not be values of layers of this one
    for name, array in {} if isinstance(results, Failure) else results.items():
        if name not in entries:
            entries[name] = _saved(array, target, names.unique("result"))
    document = {"schema": 1, "source": source.name, "model": context.model.name, "values": entries}
    _write_index(target, document)
    return len(entries)


def _saved(array: Array, folder: Path, stem: str) -> dict[str, str]:
    file = f"{stem}.npy"
    with Pending(folder / file) as (stream,):
        write_array(stream, array)
    return {"file": file, "type": element_type_of(array).name}


def _write_index(folder: Path, document: Mapping[str, object]) -> None:
    with Pending(folder / INDEX) as (stream,):
        stream.write(encoded(in_json(document, indent=1)))

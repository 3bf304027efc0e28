"""Where the definitions of other dialects lie, and which file holds which version of an op."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from irops.spec.onnx_opsets import ONNX, onnx_opsets
from irops.spec.schemas import schemas_folder

GRAIPHIC = "graiphic"
DIALECTS = (ONNX, GRAIPHIC)
FRAME = ("Const", "Parameter", "Result")
"""What a graph is tied to its surroundings with; ONNX has no nodes for it, irops has layers."""


class DialectFiles:
    """The definitions of other dialects by id; a file of ONNX's holds the versions of an op up to the next
    file of the op.
    """

    def __init__(self) -> None:
        self.paths: dict[str, Path] = {}
        for dialect in DIALECTS:
            for path in sorted((schemas_folder() / dialect).glob("*.xml")):
                if path.stem != "opsets":
                    self.paths[f"{dialect}:{path.stem}"] = path
        self._first: dict[str, list[int]] = {}
        for dialect, name, number in map(parted, self.paths):
            if dialect == ONNX:
                self._first.setdefault(name, []).append(number)

    def find(self, id: str) -> tuple[Path, int | None] | None:
        """The file that holds an op of another dialect, and which version of it that is; None where no file
        does.
        """
        dialect, name, number = parted(id)
        if dialect != ONNX or id in self.paths:
            return (self.paths[id], number if dialect == ONNX else None) if id in self.paths else None
        first = max((n for n in self._first.get(name, ()) if n <= number), default=None)
        if first is None or number not in onnx_opsets().since.get(name, ()):
            return None
        return self.paths[f"{ONNX}:{name}-{first}"], number

    def versions(self, file_id: str) -> tuple[str, ...]:
        """The ids of all versions that a file holds, the oldest first."""
        dialect, name, number = parted(file_id)
        if dialect != ONNX:
            return (file_id,)
        end = min((n for n in self._first[name] if n > number), default=None)
        held = [n for n in onnx_opsets().since.get(name, ()) if n > number and (end is None or n < end)]
        return tuple(f"{ONNX}:{name}-{n}" for n in (number, *held))

    def named(self, dialect: str, type: str, opset: int) -> str | None:
        """The id of the version of an op that an opset means; None where no file holds it."""
        if type in FRAME:
            return f"{dialect}:{type}-1"
        number = onnx_opsets().version(type, opset)
        name = f"{ONNX}:{type}-{number}"
        return None if number is None or self.find(name) is None else name


def parted(id: str) -> tuple[str, str, int]:
    """The dialect, the type and the number of an id: ("onnx", "Relu", 13); the number is 0 where it
    has none.
    """
    dialect, _, whole = id.rpartition(":")
    name, dash, number = whole.rpartition("-")
    return (dialect, name, int(number)) if dash and number.isdigit() else (dialect, whole, 0)


@cache
def dialect_files() -> DialectFiles:
    return DialectFiles()

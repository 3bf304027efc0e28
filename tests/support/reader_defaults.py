"""What OpenVINO reads where an attribute is left out, measured; as a script, writes the file of the tests.

python tests/support/reader_defaults.py
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models_without import Without, models_without
from read_by_openvino import Reading, read_all

FILE = Path(__file__).parents[1] / "conformance" / "reader_defaults.json"
CASES = 3
"""How many examples of each op are measured."""


@dataclass
class Left:
    """What OpenVINO makes of an attribute that is left out.

    read: the different texts that it then has, None where it is not written; refused: whether a model
    without the attribute is refused, that with it is read.
    """

    read: tuple[str | None, ...] = ()
    refused: bool = False


def measure(cases: int = CASES) -> dict[str, dict[str, Left]]:
    """By op and attribute."""
    found: dict[str, dict[str, Left]] = {}
    readable = False
    for model, reading in _readings(cases):
        if not model.attribute:
            readable = not isinstance(reading, str)
        elif readable:
            left = found.setdefault(model.op.id, {}).setdefault(model.attribute, Left())
            if isinstance(reading, str):
                left.refused = True
            elif reading.get(model.attribute) not in left.read:
                left.read += (reading.get(model.attribute),)
    return found


def _readings(cases: int) -> Iterator[tuple[Without, Reading]]:
    models = list(models_without(cases))
    yield from zip(models, read_all((m.op.definition.type, m.text, m.weights) for m in models))


def stored() -> dict[str, dict[str, Left]]:
    """The measurements of the file."""
    return {
        op: {name: Left(tuple(left["read"]), left["refused"]) for name, left in attributes.items()}
        for op, attributes in json.loads(FILE.read_text())["ops"].items()
    }


def _text(measured: dict[str, dict[str, Left]]) -> str:
    import openvino

    ops: dict[str, Any] = {
        op: {name: {"read": left.read, "refused": left.refused} for name, left in attributes.items()}
        for op, attributes in sorted(measured.items())
    }
    lines = [f"  {json.dumps(op)}: {json.dumps(attributes)}" for op, attributes in ops.items()]
    version = json.dumps(openvino.get_version())
    return f'{{"openvino": {version}, "ops": {{\n' + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    FILE.write_text(_text(measure()))

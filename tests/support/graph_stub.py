"""The stub of graph.ops, from which editors and type checkers know the ops, their inputs and attributes.

python tests/support/graph_stub.py writes it anew.
"""

import textwrap
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path

import irops.editing.graph as package
from irops.diagnostics.printable import paragraphs
from irops.dialects.registry import default_registry
from irops.ir.model import LayerKind, kind_of
from irops.spec.definition import Attribute, Definition, PortSpec
from irops.spec.load import examples
from irops.spec.releases import opsets

PLACE = Path(package.__path__[0], "ops.pyi")
_HEAD = '''"""graph.ops: the ops of a graph's opset; made by python tests/support/graph_stub.py."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from irops.editing.graph.base import Base
from irops.editing.graph.node import Value
from irops.values.element import Array, TypeLike
from irops.values.shape import Shape

class Tensor(Protocol):
    def __dlpack__(self, *args: Any, **keywords: Any) -> Any: ...

Operand = Value | Array | np.generic | Tensor | Sequence[Any] | float | bool | str
"""A Value; or what becomes a constant: an array of any library, a number, nested lists."""

class Ops:
    def __init__(self, graph: Base) -> None: ...
'''
_TYPES = {
    "bool": "bool",
    "int": "int",
    "axis": "int",
    "float": "float",
    "string": "str",
    "element_type": "TypeLike",
    "ints": "Sequence[int]",
    "axes": "Sequence[int]",
    "dims": "Sequence[int]",
    "floats": "Sequence[float]",
    "strings": "Sequence[str]",
    "shape": "str | Sequence[int] | Shape",
}
_WIDTH = 100


def stub() -> str:
    """The text of the stub: a method for each op, and the names that OpenVINO's C++ classes have."""
    methods = {definition.type: _method(definition) for definition in _definitions()}
    names = (f"    {name} = {op}\n" for name, op in opsets().classes.items() if op in methods)
    return _HEAD + "".join((*methods.values(), *names))


def _definitions() -> Iterator[Definition]:
    """The newest version of every op of OpenVINO that takes part in graphs as a node of its own."""
    registry = default_registry()
    for versions in sorted(opsets().versions.values(), key=lambda v: v[-1].type):
        newest = versions[-1]
        if kind_of(newest.type) in (LayerKind.OPERATION, LayerKind.SINK):
            definition = registry.op(newest.id).definition
            if not definition.bodies:
                yield definition


def _method(definition: Definition) -> str:
    attributes = list(definition.attributes.values())
    names = {attribute.parameter for attribute in attributes}
    parts = ["self", *(_input(port, names) for port in definition.inputs)]
    variadic = bool(definition.inputs) and definition.inputs[-1].variadic
    parts += [] if variadic else ["*"]
    parts += [_attribute(attribute) for attribute in sorted(attributes, key=lambda a: not a.required)]
    parts.append("name: str | None = None")
    lines = "".join(f"        {part},\n" for part in parts)
    return f"    def {definition.type}(\n{lines}    ) -> {_returns(definition)}:\n{_docstring(definition)}\n"


def _input(port: PortSpec, attributes: set[str]) -> str:
    name = port.name + "_" * (port.name in attributes or iskeyword(port.name))
    if port.variadic:
        return f"*{name}: Operand"
    return f"{name}: Operand | None = None" if port.optional else f"{name}: Operand"


def _attribute(attribute: Attribute) -> str:
    kind = _TYPES.get(attribute.type)
    if kind is None:  # an enumeration
        kind = f"Literal[{', '.join(repr(value) for value in attribute.values)}]"
    if attribute.required and attribute.default is None:
        return f"{attribute.parameter}: {kind}"
    return f"{attribute.parameter}: {kind} | None = None"


def _returns(definition: Definition) -> str:
    outputs = definition.outputs
    if len(outputs) == 1 and not outputs[0].variadic:
        return "Value"
    counts = {sum(tensor.output for tensor in case.tensors) for case in examples(definition)}
    return "Value | tuple[Value, ...]" if 1 in counts and not outputs[-1].variadic else "tuple[Value, ...]"


def _docstring(definition: Definition) -> str:
    """The summary, and what each input and attribute is."""
    lines = [*textwrap.wrap(f'"""{definition.id}: {definition.summary}', _WIDTH), ""]
    for port in definition.inputs:
        lines += _wrapped(port.name, port.text)
    for attribute in definition.attributes.values():
        default = "" if attribute.default is None else f" Default: {attribute.default}."
        lines += _wrapped(attribute.parameter, f"{attribute.text}{default}")
    text = "\n".join([*lines, '"""'] if len(lines) > 2 else [f'{lines[0]}"""'])
    return textwrap.indent(text.replace("\\", "\\\\"), " " * 8)


def _wrapped(name: str, text: str) -> list[str]:
    joined = " ".join(paragraphs(text))
    return textwrap.wrap(f"{name}: {joined}", _WIDTH - 8, subsequent_indent="    ")


def main() -> None:
    """Write the stub."""
    PLACE.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()

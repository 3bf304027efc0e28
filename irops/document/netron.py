"""The ops in the form of Netron's metadata of OpenVINO, by which its sidebar describes layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from irops.diagnostics.printable import json_text
from irops.document.site import publish
from irops.document.views import domain_text
from irops.ir.pending import encoded
from irops.registry import Registry
from irops.spec.definition import Attribute, Definition, PortSpec
from irops.spec.domains import parse

FILE = "openvino-metadata.json"
"""The name that the file has in Netron."""
CATEGORIES = {
    "activation": "Activation",
    "condition": "Control",
    "convolution": "Layer",
    "infrastructure": "Control",
    "matrix": "Layer",
    "movement": "Transform",
    "normalization": "Normalization",
    "pooling": "Pool",
    "quantization": "Quantization",
    "sequence": "Layer",
    "shape": "Shape",
    "type": "Transform",
}
"""Netron's categories, which choose the colour of a layer; layers of other ops have none."""
TYPES = {
    "int": "int64",
    "axis": "int64",
    "ints": "int64[]",
    "axes": "int64[]",
    "float": "float32",
    "floats": "float32[]",
    "bool": "boolean",
}
"""Netron's names of types; all others are strings."""


def write_netron(registry: Registry, folder: str) -> int:
    """Write the file into a folder; return the number of files."""

    def fill(new_folder: Path) -> int:
        (new_folder / FILE).write_bytes(encoded(json_text(netron_metadata(registry))))
        return 1

    return publish(folder, fill)


def netron_metadata(registry: Registry) -> list[dict[str, Any]]:
    """An entry for each op type: Netron does not distinguish versions, so it describes the newest."""
    types = dict.fromkeys(registry.op(op).definition.type for op in registry.ids())
    return [_entry(registry.named(op_type).definition) for op_type in types]


def _entry(definition: Definition) -> dict[str, Any]:
    category = CATEGORIES.get(definition.category)
    formula = f"\n\n```\n{definition.formula}\n```" if definition.formula else ""
    return {
        "name": definition.type,
        **({} if category is None else {"category": category}),
        "description": f"{definition.summary}\n\n{definition.description}".strip() + formula,
        "attributes": [_attribute(one) for one in definition.attributes.values() if not one.builder],
        "inputs": [_port(port) for port in definition.inputs],
        "outputs": [_port(port) for port in definition.outputs],
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    domain = domain_text(attribute)
    entry: dict[str, Any] = {
        "name": attribute.name,
        "description": f"{attribute.text} ({domain})" if domain else attribute.text,
        "type": TYPES.get(attribute.type, "string"),
    }
    if attribute.required:
        entry["required"] = True
    elif attribute.default is not None:
        entry["default"] = _default(attribute, attribute.default)
    return entry


def _default(attribute: Attribute, text: str) -> Any:
    value = parse(attribute, text)
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, (bool, int, float)) else text


def _port(port: PortSpec) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": port.name, "description": port.text}
    return entry | {
        key: True for key, applies in (("optional", port.optional), ("list", port.variadic)) if applies
    }

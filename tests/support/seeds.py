"""Files to start fuzzing from: the repository's own, one of each example of each definition, and those of
corpora, where there are any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mutations import Seed

from irops.conformance.cases import inputs_of
from irops.dialects.registry import default_registry
from irops.spec.definition import ExampleCase, Tensor
from irops.spec.load import counterexamples, examples
from irops.spec.op import Op
from irops.values.element import DYNAMIC
from irops.values.packing import pack

ROOT = Path(__file__).parents[2]
LARGEST = 60_000
"""Larger texts and weights are left out: they take long, and hold nothing that smaller ones do not."""


def own_seeds() -> list[Seed]:
    """The files of the repository, and the cases of its definitions."""
    paths = [
        *(ROOT / "tests" / "ir" / "files").glob("*.xml"),
        *(ROOT / "examples").glob("*/*.xml"),
        *(ROOT / "irops" / "diagnostics" / "rules").glob("*.xml"),
    ]
    return [*_files(sorted(paths)), *_cases()]


def corpus_seeds() -> list[Seed]:
    """All models in the folder that IROPS_CORPUS names."""
    folder = os.environ.get("IROPS_CORPUS")
    return list(_files(sorted(Path(folder).rglob("*.xml")))) if folder else []


def _files(paths: list[Path]) -> Iterator[Seed]:
    for path in paths:
        weights = path.with_suffix(".bin")
        small = all(
            not file.exists() or (file.is_file() and file.stat().st_size <= LARGEST)
            for file in (path, weights)
        )
        if small and path.is_file():
            yield Seed(str(path), path.read_bytes(), weights.read_bytes() if weights.is_file() else b"")


def _cases() -> Iterator[Seed]:
    registry = default_registry()
    for name in registry.versions():
        op = registry.op(name)
        for case in (*examples(op.definition), *counterexamples(op.definition)):
            name = f"{op.id}, line {case.line}"
            if case.net is not None:
                yield Seed(name, case.net, bytes(4096))
                continue
            for constant in (False, True):
                yield _one_layer(f"{name}{', constants' if constant else ''}", op, case, constant)


def _one_layer(name: str, op: Op, case: ExampleCase, constant: bool) -> Seed:
    """A model of one op, fed by Parameters, or by constants but for its first input."""
    layers, edges, weights = [], [], bytearray()
    tensors = inputs_of(op, case)
    last = len(tensors)
    for k, tensor in enumerate(tensors):
        if tensor is not None:
            layers.append(_source(k, tensor, weights, constant and k > 0))
            edges.append(f'<edge from-layer="{k}" from-port="0" to-layer="{last}" to-port="{k}"/>')
    data = "".join(f' {key}="{value}"' for key, value in case.attributes.items())
    ports = "".join(f'<port id="{k}"/>' for k in range(last))
    count = max(1, len(op.definition.outputs))
    gives = op.definition.outputs
    outputs = (
        "".join(f'<port id="{last + k}" precision="UNSPECIFIED"/>' for k in range(count)) if gives else ""
    )
    layers.append(
        f'<layer id="{last}" name="op" type="{op.definition.type}"'
        f' version="{op.definition.version}"><data{data}/>'
        f"<input>{ports}</input><output>{outputs}</output></layer>"
    )
    for k in range(count if gives else 0):
        layers.append(
            f'<layer id="{last + 1 + k}" name="y{k}" type="Result" version="opset1"><input><port'
            ' id="0"/></input></layer>'
        )
        edges.append(
            f'<edge from-layer="{last}" from-port="{last + k}" to-layer="{last + 1 + k}" to-port="0"/>'
        )
    text = (
        f'<net name="m" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>'
    )
    return Seed(name, text.encode(), bytes(weights))


def _source(number: int, tensor: Tensor, weights: bytearray, constant: bool) -> str:
    kind = tensor.element_type
    shape = str(tensor.shape).strip("[]")
    head = f'<layer id="{number}" name="{tensor.name}{number}" version="opset1"'
    port = '<output><port id="0" precision="UNSPECIFIED"/></output></layer>'
    if not constant or tensor.value is None or kind is DYNAMIC:
        return f'{head} type="Parameter"><data shape="{shape}" element_type="{kind}"/>{port}'
    raw = pack(tensor.value, kind)
    place = len(weights)
    weights += raw
    return (
        f'{head} type="Const"><data shape="{shape}" element_type="{kind}" offset="{place}"'
        f' size="{len(raw)}"/>{port}'
    )

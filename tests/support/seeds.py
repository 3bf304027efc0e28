"""Files to start fuzzing from: the repository's own, one of each example of each definition, and those of
corpora, where there are any.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from bodies import Net
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
    """All models in the folder that IROPS_CORPUS names; links to folders in it are not followed."""
    folder = os.environ.get("IROPS_CORPUS")
    seeds = list(_files(sorted(Path(folder).rglob("*.xml")))) if folder else []
    if folder and not seeds:
        raise SystemExit(f"IROPS_CORPUS: the folder {folder} has no small models")
    return seeds


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
    net, definition = Net(), op.definition
    sources = [_source(net, k, tensor, constant and k > 0) for k, tensor in enumerate(inputs_of(op, case))]
    count = len(definition.outputs)
    number, first = net.op(
        definition.type, *sources, version=definition.version, outputs=count, **case.attributes
    )
    for k in range(count):
        net.result((number, first + k))
    return Seed(name, net.xml().encode(), bytes(net.weights))


def _source(net: Net, number: int, tensor: Tensor | None, constant: bool) -> tuple[int, int] | None:
    if tensor is None:
        return None
    kind, shape, name = tensor.element_type, str(tensor.shape).strip("[]"), f"{tensor.name}{number}"
    if not constant or tensor.value is None or kind is DYNAMIC:
        return net.parameter(name, str(kind), shape)
    raw, offset = pack(tensor.value, kind), len(net.weights)
    net.weights.extend(raw)
    return net.op("Const", name=name, element_type=kind, shape=shape, offset=offset, size=len(raw))

"""Models that are slightly wrong: the text of a right model with one or two faults of structure, chosen at
random, and all functions that take a model, applied to it.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from lxml import etree

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic_inputs.generate import synthetic_inputs

LIMITS = irops.Limits(tensor_bytes=8 << 20, iterations=20, run_seconds=2, seconds=5)
ABSENT = 99
"""The id of a layer or a port that no model here has."""


def damaged(text: bytes, random: Random, faults: int = 1) -> bytes:
    """A model's text with faults of structure."""
    tree = etree.fromstring(text)
    for _ in range(faults):
        kind = random.choice(FAULTS)
        kind(tree, random)
    return etree.tostring(tree)


def _any(tree: Any, path: str, random: Random) -> Any:
    found = tree.xpath(path)
    return random.choice(found) if found else None


def _without(path: str) -> Callable[[Any, Random], None]:
    def remove(tree: Any, random: Random) -> None:
        found = _any(tree, path, random)
        if found is not None:
            found.getparent().remove(found)

    return remove


def _with(path: str, name: str, *values: str) -> Callable[[Any, Random], None]:
    def change(tree: Any, random: Random) -> None:
        found = _any(tree, path, random)
        if found is not None:
            found.set(name, random.choice(values))

    return change


def _attribute_removed(tree: Any, random: Random) -> None:
    data = _any(tree, "//data[@*]", random)
    if data is not None:
        del data.attrib[random.choice(sorted(data.attrib))]


def _attribute_changed(tree: Any, random: Random) -> None:
    data = _any(tree, "//data[@*]", random)
    if data is not None:
        data.set(random.choice(sorted(data.attrib)), random.choice(["", "-1", "0", "7", "x", "1,2,3", "f64"]))


def _twice(path: str) -> Callable[[Any, Random], None]:
    def repeat(tree: Any, random: Random) -> None:
        found = _any(tree, path, random)
        if found is not None:
            found.addnext(etree.fromstring(etree.tostring(found)))

    return repeat


def _cycle(tree: Any, random: Random) -> None:
    """An edge to a layer from one that follows from it, or from itself."""
    edge = _any(tree, "//edge", random)
    if edge is not None:
        other = random.choice(edge.getparent().findall("edge"))
        for end in ("layer", "port"):
            edge.set(f"from-{end}", other.get(f"from-{end}", "0"))


def _swapped(tree: Any, random: Random) -> None:
    layers = tree.xpath("//layer")
    one, other = random.choice(layers), random.choice(layers)
    kind = one.get("type")
    one.set("type", other.get("type"))
    other.set("type", kind)


FAULTS: tuple[Callable[[Any, Random], None], ...] = (
    _without("//layer"),
    _without("//layer/input"),
    _without("//layer/output"),
    _without("//layer/input/port"),
    _without("//layer/output/port"),
    _without("//layer/data"),
    _without("//edge"),
    _without("//dim"),
    _without("//port_map"),
    _without("//port_map/*"),
    _without("//back_edges"),
    _without("//back_edges/*"),
    _without("//body"),
    _without("//body//layers"),
    _without("//body//edges"),
    _with("//edge", "from-layer", str(ABSENT), "0", "1", "x"),
    _with("//edge", "to-layer", str(ABSENT), "0", "1"),
    _with("//edge", "from-port", str(ABSENT), "0", "1", "2"),
    _with("//edge", "to-port", str(ABSENT), "0", "1", "2"),
    _with("//layer", "type", "Nothing", "Result", "Parameter", "Const", "Add", "Split", "If", "Assign"),
    _with("//layer", "version", "opset99", "extension", ""),
    _with("//layer", "id", "0", "1", str(ABSENT)),
    _with("//layer", "name", "", "x"),
    _with("//port", "precision", "I64", "nothing", "BOOL", "UNSPECIFIED"),
    _with("//port", "id", "0", "1", str(ABSENT)),
    _with("//port_map/*", "external_port_id", "-1", "0", str(ABSENT)),
    _with("//port_map/*", "internal_layer_id", "0", "1", str(ABSENT)),
    _with("//port_map/*", "axis", "0", "5"),
    _attribute_removed,
    _attribute_changed,
    _twice("//layer"),
    _twice("//edge"),
    _twice("//port"),
    _twice("//port_map/*"),
    _cycle,
    _cycle,
    _swapped,
)


def functions(path: Path, random: Random) -> dict[str, Callable[[], object]]:
    """The public functions that take a model, applied to a file and to some of the values that it names."""
    names = _names(path)
    layers = [*names[-1:], *random.sample(names, min(2, len(names))), "nothing"]
    copy = path.with_name("copy.xml")
    calls: dict[str, Callable[[], object]] = {
        "check": lambda: irops.check(path, limits=LIMITS),
        "infer": lambda: irops.infer(path, limits=LIMITS),
        "run": lambda: irops.run(path, _inputs(path), backends="reference", limits=LIMITS),
        "run nothing": lambda: irops.run(path, [], backends="reference", limits=LIMITS),
        "vjp": lambda: irops.vjp(path, _inputs(path), lambda results: results, limits=LIMITS),
        "convert": lambda: irops.convert(path, "2023.0", limits=LIMITS),
        "convert to the newest": lambda: irops.convert(path, "2026.2", upgrade=True, limits=LIMITS),
        "diff": lambda: irops.diff(path, path, limits=LIMITS),
        "draw": lambda: irops.draw(path, limits=LIMITS),
        "write": lambda: irops.write(irops.read(path), copy),
        "graph": lambda: _edited(path),
        "compare": lambda: irops.compare(path, _inputs(path), b="numpy", limits=LIMITS),
        "compare with itself": lambda: irops.compare(path, _inputs(path), b=irops.read(path), limits=LIMITS),
        "extract": lambda: irops.extract(path, limits=LIMITS),
        "reduce": lambda: irops.reduce(
            path, _inputs(path), differs=("reference", "numpy"), tries=10, limits=LIMITS
        ),
        "reduce by a rule": lambda: irops.reduce(path, _inputs(path), rule="IR401", tries=10, limits=LIMITS),
        "reduce by an oracle": lambda: irops.reduce(
            path, _inputs(path), lambda model, inputs: True, tries=10, limits=LIMITS
        ),
    }
    for name in layers:
        calls[f"why {name}"] = lambda name=name: irops.why(path, name, limits=LIMITS)
        calls[f"why {name} values"] = lambda name=name: irops.why(path, name, value=True, limits=LIMITS)
        calls[f"draw around {name}"] = lambda name=name: irops.draw(path, around=name, limits=LIMITS)
        calls[f"extract around {name}"] = lambda name=name: irops.extract(path, around=name, limits=LIMITS)
        calls[f"extract to {name}"] = lambda name=name: irops.extract(path, outputs=[name], limits=LIMITS)
        calls[f"extract from {name}"] = lambda name=name: irops.extract(path, inputs=[name], limits=LIMITS)
    for dialect in ("onnx", "openvino"):
        calls[f"translate to {dialect}"] = lambda dialect=dialect: irops.translate(path, dialect)
    return calls


def _names(path: Path) -> list[str]:
    try:
        return [layer.name for layer in irops.read(path).layers]
    except irops.ReadError:
        return []


def _inputs(path: Path) -> Any:
    """Values of the inputs, as far as they can be made up."""
    model = irops.read(path)
    try:
        return synthetic_inputs(analyse(model, limits=LIMITS), "ones").arrays
    except irops.DiagnosticError:
        sizes = {
            layer.name: layer.data.get("shape", "2") for layer in model.layers if layer.type == "Parameter"
        }
        return {
            name: np.ones([int(n) if n.isdigit() else 2 for n in text.split(",")], np.float32)
            for name, text in sizes.items()
        }


def _edited(path: Path) -> object:
    graph = irops.Graph(irops.read(path), limits=LIMITS)
    graph.prune()
    return graph.model()


def undocumented(path: Path, random: Random) -> Iterator[tuple[str, BaseException]]:
    """The functions that raise what none documents: a DiagnosticError, or a ValueError, a KeyError or an
    IndexError that states a reason in words.
    """
    for name, call in functions(path, random).items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call()
        except (irops.DiagnosticError, MemoryError):
            continue
        except (ValueError, KeyError, IndexError) as error:
            if not _is_a_sentence(error):
                yield name, error
        except (Exception, RecursionError) as error:
            yield name, error


def _is_a_sentence(error: BaseException) -> bool:
    """Whether irops says it, and not Python of its own lists and mappings."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    assert frame is not None
    text = error.args[0] if error.args else ""
    line = linecache.getline(frame.tb_frame.f_code.co_filename, frame.tb_lineno)
    return "raise " in line and isinstance(text, str) and " " in text

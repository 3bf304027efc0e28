"""A dialect is a folder: one that a test writes is read, checked, inferred, run, written and listed."""

import contextlib
import io
import sys

import numpy as np
import pytest

import irops
from irops import dialects as package
from irops.dialects import dialect_named, dialect_of, dialect_of_suffix, dialects
from irops.dialects.registry import Registry, default_registry
from irops.ir.model import LayerKind

INIT = """
from irops.dialects.steps.dialect import Steps

DIALECT = Steps()
"""
DIALECT = '''
"""Models as lines of text: a name, an op, and the names of what it takes."""
from pathlib import Path

from irops.dialects.dialect import Dialect
from irops.ir.parse import Faults
from irops.ir.locate import SourceText
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model, Port

FRAME = {"take": ("Parameter", LayerKind.PARAMETER), "give": ("Result", LayerKind.RESULT)}


class Steps(Dialect):
    name, title = "steps", "Steps"
    suffixes, file_help = (".steps",), "a .steps file"
    declares_inputs = False

    def layer_kind(self, type):
        return FRAME.get(type, (type, LayerKind.OPERATION))[1]

    def types(self):
        return ("take", "give", "Twice", "Sum", "Thrice")

    def read(self, path, *, weights=None, text=None, limits):
        faults = Faults(SourceText(path, b"", as_stored=False), limits)
        text = Path(path).read_bytes() if text is None else text
        graph, ids = LayerGraph(), {}
        for line in text.decode().splitlines():
            name, op, *sources = line.split()
            layer = Layer(len(ids), name, op, self.name, own_kind=self.layer_kind(op))
            if op == "take":
                layer.data = {"element_type": sources[0], "shape": sources[1]}
                sources = []
            layer.inputs = [Port(place) for place in range(len(sources))]
            layer.outputs = [Port(len(sources), names=(name,))] if op != "give" else []
            for place, source in enumerate(sources):
                if source not in ids:
                    faults.add("undefined-tensor", f"{layer} takes {source!r}, which nothing gives", -1)
                    continue
                graph.edges.append(Edge(ids[source], len(graph.layers[ids[source]].inputs), len(ids), place))
            ids[name] = layer.id
            graph.layers.append(layer)
        return Model(path, graph=graph, source=faults.source, dialect=self.name), faults.in_order()

    def write(self, model, path, *, registry, interface):
        names = {layer.id: layer.name for layer in model.layers}
        facts = interface(model)
        lines = []
        for layer in model.layers:
            sources = [names[edge.from_layer] for edge in model.edges if edge.to_layer == layer.id]
            if layer.kind is LayerKind.PARAMETER:
                fact = facts[layer.id]
                sources = [fact.element_type.name, fact.shape.spelled[1:-1]]
            lines.append(" ".join((layer.name, layer.type, *sources)))
        Path(path).write_text("\\n".join(lines) + "\\n")
'''
DEFINITION = """<layer type="{type}" category="arithmetic" dialect="steps"{shares}>
  <summary>{summary}</summary>
  <description>{summary}</description>
  <source>tests/dialects/test_small_dialect.py</source>
  {body}
</layer>
"""
TYPES = '<type name="T">f32 i32</type>'
TENSOR = '<port id="{id}" name="{name}" type="{type}"{shape}>A tensor.</port>'


def tensor(id, name, type="T", shape=""):
    return TENSOR.format(id=id, name=name, type=type, shape=f' shape="{shape}"' if shape else "")


def definition(type, summary, body, same_as=None):
    shares = "" if same_as is None else f' same-as="{same_as}"'
    return DEFINITION.format(type=type, summary=summary, body=body, shares=shares)


INPUT = f"""<data><attribute name="shape" type="shape" required="yes">The shape.</attribute>
<attribute name="element_type" type="element_type" required="yes">The type.</attribute></data>
<output>{tensor(0, "output", "@element_type")}</output>"""
UNARY = f"{TYPES}<input>{tensor(0, 'data')}</input><output>{tensor(1, 'output', shape='same data')}</output>"
ADDED = f"""<given name="auto_broadcast">numpy</given>
<given name="auto_broadcast.auto_broadcast_axis">0</given>{TYPES}
<input>{tensor(0, "a")}{tensor(1, "b")}</input>
<output>{tensor(2, "output", shape="broadcast a b numpy C1")}</output>
<constraint id="C1">the shapes of a and b can be broadcast to each other</constraint>"""
DEFINITIONS = {
    "take": definition("take", "An input of the model.", INPUT, "Parameter-1"),
    "give": definition("give", "An output of the model.", UNARY, "Result-1"),
    "Twice": definition("Twice", "Add a tensor to itself.", UNARY),
    "Sum": definition("Sum", "Add two tensors.", ADDED, "Add-1"),
}
TWICE = '''
"""Twice: add a tensor to itself."""
from irops.spec.binding import kernel


@kernel("steps:Twice")
def twice(data):
    return data + data
'''
MODEL = "x take f32 n,2\ny Twice x\nz Sum y x\nresult give z\n"


def written(folder):
    """The package of the dialect, in a folder."""
    place = folder / "steps"
    files = {"__init__.py": INIT, "dialect.py": DIALECT, "ops/__init__.py": "", "ops/twice.py": TWICE}
    files |= {f"schemas/{name}.xml": text for name, text in DEFINITIONS.items()}
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """The dialect, found by its folder; a registry that knows it."""
    written(tmp_path)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    default_registry.cache_clear()
    yield dialect_named("steps")
    default_registry.cache_clear()
    for name in [name for name in sys.modules if name.startswith("irops.dialects.steps")]:
        del sys.modules[name]


@pytest.fixture
def path(steps, tmp_path):
    path = tmp_path / "model.steps"
    path.write_text(MODEL)
    return path


def printed(*words):
    from irops.cli.main import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(words) == 0
    return out.getvalue()


def test_the_dialect_is_found_by_its_folder(steps, path):
    assert steps in dialects()
    assert dialect_of_suffix("some.STEPS") is steps
    assert dialect_of(irops.read(path)) is steps


def test_without_the_folder_there_is_no_such_dialect():
    with pytest.raises(KeyError, match="there is no dialect 'steps'"):
        dialect_named("steps")


IDS = ("steps:give", "steps:Sum", "steps:take", "steps:Twice")


def test_its_definitions_are_found_by_id(steps):
    assert Registry().ids("steps") == IDS
    assert irops.definition("steps:twice").summary == "Add a tensor to itself."
    assert irops.call("steps:Sum", np.float32([1]), np.float32([2])).tolist() == [3]
    assert "steps:Twice" in {definition.id for definition in irops.definitions()}


def test_its_layers_have_the_kinds_that_its_reader_gives(path):
    kinds = [layer.kind for layer in irops.read(path).layers]
    assert kinds == [LayerKind.PARAMETER, LayerKind.OPERATION, LayerKind.OPERATION, LayerKind.RESULT]


def test_a_model_is_checked(path):
    assert list(irops.check(path)) == []
    path.write_text(MODEL.replace("y x", "y no"))
    assert [d.name for d in irops.check(path)] == ["undefined-tensor"]
    path.write_text(MODEL.replace("Twice", "Thrice"))
    found = list(irops.check(path))
    assert [d.name for d in found] == ["undefined-op"]
    assert found[0].message.startswith("irops has no definition of Steps's Thrice; its outputs are as the")


def test_symbols_reach_what_is_inferred(path):
    facts = irops.infer(path)
    assert facts["z", 0].shape.spelled == "[n,2]"


def test_a_model_is_run(path):
    assert irops.run(path, {"x": np.float32([[1, 2]])})["result"].tolist() == [[3, 6]]


def test_a_model_is_written_and_read_back(path, tmp_path):
    model, copy = irops.read(path), tmp_path / "copy.steps"
    irops.write(model, copy)
    assert copy.read_text() == MODEL
    message = r"is the path for a model of dialect steps, must end with \.steps"
    with pytest.raises(irops.DiagnosticError, match=message):
        irops.write(model, tmp_path / "copy.xml")


def test_commands_know_the_dialect(path):
    assert printed("check", str(path.parent), "--quiet") == ""
    assert tuple(printed("ops", "--dialect", "steps", "-q").split()) == IDS
    assert "Add a tensor to itself." in printed("explain", "steps:Twice")
    assert "1 input" in printed("inspect", str(path)) or "x" in printed("inspect", str(path))

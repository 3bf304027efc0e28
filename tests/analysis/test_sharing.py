"""Equal layers share what is inferred for the first of them, and nothing else differs."""

import gc
import json
import os
import struct
import weakref
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from mutations import Seed, Stock, changed, drawn
from random_graphs import Maker
from seeds import ROOT
from whole_models import MODELS, WEIGHTS

import irops
from irops.analysis.inference import Inference, Interning, Sharing, WatchedFact
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.dialects.registry import default_registry
from irops.environment import VARIABLE
from irops.ir.model import Model
from irops.ir.read import loads
from irops.values.dim import ANY, Dim, Symbol
from irops.values.element import F32, I64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import Shape


def described(dim: Dim) -> tuple[object, ...]:
    """All in which two Dims may differ."""
    return dim.low, dim.high, str(dim.symbol), tuple(map(str, dim.zero_with))


def described_fact(fact: Fact | None) -> object:
    """The type, the shape and the value of a Fact."""
    if fact is None:
        return None
    dims = fact.shape.dims
    value = fact.known
    elements: Any = None
    if value is not None:
        elements = [described(dim) for dim in value.flat] if holds_dims(value) else value.tolist()
    return str(fact.element_type), None if dims is None else [described(dim) for dim in dims], repr(elements)


def described_finding(finding: Diagnostic) -> tuple[object, ...]:
    place, facts = finding.location, (finding.constraint, finding.facts, finding.notes, finding.fix)
    return finding.code, finding.message, str(place), place.layer_id, place.path, finding.severity, facts


def described_facts(inferred: Inferred) -> dict[int, object]:
    """What is inferred of each layer, by id, bodies included."""
    return {
        number: (
            known.failed,
            [described_fact(fact) for fact in known.inputs],
            [described_fact(fact) for fact in known.outputs],
            {name: described_facts(body) for name, body in known.bodies.items()},
        )
        for number, known in inferred.layers.items()
    }


def outcome(model: Model | str) -> tuple[object, ...]:
    """The findings of a check, and what is inferred, with the findings of inference."""
    checked = [described_finding(finding) for finding in irops.check(model)]
    try:
        inferred = irops.infer(model)
    except irops.ReadError as error:
        return checked, str(error)
    found = [described_finding(finding) for finding in inferred.diagnostics]
    return checked, found, described_facts(inferred)


def both_ways(model: Model | str, monkeypatch: pytest.MonkeyPatch) -> tuple[object, object]:
    """The outcome with sharing, and without it."""
    others = [name for name in os.environ.get(VARIABLE, "").split(",") if name and name != "sharing"]
    monkeypatch.setenv(VARIABLE, ",".join(others))
    shared = outcome(model)
    monkeypatch.setenv(VARIABLE, ",".join([*others, "sharing"]))
    return shared, outcome(model)


X = "x: f32[2,3,4]"
FOLDERS = ("tests/ir/files", "examples", "irops/diagnostics/rules")
XML = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.xml"))
FILES = [path for path in XML if path.stat().st_size < 60_000]
CORPUS = os.environ.get("IROPS_CORPUS")


def two_reshapes(net, first, second):
    """A model that reshapes its input in two ways, by constants of one type and shape."""
    ops = "first: Reshape x a special_zero=false; second: Reshape x b special_zero=false"
    return net(X, ops, "y: Result first; z: Result second", a=np.array(first), b=np.array(second))


@pytest.fixture(autouse=True)
def _everything_on(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_have_the_same_outcome_both_ways(path, monkeypatch):
    shared, apart = both_ways(str(path), monkeypatch)
    assert shared == apart


@pytest.mark.parametrize("name", MODELS)
def test_whole_models_have_the_same_outcome_both_ways(name, monkeypatch):
    shared, apart = both_ways(loads(MODELS[name].encode(), WEIGHTS)[0], monkeypatch)
    assert shared == apart


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_have_the_same_outcome_both_ways(seed, monkeypatch):
    shared, apart = both_ways(Maker(seed).graph.model(), monkeypatch)
    assert shared == apart


@pytest.mark.parametrize("seed", range(150))
def test_damaged_files_have_the_same_outcome_both_ways(seed, monkeypatch, tmp_path):
    chance = Random(seed)
    seeds = [Seed(name, text.encode(), WEIGHTS) for name, text in MODELS.items()]
    text, weights = changed(chance.choice(seeds), drawn(chance), Stock(seeds))
    path = tmp_path / "model.xml"
    path.write_bytes(text)
    path.with_suffix(".bin").write_bytes(weights)
    shared, apart = both_ways(str(path), monkeypatch)
    assert shared == apart


@pytest.mark.slow("corpora")
@pytest.mark.skipif(not CORPUS, reason="IROPS_CORPUS names no folder of corpora")
def test_models_of_corpora_have_the_same_outcome_both_ways(monkeypatch):
    folders = []
    for index in sorted(Path(CORPUS or "").glob("*/index.jsonl")):
        folders += [index.parent / json.loads(line)["name"] for line in index.read_text().split("\n") if line]
    assert folders
    different = []
    for folder in folders[::20]:
        shared, apart = both_ways(str(folder / "model.xml"), monkeypatch)
        if shared != apart:
            different.append(folder.name)
    assert different == []


def test_equal_layers_have_the_same_facts_as_one_object(net, monkeypatch):
    model = net("x: f32[?,8]; a: ReLU x; b: ReLU x; c: Add a b; y: Result c")
    inferred = irops.infer(model)
    assert inferred["a", 0] is inferred["b", 0]
    assert inferred["c", 0].shape is inferred["a", 0].shape
    monkeypatch.setenv(VARIABLE, "sharing")
    inferred = irops.infer(model)
    assert inferred["a", 0] is not inferred["b", 0]


def test_sizes_that_layers_create_stay_distinct(net):
    ops = "a: NonZero-opset3 x output_type=i64; b: NonZero-opset3 x output_type=i64"
    inferred = irops.infer(net("x: f32[2,3]", ops, "y: Result a; z: Result b"))
    counts = [inferred[name, 0].shape[1] for name in ("a", "b")]
    assert counts[0].symbol is not None
    assert counts[0].symbol != counts[1].symbol


def test_layers_that_read_other_values_are_not_confused(net):
    inferred = irops.infer(two_reshapes(net, (6, 4), (3, 8)))
    assert str(inferred["first", 0]) == "f32[6,4]"
    assert str(inferred["second", 0]) == "f32[3,8]"


def test_values_that_are_equal_by_place_are_read_once(net, monkeypatch):
    reads = []
    plain = irops.files.storage.Weights.read
    monkeypatch.setattr(
        irops.files.storage.Weights, "read", lambda *args, **more: reads.append(args) or plain(*args, **more)
    )
    each = "c{0}: Const i64[2] offset=0 size=16; r{0}: Reshape x c{0} special_zero=false; y{0}: Result r{0}"
    layers = [each.format(number) for number in range(5)]
    inferred = irops.infer(net(X, *layers, weights=struct.pack("<2q", 6, 4)))
    assert {str(inferred[f"r{number}", 0]) for number in range(5)} == {"f32[6,4]"}
    assert len(reads) == 1


def test_a_value_that_is_not_known_is_not_taken_for_one_that_is(net):
    ops = "unknown: Reshape x p special_zero=false; known: Reshape x c special_zero=false"
    inferred = irops.infer(net(X, "p: i64[2]", ops, "y: Result unknown; z: Result known", c=np.array([6, 4])))
    assert not inferred["unknown", 0].shape.static
    assert str(inferred["known", 0]) == "f32[6,4]"


def test_each_of_equal_layers_reports_a_kernel_that_fails(net, monkeypatch):
    def fail(*inputs, **keywords):
        raise ZeroDivisionError("no")

    each = "add_{0}: Add c c; r_{0}: Reshape x add_{0} special_zero=false; y_{0}: Result r_{0}"
    model = net(X, each.format("a"), each.format("b"), c=np.array([1, 2]))
    monkeypatch.setattr(default_registry().op("Add-1").functions, "kernel", fail)
    shared, apart = both_ways(model, monkeypatch)
    assert shared == apart
    assert str(shared).count("the kernel of Add-1 failed") == 4  # two layers, in the check and in inference


def test_constants_outside_the_weights_are_reported_once(net, monkeypatch):
    model = two_reshapes(net, (6, 4), (3, 8))
    for name in ("a", "b"):
        model.layer(name).data["offset"] = "24"
    shared, apart = both_ways(model, monkeypatch)
    assert shared == apart
    reported = [finding[0] for finding in shared[1]]
    assert reported == ["IR502"]


@pytest.mark.parametrize("op", ["ReadValue-6", "Assign-6", "Loop-5", "If-8", "RandomUniform-8"])
def test_ops_with_state_chance_or_bodies_share_nothing(op):
    assert not Sharing().allows(default_registry().op(op))


def test_functions_from_elsewhere_are_called_for_each_layer():
    add = default_registry().op("Add-1")
    assert Sharing().allows(add)
    assert not Sharing().allows(type(add)(add.definition, add.functions, "elsewhere"))


@pytest.mark.parametrize(
    "ask",
    [
        lambda fact: fact.known,
        lambda fact: fact.value,
        lambda fact: fact.dims,
        lambda fact: fact.may_have_value,
        lambda fact: fact.force(),
        lambda fact: fact.with_shape(Shape([2])),
    ],
)
def test_whatever_asks_for_a_value_reads_it(ask):
    original = Fact(I64, Shape([2]), np.array([1, 2]))
    watched = WatchedFact(original)
    assert (watched.element_type, watched.shape, str(watched)) == (I64, Shape([2]), "i64[2]")
    assert not watched.is_read
    given = ask(original)
    assert str(ask(watched)) == str(given)
    assert watched.is_read


@pytest.mark.parametrize(
    "other", [Dim(0, 9), Dim(0, 8, Symbol.named("n")), Dim(0, 8, None, (Symbol.named("n"),)), Dim(0.0, 8)]
)
def test_dims_that_differ_in_anything_make_different_shapes(other):
    forms = Interning()
    first, second = forms.shape(Shape([Dim(0, 8), 3])), forms.shape(Shape([other, 3]))
    assert first is not second
    assert forms.shape(Shape([Dim(0, 8), 3])) is first
    assert forms.fact(Fact(F32, Shape([other, 3]))) is forms.form(Fact(F32, second, np.zeros(1)))


def test_known_sizes_that_show_others_not_to_be_0_make_different_shapes():
    forms = Interning()
    plain, more = Shape([3]), Shape([Dim(3, 3, None, (Symbol.named("n"),))])
    assert forms.shape(plain) is not forms.shape(more)


def test_symbols_of_variables_with_other_bounds_make_different_shapes():
    forms = Interning()
    shapes = [forms.shape(Shape([ANY.named(Symbol.named("n", (low, 8)))])) for low in (0, 1, 0)]
    assert shapes[0] is shapes[2]
    assert shapes[0] is not shapes[1]


def test_constants_that_differ_in_their_place_alone_are_bound_when_asked(net):
    analysis = ModelAnalysis(two_reshapes(net, (6, 4), (3, 8)))
    first, second = (analysis.root.find(name).invocation for name in ("a", "b"))
    assert first.like is second.like is not None
    assert (first.attributes["offset"], second.attributes["offset"]) == (0, 16)
    assert second.attributes["element_type"] is I64


@pytest.mark.parametrize(
    ("name", "text"), [("offset", "+16"), ("offset", "-1"), ("size", "1e3"), ("shape", "x")]
)
def test_constants_with_odd_attributes_are_bound_at_once(net, name, text):
    model = two_reshapes(net, (6, 4), (3, 8))
    model.layer("b").data[name] = text
    invocation = ModelAnalysis(model).root.find("b").invocation
    assert invocation.like is None
    assert bool(invocation.faults) == (text != "+16")


def test_what_was_inferred_is_freed_without_the_collector(net):
    analysis = ModelAnalysis(two_reshapes(net, (6, 4), (3, 8)))
    inferred = Inference(analysis).graph(analysis.root, {})
    assert inferred["a", 0].known.tolist() == [6, 4]
    gone = weakref.ref(inferred)
    gc.disable()
    try:
        del inferred
        assert gone() is None
        analysis.infer()
        gone = weakref.ref(analysis)
        del analysis
        assert gone() is None
    finally:
        gc.enable()


def test_a_file_that_cannot_be_read_has_the_same_outcome(tmp_path, monkeypatch):
    path = tmp_path / "model.xml"
    path.write_text("<net")
    shared, apart = both_ways(str(path), monkeypatch)
    assert shared == apart
    with pytest.raises(ReadError):
        irops.infer(str(path))

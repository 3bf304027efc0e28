"""Wherever a name can be mistyped, irops suggests the similar one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import Severity
from irops.diagnostics.suggestions import closest, did_you_mean_word, meant_or_all
from irops.dialects.registry import default_registry

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples" / "running_total" / "model.xml"
X, LENGTHS = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([3, 2])


@pytest.fixture(scope="module")
def model() -> irops.Model:
    return irops.read(MODEL)


def mistyped(name: str) -> str:
    return name[:-2] + name[-1] + name[-2] if len(name) > 2 else f"{name}x"


def names_of(model: irops.Model) -> tuple[str, str, str]:
    """An input, a result and another layer."""
    kinds = [(str(layer.kind), layer.name) for layer in model.layers]
    return tuple(next(name for kind, name in kinds if kind.endswith(end)) for end in KINDS)  # type: ignore[return-value]


KINDS = ("parameter", "result", "operation")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: irops.call("ReverseSequence-1", X, LENGTHS, seq_axs=1), "did you mean 'seq_axis'?"),
        (lambda: irops.call("ReverseSequence-1", X, LENGTHS, backend="numba"), "did you mean 'backends'?"),
        (lambda: irops.call("AvgPool-1", X, exclude_pda=True), "did you mean 'exclude_pad'?"),
        (lambda: irops.call("ReverseSequenc", X, LENGTHS), "did you mean ReverseSequence-1?"),
        (lambda: irops.call("onnx:Relo", X), "did you mean onnx:Relu-14?"),
        (lambda: irops.call("onnx:Relu-99", X), "did you mean onnx:Relu-14?"),
        (lambda: irops.call("onxn:Relu-6", X), "did you mean onnx:Relu-"),
        (lambda: irops.call("Relu-1", X, backends="nunba"), "did you mean numba?"),
        (lambda: irops.definition("HardSigmoyd"), "did you mean HardSigmoid-1?"),
        (lambda: irops.check(MODEL, ignore=["dead-lair"]), "did you mean dead-layer?"),
        (lambda: irops.translate(irops.read(MODEL), to="onxx"), "did you mean onnx?"),
        (lambda: irops.call("Convert-1", X, destination_type="flaot32"), "did you mean f32?"),
        (lambda: irops.call("Reverse-1", X, [1], mode="indx"), "must be one of index, mask"),
    ],
)
def test_a_mistyped_word_is_suggested(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises((irops.DiagnosticError, KeyError, ValueError)) as caught:
        wrong()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m, _i, _r, other: m.layer(mistyped(other)),
        lambda m, _i, _r, other: irops.infer(m)[mistyped(other), 0],
        lambda m, _i, _r, other: irops.run(m, inputs_of(m), keep=[mistyped(other)]),
        lambda m, _i, result, _o: irops.run(m, inputs_of(m))[mistyped(result)],
        lambda m, name, _r, _o: irops.run(m, {mistyped(name): 0}),
        lambda m, name, _r, _o: irops.infer(m, {mistyped(name): "1"}),
        lambda m, name, _r, _o: irops.vjp(m, inputs_of(m), [1.0], wrt=[mistyped(name)]),
        lambda m, _i, result, _o: irops.vjp(m, inputs_of(m), {mistyped(result): 1.0}),
    ],
)
def test_a_mistyped_name_of_a_model_is_suggested(model: irops.Model, wrong: Callable[..., Any]) -> None:
    with pytest.raises((irops.DiagnosticError, KeyError), match="did you mean"):
        wrong(model, *names_of(model))


def inputs_of(model: irops.Model) -> list[np.ndarray[Any, Any]]:
    signature = irops.Session(model).signature
    sizes = [[dim.low if dim.low == dim.high else 1 for dim in p.fact.shape.dims] for p in signature.inputs]
    return [np.zeros(size, p.fact.element_type.dtype) for size, p in zip(sizes, signature.inputs)]


def test_an_unknown_attribute_of_a_call_is_an_error_and_not_a_warning() -> None:
    with pytest.raises(
        irops.EvaluationError, match="error IR311 ReverseSequence-1 has no attribute 'typo'"
    ) as c:
        irops.call("ReverseSequence", X, LENGTHS, typo=1)
    assert [d.severity for d in c.value.diagnostics] == [Severity.ERROR]


def test_a_type_without_a_version_means_the_newest() -> None:
    assert irops.call("ReverseSequence", X, LENGTHS).tolist() == [[2, 1, 0], [4, 3, 5]]
    assert default_registry().named("onnx:Relu").id == irops.definition("onnx:Relu").id == "onnx:Relu-14"
    assert default_registry().named("softmax").id == "SoftMax-8"
    assert irops.call("onnx:Relu", -X).tolist() == irops.call("relu", -X).tolist()


def test_a_word_without_a_similar_one_gets_the_choice_or_nothing() -> None:
    assert did_you_mean_word("zzz", ["index"]) == ""
    assert meant_or_all("zzz", ["index", "mask"]) == "expected one of index, mask"
    assert closest("a", ["a"] * 3) == ["a"]
    far = {"foo": "floor", "linear": "inverse", "permute": "parameter", "numbers": "numba", "--no": "--to-x"}
    assert [closest(word, [other]) for word, other in far.items()] == [[]] * len(far)
    near = {"lenght": "length", "tahn": "tanh", "batchnorm": "BatchNormInference", "a_relu": "relu"}
    assert [closest(word, [other]) for word, other in near.items()] == [[other] for other in near.values()]


def test_suggestions_come_from_one_module() -> None:
    """The bounds on the search for similar names hold everywhere only if it is made in one place."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "irops").rglob("*.py")
        if re.search("get_close_matches", path.read_text("utf-8"))
    ]
    assert found == ["irops/diagnostics/suggestions.py"]

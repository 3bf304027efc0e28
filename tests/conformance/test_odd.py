"""Unusual inputs of Reverse and ReverseSequence in three dialects, on each backend that has kernels."""

from contextlib import closing, suppress

import pytest

pytest.importorskip("hypothesis")

from irops.backends.isolated import IsolatedBackend
from irops.conformance.cases import InvalidTrial, expected_of
from irops.conformance.kit import IsolatedClient, judge
from irops.conformance.strategies import odd_trials
from irops.conformance.verdict import Status
from irops.dialects.registry import default_registry
from irops.environment import missing_libraries

OPS = ("Reverse-1", "ReverseSequence-1", "onnx:ReverseSequence-10", "graiphic:ReverseSequence")


def judged_trials(op):
    """The trials that inference lets pass, with the expected results."""
    for trial in odd_trials(default_registry().op(op)):
        with suppress(InvalidTrial):
            yield trial, expected_of(trial)


@pytest.mark.parametrize("op", OPS)
def test_every_error_about_values_is_provoked(op):
    constraints = default_registry().op(op).definition.constraints.values()
    about_values = {c.id for c in constraints if c.when == "run" and c.severity == "error"}
    violated = {expected.violated for _, expected in judged_trials(op)} - {None}
    assert violated == ({"C4"} if op == "Reverse-1" else {"C2", "C3", "C4"})
    assert about_values <= violated


def test_the_defaults_of_the_dialects_are_opposite():
    first = {op: next(expected for _, expected in judged_trials(op)) for op in OPS[1:]}
    results = {op: expected.outputs[0].tolist() for op, expected in first.items()}
    assert results["ReverseSequence-1"] == [[0, 1, 2], [4, 3, 5], [8, 7, 6]]
    for op in OPS[2:]:
        assert results[op] == [[0, 4, 8], [3, 1, 5], [6, 7, 2]]


def test_other_ops_have_none():
    assert not list(odd_trials(default_registry().op("Concat-1")))


@pytest.mark.slow("runs backends in processes")
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("backend", ["numba", "onnxruntime", "openvino"])
def test_backends_compute_refuse_or_decline_them(backend, op):
    if missing_libraries("", backend):
        pytest.skip(f"{backend} is not installed")
    with closing(IsolatedClient(IsolatedBackend(backend))) as client:
        assert client.has(default_registry().op(op))
        verdicts = [judge(client, trial, expected) for trial, expected in judged_trials(op)]
    assert [verdict for verdict in verdicts if verdict.status is Status.FAILED] == []
    assert sum(verdict.status is Status.PASSED for verdict in verdicts) > len(verdicts) // 2


@pytest.mark.usefixtures("somebodys")
def test_a_backend_that_crashes_is_asked_on():
    with closing(IsolatedClient(IsolatedBackend("undefended"))) as client:
        trials = list(judged_trials("Reverse-1"))
        verdicts = [(trial, judge(client, trial, expected)) for trial, expected in trials]
    assert {trial.inputs[0].array.dtype.kind: verdict.fault for trial, verdict in verdicts} == {
        "f": "",
        "O": "backend crashed",
    }

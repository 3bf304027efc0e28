"""Conformance tests of third-party backends in a separate process."""

import os
import re
import sys
from contextlib import closing
from functools import cache
from math import nan

import numpy as np
import pytest
from commands import process, python_process

pytest.importorskip("hypothesis")

import irops
from irops.backends.isolated import IsolatedBackend
from irops.conformance.kit import UnusableBackendError, run_conformance
from irops.conformance.verdict import Status

pytestmark = pytest.mark.usefixtures("somebodys")
MANY_CASES = pytest.mark.slow("runs a backend in processes over many cases")
BOTH = ("Reverse-1", "ReverseSequence-1")


@cache
def run_on(name, op):
    """crashing: every case that is tried for a smaller one starts a process, which bounds how many can be."""
    return run_conformance(name, [op], examples=400, seconds=8 if name == "crashing" else 3600)


def failures(name, op="Reverse-1"):
    return [outcome for _, outcome in run_on(name, op).failures()]


def faults(name, op="Reverse-1"):
    return {outcome.verdict.fault for outcome in failures(name, op)}


def ended(snippet, folder):
    """How a process ends that runs a snippet."""
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    done = python_process("-c", snippet, env={**os.environ, "PYTHONPATH": path})
    return done.returncode, done.stderr


@pytest.mark.parametrize("op", BOTH)
def test_a_good_backend_conforms(op):
    report = run_on("good", op)
    assert report.ok, str(report)
    (outcome_found,) = report.ops
    assert outcome_found.count("example") == outcome_found.count("example", Status.PASSED) > 0
    assert outcome_found.count("counterexample", Status.PASSED) > 0
    assert outcome_found.count("generated", Status.PASSED) >= 400
    assert outcome_found.declined == {}


@MANY_CASES
def test_an_omitted_block_is_found_and_shrunk_to_the_smallest_size(somebodys):
    found = failures("vectors", "ReverseSequence-1")
    (outcome_found,) = [outcome for outcome in found if outcome.verdict.fault == "wrong result"]
    scope = run_until("ours", outcome_found.snippet)
    assert sorted(scope["data"].shape) == [1, 65]
    assert scope["seq_lengths"].tolist() == [65]
    assert run_on("vectors", "Reverse-1").ok


def run_until(word, snippet):
    """The names that a snippet has bound before the first line that begins with a word."""
    scope: dict[str, object] = {}
    exec(snippet[: re.search(rf"^{word}", snippet, re.MULTILINE).start()], scope)
    return scope


def test_a_backend_that_writes_to_its_input_is_found():
    (outcome_found,) = failures("careless")
    assert outcome_found.verdict.fault == "changed input"
    assert outcome_found.verdict.reason == "writes to its input data, which must not change"
    assert run_until("before", outcome_found.snippet)["data"].size == 2


def test_a_backend_without_checks_fails_the_counterexamples():
    assert faults("trusting") == {"computed invalid inputs"}
    assert {outcome.kind for outcome in failures("trusting")} == {"counterexample", "generated"}
    broken = "Reverse-1:C4 (in index mode, every element of axes lies in [-rank, rank-1] of data)"
    assert all(broken in outcome.verdict.reason for outcome in failures("trusting"))


@MANY_CASES
def test_changed_bits_of_a_nan_are_found():
    outcome_found = next(o for o in failures("quieting") if o.verdict.fault == "wrong result")
    assert re.search(r"nan, must be nan \(bits 0x\w+ and 0x\w+\)", outcome_found.verdict.reason)
    assert run_until("ours", outcome_found.snippet)["data"].size <= 2


@MANY_CASES
def test_a_crash_is_a_finding_and_not_the_end():
    (outcome_found,) = failures("crashing")
    assert outcome_found.verdict.fault == "backend crashed"
    assert "SIGSEGV" in outcome_found.verdict.reason
    assert run_until("ours", outcome_found.snippet)["data"].size >= 2  # as small as time allowed
    assert run_on("crashing", "ReverseSequence-1").ok


@MANY_CASES
def test_a_crash_that_no_single_case_reproduces_is_reported():
    (outcome_found,) = failures("tiring")
    assert outcome_found.verdict.fault == "backend crashed"
    assert "SIGABRT after 29 cases; the last case alone does not reproduce it" in outcome_found.verdict.reason
    assert outcome_found.snippet == ""


def test_declined_cases_are_counted_with_their_reasons_and_not_as_passed():
    report = run_on("modest", "Reverse-1")
    assert report.ok
    (outcome_found,) = report.ops
    assert set(outcome_found.declined) == {"neither strings nor booleans"}
    assert outcome_found.count(status=Status.PASSED) + outcome_found.declined.total() == outcome_found.count()
    assert outcome_found.count("example", Status.DECLINED) == 1


FAULTY = [
    pytest.param("vectors", "ReverseSequence-1", marks=MANY_CASES),
    ("careless", "Reverse-1"),
    ("trusting", "Reverse-1"),
    pytest.param("quieting", "Reverse-1", marks=MANY_CASES),
]


@pytest.mark.parametrize(("name", "op"), FAULTY)
def test_a_snippet_fails_as_the_backend_did(name, op, somebodys):
    for outcome in failures(name, op):
        status, output = ended(outcome.snippet, somebodys)
        assert status == 1, outcome.snippet
        assert re.search(r"^(AssertionError|TypeError)", output, re.MULTILINE), output


@MANY_CASES
def test_the_snippet_of_a_crash_crashes(somebodys):
    (outcome_found,) = failures("crashing")
    assert ended(outcome_found.snippet, somebodys)[0] < 0


@MANY_CASES
@pytest.mark.parametrize(("name", "op"), FAULTY)
def test_the_snippets_end_well_with_a_backend_that_conforms(name, op, somebodys):
    for outcome in failures(name, op):
        status, output = ended(outcome.snippet.replace(f'["{name}"]', '["good"]'), somebodys)
        assert status == 0, output


def test_a_backend_that_cannot_even_be_loaded_is_unusable():
    with pytest.raises(UnusableBackendError, match="SIGABRT"):
        run_conformance("unloadable", ["Reverse-1"])


def test_an_unknown_backend_is_reported_with_the_available_ones():
    message = r"IR610 unknown backend 'nobodys'; expected one of .*modest"
    with pytest.raises(irops.DiagnosticError, match=message):
        run_conformance("nobodys", ["Reverse-1"])


@MANY_CASES
def test_the_same_seed_gives_the_same_cases_and_another_one_others():
    once, again, other = (cases_of(seed) for seed in (3, 3, 4))
    assert once == again
    assert once != other


def cases_of(seed):
    """What a new process generates for a seed: in one that is old, Hypothesis has seen more of the world."""
    words = ("--source=modest", "--op=Reverse-1", "--examples=60", f"--seed={seed}", "--output-format=json")
    command = [sys.executable, "-m", "irops", "conformance", *words]
    return process(*command, check=True).stdout


def test_a_backend_object_is_tested_in_this_process():
    import somebodys

    assert run_conformance(somebodys.Good(), ["Reverse-1"], examples=50).ok
    report = run_conformance(somebodys.Trusting(), ["Reverse-1"], examples=50)
    assert not report.ok
    assert "computes a case that violates Reverse-1:C4" in str(report)


def test_all_implemented_ops_are_tested_by_default():
    import somebodys

    assert [op.op for op in run_conformance(somebodys.Good(), examples=5).ops] == list(BOTH)


@pytest.mark.parametrize("numbers", [{"examples": 0}, {"examples": 2.5}, {"seconds": nan}, {"seconds": 0}])
def test_a_number_that_is_no_bound_is_named(numbers):
    with pytest.raises((TypeError, ValueError), match=f"^{next(iter(numbers))} is "):
        run_conformance("reference", ["Reverse-1"], **numbers)


def test_an_op_without_a_kernel_is_noted():
    import somebodys

    (outcome_found,) = run_conformance(somebodys.Good(), ["Add-1"]).ops
    assert (outcome_found.note, outcome_found.outcomes) == ("no kernel", ())


@MANY_CASES
def test_a_backend_that_hangs_is_a_finding():
    from irops.conformance.cases import definition_cases
    from irops.conformance.kit import IsolatedClient, judge
    from irops.dialects.registry import default_registry

    with closing(IsolatedClient(IsolatedBackend("hanging", timeout=4))) as backend:
        case = next(iter(definition_cases(default_registry().op("Reverse-1"))))
        verdict = judge(backend, case.trial, case.expected(case.trial))
    assert (verdict.fault, verdict.reason) == ("backend stalled", "no answer within 4 seconds")


def test_an_array_to_fill_is_tried_where_a_kernel_takes_one():
    class Filling:
        name = "filling"

        def kernel(self, op):
            return self.reverse if op.id == "Reverse-1" else None

        def reverse(self, data, axes, *, mode, out=None):
            result = irops.call("Reverse-1", data, axes, mode=mode)
            if out is None:
                return result
            out.reshape(-1)[:] = result.reshape(-1)  # a copy of what is not in C's order
            return out

        reverse.takes_out = True

    ((_, outcome_found),) = run_conformance(Filling(), ["Reverse-1"], examples=200).failures()
    assert outcome_found.verdict.fault == "wrong out"
    assert "out=out" in outcome_found.snippet
    assert np.prod(run_until("expected", outcome_found.snippet)["data"].shape) <= 4


@pytest.mark.parametrize("op", ["onnx:ReverseSequence-10", "graiphic:ReverseSequence", "onnx:Transpose-1"])
def test_ops_of_other_dialects_are_tested_in_all_their_element_types(op):
    report = run_conformance("reference", [op], examples=20)
    assert report.ok, str(report)
    assert report.ops[0].count("generated") > 40


def test_complex_numbers_are_compared_bit_by_bit():
    from irops.conformance.cases import mismatch
    from irops.dialects.registry import default_registry

    op = default_registry().op("onnx:ReverseSequence-10")
    for kind in (np.complex64, np.complex128):
        ours, truth = np.array([1j, 0j], kind), np.array([1j, complex(-0.0, 0.0)], kind)
        assert mismatch(op, ours, ours) == ""
        assert "1 of 2 elements differ, the first at [1]" in mismatch(op, ours, truth)

"""What runtimes do with odd inputs, each in a process of its own: what the definitions' notes say of them."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from tiers import slow

from irops.conformance.odd_inputs.measure import (
    MAX_TIMEOUTS,
    TIMEOUT,
    WORDS,
    comparison,
    irops_verdict,
    replies,
    replies_of,
    verdict,
)
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import Reply
from irops.work.processes.requests import Process, ProcessDied


def result(name, runtime):
    """Verdict and elements of every odd input, by its name."""
    library = RUNTIMES[runtime].libraries[-1]
    pytest.importorskip(library)
    compared = comparison(name)
    column = next(column for column in compared.columns if column.runtime == runtime)
    owns = replies(compared, replace(column, runtime="", similar_function=False))
    found = {}
    for odd, reply in replies(compared, column).items():
        tone = verdict(owns[odd], reply)
        found[odd.name] = (tone.word, None if reply.array is None else reply.array.tolist())
    return found


def test_openvino_takes_equal_axes_and_lengths_that_wrap_around():
    found = result("ReverseSequence", "openvino")
    assert found["equal axes"] == ("accepts it", [[0, 1], [0, 1], [0, 1]])
    assert found["beyond 32 bits, as an input"] == ("accepts it", [[1, 0, 2], [5, 4, 3]])
    assert found["beyond 32 bits, as a constant"][0] == "refuses"
    assert found["a length of 0"][0] == "the same"
    assert found["data of f64"][0] == "differs"
    assert found["data of f32"][0] == "the same"


def test_a_runtime_that_crashes_is_asked_on():
    found = result("Reverse", "openvino")
    assert found["data of string"][0] == "crashes"
    assert found["data of f32"][0] == "the same"
    assert found["no mode"][0] == "accepts it"


def test_a_rank_that_is_left_open_is_left_open_to_the_runtime():
    assert result("ReverseSequence", "openvino")["batch axis -2 of unknown rank"][0] == "refuses"
    found = result("Reverse", "openvino-evaluate")
    assert found["too few flags"][0] == "refuses"
    assert found["too few flags, data of unknown rank"] == ("accepts it", [[3, 4, 5], [0, 1, 2]])


def test_onnx_reference_cuts_lengths_off_and_takes_negative_ones_from_the_end():
    found = result("ReverseSequence", "onnx-reference")
    assert found["beyond the end"] == ("accepts it", [[2, 1, 0], [5, 4, 3]])
    assert found["a length of -1"] == ("accepts it", [[1, 0, 2], [5, 4, 3]])
    assert found["data of string"][0] == "the same"


def test_onnx_runtime_reverses_another_axis_than_the_one_that_is_counted_from_the_end():
    found = result("ReverseSequence", "onnxruntime")
    assert found["sequence axis -1 of rank 3"] == (
        "accepts it",
        [[[3, 4, 5], [0, 1, 2]], [[9, 10, 11], [6, 7, 8]]],
    )
    assert found["no steps, lengths of 1"][0] == "refuses"
    assert found["equal axes"][0] == "refuses"


def test_the_checker_of_onnx_sees_types_and_no_values():
    found = result("ReverseSequence", "onnx-checker")
    assert found["beyond the end"][0] == "ignores values"
    assert found["of i32"][0] == "refuses"
    assert found["equal axes"][0] == "accepts it"
    assert found["data of u1"][0] == "not representable"


def test_a_reader_of_onnx_takes_lengths_of_other_types():
    assert result("ReverseSequence", "openvino-onnx")["of f32, fractions"] == (
        "accepts it",
        [[1, 0, 2], [3, 4, 5]],
    )


@pytest.mark.parametrize("runtime", ["numpy-flip", slow("torch-flip")])
def test_axes_that_are_named_twice_are_refused_elsewhere(runtime):
    found = result("Reverse", runtime)
    assert found["twice the same"][0] == "refuses"
    assert found["from the end"][0] == "the same"
    assert found["all false: a copy"][0] == "not representable"


def test_a_process_that_ends_says_how(tmp_path, monkeypatch):
    (tmp_path / "brief.py").write_text(
        "import os, sys\ndef prepare():\n    print('enough', file=sys.stderr, flush=True)\n    os.abort()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    process = Process(import_module("brief").prepare, (), TIMEOUT)
    with pytest.raises(ProcessDied, match=r"ended by SIGABRT \(enough\)"):
        process.ask(("anything",))


def test_a_process_that_does_not_answer_is_ended():
    process = Process(time.sleep, (600,), 1.0)
    with pytest.raises(ProcessDied, match="no answer within 1 seconds") as death:
        process.ask(("anything",))
    assert death.value.stalled


def test_a_runtime_that_hangs_is_not_asked_for_ever():
    result = list(replies_of(Process(time.sleep, (600,), 0.5), [None] * 6))
    assert [reply.kind for reply in result] == ["hangs"] * 6
    assert [reply.text.split(",")[0] for reply in result] == [
        "no answer within 0.5 seconds"
    ] * MAX_TIMEOUTS + ["not run"] * 3


def test_the_legend_explains_every_tone():
    given, refused = Reply("computes", array=np.zeros(2)), Reply("refuses", "C1: no")
    assert {
        verdict(own, other).tone
        for own in (given, refused)
        for other in (
            given,
            refused,
            Reply("crashes"),
            Reply("hangs"),
            Reply("unsupported"),
            Reply("accepts"),
        )
    } <= set(WORDS)
    assert irops_verdict(refused).word == "refuses: C1"

"""Candidates that are judged at the same time: the reduction is the same, and nothing goes on behind it."""

from __future__ import annotations

import sys
from time import monotonic

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import analyse
from irops.debugging.reduce.attempts import FILE, Ahead, Attempts, Budget, Memory
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.judges import CommandJudge
from irops.debugging.reduce.oracle import Judge, Symptom

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
JUDGE = """
import pathlib, sys, time
log = pathlib.Path(sys.argv[1])
began = time.time()
text = pathlib.Path(sys.argv[2]).read_text()
time.sleep(0.2)
with log.open("a") as file:
    file.write(f"{began} {time.time()}\\n")
sys.exit(0 if 'type="Sin"' in text and 'type="Exp"' in text else 1)
"""


def network(length: int = 12) -> irops.Model:
    g = irops.Graph("chain")
    value = g.parameter("x", "f32[3,4]")
    for number in range(length):
        op = {4: "Sin", 9: "Exp"}.get(number, "Tanh")
        value = g.add(op, value, name=f"layer_{number}")
    g.result(value, "y")
    return g.model()


def most_at_once(lines: list[str]) -> int:
    spans = [tuple(map(float, line.split())) for line in lines]
    return max(sum(begin <= at < end for begin, end in spans) for at, _ in spans)


def test_a_reduction_with_more_jobs_is_the_same(tmp_path):
    (tmp_path / "judge.py").write_text(JUDGE)
    found = {}
    for jobs in (1, 4):
        log, folder = tmp_path / f"log_{jobs}", tmp_path / f"folder_{jobs}"
        words = [sys.executable, str(tmp_path / "judge.py"), str(log)]
        small = irops.reduce(network(), {"x": X}, command=words, jobs=jobs, folder=folder)
        outcomes = (folder / FILE).read_text().splitlines()[1:]
        inputs = {name: array.tolist() for name, array in small.inputs.items()}
        found[jobs] = str(small), small.model.layers, inputs, outcomes
        assert (most_at_once(log.read_text().splitlines()) > 1) is (jobs > 1)
    assert found[1] == found[4]
    assert {layer.type for layer in found[4][1]} == {"Parameter", "Sin", "Exp", "Result"}


@pytest.mark.parametrize("tries", [1, 5, 9])
def test_candidates_that_are_judged_before_their_turn_are_no_tries(tmp_path, tries):
    (tmp_path / "judge.py").write_text(JUDGE)
    words = [sys.executable, str(tmp_path / "judge.py"), str(tmp_path / "log")]
    one, four = (irops.reduce(network(), {"x": X}, command=words, tries=tries, jobs=j) for j in (1, 4))
    assert (one.tries, one.stopped, one.layers) == (four.tries, four.stopped, four.layers)
    assert four.tries == tries


def test_commands_that_run_still_are_killed_at_the_end(tmp_path):
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    ahead = Ahead([CommandJudge(words, 100), CommandJudge(words, 100)])
    for length in (10, 11, 12):
        ahead.begin(Case(network(length), {"x": X}))
    start = monotonic()
    ahead.close()
    assert monotonic() - start < 30


def test_a_difference_of_numbers_is_not_replaced_by_a_failure_of_a_part():
    """That a device cannot compile a part of a model is not why the whole one gives wrong numbers."""

    class Fails(Judge):
        description = absence = ""
        has_symptoms = True

        def symptom(self, case: Case) -> Symptom | None:
            types = [layer.type for layer in case.model.layers]
            if "Tanh" not in types:
                return Symptom("differ: refused")
            reason = "not finite" if "Exp" in types else "wrong"
            return Symptom(f"differ: {reason}", 1e4, has_results=True)

    analysis = analyse(network())
    attempts = Attempts([Fails()], Budget(), Memory())
    assert attempts.begin(Case(analysis.model, {"x": X}))
    parts = {
        name: Case(irops.extract(network(), outputs=[end], inputs=[start]), {})
        for name, start, end in (("refused", "layer_8", "layer_9"), ("wrong", "layer_2", "layer_3"))
    }
    for case in parts.values():
        name = next(layer.name for layer in case.model.layers if layer.type == "Parameter")
        object.__setattr__(case, "inputs", {name: X})
    with attempts.any_symptom():
        assert not attempts.fails(parts["refused"])
        assert attempts.fails(parts["wrong"])

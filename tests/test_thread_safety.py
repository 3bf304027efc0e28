"""Threads may share a Session, a ModelAnalysis and a Registry, and check at the same time."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import irops
from irops.analysis.model_analysis import analyse

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "examples" / "bidirectional_encoder" / "model.xml"
THREADS = 8


@pytest.fixture(autouse=True)
def frequent_switches():
    """Let threads take turns as often as possible, so that a race shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work):
    """The results of a function in threads that begin at the same moment."""
    barrier = Barrier(THREADS)

    def begin(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def test_reports_of_threads_are_those_of_one():
    texts = [
        path.read_bytes() for path in sorted((ROOT / "irops" / "diagnostics" / "rules").glob("IR3*.xml"))
    ]
    alone = [str(irops.check("m.xml", text=text)) for text in texts]
    assert at_once(lambda _: [str(irops.check("m.xml", text=text)) for text in texts]) == [alone] * THREADS


def test_threads_get_the_same_op_of_a_registry_and_all_its_extensions():
    folder = next((ROOT / "examples").glob("*/*-*.xml")).parent
    name = next(folder.glob("*-*.xml")).stem
    for _ in range(5):
        registry = irops.Registry([folder])

        def ops(number, registry=registry):
            ids = ("Relu-1", "ReLU-1", "SoftMax-8", "Loop-5", name)
            chosen = [each for each in ids if each in registry.versions()]
            return tuple(registry.op(each) for each in (chosen[number % 2 :] + chosen[: number % 2]))

        results = at_once(ops)
        assert len({id(op) for found in results for op in found}) == len(results[0])
        assert name in {op.id for op in results[0]}


def test_a_registry_remembers_a_bounded_number_of_layers(monkeypatch):
    monkeypatch.setattr("irops.dialects.registry.MAX_RESOLVED", 50)
    registry = irops.Registry()
    at_once(lambda number: [registry.resolve(f"Op{number}x{k}", "opset1") for k in range(100)])
    assert len(registry._resolved) <= 50 + THREADS
    assert registry.resolve("ReLU", "opset1") is registry.resolve("ReLU", "opset1")


def test_a_shared_analysis_infers_and_checks_alike():
    analysis = analyse(irops.read(MODEL))
    outcomes = at_once(lambda _: (str(irops.check(analysis)), str(analysis.infer().layers.keys())))
    assert len(set(outcomes)) == 1

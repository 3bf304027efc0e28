"""What a session keeps from run to run: results are the same without."""

from pathlib import Path

import numpy as np
import pytest
from random_graphs import Maker

import irops
from irops.environment import VARIABLE
from irops.runtime.gradients import GradientSession
from irops.runtime.plan import KeptConstants

OFF = "constants"
CODES = np.arange(8, dtype=np.uint8)
SCALE = np.array([0.1, 0.3], np.float16)


def same(some, others):
    pairs = [(some[name], others[name]) for name in some]
    return some.keys() == others.keys() and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs
    )


@pytest.fixture
def compressed(net):
    """x @ w, with w of u4 codes times f16 scales: 4 × 2, 48 bytes in f32 and f16 together."""
    return net(
        "x: f32[?,4]; codes: Const u4[4,2] offset=0 size=4; real: Convert codes destination_type=f16",
        "scaled: Multiply real scale; w: Convert scaled destination_type=f32; y: MatMul x w",
        "shifted: Add y y; r: Result shifted; weights: Result scaled",
        weights=bytes(CODES[::2] | CODES[1::2] << 4),
        scale=SCALE,
    )


def test_constants_are_computed_in_the_first_run_alone(compressed):
    session, x = irops.Session(compressed), np.ones((3, 4), np.float32)
    first = session.run([x])
    for _ in range(3):
        assert same(session.run([x]), first)
    (program,) = session.evaluator._programs._values.values()
    assert [action.step.layer.name for action in program.actions] == ["y", "shifted"]
    assert session.evaluator.kept.bytes == 48
    assert session.evaluator.run_once() is None
    assert session.evaluator.kept.bytes == 0


def test_results_of_constants_belong_to_the_caller(compressed):
    session, x = irops.Session(compressed), np.ones((3, 4), np.float32)
    first = session.run([x])
    expected = first["weights"].copy()
    for _ in range(2):
        session.run([x])["weights"][...] = 7
    assert np.array_equal(session.run([x])["weights"], expected)
    kept = session.run([x], keep=["w"])
    kept["w"][...] = 9
    assert same(dict(session.run([x])), dict(first))


@pytest.mark.parametrize(("limit", "kept"), [(47, 16), (16, 16), (15, 0), (1 << 20, 48)])
def test_constants_that_exceed_the_limit_are_computed_in_each_run(compressed, limit, kept):
    x = np.ones((3, 4), np.float32)
    expected = irops.run(compressed, [x])
    session = irops.Session(compressed, limits=irops.Limits(constant_bytes=limit))
    assert all(same(session.run([x]), expected) for _ in range(3))
    assert session.evaluator.kept.bytes == kept


def test_a_constant_that_is_given_another_value_is_not_kept(compressed):
    session = GradientSession(compressed)
    x, ones = np.ones((1, 4), np.float32), np.ones((1, 2), np.float32)
    for scale in (SCALE, SCALE * np.float16(2), SCALE):
        results = session.vjp({"x": x, "scale": scale}, {"r": ones}, wrt="x").results
        product = CODES.reshape(4, 2).sum(0) * scale.astype(np.float32)
        assert np.allclose(results["r"], 2 * product, rtol=1e-3)


def test_a_kept_view_does_not_keep_what_it_is_a_view_of():
    kept = KeptConstants(1 << 10)
    key = ((), 1, 0)
    assert kept.choose((), {key: 8}) == {key}
    kept.put(key, np.zeros(1 << 20, np.float32)[:2])
    array = kept.find(key)
    assert array.base is None
    assert not array.flags.writeable
    kept.refuse(())
    assert kept.find(key) is None


def test_warnings_of_constants_come_with_each_run(net):
    model = net(
        "x: f32[2]; turned: ReverseSequence d n batch_axis=0 seq_axis=1; sum: Add x turned; y: Result sum",
        d=np.ones((2, 2), np.float32),
        n=np.array([1, 0]),
    )
    session = irops.Session(model)
    counts = [len(session.run([np.ones(2, np.float32)]).warnings) for _ in range(3)]
    assert counts == [counts[0]] * 3


def test_values_that_follow_from_shapes_are_kept_for_these_shapes(net):
    model = net(
        "x: f32[?,?]; sizes: ShapeOf-opset3 x output_type=i64; twice: Add sizes sizes",
        "sum: Convert twice destination_type=f32; y: Add x sum; r: Result y",
    )
    session = irops.Session(model)
    for shape in ((3, 2), (1, 2), (3, 2), (1, 2), (3, 2)):
        expected = np.zeros(shape, np.float32) + 2 * np.float32(shape)
        assert np.array_equal(session.run([np.zeros(shape, np.float32)])["r"], expected)
    programs = list(session.evaluator._programs._values.values())
    assert [[action.step.layer.name for action in one.actions] for one in programs] == [["y"], ["y"]]


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_give_the_same_with_and_without(seed, monkeypatch):
    maker = Maker(seed)
    model = maker.graph.model()
    session = irops.Session(model)
    runs = [outcome(session, maker.arrays) for _ in range(3)]
    monkeypatch.setenv(VARIABLE, OFF)
    plain = irops.Session(model)
    assert plain.evaluator.kept is None
    assert runs == [outcome(plain, maker.arrays)] * 3


def outcome(session, arrays):
    """The results by name as types, shapes and bytes, and the warnings; or the error."""
    try:
        results = session.run(arrays)
    except irops.EvaluationError as error:
        return str(error)
    described = {name: (str(a.dtype), a.shape, a.tobytes()) for name, a in results.items()}
    return described, results.warnings


EXAMPLES = sorted(
    path
    for path in (Path(__file__).parents[2] / "examples").glob("*/model.xml")
    if path.parent.name not in ("broken", "my_reverse")
)
"""The examples that run without a definition of their own."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_give_the_same_with_and_without(path, monkeypatch):
    session = irops.Session(path)
    rng = np.random.default_rng(0)
    inputs = {}
    for port in session.signature.inputs:
        sizes = [max(int(dim.low), 1) for dim in port.fact.shape.dims or ()]
        inputs[port.name] = rng.integers(1, 2, sizes).astype(port.fact.element_type.dtype)
    runs = []
    for _ in range(2):
        runs.append([session.run(inputs), session.run(inputs)])
        session.reset()
        monkeypatch.setenv(VARIABLE, OFF)
        session = irops.Session(path)
    assert all(same(one, other) for one, other in zip(*runs))

"""One run: when tensors are freed, what a run may hold, and what happens to it when something fails."""

import numpy as np
import pytest
from raised import diagnostic_of

import irops
from irops.backends.backend import Declined
from irops.files.limits import Limits
from irops.runtime.run import Run
from irops.values.violation import LimitExceeded, Violation

X = np.arange(4, dtype=np.float32)


@pytest.fixture
def chain(net):
    """x -> a -> b -> c -> y, and a -> z: 16 bytes each."""
    return net("x: f32[?]", "a: Abs x", "b: Sin a", "c: Cos b", "y: Result c", "z: Result a")


class Only:
    """A backend that computes some ops, by id."""

    name = "only"

    def __init__(self, **kernels):
        self.kernels = {name.replace("_", "-"): kernel for name, kernel in kernels.items()}

    def kernel(self, op):
        return self.kernels.get(op.id)


def session_of(model, **kernels):
    return irops.Session(model, backends=(Only(**kernels), "reference"))


def run_of(session):
    return Run(session.evaluator, session.variables.begin())


def held_during(session, keep=()):
    """The bytes that are held after each layer, by its name, and those at the end."""
    held, run = {}, run_of(session)
    session.evaluator.progress = lambda done, total, layer: held.update({layer.name: run.bytes_held})
    values = run.graph(session.analysis.root, session.signature.arrays([X]), keep)
    return held, run.bytes_held, values


def test_a_tensor_is_freed_after_its_last_use(chain):
    held, at_the_end, _ = held_during(irops.Session(chain, backends="reference"))
    assert held == {"x": 16, "a": 16, "b": 32, "c": 32, "y": 32, "z": 32}
    assert at_the_end == 0


def test_after_a_run_nothing_is_held_whatever_is_kept(chain):
    for keep in ((), (1, 2, 3)):
        _, at_the_end, values = held_during(irops.Session(chain, backends="reference"), keep)
        assert at_the_end == 0
        assert {layer for layer, _ in values} == {4, 5, *keep}


@pytest.mark.parametrize(
    ("keep", "bytes_held"),
    [
        ((0,), [16, 32, 48, 48]),
        ((1,), [16, 16, 32, 32]),
        ((2,), [16, 16, 32, 48]),
        ((0, 1, 2, 3), [16, 32, 48, 64]),
    ],
)
def test_only_what_is_kept_outlives_its_last_use(chain, keep, bytes_held):
    held, _, values = held_during(irops.Session(chain, backends="reference"), keep)
    assert [held[name] for name in "xabc"] == bytes_held
    assert 1 not in keep or np.array_equal(values[1, 0], X)


def test_the_limit_on_bytes_is_exact(chain):
    irops.run(chain, [X], limits=Limits(tensor_bytes=48))
    found = diagnostic_of(irops.run, chain, [X], limits=Limits(tensor_bytes=47))
    assert found.code == "IR605"
    assert found.message.startswith("would hold 48 bytes, the limit is 47 (tensor_bytes)")
    assert found.location.layer_name in ("b", "c")


def test_all_layers_are_kept_by_name_and_outputs_by_number(net):
    model = net("x: f32[4]", "halves: Split x axis num_splits=2", "y: Result halves:1", axis=np.array(0))
    result = irops.run(model, [X], keep="all")
    assert set(result) == {"x", "axis", "halves:0", "halves:1", "halves.1"}
    assert result["halves", 1] is result["halves:1"] is result["halves.1"] is result["y"] is result.get(0)
    assert "y" in result
    assert ("halves", 2) not in result
    assert (result["halves:0"].tolist(), result["halves:1"].tolist()) == ([0, 1], [2, 3])
    assert set(irops.run(model, [X], keep=1)) == {"halves:0", "halves:1", "halves.1"}
    assert set(irops.run(model, [X])) == {"halves.1"}


def test_progress_counts_layers_of_the_model_and_none_of_bodies(chain):
    seen = []
    irops.run(chain, [X], progress=lambda *of: seen.append((of[0], of[1])))
    assert seen == [(k, 6) for k in range(1, 7)]


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (LimitExceeded("memory-limit", "too large"), "IR605", "too large"),
        (MemoryError(), "IR615", "Sin-1 does not fit into the memory of this machine"),
        (ValueError("odd"), "IR607", "the kernel of Sin-1 of backend only failed: ValueError: odd"),
    ],
)
def test_what_a_kernel_raises_is_reported_at_its_layer(chain, error, code, words):
    def fail(data):
        raise error

    found = diagnostic_of(session_of(chain, Sin_1=fail).run, [X])
    assert (found.code, found.location.layer_name) == (code, "b")
    assert words in found.message
    assert 'layer 2 "b": ' in found.facts
    found = diagnostic_of(irops.call, "Sin-1", X, backends=(Only(Sin_1=fail),))
    assert (found.code, words in found.message) == (code, True)


def test_inputs_that_every_backend_declines_are_reported_with_the_reason(net):
    def decline(data):
        raise Declined("too wide", "at 3")

    model = net("x: f32[4]", "b: Sin x", "y: Result b")
    found = diagnostic_of(irops.run, model, [X], backends=(Only(Sin_1=decline),))
    assert (found.name, found.location.layer_name) == ("declined-op", "b")
    assert "too wide; at 3" in found.message
    assert irops.run(model, [X], backends=(Only(Sin_1=decline), "reference"))["y"][0] == 0


def test_a_broken_requirement_names_the_constraint(net):
    model = net(
        "x: f32[2,2]", "n: i64[2]", "turned: ReverseSequence x n batch_axis=0 seq_axis=1", "y: Result turned"
    )

    def fail(*inputs, **keywords):
        raise Violation("C3", "at 1")

    session = session_of(model, ReverseSequence_1=fail)
    found = diagnostic_of(session.run, [np.ones((2, 2), np.float32), np.array([1, 1])])
    assert (found.constraint, found.message.endswith("; at 1")) == ("ReverseSequence-1:C3", True)


def test_time_that_is_up_is_reported_before_the_next_layer(chain):
    session = irops.Session(chain, backends="reference", limits=Limits(run_seconds=50))
    run = run_of(session)
    run._clock.end = 0
    found = diagnostic_of(run.graph, session.analysis.root, session.signature.arrays([X]))
    assert found.message == "the time is up before Parameter-1; the limit is 50 (run_seconds)"


@pytest.mark.parametrize(
    ("kernel", "given"), [(lambda data: data[:2], "f32[2]"), (lambda data: data.astype(np.float64), "f64[4]")]
)
def test_a_result_that_was_not_inferred_is_refused(chain, kernel, given):
    found = diagnostic_of(session_of(chain, Sin_1=kernel).run, [X])
    assert found.code == "IR608"
    assert found.message == f"the kernel of Sin-1 gives {given} as output 0, inferred is f32[4]"


def stored(net, tmp_path):
    model = net("y: Result c", c=X)
    path = tmp_path / "model.xml"
    irops.write(model, path)
    return path


def test_weights_that_change_before_a_run_are_refused(net, tmp_path):
    path = stored(net, tmp_path)
    session = irops.Session(path)
    assert session.run()["y"].tolist() == X.tolist()
    path.with_suffix(".bin").write_bytes(b"\1" * 16)
    with pytest.raises(irops.DiagnosticError) as caught:
        session.run()
    assert [d.name for d in caught.value.diagnostics] == ["changed-weights"]


def test_weights_that_change_during_a_run_are_refused_and_nothing_is_assigned(net, tmp_path):
    model = net(
        "a: Assign-opset6 c variable_id=v",
        "r: ReadValue-opset6 variable_id=v variable_type=f32 variable_shape=4; y: Result r",
        c=X,
    )
    path = tmp_path / "model.xml"
    irops.write(model, path)

    def change(done, total, layer):
        if done == total:
            path.with_suffix(".bin").write_bytes(b"\1" * 16)

    session = irops.Session(path, progress=change)
    with pytest.raises(irops.DiagnosticError):
        session.run()
    assert session.variables.keys() == ()

"""The profile of a run: time and bytes by layer and op."""

import numpy as np
import pytest
from bodies import LOOP, Net, decides, feeds, gives, takes

import irops
from irops.cli.main import main
from irops.runtime.profile import Profile

X = np.ones((2, 3), np.float32)


@pytest.fixture
def chain(net):
    return net("x: f32[?,3]", "first: ReLU x", "second: ReLU first", "wave: Tanh second", "y: Result wave")


@pytest.fixture
def looping():
    """x + 1, three times."""
    net = Net()
    x = net.parameter("x", "f32", "2,3")
    trips, condition = net.const(3, np.int64), net.const(True, np.bool_)
    body = net.body()
    state = body.parameter("state", "f32", "2,3")
    total = body.op("Add", state, body.const([[1.0]]), name="more")
    onward = body.result(body.const(True, np.bool_), name="onward")
    new = body.result(total, name="new")
    entries = takes(2, state) + decides(onward) + gives(3, new) + feeds(new, state)
    (last,) = net.apply(LOOP, trips, condition, x, name="loop", body=(body, entries))
    net.result(last, name="y")
    return net.model()


def test_without_asking_nothing_is_measured(chain):
    assert irops.run(chain, {"x": X}).profile is None


def test_calls_and_bytes_are_counted_by_layer_and_by_op(chain):
    profile = irops.run(chain, {"x": X}, profile=True).profile
    by_name = {layer.name: layer for layer in profile.layers}
    ops = {"x": "Parameter-1", "first": "ReLU-1", "second": "ReLU-1", "wave": "Tanh-1", "y": "Result-1"}
    assert {name: timing.op for name, timing in by_name.items()} == ops
    assert {(timing.calls, timing.bytes) for timing in profile.layers} == {(1, 24)}
    by_op = {op.name: op for op in profile.ops}
    assert (by_op["ReLU-1"].calls, by_op["ReLU-1"].bytes) == (2, 48)
    assert by_op["ReLU-1"].seconds == pytest.approx(by_name["first"].seconds + by_name["second"].seconds)
    assert sum(map(profile.share, profile.ops)) == pytest.approx(1)
    assert sum(layer.seconds for layer in profile.layers) + profile.planning <= profile.seconds


def test_the_slowest_come_first(chain):
    seconds = [layer.seconds for layer in irops.run(chain, {"x": X}, profile=True).profile.layers]
    assert seconds == sorted(seconds, reverse=True)


def test_every_run_of_a_session_has_its_own_profile(chain):
    session = irops.Session(chain)
    first, second = (session.run({"x": X}, profile=True).profile for _ in range(2))
    assert first is not second
    assert {layer.calls for layer in second.layers} == {1}


def test_the_time_of_a_layer_is_without_that_of_its_body(looping):
    results = irops.run(looping, {"x": X}, profile=True)
    assert results["y"].tolist() == (X + 3).tolist()
    profile = results.profile
    inner = next(layer for layer in profile.layers if layer.name == "more")
    assert (inner.path, inner.calls) == (("loop", "body"), 3)
    outer = next(layer for layer in profile.layers if layer.name == "loop")
    assert outer.seconds + sum(one.seconds for one in profile.layers if one.path) <= profile.seconds


def test_a_profile_without_a_run_is_empty():
    profile = Profile()
    assert (profile.layers, profile.ops) == ((), ())
    assert repr(profile) == "<Profile of 0 calls: 0.0 ms>"


def test_notebooks_show_the_time_by_op_in_milliseconds(chain):
    profile = irops.run(chain, {"x": X}, profile=True).profile
    page = profile._repr_html_()
    assert "<td>ReLU-1</td>" in page
    assert ">share</th>" in page
    assert all(f"{op.seconds * 1e3:.2f}" in page for op in profile.ops)


def test_the_command_shows_tables(chain, tmp_path, capsys):
    irops.write(chain, tmp_path / "model.xml")
    assert main(["run", str(tmp_path / "model.xml"), "--fill", "ones", "--profile"]) == 0
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("time by op: ", "slowest layers", "ReLU-1"))


def test_a_profiled_run_gives_the_warnings_of_any_other(net):
    model = net("x: f32[2]", "tiled: Tile x times", "y: Result tiled", times=np.array([-1]))
    plain, profiled = (irops.run(model, [X[0, :2]], profile=on).warnings for on in (False, True))
    assert [w.code for w in plain] == [w.code for w in profiled] != []

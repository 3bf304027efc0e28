"""The profile of a run: time and bytes by layer and op, and a trace in Chrome's format."""

import json

import numpy as np
import pytest
from bodies import LOOP, Net, decides, feeds, gives, takes

import irops
from irops.cli.main import main
from irops.runtime import profile as profiles
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


def test_repetitions_of_a_body_are_nested_in_their_layer(looping):
    results = irops.run(looping, {"x": X}, profile=True)
    assert results["y"].tolist() == (X + 3).tolist()
    profile = results.profile
    inner = next(layer for layer in profile.layers if layer.name == "more")
    assert (inner.path, inner.calls) == (("loop", "body"), 3)
    events = [event for event in profile.trace()["traceEvents"] if event["ph"] == "X"]
    loop = next(event for event in events if event["name"] == "loop")
    turns = [event for event in events if event["cat"] == "body"]
    assert [turn["name"] for turn in turns] == ["body 0", "body 1", "body 2"]
    for turn in turns:
        assert loop["ts"] <= turn["ts"]
        assert turn["ts"] + turn["dur"] <= loop["ts"] + loop["dur"] + 1e-3
    outer = next(layer for layer in profile.layers if layer.name == "loop")
    assert outer.seconds * 1e6 <= loop["dur"] - sum(turn["dur"] for turn in turns) + 1e-3


def test_the_trace_is_in_the_format_of_chrome(chain, tmp_path):
    path = tmp_path / "trace.json"
    irops.run(chain, {"x": X}, profile=True).profile.write(path)
    trace = json.loads(path.read_text())
    assert trace["displayTimeUnit"] == "ms"
    assert trace["otherData"] == {"version": 1, "dropped_events": 0}
    for event in trace["traceEvents"]:
        assert {"M": {"name", "args"}, "X": {"ts", "dur", "cat"}, "C": {"ts", "args"}}[event["ph"]] <= {
            *event
        }
        assert event["pid"] == 1
    names = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert names == ["run", "plan", "x", "first", "second", "wave", "y"]
    wave = next(event for event in trace["traceEvents"] if event["name"] == "wave")
    assert (wave["args"]["bytes"], wave["args"]["shapes"]) == (24, [[2, 3]])


def test_a_trace_is_bounded_and_the_totals_count_all(looping, monkeypatch):
    monkeypatch.setattr(profiles, "MAX_EVENTS", 4)
    profile = irops.run(looping, {"x": X}, profile=True).profile
    assert len(profile.events) == 4
    assert profile.trace()["otherData"]["dropped_events"] == profile.dropped > 0
    assert next(layer for layer in profile.layers if layer.name == "more").calls == 3


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


def test_the_command_shows_tables_and_writes_the_trace(chain, tmp_path, capsys):
    path, trace = tmp_path / "model.xml", tmp_path / "trace.json"
    irops.write(chain, path)
    assert main(["run", str(path), "--fill", "ones", "--profile", str(trace)]) == 0
    shown = capsys.readouterr()
    assert "time by op: " in shown.out
    assert "slowest layers" in shown.out
    assert "ReLU-1" in shown.out
    assert f"the trace is saved as {str(trace)!r}" in shown.err
    assert json.loads(trace.read_text())["traceEvents"]
    assert main(["run", str(path), "--fill", "ones", "--profile", str(tmp_path / "no" / "t.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_times_of_a_trace_count_from_the_first_event_in_microseconds():
    events = [profiles.Event("b", "op", 5000, 6500, {}), profiles.Event("a", "op", 1000, 3000, {})]
    shown = [e for e in profiles.trace_of(events, 0)["traceEvents"] if e["ph"] == "X"]
    assert [(e["name"], e["ts"], e["dur"]) for e in shown] == [("a", 0.0, 2.0), ("b", 4.0, 1.5)]


def test_a_profiled_run_gives_the_warnings_of_any_other(net):
    model = net("x: f32[2]", "tiled: Tile x times", "y: Result tiled", times=np.array([-1]))
    plain, profiled = (irops.run(model, [X[0, :2]], profile=on).warnings for on in (False, True))
    assert [w.code for w in plain] == [w.code for w in profiled] != []

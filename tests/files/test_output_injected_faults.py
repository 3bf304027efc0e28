"""A pair of .xml and .bin, and every other output, is whole after a fault at any call that changes files."""

import os
import shutil
import signal
from functools import partial

import injected
import numpy as np
import pytest
from here_workers import HereWorkers

import irops
from irops.cli.main import main
from irops.surveys.listing import listing
from irops.surveys.survey import Request, surveyed
from irops.surveys.tasks import SurveyError, SurveySettings, tasks_of
from tests.conftest import model_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
OUTPUTS = ("out.xml", "out.bin", "base.json", "out.npz")


def model(*numbers):
    return model_of("x: f32[2,3]; sum: Add x w; y: Result sum", w=np.full((2, 3), numbers, "f4"))


def written(folder):
    irops.write(model(7, 8, 9), folder / "out.xml")


def command(folder, words):
    return main([word.format(folder) for word in words.split()])


COMMANDS = {
    "fix": "check --fix -q {}/out.xml",
    "convert": "convert {}/in.xml --target 2023.0 -o {}/out.xml",
    "extract": "extract {}/in.xml --to sum -o {}/out.xml",
    "baseline": "check -q {}/in.xml --write-baseline {}/base.json",
    "run": "run {}/in.xml --fill ones -q --save-outputs {}/out.npz",
}
ACTIONS = {"write": written, **{name: partial(command, words=words) for name, words in COMMANDS.items()}}


@pytest.fixture
def prepared(tmp_path):
    """A folder with a model, and older outputs of all kinds."""
    folder = tmp_path / "before"
    folder.mkdir()
    irops.write(model(1, 2, 3), folder / "in.xml")
    irops.write(model(4, 5, 6), folder / "out.xml")
    text = (folder / "out.xml").read_text()
    (folder / "out.xml").write_text(text.replace('type="Add"', 'type="add"'))
    (folder / "base.json").write_text("{}")
    (folder / "out.npz").write_bytes(b"old")
    return folder


def contents(folder):
    return {name: (folder / name).read_bytes() for name in OUTPUTS}


SLOW = pytest.mark.slow("ends many processes")
CASES = [
    pytest.param(
        action, fault, marks=() if (action, fault) in (("write", "EIO"), ("fix", "killed after")) else SLOW
    )
    for action in ACTIONS
    for fault in injected.FAULTS
]


@pytest.mark.parametrize(("action", "fault"), CASES)
def test_what_was_there_or_what_is_written_is_whole(action, fault, prepared, tmp_path):
    old, log, folder = contents(prepared), tmp_path / "log", tmp_path / "work"

    def tried(at):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prepared, folder)
        return injected.done(partial(ACTIONS[action], folder), injected.Injected(at, fault), log)

    status, calls = tried(0)
    assert status in (0, 1), log.read_text()
    new = contents(folder)
    assert new != old
    files = sorted(os.listdir(folder))
    for at, call in enumerate(calls, 1):
        status, _ = tried(at)
        place = f"{fault} at {call} {at} of {calls}: {log.read_text()}"
        assert "Traceback" not in log.read_text() or action == "write", place
        found = contents(folder)
        is_whole = all(found[name] in (old[name], new[name]) for name in OUTPUTS)
        is_pair = [found[name] for name in OUTPUTS[:2]] in (
            [side[name] for name in OUTPUTS[:2]] for side in (old, new)
        )
        names = {finding.name for finding in irops.check(folder / "out.xml")}
        assert is_whole, place
        assert is_pair or "interrupted-write" in names, place
        assert not is_pair or "interrupted-write" not in names, place
        if not fault.startswith("killed"):
            assert status != 0 or found == new, place
            assert not is_pair or sorted(os.listdir(folder)) == files, place


def test_the_next_writer_begins_with_what_is_left_and_the_rest_is_named(prepared):
    old, left = contents(prepared), prepared / ".out.xml.pending"
    shutil.copy(prepared / "in.xml", left)
    (found,) = (f for f in irops.check(prepared / "out.xml") if f.name == "interrupted-write")
    assert ".out.xml.pending" in found.notes[0]
    with pytest.raises(irops.DiagnosticError, match="IR022"):
        irops.run(prepared / "out.xml", [np.ones((2, 3), "f4")])
    written(prepared)
    assert not left.exists()
    assert contents(prepared) != old
    left.write_bytes(b"older")
    os.utime(left, (1, 1))
    assert not list(irops.check(prepared / "out.xml"))


RESULTS = ("results.csv", "results.json")


def surveyed_here(folder):
    settings = SurveySettings()
    request = Request(listing([folder / "zoo"]), tasks_of(("check",), (), ()), settings, folder / "report")
    try:
        surveyed(request, HereWorkers())
    except SurveyError as error:
        print(error)
        return 2
    return 0


@pytest.mark.slow("ends many processes")
@pytest.mark.parametrize("fault", ["EINTR", "killed before", "killed halfway"])
def test_a_survey_leaves_whole_files_and_the_next_one_goes_on(fault, tmp_path):
    prepared, folder, log = tmp_path / "before", tmp_path / "work", tmp_path / "log"
    (prepared / "zoo").mkdir(parents=True)
    irops.write(model(1, 2, 3), prepared / "zoo" / "a.xml")
    assert surveyed_here(prepared) == 0
    irops.write(model(4, 5, 6), prepared / "zoo" / "b.xml")
    (prepared / "zoo" / "c.xml").write_text("<net/>")
    names = sorted(os.listdir(prepared / "report"))
    old = {name: (prepared / "report" / name).read_bytes() for name in names}

    def tried(at):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prepared, folder)
        return injected.done(partial(surveyed_here, folder), injected.Injected(at, fault), log)

    status, calls = tried(0)
    assert (status, sorted(os.listdir(folder / "report"))) == (0, names)
    new = {name: (folder / "report" / name).read_bytes() for name in names}
    for at, call in enumerate(calls, 1):
        status, _ = tried(at)
        place = f"{fault} at {call} {at} of {len(calls)}: {log.read_text()}"
        assert "Traceback" not in log.read_text(), place
        assert status in (0, -signal.SIGKILL if fault.startswith("killed") else 2), place
        for name in RESULTS:
            assert (folder / "report" / name).read_bytes() in (old[name], new[name]), f"{name}, {place}"
        assert surveyed_here(folder) == 0, place
        assert [(folder / "report" / name).read_bytes() for name in RESULTS] == [
            new[name] for name in RESULTS
        ], place
        left = set(os.listdir(folder / "report")) - set(names)
        assert not left or (fault.startswith("killed") and all(name.endswith(".part") for name in left)), (
            place
        )

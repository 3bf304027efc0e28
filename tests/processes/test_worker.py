"""A process that answers questions ends, or does not answer: the error says how."""

from __future__ import annotations

import pytest

from irops.processes.worker import Process, ProcessDied

pytestmark = pytest.mark.slow("processes that die or hang")


def test_a_process_that_ends_says_how(tmp_path, monkeypatch):
    (tmp_path / "brief.py").write_text(
        "import os, sys\nprint('enough', file=sys.stderr)\nsys.stderr.flush()\nos.abort()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    process = Process("brief", ("hello",), 60.0)
    with pytest.raises(ProcessDied, match=r"ended by SIGABRT \(enough\)"):
        process.ask(("anything",))


def test_a_process_that_does_not_answer_is_ended(tmp_path, monkeypatch):
    (tmp_path / "silent.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.syspath_prepend(tmp_path)
    process = Process("silent", ("hello",), 1.0)
    with pytest.raises(ProcessDied, match="no answer within 1 seconds") as death:
        process.ask(("anything",))
    assert death.value.stalled

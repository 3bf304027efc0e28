"""Commands that are interrupted, ended, or die: nothing half-written, a clear message, the right exit
status.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endless import write_endless
from small_files import files_of_at_most

from irops.cli.guard import guarded

ROOT = Path(__file__).parents[2]


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A model whose loop goes round a million times."""
    path = tmp_path / "endless.xml"
    write_endless(path)
    return path


def started(*words: str | Path, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "irops", *map(str, words)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **more,
    )


def processes_of(group: int) -> bool:
    """Whether there are any, after those that are about to end have ended."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Return when a process and its children have used so many seconds of processor time, however busy the
    machine is.
    """
    while _seconds_of(process.pid) < seconds:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def _seconds_of(group: int) -> float:
    """The processor time of all processes of a group."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:13])) if int(fields[2]) == group else 0
    return ticks / os.sysconf("SC_CLK_TCK")


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")


@needs_proc
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupted_run_writes_nothing(
    number: int, status: int, whole_group: bool, endless: Path
) -> None:
    out = endless.with_name("out.npz")
    running = started("run", endless, "--fill", "ones", "--save-outputs", out)
    wait_for_work(running, 1.0)
    (os.killpg if whole_group else os.kill)(running.pid, number)
    result, complained = running.communicate()
    assert running.returncode == status
    assert (result, "Traceback" in complained) == ("", False)
    if number == signal.SIGINT:
        assert complained == "irops run: interrupted\n"
    assert sorted(os.listdir(endless.parent)) == ["endless.bin", "endless.xml"]
    assert not processes_of(running.pid)


@needs_proc
def test_an_interrupted_parallel_check_leaves_no_process(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "bidirectional_encoder" / "model.xml").read_text()
    for k in range(1500):
        (tmp_path / f"{k}.xml").write_text(text)
    running = started("check", tmp_path, "-j", "2", "--output-format", "json")
    wait_for_work(running, 1.5)
    os.killpg(running.pid, signal.SIGINT)
    result, complained = running.communicate()
    status, out, result = (running.returncode, result, complained)
    # a process that was still starting may say that it was interrupted, too
    assert (status, out, result.splitlines()[-1]) == (130, "", "irops check: interrupted")
    assert not processes_of(running.pid)


def test_a_run_killed_by_a_truncated_file_reports_the_cause(endless: Path) -> None:
    script = f"""if True:
        import mmap, os, sys
        from irops.cli.guard import guarded
        def work():
            with open({str(endless.with_suffix(".bin"))!r}, "r+b") as file:
                file.truncate(1 << 20)
                mapped = mmap.mmap(file.fileno(), 0)
                file.truncate(0)
            return mapped[1 << 19]
        sys.exit(guarded("run", work))
    """
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 1
    assert (
        done.stderr
        == "irops run: ended by SIGBUS: a mapped file, probably the weights, was truncated while in use;"
        " run the command again\n"
    )


@pytest.mark.parametrize(
    ("work", "status", "expected_text"),
    [
        ("lambda: 7", 7, ""),
        ("lambda: os.kill(os.getpid(), 9)", 2, "irops run: ended by SIGKILL: another process"),
        ("lambda: os.kill(os.getpid(), 11)", 2, "irops run: ended by SIGSEGV: a native library crashed"),
        ("lambda: 1 / 0", 2, "ZeroDivisionError"),
    ],
)
def test_the_signal_that_ended_a_command_is_reported(work: str, status: int, expected_text: str) -> None:
    script = (
        "import os, sys; from irops.cli.guard import guarded; print('before'); sys.exit(guarded('run',"
        f" {work}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stdout) == (status, "before\n")
    assert expected_text in done.stderr


def test_without_fork_the_command_runs_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert guarded("run", os.getpid) == os.getpid()


def test_unwritable_outputs_exit_with_2_and_leave_no_file(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(
        """<net version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1">
        <data shape="999" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>999</dim></port></output></layer>
<layer id="1" name="file" type="Result" version="opset1">
<input><port id="0"/></input></layer></layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
    )
    running = started(
        "run", path, "--fill", "ones", "-q", "--save-outputs", tmp_path / "out.npz", **files_of_at_most(1000)
    )
    assert running.communicate() == ("", "irops run: [Errno 27] File too large\n")
    assert running.returncode == 2
    assert os.listdir(tmp_path) == ["m.xml"]
    running = started("run", path, "--fill", "ones", "-q", "--save-outputs", tmp_path / "out.npz")
    assert running.communicate() == ("", "")
    with np.load(tmp_path / "out.npz") as found:
        assert found["file"].shape == (999,)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", ["full", "json", "sarif"])
def test_unwritable_findings_exit_with_2(form: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "irops",
                "check",
                ROOT / "tests" / "rules" / "IR401.xml",
                "--output-format",
                form,
            ],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "irops check: [Errno 28] No space left on device\n")


def test_a_closed_output_is_not_an_error() -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m irops check tests/rules/IR401.xml >&- 2>&-'],
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 1

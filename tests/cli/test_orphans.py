"""No process is left behind by a command that is killed, whatever signal it dies of."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from waiting import wait_until

from irops.work import serving

pytestmark = [
    pytest.mark.slow("kills processes"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]
ROOT = Path(__file__).parents[2]
SLEEPING = """if True:
    import sys, time
    from irops.cli.guard import guarded
    def work():
        print("working", flush=True)
        time.sleep(300)
    guarded("run", work)
"""
SPAWNED = """if True:
    import time
    from irops.work.workers import run_in_processes
    if __name__ == "__main__":
        list(run_in_processes(__import__("sleeper").prepare, (), [1, 2], 2))
"""
SLEEPER = """
import os, time
def prepare():
    def work(item):
        os.write(1, b"working\\n")  # at once, since two processes share the pipe
        time.sleep(300)
    return work
"""


def has_ended(group):
    """Whether all processes of a group have ended."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def killed_while_working(script, number, folder):
    """The process group of a script that was killed once it worked."""
    (folder / "sleeper.py").write_text(SLEEPER)
    (folder / "script.py").write_text(script)
    path = os.pathsep.join((str(ROOT), str(folder)))
    process = subprocess.Popen(
        [sys.executable, folder / "script.py"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout.readline() == b"working\n"
    os.kill(process.pid, number)
    process.wait()
    process.stdout.close()
    return process.pid


UNSIGNALLED = "import irops.work.serving as lifetime\nlifetime._signalled_by_kernel = lambda: False\n"


@pytest.mark.parametrize(
    ("script", "number"),
    [
        pytest.param(SLEEPING, signal.SIGKILL, id="the child of a run"),
        pytest.param(SLEEPING, signal.SIGQUIT, id="that a signal ends"),
        pytest.param(SLEEPING, signal.SIGSEGV, id="that crashes"),
        pytest.param(SPAWNED, signal.SIGKILL, id="the processes of a check"),
        pytest.param(UNSIGNALLED + SLEEPING, signal.SIGKILL, id="watched by a thread, not by the kernel"),
    ],
)
def test_processes_end_with_their_parent(script, number, tmp_path):
    group = killed_while_working(script, number, tmp_path)
    try:
        wait_until(lambda: has_ended(group))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def test_a_process_whose_parent_has_died_already_ends():
    script = """if True:
        import os, time
        from irops.work.serving import end_with_parent
        end_with_parent(os.getppid() + 1_000_000)
        time.sleep(300)
    """
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    assert done.returncode == serving.ORPHANED

"""Commands that are interrupted, ended, or die: nothing half-written, a clear message, the right exit status,
and no process that is left behind.
"""

import os
import resource
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import commands
import numpy as np
import pytest
from endless import write_endless
from tables import table

from irops.cli.guard import guarded
from irops.work import serving

pytestmark = pytest.mark.slow("interrupts processes")

ROOT = Path(__file__).parents[2]


started = partial(commands.started, cwd=ROOT, start_new_session=True)


@pytest.fixture
def endless(tmp_path):
    """A model whose loop goes round a million times."""
    path = tmp_path / "endless.xml"
    write_endless(path)
    return path


def wait_until(holds, running):
    """Return once something holds, while a process runs."""
    while not holds():
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)


def wait_until_it_computes(running, model):
    """Return once a child of `irops run` has mapped the weights of a model, as it does before it computes."""
    weights = str(model.with_suffix(".bin"))
    wait_until(lambda: any(weights in maps for maps in _maps_of_children(running.pid)), running)


def _maps_of_children(parent):
    with suppress(OSError):  # it has just ended
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            yield Path(f"/proc/{child}/maps").read_text()


def wait_for_the_end_of(group):
    """Return once all processes of a group have ended; a test that fails meanwhile kills them."""
    with suppress(ProcessLookupError):
        try:
            while True:
                os.killpg(group, 0)
                time.sleep(0.01)
        finally:
            os.killpg(group, signal.SIGKILL)


needs_proc = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system has no /proc")


@needs_proc
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupted_run_writes_nothing(number, status, whole_group, endless):
    out = endless.with_name("out.npz")
    running = started("-m", "irops", "run", endless, "--fill", "ones", "--save-outputs", out)
    wait_until_it_computes(running, endless)
    (os.killpg if whole_group else os.kill)(running.pid, number)
    result, complained = running.communicate()
    assert running.returncode == status
    assert (result, "Traceback" in complained) == ("", False)
    if number == signal.SIGINT:
        assert complained == "irops run: interrupted\n"
    assert sorted(os.listdir(endless.parent)) == ["endless.bin", "endless.xml"]
    wait_for_the_end_of(running.pid)


@needs_proc
@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGHUP])
def test_a_run_that_a_shell_or_nohup_made_ignore_a_signal_ignores_it_and_ends_by_others(ignored, endless):
    """Shells let what they start in the background ignore SIGINT."""
    running = started("-m", "irops", "run", endless, "--fill", "ones", preexec_fn=partial(_ignore, ignored))
    wait_until_it_computes(running, endless)
    os.killpg(running.pid, ignored)
    os.kill(running.pid, signal.SIGTERM)
    assert running.communicate() == ("", "")
    assert running.returncode == 128 + signal.SIGTERM
    wait_for_the_end_of(running.pid)


def _ignore(number):
    signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize("ignored", [False, True])
def test_an_interrupted_parallel_check_leaves_no_process(ignored, tmp_path):
    """ignored: whether it was started to ignore SIGINT, so that SIGTERM ends it"""
    script = """if True:
        import os, sys, time
        from pathlib import Path
        from irops.cli.check import Checker
        from irops.cli.main import main
        def work(checker, file):
            Path(file).with_name(f"begun-{os.getpid()}").touch()
            time.sleep(600)
        Checker.__call__ = work
        sys.exit(main())
    """
    for name in "abcd":
        (tmp_path / f"{name}.xml").write_text("<net/>")
    options = {"preexec_fn": partial(_ignore, signal.SIGINT)} if ignored else {}
    running = started("-c", script, "check", tmp_path, "-j", "2", "--output-format", "json", **options)
    wait_until(lambda: len([*tmp_path.glob("begun-*")]) == 2, running)
    os.killpg(running.pid, signal.SIGINT)
    if ignored:
        os.kill(running.pid, signal.SIGTERM)
    complaint, status = ("", 143) if ignored else ("irops check: interrupted\n", 130)
    assert running.communicate() == ("", complaint)
    assert running.returncode == status
    wait_for_the_end_of(running.pid)


@pytest.mark.parametrize(
    ("number", "complaint"), [(signal.SIGINT, "irops run: interrupted\n"), (signal.SIGTERM, "")]
)
def test_a_signal_just_after_the_child_was_started_is_sent_to_the_child(number, complaint):
    script = """if True:
        import os, signal, sys
        from irops.cli.guard import guarded
        from irops.cli.streams import handle_signals
        real = os.fork
        def fork():
            child = real()
            if child:
                os.kill(os.getpid(), int(sys.argv[1]))
            return child
        def work():
            while True:
                signal.pause()
        os.fork = fork
        handle_signals()
        sys.exit(guarded("run", work))
    """
    running = started("-c", script, str(int(number)))
    assert running.communicate() == ("", complaint)
    assert running.returncode == 128 + number
    wait_for_the_end_of(running.pid)


def test_what_is_started_after_an_interruption_does_not_inherit_that_further_ones_are_ignored():
    script = """if True:
        import signal, subprocess
        from irops.cli.streams import handle_signals
        handle_signals()
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            signal.raise_signal(signal.SIGINT)
            print(subprocess.run(["sh", "-c", "kill -INT $$"]).returncode)
    """
    assert started("-c", script).communicate() == (f"{-signal.SIGINT}\n", "")


def test_a_run_killed_by_a_truncated_file_reports_the_cause(endless):
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
    running = started("-c", script)
    assert running.communicate()[1] == (
        "irops run: ended by SIGBUS: a mapped file, probably the weights, was truncated while in use;"
        " run the command again\n"
    )
    assert running.returncode == 1


@pytest.mark.parametrize(
    ("work", "status", "expected_text"), table(__file__, "the_signal_that_ended_a_command_is_reported")
)
def test_the_signal_that_ended_a_command_is_reported(work, status, expected_text):
    script = (
        "import os, sys; from irops.cli.guard import guarded; print('before'); sys.exit(guarded('run',"
        f" {work}))"
    )
    running = started("-c", script)
    out, err = running.communicate()
    assert (running.returncode, out) == (status, "before\n")
    assert expected_text in err


def test_without_fork_the_command_runs_in_this_process(monkeypatch):
    monkeypatch.delattr(os, "fork")
    assert guarded("run", os.getpid) == os.getpid()


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_unwritable_outputs_exit_with_2_and_leave_no_file(reversing):
    out = reversing.with_name("out.npz")
    shapes = ("--shape", "x:999,3", "--shape", "lengths:999")
    words = ("run", reversing, "--fill", "ones", "-q", *shapes, "--save-outputs", out)
    running = started("-m", "irops", *words, preexec_fn=limited)
    assert running.communicate() == ("", "irops run: [Errno 27] File too large\n")
    assert running.returncode == 2
    assert os.listdir(reversing.parent) == [reversing.name]
    assert started("-m", "irops", *words).communicate() == ("", "")
    with np.load(out) as found:
        assert found["y"].shape == (999, 3)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
SLEEPING = """if True:
    import sys, time
    from irops.cli.guard import guarded
    def work():
        print("working", flush=True)
        time.sleep(300)
    guarded("run", work)
"""
SPAWNED = """if True:
    import os
    from irops.work.workers import Workers
    if __name__ == "__main__":
        os.dup2(1, 2)  # what items write goes to the error stream
        list(Workers(2, copied=True).run(__import__("sleeper").prepare, (), [1, 2]))
"""
SLEEPER = """
import os, time
def prepare():
    def work(item):
        os.write(2, b"working\\n")  # at once, since two processes share the pipe
        time.sleep(300)
    return work
"""


def killed_while_working(script, number, folder):
    """The process group of a script that was killed once it worked."""
    (folder / "sleeper.py").write_text(SLEEPER)
    (folder / "script.py").write_text(script)
    running = started(folder / "script.py", env={"PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))})
    assert running.stdout.readline() == "working\n"
    os.kill(running.pid, number)
    running.wait()
    for stream in (running.stdout, running.stderr):
        stream.close()
    return running.pid


UNSIGNALLED = "import irops.work.serving as lifetime\nlifetime._signalled_by_kernel = lambda: False\n"


@needs_fork
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
    wait_for_the_end_of(killed_while_working(script, number, tmp_path))


@needs_fork
def test_the_command_of_a_reduction_and_what_it_started_end_with_irops(tmp_path):
    model, begun = ROOT / "examples" / "bidirectional_encoder" / "model.xml", tmp_path / "begun"
    command = f"sh -c 'sleep 300 & echo $$ > {begun}; sleep 300; wait'"
    running = started("-m", "irops", "reduce", model, "--fill", "ones", "--command", command, "-o", tmp_path)
    wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"), running)
    running.kill()
    running.communicate()
    wait_for_the_end_of(int(begun.read_text()))


@needs_fork
def test_a_process_whose_parent_has_died_already_ends():
    script = """if True:
        import os, time
        from irops.work.serving import end_with_parent
        end_with_parent(os.getppid() + 1_000_000)
        time.sleep(300)
    """
    running = started("-c", script)
    running.communicate()
    assert running.returncode == serving.ORPHANED

"""The memory of processes: what they use is seen, and what exceeds a limit is ended."""

import subprocess
import sys
from math import inf

import pytest

from irops import Limits
from irops.files.limits import machine_bytes
from irops.work.child import session_bytes, used_bytes
from irops.work.worker import Process, ProcessDied

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")
MIB = 1 << 20


def holder():
    """A function that allocates as many bytes as it is asked to."""
    held = []

    def answer(size):
        held.append(bytearray(b"x" * size))
        return len(held)

    return answer


@pytest.fixture
def holding():
    """A process that allocates, within 128 MiB."""
    process = Process(holder, (), 60, 128 * MIB)
    yield process
    process.close()


@pytest.mark.slow("starts a process that allocates")
def test_a_process_within_the_limit_answers(holding):
    assert holding.ask(8 * MIB) == 1


@pytest.mark.slow("starts a process that allocates")
def test_a_process_that_allocates_too_much_is_ended(holding):
    holding.ask(1)
    with pytest.raises(
        ProcessDied, match=r"uses more than 134,217,728 bytes of memory \(process_bytes\)"
    ) as died:
        holding.ask(1 << 30)
    assert (died.value.exceeded, died.value.stalled) == ("memory", False)
    assert holding.ask(1) == 1, "the next request starts a new process"


def test_the_memory_of_all_processes_of_a_session_counts():
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    child = "held = b'x' * (64 << 20); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, child],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        process.stdout.readline()
        assert session_bytes(process.pid) >= 64 * MIB > used_bytes(process.pid) > 0
        process.communicate(b"\n")
    assert used_bytes(process.pid) == session_bytes(process.pid) == 0


def test_the_limit_is_a_number_of_bytes_or_a_share_of_the_machine():
    assert 0 < machine_bytes() < inf
    assert Limits().process_memory == 0.75 * machine_bytes()
    assert Limits(process_bytes=1).process_memory == machine_bytes()
    assert Limits(process_bytes=1 << 30).process_memory == 1 << 30
    assert Limits(process_bytes=inf).process_memory == inf

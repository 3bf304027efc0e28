"""A function in a process of its own: what it gets and gives, and how it ends or does not answer."""

import os
import sys
import threading
import time
from math import inf

import numpy as np
import pytest

from irops.values.element import element_type, element_type_of, tagged
from irops.work.child import Watch
from irops.work.worker import Process, ProcessDied, Refused


def doing():
    """A function that does what the request says, and knows how many it had."""
    had = []

    def answer(request):
        had.append(request)
        match request:
            case "abort":
                print("enough", file=sys.stderr, flush=True)
                os.abort()
            case "hang":
                time.sleep(600)
            case "abort unless first" if len(had) > 1:
                os._exit(4)
            case "refuse":
                return Refused("no")
        return len(had), request

    return answer


@pytest.fixture
def process():
    process = Process(doing, (), 60.0)
    yield process
    process.close()


def test_a_process_that_ends_says_how_and_is_started_again(process):
    with pytest.raises(ProcessDied, match=r"ended by SIGABRT \(enough\)"):
        process.ask("abort")
    assert process.ask(1) == (1, 1)


@pytest.mark.slow("starts many processes, or waits for one")
def test_a_process_that_does_not_answer_is_ended():
    process = Process(doing, (), 1.0)
    with pytest.raises(ProcessDied, match="no answer within 1 seconds") as death:
        process.ask("hang")
    assert death.value.stalled


def test_a_process_that_cannot_be_prepared_says_why():
    with pytest.raises(ProcessDied, match="TypeError: doing"):
        Process(doing, ("too many",), 60.0).start()


def test_an_exception_that_is_the_answer_is_raised(process):
    with pytest.raises(Refused, match="no"):
        process.ask("refuse")


def test_a_death_counts_only_if_the_request_alone_repeats_it(process):
    deaths = []
    process.ask(1)
    assert process.ask_again("abort unless first", deaths.append) == (1, "abort unless first")
    assert [str(death) for death in deaths] == ["the process ended with exit code 4"]
    with pytest.raises(ProcessDied, match="SIGABRT"):
        process.ask_again("abort", deaths.append)
    assert len(deaths) == 1


@pytest.mark.slow("starts many processes, or waits for one")
@pytest.mark.parametrize("name", ["f32", "bf16", "u4", "i4", "nf4", "u1", "boolean", "complex64", "string"])
@pytest.mark.parametrize("shape", [(), (2, 3), (0, 3)])
def test_arrays_keep_their_types_and_elements(process, name, shape):
    kind = element_type(name, foreign=True)
    one = np.array("a", object) if name == "string" else np.array(1).astype(kind.dtype)
    array = tagged(np.broadcast_to(one, shape), kind)
    _, (sent_kind, there) = process.ask((kind, array))
    assert sent_kind is kind
    assert element_type_of(there) is kind
    assert there.shape == shape
    assert there.tolist() == array.tolist()


def test_a_process_without_bounds_is_watched_until_its_watch_ends(monkeypatch):
    faults = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    watch = Watch(inf, inf, lambda: 0, lambda: faults.append("killed"))
    (thread,) = [one for one in threading.enumerate() if one.name == "irops watch"]
    time.sleep(0.1)
    watch.stop()
    thread.join(60)
    assert faults == []

"""Requests to a process: arrays keep their types, errors come back, and a death counts where it repeats."""

from __future__ import annotations

import os
from operator import itemgetter

import numpy as np
import pytest

from irops.values.element import element_type, element_type_of, tagged
from irops.work.processes.requests import CAN_FORK, Process, ProcessDied

FORKS = pytest.mark.skipif(not CAN_FORK, reason="this system has no forks")
NF4 = element_type("nf4")


@pytest.fixture(params=[False, pytest.param(True, marks=FORKS)], ids=["started", "forked"])
def first(request):
    """A process that answers with the first item of what it is asked."""
    process = Process(itemgetter, (0,), 60, forked=request.param)
    yield process
    process.close()


@pytest.mark.parametrize(
    "array",
    [
        tagged(np.arange(6, dtype=np.uint8).reshape(2, 3).view(NF4.dtype), NF4),
        tagged(np.array(3, np.uint8).view(NF4.dtype), NF4),
        np.arange(6.0).reshape(2, 3).T,
        np.array(["a", "bc"], object),
        np.zeros((0, 3), np.float16),
    ],
    ids=["nf4", "a scalar of nf4", "not in C's order", "strings", "no elements"],
)
def test_an_array_keeps_its_type_its_shape_and_its_elements(first, array):
    answer = first.ask((array,))
    assert element_type_of(answer) is element_type_of(array)
    assert (answer.shape, answer.tolist()) == (array.shape, array.tolist())
    assert answer.flags.c_contiguous


def test_a_read_only_array_can_be_written_to_where_it_arrives(first):
    array = np.arange(3.0)
    array.flags.writeable = False
    assert first.ask((array,)).flags.writeable


def test_an_element_type_is_the_same_object(first):
    assert first.ask((NF4,)) is NF4


def test_an_exception_that_is_returned_is_raised_and_the_process_goes_on(first):
    with pytest.raises(KeyError, match="absent"):
        first.ask((KeyError("absent"),))
    assert first.ask((7,)) == 7


def dying_at(*deaths: int):
    """A process, a fork of this one, that ends at these requests, counted from its start."""

    def prepare():
        answered = []

        def answer(request):
            answered.append(request)
            if len(answered) in deaths:
                os._exit(3)
            return request

        return answer

    return Process(prepare, (), 60, forked=True)


@FORKS
def test_a_death_that_the_request_alone_does_not_repeat_is_told_and_the_answer_comes():
    process, deaths = dying_at(3), []
    assert [process.ask_again(number, deaths.append) for number in range(5)] == list(range(5))
    assert [str(death) for death in deaths] == ["the process ended with exit code 3"] * 2
    process.close()


@FORKS
def test_a_death_at_the_first_request_is_not_asked_again():
    process, deaths = dying_at(1), []
    with pytest.raises(ProcessDied, match="exit code 3"):
        process.ask_again("first", deaths.append)
    assert deaths == []
    process.close()

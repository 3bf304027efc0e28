"""Which checks are done again when their process ends, without an editor."""

import asyncio

import pytest

from irops.server.language_server import Checks, Document
from irops.server.records import Checked, ServerOptions
from irops.work.worker import ProcessDied

ANSWER = Checked(seconds=7.0)


class Worker:
    """Stands for the worker process: what happens at each request, in order."""

    def __init__(self, *events):
        self.events = list(events)

    def ask(self, _):
        return self.events.pop(0)()

    def interrupt(self):
        pass


def died():
    raise ProcessDied("the process ended by SIGKILL", "")


async def checked(checks, worker):
    """The result of a check of an open model by a worker."""
    results = []

    async def publish(_document, _text, result):
        results.append(result)

    checks._publish, checks._worker = publish, worker
    document = Document("file:///model.xml", "<net/>", 1)
    checks.changed(document, at_once=True)
    await checks.current(document, 60)
    checks.stop()
    (result,) = results
    return result


@pytest.fixture
def checks():
    return Checks(ServerOptions(), lambda *_: None)


def test_a_process_that_ended_before_the_check_is_started_again(checks):
    assert asyncio.run(checked(checks, Worker(died, lambda: ANSWER))) == ANSWER


def test_a_process_that_fails_twice_is_reported(checks):
    result = asyncio.run(checked(checks, Worker(died, died)))
    (finding,) = result.findings
    assert finding.message == "the process that checks the text failed: the process ended by SIGKILL"


def test_a_check_that_is_interrupted_is_done_again_however_often(checks):
    def interrupted():
        checks._interrupt()
        died()

    worker = Worker(died, interrupted, interrupted, lambda: ANSWER)
    assert asyncio.run(checked(checks, worker)) == ANSWER

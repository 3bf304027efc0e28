"""Threads that share one Session, and one file of weights."""

import mmap
from time import sleep

import numpy as np
import pytest
from waiting import in_threads

import irops
from irops.files import storage
from irops.files.storage import Weights

THREADS, CALLS = 8, 1250
"""Together 10,000 calls."""
ROWS = 5
BIAS, FACTORS = np.float32([1, -2, 3]), np.float32([[1, 2, 0], [0, 1, 3], [2, 0, 1]])


@pytest.fixture
def mappings(monkeypatch):
    """The sizes of the mappings that are made; each one takes a while, so that threads overlap."""
    sizes = []
    original = mmap.mmap

    def slow(number, size, **options):
        sizes.append(size)
        sleep(0.05)
        return original(number, size, **options)

    monkeypatch.setattr(storage.mmap, "mmap", slow)
    return sizes


@pytest.fixture
def stored(net, tmp_path):
    """x @ FACTORS + BIAS, with both in the .bin file."""
    model = net(
        "x: f32[?,3]", "product: MatMul x f", "sum: Add product b", "y: Result sum", f=FACTORS, b=BIAS
    )
    irops.write(model, tmp_path / "model.xml")
    assert (tmp_path / "model.bin").stat().st_size == 48
    return tmp_path / "model.xml"


@pytest.mark.slow("many threads")
def test_ten_thousand_calls_of_eight_threads_give_each_its_own_result(stored, mappings):
    session = irops.Session(stored)
    correct = [0] * THREADS

    def work(number):
        for call in range(CALLS):
            x = np.full((1 + (number + call) % ROWS, 3), 10 * number + call % 10, np.float32)
            (y,) = session.run([x]).values()
            correct[number] += np.array_equal(y, x @ FACTORS + BIAS)

    in_threads(work, THREADS)
    assert correct == [CALLS] * THREADS
    assert mappings == [48]


def test_threads_that_ask_for_bytes_at_once_map_the_file_once(tmp_path, mappings):
    (tmp_path / "w.bin").write_bytes(bytes(range(64)))
    weights = Weights.of_file(tmp_path / "w.bin")
    read = {}

    def work(number):
        read[number] = bytes(weights.view(8 * number, 8))

    in_threads(work, THREADS)
    assert mappings == [64]
    assert read == {number: bytes(range(8 * number, 8 * number + 8)) for number in range(THREADS)}


def test_threads_with_a_variable_each_see_a_state_that_some_run_left(net):
    model = net(
        "x: i64[1]; read: ReadValue-opset6 x variable_id=v variable_shape=1 variable_type=i64",
        "sum: Add read x; write: Assign-opset6 sum variable_id=v; y: Result sum",
    )
    session = irops.Session(model)
    results = {number: [] for number in range(THREADS)}

    def work(number):
        for _ in range(100):
            results[number].append(int(session.run([np.int64([1])])["y"][0]))

    in_threads(work, THREADS)
    assert all(2 <= value <= 1 + 100 * THREADS for values in results.values() for value in values)
    assert int(session.run([np.int64([0])])["y"][0]) in {value for v in results.values() for value in v}

"""Loops, tasks and compiled code of the numba backend."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from commands import python_process
from libraries import Late, needs

pytestmark = needs("numba")
kernels, threads = Late("irops.backends.numba.reversing"), Late("irops.backends.numba.workers")


def strides(*shape: int) -> tuple[int, ...]:
    return np.empty(shape, np.int8).strides


def test_a_copy_is_one_block() -> None:
    assert kernels.moves((2, 3, 4), strides(2, 3, 4), 1) == kernels.Moves(24, ())


def test_axes_that_are_neighbours_and_reversed_alike_are_one_loop() -> None:
    found = kernels.moves((2, 3, 4, 5), (60, -20, -5, 1), 1)
    assert found == kernels.Moves(5, (kernels.Loop(2, 60, 60), kernels.Loop(12, 5, -5)), -55, 55)


def test_axes_of_one_position_make_no_loop() -> None:
    assert kernels.moves((1, 4, 1), (-4, 1, -1), 2).loops == (kernels.Loop(4, 1, 2),)


def test_a_source_that_lies_backwards_is_gone_through_forwards() -> None:
    assert kernels.moves((4,), (-1,), 1) == kernels.Moves(1, (kernels.Loop(4, 1, -1),), -3, 3)


def test_sequences_keep_their_own_loops() -> None:
    found = kernels.moves((2, 3, 4, 5, 6), strides(2, 3, 4, 5, 6), 1, batch_axis=1, seq_axis=3)
    assert [(loop.size, loop.sequence, loop.step) for loop in found.loops] == [
        (2, 0, 0),
        (3, 1, 0),
        (4, 0, 0),
        (5, 0, 1),
    ]
    assert found.block == 6


def reversing(seed: int) -> bool:
    data = np.random.default_rng(seed).integers(0, 99, (900, 3000)).astype(np.int8)
    lengths = np.random.default_rng(seed).integers(0, 3001, 900)
    found = kernels.reverse_sequence(data, lengths, batch_axis=0, seq_axis=1)
    return all(
        (found[k, :n] == data[k, :n][::-1]).all() and (found[k, n:] == data[k, n:]).all()
        for k, n in enumerate(lengths)
    )


def test_many_threads_reverse_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads.WORKERS, "cores", 4)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(reversing, range(24)))


def test_nobody_waits_for_ever() -> None:
    counter = np.array([3])
    threads.await_change(threads.address_of(counter), 3, 10)
    assert not threads.await_count(threads.address_of(counter), 4, 10)
    assert threads.await_count(threads.address_of(counter), 3, 0)


def test_waiting_threads_are_notified() -> None:
    wakeup, counters = np.zeros(1, np.int64), np.zeros(threads.SIZE, np.int64)
    counters[threads.WAKEUP // 8] = threads.address_of(wakeup)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(threads.await_change, threads.address_of(wakeup), 0, 1 << 40)
        threads.notify(threads.address_of(counters))
        waiting.result(timeout=60)
    assert wakeup[0] == 1


def test_arrays_that_cannot_be_written_are_read() -> None:
    data, lengths = np.arange(12).reshape(3, 4), np.array([1, 2, 4])
    data.flags.writeable = lengths.flags.writeable = False
    found = kernels.reverse_sequence(data, lengths, batch_axis=0, seq_axis=1)
    assert found.tolist() == [[0, 1, 2, 3], [5, 4, 6, 7], [11, 10, 9, 8]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_workers_of_its_own() -> None:
    assert reversing(0)
    folders = [str(Path(__file__).parents[k] / name) for k, name in enumerate((".", "support"))]
    code = (
        f"import os, sys; sys.path[:0] = {folders}\n"
        "from test_numba_workings import reversing\nfrom irops.backends.numba.workers import WORKERS\n"
        "WORKERS.cores = 3\nassert reversing(0)\nchild = os.fork()\n"
        "if child == 0: os._exit(0 if reversing(1) and WORKERS._started == 2 else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert python_process("-W", "ignore", "-c", code, timeout=300).returncode == 0
    assert threads.WORKERS.cores >= 1


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    code = (
        "import numpy as np\nfrom irops.backends.numba.reversing import reverse_sequence\nfrom"
        " irops.backends.numba.reversing import rows\nreverse_sequence(np.zeros((9, 8), np.int16),"
        " np.arange(9) % 8, batch_axis=0, seq_axis=1)\nstats = rows(2, 16, 1,"
        " 0).stats\nprint(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))\n"
    )
    whole = {"check": True, "env": {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}}
    answers = [python_process("-c", code, **whole).stdout.split() for _ in range(2)]
    assert answers == [["0", "1"], ["1", "0"]]


def test_code_is_compiled_where_no_folder_can_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    from irops.backends.numba import vectors

    njit = numba.njit

    def refusing(function: object, *, cache: bool = False, **options: object) -> object:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(function, **options)

    monkeypatch.setattr(vectors.numba, "njit", refusing)
    assert vectors.compiled(lambda number: number + 1)(2) == 3

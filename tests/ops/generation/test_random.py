"""Random numbers: what the seeds promise."""

from __future__ import annotations

import numpy as np

import irops
from irops.ops.generation.random import mersenne_twister, mersenne_twister_of, philox

LIMITS = np.array(0, np.float32), np.array(1, np.float32)


def test_philox_gives_what_its_authors_publish():
    """The known answers of Random123 for a counter and a key of zeros."""
    assert [hex(n) for n in philox(0, 0, 4)] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def test_fewer_numbers_are_the_first_of_more():
    assert (philox(5, 6, 1001)[:7] == philox(5, 6, 7)).all()


def test_the_twister_gives_what_the_c_plus_plus_standard_asks_for():
    """The 10000th number from the default seed."""
    assert mersenne_twister(5489, 10_000)[-1] == 4123659995


def test_seeds_beyond_32_bits_count_by_their_low_bits():
    assert (mersenne_twister_of((3, 4), 5) == mersenne_twister_of((3 + (1 << 32), 4), 5)).all()


def test_without_seeds_every_run_is_different():
    draws = [
        irops.call("RandomUniform-8", np.array([64]), *LIMITS, output_type="f32").tolist() for _ in range(2)
    ]
    assert draws[0] != draws[1]


def test_with_seeds_every_run_is_the_same():
    draws = [
        irops.call("RandomUniform-8", np.array([64]), *LIMITS, output_type="f32", global_seed=7).tolist()
        for _ in range(2)
    ]
    assert draws[0] == draws[1]


def test_what_is_not_replaced_is_drawn_once():
    probs = np.tile(np.arange(1, 9, dtype=np.float32), (20, 1))
    way = {"convert_type": "i32", "with_replacement": False, "log_probs": False, "global_seed": 1}
    drawn = irops.call("Multinomial-13", probs, np.array(8), **way)
    assert (np.sort(drawn, axis=1) == np.arange(8)).all()

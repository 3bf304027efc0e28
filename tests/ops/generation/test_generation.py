"""Range where start, stop and step are known in part, and random numbers: what the seeds promise."""

from math import inf

import numpy as np
import pytest
from invoking import inferred

import irops
from irops.analysis.invocation import OpFault
from irops.ops.generation.generation import mersenne_twister, mersenne_twister_of, philox
from irops.values.dim import Dim, Symbol
from irops.values.element import F32, element_type, element_type_of
from irops.values.fact import Fact, dims_array
from irops.values.shape import SCALAR

PAST = Dim(0, inf, Symbol.named("past"))


def range_of(start, stop, step, output_type="i64"):
    return inferred("Range-4", start, stop, step, output_type=output_type)[0]


@pytest.mark.parametrize(
    ("start", "stop", "step", "length"),
    [
        (0, Dim(2, 8), 1, Dim(2, 8)),
        (0, Dim(2, 8), 2, Dim(1, 4)),
        (10, Dim(2, 8), -3, Dim(1, 3)),
        (Dim(0, 5), 3, 1, Dim(0, 3)),
        (0, Dim(-9, 4), 1, Dim(0, 4)),
        (0, 12, Dim(2, 4), Dim(3, 6)),
        (0, 12, Dim(-1, 4), Dim(0, inf)),
        (0, Dim(0, inf), 7, Dim(0, inf)),
    ],
)
def test_bounds_of_the_inputs_bound_the_length(start, stop, step, length):
    assert range_of(start, stop, step).shape[0] == length


def test_a_range_up_to_a_named_size_has_that_size():
    assert range_of(0, PAST, 1).shape[0].symbol == PAST.symbol


def test_a_range_between_unknown_ends_of_known_distance_is_known_in_part():
    positions = range_of(PAST, PAST + 3, 1)
    assert positions.shape[0] == 3
    assert [dim.symbol for dim in positions.known] == [PAST.symbol, (PAST + 1).symbol, (PAST + 2).symbol]


def test_bounds_hold_where_floats_have_fractions():
    stop = Fact(F32, SCALAR, dims_array([Dim(2, 8)]).reshape(()))
    length = range_of(np.float32(0.5), stop, np.float32(1), "f32").shape[0]
    assert length.low <= 2
    assert length.high >= 8


def test_a_long_range_is_inferred_and_not_computed():
    fact = range_of(0, 2**62, 1)
    assert str(fact) == f"i64[{2**62}]"
    assert fact.known is None


def test_a_range_longer_than_any_tensor_is_refused():
    with pytest.raises(OpFault, match="64 bits"):
        range_of(*np.float64([0, 1e300, 1e-300]), "f64")


@pytest.mark.parametrize("kind", ["i4", "u2", "u1", "u6", "bf16", "f8e5m2", "u64", "i16"])
def test_the_output_has_the_type_that_is_asked_for(kind):
    found = irops.call("Range-4", np.int8(0), np.float32(3.5), np.uint8(1), output_type=kind)
    assert str(element_type_of(found)) == kind
    assert found.astype(np.float32).tolist() == (
        [0, 1, 0] if kind == "u1" else [0, 1, 2] if element_type(kind).integral else [0, 1, 2, 3]
    )


def test_a_range_that_would_fill_the_memory_is_refused_before_it_is_made():
    with pytest.raises(irops.EvaluationError, match="bytes"):
        irops.call("Range-4", np.int64(0), np.int64(2**45), np.int64(1), output_type="i64")


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

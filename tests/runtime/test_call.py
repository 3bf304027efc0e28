"""irops.call: one op on arrays, into arrays that the caller gives, and prepared once for inputs like those
before.
"""

import numpy as np
import pytest

import irops
from irops.analysis.invocation import Invocation
from irops.backends.backend import filling
from irops.values.violation import collect_warnings

DATA, LENGTHS = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([3, 2])
TURNED = [[2, 1, 0], [4, 3, 5]]
BACKENDS = [None, ("numba",), ("reference",)]


def reverse_sequence(data, lengths, **more):
    return irops.call("ReverseSequence-1", data, lengths, **more)


def code(*inputs, **more):
    with pytest.raises(irops.EvaluationError) as caught:
        reverse_sequence(*inputs, **more)
    (found,) = caught.value.diagnostics
    return found.code, found.constraint


@pytest.mark.parametrize("backends", BACKENDS)
def test_the_output_is_written_to_the_array_that_is_given(backends):
    out = np.zeros((2, 3), np.float32)
    assert reverse_sequence(DATA, LENGTHS, out=out, backends=backends) is out
    assert out.tolist() == TURNED


@pytest.mark.parametrize("backends", BACKENDS)
def test_the_array_may_lie_in_memory_in_any_way(backends):
    large = np.zeros((3, 4, 2), np.float32)
    out = large[::-1, 1:3, 1].T
    reverse_sequence(DATA, LENGTHS, out=out, backends=backends)
    assert out.tolist() == TURNED
    assert np.count_nonzero(large) == 5


@pytest.mark.parametrize("backends", BACKENDS)
def test_the_array_may_be_the_input_itself(backends):
    data = DATA.copy()
    reverse_sequence(data, LENGTHS, out=data, backends=backends)
    assert data.tolist() == TURNED
    shifted = np.arange(7.0)
    irops.call("Reverse-1", shifted[:6], np.array([0]), mode="index", out=shifted[1:], backends=backends)
    assert shifted.tolist() == [0, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("out", [np.zeros((2, 3)), np.zeros((3, 2), np.float32), [[0] * 3] * 2, None])
def test_an_array_that_does_not_fit_is_refused(out):
    if out is None:
        out = np.zeros((2, 3), np.float32)
        out.flags.writeable = False
    with pytest.raises(ValueError, match=r"out is .*, must be f32\[2,3\], and writeable"):
        reverse_sequence(DATA, LENGTHS, out=out)


def test_several_outputs_go_to_several_arrays():
    out = (np.zeros((1, 3), np.float32), np.zeros((1, 3), np.float32))
    found = irops.call("Split-1", DATA, np.array(0), num_splits=2, out=out)
    assert found is out
    assert [array.tolist() for array in out] == [[[0, 1, 2]], [[3, 4, 5]]]
    with pytest.raises(ValueError, match="out has 1 arrays, must have 2"):
        irops.call("Split-1", DATA, np.array(0), num_splits=2, out=out[:1])


@pytest.mark.parametrize("backends", BACKENDS)
def test_a_second_call_is_checked_like_the_first(backends):
    for _ in range(2):
        assert reverse_sequence(DATA, LENGTHS, backends=backends).tolist() == TURNED
        assert code(DATA, np.array([3, 4]), backends=backends) == ("IR401", "ReverseSequence-1:C3")
        assert code(DATA, np.array([3, -1]), backends=backends) == ("IR401", "ReverseSequence-1:C4")
        assert code(DATA, np.array([3, 2, 1]), backends=backends) == ("IR401", "ReverseSequence-1:C1")
        assert code(DATA, np.array([1, 2]), seq_axis=0, backends=backends) == (
            "IR401",
            "ReverseSequence-1:C2",
        )
        assert code(DATA, np.array([True, True]), backends=backends)[0] == "IR402"
        assert code(DATA, LENGTHS, seq_axis=2, backends=backends)[0] == "IR316"
        assert code(DATA, LENGTHS, depth=2, backends=backends)[0] == "IR311"


@pytest.mark.parametrize("backends", BACKENDS)
def test_a_second_call_is_warned_of_like_the_first(backends):
    def warnings():
        with collect_warnings() as warnings:
            reverse_sequence(DATA, np.array([0.0, 2.0]), backends=backends)
        return {warning.constraint for warning in warnings}

    assert [warnings(), warnings()] == [{"C5", "C6"}] * 2


class Checking:
    """A backend whose kernel checks values itself, as that of the reference does."""

    name = "checking"

    def kernel(self, op):
        def compute(*inputs, out=None, **attributes):
            return op.functions.kernel(*inputs, **attributes)

        return filling(compute)


def test_inference_is_done_once_for_inputs_of_the_same_types_and_shapes(monkeypatch):
    done, checking = [], Checking()
    infer = Invocation.infer
    monkeypatch.setattr(
        Invocation, "infer", lambda self, *rest: done.append(self.op.id) or infer(self, *rest)
    )
    many = np.zeros((2, 3, 11), np.float32)
    for lengths in ([3, 3], [1, 2], [3, 1]):
        reverse_sequence(many, np.array(lengths), backends=(checking,))
    assert len(done) == 1
    reverse_sequence(many, np.array([3, 3], np.int32), backends=(checking,))
    reverse_sequence(many[:1], np.array([3]), backends=(checking,))
    assert len(done) == 3


def test_values_of_attributes_that_are_equal_but_spelled_otherwise_are_kept_apart():
    assert reverse_sequence(DATA, LENGTHS, seq_axis=1).tolist() == TURNED
    assert code(DATA, LENGTHS, seq_axis=True)[0] == "IR314"
    assert code(DATA, LENGTHS, seq_axis=1.0)[0] == "IR314"


def test_the_limit_of_bytes_holds_for_settled_calls_too():
    reverse_sequence(DATA, LENGTHS)
    assert code(DATA, LENGTHS, limits=irops.Limits(tensor_bytes=8))[0] == "IR605"


def test_a_variable_is_empty_in_every_call():
    attributes = {"variable_id": "v", "variable_type": "f32", "variable_shape": "2,3"}
    for data in (DATA, DATA + 1):
        assert irops.call("ReadValue-6", data, **attributes).tolist() == data.tolist()
    assert irops.call("Assign-6", DATA, variable_id="v").tolist() == DATA.tolist()


@pytest.mark.parametrize("kind", ["f16", "FP16", "float16", np.float16, np.dtype(np.float16)])
def test_an_attribute_takes_a_type_as_people_spell_it(kind):
    assert irops.call("Convert-1", np.float32([1.5]), destination_type=kind).dtype == np.float16
    with pytest.raises(irops.EvaluationError, match="IR314 destination_type is 'float17'"):
        irops.call("Convert-1", np.float32([1.5]), destination_type="float17")

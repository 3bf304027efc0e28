"""Functions of ops: bound by id, checked against the definition, called with the types that they need."""

import ml_dtypes
import numpy as np
import pytest

from irops.diagnostics.diagnostic import DefinitionError
from irops.spec import binding
from irops.spec.binding import Functions, functions_of, gradient, kernel
from irops.spec.definition import Attribute, Definition, Gradient, PortSpec

HERE = __name__


def port(name, place=0, **more):
    return PortSpec(place, name, "any", frozenset({"f32"}), **more)


def definition(**changes):
    texts = ("summary", "description", "formula", "source", "changes")
    given = {
        **dict.fromkeys(texts, ""),
        **{name: {} for name in ("types", "gradients", "constraints")},
        "type": "T", "version": "opset1", "category": "c", "module": "m", "dialect": "openvino",
        "stateful": False, "path": "T-1.xml", "bodies": {"then_body": ""}, "notes": (), "file_id": "T-1",
        "attributes": {"axis": Attribute("axis", "int"), "exclude-pad": Attribute("exclude-pad", "bool")},
        "inputs": (port("data"), port("k", 1)),
        "outputs": (port("out"),),
        "later": frozenset({"newer"}),
    }  # fmt: skip
    return Definition(**(given | changes))


@pytest.fixture
def bound(monkeypatch):
    """A table of functions for this test alone."""
    table = {}
    monkeypatch.setattr(binding, "BOUND", table)
    return table


def run(data, k):
    return data


def mismatch(**roles):
    """What is wrong with the functions of an op; nothing, if nothing is."""
    functions = {"kernel": run} | roles
    table = binding.BOUND
    table.clear()
    table["m"] = {"T-1": Functions(**functions)}
    try:
        found = functions_of(definition(), ["m"])
    except DefinitionError as error:
        return [d.message for d in error.diagnostics]
    return found


def test_what_is_missing_is_filled_from_others_and_what_is_there_stays():
    own, others = Functions(kernel=run), Functions(shape=len, kernel=len)
    others.keyword_params = {"shape": frozenset({"a"}), "kernel": frozenset({"b"})}
    own.keyword_params = {"kernel": frozenset({"c"})}
    own.fill(others)
    assert (own.shape, own.kernel, own.values) == (len, run, None)
    assert own.keyword_params == {"shape": frozenset({"a"}), "kernel": frozenset({"c"})}


def test_the_first_module_that_has_a_function_gives_it(bound):
    bound["m"] = {"T-1": Functions(kernel=run)}
    bound["n"] = {"T-1": Functions(kernel=len, shape=run)}
    found = functions_of(definition(), ["m", "n"])
    assert (found.kernel, found.shape) == (run, run)


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        (lambda data, k: data, frozenset()),
        (lambda data, k, *, axis: data, frozenset({"axis"})),
        (lambda data, k, *, exclude_pad, then_body, newer: 0, {"exclude_pad", "then_body", "newer"}),
        (lambda data, k, *, value, variables: data, frozenset({"value", "variables"})),
        (lambda data, k, **others: data, frozenset({"axis", "exclude_pad"})),
        (lambda data, k, *, variables, **others: data, frozenset({"axis", "exclude_pad", "variables"})),
    ],
)
def test_a_function_takes_inputs_by_position_and_attributes_by_name(bound, function, keywords):
    found = mismatch(shape=function)
    assert isinstance(found, Functions), found
    assert found.keyword_params["shape"] == keywords


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (lambda data: data, "takes the inputs (data), must take (data, k)"),
        (lambda k, data: data, "takes the inputs (k, data)"),
        (lambda data, k, z: data, "takes the inputs (data, k, z)"),
        (lambda data, *k: data, "takes *k, but no input of the definition is variadic"),
        (lambda data, k, z=None: data, "takes the inputs (data, k, z)"),
        (lambda data, k, *, hue, big: data, "takes big, hue, which the definition does not name"),
        (lambda data, k, *, hue=0: data, "takes hue, which the definition does not name"),
    ],
)
def test_a_function_that_differs_from_its_definition_is_refused(bound, function, part):
    (message,) = mismatch(shape=function)
    assert part in message
    assert "of T-1" in message


def test_every_function_that_differs_is_reported_and_where_it_is(bound):
    bound["m"] = {"T-1": Functions(shape=lambda x: x, kernel=lambda y: y, values=lambda z: z)}
    with pytest.raises(DefinitionError) as error:
        functions_of(definition(), ["m"])
    found = error.value.diagnostics
    assert [d.name for d in found] == ["mismatched-function"] * 3
    assert {d.location.file for d in found} == {__file__}
    assert all(d.location.line for d in found)
    assert found[0].notes == ("the definition: T-1.xml",)


def test_a_variadic_input_is_taken_as_such(bound):
    bound["m"] = {"T-1": Functions(kernel=lambda data, *k: data)}
    functions_of(definition(inputs=(port("data"), port("k", 1, variadic=True))), ["m"])
    bound["m"] = {"T-1": Functions(kernel=lambda *k: k)}
    with pytest.raises(DefinitionError, match="takes the inputs"):
        functions_of(definition(inputs=()), ["m"])


def test_an_op_without_a_kernel_is_refused_unless_another_has_one(bound):
    bound["m"] = {"T-1": Functions(shape=run)}
    with pytest.raises(DefinitionError, match="T-1 has no kernel in m, n"):
        functions_of(definition(), ["m", "n"])
    other = Functions(kernel=run)
    other.keyword_params = {"kernel": frozenset()}
    assert functions_of(definition(), ["m"], other).kernel is run


GRADIENT = {"data": Gradient("data", "", ("k", "out"))}


def gradients(functions, stated):
    binding.BOUND["m"] = {"T-1": Functions(kernel=run, gradients=functions)}
    try:
        return functions_of(definition(gradients=stated), ["m"])
    except DefinitionError as error:
        return [d.name for d in error.diagnostics]


@pytest.mark.parametrize(
    ("functions", "stated", "names"),
    [
        ({}, {}, []),
        ({}, GRADIENT, ["missing-function"]),
        ({"data": lambda d_out, k, out: k}, {}, ["mismatched-function"]),
        ({"data": lambda d_out, k, out: k}, GRADIENT, []),
        ({"": lambda d_out, k, out: k}, GRADIENT, []),
        ({"": lambda d_out, k, out: k}, {}, ["mismatched-function"]),
        ({"k": lambda d_out, k, out: k}, GRADIENT, ["missing-function", "mismatched-function"]),
        ({"data": lambda d_out, out, k: k}, GRADIENT, ["mismatched-function"]),
        ({"data": lambda d_out, k, out, z: k}, GRADIENT, ["mismatched-function"]),
        ({"data": lambda d_out, k, out, *, axis, data_shape, k_type: k}, GRADIENT, []),
        ({"data": lambda d_out, k, out, *, out_shape: k}, GRADIENT, ["mismatched-function"]),
        ({"data": lambda d_out, k, out, *, hue: k}, GRADIENT, ["mismatched-function"]),
    ],
)
def test_gradients_are_those_that_the_definition_states(bound, functions, stated, names):
    found = gradients(functions, stated)
    assert (found if isinstance(found, list) else []) == names


def test_a_gradient_is_called_with_the_keywords_that_it_takes(bound):
    function = lambda d_out, k, out, *, axis, data_shape: k  # noqa: E731
    found = gradients({"": function}, GRADIENT)
    assert found.gradients == {"data": function}
    assert found.keyword_params["gradient of data"] == frozenset({"axis", "data_shape"})


@pytest.fixture
def widened(bound):
    """A function that binds another as a widened kernel, and gives what it was called with."""

    def of(function):
        kernel("A-1", widen=True)(function)
        return bound[function.__module__]["A-1"].kernel

    return of


@pytest.mark.parametrize(
    ("narrow", "seen"),
    [
        (np.float16, np.float32),
        (ml_dtypes.bfloat16, np.float32),
        (ml_dtypes.float8_e4m3fn, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int8, np.int8),
        (ml_dtypes.int4, ml_dtypes.int4),
        (ml_dtypes.uint2, ml_dtypes.uint2),
    ],
)
def test_a_widened_kernel_computes_floats_of_few_bits_in_f32(widened, narrow, seen):
    called = []

    def compute(data, *, axis):
        called.append((data.dtype, axis))
        return data

    assert widened(compute).__name__ == "compute"
    result = widened(compute)(np.ones(2, narrow), axis=3)
    assert called == [(np.dtype(seen), 3)]
    assert result.dtype == narrow


def test_a_widened_kernel_widens_the_first_narrow_type_and_leaves_the_rest(widened):
    called = []

    def compute(*inputs):
        called.extend(getattr(i, "dtype", i) for i in inputs)
        return inputs[0], inputs[1], np.zeros(1, np.int64)

    half, whole = np.ones(1, np.float16), np.ones(1, np.int32)
    first, second, third = widened(compute)(half, whole, None, half, np.ones(1, ml_dtypes.bfloat16))
    assert called == [np.float32, np.int32, None, np.float32, ml_dtypes.bfloat16]
    assert (first.dtype, second.dtype, third.dtype) == (np.float16, np.int32, np.int64)


def test_a_widened_kernel_with_nothing_to_widen_is_called_as_it_is(widened):
    inputs = np.ones(1, np.float32), np.ones(1, np.int8)
    assert widened(lambda *given: given)(*inputs) == inputs


def test_codes_are_not_widened(widened):
    from irops.values.element import element_type, tagged

    codes = tagged(np.ones(2, np.uint8), element_type("nf4"))
    assert widened(lambda data: data)(codes) is codes


def test_numbers_that_are_too_large_for_the_narrow_type_become_infinite_without_a_warning(widened):
    with np.errstate(over="raise"):
        result = widened(lambda data: data * np.float32(1e9))(np.ones(1, np.float16))
    assert result.tolist() == [np.inf]


def test_a_gradient_is_widened_where_it_says_so(bound):
    @gradient("A-1", widen=True)
    def wide(d_out):
        return d_out + d_out.dtype.itemsize

    @gradient("B-1")
    def narrow(d_out):
        return d_out + d_out.dtype.itemsize

    one = np.zeros(1, np.float16)
    assert bound[HERE]["A-1"].gradients[""](one).tolist() == [4]
    assert bound[HERE]["B-1"].gradients[""](one).tolist() == [2]

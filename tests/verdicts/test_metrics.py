"""Metrics count NaN and infinity apart; no figure says that nothing differs where something does. Whether two
results are the same within a tolerance.
"""

import json
import re
from math import inf, isnan
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import pytest
from planted import WrongCall

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.report import junit, metrics_line, page
from irops.verdicts.metrics import TOLERANCES, difference, metrics_of

F32, NAN = np.float32, np.nan


def test_nan_and_infinity_are_counted_apart_and_the_figures_are_of_the_rest():
    a = F32([1, 2, NAN, 4, 5, np.inf, -np.inf, NAN, np.inf])
    b = F32([1, NAN, 3, 4.5, 5, 6, np.inf, np.inf, np.inf])
    found = metrics_of(a, b)
    assert (found.elements, found.differing, found.nans, found.infinities) == (9, 6, 3, 2)
    assert (found.max_abs, found.max_rel, found.max_ulp) == (0.5, 0.125, 2**20)
    assert found.snr == pytest.approx(10 * np.log10((1 + 16 + 25) / 0.25))
    assert found.worst == (1,)
    assert sum(found.histogram) == 1
    line = "6 of 9 elements differ (66.7%): 3 NaN, 2 infinite; the rest: max abs 0.5,"
    assert metrics_line(found).startswith(line)
    assert found.relative_error == inf


@pytest.mark.parametrize(
    ("a", "b"), [(NAN, 1), (1, NAN), (np.inf, 1), (1, -np.inf), (np.inf, -np.inf), (NAN, np.inf)]
)
def test_no_figure_says_that_nothing_differs(a, b):
    found = metrics_of(F32([1, a, 3]), F32([1, b, 3]))
    assert found.not_finite == found.differing == 1
    assert all(map(isnan, (found.max_abs, found.max_rel, found.max_ulp, found.cosine, found.snr)))
    line = metrics_line(found)
    assert line.startswith("1 of 3 elements differ (33.3%): 1 ")
    assert line.endswith("; the rest is equal")
    assert json.dumps(found.to_json(), allow_nan=False)
    assert found.relative_error == inf


@pytest.mark.parametrize("blocks", [1, 3])
def test_the_counts_are_those_of_all_blocks(blocks, monkeypatch):
    monkeypatch.setattr("irops.verdicts.metrics.BLOCK", 9 // blocks)
    a, b = F32([1, NAN, 3, 4, np.inf, 6, 7, 8, 9]), F32([1, 2, 3, 4, 5, 6, 7, 8.5, 9])
    found = metrics_of(a, b)
    assert (found.differing, found.nans, found.infinities, found.max_abs, found.worst) == (3, 1, 1, 0.5, (1,))


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_squares_neither_overflow_nor_vanish(size):
    a = np.array([1, 2, 3]) * size
    found = metrics_of(a, a * 1.01)
    assert found.snr == pytest.approx(40)
    assert found.cosine == pytest.approx(1)
    far = metrics_of(np.float64([1, 2, 3]), a)
    assert (far.differing, far.relative_error > 0.5) == (3, True)


def chain():
    graph = irops.Graph("roots")
    x = graph.parameter("x", "f32[5]")
    graph.result(graph.add("Sqrt", x, name="root"), "y")
    return ModelAnalysis(graph.model())


def one_number(array):
    """A number in place of NaN."""
    array[np.isnan(array)] = 1
    return array


def test_a_report_with_nan_agrees_with_itself():
    """In the terminal, in JSON, JUnit and HTML."""
    analysis, x = chain(), F32([1, 4, -1, NAN, 9])
    with np.errstate(invalid="ignore"):
        found = irops.compare(analysis, [x], b=WrongCall("Sqrt-1", 0, one_number))
    lines = str(found).splitlines()
    assert lines[0] == "0 of 1 result agrees"
    lines = lines[next(n for n, line in enumerate(lines) if line.startswith("the first")) :]
    assert lines[0] == "the first wrong layer is root (Sqrt-1): a number in place of NaN in 2 elements"
    assert lines[1:4] == [
        "  2 of 5 elements differ (40.0%): 2 NaN; the rest is equal",
        "  worst at [2]: nan by reference, 1.0 by planted",
        "  input 0: f32[5], from -1 to 9, 1 NaN, at [2] -1",
    ]
    rows = [line.split()[:4] for line in lines if line.startswith("root")]
    assert rows == [["root", "Sqrt-1", "wrong", "NaN"]]
    (output,) = found.to_json()["layers"][0]["outputs"]
    metrics = output["metrics"]
    assert (metrics["differing"], metrics["nans"], metrics["infinities"]) == (2, 2, 0)
    assert {metrics[name] for name in ("max_abs", "max_rel", "max_ulp", "cosine", "snr_db")} == {"nan"}
    _, failure = ElementTree.fromstring(junit(found)).iter("failure")
    assert lines[1].strip() in failure.text
    text = page(found, analysis)
    assert "2 of 5 elements differ (40.0%): 2 NaN; the rest is equal" in text
    assert re.findall('<td class="number" title=".*?">(.*?)</td>', text) == ["NaN", "", "40.00%"]
    for said in (str(found), text, failure.text):
        assert not re.search(" 0% of the error|cosine|SNR|max rel|nan to nan", said)


def test_two_counts_of_one_report_do_not_disagree():
    """One element is wrong, two more differ by rounding alone."""
    from irops.debugging.compare.noise import agreement
    from irops.verdicts.question import DECLARED

    one = F32([1, 2, 3, 4, 5])
    other = F32([np.nextafter(F32(1), F32(2)), np.nextafter(F32(2), F32(3)), 3.5, 4, 5])
    found = agreement(one, other, [], DECLARED)
    assert found.metrics.differing == 3
    assert found.reason.startswith("1 of 5 elements differ by more than is allowed, by up to ")


DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def of(dtype, *numbers):
    return np.array(numbers, np.float64).astype(dtype)


@pytest.mark.parametrize("kind", TOLERANCES)
def test_a_difference_from_zero_is_within_the_absolute_tolerance_and_no_larger(kind):
    absolute, dtype = TOLERANCES[kind][1], DTYPES[kind]
    assert difference(of(dtype, absolute * 0.98), of(dtype, 0)) == ""
    assert difference(of(dtype, -absolute * 0.98), of(dtype, 0)) == ""
    assert difference(of(dtype, absolute * 1.02), of(dtype, 0)) != ""


@pytest.mark.parametrize("kind", TOLERANCES)
def test_a_difference_from_a_large_number_is_within_the_relative_tolerance_of_the_truth(kind):
    relative, dtype = TOLERANCES[kind][0], DTYPES[kind]
    truth = of(dtype, 1000)
    for sign in (1, -1):
        assert difference(of(dtype, 1000 * (1 + sign * relative * 0.7)), truth) == ""
        assert difference(of(dtype, 1000 * (1 + sign * relative * 1.4)), truth) != ""


def test_a_difference_exactly_on_the_tolerance_is_none():
    relative, absolute = TOLERANCES["f64"]
    bound = absolute + relative * 1.0
    assert difference(of(np.float64, 1.0 - bound * 0.999999), of(np.float64, 1.0)) == ""
    assert difference(of(np.float64, absolute), of(np.float64, 0.0)) == ""
    assert difference(of(np.float64, np.nextafter(absolute, 1)), of(np.float64, 0.0)) != ""


def test_the_tolerances_are_those_that_are_documented():
    assert TOLERANCES == {"f64": (1e-6, 1e-9), "f32": (1e-3, 1e-5), "f16": (5e-3, 2e-3), "bf16": (2e-2, 1e-2)}


def test_nan_is_nan_and_infinity_is_infinity():
    odd = of(np.float32, np.nan, np.inf, -np.inf)
    assert difference(odd, odd) == ""
    assert difference(odd, of(np.float32, 0, np.inf, -np.inf)).startswith("1 of 3 elements differ")
    assert difference(odd, of(np.float32, np.nan, -np.inf, np.inf)).startswith("2 of 3 elements differ")


def test_other_types_are_exact():
    assert difference(np.array([1, 2]), np.array([1, 2])) == ""
    expected = "1 of 2 elements differ, the first at [1]: 3, not 2"
    assert difference(np.array([1, 3]), np.array([1, 2])) == expected
    small = of(ml_dtypes.float8_e4m3fn, 1, 2)
    assert difference(small, small) == ""
    assert difference(small, of(ml_dtypes.float8_e4m3fn, 1, 2.25)).startswith("1 of 2")
    assert difference(np.array(["a"], object), np.array(["b"], object)) != ""


def test_the_first_place_and_the_number_of_places_are_given():
    ours, truth = np.zeros((2, 3), np.int64), np.array([[0, 0, 7], [0, 8, 0]])
    assert difference(ours, truth) == "2 of 6 elements differ, the first at [0, 2]: 0, not 7"


def test_shapes_and_types_come_first():
    assert difference(np.zeros(2), np.zeros(3)) == "shape (2,), not (3,)"
    assert difference(np.zeros(2), np.zeros(2, np.float32)) == "element type f64, not f32"

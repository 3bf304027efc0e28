"""irops.compare of two models: the wrong layer, what differs there, and how far a wrong one is compared."""

import numpy as np
import pytest

import irops
from irops.debugging.compare.report import junit
from irops.debugging.compare.tolerances import Tolerances
from irops.verdicts.question import Judgement, Verdict

F32 = np.float32
X = np.random.default_rng(3).standard_normal((2, 6, 6)).astype(F32)
WEIGHTS = np.random.default_rng(4).standard_normal((6, 6)).astype(F32)


def made(
    prefix="",
    *,
    eps=1e-5,
    weights=WEIGHTS,
    activation="Tanh",
    axis=2,
    order=(0, 2, 1),
    sizes=(2, 36),
    last=True,
):
    """Normalization, a product, an activation, SoftMax and a transposition; all names begin with prefix."""
    graph = irops.Graph(f"{prefix}net")
    x = graph.parameter("x", "f32", [-1, 6, 6])
    normed = graph.add(
        "MVN", x, [2], normalize_variance=True, eps=eps, eps_mode="inside_sqrt", name=f"{prefix}normed"
    )
    product = graph.add("MatMul", normed, weights, name=f"{prefix}product")
    active = graph.add(activation, product, name=f"{prefix}active")
    shares = graph.add("SoftMax", active, axis=axis, name=f"{prefix}shares")
    turned = graph.add("Transpose", shares, list(order), name=f"{prefix}turned")
    flat = graph.add("Reshape", turned, list(sizes), special_zero=False, name=f"{prefix}flat")
    total = graph.add("Add", flat, F32(2), name=f"{prefix}total")
    if last:
        total = graph.add(
            "Abs", graph.add("Subtract", total, F32(1), name=f"{prefix}less"), name=f"{prefix}abs"
        )
    graph.result(total, name="y")
    return graph.model()


@pytest.mark.parametrize("prefix", ["", "other/"])
@pytest.mark.parametrize(
    ("change", "name", "cause"),
    [
        ({"eps": 1e-2}, "normed", "eps 1e-05 -> 0.01"),
        ({"axis": 1}, "shares", "axis 2 -> 1"),
        ({"weights": WEIGHTS * F32(1.02)}, "product", "weights of input 1: greatest difference"),
        ({"order": (0, 1, 2)}, "turned", "weights of input 1: [0 2 1] -> [0 1 2]"),
        ({"activation": "Sigmoid"}, "active", "op Tanh-1 -> Sigmoid-1"),
        ({"last": False}, "y", "this model alone has 2 layers before it: abs (Abs-1), less (Subtract-1)"),
    ],
)
def test_the_first_wrong_layer_is_named_with_what_differs_there(change, name, cause, prefix):
    found = irops.compare(made(), [X], b=made(prefix, **change))
    assert not found.ok
    wrong = found.results[0] if name == "y" else found.first
    assert wrong.name == name
    assert cause in wrong.cause
    assert wrong.cause in str(found)


ONE_OTHER = WEIGHTS * np.where(np.arange(36) == 9, F32(1.000005), F32(1)).reshape(6, 6)


class Wrong:
    """The reference, with other results of one op."""

    name = "wrong"

    def __init__(self, op, change):
        self.op, self.change = op, change

    def kernel(self, op):
        right = op.functions.kernel
        if op.definition.type != self.op:
            return right
        return lambda *inputs, **attributes: self.change(right(*inputs, **attributes))


@pytest.mark.parametrize("kind", ["model", "stored", "backend"])
def test_a_fault_is_found_where_rounding_before_it_is_greater(kind):
    """Digits are lost before the wrong layer, so that another run differs by more than it does."""

    def net(factor):
        graph = irops.Graph("net")
        lost = graph.add("Subtract", graph.parameter("x", "f32", [2, 6, 6]) + F32(1e4), F32(1e4))
        graph.result(graph.add("Multiply", lost, F32(factor), name="scaled"), name="y")
        return graph.model()

    b = net(0.50001) if kind == "model" else dict(irops.run(net(0.50001), [X], keep="all"))
    b = Wrong("Multiply", lambda out: out * F32(1.00002)) if kind == "backend" else b
    found = irops.compare(net(0.5), [X], b=b, mode="propagated")
    assert (found.first.name, found.ok) == ("scaled", False)
    assert found.first.reason.endswith("in another run, but its inputs give something else")
    assert found.results[0].is_fault == (kind != "backend")


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("prefix", ["", "other/"])
@pytest.mark.parametrize(
    ("right", "wrong", "name", "cause"),
    [
        ({"eps": 1e-12}, {"eps": 4e-7}, "normed", "eps 1e-12 -> 4e-07"),
        ({}, {"weights": ONE_OTHER}, "product", "weights of input 1: greatest difference"),
    ],
)
def test_a_difference_within_rounding_that_is_none_is_named(right, wrong, name, cause, prefix, mode):
    found = irops.compare(made(**right), [X], b=made(prefix, **wrong), mode=mode)
    assert (found.ok, found.first.name, found.results[0].is_fault) == (False, name, True)
    assert f", but model:{prefix}net has {cause}" in found.first.reason
    assert f"but it follows from {name}, which is wrong" in found.results[0].reason
    stored = dict(irops.run(made(**wrong), [X], keep="all"))  # nobody knows how these were computed
    assert irops.compare(made(**right), [X], b=stored, mode=mode).ok


@pytest.mark.parametrize(
    "other", [{"eps": float(F32(1e-5))}, {"weights": np.nextafter(WEIGHTS, F32(9))}, {"weights": WEIGHTS}]
)
def test_numbers_that_a_converter_rounds_make_no_other_model(other):
    for mode in ("isolated", "propagated"):
        found = irops.compare(made(), [X], b=made("other/", **other), mode=mode)
        assert found.ok
        noted = "1 layer differs within rounding, where the models do: product: weights of input 1"
        assert (noted in str(found)) == any(layer.verdict is Verdict.ROUNDING for layer in found.layers)


def composed(*, slope=0.5, is_other=False):
    """Two products with an activation between them; is_other: in other ops, of which no name is the same."""
    graph = irops.Graph("net")
    x = graph.parameter("x", "f32", [2, 6])
    if is_other:
        first = graph.add("Einsum", x, WEIGHTS, equation="ij,jk->ik", name="e1")
        scaled = graph.add("Multiply", first, F32(slope), name="m")
        active = graph.add("Maximum", first, scaled, name="max")
        graph.result(graph.add("Einsum", active, WEIGHTS, equation="ij,jk->ik", name="e2"), name="y")
        return graph.model()
    first = graph.add("MatMul", x, WEIGHTS, name="first")
    active = graph.add("PRelu", first, F32([0.5]), name="active")
    graph.result(graph.add("MatMul", active, WEIGHTS, name="second"), name="y")
    return graph.model()


def test_layers_of_other_ops_are_found_by_equal_values():
    right = irops.compare(composed(), [X[0, :2]], b=composed(is_other=True))
    assert right.ok
    assert {layer.name for layer in right.layers} == {"first", "active", "second"}
    assert "3 layers found in model:net by equal values for two sets of inputs" in right.notes
    assert "1 layer in model:net alone: m (Multiply)" in right.notes
    wrong = irops.compare(composed(), [X[0, :2]], b=composed(is_other=True, slope=0.4))
    assert {layer.name: layer.is_fault for layer in wrong.layers} == {"first": False}
    assert not wrong.ok


def test_equal_values_for_inputs_without_another_order_prove_nothing():
    found = irops.compare(composed(), [np.ones((2, 6), F32)], b=composed(is_other=True))
    assert found.ok
    assert not found.layers
    assert "by equal values" not in str(found)


def test_a_person_says_which_layers_are_the_same():
    """Then the layer behind follows, of whatever op it is: it stands at the same place."""
    other = composed(is_other=True, slope=0.4)
    found = irops.compare(composed(), [X[0, :2]], b=other, map={"active": "max"})
    assert {layer.name for layer in found.layers if layer.is_fault} == {"active", "second"}
    assert found.first.name == "active"


@pytest.mark.parametrize(
    ("b", "pairs", "message"),
    [
        ("model", {"actve": "max"}, "net: there is no layer or tensor 'actve'; did you mean 'active'"),
        ("model", {"active": "min"}, "net: there is no layer or tensor 'min'"),
        ("numba", {"active": "max"}, "numba is no other model, so that its layers need no partners"),
    ],
)
def test_partners_must_be_layers_of_both(b, pairs, message):
    other = composed(is_other=True) if b == "model" else b
    with pytest.raises(ValueError, match=message):
        irops.compare(composed(), [X[0, :2]], b=other, map=pairs)


@pytest.mark.parametrize("prefix", ["", "other/"])
def test_in_isolated_mode_all_layers_of_an_equal_model_are_compared(prefix):
    """Those that differ are tried in test_planted_models.py."""
    found = irops.compare(made(), [X], b=made(prefix), mode="isolated")
    assert (found.first, len(found.layers), found.coverage.layers, found.ok) == (None, 9, 9, True)


LAYERS = ["normed", "product", "active", "shares", "turned", "flat", "total", "less", "abs"]


def test_in_isolated_mode_stored_values_are_computed_again_from_those_before_them():
    wrong = irops.run(made(weights=WEIGHTS * F32(1.02)), [X], keep=LAYERS)
    found = irops.compare(made(), [X], b={name: wrong[name] for name in LAYERS}, mode="isolated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["product"]
    part = irops.compare(made(), [X], b={name: wrong[name] for name in LAYERS[2:]}, mode="isolated")
    assert (part.first, part.coverage.layers, part.coverage.all_layers) == (None, 6, 9)
    with pytest.raises(ValueError, match=r"^stored values cannot compute single layers"):
        irops.compare(made(), [X], a=wrong, b=wrong, mode="isolated")


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_values_that_are_stored_in_half_precision_are_judged_in_it(mode):
    values = {name: array.astype(np.float16) for name, array in irops.run(made(), [X], keep=LAYERS).items()}
    assert irops.compare(made(), [X], b=values, mode=mode).ok
    values |= dict.fromkeys(("abs", "y"), values["abs"] * np.float16(1.1))
    found = irops.compare(made(), [X], b=values, mode=mode)
    assert (found.first.name, found.results[0].is_fault) == ("abs", True)


@pytest.mark.parametrize("offset", [0, 1e-5])
def test_a_function_may_lose_the_digits_that_its_usual_algorithm_loses(offset):
    graph = irops.Graph()
    x = graph.parameter("x", "f32[64]")
    graph.result(graph.add("SoftPlus", x, name="positive") * F32(1000), name="y")
    data = np.linspace(-16, -6, 64, dtype=F32)
    usual = np.log(F32(1) + np.exp(data)) + F32(offset)
    found = irops.compare(graph, [data], b={"positive": usual, "y": usual * F32(1000)}, mode="propagated")
    assert found.ok == (not offset)


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize(
    ("tolerance", "wrong", "notes"),
    [
        ({"rtol": 0.05}, [], ["rtol 0.05 everywhere"]),
        ({"atol": 0.2, "rtol": 0}, [], ["rtol 0 everywhere", "atol 0.2 everywhere"]),
        ({"atol": 1e-4}, ["product", "y"], ["atol 0.0001 everywhere"]),
        ({"rtol": {"product": 0.03}, "atol": {"y": 1}}, [], ["rtol 0.03 of product", "atol 1 of y"]),
        ({"rtol": {"product": 0.01, "": 1}}, ["product"], ["rtol 0.01 of product", "rtol 1 everywhere"]),
    ],
)
def test_a_tolerance_takes_the_place_of_error_bounds(tolerance, wrong, notes, mode):
    b = made("other/", weights=WEIGHTS * F32(1.02))
    found = irops.compare(made(), [X], b=b, mode=mode, **tolerance)
    of_both = (*found.layers[:2], *found.results)
    assert [judged.name for judged in of_both if judged.is_fault] == wrong
    assert found.notes[: len(notes)] == tuple(f"{note} in place of error bounds" for note in notes)


@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        ({"rtol": -1}, "rtol is -1, must be a number from 0 on"),
        ({"atol": float("nan")}, "atol is nan, must be a number from 0 on"),
        (
            {"atol": {"prodct": 1}},
            "atol is for 'prodct': there is no layer or tensor 'prodct'; did you mean 'product'",
        ),
    ],
)
def test_a_wrong_tolerance_is_refused(tolerance, message):
    with pytest.raises(ValueError, match=message):
        irops.compare(made(), [X], b=made(), **tolerance)


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_of_several_inputs_the_worst_is_reported(mode):
    def clamped(limit):
        graph = irops.Graph("clamped")
        graph.result(
            graph.add("Clamp", graph.parameter("x", "f32", [2]), min=-limit, max=limit, name="c"), name="y"
        )
        return graph.model()

    inputs = [np.array(values, F32) for values in ([1, 2], [1, 9], [1, 5])]
    found = irops.compare(
        clamped(4), [inputs[0]], b=clamped(6), mode=mode, repeat=[[one] for one in inputs[1:]]
    )
    assert (found.ok, found.first.name, found.layers[0].metrics.max_abs) == (False, "c", 2)
    for judged in (found.layers[0], found.results[0]):
        assert judged.reason.endswith("; in 2 of 3 sets of inputs")
    assert found.notes[0] == "3 sets of inputs; of each layer and result, the worst is shown"
    assert irops.compare(clamped(4), [inputs[0]], b=clamped(6), mode=mode, repeat=[[inputs[0]]]).ok


def scaled(kind="f32", factor=1000):
    """A product, computed in a type."""
    graph = irops.Graph("scaled")
    x = graph.add("Convert", graph.parameter("x", "f32", [2]), destination_type=kind, name="x/converted")
    product = graph.add("Multiply", x, np.array(factor, "float16" if kind == "f16" else F32), name="product")
    graph.result(product, name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_infinity_in_half_precision_is_no_number_beyond_it(mode):
    infinite, inputs = np.float16([1000, np.inf]), [np.array([1, 100], F32)]
    for b in ({"x/converted": inputs[0], "product": infinite, "y": infinite}, scaled("f16")):
        found = irops.compare(scaled(), inputs, b=b, mode=mode)
        assert (found.ok, found.first.name, found.results[0].is_fault) == (False, "product", True)


def test_a_set_of_inputs_that_shows_nothing_is_not_made_up_for_by_another():
    sets = [[np.array(values, F32)] for values in ([1, 9], [np.nan, np.nan])]
    assert not irops.compare(scaled(), sets[1], b=scaled(factor=1001)).ok
    for first, second in (sets, sets[::-1]):
        found = irops.compare(scaled(), first, b=scaled(factor=1001), rtol=0.01, repeat=[second])
        assert (found.ok, str(found.results[0].verdict)) == (False, "skipped")


@pytest.mark.parametrize("verdict", ["tie", "equal", "skipped", "random", "failed"])
def test_a_tolerance_leaves_other_verdicts(verdict):
    judgement = Judgement(Verdict(verdict))
    assert Tolerances({"": 0.0}).judged(judgement, ["y"], X, X + 1) is judgement
    assert Tolerances({"": 0.0}).judged(Judgement(Verdict.ROUNDING), ["y"], X, X + 1).is_fault


@pytest.mark.parametrize("prefix", ["", "other/"])
def test_a_model_with_an_error_is_compared_up_to_there(prefix):
    found = irops.compare(made(), [X], b=made(prefix, axis=1, sizes=(3, 36)))
    assert [(layer.name, str(layer.verdict)) for layer in found.layers] == [
        *((name, "equal") for name in ("normed", "product", "active")),
        *((name, "wrong") for name in ("shares", "turned")),
        ("flat", "failed"),
    ]
    assert found.first.name == "shares"
    assert not found.complete
    assert "has as many elements as data" in found.layers[-1].reason


def masked(name="clipped", *, limit=0.0, share=0.0):
    graph = irops.Graph("masked")
    x = graph.parameter("x", "f32", [2, 6, 6])
    clipped = graph.add("Clamp", x, min=limit, max=9.0, name=name)
    active = graph.add("Relu", clipped, name="active")
    graph.result(active + clipped * F32(share) if share else active, name="y")
    return graph.model()


@pytest.mark.parametrize("name", ["clipped", "renamed"])
def test_a_layer_of_another_model_from_which_nothing_follows_is_no_fault(name):
    found = irops.compare(masked(), [X], b=masked(name, limit=-1.0))
    assert found.ok
    assert [str(layer.verdict) for layer in found.layers] == ["masked", "equal"]
    assert found.layers[0].reason.endswith("; nothing computed from it differs")
    diluted = irops.compare(masked(share=1e-6), [X], b=masked(name, limit=-1.0, share=1e-6))
    assert [str(result.verdict) for result in diluted.results] == ["wrong"]
    assert diluted.results[0].reason.endswith(", but it follows from clipped, which is wrong")
    assert (diluted.ok, diluted.first.name) == (False, "clipped")


def test_the_first_wrong_layer_is_one_whose_fault_goes_on():
    right = {name: irops.run(made(), [X], keep=[name])[name] for name in ("normed", "product", "shares")}
    stored = {**irops.run(made(), [X], keep=["active", "turned"]), **right}
    alone = irops.compare(made(), [X], b={**stored, "normed": right["normed"] + 1})
    assert (alone.first.name, alone.ok) == ("normed", False)
    assert "nothing that is computed from it differs" in str(alone)
    both = irops.compare(made(), [X], b={**stored, "normed": right["normed"] + 1, "y": stored["y"] + 1})
    assert both.first.name == "abs"


def compressed():
    """A product with weights of u8 that are decompressed in f16, which a run computes in f32."""
    graph = irops.Graph("net")
    codes = np.random.default_rng(6).integers(0, 255, (6, 6)).astype(np.uint8)
    wide = graph.add("Convert", codes, destination_type="f16")
    scaled = graph.add("Multiply", graph.add("Subtract", wide, np.float16(127)), np.float16(0.0123))
    weights = graph.add("Convert", scaled, destination_type="f32")
    rows = graph.add("Gather", weights, graph.parameter("ids", "i32", [4]), np.int64(0))
    graph.result(graph.add("MatMul", rows, weights), name="y")
    return graph.model()


IDS = [np.arange(4, dtype=np.int32)]


@pytest.mark.parametrize("is_stored", [False, True])
def test_decompressed_weights_are_the_same_in_isolated_mode_as_in_a_run(is_stored):
    b = dict(irops.run(compressed(), IDS, keep="all")) if is_stored else compressed()
    found = irops.compare(compressed(), IDS, b=b, mode="isolated")
    assert found.ok
    assert found.coverage.layers == 2


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_other_weights_are_a_fault_of_stored_values_that_have_them(mode):
    stored = irops.run(made(weights=WEIGHTS * F32(1.02)), [X], keep="all")
    found = irops.compare(made(), [X], b=dict(stored), mode=mode)
    assert (found.first.name, found.ok) == ("product", False)


def drawing(scale=1.0, high=1.0, prefix=""):
    """An input to which drawn numbers are added."""
    graph = irops.Graph("net")
    x = graph.parameter("x", "f32", [2, 6])
    limits = [graph.add("ShapeOf", x), F32(0), F32(high)]
    noise = graph.add("RandomUniform", *limits, output_type="f32", name=f"{prefix}noise")
    scaled = graph.add("Multiply", noise, F32(scale), name=f"{prefix}scaled")
    graph.result(graph.add("Add", scaled, x, name=f"{prefix}sum"), name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("prefix", ["", "other/"])
def test_models_that_draw_numbers_are_compared_with_the_same_ones(mode, prefix):
    sets = [X[0, :2] + 1, X[0, 2:4]]
    right, wrong = (
        irops.compare(drawing(), [sets[0]], b=drawing(scale, 1, prefix), mode=mode, repeat=[[sets[1]]])
        for scale in (1, 1.5)
    )
    assert right.ok
    assert str(right.coverage) == "3 of 3 layers, 1 of 1 result compared"
    assert (wrong.first.name, wrong.ok) == ("scaled", False)
    assert all(result.is_fault for result in wrong.results)


def test_numbers_that_are_a_result_are_not_compared_with_themselves():
    def numbers():
        graph = irops.Graph("net")
        shape = graph.add("ShapeOf", graph.parameter("x", "f32", [2, 6]))
        graph.result(graph.add("RandomUniform", shape, F32(0), F32(1), output_type="f32"), name="y")
        return graph.model()

    found = irops.compare(numbers(), [X[0, :2]], b=numbers(), mode="propagated")
    assert ([result.verdict.name for result in found.results], found.ok) == (["RANDOM"], False)
    assert "no result was compared" in junit(found)


@pytest.mark.parametrize(("high", "first"), [(0.5, None), (2.0, "noise")])
def test_layers_that_draw_from_other_ranges_do_not_get_the_same_numbers(high, first):
    found = irops.compare(drawing(), [X[0, :2]], b=drawing(high=high), mode="propagated")
    assert [result.verdict.name for result in found.results] == ["RANDOM"]
    assert not found.ok
    assert getattr(found.first, "name", None) == first


@pytest.mark.parametrize(("kind", "factor"), [("bf16", 1.1), ("f16", 1.02), ("f32", 1.0001)])
def test_a_factor_that_is_off_by_more_than_the_rounding_of_a_type_is_named(kind, factor):
    def scaled(by):
        graph = irops.Graph("net")
        x = graph.add("Convert", graph.parameter("x", "f32", [6, 6]), destination_type=kind)
        sums = graph.add("Add", x, WEIGHTS.tolist(), name="sums")
        product = graph.add("Multiply", sums, 0.31 * by, name="product")
        graph.result(graph.add("SoftMax", product, axis=1), name="y")
        return graph.model()

    found = irops.compare(scaled(1), [X[0]], b=scaled(factor), mode="propagated")
    assert found.first.name == "product"


def bucketed(axis=2):
    """Logarithms of 8 to the base 2, rounded down: 2 or 3, as rounding decides."""
    graph = irops.Graph("net")
    x = graph.parameter("x", "f32", [2, 6, 6])
    eights = graph.add("Add", graph.add("Multiply", x, F32(0)), F32(8))
    logarithms = graph.add("Divide", graph.add("Log", eights), np.log(F32(2)))
    buckets = graph.add("Floor", logarithms, name="buckets")
    scores = graph.add("Add", graph.add("MatMul", x, WEIGHTS), buckets)
    graph.result(graph.add("SoftMax", scores, axis=axis, name="shares"), name="y")
    return graph.model()


def test_what_rounding_decides_neither_hides_faults_nor_is_one():
    wrong = irops.compare(bucketed(), [X], b=bucketed(axis=1), mode="propagated")
    assert wrong.first.name == "shares"
    assert all(result.is_fault for result in wrong.results)
    low = Wrong("Log", lambda out: np.where(np.arange(6) % 3, np.nextafter(out, F32(0)), out))
    right = irops.compare(bucketed(), [X], b=low, mode="propagated")
    assert right.ok
    ties = [layer.name for layer in right.layers if layer.verdict.name == "TIE"]
    assert ties[0] == "buckets"
    assert ties[-1] == "shares"


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("axes", [[0, 1], [1]])
def test_other_shapes_on_the_way_to_equal_results_are_no_fault(mode, axes):
    def total(rows, columns):
        graph = irops.Graph("net")
        x = graph.parameter("x", "f32", [2, 6, 6])
        flat = graph.add("Reshape", x, [rows, columns], special_zero=False, name="flat")
        sizes = graph.add("ShapeOf", flat, name="sizes")
        count = graph.add(
            "Convert", graph.add("ReduceProd", sizes, [0]), destination_type="f32", name="count"
        )
        graph.result(graph.add("Divide", graph.add("ReduceSum", flat, axes), count, name="mean"), name="y")
        return graph.model()

    found = irops.compare(total(6, 12), [X], b=total(8, 9), mode=mode)
    assert found.ok == (axes == [0, 1])
    (flat,) = (one for one in found.layers if one.name == "flat")
    assert flat.verdict.name == ("MASKED" if found.ok else "WRONG")


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_a_fault_is_named_before_layers_that_have_another_shape(mode):
    def net(rows, columns, factor):
        graph = irops.Graph("net")
        x = graph.parameter("x", "f32", [2, 6, 6])
        sizes = graph.constant(np.array([rows, columns]), name="sizes")
        flat = graph.add("Reshape", x, sizes, special_zero=False, name="flat")
        total = graph.add("ReduceSum", flat, [0, 1], keep_dims=True, name="total")
        graph.result(graph.add("Multiply", total, F32(factor), name="scaled"), name="y")
        return graph.model()

    found = irops.compare(net(6, 12, 2), [X], b=net(8, 9, 2.1), mode=mode)
    assert (found.first.name, found.ok) == ("scaled", False)


@pytest.mark.parametrize("wrong", [0.0, 0.02])
def test_numbers_beside_those_of_a_mask_are_compared_by_their_own_rounding(wrong):
    drawn = np.random.default_rng(11)
    x, weights = drawn.standard_normal((2, 4, 8), np.float32), drawn.standard_normal((8, 8), np.float32)
    mask = np.triu(np.full((4, 8), -3e38, np.float32), 3)

    def made(bias):
        g = irops.Graph("masked")
        product = g.add("MatMul", g.parameter("x", "f32[2,4,8]"), weights, name="product")
        biased = g.add("Add", product, np.full((1, 1, 8), bias, np.float32), name="biased")
        g.result(g.add("Add", biased, mask, name="scores"), "y")
        return g.model()

    found = irops.compare(made(0.1), [x], b=made(0.1 + wrong), mode="propagated")
    verdicts = {layer.name: layer.is_fault for layer in found.layers}
    assert verdicts == {"product": False, "biased": bool(wrong), "scores": bool(wrong)}

"""Another model that differs in one layer: irops.compare names it, in each mode, whatever it is called."""

import numpy as np
import pytest

import irops

F32, DRAWN = np.float32, np.random.default_rng(20771128)
W = {name: DRAWN.standard_normal((8, 8)).astype(F32) for name in ("query", "keys", "dense")}
FILTERS = DRAWN.standard_normal((4, 1, 3, 3)).astype(F32)
GATES = [DRAWN.standard_normal((1, *sizes)).astype(F32) for sizes in ((32, 8), (32, 8), (32,))]
X = DRAWN.standard_normal((2, 6, 8)).astype(F32)
MASK = np.triu(np.full((6, 6), -9, F32), 1)
PADS = {"pads_begin": [1, 1], "pads_end": [1, 1]}


def made(prefix="", layer="", change=None):
    """A network. change: of a layer's operands (by index), attributes or "type"; or it is "missing"."""
    graph, change = irops.Graph(f"{prefix}net"), change or {}

    def add(name, type, *operands, **attributes):
        given = {} if name != layer else change
        if "missing" in given:
            return operands[given["missing"]]
        operands = [given.get(index, operand) for index, operand in enumerate(operands)]
        operands = [operands[k] for k in given.get("order", range(len(operands)))]
        attributes |= {key: value for key, value in given.items() if key in attributes}
        return graph.add(given.get("type", type), *operands, name=f"{prefix}{name}", **attributes)

    x = graph.parameter("x", "f32", [2, 6, 8])
    normed = add("normed", "MVN", x, [2], normalize_variance=True, eps=1e-5, eps_mode="inside_sqrt")
    query = add("query", "MatMul", normed, W["query"], transpose_b=False)
    keys = add("keys", "MatMul", normed, W["keys"], transpose_b=True)
    scores = add("scores", "MatMul", query, keys, transpose_b=True)
    shares = add("shares", "SoftMax", add("masked", "Add", scores, MASK), axis=2)
    mixed = add("mixed", "MatMul", shares, normed)
    less = add("less", "Subtract", mixed, x)
    active = add("active", "Gelu", add("dense", "MatMul", less, W["dense"]), approximation_mode="ERF")
    levels = [F32(value) for value in (-2, 2, -2, 2)]
    rounded = add("rounded", "FakeQuantize", active, *levels, levels=256)
    joined = add("joined", "Concat", rounded, x, axis=2)
    part = add("part", "Slice", joined, [1], [9], [1], [2])
    turned = add("turned", "Transpose", part, [0, 2, 1])
    power = add("power", "Power", add("size", "Abs", turned), F32(1.5))
    image = graph.add("Unsqueeze", power, [1])
    attributes = {"strides": [1, 1], "dilations": [1, 1], **PADS}
    convolved = add("convolved", "Convolution", image, FILTERS, **attributes)
    pooled = add("pooled", "AvgPool", convolved, kernel=[2, 2], strides=[2, 2], exclude_pad=False, **PADS)
    scaled = add("scaled", "Clamp", add("elu", "Elu", pooled, alpha=0.5), min=-0.2, max=4.0)
    added = add("added", "CumSum", scaled, np.int64(3), exclusive=False, reverse=False)
    graph.result(add("picked", "Gather", added, [0, 2, 3], np.int64(1), batch_dims=0), name="image")
    state = np.zeros((2, 1, 8), F32)
    recurrent = {"hidden_size": 8, "direction": "forward", "activations": ["sigmoid", "tanh", "tanh"]}
    sequence = add("sequence", "LSTMSequence", rounded, state, state, np.array([6, 5]), *GATES, **recurrent)
    graph.result(add("flat", "ReduceMean", sequence[0], [2], keep_dims=True), name="states")
    return graph.model()


def gates(*order):
    """The operands of the cell with its gates in another order."""
    return {
        4 + k: np.concatenate([np.split(one, 4, 1)[gate] for gate in order], 1) for k, one in enumerate(GATES)
    }


def int4(array):
    return (np.rint(array / np.abs(array).max() * 7) * np.abs(array).max() / 7).astype(F32)


def bf16(array):
    return (array.view(np.uint32) & 0xFFFF0000).view(F32)


def placed(value, array=W["dense"]):
    return np.where(np.arange(array.size).reshape(array.shape) == 3, F32(value), array)


# fmt: off
PLANTS = {
    "normed": [{"eps": 1e-2}, {"eps_mode": "outside_sqrt", "eps": 1e-2}, {1: [1]},
               {"normalize_variance": False}],
    "query": [{"transpose_b": True}, {1: np.roll(W["query"], 1)}, {1: W["query"].swapaxes(0, 1) + F32(1e-2)}],
    "keys": [{"transpose_b": False}, {1: -W["keys"]}, {1: W["query"]}],
    "dense": [{1: W["dense"].T}, {1: W["dense"] * F32(1.02)}, {1: int4(W["dense"])}, {1: W["dense"][::-1]},
              {1: bf16(W["dense"])}, {1: placed(np.inf)}, {1: placed(np.nan)}, {1: placed(0)}],
    "scores": [{"order": (1, 0)}],
    "masked": [{1: MASK * F32(0.1)}, {1: MASK.T}, {1: placed(0, MASK)}, {"missing": 0}],
    "shares": [{"axis": 1}, {"type": "LogSoftmax"}],
    "less": [{"order": (1, 0)}, {"type": "Add"}, {"missing": 0}],
    "active": [{"approximation_mode": "TANH"}],
    "rounded": [{2: F32(1.9)}, {3: F32(-1.9)}, {"levels": 255}, {"missing": 0}],
    "joined": [{"order": (1, 0)}],
    "part": [{1: [0], 2: [8]}, {1: [2], 2: [10]}, {1: [0], 2: [16], 3: [2]}],
    "size": [{"type": "Negative"}, {"missing": 0}],
    "power": [{1: F32(2)}, {"missing": 0}],
    "convolved": [{1: FILTERS[::-1]}, {1: FILTERS.swapaxes(2, 3)}, {1: FILTERS[..., ::-1]}],
    "pooled": [{"exclude_pad": True}],
    "elu": [{"alpha": 1.0}, {"missing": 0}],
    "scaled": [{"min": -0.1}, {"max": 3.0}],
    "added": [{"reverse": True}, {"exclusive": True}, {1: np.int64(2)}],
    "picked": [{1: [0, 1, 3]}, {1: [2, 0, 3]}],
    "sequence": [gates(1, 0, 2, 3), gates(0, 1, 3, 2), {3: np.array([5, 6])}, {"direction": "reverse"},
                 {"activations": ["sigmoid", "tanh", "relu"]}],
}
# fmt: on
CASES = [(layer, change) for layer, changes in PLANTS.items() for change in changes]


def tier(number):
    """All of them are of the slow tier, but for every ninth."""
    return () if number % 9 == 0 else pytest.mark.slow("many planted models")


@pytest.mark.parametrize("prefix", ["", "other/"])
@pytest.mark.parametrize(
    ("layer", "change"),
    [pytest.param(*case, id=f"{case[0]}-{n}", marks=tier(n)) for n, case in enumerate(CASES)],
)
def test_the_planted_layer_is_named(layer, change, prefix):
    right, other = made(), made(prefix, layer, change)
    results = [irops.run(model, [X]) for model in (right, other)]
    assert not all(np.array_equal(*pair) for pair in zip(*(one.values() for one in results)))
    alone, whole = (irops.compare(right, [X], b=other, mode=mode) for mode in ("isolated", "propagated"))
    assert not alone.ok
    is_compared = layer in {one.name for one in alone.layers}
    assert [one.name for one in alone.layers if one.is_fault] == [layer] * is_compared
    assert is_compared != any(layer in note for note in alone.notes)
    named = irops.Graph(right)[whole.first.name]
    assert layer in (named.name, *(value.node.name for value in named.inputs))


def test_levels_are_wrong_where_another_run_moves_one_of_them():
    x = np.random.default_rng(104).standard_normal(X.shape).astype(F32)
    other = made("", "rounded", {"levels": 255})
    whole = irops.compare(made(), [x], b=other, mode="propagated")
    assert not whole.ok
    assert whole.first.name == "rounded"
    tolerated = irops.compare(made(), [x], b=other, mode="propagated", rtol={"rounded": 0.1}, atol=0.1)
    assert tolerated.ok

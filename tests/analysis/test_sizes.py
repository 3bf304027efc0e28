"""Sizes through a model: what is known of a dynamic size stays known on its way through shape sub-graphs;
symbols through chains of ops on shapes are what a run with sizes gives.
"""

import struct
from itertools import count

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import infer
from irops.diagnostics.diagnostic import EvaluationError
from irops.values.dim import GENERATED_PREFIX
from irops.values.fact import holds_dims
from tests.conftest import layer_of


@pytest.fixture
def attention(net):
    """x [?,?,32] -> heads by a Reshape to (batch, length, 4, 8) that a shape sub-graph computes, swapped,
    and merged again.
    """
    return net(
        "x: f32[?,?,32]; shape: ShapeOf-opset3 x output_type=i64",
        "batch: Gather-opset8 shape first zero batch_dims=0",
        "length: Gather-opset8 shape second zero batch_dims=0",
        "split: Concat batch length four rest axis=0; heads: Reshape x split special_zero=false",
        "swapped: Transpose heads order; together: Concat batch length rest axis=0",
        "merged: Reshape swapped together special_zero=false; flat: Reshape merged rest special_zero=false",
        "again: Reshape flat together special_zero=false; y: Result again",
        **{name: np.array([n]) for name, n in (("first", 0), ("second", 1), ("four", 4), ("rest", -1))},
        zero=np.array(0),
        order=np.array([0, 2, 1, 3]),
    )


def shapes(facts, *names):
    return [str(facts[name, 0].shape) for name in names]


def test_a_size_that_is_left_is_known_where_the_dynamic_ones_cancel_out(attention):
    found = shapes(infer(attention), "heads", "swapped", "merged", "flat", "again")
    assert found == ["[?,?,4,8]", "[?,4,?,8]", "[?,?,32]", "[?]", "[?,?,32]"]


def test_bounds_go_through_a_shape_sub_graph(attention):
    facts = infer(attention, {"x": "2,1..16,32"})
    assert shapes(facts, "heads", "again", "flat") == ["[2,1..16,4,8]", "[2,1..16,32]", "[64..1024]"]
    assert [str(size) for size in facts["split", 0].dims] == ["2", "1..16", "4", "-1"]


def test_names_that_a_caller_gives_come_out_again(attention):
    flat, again = (infer(attention, {"x": "batch,length,32"})[name, 0].shape for name in ("flat", "again"))
    assert (flat.spelled, again.spelled) == ("[32*batch*length]", "[batch,length,32]")
    assert (str(flat), str(again)) == ("[?]", "[?,?,32]")


def test_no_name_that_a_caller_gives_is_taken_for_another(attention):
    facts = infer(attention, {"x": "n0,n1,32"})
    assert facts["heads", 0].shape.spelled == "[n0,n1,4,8]"
    assert infer(attention)["heads", 0].shape.spelled == "[?,?,4,8]"


def test_no_two_sizes_share_a_name_without_reason(net):
    facts = infer(net("x: f32[?,?]; y: f32[?]; r: Result x; s: Result y"))
    names = [size.symbol for name in ("x", "y") for size in facts[name, 0].shape]
    assert len(set(names)) == 3
    assert facts["r", 0].shape[0].symbol == names[0]


def test_a_long_chain_of_shape_arithmetic_is_no_recursion(net):
    chain = [f"a{k}: Add {f'a{k - 1}' if k else 'shape'} one" for k in range(2000)]
    end = "wide: Broadcast-opset3 x a1999 mode=numpy; y: Result wide"
    model = net("x: f32[?]; shape: ShapeOf-opset3 x output_type=i64", *chain, end, one=np.array([1]))
    assert shapes(infer(model, {"x": "1"}), "wide") == ["[2001]"]
    assert shapes(infer(model, {"x": "1..3"}), "wide") == ["[2001..2003]"]


NAMES = ("a", "b", "c")
BINARY = ("Add", "Subtract", "Multiply", "Divide", "FloorMod", "Mod", "Maximum", "Minimum")
REDUCING = ("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")


class Chain:
    """Layers of a model that computes on the shape of its input x."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.weights = bytearray()
        self.numbers = count()
        self.layers = [layer_of("x: f32[?,?,?]"), layer_of("shape: ShapeOf-opset3 x output_type=i64")]
        self.vectors = ["shape"]

    def add(self, kind, sources, **data):
        name = f"{kind.partition('-')[0]}{next(self.numbers)}"
        self.layers.append((name, kind, data, sources))
        return name

    def const(self, *numbers, kind="i64", scalar=False):
        raw = struct.pack(f"<{len(numbers)}{'q' if kind == 'i64' else 'f'}", *numbers)
        offset, shape = len(self.weights), "" if scalar else str(len(numbers))
        self.weights.extend(raw)
        return self.add("Const", [], element_type=kind, shape=shape, offset=offset, size=len(raw))

    def one(self):
        """One element of a vector, as a vector."""
        source = self.vectors[self.random.integers(len(self.vectors))]
        if source != "shape":
            source = self.add("Reshape", [source, self.const(-1)], special_zero="false")
            return self.add("ReduceMax", [source, self.const(0)], keep_dims="true")
        index = int(self.random.integers(3))
        return self.add(
            "Gather-opset8", [source, self.const(index), self.const(0, scalar=True)], batch_dims=0
        )

    def grow(self):
        kind = self.random.integers(7)
        if kind < 3:
            other = self.const(int(self.random.integers(1, 5))) if self.random.random() < 0.6 else self.one()
            new = self.add(str(self.random.choice(BINARY)), [self.one(), other], auto_broadcast="numpy")
        elif kind == 3:
            wide = self.add("Convert", [self.one()], destination_type="f32")
            factor = self.const(float(self.random.choice([0.5, 2, 1.5])), kind="f32")
            op = str(self.random.choice(["Power", "Multiply"]))
            scaled = self.add(op, [wide, factor], auto_broadcast="numpy")
            if self.random.random() < 0.5:
                scaled = self.add(str(self.random.choice(["Floor", "Ceiling", "Sqrt"])), [scaled])
            new = self.add("Convert", [scaled], destination_type="i64")
        elif kind == 4:
            new = self.add("Concat", [self.one(), self.one(), self.one()], axis=0)
        elif kind == 5:
            axes = self.const(0)
            new = self.add(str(self.random.choice(REDUCING)), [self.vectors[-1], axes], keep_dims="true")
        else:
            chosen = self.add("Equal", [self.one(), self.const(2)], auto_broadcast="numpy")
            new = self.add("Select", [chosen, self.const(3), self.one()], auto_broadcast="numpy")
        self.vectors.append(new)

    def ending(self):
        kind = self.random.integers(4)
        if kind == 0:
            pattern = self.add("Concat", [self.one(), self.const(-1)], axis=0)
            special = str(bool(self.random.integers(2))).lower()
            return self.add("Reshape", ["x", pattern], special_zero=special)
        if kind == 1:
            return self.add("Tile", ["x", self.one()])
        if kind == 2:
            pads = self.const(0, 0, 0), self.add("Concat", [self.one(), self.const(0, 1)], axis=0)
            return self.add("Pad", ["x", *pads], pad_mode="constant")
        target = self.add("Concat", [self.one(), self.one()], axis=0)
        one = self.const(1.0, kind="f32", scalar=True)
        return self.add("Broadcast-opset3", [one, target], mode="numpy")

    def model(self, net):
        for _ in range(self.random.integers(1, 5)):
            self.grow()
        last = self.ending()
        return net(*self.layers, ("y", "Result", {}, [last]), weights=bytes(self.weights))


def holds(dim, number, sizes):
    """Whether a number lies within the bounds, and is what an expression in names of the caller says."""
    symbol = "" if dim.symbol is None else str(dim.symbol)
    named = symbol and GENERATED_PREFIX not in symbol
    return dim.low <= number <= dim.high and (not named or eval(symbol, {}, dict(sizes)) == number)


@pytest.mark.parametrize("seed", range(60))
def test_expressions_are_what_comes_out(net, seed):
    chain = Chain(seed)
    model = chain.model(net)
    inferred = irops.infer(model, {"x": ",".join(NAMES)})
    for _ in range(3):
        sizes = dict(zip(NAMES, map(int, chain.random.integers(1, 7, 3))))
        try:
            results = irops.run(model, [np.zeros(tuple(sizes.values()), np.float32)], keep="all")
        except EvaluationError:
            continue  # such sizes break a requirement
        for name, *_ in chain.layers:
            fact, array = inferred[name, 0], results[name]
            if fact.shape.dims is not None:
                for dim, size in zip(fact.shape.dims, array.shape, strict=True):
                    assert holds(dim, size, sizes), f"{name}: {dim!r} is {size} for {sizes}"
            known = fact.known
            if known is not None and holds_dims(known):
                for dim, number in zip(known.ravel(), array.ravel(), strict=True):
                    assert holds(dim, number.item(), sizes), f"{name}: {dim!r} is {number} for {sizes}"


def test_most_chains_run(net):
    """So that the law above compares something."""
    run = 0
    for seed in range(20):
        try:
            irops.run(Chain(seed).model(net), [np.zeros((2, 3, 4), np.float32)])
            run += 1
        except EvaluationError:
            continue
    assert run >= 10

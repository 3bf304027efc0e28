"""Gradients through graphs that chance has drawn are their slopes, in any direction."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import irops

ONE = ("Tanh", "Sigmoid", "Exp", "ReverseSequence", "Reverse", "SoftMax-opset8")
TWO = ("Add", "Subtract", "Multiply")
SHAPE = (3, 4)
DATA = {
    "ReverseSequence": {"batch_axis": 0, "seq_axis": 1},
    "Reverse": {"mode": "index"},
    "SoftMax-opset8": {"axis": 1},
}


@st.composite
def graphs(draw):
    """Layers on x, w and lengths, each taking any that stand before it; the last few are results."""
    layers = [
        ("x", "Parameter", {"element_type": "f64", "shape": "3,4"}, []),
        ("w", "Parameter", {"element_type": "f64", "shape": "1,4"}, []),
        ("lengths", "Parameter", {"element_type": "i64", "shape": "3"}, []),
        ("axes", "Parameter", {"element_type": "i64", "shape": "1"}, []),
    ]
    values = ["x"]
    for number in range(draw(st.integers(1, 9))):
        name = f"l{number}"
        first = draw(st.sampled_from(values))
        if draw(st.booleans()):
            kind, sources = draw(st.sampled_from(TWO)), [first, draw(st.sampled_from([*values, "w"]))]
        else:
            kind = draw(st.sampled_from(ONE))
            sources = [first, *{"ReverseSequence": ["lengths"], "Reverse": ["axes"]}.get(kind, [])]
        layers.append((name, kind, DATA.get(kind, {}), sources))
        values.append(name)
    ends = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    return [*layers, *((f"y{k}", "Result", {}, [end]) for k, end in enumerate(ends))]


def test_a_gradient_is_the_slope_in_any_direction(net):
    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(graphs(), st.integers(0, 99))
    def law(layers, seed):
        rng = np.random.default_rng(seed)
        session = irops.Session(net(*layers))
        inputs = {
            "x": rng.normal(0, 0.3, SHAPE),
            "w": rng.normal(0, 0.3, (1, 4)),
            "lengths": rng.integers(0, 5, 3),
            "axes": rng.integers(0, 2, 1),
        }
        directions = {"x": rng.normal(size=SHAPE), "w": rng.normal(size=(1, 4))}
        cotangents = {name: rng.normal(size=SHAPE) for name in session.run(inputs)}
        found = irops.vjp(session.model, inputs, cotangents)
        step, sides = 1e-5, []
        for way in (step, -step):
            moved = session.run(
                {**inputs, **{name: inputs[name] + way * d for name, d in directions.items()}}
            )
            sides.append(sum(float(np.vdot(dy, moved[name])) for name, dy in cotangents.items()))
        slope = sum(float(np.vdot(found[name], d)) for name, d in directions.items() if name in found)
        np.testing.assert_allclose(slope, (sides[0] - sides[1]) / (2 * step), rtol=1e-5, atol=1e-6)

    law()

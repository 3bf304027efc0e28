"""The gradients that a definition states, and irops.jvp, are the slopes of the op in its examples."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from tiers import slow

import irops
from irops.backends.openvino import one_op_model
from irops.conformance.cases import expected_outputs, inputs_of
from irops.diagnostics.diagnostic import DiagnosticError
from irops.ir.model import Model
from irops.ir.read import loads
from irops.ir.storage import Weights
from irops.ops.invocation import input_spec
from irops.registry import default_registry
from irops.spec.cases import examples
from irops.spec.definition import Case
from irops.spec.op import Op
from irops.values.element import Array

STRAIGHT_THROUGH = ("FakeQuantize-1",)
"""Their gradient is that of the numbers before they are rounded."""
IN_F32 = [
    *(f"{op}-8" for op in ("NV12toRGB", "NV12toBGR", "I420toRGB", "I420toBGR")),
    *("RGBtoNV12-17", "BGRtoNV12-17"),
]
"""They compute in f32 whatever the type, in which no step is small enough; see below."""
BODIES = ("If-8", "Loop-5", "TensorIterator-1")
"""Their examples are networks; test_bodies.py compares them with slopes."""
OPS = [
    op
    for op in default_registry().ids()
    if default_registry().op(op).definition.gradients and op not in (*STRAIGHT_THROUGH, *IN_F32, *BODIES)
]
STATE = ("Assign-3", "Assign-6", "ReadValue-3", "ReadValue-6")
"""Their examples are networks."""
RANGES = (-np.inf, np.inf), (0.2, 0.8), (1.2, 1.9)
"""Where the inputs of a case are drawn from: an op may have no finite results elsewhere."""
TOLERANCES = {np.dtype(np.float64): (1e-6, 1e-4, 1e-6), np.dtype(np.float32): (1e-2, 2e-2, 2e-3)}
"""The step of differences, the relative and the absolute tolerance, by the narrowest type that takes part."""


def cases_of(op_id: str, low: float, high: float) -> Iterator[tuple[str, Model, list[Array]]]:
    """Each example with floating inputs off ties and kinks, in f64 where the op has it."""
    op = default_registry().op(op_id)
    rng = np.random.default_rng(zlib.crc32(op_id.encode()))
    if op_id in STATE:
        yield (
            "a square that is read and written",
            state_model(op_id),
            [_moved(np.ones((2, 3)), rng, low, high)],
        )
        return
    for case in examples(op.definition):
        tensors = [] if case.net is not None else inputs_of(op, case)
        if not tensors or any(tensor is None or tensor.value is None for tensor in tensors):
            continue
        arrays = [tensor.value for tensor in tensors if tensor is not None and tensor.value is not None]
        ports = [input_spec(op, index) for index in range(len(arrays))]
        real = {port.type for port in ports if port.name in op.definition.gradients}
        moved = []
        for port, array in zip(ports, arrays):
            is_real = array.dtype.kind == "f" or (port.type in real and array.dtype != object)
            kind = next((kind for kind in ("f64", "f32") if kind in port.allowed), "")
            kinds = {"f64": np.float64, "f32": np.float32}
            moved.append(_moved(array, rng, low, high).astype(kinds[kind]) if is_real and kind else array)
        yield f"line {case.line}", *_model(op, case, moved)


def state_model(op_id: str) -> Model:
    """The square of a variable's value, which is stored."""
    graph, version = irops.Graph("state"), op_id[-1]
    declared = {} if version == "3" else {"variable_type": "f64", "variable_shape": "2,3"}
    x = graph.parameter("x", "f64[2,3]")
    read = graph.add(f"ReadValue-{version}", x, variable_id="v", **declared)
    graph.result(graph.add(f"Assign-{version}", graph.add("Multiply-1", read, read), variable_id="v"), "y")
    return graph.model()


def _model(op: Op, case: Case, arrays: list[Array]) -> tuple[Model, list[Array]]:
    """A model whose inputs are the floating arrays, and these."""
    fixed = {index: array for index, array in enumerate(arrays) if array.dtype not in TOLERANCES}
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    text, weights = one_op_model(op, arrays, case.attributes, outputs, fixed)
    model = loads(text.encode(), b"")[0]
    model.weights = Weights.of_bytes(weights)
    return model, [array for array in arrays if array.dtype in TOLERANCES]


def _moved(array: Array, rng: np.random.Generator, low: float, high: float) -> Array:
    """Numbers of a range in f64, or, without bounds, numbers near those of an array."""
    if np.isinf(low):
        nearby = np.nan_to_num(array.astype(np.float64), nan=0.5, posinf=3, neginf=-3).clip(-99, 99)
        return nearby + rng.uniform(0.01, 0.1, array.shape)
    return rng.uniform(low, high, array.shape)


def compared(model: Model, inputs: list[Array], where: str) -> int:
    """How many gradients of a model's inputs were compared with slopes."""
    try:
        results = irops.run(model, inputs)
    except DiagnosticError:
        return 0  # the op refuses the inputs that were moved
    results = {name: array for name, array in results.items() if array.dtype in TOLERANCES}
    if not results or not all(np.isfinite(array).all() for array in results.values()):
        return 0
    rng = np.random.default_rng(5)
    weights = {n: rng.standard_normal(a.shape).astype(a.dtype) for n, a in results.items()}
    try:
        found = irops.vjp(model, inputs, weights)
    except DiagnosticError as error:
        if "because irops has no rule for" not in str(error):
            raise
        return 0
    step, relative, absolute = max(TOLERANCES[array.dtype] for array in (*inputs, *results.values()))
    slopes: dict[str, dict[str, Array]] = {}
    directions: dict[str, Array] = {}
    layers = [layer.name for layer in model.layers if layer.type == "Parameter"]
    for index, (layer, array) in enumerate(zip(layers, inputs, strict=True)):
        if layer not in found:
            continue  # it states none
        directions[layer] = rng.standard_normal(array.shape).astype(array.dtype)
        move = array.dtype.type(step) * directions[layer]
        sides = [
            irops.run(model, [*inputs[:index], at, *inputs[index + 1 :]])
            for at in (array + move, array - move)
        ]
        if any(sides[0][n].shape != sides[1][n].shape for n in weights):
            continue  # such as the number of elements of Range
        slopes[layer] = {
            n: (sides[0][n].astype(np.float64) - sides[1][n].astype(np.float64)) / (2 * step) for n in weights
        }
        ours = float(np.vdot(found[layer].astype(np.float64), directions[layer]))
        expected = sum(float(np.vdot(w.astype(np.float64), slopes[layer][n])) for n, w in weights.items())
        assert ours == pytest.approx(expected, rel=relative, abs=absolute), (where, index)
    compare_forward(model, inputs, directions, weights, found)
    if slopes and slopes.keys() == directions.keys():
        _, tangents = irops.jvp(model, inputs, directions)
        for n in weights:
            total = sum(parts[n] for parts in slopes.values())
            np.testing.assert_allclose(tangents[n], total, relative, 10 * absolute, err_msg=f"{where}, {n}")
    return sum(inputs[layers.index(layer)].size > 0 for layer in slopes)


def compare_forward(
    model: Model,
    inputs: list[Array],
    directions: Mapping[str, Array],
    weights: Mapping[str, Array],
    found: Mapping[str, Array],
) -> None:
    """The forward derivative is the transpose of the backward one."""
    if not directions:
        return
    results, tangents = irops.jvp(model, inputs, directions)
    one = [(tangents[n].astype(np.float64), w) for n, w in weights.items()]
    other = [(found[layer].astype(np.float64), v) for layer, v in directions.items()]
    for n in weights:
        assert (tangents[n].dtype, tangents[n].shape) == (results[n].dtype, results[n].shape)
    size = sum(float(np.abs(a * b).sum()) for a, b in (*one, *other))
    is_wide = all(array.dtype == np.float64 for array in (*inputs, *weights.values()))
    left, right = (sum(float(np.vdot(a, b)) for a, b in pairs) for pairs in (one, other))
    assert left == pytest.approx(right, abs=(1e-12 if is_wide else 1e-5) * max(size, 1e-3))


@pytest.mark.parametrize("op", OPS)
def test_a_stated_gradient_is_the_slope_in_an_example(op: str) -> None:
    for low, high in RANGES:
        if sum(compared(model, inputs, where) for where, model, inputs in cases_of(op, low, high)):
            return
    pytest.fail("no gradient of no example was compared")


@pytest.mark.parametrize("op", [slow(op) for op in OPS])
def test_a_stated_gradient_is_the_slope_in_every_range(op: str) -> None:
    for low, high in RANGES:
        for where, model, inputs in cases_of(op, low, high):
            compared(model, inputs, f"{where}, {low} to {high}")


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("op", IN_F32)
def test_gradients_of_colours_are_slopes_and_nothing_where_they_are_clamped(op: str, single: bool) -> None:
    rng = np.random.default_rng(4)
    graph = irops.Graph("colours")
    attributes = {}
    if op.endswith("-17"):
        shapes, attributes = {"data": (1, 4, 6, 3)}, {"single_plane": single}
    elif single:
        shapes = {"y": (1, 6, 6, 1)}
    else:
        planes = {"uv": (1, 2, 3, 2)} if op.startswith("NV12") else {"u": (1, 2, 3, 1), "v": (1, 2, 3, 1)}
        shapes = {"y": (1, 4, 6, 1), **planes}
    values = [graph.parameter(n, f"f64[{','.join(map(str, s))}]") for n, s in shapes.items()]
    found = graph.add(op, *values, **attributes)
    for number, value in enumerate(found if isinstance(found, tuple) else (found,)):
        graph.result(value, name=f"o{number}")
    inputs = {name: rng.uniform(115, 135, shape) for name, shape in shapes.items()}
    results = irops.run(graph.model(), inputs)
    cotangents = {name: rng.standard_normal(array.shape) for name, array in results.items()}
    gradients = irops.vjp(graph.model(), inputs, cotangents)
    for name, array in inputs.items():
        direction = rng.standard_normal(array.shape)
        sides = [irops.run(graph.model(), {**inputs, name: array + way * direction}) for way in (1, -1)]
        slope = sum(float(np.vdot(c, sides[0][n] - sides[1][n])) / 2 for n, c in cotangents.items())
        assert float(np.vdot(gradients[name], direction)) == pytest.approx(slope, rel=1e-4, abs=1e-4)
    if not op.endswith("-17"):
        far = {name: np.full(shape, 1e4 if name == "y" else 128.0) for name, shape in shapes.items()}
        far = {"y": np.concatenate([far["y"][:, :4], far["y"][:, 4:] * 0 + 128], 1)} if single else far
        assert not any(array.any() for array in irops.vjp(graph.model(), far, cotangents).values())

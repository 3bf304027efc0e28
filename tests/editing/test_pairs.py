"""Every op that both dialects define, there and back: the examples of its definition give the same, bit by
bit.
"""

import numpy as np
import pytest
from one_op import example_models
from runtimes import DeclinedError, same_bits
from tables import table

import irops
from irops.dialects.onnx.dialect import FRAME
from irops.dialects.registry import default_registry
from irops.editing.translation.counterparts import EQUIVALENT, onnx_types
from irops.values.element import element_type_of

OPENVINO = sorted(
    {*onnx_types(), *EQUIVALENT, "Reverse-1", "Convert-1", "ShapeOf-1", "ShapeOf-3"} - {"Result-1", "Const-1"}
)
ONNX = [
    op for op in default_registry().ids("onnx") if op.split(":")[1].split("-")[0] not in (*FRAME, "Constant")
]
ONE_LATER = "Cast-6 Squeeze-13 Transpose-1 Unsqueeze-13 Reshape-5 Identity-1 Shape-1"
OPSET = {"onnx:ReverseSequence-10": 28, **{f"onnx:{op}": 25 for op in ONE_LATER.split()}}
"""Opsets of examples that need a later one."""
REFUSED = table(__file__, "refused")
"""Why an example is not representable in the other dialect: the code, and parts of the message."""
BEYOND = {"Gather-8 outside the axis there are zeros", "Gather-8 an axis of size 0 gives only zeros"}
"""Examples with indices out of range, which ONNX's op refuses at run time."""
CLOSE = ("Sigmoid", "Tanh")
"""Ops that runtimes compute with small errors."""
NUMBERS = table(__file__, "numbers")
"""Examples that OpenVINO's CPU plug-in computes differently, also before conversion, on all processors or on
those without AVX; see irops.backends.openvino and _faults.
"""


def cases(ops):
    for op in ops:
        for name, *case in example_models(op, OPSET.get(op, int(op.rsplit("-", 1)[1]) if ":" in op else 18)):
            yield pytest.param(name, *case, id=name)


def results(model, inputs):
    return [*irops.run(model, inputs, backends=("reference",)).values()]


def there_and_back(model, to, back, opset, folder):
    paths = [
        folder / f"{place}.{'onnx' if dialect == 'onnx' else 'xml'}"
        for place, dialect in (("there", to), ("back", back))
    ]
    for path, dialect in zip(paths, (to, back)):
        model = irops.translate(model, dialect, opset=opset)
        assert irops.check(model).errors == ()
        irops.write(model, path)
        model = irops.read(path)
    return paths


def answer(runtimes, runtime, path, inputs):
    """What a runtime gives, or why it gives nothing."""
    try:
        return runtimes.run(runtime, path, inputs), None
    except DeclinedError as why:
        return None, str(why)


@pytest.mark.parametrize(("name", "model", "inputs"), [*cases(OPENVINO), *cases(ONNX)])
def test_examples_give_the_same_there_and_back(name, model, inputs, runtimes, tmp_path):
    want = results(model, inputs)
    to, opset = ("onnx", 25) if model.dialect == "openvino" else ("openvino", max(model.opsets["onnx"], 18))
    try:
        paths = there_and_back(model, to, model.dialect, opset, tmp_path)
    except irops.DiagnosticError as error:
        result = error.diagnostics[-1]
        assert any(words in result.message for words in REFUSED.get(result.code, ())), str(result)
        return
    if name in BEYOND:
        with pytest.raises(irops.EvaluationError, match="every element of indices lies in"):
            results(irops.read(paths[0]), inputs)
        return
    for path in paths:
        assert all(map(same_bits, results(irops.read(path), inputs), want)), path.name
    if any(element_type_of(array).bits < 8 for array in inputs):
        return
    for runtime, path in (
        ("openvino", paths[0]),
        ("openvino", paths[1]),
        ("onnxruntime", paths[to != "onnx"]),
    ):
        if runtime == "openvino" and any(words in name for words in NUMBERS):
            continue
        found, declined = answer(runtimes, runtime, path, inputs)
        if declined:
            assert "sequences of no elements" in name or opset > 25 or "NOT_IMPLEMENTED" in declined, (
                f"{runtime} on {path.name}: {declined}"
            )
        elif any(op in name for op in CLOSE):
            np.testing.assert_allclose(found[0], want[0], rtol=1e-6)
        else:
            assert all(map(same_bits, found, want)), f"{runtime} on {path.name}"


def test_examples_of_every_op_are_there():
    assert [op for op in (*OPENVINO, *ONNX) if not list(cases([op]))] == []

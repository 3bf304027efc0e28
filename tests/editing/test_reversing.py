"""Reverse and ReverseSequence in both dialects: OpenVINO, ONNX Runtime and irops agree on source and
translation, bit by bit.
"""

from functools import partial
from itertools import permutations, product

import ml_dtypes
import numpy as np
import pytest
from one_op import one_op_model
from runtimes import DeclinedError, same_bits

import irops
from irops.dialects.registry import default_registry

SIZES = (2, 3, 4, 2, 3)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
LENGTH_TYPES = (*INTEGERS, np.float16, np.float32)
TYPES = (np.bool_, *LENGTH_TYPES, np.float64, ml_dtypes.bfloat16)
KINDS = ("static", "any size", "any rank")


def data_of(rank, dtype=np.float32):
    """Numbers that every type holds, also as f32, which OpenVINO carries many types as."""
    return (np.arange(np.prod(SIZES[:rank], dtype=int)) % 100).astype(dtype).reshape(SIZES[:rank])


def shape_of(kind, rank):
    """The shapes that inputs of this kind declare, where they are not those of the arrays."""
    sizes = {"any size": ",".join("?" * rank), "any rank": "..."}
    return {} if kind == "static" else {"data": sizes[kind], "seq_lengths": "?"}


def model_of(op, attributes, *inputs, shapes=None, fixed=()):
    return one_op_model(default_registry().op(op), attributes, inputs, shapes=shapes, fixed=fixed)


def reverse_cases():
    for rank, mode, kind in product(range(1, 6), ("index", "mask"), KINDS):
        axes = [rank - 1] if kind == "any size" else sorted({0, rank // 2})
        given = np.isin(np.arange(rank), axes) if mode == "mask" else np.array(axes, np.int32)
        yield f"{mode}, rank {rank}, {kind}", data_of(rank), given, mode, shape_of(kind, rank)
    yield "all axes", data_of(4), np.arange(4), "index", {}
    yield "no axes", data_of(3), np.zeros(0, np.int64), "index", {}
    yield "no flags", data_of(3), np.zeros(3, bool), "mask", {}
    yield "negative and twice", data_of(3), np.array([-1, 0, 2]), "index", {}
    yield "negative, of any size", data_of(3), np.array([-2, -3]), "index", shape_of("any size", 3)
    yield "unsigned axes", data_of(2), np.array([1], np.uint64), "index", {}
    yield "a scalar", np.array(7, np.float32), np.zeros(0, np.int64), "index", {}
    yield "no elements", np.zeros((2, 0), np.float32), np.array([0]), "index", {}
    yield "strings", np.array([["a", "é"], ["", "x"]], object), np.array([1]), "index", {}
    for dtype in TYPES:
        yield f"{np.dtype(dtype)}", data_of(3, dtype), np.array([0, 2]), "index", {}


def run_time_cases():
    yield "axes", data_of(3), np.array([2, 0], np.int32), "index", {}
    yield "negative axes", data_of(3), np.array([-1, 0]), "index", {}
    yield "axes of u8", data_of(3), np.array([1], np.uint8), "index", {}
    yield "axes, any size", data_of(3), np.array([1, 2]), "index", {"data": "?,?,?", "axes": "?"}
    yield "no axes", data_of(3), np.zeros(0, np.int64), "index", {"axes": "?"}
    yield "flags", data_of(4), np.array([1, 0, 0, 1], bool), "mask", {}
    yield "flags, any size", data_of(3), np.array([0, 1, 0], bool), "mask", {"data": "?,?,?"}
    yield "no flags", data_of(2), np.zeros(2, bool), "mask", {}
    yield "a scalar", np.array(7, np.float32), np.zeros(0, np.int64), "index", {}
    yield "no elements", np.zeros((2, 0), np.float32), np.array([1, 0]), "index", {}
    yield "bf16", data_of(2, ml_dtypes.bfloat16), np.array([1]), "index", {}


def sequence_cases():
    for rank in range(2, 6):
        for batch, seq in [pair for pair in permutations(range(rank), 2) if rank < 4 or 3 in pair]:
            yield f"axes {batch} and {seq}, rank {rank}", data_of(rank), batch, seq, np.int32, {}, False
    for kind, (batch, seq) in product(("any size", "any rank"), ((0, 1), (1, 0))):
        yield f"axes {batch} and {seq}, {kind}", data_of(3), batch, seq, np.int64, shape_of(kind, 3), False
    yield "axes 2 and 0, any size", data_of(3), 2, 0, np.int32, shape_of("any size", 3), False
    yield "negative axes", data_of(3), -3, -1, np.int64, {}, False
    yield "constant lengths", data_of(3), 0, 1, np.int32, {}, True
    yield "constant lengths between transposes", data_of(3), 2, 1, np.float16, shape_of("any size", 3), True
    yield "no batch item", np.zeros((0, 3), np.float32), 0, 1, np.int32, {}, False
    for dtype in TYPES:
        yield f"data {np.dtype(dtype)}", data_of(2, dtype), 1, 0, np.int64, {}, False
    for dtype in LENGTH_TYPES:
        yield f"lengths {np.dtype(dtype)}", data_of(2), 0, 1, dtype, {}, False


def reverse_of(data, axes, mode, shapes, fixed=("axes",)):
    return model_of("Reverse-1", {"mode": mode}, data, axes, shapes=shapes, fixed=fixed)


def sequence_of(data, batch, seq, dtype, shapes, constant):
    lengths = (np.arange(data.shape[batch]) % (data.shape[seq] + 1)).astype(dtype)
    axes, fixed = {"batch_axis": str(batch), "seq_axis": str(seq)}, ("seq_lengths",) * constant
    return model_of("ReverseSequence-1", axes, data, lengths, shapes=shapes, fixed=fixed)


MAKERS = {
    "Reverse": (reverse_of, reverse_cases),
    "Reverse at run time": (partial(reverse_of, fixed=()), run_time_cases),
    "ReverseSequence": (sequence_of, sequence_cases),
}
CASES = [
    pytest.param(partial(make, *case), id=f"{op}, {name}")
    for op, (make, cases) in MAKERS.items()
    for name, *case in cases()
]


def is_faulty(path, model, inputs):
    """Whether OpenVINO goes wrong by these elements and shapes, see irops.backends: strings make it abort;
    axes without elements end with 'ptr is Null', or are an input that its reader drops; its reader of ONNX
    folds lengths of nothing into the graph.
    """
    empty = [array.size == 0 for array in inputs]
    folds = path.suffix == ".onnx" and model.layer("subject").type == "ReverseSequence"
    return any(array.dtype == object for array in inputs) or any(empty[1:]) or (folds and any(empty))


RUNS = (
    ("openvino", "source.xml"),
    ("openvino", "there.onnx"),
    ("openvino", "back.xml"),
    ("onnxruntime", "there.onnx"),
)
"""Runtimes, and the files that they are asked about."""


def results(model, inputs):
    return [*irops.run(model, inputs, backends=("reference",)).values()]


def translate_there_and_back(source, folder, runtimes):
    irops.write(irops.translate(source, "onnx"), folder / "there.onnx")
    assert runtimes.run("checker", folder / "there.onnx", []) == []
    irops.write(irops.translate(irops.read(folder / "there.onnx"), "openvino"), folder / "back.xml")


@pytest.mark.slow("real runtimes")
@pytest.mark.parametrize("make", CASES)
def test_irops_and_both_runtimes_agree_on_source_and_translation(make, runtimes, tmp_path):
    model, inputs = make()
    irops.write(model, tmp_path / "source.xml")
    want = results(model, inputs)
    if any(layer.data.get("shape") == "..." for layer in model.layers):
        with pytest.raises(irops.DiagnosticError, match="its rank is unknown, but ONNX requires the rank of"):
            irops.translate(model, "onnx")
        return
    translate_there_and_back(model, tmp_path, runtimes)
    for name in ("there.onnx", "back.xml"):
        translated = irops.read(tmp_path / name)
        assert irops.check(translated).errors == ()
        assert all(map(same_bits, results(translated, inputs), want))
    for runtime, name in RUNS:
        path = tmp_path / name
        if runtime == "onnxruntime" or not is_faulty(path, model, inputs):
            found = runtimes.run(runtime, path, inputs)
            assert all(map(same_bits, found, want)), f"{runtime} on {name}"


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, *case in run_time_cases()])
def test_axes_that_are_known_only_at_run_time_are_translated(case, tmp_path):
    import onnx

    model, inputs = reverse_of(*case, fixed=())
    want = results(model, inputs)
    irops.write(irops.translate(model, "onnx"), tmp_path / "there.onnx")
    assert irops.check(tmp_path / "there.onnx").errors == ()
    (result,) = onnx.load(tmp_path / "there.onnx").graph.output
    assert len(result.type.tensor_type.shape.dim) == inputs[0].ndim
    assert all(map(same_bits, results(tmp_path / "there.onnx", inputs), want))


@pytest.mark.parametrize(
    ("dtype", "opset", "casts"),
    [
        (ml_dtypes.bfloat16, 18, 2),
        (ml_dtypes.bfloat16, 28, 0),
        (ml_dtypes.float8_e5m2, 19, 2),
        (ml_dtypes.float8_e4m3fn, 19, 2),
    ],
)
def test_types_that_the_op_does_not_accept_are_cast(dtype, opset, casts, tmp_path):
    model, inputs = sequence_of(np.array([[1, -2], [0, 448]], dtype), 0, 1, np.int64, {}, False)
    there = irops.translate(model, "onnx", opset=opset)
    assert sum(layer.type == "Cast" for layer in there.layers) == casts
    assert all(map(same_bits, results(there, inputs), results(model, inputs)))


def onnx_cases():
    for dtype in (*TYPES[:-1], object):
        yield f"data {np.dtype(dtype)}", dtype, {"batch_axis": "0", "time_axis": "1"}, {}, False
    for attributes in ({}, {"batch_axis": "1"}, {"time_axis": "0"}, {"batch_axis": "0", "time_axis": "1"}):
        named = {"input": "rows,columns,?", "sequence_lens": "lens"}
        yield f"said {attributes}", np.float32, attributes, named, False
        yield f"said {attributes}, constant lengths", np.float32, attributes, {}, True


@pytest.mark.parametrize(
    ("dtype", "attributes", "shapes", "constant"),
    [pytest.param(*case, id=name) for name, *case in onnx_cases()],
)
def test_models_of_onnx_give_the_same_on_both_runtimes_there_and_back(
    dtype, attributes, shapes, constant, runtimes, tmp_path
):
    data = data_of(3).astype(str).astype(object) if dtype is object else data_of(3, dtype)
    batch = int(attributes.get("batch_axis", 1))
    lengths = np.arange(data.shape[batch])
    fixed = ("sequence_lens",) * constant
    model, inputs = model_of("onnx:ReverseSequence-10", attributes, data, lengths, shapes=shapes, fixed=fixed)
    irops.write(model, tmp_path / "source.onnx")
    irops.write(irops.translate(model, "openvino"), tmp_path / "there.xml")
    irops.write(irops.translate(irops.read(tmp_path / "there.xml"), "onnx"), tmp_path / "back.onnx")
    want = results(model, inputs)
    for runtime, name in (
        ("onnxruntime", "source.onnx"),
        ("openvino", "source.onnx"),
        ("openvino", "there.xml"),
        ("onnxruntime", "back.onnx"),
    ):
        if runtime == "onnxruntime" or not is_faulty(tmp_path / name, model, inputs):
            found = runtimes.run(runtime, tmp_path / name, inputs)
            assert all(map(same_bits, found, want)), f"{runtime} on {name}"


def test_onnx_runtime_refuses_a_length_of_1_where_there_is_no_step(runtimes, tmp_path):
    model, inputs = model_of("ReverseSequence-1", {}, np.zeros((2, 0), np.float32), np.ones(2, np.int64))
    irops.write(irops.translate(model, "onnx"), tmp_path / "there.onnx")
    assert irops.run(irops.read(tmp_path / "there.onnx"), inputs)["result"].shape == (2, 0)
    with pytest.raises(DeclinedError, match="Invalid sequence length"):
        runtimes.run("onnxruntime", tmp_path / "there.onnx", inputs)


def test_axes_that_a_file_leaves_to_defaults_are_written_out_since_defaults_are_opposite():
    data, lengths = np.zeros((2, 2), np.float32), np.array([2, 2])
    there = irops.translate(model_of("ReverseSequence-1", {}, data, lengths)[0], "onnx")
    assert there.layer("subject").data == {"batch_axis": "0", "time_axis": "1"}
    other = model_of("onnx:ReverseSequence-10", {}, data, lengths)[0]
    assert irops.translate(other, "openvino").layer("subject").data == {"batch_axis": "1", "seq_axis": "0"}


def test_lengths_of_another_type_are_cast_and_constant_ones_converted():
    given = "ReverseSequence-1", {}, np.zeros((2, 2), np.float32), np.array([1, 2], np.int32)
    cast = irops.translate(model_of(*given)[0], "onnx")
    types = " ".join(layer.type for layer in cast.layers)
    assert types == "Parameter Parameter Cast ReverseSequence Result"
    assert cast.layer("subject/seq_lengths").data == {"to": "i64"}
    constant = irops.translate(model_of(*given, fixed=("seq_lengths",))[0], "onnx")
    assert constant.layer("subject/seq_lengths").data["element_type"] == "i64"


def test_a_reverse_is_a_slice_with_steps_of_minus_1():
    model, _ = reverse_of(data_of(3), np.array([-1, 0, 2]), "index", {})
    there = irops.translate(model, "onnx")
    lists = {
        layer.name.rpartition("/")[2]: irops.infer(there)[layer.name, 0].value.tolist()
        for layer in there.layers
        if "/" in layer.name
    }
    assert there.layer("subject").type == "Slice"
    assert lists == {"starts": [-1, -1], "ends": [-(2**63), -(2**63)], "axes": [0, 2], "steps": [-1, -1]}

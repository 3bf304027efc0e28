"""irops.convert: what is changed, what stays, and what is refused."""

import warnings

import numpy as np
import pytest
from hostile_models import net as text_of, parameter, result

import irops
from irops.analysis.model_analysis import analyse
from irops.editing.conversion.convert import converted

DATA = np.array([[1, 5, 2], [7, 0, 3]], np.float32)


def made(build, **options):
    """A model with one input x f32[2,3] and one result y."""
    g = irops.Graph("made", **options)
    g.result(build(g, g.parameter("x", "f32[2,3]")), "y")
    return g.model()


def y(model, data=DATA):
    result = irops.run(model, {"x": data})["y"]
    return [result.dtype, result.shape, result.tobytes()]


def ops(model):
    """The ops other than inputs, constants and results."""
    frame = ("Parameter", "Const", "Result")
    return [f"{one.type}-{one.version[5:]}" for _, one in model.walk() if one.type not in frame]


def reasons(model, target):
    with pytest.raises(irops.DiagnosticError) as raised:
        irops.convert(model, target)
    assert {finding.code for finding in raised.value.diagnostics} == {"IR947"}
    return [finding.message for finding in raised.value.diagnostics]


def test_only_the_lines_of_converted_layers_change(tmp_path):
    model = made(lambda g, x: g.ops.ReLU(g.add("SoftMax-8", x, axis=-1, name="softmax")))
    irops.write(model, tmp_path / "new.xml")
    irops.write(irops.convert(tmp_path / "new.xml", "opset:7"), tmp_path / "old.xml")
    lines = [(tmp_path / name).read_text().splitlines() for name in ("new.xml", "old.xml")]
    changed = [pair for pair in zip(*lines, strict=True) if pair[0] != pair[1]]
    expected = ['<layer id="1" name="softmax" type="SoftMax" version="opset1">', '<data axis="1" />']
    assert [old.strip() for _, old in changed] == expected


def test_a_layer_of_a_newer_opset_gets_the_opset_that_brought_its_op():
    model = made(lambda g, x: g.ops.ReLU(x))
    next(layer for layer in model.layers if layer.type == "ReLU").version = "opset15"
    older = irops.convert(model, "2023.0")
    assert ops(older) == ["ReLU-1"]
    assert irops.check(older, target="2023.0").ok


def test_the_model_itself_stays_as_it_was():
    model = made(lambda g, x: g.add("SoftMax-8", x, axis=1))
    irops.convert(model, "opset:7")
    assert ops(model) == ["SoftMax-8"]


def test_a_decomposed_layer_gives_its_name_to_the_last_and_rounding_is_warned_of(net):
    attention = "attention: ScaledDotProductAttention-opset13 q k v causal=true; y: Result attention"
    model = net("q: f32[1,2,?,4]; k: f32[1,2,?,4]; v: f32[1,2,?,4]", attention)
    with pytest.warns(irops.ConversionWarning, match='divided by their sum .*"attention"'):
        older = irops.convert(model, "2023.0")
    assert irops.check(older, target="2023.0").ok
    assert older.layer("attention").type == "MatMul"
    rng = np.random.default_rng(0)
    inputs = {name: rng.standard_normal((1, 2, 5, 4), np.float32) for name in ("q", "k", "v")}
    a, b = (irops.run(each, inputs)["y"] for each in (model, older))
    assert np.allclose(a, b, rtol=1e-5)


def test_bodies_are_converted():
    body = irops.Graph("body")
    row = body.parameter("row", "f32[1,3]")
    body.result(body.add("SoftMax-8", row, axis=-1), "weights")
    model = made(
        lambda g, x: g.TensorIterator(body, {"row": g.sliced(x, axis=0)}, [g.stacked("weights", axis=0)])[0]
    )
    older = irops.convert(model, "opset:7")
    assert ops(older) == ["TensorIterator-1", "SoftMax-1"]
    assert y(older) == y(model)


def test_an_identity_is_removed_and_one_that_gives_a_result_becomes_a_convert():
    inner = made(lambda g, x: g.ops.ReLU(g.ops.Identity(x)))
    outer = made(lambda g, x: g.ops.Identity(g.ops.ReLU(x)))
    assert ops(irops.convert(inner, "2025.0")) == ["Identity-16", "ReLU-1"]
    for model, left in ((inner, ["ReLU-1"]), (outer, ["ReLU-1", "Convert-1"])):
        older = irops.convert(model, "2024.0")
        assert ops(older) == left
        assert y(older) == y(model)


def test_nodes_that_a_step_adds_are_converted_too():
    model = made(lambda g, x: g.add("Pad-12", x, [0, -1], [1, 0], pad_mode="edge"))
    assert ops(irops.convert(model, "2023.0"))[-1] == "Slice-8"
    (reason,) = reasons(model, "opset:7")
    assert "pads_begin may be negative" in reason


def test_all_layers_without_an_older_form_are_named_with_reasons(tmp_path):
    model = made(lambda g, x: g.ops.Inverse(g.ops.ErfInv(x) @ np.zeros((3, 2), np.float32), adjoint=False))
    irops.write(model, tmp_path / "m.xml")
    with pytest.raises(irops.DiagnosticError) as raised:
        irops.convert(tmp_path / "m.xml", "2023.0")
    found = raised.value.diagnostics
    assert [finding.location.layer_name for finding in found] == ["ErfInv_0", "Inverse_0"]
    for finding in found:
        assert "OpenVINO 2023.0 does not read: irops has no form of it in older ops" in finding.message
        line = (tmp_path / "m.xml").read_text().splitlines()[finding.location.line - 1]
        assert line[finding.location.column - 1 :].startswith("version=")


def test_an_attribute_that_the_older_version_does_not_have_is_a_reason():
    model = made(
        lambda g, x: g.add("TopK-11", x, 1, axis=1, mode="max", sort="value", stable=True, name="top")[0]
    )
    (reason,) = reasons(model, "opset:10")
    assert reason.endswith(
        '"top" (TopK) is TopK of opset11, which opset10 does not read: it has stable=true; '
        "TopK-3 computes as with false"
    )


def test_newest_brings_ops_to_their_newest_version_and_a_release_does_not():
    model = made(lambda g, x: g.add("SoftMax-1", x, axis=1))
    assert ops(irops.convert(model, "2026.4")) == ["SoftMax-1"]
    for newer in (irops.convert(model, "newest"), irops.convert(model, "2023.0", upgrade=True)):
        assert ops(newer) == ["SoftMax-8"]
        assert y(newer) == y(model)
    assert ops(irops.convert(model, "newest", upgrade=False)) == ["SoftMax-1"]
    assert ops(irops.convert(model, "opset:7", upgrade=True)) == ["SoftMax-1"]


@pytest.mark.parametrize(
    "element_type", ["u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0"]
)
@pytest.mark.parametrize("wanted", ["f32", "f16"])
def test_a_constant_of_a_newer_type_is_stored_in_an_older_one(element_type, wanted):
    codes = np.array([0, 1, 2, 3, 3, 1], np.uint8) if element_type[0] in "uni" else [0.5, 1, 2, 4, 4, 1]

    def build(g, x):
        packed = g.constant(codes, element_type=element_type)
        shaped = g.ops.Reshape(packed, [2, 3], special_zero=False)
        return g.ops.Convert(x, destination_type=wanted) + g.ops.Convert(shaped, destination_type=wanted)

    model = made(build)
    older = irops.convert(model, "2023.0")
    assert irops.check(older, target="2023.0").ok
    assert y(older) == y(model)


def test_a_constant_that_the_type_of_its_convert_rounds_is_noted():
    codes = np.arange(6, dtype=np.uint8).reshape(2, 3)
    model = made(
        lambda g, x: (
            g.ops.Convert(x, destination_type="f16")
            + g.ops.Convert(g.constant(codes, element_type="nf4"), destination_type="f16")
        )
    )
    with pytest.warns(irops.ConversionWarning, match="the elements are rounded to f16"):
        irops.convert(model, "2023.0")


def test_a_constant_whose_type_a_result_shows_is_refused():
    g = irops.Graph("shown")
    g.result(g.constant(np.array([1, 2], np.uint8), "c", element_type="u2"), "y")
    (reason,) = reasons(g.model(), "2024.0")
    assert (
        'it has the element type u2, and "Result_0" (Result) is a result' in reason or "is a result" in reason
    )


def test_axes_of_a_newer_type_become_i64():
    model = made(lambda g, x: g.add("Squeeze-1", g.ops.Unsqueeze(x, 0), np.array([0.0])))
    older = irops.convert(model, "2023.0")
    assert irops.check(older, target="2023.0").ok
    assert y(older) == y(model)


def test_a_variable_without_initial_value_gets_zeros(net):
    read = "x: f32[2,3]; read: ReadValue-opset6 variable_id=v variable_type=f32 variable_shape=2,3"
    model = net(read, "sum: Add x read; kept: Assign-opset6 sum variable_id=v; y: Result kept")
    older = irops.convert(model, "2023.0")
    assert irops.check(older, target="2023.0").ok
    sessions = [irops.Session(each) for each in (model, older)]
    for _ in range(2):
        a, b = (session.run({"x": DATA})["y"] for session in sessions)
        assert a.tobytes() == b.tobytes()


def test_a_short_file_gets_a_comment(tmp_path):
    (tmp_path / "short.xml").write_text(text_of([parameter(), result()], [(0, 0, 1, 0)]))
    irops.write(irops.convert(tmp_path / "short.xml", "2023.0"), tmp_path / "long.xml")
    assert len((tmp_path / "long.xml").read_bytes()) >= 512
    assert irops.check(tmp_path / "long.xml", target="2023.0").ok


def test_the_ir_version_is_changed_where_openvino_keeps_the_types():
    model = made(lambda g, x: g.ops.ReLU(x))
    with pytest.warns(irops.ConversionWarning, match="no output_names"):
        older = irops.convert(model, "2023.0", ir_version=10)
    assert (older.version, irops.convert(older, "2023.0", ir_version=11).version) == (10, 11)
    counted = made(lambda g, x: g.ops.ShapeOf(x, output_type="i64"))
    with pytest.raises(irops.DiagnosticError, match="i64, but OpenVINO reads it as i32 from an IR 10 file"):
        irops.convert(counted, "2023.0", ir_version=10)


def test_what_openvino_changed_in_ir_10_is_noted():
    counted = made(lambda g, x: g.ops.ShapeOf(x, output_type="i64"))
    counted.version = 10
    conversion = converted(analyse(counted), "2023.0", ir_version=11)
    assert conversion.model.version == 11
    assert "as i32 from an IR 10 file; as written from an IR 11 file" in conversion.notes[0]


@pytest.mark.parametrize("target", ["2022.1", "opset:99", "opset0", "", "new", "11"])
def test_an_unknown_target_is_refused_with_the_known_ones(target):
    with pytest.raises(ValueError, match=r"opset:1 to opset:\d+"):
        irops.convert(made(lambda g, x: g.ops.ReLU(x)), target)


def test_a_model_with_errors_is_not_converted():
    model = made(lambda g, x: g.add("SoftMax-8", x, axis=1))
    next(layer for layer in model.layers if layer.type == "SoftMax").data["axis"] = "7"
    with pytest.raises(irops.DiagnosticError, match="only models without errors can be converted"):
        irops.convert(model, "opset:7")


def test_converting_again_changes_nothing():
    model = made(lambda g, x: g.add("Pad-12", x, [0, 1], [1, 0], pad_mode="edge"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        older = irops.convert(model, "2023.0")
    assert converted(analyse(older), "2023.0").changes == ()


def loop(g, x):
    body = irops.Graph("body")
    body.result(body.add("SoftMax-8", body.parameter("row", "f32[1,3]"), axis=-1), "weights")
    return g.TensorIterator(body, {"row": g.sliced(x, axis=0)}, [g.stacked("weights", axis=0)])[0]


def test_a_body_is_found_where_another_layer_has_the_name_of_its_layer():
    model = made(lambda g, x: loop(g, g.add("Abs-1", x)))
    for layer in model.layers:
        if layer.type in ("Abs", "TensorIterator"):
            layer.name = "same"
    older = irops.convert(model, "opset:7")
    assert "opset1" in [layer.version for _, layer in older.walk() if layer.type == "SoftMax"]


def test_bodies_that_cannot_be_distinguished_by_names_are_refused():
    model = made(lambda g, x: loop(g, loop(g, x)))
    for layer in model.layers:
        if layer.type == "TensorIterator":
            layer.name = "same"
    assert all("several layers have the name 'same'" in reason for reason in reasons(model, "opset:7"))


@pytest.mark.parametrize(("stride", "converts"), [(2, True), (3, False)])
def test_ceil_torch_of_unknown_sizes_is_ceil_where_the_last_window_begins_inside(stride, converts, net):
    how = f"kernel=2 strides={stride} pads_begin=0 pads_end=0 exclude-pad=true rounding_type=ceil_torch"
    model = net(f"x: f32[1,1,?]; pooled: AvgPool-opset14 x {how}; y: Result pooled")
    if converts:
        assert ops(irops.convert(model, "opset:13")) == ["AvgPool-1"]
    else:
        assert "depends on unknown sizes" in reasons(model, "opset:13")[0]


@pytest.mark.parametrize(("normalized", "numbers"), [(True, 4), (False, 5)])
def test_the_number_of_classes_follows_from_that_of_prior_boxes(normalized, numbers, net):
    how = f"keep_top_k=3 normalized={normalized} nms_threshold=0.5 confidence_threshold=0.1".lower()
    found = f"found: DetectionOutput-opset8 logits classes priors {how}; y: Result found"
    model = net(f"logits: f32[1,8]; classes: f32[1,6]; priors: f32[1,2,{2 * numbers}]", found)
    older = irops.convert(model, "opset:7")
    assert next(one for one in older.layers if one.type == "DetectionOutput").data["num_classes"] == "3"

"""What inference keeps of the outputs of a layer that is at fault."""

import numpy as np
import pytest

import irops

X = "x: f32[2,3,4]; "


@pytest.mark.parametrize(
    ("layers", "fact", "codes"),
    [
        (X + "op: Reverse x seven mode=index", "f32[2,3,4]", ["IR401"]),
        (X + "op: SoftMax x axis=7", "f32[2,3,4]", ["IR316"]),
        ("x: f32[2,3]; op: Concat x x axis=7", "f32[2..4,3..6]", ["IR316"]),  # what every axis gives
        (X + "op: Reverse x one mode=sideways", "f32[2,3,4]", ["IR315"]),  # shapes do not depend on it
        (X + "op: Reverse x one", "f32[2,3,4]", ["IR312"]),
        (X + "op: Convert x destination_type=f33", "dynamic[...]", ["IR314"]),  # but types do
        ("x: i32[2,3,4]; op: Mish-opset4 x", "dynamic[2,3,4]", ["IR402"]),
        (X + "z: i32[3,1]; op: Add x z", "dynamic[2,3,4]", ["IR403"]),
        (X + "z: i32[5]; op: ReverseSequence x z batch_axis=0 seq_axis=1", "f32[2,3,4]", ["IR401"]),
        (X + "z: f32[2,5,4]; op: Add x z", "f32[...]", ["IR401"]),
        (X + "op: Reverse x seven mode=index; next: Squeeze op seven", "f32[2,3,4]", ["IR401"] * 2),
    ],
)
def test_what_a_fault_leaves_of_the_output(net, layers, fact, codes):
    last = layers.rpartition("; ")[2].partition(":")[0]
    facts = irops.infer(net(layers, f"y: Result {last}", one=np.array([1]), seven=np.array([7])))
    assert (str(facts["op", 0]), [finding.code for finding in facts.diagnostics]) == (fact, codes)


@pytest.mark.parametrize(
    ("kind", "version", "code"),
    [
        ("Planes", "com.example:1", "IR304"),
        ("Planes", "extension", "IR301"),
        ("Planes", "opset1", "IR301"),
        ("Gelu", "opset1", "IR302"),
        ("Planes", "opset99", "IR303"),
    ],
)
def test_declared_outputs_of_an_op_without_definition_hold_behind_it(net, kind, version, code):
    model = net(f"x: u8[?,4]; op: {kind}-{version} x; next: ReLU op; y: Result next")
    (given,), (made,) = model.layer("op").inputs, model.layer("op").outputs
    given.dims, made.dims, made.precision = (-1, 4), (-1, 6), "U8"
    facts = irops.infer(model)
    assert str(facts["next", 0]) == "u8[?,6]"
    assert [finding.code for finding in facts.diagnostics] == [code]
    for given, shape in (("1,4", "u8[?,6]"), ("1,5", "u8[...]")):  # as declared, and not
        assert str(irops.infer(model, {"x": given})["next", 0]) == shape

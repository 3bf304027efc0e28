"""The definitions of ONNX's ops and the table of its opsets say what ONNX's own schemas say."""

from functools import cache

import pytest
from libraries import Late, needs

from irops.dialects.onnx import DIALECT
from irops.dialects.onnx.dialect import FRAME
from irops.dialects.onnx.opsets import onnx_opsets
from irops.dialects.onnx.tensors import NAMES, NUMBERS
from irops.dialects.registry import default_registry
from irops.spec.op import parted

pytestmark = needs("onnx")
onnx, defs = Late("onnx"), Late("onnx.defs")
VERSIONS = [
    version
    for op in default_registry().ids("onnx")
    for version in DIALECT.versions(op)
    if parted(version)[1] not in FRAME
]
FLOATS = ("f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0")
SPELLED = {
    "float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "boolean",
    "float8e4m3fn": "f8e4m3", "float4e2m1": "f4e2m1",
    **{name: name for name in ("string", "complex64", "complex128")},
    **{name.replace("f8", "float8"): name for name in FLOATS},
    **{f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)},
}  # fmt: skip
ABSENT = {"float6e2m3", "float6e3m2"}
"""What irops does not have."""
HELD_OTHERWISE = {"Constant"}
"""Ops whose attributes irops brings into another form."""


@cache
def newest():
    """The newest opset that both the installed ONNX and the table have."""
    return min(defs.onnx_opset_version(), onnx_opsets().last)


@cache
def schemas():
    found = defs.get_all_schemas_with_history()
    return {(s.name, s.since_version): s for s in found if s.domain == "" and s.since_version <= newest()}


def schema_of(op):
    _, name, number = parted(op)
    if number > newest():
        pytest.skip(f"the installed ONNX ends with opset {newest()}")
    return schemas()[name, number]


def types_of(schema, text):
    """The element types that a schema allows for an input or output, as irops spells them."""
    allowed = next((t.allowed_type_strs for t in schema.type_constraints if t.type_param_str == text), [text])
    tensors = {
        kind.removeprefix("tensor(").removesuffix(")") for kind in allowed if kind.startswith("tensor(")
    }
    return {SPELLED[kind] for kind in tensors - ABSENT}


@pytest.mark.parametrize("opset", range(1, onnx_opsets().last + 1))
def test_an_opset_means_the_versions_that_onnx_means(opset):
    if opset > newest():
        pytest.skip(f"the installed ONNX ends with opset {newest()}")
    for name in {name for name, _ in schemas()}:
        try:
            schema = defs.get_schema(name, opset)
            meant = None if schema.deprecated else schema.since_version
        except defs.SchemaError:
            meant = None
        assert onnx_opsets().version(name, opset) == meant, name


@pytest.mark.parametrize("op", VERSIONS)
def test_a_definition_takes_the_inputs_and_types_of_the_schema(op):
    schema, definition = schema_of(op), default_registry().op(op).definition
    assert [p.name for p in definition.inputs] == [p.name for p in schema.inputs]
    assert [p.name for p in definition.outputs] == [p.name for p in schema.outputs]
    for ours, theirs in zip(definition.inputs, schema.inputs):
        assert ours.allowed == types_of(schema, theirs.type_str), ours.name
        assert ours.optional == (theirs.option == defs.OpSchema.FormalParameterOption.Optional)
        assert ours.variadic == (theirs.option == defs.OpSchema.FormalParameterOption.Variadic)


@pytest.mark.parametrize("op", [v for v in VERSIONS if parted(v)[1] not in HELD_OTHERWISE])
def test_a_definition_has_the_attributes_of_the_schema(op):
    schema, definition = schema_of(op), default_registry().op(op).definition
    assert set(definition.attributes) == set(schema.attributes)
    for name, attribute in definition.attributes.items():
        theirs = schema.attributes[name]
        assert attribute.required == theirs.required, name
        default = onnx.helper.get_attribute_value(theirs.default_value) if theirs.default_value.type else None
        default = default.decode() if isinstance(default, bytes) else default
        assert (attribute.default and attribute.default.lower()) == (
            None if default is None else str(default)
        ), name


@pytest.mark.parametrize("op", [v for v in VERSIONS if parted(v)[1] == "Cast"])
def test_cast_gives_the_types_of_the_schema(op):
    to = default_registry().op(op).definition.attributes["to"]
    assert set(to.values) == types_of(schema_of(op), "T2")


def test_the_numbers_of_element_types_are_onnxs():
    numbers = {SPELLED.get(name.lower(), name): number for name, number in onnx.TensorProto.DataType.items()}
    assert {NAMES[number] for number in NAMES} == set(NUMBERS)
    for name, number in numbers.items():
        spelled = {"float16": "f16", "bfloat16": "bf16"}.get(name.lower(), name)
        if spelled in NUMBERS:
            assert NUMBERS[spelled] == number

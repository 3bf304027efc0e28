"""Ops of the other domains of ONNX: what files hold of them, and what ONNX Runtime's schemas state."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from libraries import Late, needs

import irops
from irops.dialects import dialect_named
from irops.dialects.onnx.library import NAMES
from irops.dialects.onnx.read import of_proto
from irops.registry import default_registry
from irops.spec.domains import default_of
from irops.spec.op_names import parted

pytestmark = needs("onnx")
onnx = Late("onnx")
F, STRING, INT64 = 1, 8, 7  # of TensorProto
DOMAINS = ("microsoft", "microsoft_nchwc")
LEARNING = "ai.onnx.ml"


def test_an_op_of_an_unknown_domain_is_a_warning_and_its_declared_outputs_are_used(saved, proto):
    helper = onnx.helper
    nodes = [
        helper.make_node("Odd", ["x"], ["h"], domain="org.example"),
        helper.make_node("Relu", ["h"], ["y"]),
    ]
    model = proto(nodes, {"x": (F, [2])}, {"y": (F, ["n"])}, domains={"org.example": 1})
    model.graph.value_info.append(helper.make_tensor_value_info("h", F, [5, 3]))
    facts = irops.infer(of_proto(model))
    assert [(d.severity, d.code) for d in facts.diagnostics] == [("warning", "IR304")]
    assert str(facts["y", 0]) == "f32[5,3]"


@pytest.mark.parametrize("labels", [["a, b", 'c "d"', "", " e"], ["plain", "words", "of", "four"]])
def test_labels_keep_their_commas_quotes_and_blanks(saved, labels):
    node = onnx.helper.make_node("ZipMap", ["x"], ["z"], domain=LEARNING, classlabels_strings=labels)
    path = saved([node], {"x": (F, ["n", 4])}, {}, domains={LEARNING: 3})
    model = onnx.load(str(path))
    model.graph.output.add(name="z")
    onnx.save(model, str(path))
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    assert irops.run(path, {"x": x})["z"] == [dict(zip(labels, row.tolist())) for row in x]


def test_rows_become_maps_and_maps_become_rows(saved):
    helper = onnx.helper
    vector = helper.make_node(
        "DictVectorizer", ["m"], ["y"], domain=LEARNING, string_vocabulary=["b", "c", "a"]
    )
    cast = helper.make_node("CastMap", ["k"], ["v"], domain=LEARNING, map_form="SPARSE", max_map=4)
    path = saved([vector, cast], {}, {"y": (F, [1, 3]), "v": (F, [1, 4])}, domains={LEARNING: 1})
    model = onnx.load(str(path))
    for name, key in (("m", STRING), ("k", INT64)):
        kind = helper.make_map_type_proto(key, helper.make_tensor_type_proto(F, []))
        model.graph.input.append(helper.make_value_info(name, kind))
    onnx.save(model, str(path))
    results = irops.run(path, {"m": {"a": 1.5, "c": 2.0, "d": 9.0}, "k": {3: 0.5, 0: -1.0}})
    assert results["y"].tolist() == [[0, 2, 1.5]]
    assert results["v"].tolist() == [[-1, 0, 0, 0.5]]


def test_tensors_in_attributes_are_read_and_survive_a_change(saved, tmp_path):
    tensor = onnx.numpy_helper.from_array
    node = onnx.helper.make_node(
        "LabelEncoder",
        ["x"],
        ["y"],
        domain=LEARNING,
        keys_tensor=tensor(np.array(["b", "a,c"], object), "keys"),
        values_tensor=tensor(np.array([5, -7], np.int16), "values"),
        default_tensor=tensor(np.array([1], np.int16), "default"),
    )
    path = saved([node], {"x": (STRING, [3])}, {"y": (5, [3])}, domains={LEARNING: 4})
    model = irops.read(path)
    x = np.array(["a,c", "b", "d"], object)
    assert irops.run(model, {"x": x})["y"].tolist() == [-7, 5, 1]
    layer = next(layer for layer in model.layers if layer.type == "LabelEncoder")
    layer.data["values_tensor"] = "i16[2] 8,9"
    irops.write(model, tmp_path / "changed.onnx")
    assert irops.run(tmp_path / "changed.onnx", {"x": x})["y"].tolist() == [9, 8, 1]
    onnx.checker.check_model(onnx.load(str(tmp_path / "changed.onnx")))


def test_an_op_is_called_by_its_id():
    assert irops.call("microsoft:QuickGelu", np.zeros(2, np.float32)).tolist() == [0, 0]
    assert irops.definition("onnx_ml:treeensemble").id == "onnx_ml:TreeEnsemble-5"


# The facts of ONNX Runtime's schemas, which its library states.

LIST = """
import json
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema
found = {}
for s in get_all_operator_schema():
    types = {t.type_param_str: t.allowed_type_strs for t in s.type_constraints}
    def ports(some):
        return [(p.name, types.get(p.typeStr, [p.typeStr]), str(p.option).rpartition(".")[2]) for p in some]
    attributes = {n: (a.required, a._default_value.hex()) for n, a in s.attributes.items()}
    found[f"{s.domain}:{s.name}"] = ports(s.inputs), ports(s.outputs), attributes
print(json.dumps(found))
"""
TYPES = {
    "float": "f32",
    "double": "f64",
    "float16": "f16",
    "bool": "boolean",
    "float8e4m3fn": "f8e4m3",
    "float8e4m3fnuz": "f8e4m3fnuz",
    "float8e5m2": "f8e5m2",
    "float8e5m2fnuz": "f8e5m2fnuz",
    "float4e2m1": "f4e2m1",
    "bfloat16": "bf16",
    **{f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)},
}


@cache
def schemas():
    pytest.importorskip("onnxruntime")
    done = subprocess.run([sys.executable, "-c", LIST], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def types_of(allowed):
    names = {kind.removeprefix("tensor(").removesuffix(")") for kind in allowed if kind.startswith("tensor(")}
    return {TYPES.get(name, name) for name in names}


@pytest.mark.parametrize("op", [op for domain in DOMAINS for op in default_registry().ids(domain)])
def test_a_definition_states_what_the_schema_states(op):
    definition = default_registry().op(op).definition
    domain = dialect_named(parted(op)[0]).domain
    if f"{domain}:{definition.type}" not in schemas():
        pytest.skip(f"the installed ONNX Runtime has no {definition.type}")
    inputs, outputs, attributes = schemas()[f"{domain}:{definition.type}"]
    for ours, theirs in zip((definition.inputs, definition.outputs), (inputs, outputs)):
        assert [port.name for port in ours] == [name for name, _, _ in theirs]
        for port, (name, allowed, option) in zip(ours, theirs):
            assert port.allowed == types_of(allowed), name
            assert (port.optional, port.variadic) == (option == "Optional", option == "Variadic"), name
    assert set(definition.attributes) == set(attributes)
    for name, (required, default) in attributes.items():
        attribute, value = definition.attributes[name], default_value(bytes.fromhex(default))
        assert attribute.required == required, name
        if value is None:
            assert attribute.default is None, name
        elif isinstance(value, float):
            assert np.float32(default_of(attribute)) == np.float32(value), name
        else:
            assert default_of(attribute) == value, name


def default_value(stored):
    proto = onnx.AttributeProto.FromString(stored)
    if not proto.type:
        return None
    value = onnx.helper.get_attribute_value(proto)
    return value.decode() if isinstance(value, bytes) else value


def test_the_names_of_element_types_are_irops_own():
    assert set(TYPES.values()) <= set(NAMES.values())


# What ONNX Runtime writes when it optimizes a network.

OPTIMIZE = """
import sys
import numpy as np
import onnxruntime as ort
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
options.optimized_model_filepath = sys.argv[2]
session = ort.InferenceSession(sys.argv[1], options)
np.save(sys.argv[3], session.run(None, {"x": np.load(sys.argv[4])})[0])
"""


def test_a_network_that_onnx_runtime_optimized_gives_the_same(saved, tmp_path):
    pytest.importorskip("onnxruntime")
    helper, random = onnx.helper, np.random.default_rng(3)
    weights = {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in {"W": (4, 3, 3, 3), "B": (4,), "M": (16, 8), "C": (8,)}.items()
    }
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()]
    nodes = [
        helper.make_node("Conv", ["x", "W", "B"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("LeakyRelu", ["a"], ["b"], alpha=0.2),
        helper.make_node("Flatten", ["b"], ["f"], axis=2),
        helper.make_node("MatMul", ["f", "M"], ["m"]),
        helper.make_node("Add", ["m", "C"], ["s"]),
        helper.make_node("Gelu", ["s"], ["y"]),
    ]
    path = saved(nodes, {"x": (F, [1, 3, 4, 4])}, {"y": (F, ["n", "k"])}, constants, opset=20, ir_version=10)
    x = random.normal(size=(1, 3, 4, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    names = [str(tmp_path / name) for name in ("optimized.onnx", "y.npy", "x.npy")]
    subprocess.run([sys.executable, "-c", OPTIMIZE, str(path), *names], check=True, capture_output=True)
    optimized = onnx.load(names[0])
    assert "com.microsoft" in {node.domain for node in optimized.graph.node}
    assert not irops.check(names[0]).errors
    assert np.allclose(irops.run(names[0], {"x": x})["y"], np.load(names[1]), rtol=1e-4, atol=1e-5)


def test_keys_and_values_of_unlike_sizes_are_no_output(saved):
    def path(*outputs):
        sizes = {"num_heads": 2, "qkv_hidden_sizes": [4, 4, 6]}
        node = onnx.helper.make_node("Attention", ["x", "w", "b"], outputs, domain="com.microsoft", **sizes)
        inputs = {"x": (F, [1, 3, 4]), "w": (F, [4, 14]), "b": (F, [14])}
        results = {name: (F, [f"{name}{k}" for k in range(rank)]) for name, rank in zip(outputs, (3, 5))}
        return saved([node], inputs, results, domains={"com.microsoft": 1})

    arrays = {"x": np.ones((1, 3, 4), "f"), "w": np.ones((4, 14), "f"), "b": np.zeros(14, "f")}
    assert irops.run(path("y"), arrays)["y"].shape == (1, 3, 6)
    with pytest.raises(irops.DiagnosticError, match=r"output 1 of .* is used; its op gives 1 output"):
        irops.run(path("y", "present"), arrays)

"""ONNX files that are damaged, lie, or reach for what is not theirs: made by changing one small model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from libraries import Late

onnx, helper = Late("onnx"), Late("onnx.helper")
Edit = Callable[[Any], None]
EDITS: dict[str, Edit] = {}
FLOAT, INT64, STRING, BOOL = 1, 7, 8, 9  # of TensorProto


class Hostile(NamedTuple):
    """A file. finding: "error IR913 ir_version": severity, code and place of what must be found, or "" where
    nothing is wrong; bytes: the range that the finding has, where no part of the model can be compared.
    """

    content: bytes
    finding: str
    bytes: tuple[int, int] | None = None


def sound() -> Any:
    """The model that the others are made of."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="n0"),
        helper.make_node("Add", ["a", "w"], ["b"], name="n1"),
        helper.make_node("Transpose", ["b"], ["y"], name="n2", perm=[1, 0]),
    ]
    x, y = (helper.make_tensor_value_info(name, FLOAT, dims) for name, dims in (("x", [2, 3]), ("y", [3, 2])))
    graph = helper.make_graph(nodes, "g", [x], [y], [helper.make_tensor("w", FLOAT, [3], [1.0, 2.0, 3.0])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def edit(name: str) -> Callable[[Edit], Edit]:
    def keep(change: Edit) -> Edit:
        EDITS[name] = change
        return change

    return keep


def domain_of_functions(model: Any, *functions: Any, called: str = "") -> None:
    """Add functions of the domain d; called: the one that the first node becomes a call of."""
    model.functions.extend(functions)
    model.opset_import.append(helper.make_opsetid("d", 1))
    if called:
        model.graph.node[0].op_type, model.graph.node[0].domain = called, "d"


def function(name: str, nodes: list[Any], inputs: tuple[str, ...] = ("a",), opset: int = 18) -> Any:
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("d", 1)]
    return helper.make_function("d", name, list(inputs), ["b"], nodes, imports)


def with_if(model: Any, body: Any, place: int = 3) -> None:
    """Add an If whose branches are one body."""
    model.graph.initializer.append(helper.make_tensor("c", BOOL, [], [1]))
    node = helper.make_node("If", ["c"], ["r"], then_branch=body, else_branch=body)
    model.graph.node.insert(place, node)


def branch(source: str, name: str = "bb") -> Any:
    out = helper.make_tensor_value_info(name, FLOAT, [2, 3])
    return helper.make_graph([helper.make_node("Relu", [source], [name])], "t", [], [out])


@edit("ir0")
def _(m: Any) -> None:
    m.ir_version = 0


@edit("ir_absent")
def _(m: Any) -> None:
    m.ClearField("ir_version")


@edit("ir99")
def _(m: Any) -> None:
    m.ir_version = 99


@edit("ir_neg")
def _(m: Any) -> None:
    m.ir_version = -5


@edit("ir1")
def _(m: Any) -> None:
    m.ir_version = 1


@edit("ir2")
def _(m: Any) -> None:
    m.ir_version = 2


@edit("ir3_inits_not_inputs")
def _(m: Any) -> None:
    m.ir_version = 3


@edit("ir4_op18")
def _(m: Any) -> None:
    m.ir_version = 4


@edit("noimports")
def _(m: Any) -> None:
    del m.opset_import[:]


@edit("dupimport_same")
def _(m: Any) -> None:
    m.opset_import.append(helper.make_opsetid("", 18))


@edit("dupimport_other")
def _(m: Any) -> None:
    m.opset_import.append(helper.make_opsetid("", 17))


@edit("dupimport_aionnx")
def _(m: Any) -> None:
    m.opset_import.append(helper.make_opsetid("ai.onnx", 17))


@edit("opset99")
def _(m: Any) -> None:
    m.opset_import[0].version = 99


@edit("opset0")
def _(m: Any) -> None:
    m.opset_import[0].version = 0


@edit("opset_neg")
def _(m: Any) -> None:
    m.opset_import[0].version = -1


@edit("opset_huge")
def _(m: Any) -> None:
    m.opset_import[0].version = 2**62


@edit("foreign_import_huge")
def _(m: Any) -> None:
    m.opset_import.append(helper.make_opsetid("zzz", 2**62))


@edit("metadup")
def _(m: Any) -> None:
    for v in "ab":
        e = m.metadata_props.add()
        e.key = "k"
        e.value = v


@edit("gname")
def _(m: Any) -> None:
    m.graph.name = ""


@edit("input_noname")
def _(m: Any) -> None:
    m.graph.input.add().CopyFrom(helper.make_tensor_value_info("", 1, [2]))


@edit("input_dup")
def _(m: Any) -> None:
    m.graph.input.append(m.graph.input[0])


@edit("input_notype")
def _(m: Any) -> None:
    m.graph.input[0].ClearField("type")


@edit("input_noelem")
def _(m: Any) -> None:
    m.graph.input[0].type.tensor_type.ClearField("elem_type")


@edit("input_type99")
def _(m: Any) -> None:
    m.graph.input[0].type.tensor_type.elem_type = 99


@edit("unused_input_type99")
def _(m: Any) -> None:
    m.graph.input.append(helper.make_tensor_value_info("q", 99, [2]))


@edit("dim_neg")
def _(m: Any) -> None:
    m.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -2


@edit("dim_huge")
def _(m: Any) -> None:
    m.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 2**62


@edit("output_notype")
def _(m: Any) -> None:
    m.graph.output[0].ClearField("type")


@edit("output_noelem")
def _(m: Any) -> None:
    m.graph.output[0].type.tensor_type.ClearField("elem_type")


@edit("output_dup")
def _(m: Any) -> None:
    m.graph.output.append(m.graph.output[0])


@edit("output_missing")
def _(m: Any) -> None:
    m.graph.output[0].name = "zz"


@edit("output_noname")
def _(m: Any) -> None:
    m.graph.output[0].name = ""


@edit("no_outputs")
def _(m: Any) -> None:
    del m.graph.output[:]


@edit("output_is_input")
def _(m: Any) -> None:
    m.graph.output.append(m.graph.input[0])


@edit("output_is_init")
def _(m: Any) -> None:
    m.graph.output.append(helper.make_tensor_value_info("w", 1, [3]))


@edit("output_type_lies")
def _(m: Any) -> None:
    m.graph.output[0].type.tensor_type.elem_type = 7


@edit("output_shape_lies")
def _(m: Any) -> None:
    m.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 7


@edit("output_rank_lies")
def _(m: Any) -> None:
    m.graph.output[0].type.tensor_type.shape.dim.add().dim_value = 7


@edit("vi_dup")
def _(m: Any) -> None:
    m.graph.value_info.append(helper.make_tensor_value_info("a", 1, [2, 3]))
    m.graph.value_info.append(helper.make_tensor_value_info("a", 1, [2, 3]))


@edit("vi_noname")
def _(m: Any) -> None:
    m.graph.value_info.append(helper.make_tensor_value_info("", 1, [2, 3]))


@edit("vi_type_lies")
def _(m: Any) -> None:
    m.graph.value_info.append(helper.make_tensor_value_info("a", 7, [2, 3]))


@edit("vi_shape_lies")
def _(m: Any) -> None:
    m.graph.value_info.append(helper.make_tensor_value_info("a", 1, [2, 4]))


@edit("vi_nothing")
def _(m: Any) -> None:
    m.graph.value_info.append(helper.make_tensor_value_info("zzz", 1, [2, 4]))


@edit("vi_type99")
def _(m: Any) -> None:
    m.graph.value_info.append(helper.make_tensor_value_info("a", 99, [2, 4]))


@edit("init_noname")
def _(m: Any) -> None:
    m.graph.initializer.append(helper.make_tensor("", 1, [1], [1.0]))


@edit("init_dup")
def _(m: Any) -> None:
    m.graph.initializer.append(m.graph.initializer[0])


@edit("init_type0")
def _(m: Any) -> None:
    m.graph.initializer[0].data_type = 0


@edit("init_type99")
def _(m: Any) -> None:
    m.graph.initializer[0].data_type = 99


@edit("init_dimneg")
def _(m: Any) -> None:
    m.graph.initializer[0].dims[0] = -3


@edit("init_dimhuge")
def _(m: Any) -> None:
    m.graph.initializer[0].dims[0] = 2**62


@edit("init_dimoverflow")
def _(m: Any) -> None:
    m.graph.initializer[0].dims[:] = [2**40] * 4


@edit("init_short")
def _(m: Any) -> None:
    del m.graph.initializer[0].float_data[2:]


@edit("init_long")
def _(m: Any) -> None:
    m.graph.initializer[0].float_data.append(1)


@edit("init_raw_short")
def _(m: Any) -> None:
    t = m.graph.initializer[0]
    del t.float_data[:]
    t.raw_data = b"123456789"


@edit("init_raw_long")
def _(m: Any) -> None:
    t = m.graph.initializer[0]
    del t.float_data[:]
    t.raw_data = b"1234567890123456"


@edit("init_two_fields")
def _(m: Any) -> None:
    t = m.graph.initializer[0]
    t.raw_data = b"123456789012"


@edit("init_wrong_field")
def _(m: Any) -> None:
    t = m.graph.initializer[0]
    del t.float_data[:]
    t.int64_data.extend([1, 2, 3])


@edit("init_other_field_too")
def _(m: Any) -> None:
    t = m.graph.initializer[0]
    t.int64_data.extend([1, 2, 3])


@edit("init_string_raw")
def _(m: Any) -> None:
    t = m.graph.initializer[0]
    del t.float_data[:]
    t.data_type = 8
    t.raw_data = b"123456789012"


@edit("init_no_data")
def _(m: Any) -> None:
    del m.graph.initializer[0].float_data[:]


@edit("init_segment")
def _(m: Any) -> None:
    m.graph.initializer[0].segment.begin = 0
    m.graph.initializer[0].segment.end = 3


@edit("init_loc9")
def _(m: Any) -> None:
    m.graph.initializer[0].MergeFromString(bytes([14 << 3, 9]))


@edit("init_is_node_output")
def _(m: Any) -> None:
    m.graph.initializer.append(helper.make_tensor("a", 1, [2, 3], [0.0] * 6))


@edit("init_and_input_mismatch")
def _(m: Any) -> None:
    m.graph.input.append(helper.make_tensor_value_info("w", 7, [3]))


@edit("init_and_input_shape_mismatch")
def _(m: Any) -> None:
    m.graph.input.append(helper.make_tensor_value_info("w", 1, [4]))


@edit("optype_empty")
def _(m: Any) -> None:
    m.graph.node[0].op_type = ""


@edit("optype_unknown")
def _(m: Any) -> None:
    m.graph.node[0].op_type = "Bogus"


@edit("domain_unknown")
def _(m: Any) -> None:
    m.graph.node[0].domain = "com.x"


@edit("node_noio")
def _(m: Any) -> None:
    m.graph.node.add().op_type = "Relu"


@edit("node_noout")
def _(m: Any) -> None:
    n = m.graph.node.add()
    n.op_type = "Relu"
    n.input.append("x")


@edit("unsorted")
def _(m: Any) -> None:
    a, b, c = [onnx.NodeProto.FromString(n.SerializeToString()) for n in m.graph.node]
    del m.graph.node[:]
    m.graph.node.extend([b, a, c])


@edit("cycle")
def _(m: Any) -> None:
    m.graph.node[0].input[0] = "b"


@edit("selfcycle")
def _(m: Any) -> None:
    m.graph.node[0].input[0] = "a"


@edit("undef_input")
def _(m: Any) -> None:
    m.graph.node[0].input[0] = "q"


@edit("dup_out")
def _(m: Any) -> None:
    m.graph.node[1].output[0] = "a"


@edit("dup_out_same_node")
def _(m: Any) -> None:
    m.graph.node[0].output.append("a")


@edit("out_is_input")
def _(m: Any) -> None:
    m.graph.node.append(helper.make_node("Relu", ["w"], ["x"]))


@edit("dup_node_name")
def _(m: Any) -> None:
    m.graph.node[1].name = "n0"


@edit("too_many_inputs")
def _(m: Any) -> None:
    m.graph.node[0].input.append("w")


@edit("too_few_inputs")
def _(m: Any) -> None:
    del m.graph.node[1].input[1:]


@edit("empty_required_input")
def _(m: Any) -> None:
    m.graph.node[1].input[1] = ""


@edit("too_many_outputs")
def _(m: Any) -> None:
    m.graph.node[0].output.append("zz")


@edit("no_outputs_used")
def _(m: Any) -> None:
    m.graph.node[0].output[0] = ""


@edit("attr_noname")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].name = ""


@edit("attr_dup")
def _(m: Any) -> None:
    m.graph.node[2].attribute.append(m.graph.node[2].attribute[0])


@edit("attr_type0")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].ClearField("type")


@edit("attr_type99")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].MergeFromString(bytes([0xA0, 1, 99]))


@edit("attr_type_mismatch")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].type = 1


@edit("attr_two_values")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].f = 1


@edit("attr_unknown")
def _(m: Any) -> None:
    m.graph.node[0].attribute.append(helper.make_attribute("zz", 1))


@edit("attr_kind")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].CopyFrom(helper.make_attribute("perm", "1,0"))


@edit("attr_kind_int")
def _(m: Any) -> None:
    m.graph.node[2].attribute[0].CopyFrom(helper.make_attribute("perm", 1))


@edit("attr_ref_outside")
def _(m: Any) -> None:
    a = m.graph.node[2].attribute[0]
    del a.ints[:]
    a.ref_attr_name = "q"


@edit("softmax_axis_f")
def _(m: Any) -> None:
    n = m.graph.node[0]
    n.op_type = "Softmax"
    n.attribute.append(helper.make_attribute("axis", 1.0))


@edit("elu_alpha_i")
def _(m: Any) -> None:
    n = m.graph.node[0]
    n.op_type = "Elu"
    n.attribute.append(helper.make_attribute("alpha", 1))


@edit("graph_attr_on_relu")
def _(m: Any) -> None:
    m.graph.node[0].attribute.append(helper.make_attribute("body", m.graph))


@edit("constant_two")
def _(m: Any) -> None:
    n = helper.make_node("Constant", [], ["k"], value_int=1, value_float=2.0)
    m.graph.node.append(n)


@edit("constant_none")
def _(m: Any) -> None:
    m.graph.node.append(helper.make_node("Constant", [], ["k"]))


@edit("sparse_bad_index")
def _(m: Any) -> None:
    m.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("s", 1, [2], [1.0, 2.0]), helper.make_tensor("si", 7, [2], [1, 9]), [5]
        )
    )


@edit("sparse_unsorted")
def _(m: Any) -> None:
    m.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("s", 1, [2], [1.0, 2.0]), helper.make_tensor("si", 7, [2], [3, 1]), [5]
        )
    )


@edit("sparse_dupindex")
def _(m: Any) -> None:
    m.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("s", 1, [2], [1.0, 2.0]), helper.make_tensor("si", 7, [2], [1, 1]), [5]
        )
    )


@edit("sparse_huge")
def _(m: Any) -> None:
    m.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("s", 1, [1], [1.0]), helper.make_tensor("si", 7, [1], [1]), [2**50]
        )
    )


@edit("quant_unknown")
def _(m: Any) -> None:
    q = m.graph.quantization_annotation.add()
    q.tensor_name = "zz"


@edit("func_dup")
def _(m: Any) -> None:
    relu = [helper.make_node("Relu", ["a"], ["b"])]
    domain_of_functions(m, function("F", relu), function("F", relu))


@edit("func_unimported")
def _(m: Any) -> None:
    m.functions.append(function("F", [helper.make_node("Relu", ["a"], ["b"])]))


@edit("func_undef_unused")
def _(m: Any) -> None:
    domain_of_functions(m, function("F", [helper.make_node("Relu", ["zz"], ["b"])]))


@edit("func_undef_called")
def _(m: Any) -> None:
    domain_of_functions(m, function("F", [helper.make_node("Relu", ["zz"], ["b"])]), called="F")


@edit("func_rec")
def _(m: Any) -> None:
    domain_of_functions(m, function("F", [helper.make_node("F", ["a"], ["b"], domain="d")]), called="F")


@edit("func_dup_input")
def _(m: Any) -> None:
    domain_of_functions(m, function("F", [helper.make_node("Relu", ["a"], ["b"])], ("a", "a")))


@edit("func_noname")
def _(m: Any) -> None:
    domain_of_functions(m, function("", [helper.make_node("Relu", ["a"], ["b"])]))


@edit("func_wrong_inputs")
def _(m: Any) -> None:
    domain_of_functions(
        m, function("F", [helper.make_node("Add", ["a", "c"], ["b"])], ("a", "c")), called="F"
    )


@edit("if_shadow")
def _(m: Any) -> None:
    with_if(m, branch("x", "b"))


@edit("if_body_missing_tensor")
def _(m: Any) -> None:
    with_if(m, branch("qq"))


@edit("unknown_field")
def _(m: Any) -> None:
    m.MergeFromString(bytes([0xFA, 0x3E, 1, 65]))


@edit("wrong_wire_ir")
def _(m: Any) -> None:
    m.ClearField("ir_version")
    m.MergeFromString(bytes([0x0A, 1, 9]))


@edit("wrong_wire_node")
def _(m: Any) -> None:
    m.graph.MergeFromString(bytes([0x08, 5]))


@edit("string_not_utf8")
def _(m: Any) -> None:
    m.graph.initializer.append(onnx.TensorProto(name="s", data_type=STRING, dims=[1], string_data=[b"\xff"]))


@edit("type_nested_deeply")
def _(m: Any) -> None:
    kind = helper.make_tensor_type_proto(FLOAT, [2])
    for _ in range(40):
        kind = helper.make_sequence_type_proto(kind)
    m.graph.input.append(helper.make_value_info("deep", kind))


@edit("sparse_indices_of_another_type")
def _(m: Any) -> None:
    indices = helper.make_tensor("si", FLOAT, [1], [1.0])
    sparse = onnx.SparseTensorProto(
        values=helper.make_tensor("s", FLOAT, [1], [1.0]), indices=indices, dims=[5]
    )
    m.graph.sparse_initializer.append(sparse)


FINDINGS = {
    "ir0": "warning IR916 ir_version",
    "ir_absent": "error IR913",
    "ir99": "error IR913 ir_version",
    "ir_neg": "warning IR916 ir_version",
    "ir1": "warning IR916 ir_version",
    "ir2": "warning IR916 ir_version",
    "ir3_inits_not_inputs": "warning IR916 graph.initializer[0]",
    "ir4_op18": "",
    "noimports": "error IR903 graph.node[0]",
    "dupimport_same": "",
    "dupimport_other": "warning IR916 opset_import[1]",
    "dupimport_aionnx": "warning IR916 opset_import[1]",
    "opset99": "warning IR904 opset_import[0]",
    "opset0": "error IR915 opset_import[0]",
    "opset_neg": "error IR915 opset_import[0]",
    "opset_huge": "error IR915 opset_import[0]",
    "foreign_import_huge": "",
    "metadup": "warning IR916 metadata_props[0]",
    "gname": "warning IR916 graph",
    "input_noname": "warning IR916 graph.input[1]",
    "input_dup": "error IR906 graph.input[1]",
    "input_notype": "error IR915 graph.input[0]",
    "input_noelem": "error IR915 graph.input[0]",
    "input_type99": "error IR907 graph.input[0]",
    "unused_input_type99": "error IR907 graph.input[1]",
    "dim_neg": "warning IR916 graph.input[0]",
    "dim_huge": 'error IR408 graph.input[0].attribute["shape"]',
    "output_notype": "warning IR916 graph.output[0]",
    "output_noelem": "error IR915 graph.output[0]",
    "output_dup": "warning IR209 graph.output[1]",
    "output_missing": "error IR905 graph.output[0]",
    "output_noname": "error IR205 graph.output[0]",
    "no_outputs": "warning IR201",
    "output_is_input": "",
    "output_is_init": "",
    "output_type_lies": "error IR406",
    "output_shape_lies": "warning IR405",
    "output_rank_lies": "warning IR405",
    "vi_dup": "",
    "vi_noname": "",
    "vi_type_lies": "error IR406",
    "vi_shape_lies": "warning IR405",
    "vi_nothing": "",
    "vi_type99": "error IR907 graph.value_info[0]",
    "init_noname": "warning IR916 graph.initializer[1]",
    "init_dup": "error IR906 graph.initializer[1]",
    "init_type0": "error IR907 graph.initializer[0]",
    "init_type99": "error IR907 graph.initializer[0]",
    "init_dimneg": "error IR908 graph.initializer[0]",
    "init_dimhuge": "error IR908 graph.initializer[0]",
    "init_dimoverflow": "error IR908 graph.initializer[0]",
    "init_short": "error IR908 graph.initializer[0]",
    "init_long": "error IR908 graph.initializer[0]",
    "init_raw_short": "error IR908 graph.initializer[0]",
    "init_raw_long": "error IR908 graph.initializer[0]",
    "init_two_fields": "warning IR916 graph.initializer[0]",
    "init_wrong_field": "error IR908 graph.initializer[0]",
    "init_other_field_too": "warning IR916 graph.initializer[0]",
    "init_string_raw": "error IR908 graph.initializer[0]",
    "init_no_data": "error IR908 graph.initializer[0]",
    "init_segment": "error IR908 graph.initializer[0]",
    "init_loc9": "warning IR916 graph.initializer[0]",
    "init_is_node_output": "error IR906 graph.node[0]",
    "init_and_input_mismatch": "error IR406",
    "init_and_input_shape_mismatch": "error IR917 graph.initializer[0]",
    "optype_empty": "error IR301 graph.node[0].op_type",
    "optype_unknown": "error IR301 graph.node[0].op_type",
    "domain_unknown": "error IR903 graph.node[0]",
    "node_noio": "error IR321 graph.node[3]",
    "node_noout": "error IR322 graph.node[3]",
    "unsorted": "warning IR916 graph.node[0]",
    "cycle": "error IR207 graph.node[0]",
    "selfcycle": "error IR207 graph.node[0]",
    "undef_input": "error IR905 graph.node[0]",
    "dup_out": "error IR906 graph.node[1]",
    "dup_out_same_node": "error IR906 graph.node[0]",
    "out_is_input": "error IR906 graph.node[3]",
    "dup_node_name": "error IR915 graph.node[1]",
    "too_many_inputs": "error IR321 graph.node[0]",
    "too_few_inputs": "error IR321 graph.node[1]",
    "empty_required_input": "error IR321 graph.node[1]",
    "too_many_outputs": "error IR322 graph.node[0]",
    "no_outputs_used": "error IR905 graph.node[1]",
    "attr_noname": 'error IR311 graph.node[2].attribute[""]',
    "attr_dup": 'error IR915 graph.node[2].attribute["perm"]',
    "attr_type0": 'error IR915 graph.node[2].attribute["perm"]',
    "attr_type99": 'warning IR916 graph.node[2].attribute["perm"]',
    "attr_type_mismatch": 'error IR915 graph.node[2].attribute["perm"]',
    "attr_two_values": 'error IR915 graph.node[2].attribute["perm"]',
    "attr_unknown": 'error IR311 graph.node[0].attribute["zz"]',
    "attr_kind": 'error IR914 graph.node[2].attribute["perm"]',
    "attr_kind_int": 'error IR914 graph.node[2].attribute["perm"]',
    "attr_ref_outside": 'warning IR916 graph.node[2].attribute["perm"]',
    "softmax_axis_f": 'error IR914 graph.node[0].attribute["axis"]',
    "elu_alpha_i": 'error IR914 graph.node[0].attribute["alpha"]',
    "graph_attr_on_relu": "error IR324 graph.node[0]",
    "constant_two": "error IR911 graph.node[3]",
    "constant_none": "error IR911 graph.node[3]",
    "sparse_bad_index": "error IR908 graph.sparse_initializer[0]",
    "sparse_unsorted": "warning IR916 graph.sparse_initializer[0]",
    "sparse_dupindex": "warning IR916 graph.sparse_initializer[0]",
    "sparse_huge": "error IR907 graph.sparse_initializer[0]",
    "quant_unknown": "",
    "func_dup": "error IR915 functions[1]",
    "func_unimported": "",
    "func_undef_unused": "",
    "func_undef_called": "error IR905",
    "func_rec": "error IR902",
    "func_dup_input": "warning IR916 functions[0]",
    "func_noname": "warning IR916 functions[0]",
    "func_wrong_inputs": "error IR321",
    "if_shadow": 'warning IR916 graph.node[3].attribute["else_branch"].g.node[0]',
    "if_body_missing_tensor": "error IR905 graph.node[3]",
    "unknown_field": "",
    "wrong_wire_ir": "error IR913",
    "wrong_wire_node": "warning IR916 graph",
    "string_not_utf8": "error IR908 graph.initializer[1]",
    "type_nested_deeply": "error IR907 graph.input[1]",
    "sparse_indices_of_another_type": "error IR908 graph.sparse_initializer[0]",
}
"""What is found in each edited model: severity, code and place; nothing where it is sound."""


# Bytes that are no message, or another one than they say.


def record(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def varint(value: int) -> bytes:
    head = bytearray()
    while value > 127:
        head.append(value & 127 | 128)
        value >>= 7
    return bytes([*head, value])


def spliced(more: bytes) -> bytes:
    """The sound model with more bytes at the end of its graph, which is at the end of the file."""
    model = sound()
    graph = model.graph.SerializeToString() + more
    model.ClearField("graph")
    return bytes(model.SerializeToString()) + record(7, graph)


def nested(depth: int) -> bytes:
    """A node with a graph with a node with a graph ..."""
    node = record(4, b"Relu") + record(1, b"x") + record(2, b"z")
    for k in range(depth):
        graph = record(1, node) + record(2, b"g")
        node = record(4, b"Op") + record(2, b"o%d" % k)
        node += record(5, record(1, b"body") + bytes([20 << 3 & 127 | 128, 1, 5]) + record(6, graph))
    return record(1, node)


CUTS = {
    7: ("graph.node[0]", 5),
    21: ("graph.node[0]", 5),
    28: ("graph.node[1]", 23),
    42: ("graph.node[1]", 23),
    49: ("graph.node[2]", 43),
    63: ("graph.node[2]", 43),
    70: ("graph.node[2].attribute[0]", 66),
    77: ("graph.node[2].attribute[0]", 66),
    84: ("graph", 2),
    98: ("graph.initializer[0]", 84),
    105: ("graph.initializer[0]", 84),
    112: ("graph.input[0]", 107),
    119: ("graph.input[0].type.tensor_type", 114),
    126: ("graph.input[0].type.tensor_type.shape.dim[1]", 124),
    133: ("graph.output[0]", 128),
    140: ("graph.output[0].type.tensor_type", 135),
    147: ("graph.output[0].type.tensor_type.shape.dim[1]", 145),
    154: ("opset_import[0]", 149),
}
"""Where the sound model is cut off: the innermost part that lacks something, and where that begins."""
DAMAGED: dict[str, tuple[bytes, str]] = {
    "numbers_of_4_bytes_in_5": (record(5, record(4, b"12345")), "graph.initializer[1]"),
    "packed_number_without_an_end": (record(5, record(1, b"\xff")), "graph.initializer[1]"),
    "packed_numbers_beyond_the_end": (record(5, b"\x3a" + varint(1 << 40)), "graph.initializer[1]"),
    "raw_data_beyond_the_end": (record(5, b"\x4a" + varint(1 << 62) + b"12"), "graph.initializer[1]"),
    "number_of_eleven_bytes": (record(5, b"\x10" + b"\xff" * 11), "graph.initializer[1]"),
    "record_without_a_number": (record(1, b"\x00\x01"), "graph.node[3]"),
    "group": (record(1, b"\x0b\x08\x01"), "graph.node[3]"),
    "wire_type_7": (record(1, b"\x0f"), "graph.node[3]"),
    "fixed_number_cut_off": (record(1, record(5, b"\x15\x00\x00")), "graph.node[3].attribute[0]"),
    "nested_in_more_than_100": (
        nested(60),
        "graph.node[3].attribute[0].g" + ".node[0].attribute[0].g" * 32 + ".node[0]",
    ),
}
NOT_UTF8: dict[str, tuple[bytes, str]] = {
    "node_name_not_utf8": (record(1, record(3, b"\xff\xfe") + record(4, b"Relu")), "graph.node[3]"),
    "op_type_not_utf8": (record(1, record(4, b"\xff")), "graph.node[3]"),
    "input_not_utf8": (record(1, record(1, b"\xc0\x80") + record(4, b"Relu")), "graph.node[3]"),
    "attribute_name_not_utf8": (
        record(1, record(5, record(1, b"\xed\xa0\x80"))),
        "graph.node[3].attribute[0]",
    ),
    "initializer_name_not_utf8": (record(5, record(8, b"\xf5")), "graph.initializer[1]"),
    "size_name_not_utf8": (
        record(11, record(1, b"q") + record(2, record(1, record(2, record(1, record(2, b"\xff")))))),
        "graph.input[1].type.tensor_type.shape.dim[0]",
    ),
}
EXTERNAL: dict[str, tuple[dict[str, str], str]] = {
    "absolute": ({"location": "/etc/passwd"}, "IR909"),
    "device": ({"location": "/dev/zero"}, "IR909"),
    "parent": ({"location": "../w.bin"}, "IR909"),
    "parent_within": ({"location": "a/../../w.bin"}, "IR909"),
    "parent_of_windows": ({"location": "a\\..\\..\\w.bin"}, "IR909"),
    "drive": ({"location": "C:w.bin"}, "IR909"),
    "link": ({"location": "link.bin"}, "IR909"),
    "link_of_a_folder": ({"location": "folder/passwd"}, "IR909"),
    "no_location": ({"offset": "0"}, "IR909"),
    "location_with_a_zero": ({"location": "w.bin\0.txt"}, "IR909"),
    "pipe": ({"location": "pipe"}, "IR910"),
    "folder": ({"location": "inner"}, "IR910"),
    "missing": ({"location": "none.bin"}, "IR910"),
    "url": ({"location": "http://127.0.0.1:1/w.bin"}, "IR910"),
    "too_short": ({"location": "short.bin"}, "IR910"),
    "offset_beyond_the_end": ({"location": "w.bin", "offset": "9223372036854775807"}, "IR910"),
    "length_beyond_the_end": ({"location": "w.bin", "length": "99999999999"}, "IR910"),
    "negative_offset": ({"location": "w.bin", "offset": "-4"}, "IR908"),
    "offset_of_a_thousand_digits": ({"location": "w.bin", "offset": "9" * 1000}, "IR908"),
    "length_in_words": ({"location": "w.bin", "length": "twelve"}, "IR908"),
    "length_of_another_shape": ({"location": "w.bin", "length": "8"}, "IR908"),
}
"""Where an initializer is stored, and the code of what is found."""


def furnish(folder: Path) -> None:
    """Put the files there that EXTERNAL names."""
    (folder / "w.bin").write_bytes(bytes(12))
    (folder / "short.bin").write_bytes(bytes(11))
    (folder / "link.bin").symlink_to("/etc/passwd")
    (folder / "folder").symlink_to("/etc")
    (folder / "inner").mkdir()
    os.mkfifo(folder / "pipe")


def external(entries: dict[str, str]) -> bytes:
    model = sound()
    tensor = model.graph.initializer[0]
    del tensor.float_data[:]
    tensor.data_location = 1
    for key, value in entries.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return bytes(model.SerializeToString())


def hostile_files() -> Iterator[tuple[str, Hostile]]:
    for name, change in EDITS.items():
        model = sound()
        change(model)
        yield name, Hostile(model.SerializeToString(), FINDINGS[name])
    whole = sound().SerializeToString()
    for size, (element, start) in CUTS.items():
        yield f"cut_at_{size}", Hostile(whole[:size], f"error IR902 {element}", (start, size))
    yield "cut_before_the_graph", Hostile(whole[:2], "error IR902")
    yield "cut_before_the_imports", Hostile(whole[:149], "error IR903 graph.node[0]")
    yield "cut_in_the_first_number", Hostile(whole[:1], "error IR902")
    for name, (more, element) in (*DAMAGED.items(), *NOT_UTF8.items()):
        yield name, Hostile(spliced(more), f"error IR902 {element}")
    yield "nested_in_75", Hostile(spliced(nested(25)), "error IR301 graph.node[3].op_type")
    for name, (entries, code) in EXTERNAL.items():
        yield f"external_{name}", Hostile(external(entries), f"error {code} graph.initializer[0]")

"""The stub of graph.ops follows from the definitions."""

import ast

from irops.document.graph_stub import PLACE, stub


def test_the_stub_is_that_of_the_definitions():
    assert PLACE.read_text(encoding="utf-8") == stub(), "run python -m irops.document.graph_stub"


def test_the_stub_has_parameters_defaults_and_docstrings():
    (ops,) = [node for node in ast.parse(stub()).body if isinstance(node, ast.ClassDef)]
    methods = {node.name: node for node in ops.body if isinstance(node, ast.FunctionDef)}
    reverse = methods["ReverseSequence"]
    assert [arg.arg for arg in reverse.args.args] == ["self", "data", "seq_lengths"]
    assert [arg.arg for arg in reverse.args.kwonlyargs] == ["batch_axis", "seq_axis", "name"]
    assert "batch_axis" in (ast.get_docstring(reverse) or "")
    assert len(methods) > 150

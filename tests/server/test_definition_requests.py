"""Hovers, completion, navigation and symbols in definitions of ops, from the text alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor import ROOT, Editor
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="module")
SOURCE = (ROOT / "examples" / "my_reverse" / "MyReverse-extension.xml").read_text()
SHARING = """<layer type="Mine" version="1" category="movement" dialect="onnx" same-as="ReverseSequence-1">
  <summary>s</summary><source>s</source>
  <input><port id="0" name="x" type="float" as=""/></input>
  <given name="">1</given>
</layer>
"""
CONSTRAINT = '<constraint id="C1">'


def place(text: str, before: str, word: str, after: int = 0) -> types.Position:
    """The position of a word in the first line with a text."""
    lines = text.splitlines()
    line = next(k for k, one in enumerate(lines) if before in one)
    return types.Position(line, lines[line].index(word) + after)


@pytest.fixture
def document(editor: Editor, tmp_path: Path):
    """The URI of a copy of the example, open, in a folder whose functions may not run."""
    path = tmp_path / "MyReverse-extension.xml"
    (tmp_path / "my_reverse.py").write_text((ROOT / "examples" / "my_reverse" / "my_reverse.py").read_text())
    return editor.open(path, SOURCE)


@pytest.mark.parametrize(
    ("line_with", "word", "after", "expected"),
    [
        ("<counterexample", "counterexample", 0, "violate a constraint or a rule"),
        ("<attribute", "min=", 1, "`min` of \\<attribute> (optional): The smallest value."),
        ("<attribute", "required", 1, "`yes`, `no`"),
        ("<port", '"T"', 1, "type `T`: any"),
        ("<counterexample", "C1", 0, "constraint `C1`: the last axis of data"),
        ("<type", "any", 1, "element types `any`: bf16, boolean"),
        ('<tensor name="data"', '"data"', 2, "input `data` (T, rank 1..): What to reverse."),
        ('<data block="4"', "block", 1, "attribute `block` (int, min 1, required): How many elements"),
        ("<summary", "Reverse", 1, None),
    ],
)
async def test_hovers_show_the_grammar_and_what_names_mean(
    editor: Editor, document: str, line_with: str, word: str, after: int, expected: str | None
):
    at = place(SOURCE, line_with, word, after)
    shown = await editor.hover(document, at.line, at.character)
    assert shown == expected or (expected is not None and expected in (shown or ""))


@pytest.mark.parametrize(
    ("old", "new", "word", "expected"),
    [
        ('type="T">The', 'shape="br" type="T">The', "broadcast", "shape rule `broadcast a b auto_broadcast"),
        ('violates="C1"', 'violates="IR401"', "IR401", "rule `IR401`"),
        ('type="T" rank', 'type="integer" rank', "integer", "element types `integer`: i16, i32"),
    ],
)
async def test_hovers_show_rules_and_groups_of_types(
    editor: Editor, document: str, old: str, new: str, word: str, expected: str
):
    text = SOURCE.replace(old, new.replace('"br"', '"broadcast data data C1"'))
    editor.edit(document, 2, text)
    at = place(text, word, word, 1)
    assert expected in (await editor.hover(document, at.line, at.character) or "")


async def test_hovers_on_shared_functions_show_the_op_of_openvino(editor: Editor, tmp_path: Path):
    text = SHARING.replace('as=""', 'as="data"')
    uri = editor.open(tmp_path / "Mine-1.xml", text)
    op, port = place(text, "same-as", "ReverseSequence", 2), place(text, "<port", '"data"', 2)
    assert "ReverseSequence-1" in (await editor.hover(uri, op.line, op.character) or "")
    assert "input `data`" in (await editor.hover(uri, port.line, port.character) or "")


@pytest.mark.parametrize(
    ("old", "typed", "expected", "absent"),
    [
        ("<type name", "<", ["given", "body", "type"], ["port", "tensor"]),
        ('<port id="0" name="data" type="T" rank="1..">', "<p", ["port"], ["attribute"]),
        ('min="1" required="yes"', "", ["of", "default", "reader-default"], ["name", "type"]),
        ('type="int"', 'type="', ["bool", "int"], ["T"]),
        ('type="T" rank', 'type="', ["T", "any", "f32"], ["dynamic"]),
        ('type="T">The', 'shape="', ["broadcast", "same"], ["data"]),
        ('type="T">The', 'shape="same d', ["data"], ["same"]),
        ('violates="C1"', 'violates="', ["C1", "IR301"], ["OD101"]),
        (CONSTRAINT, '<constraint id="', ["C1"], []),
        (CONSTRAINT, '<constraint when="', ["infer", "run"], []),
        (CONSTRAINT, '<note of="', ["T", "block", "data", "output"], []),
        (CONSTRAINT, '<gradient of="', ["data"], ["output"]),
        (CONSTRAINT, '<gradient of="data" saves="data o', ["output"], []),
        (CONSTRAINT, '<gradient of="data" when="', [], ["block"]),
        ('<data block="4"/>', "<data ", ["block"], []),
        (">any<", ">-fl", ["float"], ["any"]),
        ('category="movement"', 'category="', ["movement", "activation"], ["onnx"]),
        ('category="movement"', 'module="', ["my_reverse"], []),
        ('version="extension"', 'version="opset1', ["opset1", "opset16"], ["extension"]),
    ],
)
async def test_completion_follows_the_grammar_and_the_parts(
    editor: Editor, document: str, old: str, typed: str, expected: list[str], absent: list[str]
):
    start = SOURCE.index(old)
    text = SOURCE[:start] + typed + SOURCE[start + len(old) :]
    editor.edit(document, 2, text)
    before = text[: start + len(typed)]
    line = before.count("\n")
    labels = await editor.labels(document, line, len(before) - before.rfind("\n") - 1)
    assert [one for one in expected if one not in labels] == []
    assert [one for one in absent if one in labels] == []


async def test_completion_of_shared_functions_names_parts_of_the_other_op(editor: Editor, tmp_path: Path):
    uri = editor.open(tmp_path / "Mine-1.xml", SHARING)
    port, value = place(SHARING, "<port", 'as=""', 4), place(SHARING, "<given", 'name=""', 6)
    op = place(SHARING, "same-as", "ReverseSequence", len("ReverseS"))
    assert await editor.labels(uri, port.line, port.character) == [
        "batch_axis",
        "data",
        "seq_axis",
        "seq_lengths",
    ]
    assert await editor.labels(uri, value.line, value.character) == ["batch_axis", "seq_axis"]
    assert "ReverseSequence-1" in await editor.labels(uri, op.line, op.character)


async def test_definitions_and_references_lead_to_parts_and_to_code(editor: Editor, document: str):
    identifier = types.TextDocumentIdentifier(document)

    async def targets(at: types.Position) -> list[tuple[str, int]]:
        places = await editor.text_document_definition_async(types.DefinitionParams(identifier, at))
        assert isinstance(places, (list, tuple))
        return [(one.uri.rpartition("/")[2], one.range.start.line) for one in places]

    violates = place(SOURCE, "<counterexample", "C1")
    constraint = place(SOURCE, "<constraint", "id=", 1)
    assert await targets(violates) == [("MyReverse-extension.xml", constraint.line)]
    code = (ROOT / "examples" / "my_reverse" / "my_reverse.py").read_text().splitlines()
    cited = [k for k, line in enumerate(code) if '"C1"' in line]
    assert await targets(constraint) == [("my_reverse.py", line) for line in cited]
    bound = [k for k, line in enumerate(code) if line.startswith("@")]
    assert await targets(place(SOURCE, "<layer", "MyReverse")) == [("my_reverse.py", line) for line in bound]
    context = types.ReferenceContext(include_declaration=True)
    params = types.ReferenceParams(context, identifier, constraint)
    places = await editor.text_document_references_async(params) or ()
    assert [one.range.start.line for one in places] == [constraint.line, violates.line, *cited]


async def test_symbols_and_foldings_are_those_of_the_parts(editor: Editor, document: str):
    identifier = types.TextDocumentIdentifier(document)
    symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(identifier))
    names = [
        (s.name, [c.name for c in s.children or ()]) for s in symbols if isinstance(s, types.DocumentSymbol)
    ]
    assert names == [
        ("data", ["block"]),
        ("T", []),
        ("input", ["data"]),
        ("output", ["output"]),
        ("C1", []),
        ("example", []),
        ("counterexample C1", []),
    ]
    folded = await editor.text_document_folding_range_async(types.FoldingRangeParams(identifier))
    assert len(folded or ()) == 6


async def test_the_content_of_a_model_in_a_case_is_not_part_of_the_definition(editor: Editor, tmp_path: Path):
    path = ROOT / "schemas" / "condition" / "If-8.xml"
    text = path.read_text()
    uri = editor.open(tmp_path / "If-8.xml", text)
    layer = place(text, '<layer id="', "<layer", 2)
    assert await editor.hover(uri, layer.line, layer.character) is None
    net = place(text, "<net", "<net", 2)
    assert "A whole model" in (await editor.hover(uri, net.line, net.character) or "")

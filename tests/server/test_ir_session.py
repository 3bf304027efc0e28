"""A session with an IR file: findings while typing, fixes, hovers, navigation, completion."""

from pathlib import Path

import pytest
from lsprotocol import types
from tables import table

pytestmark = pytest.mark.asyncio(loop_scope="module")
ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples" / "reversing" / "model.xml"
LINES = MODEL.read_text().splitlines()
EVERYTHING = types.Range(types.Position(0, 0), types.Position(10**6, 0))


def position(line_with, word, after=1):
    """The position within the first line with a text, of a word in it."""
    line = next(k for k, text in enumerate(LINES) if line_with in text)
    return types.Position(line, LINES[line].index(word) + after)


@pytest.fixture
def document(editor, request):
    """The URI of the example, open, and closed at the end."""
    uri = editor.open(MODEL)
    yield uri
    editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    editor.versions.pop(uri, None)


async def test_a_sound_file_has_no_findings(editor, document):
    assert await editor.checked(document) == []


async def test_an_edit_that_breaks_the_file_is_reported_at_its_place_until_it_is_repaired(editor, document):
    await editor.checked(document)
    quote = position('seq_axis="-1"', '-1"', 2)
    editor.edit(document, 2, "", types.Range(quote, types.Position(quote.line, quote.character + 1)))
    (finding,) = await editor.checked(document, 2)
    assert (finding.code, finding.range.start.line) == ("IR008", quote.line + 1)
    editor.edit(document, 3, '"', types.Range(quote, quote))
    assert await editor.checked(document, 3) == []


async def test_a_finding_marks_the_attribute_and_counts_utf16_units(editor, document):
    text = MODEL.read_text().replace('<data batch_axis="0"', '<!-- 𝒳é --><data batch_axis="zero"')
    editor.edit(document, 2, text)
    (finding,) = await editor.checked(document, 2)
    line = next(line for line in text.splitlines() if "𝒳" in line)
    start = len(line[: line.index("batch_axis")].encode("utf-16-le")) // 2
    assert (finding.code, finding.severity) == ("IR314", types.DiagnosticSeverity.Error)
    assert finding.range.start.character == start
    assert finding.range.end.character == start + len('batch_axis="zero"')


async def test_a_fix_is_a_code_action_that_repairs_the_text(editor, document):
    text = MODEL.read_text().replace('precision="FP32" names="x"', 'precision="FP16" names="x"')
    editor.edit(document, 2, text)
    (finding,) = await editor.checked(document, 2)

    async def asked(*findings, **options):
        context = types.CodeActionContext([*findings], **options)
        place = types.TextDocumentIdentifier(document)
        return await editor.text_document_code_action_async(
            types.CodeActionParams(place, finding.range, context)
        )

    actions = await asked(finding)
    fixes = [a for a in actions or () if isinstance(a, types.CodeAction) and a.edit is not None]
    assert [fix.kind for fix in fixes] == [types.CodeActionKind.QuickFix, "source.fixAll.irops"]
    for fix in fixes:
        (change,) = fix.edit.document_changes
        (edit,) = change.edits
        assert change.text_document.version == 2
        assert text.splitlines()[edit.range.start.line][edit.range.start.character :].startswith("FP16")
        assert edit.new_text == "FP32"
    assert any(action.title.startswith(f"Explain {finding.code} (") for action in actions or ())
    only = await asked(only=[types.CodeActionKind.SourceFixAll])
    assert [action.kind for action in only or ()] == ["source.fixAll.irops"]


async def test_hovers_describe_layers_attributes_ports_and_edges(editor, document):
    await editor.checked(document)

    async def hover(line_with, word):
        at = position(line_with, word)
        return await editor.hover(document, at.line, at.character) or ""

    layer = await hover('name="turned"', "layer")
    assert "ReverseSequence-1" in layer
    assert "input 0 (`data`): `f32[?,8,5]` from `x`" in layer
    assert "`seq_axis` = `-1`" in layer
    assert "default 0" in await hover("batch_axis", "batch_axis")
    assert "`i32[?]` from `lengths`" in await hover('<port id="1">', "port")
    edge = await hover('from-layer="1"', "edge")
    assert "from `lengths`" in edge
    assert "to `turned`" in edge


async def test_definitions_lead_along_edges_and_to_the_files_of_an_op(editor, document):
    identifier = types.TextDocumentIdentifier(document)

    async def targets(at):
        result = await editor.text_document_definition_async(types.DefinitionParams(identifier, at))
        assert isinstance(result, (list, tuple))
        return list(result)

    (source,) = await targets(position('from-layer="1"', "from-layer"))
    assert "lengths" in LINES[source.range.start.line]
    (output,) = await targets(position('<port id="1">', "port"))
    assert output.range.start.line == position('precision="I32"', "port").line
    files = [place.uri.rpartition("/")[2] for place in await targets(position("turned", "Reverse"))]
    assert files[:2] == ["ReverseSequence-1.xml", "reverse_sequence.py"]
    (attribute,) = await targets(position("batch_axis", "seq_axis"))
    definition = Path(attribute.uri.removeprefix("file://")).read_text().splitlines()
    assert 'name="seq_axis"' in definition[attribute.range.start.line]


async def test_references_of_a_layer_are_its_edges_and_the_ports_at_their_other_ends(editor, document):
    params = types.ReferenceParams(
        types.ReferenceContext(include_declaration=False),
        types.TextDocumentIdentifier(document),
        position('name="turned"', "turned"),
    )
    places = await editor.text_document_references_async(params)
    lines = [LINES[place.range.start.line] for place in places or ()]
    assert sum("<edge" in line for line in lines) == 3
    assert sum("<port" in line for line in lines) == 3


async def test_a_layer_is_renamed_where_its_name_stands(editor, document):
    identifier, at = types.TextDocumentIdentifier(document), position("<edge ", "from-layer")
    where = await editor.text_document_prepare_rename_async(types.PrepareRenameParams(identifier, at))
    edit = await editor.text_document_rename_async(types.RenameParams(identifier, at, 'a"<b'))
    [change] = edit.changes[document]
    line = LINES[where.start.line]
    assert line[: where.start.character].endswith(' name="')
    assert (change.range, change.new_text) == (where, "a&quot;&lt;b")


async def test_users_signatures_and_layers_of_open_files_are_shown(editor, document):
    identifier = types.TextDocumentIdentifier(document)
    lenses = await editor.text_document_code_lens_async(types.CodeLensParams(identifier))
    assert {lens.command.title for lens in lenses} == {"1 user"}
    at = position('seq_axis="-1"', "seq_axis", 2)
    shown = await editor.text_document_signature_help_async(types.SignatureHelpParams(identifier, at))
    assert shown.signatures[0].label == "ReverseSequence-1: batch_axis, seq_axis"
    assert shown.active_parameter == 1
    found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("reversesEQ"))
    assert [symbol.location.uri for symbol in found] == [document]


async def test_a_text_is_formatted_as_openvino_writes_it_if_it_is_well_formed(editor, document):
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)  # which OpenVINO does not have
    params = types.DocumentFormattingParams(types.TextDocumentIdentifier(document), options)
    [edit] = await editor.text_document_formatting_async(params)
    assert '\n\t\t<layer id="1" name="lengths" type="Parameter" version="opset1">\n' in edit.new_text
    assert edit.range.end == types.Position(len(LINES), 0)
    for version, text in enumerate((edit.new_text, edit.new_text[:-3]), 2):
        editor.edit(document, version, text)
        assert not await editor.text_document_formatting_async(params)


async def test_symbols_foldings_and_hints_are_those_of_the_layers(editor, document):
    await editor.checked(document)
    identifier = types.TextDocumentIdentifier(document)
    symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(identifier))
    assert [symbol.name for symbol in symbols or ()] == ["x", "lengths", "turned", "y"]
    folds = await editor.text_document_folding_range_async(types.FoldingRangeParams(identifier))
    assert [fold.start_line for fold in folds or ()] == [2, 3, 7, 11, 19, 23]
    hints = await editor.text_document_inlay_hint_async(types.InlayHintParams(identifier, EVERYTHING))
    assert [hint.label for hint in hints or ()] == ["f32[?,8,5]", "i32[?]", "f32[?,8,5]"]


@pytest.mark.parametrize(
    ("old", "typed", "expected"), table(__file__, "completion_needs_only_the_text_before_the_cursor")
)
async def test_completion_needs_only_the_text_before_the_cursor(editor, document, old, typed, expected):
    at = position(old, old, 0)
    text = MODEL.read_text().replace(old, typed)  # which is not well-formed
    editor.edit(document, 2, text)
    labels = await editor.labels(document, at.line, at.character + len(typed))
    assert labels[: len(expected)] == expected


async def test_a_rule_is_explained_by_its_page(editor):
    run = editor.workspace_execute_command_async
    page = await run(types.ExecuteCommandParams("irops.explain", arguments=["IR202"]))
    assert page.startswith("# IR202 dangling-edge")
    assert "](" not in page  # without a site, links lead nowhere
    assert [Path(shown.uri).name for shown in editor.shown_documents] == ["IR202.md"]
    assert await run(types.ExecuteCommandParams("irops.explain", arguments=["typo"])) is None
    assert await run(types.ExecuteCommandParams("irops.explain", arguments=[[7]])) is None

"""A session with an IR file: findings while typing, fixes, hovers, navigation, completion."""

from pathlib import Path

import pytest
from editor import shown
from lsprotocol import types
from stored import assert_stored
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


async def test_the_answers_of_a_session_are_those_that_are_stored(editor, document):
    await editor.checked(document)
    here, at = types.TextDocumentIdentifier(document), position('seq_axis="-1"', "seq_axis", 2)
    edge, context = position("<edge ", "from-layer"), types.ReferenceContext(include_declaration=False)
    answers = (
        editor.text_document_hover_async(types.HoverParams(here, at)),
        editor.text_document_definition_async(types.DefinitionParams(here, edge)),
        editor.text_document_references_async(types.ReferenceParams(context, here, edge)),
        editor.text_document_prepare_rename_async(types.PrepareRenameParams(here, edge)),
        editor.text_document_rename_async(types.RenameParams(here, edge, 'a"<b')),
        editor.text_document_code_lens_async(types.CodeLensParams(here)),
        editor.text_document_signature_help_async(types.SignatureHelpParams(here, at)),
        editor.workspace_symbol_async(types.WorkspaceSymbolParams("reversesEQ")),
        editor.text_document_document_symbol_async(types.DocumentSymbolParams(here)),
        editor.text_document_folding_range_async(types.FoldingRangeParams(here)),
        editor.text_document_inlay_hint_async(types.InlayHintParams(here, EVERYTHING)),
    )
    lines = [f"{shown(await answer, document)}\n" for answer in answers]
    assert_stored("".join(lines), Path(__file__).parent / "documents" / "session.txt")


async def test_the_definition_of_an_attribute_is_its_line_in_the_file_of_the_op(editor, document):
    params = types.DefinitionParams(
        types.TextDocumentIdentifier(document), position("batch_axis", "seq_axis")
    )
    (attribute,) = await editor.text_document_definition_async(params)
    definition = Path(attribute.uri.removeprefix("file://")).read_text().splitlines()
    assert 'name="seq_axis"' in definition[attribute.range.start.line]


async def test_a_text_is_formatted_as_openvino_writes_it_if_it_is_well_formed(editor, document):
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)  # which OpenVINO does not have
    params = types.DocumentFormattingParams(types.TextDocumentIdentifier(document), options)
    [edit] = await editor.text_document_formatting_async(params)
    assert '\n\t\t<layer id="1" name="lengths" type="Parameter" version="opset1">\n' in edit.new_text
    assert edit.range.end == types.Position(len(LINES), 0)
    for version, text in enumerate((edit.new_text, edit.new_text[:-3]), 2):
        editor.edit(document, version, text)
        assert not await editor.text_document_formatting_async(params)


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

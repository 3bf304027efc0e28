"""Texts and requests that are broken, huge or hostile: the server answers, and stays alive."""

import pytest
from lsprotocol import types

pytestmark = [pytest.mark.slow("hostile texts, sent to servers"), pytest.mark.asyncio(loop_scope="module")]
HEAD = '<net name="m" version="11"><layers>'
LAYER = '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>'
TEXTS = {
    "noise": "\x00\x01\ufffd" * 1000,
    "nul": f"{HEAD}\x00</layers></net>",
    "cut off": f"{HEAD}{LAYER}",
    "surrogate": f'{HEAD}<layer id="0" name="\ud800"/>',
    "deep": HEAD + "<layer><body><layers>" * 20_000,
    "open quotes": HEAD + '<layer id="' * 20_000,
    "comments": HEAD + "<!--" * 20_000,
    "one line": HEAD + (LAYER + "</layer>") * 3_000 + "</layers><edges/></net>",
    "entities": '<!DOCTYPE net [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + HEAD + "&b;</layers></net>",
    "laughs": "<!DOCTYPE net ["
    + "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10 if k else "ha"}">' for k in range(30))
    + f"]>{HEAD}&e29;</layers></net>",
    "number": HEAD + LAYER.replace('id="0"', f'id="{"9" * 5000}"') + "</layer></layers></net>",
    "encoding": '<?xml version="1.0" encoding="klingon"?>' + HEAD + "</layers></net>",
}


async def answers(editor, uri):
    """Ask everything, at places in and outside the text."""
    document = types.TextDocumentIdentifier(uri)
    for place in (types.Position(0, 40), types.Position(10**6, 10**6), types.Position(0, 2**31 - 1)):
        await editor.hover(uri, place.line, place.character)
        await editor.text_document_definition_async(types.DefinitionParams(document, place))
        context = types.ReferenceContext(True)
        await editor.text_document_references_async(types.ReferenceParams(context, document, place))
        await editor.text_document_completion_async(types.CompletionParams(document, place))
    whole = types.Range(types.Position(0, 0), types.Position(2**31 - 1, 0))
    await editor.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    backwards = types.Range(whole.end, whole.start)
    await editor.text_document_inlay_hint_async(types.InlayHintParams(document, backwards))
    await editor.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    await editor.text_document_folding_range_async(types.FoldingRangeParams(document))
    params = types.CodeActionParams(document, whole, types.CodeActionContext([]))
    await editor.text_document_code_action_async(params)


@pytest.mark.parametrize("name", TEXTS)
async def test_hostile_texts_get_answers(editor, tmp_path, name):
    path = tmp_path / "model.xml"
    path.with_suffix(".bin").write_bytes(b"")  # so that it counts as IR whatever its text is
    uri = editor.open(path, TEXTS[name])
    findings = await editor.checked(uri)
    assert findings
    assert all("failed" not in one.message for one in findings)
    await answers(editor, uri)


async def test_a_text_over_the_limit_is_reported(editor, tmp_path):
    text = f"{HEAD}<!--{'a' * (65 << 20)}--></layers></net>"
    uri = editor.open(tmp_path / "huge.xml", text)
    (finding,) = await editor.checked(uri)
    assert finding.code == "IR018"
    await answers(editor, uri)


async def test_a_model_that_declares_entities_is_a_model(editor, tmp_path):
    uri = editor.open(tmp_path / "without_weights.xml", TEXTS["laughs"])
    assert [one.code for one in await editor.checked(uri)] == ["IR010"]


async def test_columns_within_a_character_mean_its_start(editor, tmp_path):
    text = f'{HEAD}<layer id="0" name="𝒳𝒳" type="Result" version="opset1"><data/></layer></layers></net>'
    uri = editor.open(tmp_path / "m.xml", text)
    start = text.index("𝒳")
    shown = {await editor.hover(uri, 0, start + k) for k in range(4)}
    assert len(shown) == 1
    assert "Result-1" in (shown.pop() or "")
    inside = types.Range(types.Position(0, start + 1), types.Position(0, start + 3))
    editor.edit(uri, 2, "y", inside)  # from within the first character to within the second
    line = f'{HEAD}<layer id="0" name="y𝒳" type="Result" version="opset1"><data/></layer></layers></net>'
    await editor.checked(uri, 2)
    assert "`y𝒳`" in (await editor.hover(uri, 0, line.index("layer id") + 1) or "")


@pytest.mark.parametrize("text", ["<project><layer/></project>", "<layer/>", "", "not XML", "<svg"])
async def test_other_xml_gets_no_findings(editor, tmp_path, text):
    uri = editor.open(tmp_path / "other.xml", text)
    assert await editor.checked(uri) == []
    await answers(editor, uri)
    editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def test_edits_outside_the_text_are_made_at_its_ends(editor, tmp_path):
    uri = editor.open(tmp_path / "m.xml", f"{HEAD}</layers>")
    end = types.Position(500, 500)
    editor.edit(uri, 2, "<edges/></net>", types.Range(end, end))
    assert [one.code for one in await editor.checked(uri, 2)] == ["IR201"]  # no Result: the text is whole


async def test_requests_about_documents_that_are_not_open_get_no_answer(editor, tmp_path):
    uri = (tmp_path / "absent.xml").as_uri()
    await answers(editor, uri)
    editor.edit(uri, 2, "x", types.Range(types.Position(0, 0), types.Position(0, 0)))
    assert await editor.hover(uri, 0, 0) is None


async def test_the_newest_of_many_edits_is_checked(editor, tmp_path):
    sound = f'{HEAD}{LAYER}<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>'
    uri = editor.open(tmp_path / "m.xml", sound)
    for version in range(2, 60):
        editor.edit(uri, version, sound + " " * version)
    findings = await editor.checked(uri, 59)
    assert [one.code for one in findings] == ["IR009"]

"""A session with definitions of ops. The server may run the functions in the folder of the example."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_lsp
from editor import ROOT, Editor, server_config
from lsprotocol import types

pytestmark = [pytest.mark.slow("starts servers"), pytest.mark.asyncio(loop_scope="module")]
FOLDER = ROOT / "examples" / "my_reverse"
DEFINITION = FOLDER / "MyReverse-extension.xml"
REVERSE = ROOT / "schemas" / "movement" / "Reverse-1.xml"


@pytest_lsp.fixture(config=server_config("--definitions", str(FOLDER)), scope="module")
async def author(client: Editor):
    await client.start_session()
    yield
    await client.shutdown_session()


@pytest.mark.parametrize("path", [DEFINITION, REVERSE], ids=["custom", "irops"])
async def test_sound_definitions_have_no_findings(author: Editor, path: Path):
    assert await author.checked(author.open(path)) == []


async def test_what_the_grammar_does_not_allow_is_reported_on_its_line(author: Editor, tmp_path: Path):
    text = DEFINITION.read_text().replace("<summary>", "<sumary>").replace("</summary>", "</sumary>")
    findings = await author.checked(author.open(tmp_path / "Wrong-extension.xml", text))
    line = next(k for k, line in enumerate(text.splitlines()) if "<sumary>" in line)
    assert {one.code for one in findings} == {"OD102"}
    assert line in {one.range.start.line for one in findings}
    cut_off = await author.checked(author.open(tmp_path / "Cut-extension.xml", text[:300]))
    assert [one.code for one in cut_off] == ["OD101"]


async def test_constraints_that_no_code_cites_are_reported_where_functions_may_run(
    author: Editor, tmp_path: Path
):
    sound = REVERSE.read_text()
    first = sound.index("<constraint")
    text = f'{sound[:first]}<constraint id="C99">Nothing.</constraint>\n  {sound[first:]}'
    assert await author.checked(author.open(tmp_path / "Reverse-1.xml", text)) == []  # not a trusted folder
    uri = REVERSE.as_uri()
    author.edit(uri, 7, text)
    findings = await author.checked(uri, 7)
    assert all(one.code == "OD103" and "C99" in one.message for one in findings)
    assert {one.severity for one in findings} == {types.DiagnosticSeverity.Warning}
    line = next(k for k, line in enumerate(text.splitlines()) if "C99" in line)
    assert {one.range.start.line for one in findings} == {line}


async def test_the_preview_is_made_of_the_text_in_the_editor(author: Editor):
    uri = DEFINITION.as_uri()
    text = DEFINITION.read_text()
    start, end = text.index("<summary>") + len("<summary>"), text.index("</summary>")
    author.edit(uri, 8, text[:start] + "Turn everything around." + text[end:])
    params = types.ExecuteCommandParams("irops.preview", arguments=[uri])
    page = await author.workspace_execute_command_async(params)
    assert page.startswith("# MyReverse-extension\n")
    assert "Turn everything around." in page
    assert "| 0 | `data` | `T` | What to reverse. *rank 1 or more* |" in page  # the tables of irops docs
    assert "-> output: i32[6]\n[2 1 4 3 6 5]" in page  # its example was run


async def test_the_ops_of_the_folder_are_those_of_models(author: Editor):
    model = FOLDER / "model.xml"
    uri = author.open(model)
    assert await author.checked(uri) == []
    line = next(k for k, line in enumerate(model.read_text().splitlines()) if 'type="MyReverse"' in line)
    column = model.read_text().splitlines()[line].index("type=")
    assert "MyReverse-extension" in (await author.hover(uri, line, column) or "")

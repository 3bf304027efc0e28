"""Custom rules that the settings of a folder name: the server loads them if a person trusts the folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from editor import (
    DEFAULT_CLIENT_FEATURES,
    Editor,
    default_converter,
    published,
    register_lsp_features,
    registered,
)
from lsprotocol import types
from server_process import ServerProcess

from irops.files.trust import trust, trusted_folders

pytestmark = pytest.mark.asyncio
ROOT = Path(__file__).parents[2]
MODEL = (ROOT / "examples" / "reversing" / "model.xml").read_text()
RULES = """
import irops, pathlib

pathlib.Path(__file__).with_name("ran").touch()


def every_model(model, facts):
    yield None, "the rule of the team"


RULES = (irops.Rule("TEAM001", "team-rule", irops.Severity.ERROR, "a rule", "A rule.", every_model),)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose settings name a rule; the current one, in which a server is started."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "rules.py").write_text(RULES)
    (folder / "irops.toml").write_text('rules = ["rules.py"]\n')
    (folder / "model.xml").write_text(MODEL)
    monkeypatch.chdir(folder)
    return folder


async def session(server: ServerProcess, answer: str | None, **options: object) -> tuple[Editor, list[str]]:
    """An editor in which a person presses a button, or none, and what it was asked."""
    asked: list[str] = []

    def show(_: Editor, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        asked.append(params.message)
        return next((one for one in params.actions or () if one.title == answer), None)

    editor = Editor(converter_factory=default_converter)
    own = {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: published,
        types.CLIENT_REGISTER_CAPABILITY: registered,
        types.WINDOW_SHOW_MESSAGE_REQUEST: show,
    }
    register_lsp_features(editor, DEFAULT_CLIENT_FEATURES | own)
    await editor.start_tcp(*server.address)
    await editor.start_session(token=server.token, **options)
    return editor, asked


async def codes(editor: Editor, folder: Path, *, until: str | None = None) -> list[object]:
    """The codes of the findings in the model; until: one of them, which comes with a later check"""
    uri = editor.open(folder / "model.xml")
    found = await editor.checked(uri)
    for _ in range(2000 if until else 0):
        if until in [one.code for one in found]:
            break
        await asyncio.sleep(0.05)
        found = list(editor.diagnostics.get(uri, ()))
    return [one.code for one in found]


async def end(editor: Editor) -> None:
    await editor.shutdown_session()
    await editor.stop()


async def test_rules_run_once_the_button_is_pressed_and_the_folder_stays_trusted(folder: Path):
    with ServerProcess() as server:
        editor, asked = await session(server, "Trust This Folder")
        assert await codes(editor, folder, until="TEAM001") == ["TEAM001"]
        assert len(asked) == 1
        assert str(folder) in asked[0]
        assert "rules.py" in asked[0]
        await end(editor)
    assert trusted_folders() == (str(folder),)
    with ServerProcess() as server:
        editor, asked = await session(server, None)
        assert await codes(editor, folder, until="TEAM001") == ["TEAM001"]
        assert asked == []
        await end(editor)


@pytest.mark.parametrize("answer", ["Not Now", None])
async def test_nothing_runs_without_the_button(folder: Path, answer: str | None):
    with ServerProcess() as server:
        editor, asked = await session(server, answer)
        assert await codes(editor, folder) == []
        assert len(asked) == 1
        await end(editor)
    assert not (folder / "ran").exists()
    assert trusted_folders() == ()


@pytest.mark.parametrize("options", [(), ("--trust-settings",)])
async def test_a_restricted_editor_is_not_asked_and_runs_nothing(folder: Path, options: tuple[str, ...]):
    trust(folder)
    with ServerProcess(*options) as server:
        editor, asked = await session(server, "Trust This Folder", trusted=False)
        assert await codes(editor, folder) == []
        assert asked == []
        await end(editor)
    assert not (folder / "ran").exists()


async def test_the_option_of_the_command_line_trusts_without_a_question(folder: Path):
    with ServerProcess("--trust-settings") as server:
        editor, asked = await session(server, None)
        assert await codes(editor, folder, until="TEAM001") == ["TEAM001"]
        assert asked == []
        await end(editor)
    assert trusted_folders() == ()

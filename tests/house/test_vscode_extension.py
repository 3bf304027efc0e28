"""The extension for VS Code is complete, and npm packages it where it has what that needs."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from commands import process

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())


def test_files_that_the_extension_names_exist():
    contributes = PACKAGE["contributes"]
    named = [PACKAGE["main"], *(one["configuration"] for one in contributes["languages"])]
    named += [one["path"] for one in contributes["grammars"]]
    assert [name for name in named if not (FOLDER / name).is_file()] == []
    for name in named[1:]:
        json.loads((FOLDER / name).read_text())


@pytest.mark.slow("npm packages the extension")
def test_npm_packages_the_extension(tmp_path: Path):
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm here")
    folder = tmp_path / "vscode"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    for command in (("ci", "--offline", "--ignore-scripts"), ("run", "package", "--offline")):
        done = process(npm, *command, cwd=folder)
        if "ENOTCACHED" in done.stderr or "only-if-cached" in done.stderr:
            pytest.skip("npm has not what the extension needs in its cache")
        assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(folder / f"{PACKAGE['name']}-{PACKAGE['version']}.vsix") as archive:
        names = set(archive.namelist())
    assert {f"extension/{name}" for name in ("extension.js", "package.json", "readme.md")} <= names
    assert "extension/node_modules/vscode-languageclient/node.js" in names
    assert not any(name.endswith((".map", ".d.ts")) for name in names)

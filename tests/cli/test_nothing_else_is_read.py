"""Commands on a file of a stranger open the model and its weights, no other file and no connection."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "digit_classifier"
AUDITED = r"""
import json, os, sys
opened = []
def audit(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.append(os.path.abspath(arguments[0]))
    elif event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.Popen", "os.system"):
        opened.append(f"{event} {arguments!r}")
sys.addaudithook(audit)
from irops.cli.main import main
main(sys.argv[2:])
here = os.getcwd()
print("\n=" + json.dumps([one for one in opened if one.startswith(here + os.sep) or " " in one]))
"""
REFERENCES = (
    ('<net name="', '<!DOCTYPE net SYSTEM "other.dtd">\n<net name="'),
    ('<net name="', '<!DOCTYPE net [<!ENTITY x SYSTEM "secret.txt">]>\n<net name="'),
    ('<net name="', '<net xmlns:xi="http://www.w3.org/2001/XInclude" path="secret.txt" name="'),
    ("<edges>", '<xi:include href="secret.txt"/><meta file="http://localhost:9/secret.txt"/><edges>'),
    ("<edges>", "<weights>secret.txt</weights><edges>"),
)


@pytest.mark.parametrize(
    "words", [["check"], ["infer"], ["inspect"], ["run", "--fill", "ones"]], ids=" ".join
)
def test_commands_open_the_model_and_its_weights_alone(words: list[str], tmp_path: Path) -> None:
    text = (EXAMPLE / "model.xml").read_text()
    for name in ("secret.txt", "other.dtd", "other.bin", "m.npz"):
        (tmp_path / name).write_text("of a user")
    for before, after in (("", ""), *REFERENCES):
        assert before in text
        (tmp_path / "m.xml").write_text(text.replace(before, after, 1) if before else text)
        shutil.copy(EXAMPLE / "model.bin", tmp_path / "m.bin")
        command = [sys.executable, "-P", "-c", AUDITED, "audited", words[0], "m.xml", *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        opened = json.loads(done.stdout.rpartition("\n=")[2])
        assert {Path(one).name for one in opened} <= {"m.xml", "m.bin"}, (after, opened)
        assert "of a user" not in done.stdout + done.stderr

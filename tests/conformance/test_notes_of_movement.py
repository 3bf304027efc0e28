"""What notes of movement ops, and of some others, say about OpenVINO, in tables, and the runtime itself."""

import re
import tomllib
from pathlib import Path

import pytest
from libraries import needs
from probes import Probe
from reader_defaults import stored
from runtimes import Runtimes

from irops.dialects.registry import default_registry

TABLES = [Path(__file__).with_name(f"notes_of_{name}.toml") for name in ("movement", "numbers")]
ABOUT_OPENVINO = re.compile(r"OpenVINO|\bas in\b|plug-in")
REASON = re.compile(r"(specification|(undefined|source): .+|reader: .+)")
CLAIMS = [
    (op, subject, part, shown)
    for table in TABLES
    for header, parts in tomllib.loads(table.read_text()).items()
    for *ops, subject in [header.split()]
    for op in ops
    for part, shown in parts.items()
]
"""An op, the subject of a note, a part of a sentence of it, and the probes, or why there are none."""


def notes(category=None):
    """The notes of ops, of one category or of all: the op, the subject and the text in one line."""
    registry = default_registry()
    for op in registry.ids():
        definition = registry.op(op).definition
        if definition.dialect == "openvino" and category in (None, definition.category):
            for note in definition.notes:
                yield op, note.of or "-", " ".join(note.text.split())


def test_every_sentence_about_openvino_is_in_the_table():
    known = {}
    for op, subject, part, _ in CLAIMS:
        known.setdefault((op, subject), []).append(part)
    missing = [
        (op, subject, sentence)
        for op, subject, text in notes("movement")
        for sentence in re.split(r"(?<=\.)\s+", text)
        if ABOUT_OPENVINO.search(sentence)
        and not any(part in sentence for part in known.get((op, subject), ()))
    ]
    assert not missing, "\n".join(map(str, missing))


def test_every_part_is_in_a_note():
    found = list(notes())
    lost = [c[:3] for c in CLAIMS if not any(c[:2] == n[:2] and c[2] in n[2] for n in found)]
    assert not lost, "\n".join(map(str, lost))


def test_what_is_not_probed_has_a_reason():
    reasons = [(op, shown) for op, _, _, shown in CLAIMS if isinstance(shown, str)]
    assert [shown for _, shown in reasons if not REASON.fullmatch(shown)] == []
    measured = stored()
    named = [(op, text.split()[1:]) for op, text in reasons if text.startswith("reader")]
    assert all(set(names) <= measured[op].keys() for op, names in named)


@needs("openvino")
@pytest.mark.slow("asks OpenVINO about every note")
def test_openvino_does_what_the_notes_say(tmp_path):
    runtimes, wrong = Runtimes(), []
    for op, subject, part, shown in CLAIMS:
        for text in [] if isinstance(shown, str) else shown:
            if found := Probe.parse(op, text).wrong(runtimes, tmp_path):
                wrong.append(f"{op} {subject}, {part!r}: {text}: {found}")
    runtimes.close()
    assert not wrong, "\n".join(wrong)

"""Without a server: positions, edits, outlines, and which checks are done again when a process ends."""

import asyncio
import random
import re
from pathlib import Path

import pytest
from lsprotocol.types import Position, Range
from networks import folders
from tables import table

import irops
from irops.files.limits import Limits
from irops.ir.read import load
from irops.server.features import tag_start
from irops.server.language_server import Checks, Document
from irops.server.outline import Text, edited, formatted, lines_of, outline_of, values
from irops.server.records import Checked, ServerOptions
from irops.work.worker import ProcessDied


def text_of(source):
    return Text(tuple(lines_of(source)))


def test_only_the_line_ends_of_the_protocol_end_lines():
    assert lines_of("a\u2028b\x0bc\r\nd\re\n") == ["a\u2028b\x0bc\r\n", "d\r", "e\n", ""]


@pytest.mark.parametrize("source", ["", "a\n", "é𝒳\r\n𝒳𝒳b", "\ud800x\n"])
def test_offsets_and_positions_agree(source):
    text = text_of(source)
    inside = [k for k in range(len(source) + 1) if source[k - 1 : k + 1] != "\r\n"]
    assert [text.offset(text.position(k)) for k in inside] == inside


def test_positions_outside_mean_the_nearest_ones_inside():
    text = text_of("𝒳b\nc")
    assert text.offset(Position(0, 99)) == 2
    assert text.offset(Position(0, 1)) == 0  # within a character
    assert text.offset(Position(9, 0)) == 4
    assert text.position(99) == Position(1, 1)


def test_edits_of_lines_are_edits_of_the_text():
    chance = random.Random(5)
    pieces = ["", "a", "\n", "\r", "\r\n", "𝒳", "xy\nz", "\n\r\n"]
    source = "one\ntwo\r\nthree\rfour"
    lines = lines_of(source)
    for _ in range(3000):
        text = text_of(source)
        offsets = sorted(chance.randrange(len(source) + 1) for _ in range(2))
        where = Range(*(text.position(k) for k in offsets))
        start, end = text.offset(where.start), text.offset(where.end)
        new = chance.choice(pieces)
        source = source[:start] + new + source[end:]
        edited(lines, where, new)
        assert lines == lines_of(source)
        if len(source) > 200:
            source = source[:20]
            lines = lines_of(source)


def test_what_openvino_wrote_keeps_its_layout_and_gets_it_back():
    texts = [(folder / "model.xml").read_bytes().decode() for folder in folders().values()]
    assert len(texts) > 20
    for text in texts:
        assert formatted(text) == text
        shuffled = re.sub(r'(<layer)( id="\d+")( name="[^"]*")', r"\1\3 \n \2", text)
        single = re.sub(r"""="([^"']*)\"""", r" = '\1'", re.sub(r">\s+<", "><", shuffled))
        assert formatted(f"\ufeff{single.partition('?>')[2]}") == text


def test_a_layout_keeps_the_model_and_its_findings(tmp_path):
    root, written = Path(irops.__file__).parents[1], tmp_path / "model.xml"
    for path in [*root.glob("irops/diagnostics/rules/IR[1-4]*.xml"), *root.glob("examples/*/model.xml")]:
        text = formatted(path.read_text())
        assert text == formatted(text), path
        written.write_text(text)
        (model, found), (before, found_before) = load(written), load(path)
        assert model == before, path
        assert [finding.name for finding in found] == [finding.name for finding in found_before]


@pytest.mark.parametrize(("source", "expected"), table(__file__, "a_layout_changes_blanks_and_quotes_alone"))
def test_a_layout_changes_blanks_and_quotes_alone(source, expected):
    assert formatted(source) == (f'<?xml version="1.0"?>\n{expected}' if expected else None)


def test_an_outline_does_not_need_well_formed_text():
    text = (
        '<net><layers><layer id="0" name="a" type="X"><data k="v><output><port id="0"></output>'
        '<layer id="1" name=\'b\' type="If"><then_body><layers><layer id="0" name="c"/></layers></then_body>'
        '</layer></layers><edges><edge from-layer="0" to-layer=></edges>'
    )
    outline = outline_of(text)
    expected = [(0, "a", ()), (1, "b", ()), (0, "c", (1, "then_body"))]
    assert [(one.id, one.name, one.graph.path) for one in outline.layers.values()] == expected
    (edge,) = outline.edges.values()
    expected = (0, None, {"from-layer": "0", "to-layer": ""})
    assert (edge.from_layer, edge.to_layer, values(text, edge.node)) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("<", ("tag", "", "")),
        ("<lay", ("tag", "lay", "")),
        ("<layer ", ("attribute", "", "")),
        ('<layer id="0" na', ("attribute", "na", "")),
        ('<layer id="0" type="Re', ("value", "Re", "type")),
        ("<layer type='", ("value", "", "type")),
    ],
)
def test_the_tag_that_is_typed_is_known_from_the_text_before_the_cursor(typed, expected):
    start = tag_start(f"<net>{typed}", 5 + len(typed))
    assert (start.what, start.word, start.attribute) == expected


@pytest.mark.parametrize("typed", ["", "text", "<layer/>", '<layer id="0">', "<layer id=0 "])
def test_outside_of_tags_nothing_is_typed(typed):
    assert tag_start(f"<net>{typed}", 5 + len(typed)) is None


ANSWER = Checked(outputs={((), 7): ("f32[]",)})


class Worker:
    """Stands for the worker process: what happens at each request, in order."""

    def __init__(self, *events):
        self.events = list(events)

    def ask(self, _):
        return self.events.pop(0)()

    def interrupt(self):
        pass


def died():
    raise ProcessDied("the process ended by SIGKILL", "")


async def checked(checks, worker):
    """The result of a check of an open model by a worker."""
    results = []

    async def publish(_document, _text, result):
        results.append(result)

    checks._publish, checks._worker = publish, worker
    document = Document("file:///model.xml", "<net/>", 1)
    checks.changed(document, at_once=True)
    await checks.current(document, 60)
    checks.stop()
    (result,) = results
    return result


@pytest.fixture
def checks():
    return Checks(ServerOptions(), lambda *_: None)


def test_a_process_that_ended_before_the_check_is_started_again(checks):
    assert asyncio.run(checked(checks, Worker(died, lambda: ANSWER))) == ANSWER


def test_a_process_that_fails_twice_is_reported(checks):
    result = asyncio.run(checked(checks, Worker(died, died)))
    (finding,) = result.findings
    assert finding.message == "the process that checks the text failed: the process ended by SIGKILL"


def test_a_check_that_is_interrupted_is_done_again_however_often(checks):
    def interrupted():
        checks._interrupt()
        died()

    worker = Worker(died, interrupted, interrupted, lambda: ANSWER)
    assert asyncio.run(checked(checks, worker)) == ANSWER


def test_a_process_that_needs_too_much_memory_is_reported():
    checks = Checks(ServerOptions(Limits(process_bytes=16 << 20)), lambda *_: None)
    (finding,) = asyncio.run(checked(checks, checks._worker)).findings
    assert "uses more than 16,777,216 bytes of memory (process_bytes)" in finding.message

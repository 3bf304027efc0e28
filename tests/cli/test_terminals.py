"""When output has colours, of which help has none; and tables that fold to COLUMNS, and never in a pipe."""

import io
import re

import pytest
from tables import table

import irops as package
from irops.cli.streams import uses_colour

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
LONG = "a_layer_name_that_an_exporter_made_of_the_path_of_a_module/encoder/block_12/attention/output"
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("variables", "on_a_terminal", "in_a_pipe"), table(__file__, "variables_of_the_environment_decide")
)
def test_variables_of_the_environment_decide(variables, on_a_terminal, in_a_pipe, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (uses_colour(Terminal()), uses_colour(io.StringIO())) == (on_a_terminal, in_a_pipe)


def test_an_option_decides_on_colours_for_one_command(irops, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    words = ("explain", "IR202")
    assert ESCAPE.search(irops(*words, "--color", "always").out)
    assert not ESCAPE.search(irops(*words).out)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not ESCAPE.search(irops(*words, "--color", "never").out)
    assert ESCAPE.search(irops(*words).out)


def test_verbose_says_which_files_were_read_and_how_long_it_took(irops, net, tmp_path):
    package.write(net("x: f32[3]; log: Log x; y: Result log"), tmp_path / "m.xml")
    for words in (("check",), ("infer",), ("run", "--fill", "ones")):
        said = irops(*words, tmp_path / "m.xml", "--verbose").err.splitlines()
        assert f"irops {words[0]}: read {tmp_path / 'm.xml'}" in said
        assert re.fullmatch(rf"irops {words[0]}: \d+\.\d\d s", said[-1])


def test_what_was_written_is_opened(irops, net, tmp_path, monkeypatch):
    package.write(net("x: f32[3]; log: Log x; y: Result log"), tmp_path / "m.xml")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or len(opened) < 2)
    for name in ("d.html", "e.json"):
        result = irops("diff", tmp_path / "m.xml", tmp_path / "m.xml", "-o", tmp_path / name, "--open")
        assert opened[-1] == (tmp_path / name).as_uri()
        assert ("no browser was found" in result.err) is (name == "e.json")


@pytest.mark.parametrize("words", [("--help",), ("check", "--help"), ("check", "--strit")])
def test_help_and_usage_have_no_colours(words, irops, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = irops(*words)
    assert "usage: irops" in result.out + result.err
    assert not ESCAPE.search(result.out + result.err)


@pytest.fixture
def model(reversing):
    reversing.write_text(reversing.read_text().replace('"reversed"', f'"{LONG}"'))
    return reversing


@pytest.mark.parametrize(
    "words",
    [
        ("infer", "MODEL"),
        ("run", "MODEL", "--fill", "ones", "--keep", LONG),
        ("ops", "--category", "movement"),
        ("inspect", "MODEL"),
    ],
)
def test_a_table_in_a_pipe_has_one_line_per_row(words, irops, model, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    words = tuple(str(model) if word == "MODEL" else word for word in words)
    out = irops(*words).out
    assert words[0] == "inspect" or any(len(line) > 100 for line in out.splitlines())
    for columns in (40, 60, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        folded = irops(*words).out
        assert all(len(line) <= columns for line in folded.splitlines())
        assert len(folded.splitlines()) >= len(out.splitlines())


def test_a_name_of_any_length_gives_a_bounded_table(irops, model):
    """Every row of a table is as wide as the widest."""
    model.write_text(model.read_text().replace(LONG, "n" * 100_000))
    assert len(irops("infer", model).out) < 1_000_000


@pytest.mark.parametrize("columns", ["0", "x", "-3", "99999999999", ""])
def test_columns_that_are_no_width_are_ignored(columns, irops, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    assert LONG in irops("infer", model).out


def test_text_is_wrapped_to_columns(irops, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    lines = irops("explain", "IR202").out.splitlines()
    assert 40 < max(map(len, lines)) <= 60

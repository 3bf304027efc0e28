"""Tables fold to COLUMNS or to the terminal, and never in a pipe."""

import pytest

LONG = "a_layer_name_that_an_exporter_made_of_the_path_of_a_module/encoder/block_12/attention/output"


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

"""A result that is kept is what a check would give, or it is not used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irops.cache import identity
from irops.cache.entries import usage
from irops.cache.identity import everything
from irops.cli import check as check_command
from irops.cli import check_cache
from irops.diagnostics.reporters import FORMATS
from irops.diagnostics.stored import report_as_text, report_of_text

Irops = Callable[..., Any]
ROOT = Path(__file__).parents[2]
RULES = ROOT / "tests" / "rules"
FAULTY = sorted(RULES.glob("IR*.xml"))
FILES = {
    "clean": ROOT / "examples" / "bidirectional_encoder" / "model.xml",
    "faulty": RULES / "IR401.xml",
    "warned": RULES / "IR208.xml",
    "fixable": RULES / "IR106.xml",
    "unread": RULES / "IR010.xml",
}


@pytest.fixture
def entries(cache_of_the_tests: Path) -> Callable[[], int]:
    """The number of results that are kept."""
    return lambda: usage(str(cache_of_the_tests / "check"))[0]


@pytest.fixture
def from_cache(irops: Irops, monkeypatch: pytest.MonkeyPatch) -> Irops:
    """Calls irops, and fails if a file is checked."""

    def call(*words: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(check_command, "_checker", lambda *_: pytest.fail("a file is checked"))
            return irops(*words)

    return call


@pytest.fixture
def is_kept(irops: Irops, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """Whether a call takes its result from the cache."""

    def call(*words: Any) -> bool:
        checked = []
        real = check_command._checker
        with monkeypatch.context() as patch:
            patch.setattr(check_command, "_checker", lambda *rest: checked.append(1) or real(*rest))
            irops(*words)
        return not checked

    return call


def files() -> list[Any]:
    return [pytest.param(path, id=name) for name, path in FILES.items() if path.exists()]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("file", files())
def test_all_formats_are_the_same_from_the_cache(
    file: Path, form: str, irops: Irops, from_cache: Irops
) -> None:
    words = ("check", file, "--output-format", form)
    assert irops(*words, "--no-cache") == irops(*words) == from_cache(*words)


@pytest.mark.parametrize(
    "options",
    [
        ("--strict",),
        ("--quiet",),
        ("--why",),
        ("--exit-zero",),
        ("--select", "IR2"),
        ("--ignore", "IR4"),
        ("--target", "2023.0"),
        ("--limit", "findings=1"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("file", files())
def test_all_options_give_the_same_from_the_cache(
    file: Path, options: tuple[str, ...], irops: Irops, from_cache: Irops
) -> None:
    words = ("check", file, *options)
    assert irops(*words, "--no-cache") == irops(*words) == from_cache(*words)


def test_the_colours_of_a_terminal_are_the_same(
    irops: Irops, from_cache: Irops, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    words = ("check", FILES["faulty"])
    assert irops(*words, "--no-cache") == irops(*words) == from_cache(*words)


@pytest.mark.slow("all rules, through files")
def test_reports_of_all_rules_are_read_back_as_they_were(irops: Irops, from_cache: Irops) -> None:
    for file in FAULTY:
        first, again = irops("check", file), irops("check", file)
        assert first == again, file.name


def test_a_baseline_applies_to_kept_results(irops: Irops, from_cache: Irops, tmp_path: Path) -> None:
    accepted = tmp_path / "accepted.json"
    irops("check", FILES["faulty"])
    from_cache("check", FILES["faulty"], "--write-baseline", accepted)
    words = ("check", FILES["faulty"], "--baseline", accepted)
    assert from_cache(*words) == irops(*words, "--no-cache")
    assert "known finding" in from_cache(*words).out


@pytest.mark.slow("many processes")
def test_several_processes_share_results(irops: Irops, tmp_path: Path, entries: Any) -> None:
    for n in range(5):
        (tmp_path / f"m{n}.xml").write_bytes(FILES["faulty"].read_bytes())
    first = irops("check", tmp_path, "-j", "2", "--output-format", "json")
    assert entries() == 5
    assert irops("check", tmp_path, "-j", "2", "--output-format", "json") == first
    assert irops("check", tmp_path, "-j", "1", "--output-format", "json") == first


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of an example with its weights, which were not written just now."""
    source = FILES["clean"]
    for suffix in (".xml", ".bin"):
        (tmp_path / f"m{suffix}").write_bytes(source.with_suffix(suffix).read_bytes())
    time.sleep(0.15)
    return tmp_path / "m.xml"


def test_any_change_of_the_files_is_a_miss(
    model: Path, is_kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = model.with_suffix(".bin")
    assert not is_kept("check", model)
    assert is_kept("check", model)
    text = model.read_bytes()
    model.write_bytes(text + b"\n")
    assert not is_kept("check", model)
    model.write_bytes(text)
    assert is_kept("check", model)  # the content counts, not the time
    content = weights.read_bytes()
    weights.write_bytes(content[::-1])
    monkeypatch.setattr(identity, "is_recent_time", lambda _: True)
    assert not is_kept("check", model)
    monkeypatch.setattr(identity, "is_recent_time", lambda _: False)
    assert not is_kept("check", model)
    assert is_kept("check", model)
    weights.chmod(0o640)
    assert not is_kept("check", model)
    weights.rename(weights.with_suffix(".old"))
    assert not is_kept("check", model)


def test_a_result_is_not_kept_while_the_weights_change(
    model: Path, is_kept: Any, entries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.with_suffix(".bin").write_bytes(b"")
    monkeypatch.setattr(identity, "is_recent_time", lambda _: True)
    assert not is_kept("check", model)
    assert entries() == 0


def test_a_file_that_changes_during_the_check_is_not_kept(
    model: Path, irops: Irops, entries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from irops.cli import checking

    real = checking.check

    def check(path: str, *rest: Any, **more: Any) -> Any:
        report = real(path, *rest, **more)
        model.write_bytes(model.read_bytes() + b"\n")
        return report

    monkeypatch.setattr(checking, "check", check)
    irops("check", model)
    assert entries() == 0


def test_any_change_of_the_options_is_a_miss(model: Path, is_kept: Any) -> None:
    for options in (
        (),
        ("--select", "IR2"),
        ("--select", "IR4"),
        ("--ignore", "IR4"),
        ("--why",),
        ("--target", "2023.0"),
        ("--target", "2023.1"),
        ("--limit", "depth=100"),
        ("--weights", model.with_suffix(".bin")),
    ):
        assert not is_kept("check", model, *options), options
        assert is_kept("check", model, *options), options
        assert is_kept("check", model, *options, "--output-format", "json"), options


def test_any_change_of_the_program_is_a_miss(
    model: Path, is_kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_kept("check", model)
    changes: tuple[Callable[[], Any], ...] = (
        lambda: monkeypatch.setattr("irops.__version__", "99"),
        lambda: monkeypatch.setattr(sys, "version", "3.99"),
        lambda: monkeypatch.setenv("IROPS_DISABLE", "scanner"),
        lambda: monkeypatch.setattr(identity, "tree", lambda folder: [folder]),
        lambda: monkeypatch.setattr(identity, "_library", lambda name: [name, "2"]),
    )
    try:
        for change in changes:
            change()
            everything.cache_clear()
            assert not is_kept("check", model)
            assert is_kept("check", model)
    finally:
        monkeypatch.undo()
        everything.cache_clear()


def test_a_model_under_another_name_is_a_miss(model: Path, is_kept: Any) -> None:
    assert not is_kept("check", model)
    other = model.with_name("other.xml")
    other.write_bytes(model.read_bytes())
    other.with_suffix(".bin").write_bytes(model.with_suffix(".bin").read_bytes())
    assert not is_kept("check", other)


def test_a_change_of_a_file_of_irops_is_seen(tmp_path: Path) -> None:
    from irops.cache.identity import tree

    (tmp_path / "part").mkdir()
    file = tmp_path / "part" / "module.py"
    file.write_text("x = 1\n")
    before = tree(str(tmp_path))
    assert before == tree(str(tmp_path))
    file.write_text("x = 2\n")
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))  # where two writes may have the same time
    assert before != tree(str(tmp_path))
    (tmp_path / "more.xml").write_text("<a/>")
    assert len(tree(str(tmp_path))) == 2


@pytest.mark.parametrize(
    "words",
    [("--no-cache",), ("--limit", "seconds=0.000000001"), ("--fix",), ("--diff",), ("--definitions", ".")],
)
def test_some_results_are_not_kept(words: tuple[str, ...], model: Path, irops: Irops, entries: Any) -> None:
    irops("check", model, *words)
    assert entries() == 0


def test_what_is_not_read_is_not_kept(tmp_path: Path, irops: Irops, entries: Any) -> None:
    (tmp_path / "pipe.txt").write_text("x")
    irops("check", tmp_path / "absent.xml", tmp_path / "pipe.txt", tmp_path)
    assert entries() == 0


def test_the_cache_can_be_turned_off(
    model: Path, irops: Irops, is_kept: Any, entries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    irops("check", model)
    assert not is_kept("check", model, "--no-cache")
    monkeypatch.setenv("IROPS_DISABLE", "cache")
    assert not is_kept("check", model)
    assert entries() == 1


def test_nothing_is_kept_while_memory_is_limited(
    model: Path, irops: Irops, entries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_cache, "_memory_is_limited", lambda: True)
    irops("check", model)
    assert entries() == 0


def test_results_of_custom_rules_are_not_kept(
    model: Path, irops: Irops, entries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irops.diagnostics.rules._CUSTOM", {})
    monkeypatch.chdir(ROOT / "examples" / "naming_rules")
    irops("check", model, "--config", "irops.toml")
    assert entries() == 0


def test_a_damaged_entry_is_checked_again(
    model: Path, irops: Irops, is_kept: Any, cache_of_the_tests: Path
) -> None:
    first = irops("check", model)
    for path in (cache_of_the_tests / "check").rglob("?" * 64):
        path.write_bytes(path.read_bytes()[:-1])
    assert not is_kept("check", model)
    assert irops("check", model) == first


def test_a_folder_that_cannot_be_written_is_no_error(
    model: Path, irops: Irops, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IROPS_CACHE_DIR", "/dev/null/cache")
    result = irops("check", model)
    assert (result.status, result.err) == (0, "")
    assert irops("cache").out.startswith("/dev/null/cache\n  0 results of checks, 0 bytes\n")
    assert irops("cache", "clean").status == 0


def test_standard_input_is_kept_by_its_content(
    model: Path, is_kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def piped(text: bytes) -> None:
        import io

        monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": io.BytesIO(text)}))

    text = model.read_bytes()
    for content, kept in ((text, False), (text, True), (text + b" ", False)):
        piped(content)
        assert is_kept("check", "--stdin-filename", model) is kept


@pytest.mark.slow("starts a process")
def test_a_kept_result_needs_neither_numpy_nor_the_registry(model: Path) -> None:
    code = (
        "import sys; from irops.cli.main import main; main(['check', sys.argv[1]]);"
        " heavy = {'numpy', 'lxml', 'networkx', 'rich', 'irops.registry', 'irops.analysis', 'socket'};"
        " print(sorted(heavy & set(sys.modules)))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, model], capture_output=True, text=True, check=True, env=os.environ
        ).stdout.splitlines()[-1]
        for _ in range(2)
    ]
    assert "numpy" in outputs[0]
    assert outputs[1] == "[]"


def test_the_command_shows_and_removes_what_is_kept(
    model: Path, irops: Irops, cache_of_the_tests: Path
) -> None:
    irops("check", model)
    shown = irops("cache").out.splitlines()
    assert shown[0] == str(cache_of_the_tests)
    assert shown[1].startswith("  1 result of checks, ")
    assert irops("cache", "-q").out == f"{cache_of_the_tests}\n"
    removed = json.loads(irops("cache", "clean", "--output-format", "json").out)
    assert (removed["version"], removed["removed"]) == (1, True)
    assert removed["kinds"]["check"]["entries"] == 1
    assert json.loads(irops("cache", "--output-format", "json").out)["kinds"]["check"] == {
        "entries": 0,
        "bytes": 0,
    }
    assert not (cache_of_the_tests / "check").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"path": 1}',
        '{"path": "a", "diagnostics": [[]]}',
        '{"path": "a", "diagnostics": [1]}',
        "[" * 99999,
    ],
)
def test_what_is_no_report_is_refused(text: str) -> None:
    assert report_of_text(text) is None


def test_reports_with_odd_texts_are_read_back() -> None:
    from irops.diagnostics.diagnostic import Diagnostic, Location
    from irops.diagnostics.fix import Edit, Fix
    from irops.diagnostics.report import Report
    from irops.diagnostics.rules import rule

    place = Location("a\udcff.xml", 1, None, 3, "\x00\u2028", ("loop", "body"), ("  <a ", 'b="ü"/>'))
    fix = Fix("write it", (Edit(1, 2, "é"),))
    found = Diagnostic(rule("IR401"), "m" * 3000, place, "Add-1:C1", "f", ("n",), None, fix)
    report = Report((found,), "a\udcff.xml")
    text = report_as_text(report)
    assert text is not None
    read = report_of_text(text)
    assert read == report
    assert read is not None
    assert read.diagnostics[0].location.excerpt == place.excerpt

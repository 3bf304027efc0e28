"""What a report consists of, whatever the survey is."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise

import pytest
from survey_rows import TASKS, finding, many_rows, row, with_findings

from irops.surveys.report import index_page, model_page, write
from irops.surveys.report.write import write_report
from irops.surveys.row import STATUSES


def index_of(folder):
    return (folder / "index.html").read_text(encoding="utf-8")


def data_of(folder):
    [text] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', index_of(folder))
    return json.loads(text)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.html")}


def test_equal_rows_give_equal_files(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_report(tmp_path / name, many_rows(60), {"tasks": ["check"]}, against=many_rows(50, 1))
    first, second = files_of(tmp_path / "a"), files_of(tmp_path / "b")
    assert first == second
    assert len(first) > 10


def test_every_page_that_the_index_names_exists_and_no_other(tmp_path):
    write_report(tmp_path, many_rows(60))
    named = {page for page in data_of(tmp_path)["pages"] if page}
    assert {path.name for path in (tmp_path / "models").iterdir()} == named
    assert 0 < len(named) < 60


def test_a_page_needs_nothing_from_elsewhere(tmp_path):
    write_report(tmp_path, many_rows(20), {"models": ["s3://bucket/zoo"]})
    for text in map(bytes.decode, files_of(tmp_path).values()):
        assert not re.search(r"src\s*=|<link|@import|url\(", text)
        elsewhere = [link for link in re.findall(r'<a href="([^"]*)', text) if ":" in link]
        assert all(re.search(r"/rules/IR\d+\.html$", link) for link in elsewhere)
        assert "default-src 'none'" in text


def test_only_the_script_of_the_page_may_run(tmp_path):
    write_report(tmp_path, [row("a")])
    [script] = re.findall(r"<script>(.*?)</script>", index_of(tmp_path), re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in index_of(tmp_path)


def test_a_page_has_a_language_a_title_and_headings_in_order(tmp_path):
    write_report(tmp_path, many_rows(20), against=many_rows(20, 1))
    for text in map(bytes.decode, files_of(tmp_path).values()):
        assert '<html lang="en">' in text
        assert "<title></title>" not in text
        body = text.partition("<body>")[2].partition("<script")[0]
        levels = [int(level) for level in re.findall(r"<h(\d)", body)]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))


def test_totals_are_on_the_page_without_scripts(tmp_path):
    write_report(tmp_path, [row("a"), row("b", status="fail", **with_findings(finding("IR402")))])
    text = index_of(tmp_path).partition("<script")[0]
    assert "2 cells of 1 task: 1 of 2 models" in text
    assert "<noscript>" in text
    assert re.search(r'href="#task=check&amp;status=fail">1<', text)
    assert 'href="#rule=IR402"' in text
    assert 'href="#op=ReLU-1&amp;at=findings"' in text


def test_an_empty_survey_has_a_page(tmp_path):
    write_report(tmp_path, [])
    assert "The survey has no results." in index_of(tmp_path)
    assert data_of(tmp_path)["models"] == []
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize("status", STATUSES)
def test_a_survey_of_one_status_has_a_page(tmp_path, status):
    write_report(tmp_path, [row(f"m{n}", task, status) for n in range(3) for task in TASKS])
    assert f'</span></a></th><td class="number"><a href="#task=check&amp;status={status}">3</a>' in index_of(
        tmp_path
    )


def test_the_data_say_what_the_rows_say(tmp_path):
    findings = with_findings(
        *(finding("IR402", message=f"m{n}") for n in range(9)), finding("IR305", op=None)
    )
    rows = [
        row("a", ops={"ReLU-1": 2}),
        row("a", "infer", "warn", 0.12345),
        row("b", status="fail", **findings),
    ]
    write_report(tmp_path, rows, against=[row("a", status="crash"), row("c")])
    data = data_of(tmp_path)
    assert data["models"] == ["a", "b", "c"]
    assert data["tasks"] == ["check", "infer"]
    check, infer = data["columns"]
    assert (check["letters"], infer["letters"]) == ("pf.", "w..")
    assert (check["before"], check["changes"]) == ("c.p", "+ng")
    assert infer["seconds"] == [0.123, -1, -1]
    assert [data["ops"][number] for number in data["opSets"][data["modelOps"][0]]] == ["ReLU-1"]
    assert check["totals"] == {"1": 10}
    assert [data["codes"][number][0] for number in data["codeSets"][check["codes"]["1"]]] == [
        "IR305",
        "IR402",
    ]
    notes = check["notes"]["1"]
    assert [data["texts"][note[2]] for note in notes] == [f"m{n}" for n in range(index_page.FINDINGS)]
    assert data["codes"][notes[0][0]] == ["IR402", "violated-constraint", "error"]


def test_the_findings_in_the_index_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(index_page, "MAX_TEXTS", 4000)
    detail = [with_findings(*(finding(message=f"{n} {k} " + "x" * 100) for k in range(9))) for n in range(40)]
    write_report(tmp_path, [row(f"m{n:02}", status="fail", **detail[n]) for n in range(40)])
    [column] = data_of(tmp_path)["columns"]
    counts = [len(column["notes"].get(str(n), ())) for n in range(40)]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-1], 1 in counts) == (index_page.FINDINGS, 0, True)
    assert column["totals"] == {str(n): 9 for n in range(40)}
    assert sum(map(len, data_of(tmp_path)["texts"])) < 5000


def test_models_beyond_the_bound_are_not_in_the_matrix(tmp_path, monkeypatch):
    monkeypatch.setattr(index_page, "MAX_MODELS", 5)
    write_report(tmp_path, [row(f"m{n}") for n in range(8)])
    assert len(data_of(tmp_path)["models"]) == 5
    assert "The matrix has 5 of 8 models" in index_of(tmp_path)
    assert "8 of 8 models" in index_of(tmp_path)


def test_the_size_of_the_index_page_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "MAX_PAGES", 3)
    for name in ("MAX_MODELS", "MAX_SOUND", "MAX_NAMES", "MAX_TEXTS"):
        monkeypatch.setattr(index_page, name, getattr(index_page, name) // 50)
    sizes = []
    for count in (1000, 3000):
        folder = tmp_path / str(count)
        folder.mkdir()
        found = [with_findings(finding(message=f"{n} " + "x" * 200)) for n in range(count)]
        rows = (row(f"{n:06}.xml", status="fail" if n % 3 else "pass", **found[n]) for n in range(count))
        write_report(folder, rows)
        sizes.append(len(index_of(folder)))
        assert f"of {count:,} models; results.csv has all of them" in index_of(folder)
    assert abs(sizes[1] - sizes[0]) < 1000


def test_the_number_of_pages_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "MAX_PAGES", 3)
    write_report(tmp_path, [row(f"m{n}", status="fail") for n in range(8)])
    assert len(list((tmp_path / "models").iterdir())) == 3


def test_a_page_of_a_model_is_bounded_and_counts_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(model_page, "MAX_BYTES", 2000)
    detail = {**with_findings(*(finding(message="x" * 400) for _ in range(20))), "counts": {"IR402": 700}}
    write_report(tmp_path, [row("a", status="fail", **detail)])
    text = (tmp_path / "models" / "1-a.html").read_text()
    listed = text.count('<li class="error">')
    assert 0 < listed < 6
    assert f"{700 - listed} more findings are not listed" in text


def test_the_page_of_a_model_has_its_rows_and_the_source_line(tmp_path):
    one = {**finding(), "excerpt": ["  ", '<layer id="1">']}
    comparison = {"first": {"layer": "conv", "op": "Convolution-1", "verdict": "wrong"}}
    write_report(
        tmp_path,
        [
            row("zoo/a.xml", status="fail", **with_findings(one), ops={"ReLU-1": 2, "Add-1": 3}),
            row("zoo/a.xml", "compare:reference,openvino:CPU", "fail", **comparison),
            row("zoo/a.xml", "infer", "crash", message="the process was killed by SIGSEGV"),
        ],
    )
    text = (tmp_path / "models" / "1-a.xml.html").read_text()
    assert "line 12, column 4, layer <bdi>layer</bdi>, ReLU-1" in text
    assert "<mark>&lt;</mark>layer id=&quot;1&quot;&gt;" in text
    assert "<bdi>Convolution-1</bdi>" in text
    assert "the process was killed by SIGSEGV" in text
    assert "2 op versions, 5 layers" in text
    assert 'href="../index.html"' in text


def test_findings_that_several_tasks_have_are_listed_once(tmp_path):
    detail = with_findings(finding(message="only once"))
    write_report(tmp_path, [row("a", task, "fail", **detail) for task in ("check", "infer")])
    text = (tmp_path / "models" / "1-a.html").read_text()
    assert text.count("only once") == 1
    assert "The same findings as check." in text


def test_a_second_report_replaces_the_first(tmp_path):
    write_report(tmp_path, [row("a", status="fail"), row("b", status="fail")])
    write_report(tmp_path, [row("b", status="fail"), row("c")])
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["1-b.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "models"]


def test_a_folder_with_other_files_is_not_replaced(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "resnet.xml").write_text("<net/>")
    with pytest.raises(FileExistsError, match="files other than pages of models"):
        write_report(tmp_path, [row("a", status="fail")])
    assert (tmp_path / "models" / "resnet.xml").read_text() == "<net/>"


def test_a_report_that_cannot_be_written_leaves_the_one_before(tmp_path):
    write_report(tmp_path, [row("a", status="fail")])
    before = files_of(tmp_path)

    def rows():
        yield row("b", status="fail")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_report(tmp_path, rows())
    assert files_of(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "models"]

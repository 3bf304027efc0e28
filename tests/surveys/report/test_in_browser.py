"""The page of a survey in Chromium: filters, sorting, findings, keys, its width, and the hash of its URL."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from built_site.browser import CHROMIUM, overflowing, result_of
from survey_rows import finding, many_rows, row, with_findings

from irops.surveys.report.write import write_report

pytestmark = [
    pytest.mark.slow("a browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no browser here"),
    pytest.mark.timeout(300),
]
BEGIN = """
const made = await frame("/index.html" + %(hash)s, 1280);
const page = made.contentWindow, at = made.contentDocument;
const get = id => at.getElementById(id);
const text = element => element ? element.textContent.replace(/\\s+/g, " ").trim() : null;
const names = () => [...at.querySelectorAll("#grid tbody th")].map(text);
const set = (id, value) => {
  get(id).value = value;
  get(id).dispatchEvent(new page.Event("input", {bubbles: true}));
};
const tick = (group, name) => {
  const label = [...get(group).querySelectorAll("label")].find(one => one.classList.contains(name));
  label.querySelector("input").click();
};
const press = (key, target) => {
  const event = new page.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
  (target || get("grid")).dispatchEvent(event);
};
const hash = () => at.location.hash;
const sort = key => at.querySelector(`th[data-sort="${key}"] button`).click();
"""
HOSTILE = "<img src=x onerror=alert(1)>\u202e</script>"


def in_page(folder, profile, script, hash=""):
    return result_of(folder, BEGIN % {"hash": json.dumps(hash)} + script, profile, 120)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    at_relu = with_findings(finding("IR402", message="shapes [1] and [2] differ", layer="block/conv"))
    at_add = with_findings(finding("IR305", name="deprecated", severity="warning", op="Add-1", line=None))
    rows = [
        row("zoo/alpha.xml", seconds=3.0, ops={"ReLU-1": 1}),
        row("zoo/alpha.xml", "infer", seconds=1.0),
        row("zoo/beta.xml", status="fail", seconds=0.5, ops={"ReLU-1": 9, "Add-1": 2}, **at_relu),
        row("zoo/beta.xml", "infer", "crash", seconds=0.1, message="the process was killed by SIGSEGV"),
        row("zoo/gamma.xml", status="warn", seconds=9.0, ops={"Add-1": 2}, **at_add),
        row("zoo/gamma.xml", "infer"),
        row(f"zoo/{HOSTILE}.xml", status="fail", **with_findings(finding(message=HOSTILE, layer=HOSTILE))),
    ]
    earlier = [row("zoo/alpha.xml", status="fail"), row("zoo/beta.xml"), row("zoo/delta.xml")]
    write_report(
        folder, sorted(rows, key=lambda one: one.place), against=sorted(earlier, key=lambda one: one.place)
    )
    return folder


ALPHA, BETA, DELTA, GAMMA = (f"zoo/{name}.xml" for name in ("alpha", "beta", "delta", "gamma"))


def test_filters_select_models_and_are_kept_in_the_url(report, tmp_path):
    script = """
    const out = {all: names().length, count: text(get("count"))};
    tick("status", "fail"); out.fail = names(); out.fail_hash = hash();
    tick("status", "crash"); out.fail_or_crash = names().length;
    set("task", "infer"); out.crash_of_infer = names(); get("clear").click();
    set("text", "SIGSEGV"); out.message = names();
    set("text", "alpha zoo"); out.words = names();
    set("text", "nothing of this"); out.nothing = [names(), text(get("count"))]; get("clear").click();
    set("rule", "IR402"); out.rule = names();
    set("rule", "deprec"); out.rule_name = names(); get("clear").click();
    set("op", "Add-1"); out.op = names(); set("at", "findings"); out.op_with_findings = names();
    out.op_hash = hash(); get("clear").click(); out.cleared = [names().length, hash()];
    for (const change of ["better", "worse", "new", "gone"]) {
      tick("change", change); out[change] = names(); get("clear").click();
    }
    return out;
    """
    found = in_page(report, tmp_path, script)
    hostile = next(name for name in found["fail"] if "img" in name)
    assert (found["all"], found["count"]) == (5, "5 of 5 models")
    assert found["fail"] == [hostile, BETA]
    assert found["fail_hash"] == "#status=fail"
    assert found["fail_or_crash"] == 2
    assert found["crash_of_infer"] == [BETA]
    assert found["message"] == [BETA]
    assert found["words"] == [ALPHA]
    assert found["nothing"] == [[], "0 of 5 models"]
    assert found["rule"] == [hostile, BETA]
    assert found["rule_name"] == [GAMMA]
    assert found["op"] == [BETA, GAMMA]
    assert found["op_with_findings"] == [GAMMA]
    assert found["op_hash"] == "#op=Add-1&at=findings"
    assert found["cleared"] == [5, "#text="]
    assert (found["better"], found["worse"], found["gone"]) == ([ALPHA], [BETA], [DELTA])
    assert found["new"] == [hostile, ALPHA, BETA, GAMMA]


def test_a_url_restores_the_view(report, tmp_path):
    script = """
    return {names: names(), text: get("text").value, ticked: at.querySelectorAll("#status :checked").length,
      sorted: at.querySelector("[aria-sort]").dataset.sort, panel: text(get("panel").querySelector("h3"))};
    """
    wanted = f"#text=zoo&status=warn,pass&sort=-seconds&model={GAMMA}"
    assert in_page(report, tmp_path, script, wanted) == {
        "names": [GAMMA, ALPHA],
        "text": "zoo",
        "ticked": 2,
        "sorted": "seconds",
        "panel": GAMMA,
    }


def test_a_url_with_anything_else_is_no_error(report, tmp_path):
    script = 'return [names().length, text(get("count")), get("panel").hidden];'
    wanted = "#status=none,__proto__&sort=-__proto__&task=__proto__x&model=nothing&text=%E0%A4%A"
    assert in_page(report, tmp_path, script, wanted)[2] is True
    assert in_page(report, tmp_path / "b", script, "#sort=constructor") == [5, "5 of 5 models", True]


def test_columns_sort_in_both_directions(report, tmp_path):
    script = """
    const out = {};
    for (const key of ["name", "task check", "task infer", "worst", "findings", "seconds", "change"]) {
      sort(key); const first = [names(), at.querySelector("[aria-sort]").getAttribute("aria-sort")];
      sort(key); out[key] = [...first, names()];
    }
    return out;
    """
    found = in_page(report, tmp_path, script)
    in_order = found["name"][2]
    assert in_order == sorted(in_order)
    assert found["name"][:2] == [in_order[::-1], "descending"]
    assert found["seconds"][0][:2] == [GAMMA, ALPHA]
    assert found["seconds"][1] == "descending"
    assert found["seconds"][2][0] == DELTA
    assert found["task infer"][0][0] == BETA
    assert found["worst"][0][0] == BETA
    assert found["change"][0][0] == BETA


def test_keys_choose_a_model_and_open_its_findings(report, tmp_path):
    script = """
    const out = {};
    press("/", at.body); out.focus = at.activeElement.id;
    get("grid").focus(); press("Home"); press("ArrowDown"); press("ArrowDown"); press("Enter");
    out.panel = text(get("panel")); out.hash = hash();
    out.active = text(get(get("grid").getAttribute("aria-activedescendant")).querySelector("th"));
    press("ArrowDown"); out.next = text(get("panel").querySelector("h3"));
    press("Escape", at.body); out.closed = [get("panel").hidden, at.activeElement.id, hash()];
    press("End"); press("Enter"); out.last = text(get("panel").querySelector("h3"));
    out.link = get("panel").querySelector("a").getAttribute("href");
    at.querySelector("#grid tbody th").click(); out.clicked = text(get("panel").querySelector("h3"));
    get("close").click(); out.closed_by_button = get("panel").hidden;
    return out;
    """
    found = in_page(report, tmp_path, script)
    assert found["focus"] == "text"
    assert found["active"] == BETA
    assert "IR402 violated-constraint, error: shapes [1] and [2] differ" in found["panel"]
    assert "line 12, layer block/conv, ReLU-1" in found["panel"]
    assert "before: pass" in found["panel"]
    assert "the process was killed by SIGSEGV" in found["panel"]
    assert found["hash"] == "#model=zoo%2Fbeta.xml"
    assert found["next"] == DELTA
    assert found["closed"] == [True, "grid", "#text="]
    assert found["last"] == GAMMA
    assert (report / found["link"]).is_file()
    assert "img" in found["clicked"]
    assert found["closed_by_button"] is True


def test_texts_of_models_make_no_elements(report, tmp_path):
    script = """
    set("text", "img"); at.querySelector("#grid tbody th").click();
    return [at.querySelectorAll("img").length, text(get("panel").querySelector("li bdi")),
      at.querySelectorAll("script").length];
    """
    assert in_page(report, tmp_path, script) == [0, HOSTILE.replace("\u202e", "\\u202e"), 2]


def test_links_of_totals_set_the_filter(report, tmp_path):
    script = """
    at.querySelector("a[href='#task=infer&status=crash']").click();
    await new Promise(next => setTimeout(next, 300));
    const totals = [names(), get("task").value];
    at.querySelector("a[href='#rule=IR305']").click();
    await new Promise(next => setTimeout(next, 300));
    const rule = names();
    at.querySelector("nav a[href='#coverage']").click();
    await new Promise(next => setTimeout(next, 300));
    return [...totals, rule, names()];
    """
    assert in_page(report, tmp_path, script) == [[BETA], "infer", [GAMMA], [GAMMA]]


def test_few_rows_of_many_are_in_the_document(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    write_report(folder, many_rows(3000, tasks=("check",)))
    script = """
    const scroller = get("scroller"), out = {};
    scroller.scrollIntoView();
    const shown = () => {
      const box = scroller.getBoundingClientRect();
      const line = at.elementFromPoint(box.left + 40, box.top + box.height / 2).closest("tr");
      return line.dataset.position === undefined ? -1 : +line.dataset.position;
    };
    for (const place of [0, 1000, 1300, 45000, 44000, 89000, 10]) {
      scroller.scrollTop = place; page.drawInView(false);
      const positions = [...at.querySelectorAll("tr[data-position]")].map(line => +line.dataset.position);
      const inOrder = positions.every((position, index) => position === positions[0] + index);
      const middle = (scroller.scrollTop + scroller.clientHeight / 2) / 30;
      const height = Math.round(scroller.scrollHeight / 30) - 3000;
      out[place] = [positions.length < 120, inOrder, Math.abs(shown() - middle) < 3, height];
    }
    return out;
    """
    found = in_page(folder, tmp_path / "profile", script)
    assert len(found) == 7
    for place, (few, in_order, shown, height) in found.items():
        assert (few, in_order, shown) == (True, True, True), place
        assert 0 <= height <= 3, place


def test_no_page_is_wider_than_a_phone_or_a_desktop(report, tmp_path):
    long = tmp_path / "long"
    long.mkdir()
    name = "folder-of-a-very-long-name" * 9
    write_report(long, [row(f"{name}/{name}.xml", status="fail", **with_findings(finding(message=name)))])
    for folder in (report, long):
        pages = ["index.html", *(f"models/{path.name}" for path in sorted((folder / "models").iterdir()))]
        assert overflowing(folder, pages, [390, 1280], tmp_path / folder.name, 120) == []


def test_the_page_works_from_a_file_without_a_server(report, tmp_path):
    done = subprocess.run(
        [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}",
            "--virtual-time-budget=5000", "--dump-dom", f"{(report / 'index.html').as_uri()}#status=crash",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )  # fmt: skip
    assert 'data-ready="true"' in done.stdout
    assert re.search(r'data-position="0".*zoo/beta\.xml', done.stdout)
    assert 'data-position="1"' not in done.stdout

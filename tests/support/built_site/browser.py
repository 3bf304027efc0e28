"""Runs a script of a page in headless Chromium, over pages of a folder, and returns what it finds."""

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HARNESS = """<!doctype html><meta charset="utf-8"><body><script>
const report = result => fetch("/result", {method: "POST", body: JSON.stringify(result)});
const frame = (path, width) => new Promise(done => {
  const made = document.createElement("iframe");
  made.style = `width:${width}px;height:800px;border:0`;
  made.onload = () => done(made);
  made.src = path;
  document.body.append(made);
});
(async () => { %s })().then(report, error => report({error: String(error)}));
</script>"""
WIDTHS = """
const wide = [], paths = %(paths)s, widths = %(widths)s;
const work = async () => { while (paths.length) {
  const path = paths.shift(), made = await frame("/" + path, widths[0]);
  for (const width of widths) {
    made.style.width = `${width}px`;
    for (let k = 0; k < 2; k++) await new Promise(next => made.contentWindow.requestAnimationFrame(next));
    const found = made.contentDocument.documentElement.scrollWidth;
    if (found > width) wide.push(`${path} at ${width}: ${found}`);
    const tables = [...made.contentDocument.querySelectorAll(".table-wrapper, .rows")];
    const cut = tables.find(table => table.scrollWidth > table.clientWidth + 1);
    if (cut) wide.push(`${path} at ${width}: a table of ${cut.scrollWidth}`);
  }
  made.remove();
} };
await Promise.all([work(), work()]);
return wide;
"""
SEARCHES = """
const found = {};
for (const words of %(queries)s) {
  const made = await frame("/search.html?q=" + encodeURIComponent(words), 1280);
  const links = () => [...made.contentDocument.querySelectorAll("#named-results li a, #search-results li a")];
  for (let turn = 0; turn < 400; turn++) {
    const status = made.contentDocument.querySelector(".search-summary")?.textContent || "";
    if (links().length >= 10 || /finished|found/i.test(status)) break;
    await new Promise(next => setTimeout(next, 50));
  }
  found[words] = links().slice(0, 10).map(link => new URL(link.href).pathname.slice(1));
  made.remove();
}
return found;
"""

AXE = """
const found = [], source = %(axe)s;
for (const path of %(paths)s) {
  const made = await frame("/" + path, 1280);
  made.contentWindow.eval(source);
  for (const theme of ["light", "dark"]) {
    made.contentDocument.body.dataset.theme = theme;
    const { violations } = await made.contentWindow.axe.run();
    found.push(...violations.map(one => `${path} ${theme} ${one.id}: ${one.nodes[0].html}`));
  }
  made.remove();
}
return found;
"""


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, script: str, results: Queue[Any], *args: Any, **kwargs: Any) -> None:
        self.script, self.results = script, results
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        if self.path != "/harness":
            return super().do_GET()
        text = (HARNESS % self.script).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(text)
        return None

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.results.put(json.loads(body))

    def copyfile(self, source: Any, outputfile: Any) -> None:
        with suppress(ConnectionError):  # a frame that is removed does not wait for its files
            super().copyfile(source, outputfile)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


@contextmanager
def _served(folder: Path, script: str, results: Queue[Any]) -> Iterator[str]:
    handler = partial(_Handler, script, results, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/harness"
    finally:
        server.shutdown()


def result_of(folder: Path, script: str, profile: Path, seconds: float) -> Any:
    """What the body of an async function returns in a page beside the pages of a folder.

    The script opens pages by await frame("/PATH", WIDTH).
    """
    results: Queue[Any] = Queue()
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
    with _served(folder, script, results) as url:
        browser = subprocess.Popen(
            [str(CHROMIUM), *options, f"--user-data-dir={profile}", url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            result = results.get(timeout=seconds)
        finally:
            browser.kill()
            browser.wait()
    assert not (isinstance(result, dict) and "error" in result), result
    return result


def overflowing(
    folder: Path, paths: list[str], widths: list[int], profile: Path, seconds: float = 850
) -> list[str]:
    """The pages that are wider than a window of some width, and tables that are wider than their page."""
    script = WIDTHS % {"widths": json.dumps(widths), "paths": json.dumps(paths)}
    result: list[str] = result_of(folder, script, profile, seconds)
    return result


def search_results(
    folder: Path, queries: list[str], profile: Path, seconds: float = 850
) -> dict[str, list[str]]:
    """The first pages that the search of the site shows for each query."""
    result: dict[str, list[str]] = result_of(
        folder, SEARCHES % {"queries": json.dumps(queries)}, profile, seconds
    )
    return result


def axe_faults(folder: Path, paths: list[str], axe: Path, profile: Path, seconds: float = 600) -> list[str]:
    """What the script axe.min.js finds in pages, light and dark: the page, the rule and an element."""
    values = {"axe": json.dumps(axe.read_text("utf-8")).replace("</", "<\\/"), "paths": json.dumps(paths)}
    result: list[str] = result_of(folder, AXE % values, profile, seconds)
    return result

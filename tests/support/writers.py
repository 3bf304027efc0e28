"""Everything in irops that writes files, and the judge of what a failure left: see test_injected_failures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
from injection import KILLED, Point, Program

import irops

ROOT = Path(__file__).parents[2]
FOREIGN = (
    ".m.xml.mybackup.part",
    ".m.xml.0123abcd.part.bak",
    ".out.json.0123abcd.part~",
    "m.xml.bak",
    ".irops-docs-mine/page.html",
    ".models-mine/page.html",
    "cache/notes.txt",
    "report/.models-mine-too/page.html",
)
"""Files of a user whose names resemble those that irops gives to what it writes."""
OWN = re.compile(
    r"\.[^/]+\.[0-9a-f]{8}\.part"  # Pending
    r"|\.[^/]+\.irops-new"
    r"|[0-9a-f]{64}\.[0-9a-f]{8}\.part|\.[0-9a-f]{64}\.lock"  # downloads
    r"|\.(irops-docs|models)-[a-z0-9_]{8}(\.replaced)?(/.*)?"
    r"|trusted\.json\.[0-9a-f]{8}\.part"
)
"""Paths below a folder of outputs that a killed process may leave."""
Content = Callable[[str, bytes], object]


@dataclass(frozen=True, slots=True)
class Writer:
    """A writer of files in the current folder.

    code: what writes; old, setup: code that first makes an earlier state, and imports; pairs: .bin and .xml
    files that belong together; content: what of a file is compared; growing: paths of files that hold what is
    done until then; mark: a file with a text that says that the others were not written to the end; quiet: it
    succeeds although nothing was written, as the cache does; refuses: it does not write over what it wrote;
    reading: calls whose failure is not the writer's own, but a result, which the same command replaces
    """

    code: str
    old: str = ""
    setup: str = "from irops.cli.main import main"
    pairs: tuple[tuple[str, str], ...] = ()
    content: Content = lambda _, data: data
    growing: str = "(?!)"
    mark: tuple[str, str] = ("", "")
    quiet: bool = False
    refuses: bool = False
    reading: str = "(?!)"


def arrays(name: str, data: bytes) -> object:
    """The arrays of an .npz file, which also holds the time of writing."""
    if not name.endswith(".npz"):
        return data
    with np.load(BytesIO(data)) as file:
        return {key: (file[key].tobytes(), file[key].shape, str(file[key].dtype)) for key in file}


def without_times(name: str, data: bytes) -> object:
    """A file of a survey's report, or a profile, without what differs from run to run."""
    if name.endswith(".parquet"):
        from pyarrow import parquet

        rows = parquet.ParquetFile(BytesIO(data)).read().to_pylist()
        return [(row["model"], row["task"], row["status"], row["detail"]) for row in rows]
    if name.endswith(".html"):
        return re.findall(rb"<title>Survey.*?</title>|</html>\s*$", data)
    if name.endswith((".json", ".csv")):
        return re.sub(rb"[0-9.]+(e-?[0-9]+)?", b"0", data)
    return arrays(name, data)


def _command(words: str) -> str:
    return f"status = main({words.split()!r})"


MODELS = """
import numpy as np
import irops
def scaled(path, factor, size=64):
    graph = irops.Graph(f"scaled by {factor}")
    x = graph.parameter("x", "f32", [size])
    w = graph.constant(factor * np.arange(size, dtype=np.float32), "w")
    graph.result(graph.add("Relu", graph.add("Multiply", x, w, name="y"), name="z"), name="r")
    irops.write(graph.model(), path)
"""
FAULTY = (
    "scaled('m.xml', 1); text = open('m.xml').read();"
    "open('m.xml', 'w').write(text.replace('<dim>64</dim>', '<dim>7</dim>', 1))"
)
MAIN = f"{MODELS}\nfrom irops.cli.main import main"
SURVEY = f"""{MAIN}
import sys
sys.path.insert(0, {str(ROOT / "tests" / "support")!r})
from pathlib import Path
from here_workers import HereWorkers
from irops.surveys.faults import SurveyError
from irops.surveys.listing import listing
from irops.surveys.settings import Settings
from irops.surveys.surveying import SurveyRequest, surveyed
from irops.surveys.tasks import tasks_of
def survey(names, again=()):
    import irops.surveys.identity as identity
    import irops.surveys.store as store
    store.FLUSH_ROWS = 1
    identity.is_recent_time = lambda _: False  # else how long a copy of a folder takes decides what is kept
    try:
        tasks = tasks_of(("check",), (), ())
        request = SurveyRequest(listing(names), tasks, Settings(), Path("report"), again=again)
        surveyed(request, HereWorkers())
    except SurveyError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
"""

WRITERS: Mapping[str, Writer] = {
    "write": Writer(
        "irops.write(irops.read('new.xml'), 'm.xml')",
        "scaled('m.xml', 1); scaled('new.xml', 2)",
        MAIN,
        (("m.bin", "m.xml"),),
    ),
    "check --fix": Writer(
        _command("check m.xml --fix --no-cache --quiet"),
        FAULTY,
        MAIN,
        (("m.bin", "m.xml"),),
    ),
    "check --write-baseline": Writer(
        _command("check m.xml --no-cache --quiet --write-baseline out.json"),
        FAULTY + "; open('out.json', 'w').write('{\"version\": 1, \"findings\": {}}\\n')",
        MAIN,
    ),
    "convert": Writer(
        _command("convert m.xml --target 2023.0 -o out.xml"),
        "scaled('m.xml', 1); scaled('out.xml', 2)",
        MAIN,
        (("out.bin", "out.xml"),),
    ),
    "extract": Writer(
        _command("extract m.xml --to y --load-inputs in.npz -o out.xml"),
        "scaled('m.xml', 1); scaled('out.xml', 2, 8); np.savez('in.npz', x=np.ones(64, np.float32));"
        "np.savez('out.npz', x=np.zeros(8, np.float32))",
        MAIN,
        (("out.bin", "out.xml"),),
        arrays,
    ),
    "translate": Writer(
        _command("translate m.xml --to onnx -o out.onnx"),
        "scaled('m.xml', 1); scaled('other.xml', 2, 8);"
        "main(['translate', 'other.xml', '--to', 'onnx', '-o', 'out.onnx'])",
        MAIN,
    ),
    "run --save-outputs --profile": Writer(
        _command("run m.xml --fill ones --save-outputs out.npz --profile out.json --quiet"),
        "scaled('m.xml', 1); scaled('other.xml', 3);"
        "main('run other.xml --fill ones --save-outputs out.npz --profile out.json --quiet'.split())",
        MAIN,
        content=without_times,
    ),
    "draw": Writer(
        _command("draw m.xml -o out.svg"),
        "scaled('m.xml', 1); open('out.svg', 'w').write('<svg/>')",
        MAIN,
    ),
    "diff --output": Writer(
        _command("diff m.xml other.xml --output-format html --output out.html"),
        "scaled('m.xml', 1); scaled('other.xml', 2); open('out.html', 'w').write('old')",
        MAIN,
    ),
    "compare --output": Writer(
        _command("compare m.xml --b reference --fill ones --output-format junit --output out.xml"),
        "scaled('m.xml', 1); open('out.xml', 'w').write('<testsuites/>')",
        MAIN,
        content=without_times,
    ),
    "compare --save-values": Writer(
        _command("compare m.xml --b reference --fill ones --save-values out --quiet"),
        "scaled('m.xml', 1); scaled('other.xml', 2, 8);"
        "main('compare other.xml --b reference --fill ones --save-values out --quiet'.split())",
        MAIN,
        mark=("out/values.json", '"unfinished": true'),
    ),
    "reduce": Writer(
        _command("reduce m.xml --rule IR405 -o out --quiet"),
        f"{FAULTY}; main('reduce m.xml --rule IR405 -o out --quiet --tries 1'.split())",
        MAIN,
        (("out/reduced.bin", "out/reduced.xml"),),
        growing="out/tries.jsonl",
        mark=("out/repro.py", "not written to the end"),
    ),
    "cache of check": Writer(
        _command("check m.xml --quiet"),
        "scaled('m.xml', 1)",
        MAIN,
        quiet=True,
    ),
    "cache of downloads": Writer(
        "downloads = Downloads('downloads', 1 << 20)\n"
        "downloads.fetched('ab' * 32, 5000, lambda file: file.write(b'x' * 5000)).close()",
        "",
        "from irops.files.cache.downloads import Downloads",
    ),
    "trust": Writer(
        "os.environ['XDG_CONFIG_HOME'] = os.path.abspath('config'); trust.trust('/other')",
        "os.environ['XDG_CONFIG_HOME'] = os.path.abspath('config'); trust.trust('/')",
        "from irops.files import trust",
    ),
    "new": Writer(
        _command("new MyReverse --category movement --output ops --quiet"),
        refuses=True,
    ),
    "documentation": Writer(
        "publish('site', lambda folder: [(folder / f'{name}.html').write_text(name) for name in 'ab'])",
        "publish('site', lambda folder: [(folder / f'{name}.html').write_text('old') for name in 'ac'])",
        "from irops.document.site import publish",
    ),
    "table of a survey": Writer(
        "status = survey(['m.xml', 'other.xml'])",
        "scaled('m.xml', 1); scaled('other.xml', 2); survey(['m.xml'])",
        SURVEY,
        content=without_times,
        reading=r'openat\(AT_FDCWD, "(m|other)\.(xml|bin)"',
        growing=r"report/results/part-\d{6}-[0-9a-f]{16}\.parquet",
    ),
}


def made(writer: Writer, folder: Path) -> None:
    """Make a folder with the earlier state and files of a user."""
    folder.mkdir()
    code = f"import os\n{writer.setup}\n{writer.old}"
    environment = {**os.environ, "IROPS_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=folder, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    for name in FOREIGN:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("of a user")
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(0o600)
    _age(folder)


def _age(folder: Path) -> None:
    """Make what lies in a folder an hour older, so that what a process left there counts as abandoned."""
    for path in (*folder.rglob("*"), folder):
        status = path.lstat()
        os.utime(path, (status.st_atime - 3600, status.st_mtime - 3600), follow_symlinks=False)


def files_of(folder: Path) -> dict[str, bytes]:
    """The content of all files, but for entries of the cache, which have a checksum."""
    found = {
        path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()
    }
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if not re.fullmatch(r"cache/(\w+/)+[0-9a-f]{64}(\.[0-9a-f]{8}\.part)?|.*\.lock", name)
    }


class Trials:
    """Failures of one writer, each in a copy of one folder; a context manager."""

    def __init__(self, name: str, scratch: Path) -> None:
        self._writer, self._scratch = WRITERS[name], scratch
        self._before = scratch / "before"
        self._program = Program(f"import os\n{self._writer.setup}", self._writer.code)
        self._modes: dict[str, int] = {}

    def __enter__(self) -> Self:
        made(self._writer, self._before)
        shutil.copytree(self._before, self._scratch / "warm", symlinks=True)
        self._program.warm = self._scratch / "warm"
        self._program.cache = None if self._writer.quiet else self._program.warm / "cache"
        self._program.__enter__()
        complete = self._copy()
        self.points = self._program.points(complete)
        self._old, self._new = files_of(self._before), files_of(complete)
        self._modes = {name: (complete / name).stat().st_mode for name in self._new}
        again = self._copy()
        self._status = self._program.run(again).status
        self._require_new(again)
        return self

    def __exit__(self, *_: object) -> None:
        self._program.__exit__()

    @property
    def removed(self) -> set[str]:
        """The files of a user that are gone when nothing failed."""
        return set(FOREIGN) - set(self._new)

    def attempt(self, point: Point, how: str) -> str:
        """Let one call fail; what is left: "old", "new", "some of each" of files that do not
        depend on each other, "mixed" for a pair that check reports, "unfinished" where a mark says so, "a
        result" where what failed is not the writer's own, or "not reached" where the writer made fewer such
        calls this time (how often it looks at a folder depends on its threads) and ended.

        Raises:  AssertionError for any other state, for one that the same command does not complete, and
            where a user's file is gone
        """
        folder = self._copy()
        done = self._program.failing(folder, point, how)
        assert "internal error" not in done.errors, done.errors
        if how == "KILL" and done.status != KILLED and not self._writer.quiet:
            assert done.status == self._status, done
            self._require_new(folder)
            return "not reached"
        if how != "KILL" and re.match(self._writer.reading, point.text):
            left = "a result"
        else:
            left = self._require_old_or_new(folder, files_of(folder))
        if left != "a result" and done.status == self._status and not self._writer.quiet:
            assert left == "new", f"exit status {done.status}, and {left} is there: {done.errors}"
        if left == "new" and self._writer.refuses:
            return left
        _age(folder)
        after = self._program.run(folder)
        assert after.status == self._status, f"afterwards: {after}"
        self._require_new(folder)
        return left

    def _copy(self) -> Path:
        """A copy of the folder as it was before anything was written; there is one at a time."""
        place = self._scratch / "copy"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self._before, place, symlinks=True)
        return place

    def _same(self, name: str, first: bytes | None, second: bytes | None) -> bool:
        if first is None or second is None:
            return first is second
        return self._writer.content(name, first) == self._writer.content(name, second)

    def _shown(self, name: str, data: bytes | None) -> str:
        return "absent" if data is None else f"{self._writer.content(name, data)!r:.600}"

    def _require_old_or_new(self, folder: Path, there: Mapping[str, bytes]) -> str:
        states = set()
        mark, text = self._writer.mark
        is_marked = text.encode() in there.get(mark, b"") if mark else False
        for name in {*self._old, *self._new, *there}:
            now, old, new = there.get(name), self._old.get(name), self._new.get(name)
            if old == new and old is not None:
                assert now == old, f"{name} is the user's, and has changed"
            elif re.fullmatch(self._writer.growing, name):
                continue
            elif old is None and new is None:
                assert OWN.fullmatch(name) or OWN.fullmatch(name.rpartition("/")[2]), f"{name} is left"
                self._require_private(folder, name)
            elif is_marked and name == mark:
                continue
            elif not self._same(name, now, new):
                assert self._same(name, now, old), f"{name} is neither old nor new: {self._shown(name, now)}"
                states.add("old")
            elif not self._same(name, now, old):
                states.add("new")
                assert new is None or (folder / name).stat().st_mode == self._modes[name], name
        if any(self._is_mixed(folder, there, *pair) for pair in self._writer.pairs):
            return "mixed"
        if is_marked:
            return "unfinished"
        assert not mark or len(states) < 2, "files of two calls, and nothing says so"
        return "new" if states <= {"new"} else "old" if states == {"old"} else "some of each"

    def _require_private(self, folder: Path, name: str) -> None:
        """That no more people may read what is written than may read it when it is done."""
        match = re.fullmatch(r"(?P<folder>.*/)?\.(?P<name>.*)\.([0-9a-f]{8}\.part|irops-new)", name)
        if match:
            target = f"{match['folder'] or ''}{match['name']}"
            grows = re.fullmatch(self._writer.growing, target)
            final = self._modes.get(target, 0o666 if grows else 0o600)
            assert not (folder / name).stat().st_mode & 0o777 & ~final, f"others may read {name}"

    def _is_mixed(self, folder: Path, there: Mapping[str, bytes], weights: str, xml: str) -> bool:
        """Whether a pair is mixed, which check must report then, and not otherwise."""
        old, new = self._old.get, self._new.get
        changed = [name for name in (weights, xml) if not self._same(name, old(name), new(name))]
        states = {self._same(name, there.get(name), new(name)) for name in changed}
        if xml not in there:
            return False
        reported = "interrupted-write" in [finding.name for finding in irops.check(folder / xml)]
        is_mixed = len(states) > 1
        if len(changed) > 1 or not reported:  # else one of both files is equal in the old and the new pair
            assert reported == is_mixed, f"{xml} is mixed: {is_mixed}, reported: {reported}"
        return reported

    def _require_new(self, folder: Path) -> None:
        there = files_of(folder)
        done, expected = self._grown(there), self._grown(self._new)
        assert done == expected, f"{done} is not {expected}"
        of_others = {name for name in self._new if not re.fullmatch(self._writer.growing, name)}
        left = {name for name in there if not re.fullmatch(self._writer.growing, name)}
        assert left == of_others, f"left: {left ^ of_others}"
        for name in of_others:
            new = self._new[name]
            assert self._same(name, there[name], new), f"{name} is not new: {self._shown(name, there[name])}"

    def _grown(self, there: Mapping[str, bytes]) -> list[object]:
        """The content of the files that grow, whatever their names."""
        names = sorted(name for name in there if re.fullmatch(self._writer.growing, name))
        return [self._writer.content(name, there[name]) for name in names]


def short_choice(points: Sequence[Point]) -> list[tuple[Point, str]]:
    """A few points: the first call of each name fails, the last one kills, and so do the first renamings."""
    first = {point.call: point for point in reversed(points)}
    last = {point.call: point for point in points}
    renames = [point for point in points if point.call.startswith("rename")][:3]
    vital = re.compile("open|write|copy|send|fsync|rename|unlink|mkdir")
    return [
        *((point, "ENOSPC") for point in first.values() if vital.match(point.call)),
        *((point, "KILL") for point in {*last.values(), *renames} if vital.match(point.call)),
    ]

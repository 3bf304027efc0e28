"""Mutation testing: change the code in one place by chance, and see whether a test fails.

    python tests/mutation/sample.py --seed 0 --count 200

writes a line of JSON for every mutant, and at the end how many survive. docs/testing.md says what for.
"""

import argparse
import difflib
import json
import os
import sys
import tempfile
import time
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

from mutants import Mutant, mutants_of, mutated, sample  # noqa: E402
from trial import Trial, copy_tree, in_order, preload, revision  # noqa: E402

ROOT = HERE.parent.parent
PARTS = ("first", "broader", "slow")
"""Selections of fast tests, one after the other; then the slow tests of both."""
MARKS = {"first": "not slow", "broader": "not slow", "slow": "slow"}


def main() -> int:
    options = _options()
    selection = tomllib.loads((HERE / "selection.toml").read_text())
    parts = PARTS[PARTS.index(options.first) : PARTS.index(options.last) + 1]
    chosen = _not_killed(options.again) if options.again else _drawn(options, selection)
    number, of = map(int, options.part.split("/"))
    chosen = chosen[number - 1 :: of]
    if options.list:
        options.report.write_text("".join(json.dumps(asdict(mutant)) + "\n" for mutant in chosen))
        for mutant in chosen:
            print(_title(mutant))
        return 0
    preload()
    with tempfile.TemporaryDirectory() as folder, options.report.open("w") as report:
        copy_tree(ROOT, Path(folder) / "tree")
        trial = Trial(Path(folder) / "tree", Path(folder) / "log")
        trial.compile(["tests"])
        results = []
        for mutant in chosen:
            results.append(_try(mutant, trial, selection, parts))
            report.write(json.dumps(results[-1]) + "\n")
            report.flush()
            if results[-1]["survives"]:
                print(f"{_title(mutant)}\n{results[-1]['diff']}", flush=True)
    for test in trial.deselected:
        print(f"left out, since it fails without a mutant: {test}", flush=True)
    _summary(results)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=280)
    parser.add_argument("--package", help="separated by commas; default: all")
    parser.add_argument("--report", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--part", default="1/1", help="2/10: only every tenth mutant, from the second on")
    parser.add_argument("--again", type=Path, help="a report: draw nothing, try the mutants not killed in it")
    parser.add_argument("--first", choices=PARTS, default="first", help="the first selection of tests to run")
    parser.add_argument("--last", choices=PARTS, default="broader", help="the last selection of tests to run")
    parser.add_argument(
        "--list", action="store_true", help="list the mutants, also in the report; run nothing"
    )
    return parser.parse_args()


def _files(packages: list[str], selection: dict[str, Any]) -> list[str]:
    files = []
    for package in packages:
        folder = _place(package)
        paths = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
        for path in paths:
            inside = path.relative_to(folder).as_posix()
            if not any(inside.startswith(prefix) for prefix in selection["leave_out"].get(package, ())):
                files.append(path.relative_to(ROOT).as_posix())
    return files


def _packages() -> list[str]:
    """All folders and modules of irops."""
    paths = [path for path in (ROOT / "irops").iterdir() if path.is_dir() or path.suffix == ".py"]
    return sorted(path.stem for path in paths if not path.name.startswith("__"))


def _place(package: str) -> Path:
    path = ROOT / "irops" / package
    return path if path.exists() else path.with_suffix(".py")


def _tests(package: str, selection: dict[str, Any], part: str) -> list[str]:
    """The paths of the tests of a package: by default those that are named for it."""
    if part == "slow":
        return [*_tests(package, selection, "first"), *_tests(package, selection, "broader")]
    if package in selection[part]:
        return list(selection[part][package])
    own = [f"tests/{package}", f"tests/test_{package}.py"] if part == "first" else ()
    return [path for path in own if (ROOT / path).exists()]


def _drawn(options: argparse.Namespace, selection: dict[str, Any]) -> list[Mutant]:
    packages = options.package.split(",") if options.package else _packages()
    mutants = mutants_of(ROOT, _files(packages, selection))
    chosen = sample(mutants, options.count, options.seed)
    print(f"{len(chosen)} of {len(mutants)} mutants, seed {options.seed}, at {revision(ROOT)}", flush=True)
    return chosen


def _not_killed(report: Path) -> list[Mutant]:
    """The mutants of a report that survive or were only drawn."""
    results = [json.loads(line) for line in report.read_text().splitlines()]
    fields = ("file", "operator", "occurrence", "place")
    return [Mutant(*(r[field] for field in fields)) for r in results if r.get("survives", True)]


def _title(mutant: Mutant) -> str:
    return f"{mutant.file}:{mutant.place[0][0]} {mutant.operator.partition('/')[2]} {mutant.occurrence}"


def _try(mutant: Mutant, trial: Trial, selection: dict[str, Any], parts: tuple[str, ...]) -> dict[str, Any]:
    """What becomes of a mutant: whether it survives, and at which selection of tests it is killed."""
    began = time.monotonic()
    package = mutant.file.split("/")[1].removesuffix(".py")
    text = mutated(trial.tree, mutant)
    killed_by = None
    for part in parts:
        stages = in_order(trial.tree, mutant.file, _tests(package, selection, part))
        seconds = selection["seconds"][part]
        if not all(trial.survives(mutant.file, text, tests, seconds, MARKS[part]) for tests in stages):
            killed_by = f"{part}, by taking too long" if trial.timed_out else part
            break
    lines = difflib.unified_diff(
        (trial.tree / mutant.file).read_text().splitlines(), text.splitlines(), lineterm="", n=0
    )
    return {
        **asdict(mutant),
        "survives": killed_by is None,
        "killed_by": killed_by,
        "seconds": round(time.monotonic() - began, 1),
        "diff": "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@"))),
    }


def _summary(results: list[dict[str, Any]]) -> None:
    by_package: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        by_package.setdefault(result["file"].split("/")[1], []).append(result)
    for package, of_package in sorted(by_package.items()):
        _count(package, of_package)
    _count("all", results)


def _count(name: str, results: list[dict[str, Any]]) -> None:
    alive = sum(r["survives"] for r in results)
    share = alive / len(results)
    slow = sum(r["killed_by"] == "slow" for r in results)
    killed = f"{len(results) - alive} killed{f', {slow} of them by slow tests alone' if slow else ''}"
    print(f"{name}: {len(results)} mutants, {killed}, {alive} survive ({share:.1%})")


if __name__ == "__main__":
    sys.exit(main())

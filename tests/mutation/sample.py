"""Mutation testing: change the code in one place by chance, and see whether a test fails.

    python tests/mutation/sample.py --seed 0 --count 280 --package values,spec,ir,graph,diagnostics

writes a line of JSON for every mutant, and at the end how many survive. docs/testing.md says what for.
"""

from __future__ import annotations

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
PARTS = ("first", "broader")


def main() -> int:
    options = _options()
    selection = tomllib.loads((HERE / "selection.toml").read_text())
    packages = options.package.split(",")
    mutants = mutants_of(ROOT, _files(packages, selection))
    chosen = sample(mutants, options.count, options.seed)
    if options.again:
        chosen = [mutant for mutant in chosen if _key(mutant) in _survivors(options.again)]
    print(f"{len(chosen)} of {len(mutants)} mutants, seed {options.seed}, at {revision(ROOT)}", flush=True)
    if options.list:
        for mutant in chosen:
            print(_title(mutant))
        return 0
    preload()
    with tempfile.TemporaryDirectory() as folder, options.report.open("w") as report:
        copy_tree(ROOT, Path(folder) / "tree")
        trial = Trial(Path(folder) / "tree", Path(folder) / "log")
        trial.baseline(_all_tests(packages, selection, options.quick), 3600)
        for test in trial.deselected:
            print(f"left out, since it fails without a mutant: {test}", flush=True)
        results = []
        for mutant in chosen:
            results.append(_try(mutant, trial, selection, options.quick))
            report.write(json.dumps(results[-1]) + "\n")
            report.flush()
            if results[-1]["survives"]:
                print(f"{_title(mutant)}\n{results[-1]['diff']}", flush=True)
    _summary(results)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=280)
    parser.add_argument("--package", default="values,spec,ir,graph,diagnostics", help="separated by commas")
    parser.add_argument("--report", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--again", type=Path, help="a report: try only the mutants that survive in it")
    parser.add_argument("--quick", action="store_true", help="run the first selection of tests only")
    parser.add_argument("--list", action="store_true", help="list the mutants and run nothing")
    return parser.parse_args()


def _files(packages: list[str], selection: dict[str, Any]) -> list[str]:
    files = []
    for package in packages:
        folder = ROOT / "irops" / package
        paths = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
        for path in paths:
            inside = path.relative_to(folder).as_posix()
            if not any(inside.startswith(prefix) for prefix in selection["leave_out"].get(package, ())):
                files.append(path.relative_to(ROOT).as_posix())
    return files


def _all_tests(packages: list[str], selection: dict[str, Any], quick: bool) -> list[str]:
    tests = [
        test
        for package in packages
        for part in PARTS[: 1 if quick else 2]
        for test in selection[part][package.partition("/")[0]]
    ]
    return list(dict.fromkeys(tests))


def _key(mutant: Mutant) -> tuple[str, str, int]:
    return mutant.file, mutant.operator, mutant.occurrence


def _survivors(report: Path) -> set[tuple[str, str, int]]:
    results = [json.loads(line) for line in report.read_text().splitlines()]
    return {(r["file"], r["operator"], r["occurrence"]) for r in results if r["survives"]}


def _title(mutant: Mutant) -> str:
    return f"{mutant.file}:{mutant.place[0][0]} {mutant.operator.partition('/')[2]} {mutant.occurrence}"


def _try(mutant: Mutant, trial: Trial, selection: dict[str, Any], quick: bool) -> dict[str, Any]:
    """What becomes of a mutant: whether it survives, and at which selection of tests it is killed."""
    began = time.monotonic()
    package = mutant.file.split("/")[1]
    text = mutated(trial.tree, mutant)
    killed_by = None
    for part in PARTS[: 1 if quick else 2]:
        stages = in_order(trial.tree, mutant.file, selection[part][package])
        if not all(trial.survives(mutant.file, text, tests, selection["seconds"][part]) for tests in stages):
            killed_by = part
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
    for package in sorted({r["file"].split("/")[1] for r in results}):
        of_package = [r for r in results if r["file"].split("/")[1] == package]
        _count(package, of_package)
    _count("all", results)


def _count(name: str, results: list[dict[str, Any]]) -> None:
    alive = sum(r["survives"] for r in results)
    share = alive / len(results)
    print(f"{name}: {len(results)} mutants, {len(results) - alive} killed, {alive} survive ({share:.1%})")


if __name__ == "__main__":
    sys.exit(main())

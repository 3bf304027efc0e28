"""Findings that are accepted: a file that lists them, so that only new ones are told."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from irops.cli.main import Refusal
from irops.diagnostics.fingerprint import fingerprints
from irops.diagnostics.report import Report
from irops.ir.pending import Pending

VERSION = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The fingerprints of the findings that are accepted in each file. folder: what paths in it start
    from.
    """

    folder: Path
    known: Mapping[str, frozenset[str]]

    @staticmethod
    def read(path: Path) -> Baseline:
        """Raises: Refusal where the file is none"""
        try:
            content = json.loads(path.read_text("utf-8"))
            if content["version"] != VERSION:
                raise Refusal(
                    f"the baseline {path} is of version {content['version']!r}; version {VERSION} is read"
                )
            known = {
                name: frozenset(str(one["fingerprint"]) for one in found)
                for name, found in content["findings"].items()
            }
        except FileNotFoundError:
            raise Refusal(f"the baseline {path} does not exist; --write-baseline {path} writes one") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Refusal(f"{path} is no baseline: {type(error).__name__}: {error}") from None
        return Baseline(path.absolute().parent, known)

    def new_in(self, report: Report) -> Report:
        """The findings that are not accepted."""
        known = self.known.get(_place(report, self.folder), frozenset())
        return replace(
            report, diagnostics=tuple(d for d, mark in zip(report, fingerprints(report)) if mark not in known)
        )


def write(path: Path, reports: Sequence[Report]) -> None:
    """Accept all findings of the reports. One finding is one line, in a stable order, so that versions can be
    compared.
    """
    folder = path.absolute().parent
    found = {
        _place(report, folder): [
            {"code": d.code, "fingerprint": mark, "message": d.message}
            for d, mark in zip(report, fingerprints(report))
        ]
        for report in reports
    }
    with Pending(path.absolute()) as (file,):
        file.write(_text({name: found[name] for name in sorted(found) if found[name]}).encode("ascii"))


def _text(found: Mapping[str, Sequence[Mapping[str, str]]]) -> str:
    files = []
    for name, those in found.items():
        lines = ",\n".join(f"    {json.dumps(one)}" for one in those)
        files.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
    body = ",\n".join(files)
    return f'{{"version": {VERSION}, "findings": {{\n{body}\n}}}}\n'


def _place(report: Report, folder: Path) -> str:
    """The path of a report's file as a baseline in a folder names it."""
    path = os.path.abspath(report.path or "")
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(path).as_posix()

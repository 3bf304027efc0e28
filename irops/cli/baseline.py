"""A baseline: a file that lists accepted findings, so that only new ones are reported."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from irops.cli.main import Refusal
from irops.diagnostics.formats import fingerprints
from irops.diagnostics.report import Report
from irops.ir.output import Pending, local_target
from irops.ir.storage import NotRegular, open_regular
from irops.urls import is_url

VERSION = 1
MAX_BYTES = 1 << 28
"""The greatest size of a baseline: some million findings."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The fingerprints of the accepted findings of each file. Paths of files are relative to `folder`."""

    folder: Path
    accepted: Mapping[str, frozenset[str]]

    @staticmethod
    def read(path: Path) -> Baseline:
        """Raises: Refusal if the file is not a baseline"""
        try:
            with open_regular(str(path)) as file:
                text = file.read(MAX_BYTES + 1)
            if len(text) > MAX_BYTES:
                raise Refusal(f"the baseline {path} has more than {MAX_BYTES:,} bytes")
            content = json.loads(text.decode("utf-8"))
            if content["version"] != VERSION:
                raise Refusal(
                    f"the baseline {path} has version {content['version']!r}; expected version {VERSION}"
                )
            accepted = {
                name: frozenset(str(finding["fingerprint"]) for finding in findings)
                for name, findings in content["findings"].items()
            }
        except FileNotFoundError:
            raise Refusal(f"the baseline {path} does not exist; --write-baseline {path} creates it") from None
        except NotRegular as error:
            raise Refusal(f"the baseline {path} {error}, must be a file") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Refusal(f"{path} is not a baseline: {type(error).__name__}: {error}") from None
        return Baseline(path.absolute().parent, accepted)

    def new_in(self, report: Report) -> Report:
        """The report without its accepted findings."""
        accepted = self.accepted.get(_relative_path(report, self.folder), frozenset())
        new = tuple(d for d, mark in zip(report, fingerprints(report)) if mark not in accepted)
        return replace(report, diagnostics=new)


def write(path: Path, reports: Sequence[Report]) -> None:
    """Write all findings of the reports: one per line, in a stable order, so that diffs are readable."""
    folder = path.absolute().parent
    findings = {
        _relative_path(report, folder): [
            {"code": d.code, "fingerprint": mark, "message": d.message}
            for d, mark in zip(report, fingerprints(report))
        ]
        for report in reports
    }
    with Pending(local_target(path, may_replace=(path,))) as (file,):
        file.write(
            _text({name: findings[name] for name in sorted(findings) if findings[name]}).encode("ascii")
        )


def _text(findings: Mapping[str, Sequence[Mapping[str, str]]]) -> str:
    files = []
    for name, findings_of_file in findings.items():
        lines = ",\n".join(f"    {json.dumps(finding)}" for finding in findings_of_file)
        files.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
    body = ",\n".join(files)
    return f'{{"version": {VERSION}, "findings": {{\n{body}\n}}}}\n'


def _relative_path(report: Report, folder: Path) -> str:
    """The path of a report's file relative to the folder of the baseline."""
    if is_url(report.path or ""):
        return report.path or ""
    path = os.path.abspath(report.path or "")
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(path).as_posix()

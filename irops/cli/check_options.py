"""How irops check checks files, what it gives for each, and the baseline: a file of accepted findings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from irops.cli.main import Refusal
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.printable import Json, in_json
from irops.diagnostics.report import Report, fingerprints
from irops.diagnostics.rules import rule
from irops.files.limits import Limits
from irops.files.urls import is_url, without_credentials
from irops.ir.pending import Pending, encoded
from irops.ir.regular import NotRegular, bounded_bytes
from irops.ir.targets import BASELINE, local_target

VERSION = 1
"""Of the baseline."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The fingerprints of the accepted findings of each file. Paths of files are relative to `folder`."""

    folder: Path
    accepted: Mapping[str, frozenset[str]]

    @staticmethod
    def read(path: Path) -> Baseline:
        """Raises: Refusal if the file is not a baseline"""
        try:
            content = json.loads(bounded_bytes(path))
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
            raise Refusal(f"the baseline {path} {error}; it must be a file") from None
        except OSError as error:
            raise Refusal(f"the baseline {path} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Refusal(f"{path} is not a baseline: {type(error).__name__}: {error}") from None
        return Baseline(path.absolute().parent, accepted)

    def new_in(self, report: Report) -> Report:
        """The report without its accepted findings."""
        accepted = self.accepted.get(_relative_path(report, self.folder), frozenset())
        new = tuple(d for d, mark in zip(report, fingerprints(report)) if mark not in accepted)
        return replace(report, diagnostics=new)


def write_baseline(path: Path, reports: Sequence[Report]) -> None:
    """Write all findings of the reports: one per line, in a stable order, so that diffs are readable."""
    folder = path.absolute().parent
    findings = {
        _relative_path(report, folder): [
            {"code": d.code, "fingerprint": mark, "message": d.message}
            for d, mark in zip(report, fingerprints(report))
        ]
        for report in reports
    }
    target = local_target(path, BASELINE)
    if target.is_file() and target.stat().st_size:
        Baseline.read(target)  # refuses to replace any other file
    with Pending(target) as (file,):
        file.write(encoded(_text({name: findings[name] for name in sorted(findings) if findings[name]})))


def _text(findings: Mapping[str, Sequence[Mapping[str, str]]]) -> Json:
    files: list[Json] = []
    for name, findings_of_file in findings.items():
        lines = ",\n".join(f"    {in_json(finding)}" for finding in findings_of_file)
        files.append(f"  {in_json(name)}: [\n{lines}\n  ]")
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


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check each file. fixing: "fix" to write fixes, "diff" to show them, "" for neither.

    rules: modules of custom rules; target: a release of OpenVINO; why: whether violated constraints are
    explained; cached: whether results are kept, and taken from earlier checks.
    """

    weights: str | None
    limits: Limits
    select: Sequence[str]
    ignore: Sequence[str]
    baseline: Baseline | None
    fixing: str = ""
    rules: Sequence[str] = ()
    target: str | None = None
    why: bool = False
    cached: bool = False


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The result for one file. accepted_count: findings left out by the baseline; diff: what fixes change."""

    report: Report
    accepted_count: int = 0
    diff: str = ""


def unchecked_file(path: str, name: str, message: str) -> CheckedFile:
    """The result for a file that could not be checked or fixed."""
    path = without_credentials(path)
    return CheckedFile(Report((Diagnostic(rule(name), message, Location(path)),), path))


def not_checked(file: str, why: str) -> CheckedFile:
    """The result for a file of which the check failed."""
    return unchecked_file(file, "unchecked-file", f"{without_credentials(file)} was not checked: {why}")


def without_accepted(report: Report, options: CheckOptions) -> CheckedFile:
    """The result for a report: without the findings that the baseline accepts."""
    new = report if options.baseline is None else options.baseline.new_in(report)
    return CheckedFile(new, len(report) - len(new))

"""Check IR files and report all problems, each with its line, in one pass.

For a folder, irops checks all models in it and in its subfolders. Many files
are checked in parallel processes; the output keeps the order of the files.

example:
  irops check model.xml
  irops check models/ --ignore IR208 --output-format github
  irops check models/ --baseline known.json
  irops check model.xml --diff
  irops check model.xml --why
  irops check model.xml --target 2023.3
  irops check --stdin-filename model.xml < buffer
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import EACCES
from itertools import chain
from math import inf
from pathlib import Path

from irops.analysis.checks.declared import ChangedMeanwhile, FixedText, fixed_text, store
from irops.analysis.checks.run import check
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.display import deliver, progress_bar, write_reports
from irops.cli.main import Refusal
from irops.cli.models import find_models, model_help, registry_of
from irops.cli.options import (
    add_option,
    add_report,
    add_settings,
    argument_errors,
    has_extensions,
    limits_of,
    of_text,
    set_report_format,
    written,
)
from irops.cli.parser import CLEAN, FINDINGS, REFUSED, refuses
from irops.cli.settings import OWN, SHARED, Settings, Suppression, relative_path, settings
from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError
from irops.diagnostics.formats import FOR_PEOPLE, FORMATS, fingerprints, render
from irops.diagnostics.printable import plural, printable, printable_lines
from irops.diagnostics.report import Report, summary
from irops.diagnostics.rules import rule, rules_of
from irops.dialects.reading import load
from irops.files.limits import Limits
from irops.files.output import PendingFiles, local_target, note_read
from irops.files.storage import NotRegular, content_of
from irops.files.urls import Place, without_credentials
from irops.ir.read import bytes_of
from irops.spec.extension import OPS, RULES, is_registered, load_rules
from irops.spec.releases import releases
from irops.work.outcomes import Died, Failed

VERSION = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The fingerprints of the accepted findings of each file. Paths of files are relative to `folder`."""

    folder: Path
    accepted: Mapping[str, frozenset[str]]

    @staticmethod
    def read(path: Path) -> Baseline:
        """Raises: Refusal if the file is not a baseline"""
        try:
            content = json.loads(content_of(path).decode("utf-8"))
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
        accepted = self.accepted.get(relative_path(report.path or "", self.folder), frozenset())
        new = tuple(d for d, mark in zip(report, fingerprints(report)) if mark not in accepted)
        return replace(report, diagnostics=new)


def write(path: Path, reports: Sequence[Report]) -> None:
    """Write all findings of the reports: one per line, in a stable order, so that diffs are readable."""
    folder = path.absolute().parent
    findings = {
        relative_path(report.path or "", folder): [
            {"code": d.code, "fingerprint": mark, "message": d.message}
            for d, mark in zip(report, fingerprints(report))
        ]
        for report in reports
    }
    with PendingFiles(local_target(path)) as (file,):
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


EXIT_1 = "errors were found; with --strict, also warnings; with --diff, also fixes"

MANY = 100
LARGE = 4 << 20  # a file of a few kB takes 10 ms, and a process half a second to start
"""From this many files, or bytes in them, they are checked in parallel processes."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help=f"{model_help()}; or a folder, or a pattern in quotes"
    )
    add_option(parser, "--weights FILE", "the .bin file, if it is not next to the .xml file")
    add_option(parser, "--stdin-filename FILE", "check standard input, reported under this file name")
    add_report(parser, tuple(FORMATS), "no summary, no progress")
    select = "only these rules: codes, prefixes of codes, or names, separated by commas"
    add_option(parser, "--select RULES", select, type=_words, action="extend", default=[])
    parser.add_argument(
        "--ignore", metavar="RULES", type=_words, action="extend", default=[], help="not these rules"
    )
    baseline_options = parser.add_mutually_exclusive_group()
    add_option(
        baseline_options, "--baseline FILE", "do not report the findings listed in this file", type=Path
    )
    write_baseline = "write all findings to this file, for later use with --baseline"
    add_option(baseline_options, "--write-baseline FILE", write_baseline, type=written)
    add_ignores = "accept all findings for a reason: add them as entries [[suppress]] to irops.toml"
    add_option(baseline_options, "--add-ignores WHY", add_ignores)
    fixing = parser.add_mutually_exclusive_group()
    add_option(fixing, "--fix", "apply unambiguous fixes to the .xml file; weights are never changed")
    add_option(fixing, "--diff", "show what --fix would change, without writing it")
    target = "also report what this release of OpenVINO does not read: 2023.3"
    add_option(parser, "--target RELEASE", target, type=of_text(lambda text: releases().named(text)))
    add_option(
        parser, "--why", "explain violated constraints: where the shapes and values that break them come from"
    )
    add_option(parser, "--strict", "exit with 1 if there are warnings")
    add_option(parser, "--exit-zero", "exit with 0 even if there are errors")
    jobs = "number of processes; default: one per core if there are many files"
    add_option(parser, "--jobs -j N", jobs, at_least=1, default=0)
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    if args.output and (args.diff or args.write_baseline or args.add_ignores):
        raise Refusal("--output holds findings, which --diff, --write-baseline, --add-ignores do not report")
    if args.add_ignores is not None and not args.add_ignores.strip():
        raise Refusal("--add-ignores needs a reason")
    set_report_format(args, tuple(FORMATS))
    config = settings(args.config)
    options = _options(args, config)
    strict = args.strict or config.strict
    for_people = args.output_format in FOR_PEOPLE and not (
        args.write_baseline or args.add_ignores or args.diff or args.output
    )
    reports: list[Report] = []
    accepted_count, changes, used = 0, False, set[int]()
    with progress_bar("checking", quiet=args.quiet) as report_progress:
        files, others, found = _checked_files(args, options)
        for checked in found:
            accepted_count += checked.accepted_count
            changes = changes or bool(checked.diff)
            used |= checked.used
            reports.append(checked.report)
            if for_people:
                write_reports([checked.report], args.output_format)
            sys.stdout.write(printable_lines(checked.diff))
            if report_progress is not None:
                report_progress(len(reports), files, checked.report.path or "")
    if args.write_baseline:
        return _write_baseline(Path(args.write_baseline), reports)
    if args.add_ignores is not None:
        return _add_ignores(args.add_ignores, config, reports)
    unused = _unused(args, config, reports, used)
    if unused and for_people:
        write_reports(unused, args.output_format)
    reports += unused
    if args.diff:
        return FINDINGS if changes and not args.exit_zero else _status(reports, strict, args.exit_zero)
    if args.output:
        deliver(render(reports, args.output_format), args)
    elif not for_people:
        write_reports(reports, args.output_format)
    if (for_people or args.output) and not args.quiet:
        sys.stdout.write(f"{summary(reports, accepted_count, others)}\n")
    status = _status(reports, strict, args.exit_zero)
    return FINDINGS if status == CLEAN and strict and config.left_out and not args.exit_zero else status


def _options(args: argparse.Namespace, config: Settings) -> CheckOptions:
    """Raises: Refusal for words that name no rule, and for a file that is not a baseline"""
    for option, words in (("--select", args.select), ("--ignore", args.ignore)):
        with argument_errors(f"{option}: "):
            rules_of(words)
    accepted = args.baseline or (None if args.write_baseline else config.baseline)
    return CheckOptions(
        args.weights,
        limits_of(args, config.limits),
        args.select or config.select,
        [*config.ignore, *args.ignore],
        None if accepted is None else Baseline.read(accepted),
        _fixing(args),
        config.rules,
        args.target or config.target,
        args.why,
        config.suppress,
    )


def _unused(
    args: argparse.Namespace, config: Settings, reports: Sequence[Report], used: Collection[int]
) -> list[Report]:
    """Reports of entries that accept no finding, where files were checked that they are for, by all rules."""
    found: list[Report] = []
    has_target = args.target is not None or config.target is not None
    of_folder = any(Place.of(path).is_remote or os.path.isdir(path) for path in args.models)
    for number, entry in enumerate(config.suppress):
        may_be_used = number in used or args.select or args.ignore or (entry.files == "*" and not of_folder)
        if may_be_used or not any(entry.is_for(report.path or "") for report in reports):
            continue
        if has_target or not all(code.startswith("IR94") for code in entry.codes):
            message = f"no finding is accepted because of {entry.reason!r}; remove the entry"
            found.append(Report((Diagnostic(rule("unused-suppression"), message, entry.at),), entry.at.file))
    return found


def _fixing(args: argparse.Namespace) -> str:
    if args.fix:
        return "fix"
    return "diff" if args.diff else ""


def _without_models(folder: str) -> CheckedFile:
    place = Place.of(folder)
    if not place.is_remote and not os.access(place, os.R_OK | os.X_OK):
        message = f"the folder {place} cannot be read: {os.strerror(EACCES)}"
        return unchecked_file(str(place), "unreadable-file", message)
    return unchecked_file(str(place), "file-not-found", f"the folder {place} contains no models")


def _checked_files(args: argparse.Namespace, options: CheckOptions) -> tuple[int, int, Iterator[CheckedFile]]:
    """The number of files to check, the number of other .xml files in folders, and the results in order."""
    if args.stdin_filename is not None:
        if args.models not in ([], ["-"]):
            raise Refusal("--stdin-filename cannot be combined with MODEL arguments")
        if args.fix:
            raise Refusal("--fix cannot be used with standard input; use --diff to show the changes")
        return (1, 0, _checked([args.stdin_filename], options, args, _standard_input(options.limits)))
    if not args.models:
        raise Refusal("specify a model, a folder or --stdin-filename FILE; usage: irops check MODEL ...")
    if "-" in args.models and not os.path.exists("-"):
        raise Refusal("to check standard input, give it a file name: --stdin-filename FILE")
    model_files = find_models(args.models)
    if args.weights is not None and (len(model_files.files) != 1 or len(args.models) != 1):
        raise Refusal("--weights requires exactly one model")
    empty = map(_without_models, model_files.empty)
    return (
        len(model_files.files) + len(model_files.empty),
        model_files.others,
        chain(_checked(model_files.files, options, args), empty),
    )


def _checked(
    files: Sequence[str], options: CheckOptions, args: argparse.Namespace, text: bytes | None = None
) -> Iterator[CheckedFile]:
    """The result for each file, in order. text: checked in place of the content of the only file."""
    if len(files) > 1 and (args.jobs > 1 or (args.jobs == 0 and _is_much(files))):
        for file in files:
            with suppress(OSError):  # it is reported where it is read, by another process
                note_read(os.stat(file), file)
        return check_in_processes(files, options, args)
    return _one_by_one(files, options, args, text)


def _one_by_one(
    files: Sequence[str], options: CheckOptions, args: argparse.Namespace, text: bytes | None
) -> Iterator[CheckedFile]:
    checker = Checker(args, options)
    for file in files:
        alone = len(files) == 1 or os.environ.get("IROPS_DEBUG")
        yield (checker.check if alone else checker.guarded)(file, text)


def _is_much(files: Sequence[str]) -> bool:
    """Whether parallel processes save more time than they take to start."""
    total = 0
    for file in files:
        with suppress(OSError):  # reported when the file is read
            total += os.stat(file).st_size
    return len(files) >= MANY or total >= LARGE


def _standard_input(limits: Limits) -> bytes:
    limit_bytes = limits.xml_bytes
    return sys.stdin.buffer.read(int(min(limit_bytes, sys.maxsize - 1)) + 1)  # a byte more: too much is seen


def _write_baseline(path: Path, reports: Sequence[Report]) -> int:
    write(path, reports)
    count = sum(map(len, reports))
    sys.stdout.write(f"{count} finding{'s' * (count != 1)} accepted in {printable(str(path))}\n")
    return CLEAN


def _add_ignores(reason: str, config: Settings, reports: Sequence[Report]) -> int:
    """Add an entry for each layer and file with findings to the settings. Raises: Refusal"""
    import tomllib

    path = config.path or Path(OWN)
    found: dict[tuple[str, str | None], dict[str, None]] = {}
    for report in reports:
        for finding in report:
            if not refuses([finding.name]) and not finding.code.startswith("IR7"):
                file = relative_path(report.path or "", path.absolute().parent)
                found.setdefault((file, finding.location.layer_name), {})[finding.code] = None
    text = content_of(path).decode("utf-8") if config.path else ""
    table = "suppress" if path.name != SHARED else "tool.irops.suppress"
    for (file, layer), codes in found.items():
        values = {"rules": list(codes), "files": file, "layer": layer, "reason": reason}
        lines = (
            f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value
        )
        text += "\n".join((f"\n[[{table}]]", *lines, ""))
    try:
        tomllib.loads(text)
        content = text.encode("utf-8")
    except ValueError as error:
        raise Refusal(f"the findings cannot be added to {path}: {error}") from None
    with PendingFiles(local_target(path, may_replace=[path])) as (writer,):
        writer.write(content)
    print(f"{plural(sum(map(len, found.values())), 'finding')} accepted in {printable(str(path))}")
    return CLEAN


def _status(reports: Sequence[Report], strict: bool, exit_zero: bool) -> int:
    if any(refuses(finding.name for finding in report) for report in reports):
        return REFUSED
    failed = any(not report.ok or (strict and len(report)) for report in reports)
    return FINDINGS if failed and not exit_zero else CLEAN


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


GRACE = 60.0
"""Seconds beyond the limit after which a process is killed."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check each file. fixing: "fix" to write fixes, "diff" to show them, "" for neither.

    rules: modules of custom rules; target: a release of OpenVINO; why: whether violated constraints are
    explained.
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
    suppress: Sequence[Suppression] = ()


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The result for one file. accepted_count: findings left out by the baseline and the settings; used: the
    numbers of the entries of the settings that accept some; diff: what fixes change.
    """

    report: Report
    accepted_count: int = 0
    used: frozenset[int] = frozenset()
    diff: str = ""


def unchecked_file(path: str, name: str, message: str) -> CheckedFile:
    """The result for a file that could not be checked or fixed."""
    path = without_credentials(path)
    return CheckedFile(Report((Diagnostic(rule(name), message, Location(path)),), path))


def not_checked(file: str, why: str) -> CheckedFile:
    """The result for a file of which the check failed."""
    return unchecked_file(file, "unchecked-file", f"{without_credentials(file)} was not checked: {why}")


def without_accepted(report: Report, options: CheckOptions) -> CheckedFile:
    """The result for a report: without the findings that the settings or the baseline accept."""
    numbers = [_accepting(finding, report.path or "", options.suppress) for finding in report]
    others = tuple(finding for finding, number in zip(report, numbers) if number is None)
    new = replace(report, diagnostics=others)
    if options.baseline is not None:
        new = options.baseline.new_in(new)
    used = frozenset(number for number in numbers if number is not None)
    return CheckedFile(new, len(report) - len(new), used)


def _accepting(finding: Diagnostic, path: str, entries: Sequence[Suppression]) -> int | None:
    """The number of the first entry that accepts a finding; none accepts that a file cannot be checked."""
    if refuses([finding.name]):
        return None
    return next((number for number, entry in enumerate(entries) if entry.covers(finding, path)), None)


class Checker:
    """Checks files, one after the other. Processes that check files in parallel have one each."""

    def __init__(self, args: argparse.Namespace, options: CheckOptions) -> None:
        self._options, self._registry = options, registry_of(args)
        for source in options.rules:
            load_rules(source)

    def __call__(self, file: str) -> CheckedFile:
        return self.check(file)

    def check(self, file: str, text: bytes | None = None) -> CheckedFile:
        """Check one file, and fix it if the options ask for it.

        text: checked in place of the file's content
        """
        try:
            if self._options.fixing:
                return self._fixed(file, text)
            return without_accepted(self._report(file, text, self._options.limits), self._options)
        except MemoryError:
            return unchecked_file(
                file, "out-of-memory", f"not enough memory to check {without_credentials(file)}"
            )

    def guarded(self, file: str, text: bytes | None = None) -> CheckedFile:
        """The same; an internal error is the result for this file."""
        try:
            return self.check(file, text)
        except Exception as error:
            return not_checked(file, f"irops failed: {type(error).__name__}: {error}")

    def _report(self, file: str, text: bytes | None, limits: Limits) -> Report:
        options = self._options
        whole = check(
            file, options.weights, text=text, registry=self._registry, limits=limits, target=options.target
        )
        report = whole.narrowed(options.select, options.ignore)
        return self._explained(report, file, text) if options.why else report

    def _explained(self, report: Report, file: str, text: bytes | None) -> Report:
        """The report, with notes about where the facts that violate constraints come from."""
        from irops.debugging.origins.why import with_reasons  # as slow to import as half of a check

        try:
            model, _ = load(file, self._options.weights, text=text, limits=self._options.limits)
        except ReadError:
            return report
        return with_reasons(report, ModelAnalysis(model, self._registry, self._options.limits))

    def _fixed(self, file: str, text: bytes | None) -> CheckedFile:
        checked = CheckedFile(Report())

        def report(content: bytes) -> Report:
            nonlocal checked
            limits = replace(self._options.limits, findings=inf)
            checked = without_accepted(self._report(file, content, limits), self._options)
            return checked.report

        try:
            fixed = fixed_text(bytes_of(file, self._options.limits) if text is None else text, report)
        except ReadError:
            return without_accepted(self._report(file, text, self._options.limits), self._options)
        if self._options.fixing == "diff":
            return replace(checked, report=fixed.report, diff=_diff(file, fixed))
        return _stored(file, fixed) or replace(checked, report=fixed.report)


def _stored(file: str, fixed: FixedText) -> CheckedFile | None:
    """Write what fixes changed. The result where that is not possible, else None."""
    if fixed.after == fixed.before:
        return None
    try:
        store(file, fixed)
    except (ChangedMeanwhile, OSError) as error:
        why = error.strerror or error if isinstance(error, OSError) else error
        count = len(fixed.report.fixed)
        message = f"{count} fix{'es were' if count > 1 else ' was'} not written to {file}: {why}"
        return unchecked_file(file, "unwritten-fixes", message)
    return None


def _diff(file: str, fixed: FixedText) -> str:
    from difflib import unified_diff

    texts = (text.decode("utf-8", "backslashreplace") for text in (fixed.before, fixed.after))
    before, after = (re.findall("[^\n]*\n|[^\n]+", text) for text in texts)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in unified_diff(
            before, after, printable(without_credentials(file)), printable(without_credentials(file))
        )
    )


def check_in_processes(
    files: Sequence[str], options: CheckOptions, args: argparse.Namespace
) -> Iterator[CheckedFile]:
    """The result for each file, in order, as soon as it and those before it are checked."""
    from irops.work.workers import Workers  # imports multiprocessing; few calls need it

    finished: dict[int, CheckedFile] = {}
    next_number = 0
    is_custom = has_extensions(args) or options.rules or is_registered(OPS) or is_registered(RULES)
    workers = Workers(args.jobs, copied=not is_custom)
    seconds = 3 * options.limits.seconds + GRACE  # reading, inference and checks have a clock each
    for number, result in workers.run(Checker, (args, options), files, seconds=seconds):
        finished[number] = result if isinstance(result, CheckedFile) else _failure(files[number], result)
        while next_number in finished:
            yield finished.pop(next_number)
            next_number += 1


def _failure(file: str, why: Died | Failed) -> CheckedFile:
    what = f"the process that checked it {why}" if isinstance(why, Died) else f"irops failed: {why}"
    return not_checked(file, what)

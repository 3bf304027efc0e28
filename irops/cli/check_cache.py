"""The results of irops check that are kept between calls.

What is kept is the report of a file for one set of options, before a baseline and an output format are
applied. Its key depends on all that the report depends on: the bytes of the .xml file, the status of the
.bin file, the options, and the code, the definitions and the libraries of irops. A result that may
depend on anything else is not kept: with custom ops or rules, whose code may do anything; when time, memory
or permissions were short.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field

from irops.cli.check_options import CheckOptions
from irops.diagnostics.report import Report, report_as_text, report_of_text
from irops.diagnostics.rule import TRANSIENT
from irops.files.cache.entries import key_of, read_entry, write_entry
from irops.files.cache.folder import cache_folder
from irops.files.cache.identity import everything, file_identity, is_recent
from irops.files.limits import Limits
from irops.files.switches import enabled
from irops.files.urls import is_url
from irops.ir.regular import open_regular
from irops.spec.plugins import OPS, RULES, is_registered

FOLDER = "check"
SUFFIX = ".xml"
"""Only results for IR files are kept: models of other formats may refer to any number of other files."""


@dataclass(frozen=True, slots=True)
class CachedSubject:
    """A file to check, and the key of its result. text: checked in place of the file's content.

    is_recent: whether the weights had changed so recently that their time may not show another change
    """

    file: str
    text: bytes | None
    key: str
    is_recent: bool = field(compare=False)


def is_usable(options: CheckOptions, custom_ops: bool) -> bool:
    """Whether results depend only on what a key contains, and the user does not forbid to keep them."""
    extended = custom_ops or options.rules or is_registered(OPS) or is_registered(RULES)
    return enabled("cache") and not extended and not options.fixing and not _memory_is_limited()


def subject_of(file: str, options: CheckOptions, text: bytes | None) -> CachedSubject | None:
    """What identifies the result for a file; None if it is not kept."""
    if not options.cached or os.path.splitext(file)[1].lower() != SUFFIX:
        return None
    if is_url(file) or is_url(options.weights or ""):  # of which only the server knows whether they changed
        return None
    content = _content(file, options.limits) if text is None else text
    if content is None or cache_folder() is None:
        return None
    weights = f"{os.path.splitext(file)[0]}.bin" if options.weights is None else options.weights
    described = [
        file,
        os.path.realpath(file),
        options.weights,
        file_identity(weights),
        list(options.select),
        list(options.ignore),
        asdict(options.limits),
        options.target,
        options.why,
        text is None,
    ]
    key = key_of(everything(), json.dumps(described).encode(), content)
    return CachedSubject(file, text, key, is_recent([weights]))


def kept_report(subject: CachedSubject) -> Report | None:
    """The report that an earlier check kept; None if there is none."""
    text = read_entry(_folder(), subject.key)
    return None if text is None else report_of_text(text)


def keep_report(subject: CachedSubject, options: CheckOptions, whole: Report, report: Report) -> None:
    """Keep a report, unless it may be another one the next time, or a file changed during the check.

    whole: the findings of all rules
    """
    if any(finding.name in TRANSIENT for finding in whole) or subject.is_recent:
        return
    text = report_as_text(report)
    if text is not None and subject_of(subject.file, options, subject.text) == subject:
        write_entry(_folder(), subject.key, text.encode("ascii"))


def _folder() -> str:
    return os.path.join(cache_folder() or "", FOLDER)


def _content(file: str, limits: Limits) -> bytes | None:
    """The bytes of a file; None if it cannot be read, or is too large."""
    try:
        with open_regular(file) as opened:
            size = os.fstat(opened.fileno()).st_size
            return opened.read(size + 1) if size <= limits.xml_bytes else None
    except (OSError, ValueError):
        return None


def _memory_is_limited() -> bool:
    """Whether the process may use only a part of the memory: values may then be unknown for lack of it."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_DATA, getrlimit
    except ImportError:  # not on this system
        return False
    return any(getrlimit(which)[0] != RLIM_INFINITY for which in (RLIMIT_AS, RLIMIT_DATA))

"""Short texts of pages: elements, domains and releases in words, links to sources, and texts as Markdown."""

import inspect
import re
from dataclasses import dataclass
from math import inf
from pathlib import Path

from irops.diagnostics import addresses
from irops.spec.definition import Attribute, Definition, PortSpec
from irops.spec.op import Op
from irops.spec.releases import UNRELEASED, opsets, releases, schemas_folder
from irops.values.element import STRING, Array, element_type_of


def tensor_text(array: Array) -> str:
    """f32[2,3]"""
    return f"{element_type_of(array)}[{','.join(map(str, array.shape))}]"


def elements_text(array: Array) -> str:
    """[[1, 0, 2], [5, 4, 3]]: numbers with as many digits as their type needs."""
    if array.ndim:
        return f"[{', '.join(elements_text(array[k, ...]) for k in range(len(array)))}]"
    return repr(array.item()) if element_type_of(array) is STRING else str(array[()]).removesuffix(".0")


def domain_text(attribute: Attribute) -> str:
    """The valid values of an attribute."""
    if attribute.values:
        return ", ".join(attribute.values)
    limits = _range_text(attribute.low, attribute.high)
    if attribute.of:
        axes = f"an axis of {attribute.of}" if attribute.type == "axis" else f"axes of {attribute.of}"
        return f"{axes}, {limits}" if limits else axes
    return limits


def _range_text(low: float, high: float) -> str:
    match low == -inf, high == inf:
        case True, True:
            return ""
        case False, True:
            return f"{low:g} or more"
        case True, False:
            return f"{high:g} or less"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def port_text(port: PortSpec) -> str:
    """The valid ranks of a port, and whether it is optional or variadic."""
    parts = []
    if port.low_rank or port.high_rank != inf:
        parts.append(f"rank {_range_text(port.low_rank, port.high_rank)}")
    if port.optional:
        parts.append("optional, but required by OpenVINO" if port.reader_requires else "optional")
    if port.variadic:
        parts.append("one or more")
    return ", ".join(parts)


def release_of(definition: Definition) -> str | None:
    """The release of OpenVINO from which on the op version is read; None for ops that no release has."""
    if definition.dialect != "openvino":
        return None
    since = releases().of_op(definition.type, definition.version)
    return None if since == UNRELEASED else since


def availability(definition: Definition) -> str:
    """A sentence about opsets and releases; '' for ops of which nothing is known."""
    release = release_of(definition)
    version = next((one for one in opsets().all() if one.id == definition.id), None)
    if release is None or version is None:
        return ""
    runs = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in version.runs)
    since = f"OpenVINO reads it from release {release} on"
    if release == releases().oldest:
        since = f"Every release of OpenVINO from {release} on reads it"
    return f"In {'opset' if runs.isdigit() else 'opsets'} {runs}. {since}."


PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Place:
    """A file of an op. url: '' for files that are not of irops, and where irops has no repository."""

    what: str
    text: str
    url: str


def repository_url(path: str) -> str:
    """The page of a file of irops; a line follows a colon. '' where irops has no repository."""
    file, _, line = path.partition(":")
    if not addresses.REPOSITORY:
        return ""
    return f"{addresses.REPOSITORY}/blob/{addresses.BRANCH}/{file}{'#L' + line if line else ''}"


def places(op: Op) -> tuple[Place, ...]:
    """The files of the op: its definition, and its functions with lines."""
    found = [_place("definition", Path(op.definition.path))]
    for role, function in op.functions.by_role().items():
        code = inspect.unwrap(function).__code__
        found.append(_place(role, Path(code.co_filename), code.co_firstlineno))
    return tuple(found)


def _place(what: str, file: Path, line: int = 0) -> Place:
    inside = ""
    for folder, name in ((schemas_folder(), "schemas"), (PACKAGE, "irops")):
        if not inside and file.is_relative_to(folder):
            inside = f"{name}/{file.relative_to(folder).as_posix()}"
    text = f"{inside or file.as_posix()}{f':{line}' if line else ''}"
    return Place(what, text, repository_url(text) if inside else "")


_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"[\\*<>\[\]{}~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=[#\w]+;)|`")
_AT_START = re.compile(r"^(\s*)([#+>-]|\d+[.)])(?=\s)", re.MULTILINE)


def prose(text: str) -> str:
    """Paragraphs; only words between backticks have a meaning: they are code."""
    parts = _CODE.split(text)
    escaped = "".join(part if k % 2 else _SPECIAL.sub(r"\\\g<0>", part) for k, part in enumerate(parts))
    return _AT_START.sub(_escaped_start, escaped)


def cell(text: object) -> str:
    """The text of a cell of a table: on one line."""
    return " ".join(prose(str(text)).split()).replace("|", "\\|")


def code(text: object) -> str:
    """Code within a line: between as many backticks as it needs."""
    fence = "`" * (max((len(run) for run in re.findall("`+", str(text))), default=0) + 1)
    inner = str(text).replace("|", "\\|")
    return f"{fence} {inner} {fence}" if "`" in inner else f"{fence}{inner}{fence}"


def _escaped_start(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark[:-1]}\\{mark[-1]}"

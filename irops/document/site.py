"""The pages of the documentation: Markdown, or HTML that Sphinx builds from it."""

import inspect
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import ndiff
from importlib import import_module
from itertools import groupby
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from irops.analysis.checks.run import check
from irops.diagnostics.diagnostic import BANDS, Rule, applied
from irops.diagnostics.formats import render
from irops.diagnostics.report import Report
from irops.diagnostics.rules import FOLDER, all_rules
from irops.dialects import others
from irops.dialects.registry import Registry, default_registry
from irops.document import case_views
from irops.document.coverage import fast_backends, op_row
from irops.document.sphinx.build import BuildOptions, build_html
from irops.editing.translation.counterparts import counterpart_of
from irops.environment import require_extra
from irops.files.output import claim, remove_abandoned, signals_blocked
from irops.files.storage import content_of
from irops.spec.attributes import format_value, parse
from irops.spec.definition import (
    OPENVINO,
    Attribute,
    Constraint,
    Definition,
    ExampleCase,
    Note,
    TypeVariable,
    snake_case,
)
from irops.spec.load import counterexamples, examples
from irops.spec.op import Op, parted
from irops.spec.releases import opsets, releases
from irops.values.element import ElementType
from irops.values.shape import Shape

if TYPE_CHECKING:
    import jinja2

Page: TypeAlias = tuple[str, str]
"""The path of a page, relative to the folder of all, and its text."""
DIFFERENCES = "OpenVINO differs"
"""The heading of notes about what OpenVINO does."""


@dataclass(frozen=True, slots=True)
class ConstraintView:
    constraint: Constraint
    notes: tuple[Note, ...]
    cases: tuple[case_views.CaseView, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """A version of an op. opsets: those that contain it; page: '' if irops does not define it; before: the
    version before it, if any; delta: what differs from that one, as lines of a diff.
    """

    id: str
    page: str
    opsets: str
    changes: str
    here: bool
    before: str = ""
    delta: str = ""


def op_view(registry: Registry, op: Op) -> SimpleNamespace:
    """The contents of the page of an op. types: the variables, and the expressions of ports that stand for
    several types.
    """
    definition = op.definition
    version = next((v for v in opsets().all() if v.id == op.id), None)
    counterexample_cases = counterexamples(definition)
    return SimpleNamespace(
        op=op,
        definition=definition,
        version=version,
        attributes=tuple((a, case_views.domain_text(a)) for a in definition.attributes.values()),
        inputs=tuple((p, case_views.port_text(p)) for p in definition.inputs),
        outputs=tuple((p, case_views.port_text(p)) for p in definition.outputs),
        inputs_without_gradient=tuple(
            p.name for p in definition.inputs if p.name not in definition.gradients
        ),
        constraints=tuple(
            ConstraintView(
                c,
                tuple(note for note in definition.notes if note.of == c.id),
                tuple(
                    case_views.case_view(op, case) for case in counterexample_cases if case.violates == c.id
                ),
            )
            for c in definition.constraints.values()
        ),
        notes=_grouped_notes(definition),
        examples=tuple(case_views.case_view(op, case) for case in examples(definition)),
        siblings=_siblings(registry, definition),
        call="" if definition.library else call_text(definition),
        places=case_views.places(op),
        availability=case_views.availability(definition),
        words=search_words(definition),
        entries=index_entries(definition),
        backends=fast_backends(op),
        counterpart=counterpart_of(op.id),
        types=_types(definition),
    )


def _types(definition: Definition) -> tuple[TypeVariable, ...]:
    expressions = {
        port.type: TypeVariable(port.type, port.allowed, "")
        for port in (*definition.inputs, *definition.outputs)
        if port.type not in definition.types
        and not port.type.startswith("@")
        and frozenset(port.type.split()) != port.allowed
    }
    return (*definition.types.values(), *expressions.values())


def _grouped_notes(definition: Definition) -> tuple[tuple[str, tuple[Note, ...]], ...]:
    """The notes under their headings, but for those of constraints, which are shown with them."""
    notes = [note for note in definition.notes if note.of not in definition.constraints]
    about_openvino = tuple(note for note in notes if "OpenVINO" in note.text)
    other = tuple(note for note in notes if "OpenVINO" not in note.text)
    return tuple(
        (title, group) for title, group in ((DIFFERENCES, about_openvino), ("Notes", other)) if group
    )


def _siblings(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op."""
    if definition.dialect != OPENVINO:
        return _siblings_elsewhere(registry, definition)
    defined_ids = registry.ids()
    rows: list[Sibling] = []
    older: Definition | None = None
    for version in opsets().versions.get(definition.type.lower(), ()):
        defined = version.id in defined_ids
        newer = registry.op(version.id).definition if defined else None
        rows.append(
            Sibling(
                version.id,
                version.id if defined else "",
                version.ranges(),
                newer.changes if newer is not None else "",
                version.id == definition.id,
                older.id if older is not None else "",
                delta(older, newer) if older is not None and newer is not None else "",
            )
        )
        older = newer
    return tuple(rows)


def _siblings_elsewhere(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op of another dialect. A definition covers several versions, shown on one page."""
    of_type = [op for op in registry.versions(definition.dialect) if parted(op)[1] == definition.type]
    if len(of_type) < 2:
        return ()
    rows = []
    for op in of_type:
        other = registry.op(op).definition
        changes = other.changes if op == other.file_id else ""
        rows.append(
            Sibling(op, other.page, f"from {parted(op)[2]} on", changes, other.file_id == definition.file_id)
        )
    return tuple(rows)


# The call of an op from Python, as its page shows it: a line that runs as it is.


def call_text(definition: Definition) -> str:
    """The call of the op with inputs of the definition's names, or '' if it cannot be called directly.

    Attributes have the values of the first example, or else their defaults.
    """
    if not definition.inputs or definition.bodies or definition.stateful:
        return ""
    case = called_case(definition)
    if case is None and any(attribute.required for attribute in definition.attributes.values()):
        return ""
    stated = {} if case is None else case.attributes
    inputs = [f"*{port.name}" if port.variadic else port.name for port in definition.inputs]
    shown = ((attribute.parameter, _value(attribute, stated)) for attribute in definition.attributes.values())
    attributes = [f"{name}={literal(value)}" for name, value in shown if value is not None]
    return f'irops.call("{definition.id}", {", ".join((*inputs, *attributes))})'


def called_case(definition: Definition) -> ExampleCase | None:
    """The first example that is a call and not a model; None where the definition has none."""
    return next((case for case in examples(definition) if case.net is None), None)


def literal(value: Any) -> str:
    """A value of an attribute in Python: literal(()) is "()", that of an element type its name in quotes."""
    match value:
        case ElementType() | Shape():
            return repr(format_value(value))
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case float() if not isfinite(value):
            return f'float("{value}")'
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return repr(value)


def _value(attribute: Attribute, stated: dict[str, str]) -> Any:
    """The value to show: of the example, or the default; None where the attribute is left out."""
    text = stated.get(attribute.name, attribute.default)
    return None if text is None else parse(attribute, text)


# What a search finds the page of an op by, beside its text.

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_./\s]+")


def search_words(definition: Definition) -> tuple[str, ...]:
    """Single words: of the name, of other names that people use, of attributes and inputs."""
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    names = (definition.type, *definition.keywords, *definition.attributes, *ports)
    words = [definition.type, definition.file_id]
    for name in names:
        words += [name, *_PARTS.split(name)]
    plain = (word.replace(",", " ").strip() for word in words)
    return tuple(dict.fromkeys(word for word in plain if len(word) > 1 and " " not in word))


def index_entries(definition: Definition) -> tuple[str, ...]:
    """Entries of the index: other names of the op, and its attributes."""
    attributes = (f"{attribute} (attribute)" for attribute in definition.attributes)
    names = (definition.file_id, *definition.keywords, *attributes)
    return tuple(" ".join(re.sub(r"[;!,`\"]", " ", name).split()) for name in names)


# What differs between two versions of an op: lines of a diff of what their definitions declare.


def delta(older: Definition, newer: Definition) -> str:
    """The lines that are removed (-) and added (+); '' if both declare the same."""
    lines = ndiff(list(declared_lines(older)), list(declared_lines(newer)))
    return "\n".join(line for line in lines if line[0] in "+-")


def declared_lines(definition: Definition) -> Iterator[str]:
    """One line for each input, attribute, output, type and constraint."""
    for what, ports in (("input", definition.inputs), ("output", definition.outputs)):
        for port in ports:
            yield ", ".join(filter(None, (f"{what} {port.name}: {port.type}", case_views.port_text(port))))
    for attribute in definition.attributes.values():
        yield f"attribute {attribute.name}: {_attribute(attribute)}"
    for variable in definition.types.values():
        yield f"type {variable.name}: {' '.join(sorted(variable.allowed))}"
    for constraint in definition.constraints.values():
        yield f"{constraint.severity}: {constraint.text}"


def _attribute(attribute: Attribute) -> str:
    default = "required" if attribute.required else f"default {attribute.default or 'none'}"
    return "; ".join(filter(None, (attribute.type, case_views.domain_text(attribute), default)))


FOR_MARKDOWN = ("jinja2",)
FOR_HTML = ("jinja2", "sphinx", "myst_parser", "furo", "sphinx_copybutton", "sphinx_sitemap")


def require_libraries(*modules: str) -> None:
    """Raises:  MissingExtraError, with what installs them, if one of the modules is missing"""
    require_extra("docs", *modules, purpose="the pages cannot be made")


def environment(*, myst: bool) -> "jinja2.Environment":
    """The environment of the templates. myst: for Sphinx, with the directives of MyST; otherwise plain
    Markdown.
    """
    require_libraries(*FOR_MARKDOWN)
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("irops.document"),
        autoescape=jinja2.select_autoescape(("html",), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters.update(prose=case_views.prose, cell=case_views.cell, code=case_views.code)
    tensors = vars(made.get_template("tensors.html").module)["figure"]
    made.globals.update(bands=BANDS, myst=myst, tensors_html=tensors)
    return made


_RULE_LINK = re.compile(r"\[((?:\\.|[^\\\[\]\n])*)\]\((?![a-z]+:)([^()\s]+)\.md(#[^()\s]*)?\)")


def rule_pages(page: Callable[..., str], definitions: Sequence[Definition] = ()) -> Iterator[Page]:
    """Relative path and text of each page. page: renders a template; definitions: with constraints to list"""
    grouped = groupby(all_rules(), key=lambda rule: rule.band)
    bands = [(band, BANDS.get(band, "custom rules"), list(members)) for band, members in grouped]
    yield "rules/index.md", page("rules", bands_of_rules=bands)
    for band, title, members in bands:
        yield f"rules/{band}.md", page("band", band=band, title=title, members=members)
        for rule in members:
            values = {"rule": rule, "example": rule_example(rule)}
            constrained = definitions if rule.name == "violated-constraint" else ()
            yield f"rules/{rule.code}.md", page("rule", constrained=constrained, **values)


_EXPECTED = re.compile(r" *<!-- expect: .*?(-->|$)", re.MULTILINE)


def rule_example(rule: Rule) -> SimpleNamespace | None:
    """The first finding in the model that breaks a rule, as irops check prints it, and what --fix changes
    there, as lines of a diff; None for a rule without a model.
    """
    file = FOLDER / f"{rule.code}.xml"
    if not file.is_file():
        return None
    found = next(d for d in check(file) if d.code == rule.code)
    printed = render([Report((found,))], "full").replace(str(file), "model.xml")
    content = content_of(file)
    fixed = applied(content, [found.fix])[0] if found.fix is not None else content
    before, after = (
        _EXPECTED.sub("", data.decode("utf-8", "replace")).splitlines() for data in (content, fixed)
    )
    lines = [line for line in ndiff(before, after) if line[0] in "+-"]
    finding = _EXPECTED.sub("", printed[: printed.index("    explain: ")])
    return SimpleNamespace(finding=finding, fix="\n".join(lines))


def rule_page(rule: Rule, *, site: str = "") -> str:
    """The page of a rule as an editor shows it, without the others. site: the address of a site of
    `irops docs`, to which links lead; '' for no links to other pages.

    Raises:  MissingExtraError
    """

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        return f"[{words}]({site}/rules/{target}.html{anchor})" if site else words

    page = environment(myst=False).get_template("rule.md").render(rule=rule, example=None, constrained=())
    return _RULE_LINK.sub(link, page.lstrip())


Item = TypeVar("Item")


def by_category(items: Iterable[Item], category: Callable[[Item], str]) -> dict[str, list[Item]]:
    """Items under their categories, which are in alphabetical order."""
    return {name: list(members) for name, members in groupby(sorted(items, key=category), category)}


class OpPages:
    """The pages of the ops of a registry. page: renders a template; conformance: the page with results of
    backends, relative to the pages of ops, or ''.
    """

    def __init__(
        self, registry: Registry, page: Callable[..., str], *, custom_only: bool, conformance: str = ""
    ) -> None:
        self.registry, self.page = registry, page
        self.custom_only, self.links = custom_only, {"conformance": conformance}
        self.ids = tuple(registry.extensions()) if custom_only else registry.ids()
        self.definitions = [registry.op(op).definition for op in self.ids]
        self.categories = by_category(self.definitions, lambda definition: definition.category)
        self.others = {} if custom_only else {d.name: self._newest(d.name) for d in others()}

    @property
    def count(self) -> int:
        """The number of pages of ops, rules and opsets."""
        own = len(self.ids) + sum(map(len, self.others.values()))
        return own if self.custom_only else own + len(all_rules()) + len(opsets().names)

    def pages(self) -> Iterator[Page]:
        """Relative path and text of each page."""
        names = {dialect.name: dialect.title for dialect in others()}
        title = "Ops" if self.custom_only else "The ops of OpenVINO IR"
        about: dict[str, Any] = {"count": len(self.ids), "custom_only": self.custom_only}
        everything = [*map(self.registry.op, self.ids), *(op for ops in self.others.values() for op in ops)]
        about |= {"parts": [*self.categories, *self.others], "rows": map(op_row, everything)}
        yield "ops/index.md", self.page("ops", title=title, **about)
        for category, members in self.categories.items():
            yield f"ops/{category}.md", self.page("category", title=category, members=members)
        for dialect, ops in self.others.items():
            members = [op.definition for op in ops]
            yield f"ops/{dialect}.md", self.page("category", title=names[dialect], members=members)
        for op in everything:
            view = op_view(self.registry, op)
            text = self.page("op", view=view, names=names, has_others=bool(self.others), **self.links)
            yield f"ops/{op.definition.page}.md", text
        if not self.custom_only:
            yield from overview_pages([self.registry.op(op) for op in self.ids], self.page)
            yield from self._opsets()

    def _newest(self, dialect: str) -> list[Op]:
        """The ops of another dialect; if a definition covers several versions, the newest one."""
        return [self.registry.op(self.registry.newest(op)) for op in self.registry.ids(dialect)]

    def overviews(self) -> Iterator[tuple[str, str]]:
        """Path and title of each page of an opset, a category or a band of rules."""
        yield "opsets/ops-by-release", "Op versions by release"
        yield from ((f"opsets/{opset}", opset) for opset in opsets().names)
        yield from ((f"ops/{category}", f"{category} ops") for category in self.categories)
        yield from ((f"ops/{d.name}", f"{d.title} ops") for d in others())
        bands = dict.fromkeys(rule.band for rule in all_rules())
        yield from ((f"rules/{band}", f"{band}: {BANDS.get(band, 'custom rules')}") for band in bands)

    def _opsets(self) -> Iterator[Page]:
        new = {opset: [v for v in opsets().all() if v.since == opset] for opset in opsets().names}
        since = releases().opsets
        table = [(opset, since.get(opset), new[opset]) for opset in opsets().names]
        yield "opsets/index.md", self.page("opsets", opsets=table, ids=self.ids)
        for opset in opsets().names:
            about = {"since": since.get(opset), "new": new[opset], "ids": self.ids}
            versions = [version for version in opsets().all() if opset in version.opsets]
            yield f"opsets/{opset}.md", self.page("opset", opset=opset, versions=versions, **about)
        by_release = self.page("by_release", releases=self._by_release(), oldest=releases().oldest)
        yield "opsets/ops-by-release.md", by_release

    def _by_release(self) -> list[tuple[str, list[str]]]:
        """The ids of op versions by the release that reads them first, the newest release first."""
        since = {d.id: case_views.release_of(d) for d in self.definitions}
        first = {name: [op for op, release in since.items() if release == name] for name in releases().names}
        return [(name, ids) for name, ids in reversed(first.items()) if ids]


# Pages about all ops: what irops can do with each, and where OpenVINO differs.


def overview_pages(ops: Sequence[Op], page: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. page: renders a template"""
    categories = by_category(differences(ops), lambda difference: difference.definition.category)
    total = sum(map(len, categories.values()))
    yield "differences/index.md", page("differences", categories=categories, total=total)
    for category, members in categories.items():
        groups = [(op, list(items)) for op, items in groupby(members, key=lambda item: item.definition.id)]
        yield f"differences/{category}.md", page("difference", category=category, groups=groups)


# Where OpenVINO's specification, reader, inference and kernels differ, from the notes of definitions.

PARTS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (r"specif", r"\bread", r"\binfer", r"\bkernel|plug-in|\bruns?\b|\bcomput")
)
"""The words by which notes name parts of OpenVINO: specification, reader, inference, and what computes."""


@dataclass(frozen=True, slots=True)
class DifferenceNote:
    """A note. subject: the constraint, attribute or port that it is about; proof: a counterexample of the
    constraint, and what irops reports.
    """

    definition: Definition
    subject: str
    text: str
    proof: case_views.CaseView | None


def differences(ops: Iterable[Op]) -> Iterator[DifferenceNote]:
    """The notes that say that parts of OpenVINO differ, in the order of the ops."""
    for op in ops:
        for note in op.definition.notes:
            if "OpenVINO" in note.text and sum(words.search(note.text) is not None for words in PARTS) >= 2:
                yield DifferenceNote(
                    op.definition, _subject(op.definition, note), note.text, _proof(op, note)
                )


def _subject(definition: Definition, note: Note) -> str:
    constraint = definition.constraints.get(note.of or "")
    return note.of or "the op" if constraint is None else f"{constraint.id}: {constraint.text}"


def _proof(op: Op, note: Note) -> case_views.CaseView | None:
    cases = (case for case in counterexamples(op.definition) if case.violates == note.of and case.net is None)
    first = next(cases, None) if note.of else None
    return None if first is None else case_views.case_view(op, first)


Progress = Callable[[int, int, str], None]
CONFORMANCE = "conformance.md"
"""The page of a guide that has the results of backends."""


class Site:
    """Pages of all ops and rules: pages() generates them, write() writes them to a folder.

    format: "html" or "markdown"; folders: of custom definitions; custom_only: leave out the ops and rules of
    irops; guide: a folder with further pages, whose index.md is the first page; more: further pages, by title
    of their part.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        format: str = "html",
        *,
        custom_only: bool = False,
        guide: Path | None = None,
        more: Iterable[Page] = (),
        options: BuildOptions | None = None,
    ) -> None:
        self.format, self.guide, self.more = format, guide, tuple(more)
        self.options = options or BuildOptions()
        self.custom_only = custom_only
        if format == "html":
            require_libraries(*FOR_HTML)
        self.environment = environment(myst=format == "html")
        has_results = guide is not None and (guide / CONFORMANCE).is_file()
        results = f"../{CONFORMANCE}" if has_results else ""
        known = registry or default_registry()
        self.ops = OpPages(known, self._page, custom_only=custom_only, conformance=results)

    def pages(self, progress: Progress | None = None) -> Iterator[Page]:
        """Relative path and text of each page, as Markdown."""
        total = self.ops.count
        for number, page in enumerate(self._all()):
            if progress is not None:
                progress(min(number + 1, total), total, page[0])
            yield page

    def _all(self) -> Iterator[Page]:
        own_index = self.guide is not None and (self.guide / "index.md").is_file()
        if not own_index:
            yield "index.md", self._page("index", title=self.options.title, parts=self._parts())
        if self.guide is not None:
            yield from guide_pages(self.guide)
        yield from self.ops.pages()
        if not self.custom_only:
            yield from rule_pages(self._page, self.ops.definitions)
        yield from self.more

    def _parts(self) -> list[tuple[str, str]]:
        parts = [("ops/index", "Ops")]
        if not self.custom_only:
            parts += [
                ("differences/index", "Where OpenVINO differs"),
                ("opsets/index", "Opsets"),
                ("rules/index", "Rules"),
            ]
        if self.more:
            parts.append(("commands/index", "Commands"))
        return parts

    def search_entries(self) -> Iterator["SearchEntry"]:
        """The entries of the search of the site."""
        everything = [self.ops.registry.op(op) for op in self.ops.ids]
        everything += [op for ops in self.ops.others.values() for op in ops]
        yield from op_entries(everything)
        if not self.custom_only:
            yield from rule_entries()
            for path, title in (*self._parts(), *self.ops.overviews()):
                keywords = ("error codes", "list of rules") if path == "rules/index" else ()
                yield SearchEntry(path, "page", title, (title, path), keywords)
        for path, text in (*(guide_pages(self.guide) if self.guide is not None else ()), *self.more):
            yield from page_entries(path, text, api=self.options.api)

    def write(self, folder: str | os.PathLike[str], progress: Progress | None = None) -> int:
        """Write all pages and return their number. The folder is replaced after all pages are generated.

        Raises:  FileExistsError if the folder contains anything but documentation of irops; BuildError
        """
        if self.format != "html":
            return publish(folder, lambda new_folder: self._write_sources(new_folder, progress))
        return publish(folder, lambda new_folder: self._write_html(new_folder, progress))

    def _write_html(self, folder: Path, progress: Progress | None) -> int:
        with tempfile.TemporaryDirectory(prefix="irops-docs-") as place:
            sources = Path(place) / "sources"
            count = self._write_sources(sources, progress)
            build_html(sources, folder, self.options)
        entries = [asdict(entry) for entry in self.search_entries()]
        (folder / "_static" / "entries.js").write_text(f"const ENTRIES = {json.dumps(entries)};\n", "utf-8")
        return count

    def _write_sources(self, folder: Path, progress: Progress | None) -> int:
        count = 0
        for path, text in self.pages(progress):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            count += 1
        if self.guide is not None:
            copy_pictures(self.guide, folder)
        return count

    def _page(self, name: str, **values: Any) -> str:
        return self.environment.get_template(f"{name}.md").render(**values)


# The pages of a folder that are written by hand, as pages of the site.

PICTURES = (".svg", ".png", ".jpg", ".gif")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[ \t]*$)", re.DOTALL | re.MULTILINE)
_INCLUDED = {"CHANGELOG.md": "changelog.md"}
"""Files beside the folder that are pages of the site."""


def guide_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. Links to files outside of the folder lead to the repository; where
    that has no address, their text stays.
    """
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder)
        yield path.as_posix(), with_links(file.read_text("utf-8"), file.parent, folder)
    for name, page in _INCLUDED.items():
        file = folder.parent / name
        if file.is_file():
            yield page, with_links(file.read_text("utf-8"), file.parent, folder, page_in=folder)


def copy_pictures(folder: Path, target: Path) -> None:
    """Copy the pictures that the pages show."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in PICTURES:
            copy = target / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def with_links(text: str, place: Path, folder: Path, page_in: Path | None = None) -> str:
    """A page with links that work in the site.

    place: the folder that the links of the page are relative to; page_in: where the page is in the site, if
    that is elsewhere.
    """
    home = page_in or place

    def rewritten(match: re.Match[str]) -> str:
        target = _target(match[3], place, folder, home)
        return f"{match[1]}[{match[2]}]({target})" if target else match[2]

    parts = _FENCE.split(text)
    return "".join(part if k % 2 else _LINK.sub(rewritten, part) for k, part in enumerate(parts))


def _target(link: str, place: Path, folder: Path, home: Path) -> str:
    """The target of a link in the site; "" for a file of the repository, where that has no address."""
    file, mark, anchor = link.partition("#")
    if not file or re.match(r"[a-z]+:", file):
        return link
    target = (place / file).resolve()
    if not target.is_relative_to(folder.resolve()):
        if target.name in _INCLUDED and target.parent == folder.resolve().parent:
            return f"{_up(home, folder)}{_INCLUDED[target.name]}{mark}{anchor}"
        if not target.is_relative_to(folder.resolve().parent):
            return link
        url = case_views.repository_url(target.relative_to(folder.resolve().parent).as_posix())
        return f"{url}{mark}{anchor}" if url else ""
    inside = target.relative_to(folder.resolve()).as_posix()
    page = f"{inside}/index.md" if target.is_dir() else inside
    return f"{_up(home, folder)}{page}{mark}{anchor}"


def _up(home: Path, folder: Path) -> str:
    return "../" * len(home.resolve().relative_to(folder.resolve()).parts)


# Writes a folder of pages: completely, or not at all.

MARK = ".irops-docs"
"""The file that says that irops wrote a folder."""
PREFIX = ".irops-docs-"
"""Of the name of a folder of pages that are being written."""


def publish(folder: str | os.PathLike[str], fill: Callable[[Path], int]) -> int:
    """Let a function write files into a new folder, which then replaces the folder; return its result.

    Raises:  FileExistsError if the folder contains anything but documentation of irops
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MARK).exists())):
        raise FileExistsError(
            f"{target} exists and is not a folder of irops documentation; choose another, or remove it first"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent, rf"{re.escape(PREFIX)}\w{{8}}(\.replaced)?", is_folder=True)
    new_folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=target.parent))
    handle = os.open(new_folder, os.O_RDONLY)
    claim(handle)
    try:
        count = fill(new_folder)
        (new_folder / MARK).write_text("written by irops docs\n")  # else the next run would refuse it
        new_folder.chmod(0o755)  # mkdtemp lets nobody else read it
        replaced = new_folder.with_name(f"{new_folder.name}.replaced")
        with signals_blocked():
            if target.exists():
                target.rename(replaced)
            new_folder.rename(target)
        shutil.rmtree(replaced, ignore_errors=True)
    except BaseException:
        shutil.rmtree(new_folder, ignore_errors=True)
        raise
    finally:
        os.close(handle)
    return count


# What the search of the site finds pages by. static/search.js ranks the entries.


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """A page, or a place of a page.

    page: its path without suffix, and its anchor; kind: "op", "rule", "command", "python" or "page"; names:
    of what the page is about; keywords: other names that people use, and options; words: attributes,
    arguments, headings or text; dialect: of an op, "" for OpenVINO; older: whether a newer version of the op
    has a page.
    """

    page: str
    kind: str
    title: str
    names: tuple[str, ...]
    keywords: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    summary: str = ""
    dialect: str = ""
    older: bool = False


def op_entries(ops: Sequence[Op]) -> Iterator[SearchEntry]:
    newest: dict[tuple[str, str], int] = {}
    for op in ops:
        dialect, name, number = parted(op.definition.file_id)
        newest[dialect, name] = max(number, newest.get((dialect, name), 0))
    for op in ops:
        d = op.definition
        dialect, name, number = parted(d.file_id)
        names = (d.file_id, d.id, name, snake_case(name), *((f"{dialect} {name}",) if dialect else ()))
        older = number < newest[dialect, name]
        words = search_words(d)
        yield SearchEntry(
            f"ops/{d.page}", "op", d.file_id, names, d.keywords, words, d.summary, dialect, older
        )


def rule_entries() -> Iterator[SearchEntry]:
    for rule in all_rules():
        title = f"{rule.code} {rule.name}"
        names = (rule.code, rule.name)
        yield SearchEntry(f"rules/{rule.code}", "rule", title, names, (), (rule.explanation,), rule.summary)


_DIRECTIVE = re.compile(r"^\.\. (currentmodule|auto\w+):: (\S+)((?:\n   :.*)*)", re.MULTILINE)
_OPTIONS = re.compile(r"^`-.*(?=\n: )", re.MULTILINE)


def page_entries(path: str, text: str, *, api: bool = False) -> Iterator[SearchEntry]:
    """The entry of a page of Markdown; with api, those of the functions and classes whose docstrings it
    includes.
    """
    body = _FENCE.sub("", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL))
    title = re.search(r"^# (.*)", body, re.MULTILINE)
    name = path.removesuffix(".md")
    shown = _plain(title[1]) if title is not None else name
    paragraphs = (part for part in body.split("\n\n") if re.match(r"[\w\[*`(\"]", part))
    summary = re.split(r"(?<=\.)\s", _plain(next(paragraphs, "")))[0]
    headings = tuple(_plain(heading) for heading in re.findall(r"^##+ (.*)", body, re.MULTILINE))
    if name.startswith("commands/") and shown.startswith("irops "):
        options = dict.fromkeys(re.findall(r"--?[a-z][\w-]*", " ".join(_OPTIONS.findall(body))))
        names = (shown, shown.removeprefix("irops "))
        yield SearchEntry(name, "command", shown, names, tuple(options), (_plain(body),), summary)
    else:
        listed = re.search(r"^<!-- keywords: (.*) -->$", text, re.MULTILINE)
        keywords = tuple(listed[1].split(", ")) if listed is not None else ()
        yield SearchEntry(name, "page", shown, (shown, name), keywords, headings, summary)
    module = ""
    for directive, member, options in _DIRECTIVE.findall(text) if api else ():
        module = member if directive == "currentmodule" else module
        if directive != "currentmodule":
            yield from _python_entries(name, module, member, options)


def _python_entries(page: str, module: str, name: str, options: str) -> Iterator[SearchEntry]:
    """The entries of a function, or of a class and the members that the options of its directive select."""
    value = getattr(import_module(module), name)
    listed = re.search(r":members:(.*)", options)
    own = vars(value) if listed is not None and not listed[1] else ()
    members = [member for member in own if member[0] != "_"] or re.findall(
        r"\w+", listed[1] if listed else ""
    )
    for full in (name, *(f"{name}.{member}" for member in members)):
        member = getattr(value, full.partition(".")[2]) if "." in full else value
        if not inspect.getdoc(member) and ":undoc-members:" not in options:
            continue
        called = member.__init__ if inspect.isclass(member) else member
        parameters = list(inspect.signature(called).parameters) if inspect.isfunction(called) else []
        summary = re.split(r"(?<=\.)\s|\n\n", inspect.getdoc(member) or "")[0]
        title = f"{module}.{full}"
        yield SearchEntry(f"{page}#{title}", "python", title, (title, full), (), tuple(parameters), summary)


def _plain(text: str) -> str:
    """Text without the marks of Markdown."""
    text = re.sub(r"{\w+}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
    return " ".join(re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[*`\\]", r"\1", text).split())

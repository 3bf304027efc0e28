"""Loads a Definition from its XML file, and its examples on demand; whether they and its constraints agree.

Errors are OD1xx diagnostics with file and line.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, repeat
from math import inf
from os.path import dirname
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from lxml import etree

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location, Severity
from irops.diagnostics.rules import rule
from irops.files.storage import content_of
from irops.spec.attributes import DomainError, parse
from irops.spec.binding import Functions
from irops.spec.condition import GENERAL, Condition, parse_condition
from irops.spec.definition import (
    OPENVINO,
    Attribute,
    Constraint,
    Definition,
    ExampleCase,
    Gradient,
    Note,
    Peer,
    PortSpec,
    Tensor,
    TypeVariable,
    allowed_types,
    definition_id,
    lines,
    prose,
    snake_case,
    type_text,
)
from irops.spec.op import is_version_number
from irops.spec.releases import schemas_folder
from irops.values.element import STRING, Array, ElementType, element_type, tagged
from irops.values.shape import Shape

FLAG = "yes"


def load_definition(path: str | Path, *, version: int | None = None) -> Definition:
    """The definition in a file. version: by default the opset in the file.

    Raises:  DefinitionError if the file is not well-formed, does not match the schema, or contradicts itself
    """
    root = _parsed(Path(path))
    grammar = _grammar()
    if not grammar.validate(root):
        entries = sorted(grammar.error_log, key=lambda entry: entry.line <= 0)  # those with a line first
        misplaced = {e.line for e in entries if MISPLACED.fullmatch(e.message)}
        shown = [e for e in entries if e.line not in misplaced or MISPLACED.fullmatch(e.message)]
        lines = [entry.line if entry.line > 0 else root.sourceline for entry in shown]
        what = "does not match the schema of definitions"
        texts = [f"{what}: {entry.message}{_order(root, entry.message)}" for entry in shown]
        raise DefinitionError(_fault("schema-violation", *one) for one in zip(texts, repeat(path), lines))
    if wrong := wrong_version(root):
        raise DefinitionError([_fault("schema-violation", wrong[1], path, wrong[0].sourceline)])
    loader = _Loader(str(path), root)
    if loader.dialect != OPENVINO and root.get("version") is not None:
        opset = int(root.get("version")) if version is None else version
        # remove what later opsets than version introduced, and notes on it. Returns the removed attributes
        loader.root.set("version", str(opset))
        elements = loader.root.iter("attribute", "example", "counterexample")
        later = [element for element in elements if int(element.get("since", 0)) > opset]
        removed = {element.get("name") for element in later if element.tag == "attribute"}
        for element in (*later, *(note for note in loader.root.findall("note") if note.get("of") in removed)):
            element.getparent().remove(element)
        loader.opset, loader.later = opset, frozenset(removed)
    return loader.definition()


MAX_BYTES = 16 << 20
"""The greatest size of a definition: two hundred times the largest one; its tree takes some hundred MB."""


def _parsed(path: Path) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(content_of(path, MAX_BYTES), parser)
    except OSError as error:
        message, line = f"the definition cannot be read: {error}", None
    except etree.XMLSyntaxError as error:
        message, line = f"not well-formed: {error.msg}", error.lineno
    raise DefinitionError([_fault("unreadable-definition", message, path, line)])


@cache
def _grammar() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(str(schemas_folder() / "layer.rng")))


MISPLACED = re.compile(r"Did not expect element (\S+) there")


def _order(root: Any, message: str) -> str:
    """The order of what a definition holds, where an element of it stands in the wrong place."""
    misplaced = MISPLACED.fullmatch(message)
    if misplaced is None or root.find(misplaced[1]) is None:
        return ""
    grammar = etree.parse(str(schemas_folder() / "layer.rng"))
    layer = grammar.find("./{*}define[@name='layer']/{*}element")
    return f", the order is {', '.join(_parts(layer))}"


def _parts(pattern: Any) -> Iterator[str]:
    """The names of the elements that a pattern of the grammar consists of, without those in them."""
    for part in pattern.iterchildren("{*}*"):
        if etree.QName(part).localname in ("element", "ref"):
            yield part.get("name")
        elif etree.QName(part).localname != "attribute":
            yield from _parts(part)


def _fault(name: str, message: str, path: str | Path, line: int | None = None) -> Diagnostic:
    return Diagnostic(rule(name), message, Location(str(path), line))


class _Loader:
    """Reads one definition, and collects its errors."""

    def __init__(self, path: str, root: Any) -> None:
        self.path, self.root = path, root
        self.dialect = root.get("dialect", OPENVINO)
        self.file_id = definition_id(self.dialect, root.get("type"), root.get("version", ""))
        self.opset: int | None = None
        self.later: frozenset[str] = frozenset()
        self.faults: list[Diagnostic] = []

    def definition(self) -> Definition:
        root = self.root
        attributes = self._named(self.attribute, "data/attribute")
        types = self._named(self.type_variable, "type")
        inputs = tuple(self.port(p, types, attributes) for p in root.findall("input/port"))
        outputs = tuple(self.port(p, types, attributes) for p in root.findall("output/port"))
        for before, after in pairwise(inputs):
            if before.variadic or (before.optional and not after.optional):
                self.fault(root, f"input {after.name} follows {before.name}, which is optional or variadic")
        constraints = self._named(self.constraint, "constraint", key="id")
        definition = Definition(
            type=root.get("type"),
            version=root.get("version", ""),
            category=root.get("category"),
            module=root.get("module") or snake_case(root.get("type")),
            dialect=self.dialect,
            stateful=root.get("stateful") == FLAG,
            path=self.path,
            summary=prose(root.find("summary")),
            description=prose(root.find("description")),
            formula=lines(root.find("formula")),
            source=prose(root.find("source")),
            changes=prose(root.find("changes")),
            keywords=tuple(word.strip() for word in prose(root.find("keywords")).split(",") if word.strip()),
            peers=tuple(
                Peer(p.get("library"), p.get("call"), p.get("where", ""), p.get("when", ""), prose(p))
                for p in root.findall("peer")
            ),
            attributes=attributes,
            bodies={b.get("name"): prose(b) for b in root.findall("body")},
            types=types,
            inputs=inputs,
            outputs=outputs,
            gradients=self._named(self.gradient, "gradient", key="of"),
            constraints=constraints,
            notes=tuple(map(self.note, root.findall("note"))),
            cases_source=root,
            same_as=root.get("same-as"),
            library=root.get("library", ""),
            given=tuple((g.get("name"), prose(g)) for g in root.findall("given")),
            file_id=self.file_id,
            later=self.later,
        )
        for element, message in reference_faults(root, definition):
            self.fault(element, message)
        if self.faults:
            raise DefinitionError(self.faults)
        return definition

    def fault(self, element: Any, message: str) -> None:
        self.faults.append(_fault("inconsistent-definition", message, self.path, element.sourceline))

    def _named(self, make: Any, path: str, key: str = "name") -> dict[str, Any]:
        items: dict[str, Any] = {}
        for element in self.root.findall(path):
            if element.get(key) in items:
                self.fault(element, f"{element.tag} {element.get(key)} is defined twice")
            item = make(element)
            if item is not None:
                items[element.get(key)] = item
        return items

    def attribute(self, element: Any) -> Attribute | None:
        get = element.get
        attribute = Attribute(
            name=get("name"),
            type=get("type"),
            text=prose(element),
            of=get("of"),
            required=get("required") == FLAG,
            stands_for=get("as"),
            dialect=self.dialect,
            label=get("label"),
            switch=get("switch"),
            builder=get("builder") == FLAG,
            default=get("default"),
            reader_default=get("reader-default"),
            reader_requires=get("reader-requires"),
            ones_like=get("ones-like"),
            values=self.values(get("type"), get("values") or ""),
            aliases=tuple((a.partition("=")[0], a.partition("=")[2]) for a in (get("aliases") or "").split()),
            low=self.bound(element, "min", -inf),
            high=self.bound(element, "max", inf),
        )
        for text in filter(None, (attribute.default, attribute.reader_default)):
            try:
                parse(attribute, text)
            except DomainError as error:
                self.fault(element, f"the default of {attribute.name} is outside its domain: {error}")
                return None
        if attribute.type == "enum" and not attribute.values:
            self.fault(element, f"the enum {attribute.name} has no values")
        return attribute

    def bound(self, element: Any, which: str, without: float) -> float:
        """The minimum or maximum of an attribute; without: the value if there is none."""
        try:
            return float(element.get(which, without))
        except ValueError:
            self.fault(
                element, f"{which} of {element.get('name')} is {element.get(which)!r}, must be a number"
            )
            return without

    def values(self, kind: str, text: str) -> tuple[str, ...]:
        """The values that an attribute may have; for element types in other dialects, those of the opset."""
        if kind == "element_type" and self.dialect != OPENVINO and text:
            return tuple(sorted(allowed_types(text, self.dialect, self.opset)))
        return tuple(text.split())

    def type_variable(self, element: Any) -> TypeVariable | None:
        try:
            expression = element.text or ""
            allowed = allowed_types(expression, self.dialect, self.opset)
            return TypeVariable(element.get("name"), allowed, type_text(expression, self.dialect))
        except ValueError as error:
            self.fault(element, f"type {element.get('name')}: {error}")
            return None

    def port(
        self, element: Any, types: dict[str, TypeVariable], attributes: dict[str, Attribute]
    ) -> PortSpec:
        kind = element.get("type")
        allowed: frozenset[str] = frozenset()
        if kind in types:
            allowed = types[kind].allowed
        elif kind.startswith("@"):
            attribute = attributes.get(kind[1:])
            if attribute is None or attribute.type != "element_type":
                message = f"port {element.get('name')} has the type {kind}, which is not an attribute"
                self.fault(element, f"{message} of type element_type")
        else:
            try:
                allowed = allowed_types(kind, self.dialect, self.opset)
            except ValueError as error:
                self.fault(element, f"port {element.get('name')}: {error}")
        low, high = self.ranks(element)
        return PortSpec(
            id=int(element.get("id")),
            name=element.get("name"),
            type=kind,
            allowed=allowed,
            text=prose(element),
            low_rank=low,
            high_rank=high,
            optional=element.get("optional") == FLAG,
            variadic=element.get("variadic") == FLAG,
            reader_requires=element.get("reader-requires") == FLAG,
            shape=tuple((element.get("shape") or "").split()),
            stands_for=element.get("as"),
        )

    def ranks(self, element: Any) -> tuple[int, float]:
        """The minimum and the maximum rank of a port."""
        text = element.get("rank", "0..")
        low, dots, high = text.partition("..")
        try:
            if not dots:
                return int(low), int(low)
            return int(low or 0), int(high) if high else inf
        except ValueError:
            message = f"the rank of {element.get('name')} is {text!r}, must be a number or a range"
            self.fault(element, f"{message} such as 0..1 or 2..")
            return 0, inf

    def gradient(self, element: Any) -> Gradient:
        saves = tuple((element.get("saves") or "").split())
        return Gradient(element.get("of"), prose(element), saves, element.get("when"))

    def constraint(self, element: Any) -> Constraint:
        get = element.get
        severity, attributes = Severity(get("severity", "error")), tuple((get("of") or "").split())
        known, when = get("of-knowledge") == FLAG, get("when", "infer")
        return Constraint(get("id"), prose(element), when, severity, attributes, known)

    def note(self, element: Any) -> Note:
        cause: Condition = ()
        try:
            cause = parse_condition(element.get("cause", ""))
        except ValueError as error:
            self.fault(element, f"the cause of a note: {error}")
        return Note(prose(element), element.get("of"), cause, element.get("switch", ""))


# Checks that the names to which a definition refers are defined.

Fault: TypeAlias = tuple[Any, str]
"""An XML element, and the error in it."""


def reference_faults(root: Any, definition: Definition) -> Iterator[Fault]:
    """The references of a definition to names that do not exist. root: its XML element"""
    inputs = {p.name for p in definition.inputs}
    for attribute in definition.attributes.values():
        if attribute.type in ("axis", "axes") and attribute.of not in inputs:
            yield root, f"attribute {attribute.name} is an axis of {attribute.of!r}, must be of an input"
    yield from _reader_requirements(root, definition)
    for constraint in root.findall("constraint"):
        for name in (constraint.get("of") or "").split():
            if name not in definition.attributes:
                yield constraint, f"a constraint is about the attribute {name!r}, which is not defined"
    yield from _notes(root, definition)
    for gradient in root.findall("gradient"):
        yield from _gradient(gradient, definition)
    for data in root.findall("example/data"):
        for name in definition.attributes.keys() & set(data.keys()):
            try:
                parse(definition.attributes[name], data.get(name))
            except DomainError as error:
                yield data, f"an example is outside of a domain: {error}"
    for case in root.findall("counterexample"):
        violated = case.get("violates")
        if violated not in definition.constraints and not violated.startswith("IR"):
            yield case, f"a counterexample violates {violated!r}, which is not defined"


def _reader_requirements(root: Any, definition: Definition) -> Iterator[Fault]:
    for attribute in definition.attributes.values():
        if attribute.reader_requires in (None, "yes"):
            continue
        name, _, value = attribute.reader_requires.partition("=")
        other = definition.attributes.get(name)
        if other is None or value not in other.values:
            wanted = "must be yes or an attribute with one of its values: name=value"
            required = f"attribute {attribute.name} is required where {attribute.reader_requires!r}"
            yield root, f"{required}, {wanted}"


def _notes(root: Any, definition: Definition) -> Iterator[Fault]:
    parts = (definition.constraints, definition.attributes, definition.types, definition.bodies)
    subjects = {None, *_ports(definition)}.union(*parts)
    for element, note in zip(root.findall("note"), definition.notes):
        if note.of not in subjects:
            yield element, f"a note is about {note.of!r}, which is not defined"
        for term in (term for terms in note.cause for term in terms):
            if term.name not in {*subjects, *GENERAL}:
                yield element, f"a cause depends on {term.name!r}, which is not defined"


def _gradient(element: Any, definition: Definition) -> Iterator[Fault]:
    of, when = element.get("of"), element.get("when")
    if of not in {p.name for p in definition.inputs}:
        yield element, f"a gradient is of {of!r}, must be of an input"
    for name in (element.get("saves") or "").split():
        if name not in _ports(definition):
            yield element, f"the gradient of {of} saves {name!r}, must save inputs and outputs"
    attribute = definition.attributes.get(when)
    if when is not None and (attribute is None or attribute.type != "bool"):
        yield element, f"the gradient of {of} depends on {when!r}, must depend on an attribute of type bool"


def _ports(definition: Definition) -> set[str]:
    return {p.name for p in (*definition.inputs, *definition.outputs)}


# The numbers of versions in definitions and in ids of ops.


def wrong_version(root: Any) -> tuple[Any, str] | None:
    """The element of a definition whose version is not a number where it must be one, with a message."""
    version, dialect = root.get("version"), root.get("dialect", OPENVINO)
    if dialect != OPENVINO and version is not None and not is_version_number(version):
        return root, _message("the version", version, dialect)
    for element in root.iter("attribute", "example", "counterexample"):
        since = element.get("since", "0")
        if not is_version_number(since):
            return element, _message("since", since, dialect)
    return None


def _message(what: str, text: str, dialect: str) -> str:
    return f"{what} is {text[:60]!r}, must be a number: an opset of the dialect {dialect}"


def examples(definition: Definition) -> tuple[ExampleCase, ...]:
    """The examples, with their tensors."""
    return tuple(_case(e, definition.path) for e in definition.cases_source.findall("example"))


def counterexamples(definition: Definition) -> tuple[ExampleCase, ...]:
    """The counterexamples, whose inputs violate one constraint each."""
    return tuple(_case(e, definition.path) for e in definition.cases_source.findall("counterexample"))


def _case(element: Any, path: str) -> ExampleCase:
    data, net = element.find("data"), element.find("net")
    return ExampleCase(
        name=element.get("name"),
        attributes={} if data is None else dict(data.attrib),
        tensors=tuple(_tensor(t, path) for t in element.findall("tensor")),
        net=None if net is None else etree.tostring(net, with_tail=False),
        tolerance=float(element.get("tolerance", 1e-5)),
        violates=element.get("violates"),
        line=element.sourceline,
    )


def _tensor(element: Any, path: str) -> Tensor:
    try:
        kind = element_type(element.get("type"), foreign=True)
        shape = Shape.parse(element.get("shape"))
        known = element.get("known", "yes") == "yes" and shape.static
        value = value_of(element.text or "", kind, shape.to_tuple()) if known else None
    except (ValueError, KeyError, OverflowError) as error:
        message = f"tensor {element.get('name')} cannot be read: {error}"
        fault = _fault("inconsistent-definition", message, path, element.sourceline)
        raise DefinitionError([fault]) from None
    return Tensor(element.get("name"), kind, shape, value, element.get("output") == "yes")


def value_of(text: str, kind: ElementType, shape: tuple[int, ...]) -> Array:
    """Parse elements separated by whitespace: numbers, strings quoted with ', or true and false."""
    if kind is STRING:
        import shlex

        out = np.empty(shape, dtype=object)
        out.ravel()[:] = shlex.split(text)
        return out
    words = text.split()
    if kind.name == "boolean":
        return np.array(
            [{"true": True, "false": False, "1": True, "0": False}[w.lower()] for w in words], bool
        ).reshape(shape)
    if kind.integral or kind.kind == "lookup":
        wide = np.array([int(w) for w in words], dtype=np.uint64 if kind.name == "u64" else np.int64)
        return tagged(wide.astype(kind.dtype), kind).reshape(shape)
    if kind.kind == "complex":
        return np.array([complex(w) for w in words], kind.dtype).reshape(shape)
    return np.array([float(w) for w in words], dtype=np.float64).astype(kind.dtype).reshape(shape)


_ID = re.compile(r"C[1-9][0-9]*")
OPS = "irops.ops."
"""Functions of these modules are called by those of other dialects, too."""


def cited_constraints(definition: Definition, functions: Functions) -> set[str]:
    """The ids of constraints that the functions of an op, the functions that these call, and its shape rules
    cite.
    """
    cited = {word for port in definition.outputs for word in port.shape if _ID.fullmatch(word)}
    for function in functions.by_role().values():
        cited |= _named_in(inspect.unwrap(function), set())
    return cited


def _named_in(function: Callable[..., Any], seen: set[Any]) -> set[str]:
    """Constraint ids in the code of a function, and of functions of ops that it calls by name."""
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    try:
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function)))
    except (OSError, SyntaxError):  # it has no source, or is a lambda that begins within a statement
        return set()
    known: dict[str, Any] = getattr(function, "__globals__", {})
    if code.co_freevars:
        known = {**known, **inspect.getclosurevars(function).nonlocals}
    own = ((function.__module__ or "?").rsplit(".", 2)[0], OPS)
    tables = [node for node in ast.walk(tree) if isinstance(node, (ast.Subscript, ast.Dict, ast.Compare))]
    keys = {key for node in tables for key in ast.iter_child_nodes(node)}  # table["C1"] cites nothing
    ids: set[str] = set()
    for node in ast.walk(tree):
        named: Any = None
        if isinstance(node, ast.Constant) and node not in keys:
            named = node.value
        elif isinstance(node, ast.Name):
            named = known.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):  # of a module
            named = getattr(known.get(node.value.id), node.attr, None)
        if isinstance(named, str) and _ID.fullmatch(named):
            ids.add(named)
        elif inspect.isfunction(named):
            beside = dirname(named.__code__.co_filename) == dirname(code.co_filename)
            if beside or (named.__module__ or "").startswith(own):
                ids |= _named_in(inspect.unwrap(named), seen)
    return ids


def undefined_citations(definition: Definition, functions: Functions) -> list[str]:
    """The constraints that code cites and the definition does not have.

    Functions that are shared with another op may cite constraints that cannot be violated here.
    """
    cited = set() if definition.same_as else cited_constraints(definition, functions)
    return sorted(cited - set(definition.constraints))


def untested_constraints(definition: Definition) -> list[str]:
    """The constraints that no counterexample violates, each in a sentence."""
    untested = set(definition.constraints) - {case.violates for case in counterexamples(definition)}
    return [f"{definition.id}:{c} is violated by no counterexample" for c in sorted(untested)]

"""Damage to IR files that knows their structure: elements, attributes, numbers, the text itself, and the
weights.

A change is four numbers and a word, so that chance (in long runs) and Hypothesis (in tests, which shrinks
them) draw the same ones.
"""

import copy
import struct
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import NamedTuple


class Seed(NamedTuple):
    """A file to start from, and its weights."""

    name: str
    text: bytes
    weights: bytes


class Change(NamedTuple):
    """kind: of CHANGES; a, b, c: where and what, each taken modulo the number of choices that there are."""

    kind: str
    a: int
    b: int
    c: int


NUMBERS = (
    "0", "1", "-1", "2", "-2", "3", "5", "7", "16", "100", "-100", "65536", "2147483647", "2147483648",
    "-2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "99999999999999999999999", "-0", "+1", "01", "0x10",
    "1_000", " 1", "1 ", "1.5", "1e3", "1e400", "-1e400", "1e-400", "nan", "-nan", "inf", "-inf", ".", "1,",
    "", "\u0661", "\uff11", "1\xa0", "9" * 400,
)  # fmt: skip
WORDS = (
    "", " ", "true", "false", "maybe", "f32", "f16", "bf16", "i64", "i32", "u8", "i4", "u1", "nf4",
    "boolean", "string", "dynamic", "undefined", "f8e4m3", "FP32", "I64", "BOOL", "1,2", "1,2,3", "2,3,4,5",
    "0,0", "-1,-1", "1,,2", ",1", "?", "?,?", "...", "..1", "1..", "1..3", "3..1", "2,?,1..4", "[1,2]",
    "same_upper", "valid", "explicit", "numpy", "none", "bidirectional", "opset1", "opset8", "opset13",
    "opset99", "opset", "onnx:17", "\U0001f600", "--", "]]>", "%s{0}", "../../x", "model.bin", "a" * 500,
    "1," * 300 + "1", "x" + "\u0301" * 9,
)  # fmt: skip
PIECES = (
    b"", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"</layer>", b"<layer>", b'"', b"'", b"<", b">", b"/>",
    b"&", b"&amp;", b"&#0;", b"&#x110000;", b"&lt;", b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"-",
    b"=", b" ", b"\r", b"<port>", b"</port>", b"<dim>", b"</dim>", b"<rt_info>", b"</rt_info>", b"<body>",
    b"</body>", b"<!DOCTYPE net [<!ENTITY a 'b'>]>", b"<?pi?>", b"<?xml version='1.0' encoding='utf-16'?>",
    b' id="0"', b' xmlns:a="b"', b"<a:b/>", b"99999999999999999999", b"<data/>", b"<layers>", b"</layers>",
    b"</net>", b"<net>",
)  # fmt: skip
NUMBERED = ("id", "from-layer", "from-port", "to-layer", "to-port", "internal_layer_id", "external_port_id")
NEST = 40
"""How many times at most an element is laid into copies of itself."""


class Stock:
    """What the seeds hold that others may take: elements by tag, values by attribute, pairs of type and
    version.
    """

    def __init__(self, seeds: Iterable[Seed], most: int = 60) -> None:
        values: dict[str, dict[str, None]] = defaultdict(dict)
        pieces: dict[str, list[ET.Element]] = defaultdict(list)
        ops: dict[tuple[str, str], None] = {}
        for seed in seeds:
            root = _tree(seed.text)
            for element in () if root is None else root.iter():
                if len(pieces[element.tag]) < most and len(list(element.iter())) < 100:
                    pieces[element.tag].append(element)
                if element.tag == "layer":
                    ops[element.get("type", ""), element.get("version", "")] = None
                for name, text in element.attrib.items():
                    if len(values[name]) < most and len(text) < 100:
                        values[name][text] = None
        self.values = {name: tuple(texts) for name, texts in values.items()}
        self.names = tuple(self.values)
        self.pieces = tuple(piece for several in pieces.values() for piece in several)
        self.ops = tuple(ops)


def changed(seed: Seed, changes: Iterable[Change], stock: Stock) -> tuple[bytes, bytes]:
    """The text and the weights of a seed after all changes: those of elements first, then those of the text,
    then those of the weights.
    """
    wanted = sorted(
        changes, key=lambda change: (change.kind in TEXT_CHANGES) + 2 * (change.kind in WEIGHTS_CHANGES)
    )
    text, weights = seed.text, seed.weights
    root = _tree(text) if wanted and wanted[0].kind in TREE_CHANGES else None
    for change in wanted:
        if change.kind in TREE_CHANGES and root is not None:
            TREE_CHANGES[change.kind][0](root, change, stock)
    if root is not None:
        text = ET.tostring(root, "utf-8")
    for change in wanted:
        if change.kind in TEXT_CHANGES:
            text = TEXT_CHANGES[change.kind][0](text, change)
        elif change.kind in WEIGHTS_CHANGES:
            weights = WEIGHTS_CHANGES[change.kind][0](weights, change)
    return text, weights


def drawn(chance: Random) -> list[Change]:
    """A few changes, as chance has them; mostly one to three."""
    count = min(1 + int(chance.expovariate(0.7)), 8)
    likely = CHANGES if chance.getrandbits(1) else MEANT
    kinds = chance.choices(tuple(likely), tuple(likely.values()), k=count)
    return [
        Change(kind, chance.getrandbits(32), chance.getrandbits(32), chance.getrandbits(32)) for kind in kinds
    ]


def _tree(text: bytes) -> ET.Element | None:
    if b"<!DOCTYPE" in text:  # entities may unfold to more than any memory holds
        return None
    try:
        return ET.fromstring(text)
    except (ET.ParseError, ValueError, LookupError):
        return None


def _all(root: ET.Element, number: int, *, tag: str | None = None) -> ET.Element:
    """One of the elements; of a tag, where there are any."""
    found = list(root.iter(tag)) or list(root.iter())
    return found[number % len(found)]


def _child(root: ET.Element, number: int) -> tuple[ET.Element, int] | None:
    """An element's parent, and its place there; None where the root has no children."""
    places = [(parent, k) for parent in root.iter() for k in range(len(parent))]
    return places[number % len(places)] if places else None


def _one(choices: Sequence[str], number: int) -> str:
    return choices[number % len(choices)]


def _delete(root: ET.Element, change: Change, stock: Stock) -> None:
    if place := _child(root, change.a):
        del place[0][place[1]]


def _duplicate(root: ET.Element, change: Change, stock: Stock) -> None:
    if place := _child(root, change.a):
        parent, k = place
        parent.insert(k, copy.deepcopy(parent[k]))


def _swap(root: ET.Element, change: Change, stock: Stock) -> None:
    one, other = _child(root, change.a), _child(root, change.b)
    if one and other:
        first, second = copy.deepcopy(one[0][one[1]]), copy.deepcopy(other[0][other[1]])
        one[0][one[1]], other[0][other[1]] = second, first


def _splice(root: ET.Element, change: Change, stock: Stock) -> None:
    donor = copy.deepcopy(stock.pieces[change.a % len(stock.pieces)])
    parents = [e for e in root.iter() if any(child.tag == donor.tag for child in e)] or list(root.iter())
    parent = parents[change.b % len(parents)]
    place = change.c % (len(parent) + 1)
    if change.c % 2 and place < len(parent):
        parent[place] = donor
    else:
        parent.insert(place, donor)


def _nest(root: ET.Element, change: Change, stock: Stock) -> None:
    if place := _child(root, change.a):
        parent, k = place
        bare = parent[k]
        for _ in range(change.b % NEST):
            outer = ET.Element(bare.tag, bare.attrib)
            outer.append(bare)
            bare = outer
        parent[k] = bare


def _rename(root: ET.Element, change: Change, stock: Stock) -> None:
    _all(root, change.a).tag = _all(root, change.b).tag


def _retype(root: ET.Element, change: Change, stock: Stock) -> None:
    layer = _all(root, change.a, tag="layer")
    kind, version = stock.ops[change.b % len(stock.ops)]
    layer.set("type", kind)
    if change.c % 4:
        layer.set("version", version)


def _renumber(root: ET.Element, change: Change, stock: Stock) -> None:
    numbered = [e for e in root.iter() if any(name in e.attrib for name in NUMBERED)]
    if numbered:
        element = numbered[change.a % len(numbered)]
        names = [name for name in NUMBERED if name in element.attrib]
        element.set(_one(names, change.b), str(change.c % 9) if change.c % 5 else _one(NUMBERS, change.c))


def _rewire(root: ET.Element, change: Change, stock: Stock) -> None:
    one, other = _all(root, change.a, tag="edge"), _all(root, change.b, tag="edge")
    for name in NUMBERED[1:3] if change.c % 2 else NUMBERED[3:5]:
        if name in one.attrib and name in other.attrib:
            one.attrib[name], other.attrib[name] = other.attrib[name], one.attrib[name]


def _value(root: ET.Element, change: Change, stock: Stock) -> None:
    """Another value for an attribute: hostile, or one that another file has."""
    owners = [e for e in root.iter() if e.attrib]
    if change.c % 3 == 0:  # what an op means lies in <data>
        owners = [e for e in owners if e.tag == "data"] or owners
    if owners:
        element = owners[change.a % len(owners)]
        name = _one(tuple(element.attrib), change.b)
        choices = (NUMBERS, WORDS, stock.values.get(name, WORDS))[change.c // 3 % 3]
        element.set(name, _one(choices, change.c // 9))


def _shape(root: ET.Element, change: Change, stock: Stock) -> None:
    """Another shape or element type of a Parameter, so that what follows from it is other, too."""
    data = [layer.find("data") for layer in root.iter("layer") if layer.get("type") == "Parameter"]
    owners = [one for one in data if one is not None]
    if owners:
        name = "shape" if change.c % 3 else "element_type"
        owners[change.a % len(owners)].set(name, _one(stock.values.get(name, WORDS), change.b))


def _unset(root: ET.Element, change: Change, stock: Stock) -> None:
    element = _all(root, change.a, tag="data" if change.c % 2 else None)
    if element.attrib:
        del element.attrib[_one(tuple(element.attrib), change.b)]


def _set(root: ET.Element, change: Change, stock: Stock) -> None:
    name = _one(stock.names, change.b)
    element = _all(root, change.a, tag="data" if change.c % 2 else None)
    element.set(name, _one((NUMBERS, WORDS, stock.values[name])[change.c // 2 % 3], change.c // 6))


def _exchange(root: ET.Element, change: Change, stock: Stock) -> None:
    """The values of two attributes of one element, each in the place of the other."""
    several = [e for e in root.iter() if len(e.attrib) > 1]
    if several:
        element = several[change.a % len(several)]
        one, other = _one(tuple(element.attrib), change.b), _one(tuple(element.attrib), change.c)
        element.attrib[one], element.attrib[other] = element.attrib[other], element.attrib[one]


def _dim(root: ET.Element, change: Change, stock: Stock) -> None:
    _all(root, change.a, tag="dim").text = _one(NUMBERS, change.b)


def _insert(text: bytes, change: Change) -> bytes:
    at = change.a % (len(text) + 1)
    return text[:at] + PIECES[change.b % len(PIECES)] + text[at + change.c % 3 :]


def _cut(text: bytes, change: Change) -> bytes:
    return text[: change.a % (len(text) + 1)]


def _excise(text: bytes, change: Change) -> bytes:
    at = change.a % (len(text) + 1)
    return text[:at] + text[at + change.b % 200 :]


def _repeat(text: bytes, change: Change) -> bytes:
    at = change.a % (len(text) + 1)
    return text[:at] + text[at : at + change.b % 200] * (change.c % 50) + text[at:]


def _recode(text: bytes, change: Change) -> bytes:
    encoding = ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp1252")[change.a % 6]
    plain = text.decode("utf-8", "replace")
    declared = (
        f'<?xml version="1.0" encoding="{encoding}"?>{plain}'
        if change.b % 2 and not plain.startswith("<?xml")
        else plain
    )
    return declared.encode(encoding, "replace")


def _flip(data: bytes, change: Change) -> bytes:
    if not data:
        return data
    at = change.a % len(data)
    return data[:at] + bytes([data[at] ^ 1 << change.b % 8]) + data[at + 1 :]


def _word(data: bytes, change: Change) -> bytes:
    """A hostile number of 8, 4, 2 bytes or one at an aligned place: what shapes, axes and the tables of
    strings are read from.
    """
    size = 1 << change.c % 4
    number = (0, 1, -1, 2, 3, -2, 100, 1 << 8 * size - 2, (1 << 8 * size - 1) - 1, -1 << 8 * size - 1)[
        change.b % 10
    ]
    at = change.a % (len(data) // size + 1) * size
    return data[:at] + struct.pack("<" + "bhiq"[change.c % 4], number) + data[at + size :]


def _grow(data: bytes, change: Change) -> bytes:
    return data + bytes([change.a % 256]) * (change.b % 5000)


def _noise(data: bytes, change: Change) -> bytes:
    return Random(change.a).randbytes(len(data))


TREE_CHANGES: dict[str, tuple[Callable[[ET.Element, Change, Stock], None], float]] = {
    "delete": (_delete, 6),
    "duplicate": (_duplicate, 4),
    "swap": (_swap, 4),
    "splice": (_splice, 6),
    "nest": (_nest, 1),
    "rename": (_rename, 2),
    "retype": (_retype, 8),
    "renumber": (_renumber, 6),
    "rewire": (_rewire, 4),
    "value": (_value, 24),
    "shape": (_shape, 10),
    "unset": (_unset, 5),
    "set": (_set, 5),
    "exchange": (_exchange, 3),
    "dim": (_dim, 3),
}
TEXT_CHANGES: dict[str, tuple[Callable[[bytes, Change], bytes], float]] = {
    "insert": (_insert, 2),
    "cut": (_cut, 0.5),
    "excise": (_excise, 1),
    "repeat": (_repeat, 1),
    "recode": (_recode, 0.3),
    "flip": (_flip, 1),
}
WEIGHTS_CHANGES: dict[str, tuple[Callable[[bytes, Change], bytes], float]] = {
    "truncate": (_cut, 1),
    "grow": (_grow, 1),
    "damage": (_flip, 2),
    "word": (_word, 6),
    "noise": (_noise, 1),
}
CHANGES = {
    kind: likelihood
    for table in (TREE_CHANGES, TEXT_CHANGES, WEIGHTS_CHANGES)
    for kind, (_, likelihood) in table.items()
}
"""How often chance takes each kind, in every other file."""
MEANT = {"shape": 4, "value": 3, "retype": 3, "word": 2, "rewire": 1, "set": 1, "unset": 1}
"""The same in the others: what leaves an IR file one, and changes what it means."""

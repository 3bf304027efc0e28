"""Begin an op: a definition and a module that work at once, to be made yours.

In a checkout of irops they are put where irops' own ops are; elsewhere, beside
one another. Nothing is overwritten.

example:
  irops new MyReverse --category movement --output my_ops
  irops new Frobnicate --category arithmetic --version opset18
"""

from __future__ import annotations

import argparse
import re
from keyword import iskeyword
from pathlib import Path

from irops.cli.main import CLEAN, Refusal

NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("op", metavar="OP", help="the type of the op, as layers will name it: MyReverse")
    parser.add_argument(
        "--category", metavar="C", required=True, help="what kind of op it is: movement, activation …"
    )
    parser.add_argument(
        "--version",
        metavar="V",
        default="extension",
        help="what layers have as version (opset18); default: extension",
    )
    parser.add_argument(
        "--output", "-o", metavar="FOLDER", default=".", help="where to put the files; default: here"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="do not say what to do next")


def execute(args: argparse.Namespace) -> int:
    for what, text in (("type", args.op), ("category", args.category), ("version", args.version)):
        if not NAME.fullmatch(text):
            raise Refusal(
                f"{text!r} cannot be the {what} of an op; it must be letters and digits, a letter first"
            )
    from irops.spec.load import snake_case

    op, module = f"{args.op}-{args.version.removeprefix('opset')}", snake_case(args.op)
    _hold_new(op)
    folder = Path(args.output)
    checkout = (folder / "schemas" / "opsets.xml").is_file() and (folder / "irops" / "ops").is_dir()
    definition = (folder / "schemas" / args.category if checkout else folder) / f"{op}.xml"
    functions = (folder / "irops" / "ops" / args.category if checkout else folder) / f"{module}.py"
    texts = {definition: _definition(args), functions: _functions(args.op, op, module)}
    if checkout and not (functions.parent / "__init__.py").exists():
        texts[functions.parent / "__init__.py"] = f'"""Ops of the category {args.category}."""\n'
    _write(texts)
    if not args.quiet:
        print(_next(op, definition, functions, None if checkout else folder))
    return CLEAN


def _hold_new(op: str) -> None:
    """Demand that no op of irops' own has the id: a definition of it would not be taken."""
    from irops.registry import Registry

    if op.lower() in {known.lower() for known in Registry(plugins=False).ids()}:
        raise Refusal(
            f"{op} is defined by irops already; an op of your own has another type, or another version"
        )


def _write(texts: dict[Path, str]) -> None:
    """Write new files, all or none."""
    there = [path for path in texts if path.exists()]
    if there:
        raise Refusal(f"{there[0]} is there already, and is not overwritten")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)


def _definition(args: argparse.Namespace) -> str:
    return f"""<layer type="{args.op}" version="{args.version}" category="{args.category}">
  <summary>What the op does, in one sentence.</summary>
  <description>What it does, in full: every attribute, every input, all edge cases.</description>
  <formula>output[...] = data[...] + amount</formula>
  <source>Where the truth about the op is written</source>
  <data>
    <attribute name="amount" type="int" min="0" default="0">What it is for.</attribute>
  </data>
  <type name="T">integer -u1</type>
  <input>
    <port id="0" name="data" type="T" rank="1..">What goes in.</port>
  </input>
  <output>
    <port id="1" name="output" type="T">What comes out.</port>
  </output>
  <constraint id="C1">the last axis of data has at least one element</constraint>
  <example>
    <data amount="2"/>
    <tensor name="data" type="i32" shape="3">1 2 3</tensor>
    <tensor name="output" type="i32" shape="3">3 4 5</tensor>
  </example>
  <counterexample violates="C1">
    <data amount="2"/>
    <tensor name="data" type="i32" shape="2,0" known="no"/>
  </counterexample>
</layer>
"""


def _functions(type: str, op: str, module: str) -> str:
    return f'''"""{type}: what the op does, in one sentence."""
from __future__ import annotations

from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("{op}")
def {module}_shape(data: Fact) -> Shape:
    require(data.shape[-1] >= 1, "C1", data.shape)
    return data.shape


@kernel("{op}")
def {module}{"_" * iskeyword(module)}(data: Array, *, amount: int) -> Array:
    return data + data.dtype.type(amount)          # the <formula>
'''


def _next(op: str, definition: Path, functions: Path, extension: Path | None) -> str:
    option = "" if extension is None else f" --definitions {extension}"
    return f"""{definition}  says what the op is
{functions}  says what it computes

Both work as they are: change them into your op. Then
  irops explain {op}{option}
  irops check model.xml{option}
  irops conformance --backend reference --op {op}{option}
  irops docs --output site{option}
Every requirement (<constraint>) is cited by its number in the code, and broken
by a <counterexample>."""

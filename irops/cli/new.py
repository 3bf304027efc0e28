"""Create the files of a custom op: a definition and a module that work unchanged.

In a checkout of irops they are created next to the built-in ops; elsewhere,
both in one folder. Existing files are not overwritten.

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
from irops.spec.text import snake_case

NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("op", metavar="OP", help="the type of the op in layers: MyReverse")
    parser.add_argument(
        "--category", metavar="C", required=True, help="the category of the op: movement, activation …"
    )
    parser.add_argument(
        "--version",
        metavar="V",
        default="extension",
        help="the version of the op in layers (opset18); default: extension",
    )
    parser.add_argument(
        "--output", "-o", metavar="FOLDER", default=".", help="the output folder; default: the current one"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="do not print the next steps")


def execute(args: argparse.Namespace) -> int:
    for role, text in (("type", args.op), ("category", args.category), ("version", args.version)):
        if not NAME.fullmatch(text):
            raise Refusal(
                f"{text!r} is not a valid {role} of an op; use letters and digits, starting with a letter"
            )
    op, module = f"{args.op}-{args.version.removeprefix('opset')}", snake_case(args.op)
    _require_new(op)
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


def _require_new(op: str) -> None:
    """Raise Refusal if irops defines the op: a second definition would not be loaded."""
    from irops.registry import Registry

    if op.lower() in {defined.lower() for defined in Registry(plugins=False).ids()}:
        raise Refusal(f"irops already defines {op}; choose another type or version for the custom op")


def _write(texts: dict[Path, str]) -> None:
    """Write new files, all or none."""
    existing = [path for path in texts if path.exists()]
    if existing:
        raise Refusal(f"{existing[0]} already exists and is not overwritten")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)


def _definition(args: argparse.Namespace) -> str:
    return f"""<layer type="{args.op}" version="{args.version}" category="{args.category}">
  <summary>What the op does, in one sentence.</summary>
  <description>What it does, in full: every attribute, every input, and the edge cases.</description>
  <formula>output[...] = data[...] + amount</formula>
  <source>The specification of the op</source>
  <data>
    <attribute name="amount" type="int" min="0" default="0">What the attribute does.</attribute>
  </data>
  <type name="T">integer -u1</type>
  <input>
    <port id="0" name="data" type="T" rank="1..">The meaning of the input.</port>
  </input>
  <output>
    <port id="1" name="output" type="T">The meaning of the output.</port>
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
    return f"""{definition}  defines the op
{functions}  implements it

Both work unchanged; edit them to define your op. Then run
  irops explain {op}{option}
  irops check model.xml{option}
  irops conformance --backend reference --op {op}{option}
  irops docs --output site{option}
The code refers to every <constraint> by its number, and every constraint needs
a <counterexample> that violates it."""

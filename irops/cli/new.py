"""Create the files of a custom op: a definition and a module that work unchanged.

Both are created in the output folder, which --definitions then names. With
--version opset17, in the checkout that irops runs from, they are created next
to the ops of OpenVINO instead, and schemas/opsets.xml gets an entry. Existing
files are not overwritten.

example:
  irops new CubeRoot --category arithmetic
  irops new MyReverse --category movement --output my_ops
"""

import argparse
import re
from keyword import iskeyword
from pathlib import Path
from string import Template

from irops.cli.main import Refusal
from irops.cli.options import add_option, written_folder
from irops.cli.parser import CLEAN
from irops.diagnostics.printable import printable
from irops.diagnostics.suggestions import meant_or_all
from irops.files.output import PendingFiles
from irops.files.storage import content_of
from irops.spec.definition import snake_case
from irops.spec.releases import categories, opsets, schemas_folder

EXIT_1 = None

CUSTOM = "leave out --version for a custom op"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("op", metavar="OP", help="the type of the op in layers: MyReverse")
    add_option(parser, "--category C", f"one of {', '.join(categories())}", required=True)
    version = "the version of the op in layers; default: extension; opset17 for an op of OpenVINO itself"
    add_option(parser, "--version V", version, default="extension")
    output = "the output folder; default: the current one"
    add_option(parser, "--output -o FOLDER", output, type=written_folder, default=".")
    add_option(parser, "--quiet -q", "do not print the next steps")


def execute(args: argparse.Namespace) -> int:
    for role, text in (("type", args.op), ("category", args.category), ("version", args.version)):
        if not NAME.fullmatch(text):
            raise Refusal(
                f"{text!r} is not a valid {role} of an op; use letters and digits, starting with a letter"
            )
    if args.category not in categories():
        raise Refusal(f"unknown category {args.category!r}; {meant_or_all(args.category, categories())}")
    op, module = f"{args.op}-{args.version.removeprefix('opset')}", snake_case(args.op)
    # raise Refusal if irops defines the op: a second definition would not be loaded
    from irops.dialects.registry import Registry

    if op.lower() in {defined.lower() for defined in Registry(plugins=False).ids()}:
        raise Refusal(f"irops already defines {op}; choose another type or version for the custom op")
    folder = Path(args.output)
    checkout = args.version.lower().startswith("opset")
    if checkout:
        _require_own_op(args, folder)
    definition = (folder / "schemas" / args.category if checkout else folder) / f"{op}.xml"
    functions = (folder / "irops" / "ops" / args.category if checkout else folder) / f"{module}.py"
    words = {"type": args.op, "version": args.version, "category": args.category, "op": op, "module": module}
    words["ending"] = "_" * iskeyword(module)
    _write({definition: _made("definition.xml", **words), functions: _made("functions.txt", **words)})
    if checkout:
        table = folder / "schemas" / "opsets.xml"
        text = with_entry(table.read_text("utf-8"), args.op, args.version, args.category)
        with PendingFiles(table) as (file,):
            file.write(text.encode())
    if not args.quiet:
        print(_next(op, definition, functions, None if checkout else folder))
    return CLEAN


def _require_own_op(args: argparse.Namespace, folder: Path) -> None:
    """Raise Refusal unless the op can be one of OpenVINO's, in the checkout that irops runs from."""
    names = opsets().names
    if args.version not in names:
        raise Refusal(f"there is no {args.version}, only {names[0]} to {names[-1]}; {CUSTOM}")
    if not (folder / "schemas").is_dir() or (folder / "schemas").resolve() != schemas_folder().resolve():
        raise Refusal(
            f"{args.version} is for ops of OpenVINO, which are added in a checkout of irops that irops runs"
            f" from; {folder.resolve()} is none; {CUSTOM}"
        )
    refuse_opset(args.op, args.version)


def _write(texts: dict[Path, str]) -> None:
    """Write new files, all or none."""
    existing = [path for path in texts if path.exists()]
    if existing:
        raise Refusal(f"{existing[0]} already exists and is not overwritten")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)


def _made(name: str, **words: str) -> str:
    """The text of a new file. name: of its template"""
    template = content_of(Path(__file__).with_name("custom_op") / name)
    return Template(template.decode("utf-8")).substitute(words)


def _next(op: str, definition: Path, functions: Path, extension: Path | None) -> str:
    option = "" if extension is None else f" --definitions {printable(str(extension))}"
    return f"""{printable(str(definition))}  defines the op
{printable(str(functions))}  implements it

Both work unchanged; edit them to define your op. Then run
  irops explain {op}{option}
  irops check model.xml{option}
  irops conformance --source reference --op {op}{option}
  irops docs --output site{option}
The code refers to every <constraint> by its number, and every constraint needs
a <counterexample> that violates it."""


_OP = re.compile(r'  <op type="([^"]+)"[^>]*>\n(?:    .*\n)*  </op>\n')


def refuse_opset(type: str, version: str) -> None:
    """Raise Refusal if an opset contains a type already."""
    found = opsets().find(type, version)
    if found is not None:
        raise Refusal(f"{version} already has {found.id}; a newer version of the op needs a newer opset")


def with_entry(table: str, type: str, version: str, category: str) -> str:
    """The text of opsets.xml with one more version of an op, which one opset contains."""
    number = version.removeprefix("opset")
    line = f'    <version since="{version}" in="{number}" page="{type}-{number}"/>\n'
    end = 0
    for entry in _OP.finditer(table):
        if entry[1].lower() == type.lower():
            place = entry.end() - len("  </op>\n")
            return table[:place] + line + table[place:]
        if entry[1].lower() < type.lower():
            end = entry.end()
    end = end or next((entry.start() for entry in _OP.finditer(table)), table.rindex("</opsets>"))
    return f'{table[:end]}  <op type="{type}" category="{category}">\n{line}  </op>\n{table[end:]}'

"""Create the files of a custom op: a definition and a module that work unchanged.

Both are created in the output folder, which --definitions then names. Existing
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
from irops.files.storage import content_of
from irops.spec.definition import snake_case
from irops.spec.releases import categories

EXIT_1 = None

NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("op", metavar="OP", help="the type of the op in layers: MyReverse")
    add_option(parser, "--category C", f"one of {', '.join(categories())}", required=True)
    add_option(parser, "--version V", "the version of the op in layers", default="extension")
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
    op, module = f"{args.op}-{args.version}", snake_case(args.op)
    if args.version.lower().startswith("opset"):
        raise Refusal(f"{args.version} is for ops of OpenVINO; leave out --version for a custom op")
    # raise Refusal if irops defines the op: a second definition would not be loaded
    from irops.dialects.registry import Registry

    if op.lower() in {defined.lower() for defined in Registry(plugins=False).ids()}:
        raise Refusal(f"irops already defines {op}; choose another type or version for the custom op")
    folder = Path(args.output)
    definition, functions = folder / f"{op}.xml", folder / f"{module}.py"
    words = {"type": args.op, "version": args.version, "category": args.category, "op": op, "module": module}
    words["ending"] = "_" * iskeyword(module)
    _write({definition: _made("definition.xml", **words), functions: _made("functions.txt", **words)})
    if not args.quiet:
        print(_next(op, definition, functions, folder))
    return CLEAN


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


def _next(op: str, definition: Path, functions: Path, folder: Path) -> str:
    option = f" --definitions {printable(str(folder))}"
    return f"""{printable(str(definition))}  defines the op
{printable(str(functions))}  implements it

Both work unchanged; edit them to define your op. Then run
  irops explain {op}{option}
  irops check model.xml{option}
  irops conformance --source reference --op {op}{option}
  irops docs --output site{option}
The code refers to every <constraint> by its number, and every constraint needs
a <counterexample> that violates it."""

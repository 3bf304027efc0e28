"""Right and wrong ways to put text of files into media: mypy refuses the lines marked WRONG alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from rich.text import Text

from irops.cli.findings import write_reports
from irops.cli.streams import say, show, write
from irops.cli.tables import table
from irops.diagnostics.printable import (
    Commands,
    Dot,
    Json,
    Markdown,
    Markup,
    OwnText,
    Printable,
    in_cells,
    in_command,
    in_dot,
    in_html,
    in_json,
    in_markdown,
    json_in_html,
    json_text,
    literal,
    plural,
    printable,
    shown,
)
from irops.diagnostics.report import Report
from irops.ir.model import Layer, LayerCount, LayerKind
from irops.ir.pending import write_report
from irops.ir.targets import REPORT
from irops.surveys.report.elements import isolated
from irops.surveys.report.elements import table as html_rows


def right(
    layer: Layer, count: LayerCount, names: Sequence[str], args: argparse.Namespace
) -> Iterator[Markup]:
    say("no folder is trusted")
    say(f"{len(names):,} {'name' if len(names) == 1 else 'names'} of {plural(count.own, 'layer')}, {count}")
    say(f"  {printable(layer.name):20}{layer.name!r} {layer.kind} {printable(args.model)}")
    say("\n".join(f"- {shown(name)}" for name in names))
    say(", ".join(map(printable, names)).removesuffix(",") + ".")
    text = f"{printable(layer.name)}: "
    say(text + shown(layer.type) if layer.type else text)
    show("", Text(shown(layer.name), "bold"), Text.assemble((shown(layer.type), "dim"), literal(" op")))
    out = table("layers", "name", ">bytes")
    out.add_row(shown(layer.name), f"{layer.id:,}", "")
    out.caption = f"{plural(len(names), 'layer')} of {printable(layer.name)}"
    write(json_text({"name": layer.name}))
    write_report("a.html", REPORT, f"<b>{in_html(layer.name)}</b>{json_in_html(names)}")
    write_report("a.csv", REPORT, in_cells(("model",)) + "".join(in_cells((name,)) for name in names))
    write_report("a.dot", REPORT, f'digraph {{ label="{in_dot(layer.name)}" }}')
    write(f"::error file={in_command(layer.name)}::{in_command(layer.type)}\n")
    write(f"| {' | '.join(map(in_markdown, names))} |")
    write_reports([Report()], "github")
    yield f"<td>{in_html(layer.name)}</td>" + "".join(html_rows(("name",), [(isolated(layer.name),)]))
    yield literal("</table>")


def wrong(
    layer: Layer,
    names: Sequence[str],
    args: argparse.Namespace,
    line: Printable,
    markup: Markup,
    dot: Dot,
    marks: Markdown,
) -> Iterator[Markup]:
    say(layer.name)  # WRONG
    say(f"({layer.name})")  # WRONG
    say(f"{line}: {layer.name}")  # WRONG
    say("layer " + layer.name)  # WRONG
    say(line + layer.name)  # WRONG
    say("layer %s" % layer.name)  # WRONG  # noqa: UP031
    say("layer {}".format(layer.name))  # WRONG  # noqa: UP032
    say(", ".join(names))  # WRONG
    say(", ".join(name.upper() for name in names))  # WRONG
    say(layer.name.ljust(20))  # WRONG
    say(f"{line:{layer.name}}")  # WRONG
    say(line.replace(" ", layer.name))  # WRONG
    say(str(layer))  # WRONG
    say(f"{layer}")  # WRONG
    say(f"{[layer.name]}")  # WRONG
    say(f"{layer!r}")  # WRONG
    say(args.model)  # WRONG
    say(f"{args.model} is written")  # WRONG
    say(literal(layer.name))  # WRONG
    say(Printable(layer.name))  # WRONG
    say(plural(3, layer.type))  # WRONG
    say(f"{LayerKind.RESULT} {line} {markup}"[:20] + layer.type)  # WRONG
    show(layer.name)  # WRONG
    show(Text(f"layer {layer.name}"))  # WRONG
    show(Text.assemble((layer.name, "bold")))  # WRONG
    table(layer.name)  # WRONG
    out = table("")
    out.add_row(layer.name)  # WRONG
    out.caption = layer.name  # WRONG
    write(f'{{"name": "{layer.name}"}}')  # WRONG
    write(f"::error::{layer.name}")  # WRONG
    write(f"{in_command(layer.name)}{line}")  # WRONG
    write(f"{marks}{markup}")  # WRONG
    write_report("a.html", REPORT, f"<b>{layer.name}</b>")  # WRONG
    write_report("a.html", REPORT, f"<b>{line}</b>{markup}")  # WRONG
    write_report("a.csv", REPORT, f"{layer.name},{layer.id}\n")  # WRONG
    write_report("a.dot", REPORT, f'{dot} [label="{layer.name}"]')  # WRONG
    commands: Commands = f"::warning::{line}"  # WRONG
    json: Json = f"[{in_json(layer.id)}, {line}]"  # WRONG
    own: OwnText = f"{line}"  # WRONG
    in_html(markup)  # WRONG
    html_rows(("name",), [(layer.name,)])  # WRONG
    yield layer.name  # WRONG
    yield f"<td>{layer.name}</td>"  # WRONG
    yield f"<td>{line}</td>"  # WRONG
    yield markup[:20]  # WRONG
    del commands, json, own

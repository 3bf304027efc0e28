"""Draw a model: layers as boxes, with the types and shapes of what they give.

Constants and shape computations are drawn in the boxes of their users, bodies
as frames, and blocks of equal layers that follow one another once. A graph of
more than about 1500 boxes is drawn as blocks of layers. The HTML page pans,
zooms, searches, and shows the definition of a layer on click.

example:
  irops draw model.xml
  irops draw model.xml -o .pdf
  irops draw model.xml -o model.html --unfold
  irops draw model.xml -o part.svg --around relu_9 --hops 3
"""

import argparse
import os
import sys

from irops.analysis.model_analysis import path_of_text
from irops.cli.display import show_written
from irops.cli.main import Refusal
from irops.cli.models import add_model, analysis_of
from irops.cli.options import add_open, add_option, add_settings, argument_errors, refusing, written
from irops.cli.parser import CLEAN
from irops.diagnostics.printable import printable
from irops.drawing.drawing import SUFFIXES, draw
from irops.environment import MissingExtraError
from irops.files.urls import without_credentials

EXIT_1 = "the model has errors, or cannot be drawn"


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    output = f"the picture: a file, or {', '.join(SUFFIXES)} with the name of the model; default: .svg"
    add_option(parser, "--output -o FILE", output, type=_target, default=SUFFIXES[0])
    add_open(parser)
    add_option(parser, "--unfold", "draw repeated blocks and shape computations layer by layer")
    add_option(parser, "--around LAYER", "draw what lies around a layer")
    add_option(parser, "--hops N", "how many edges the picture reaches from --around; default: 2", at_least=0)
    add_option(parser, "--path LAYER/BODY", "draw a body: loop/body", default="")
    add_option(parser, "--quiet -q", "no summary")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    output = args.output
    if output in SUFFIXES:
        output = f"{os.path.splitext(os.path.basename(without_credentials(args.model)))[0]}{output}"
    if args.hops is not None and args.around is None:
        raise Refusal("--hops is given without --around; name a layer with --around")
    analysis = analysis_of(args)
    with refusing(MissingExtraError):
        with argument_errors():
            hops, path = 2 if args.hops is None else args.hops, path_of_text(analysis, args.path)
            drawing = draw(analysis, unfold=args.unfold, around=args.around, hops=hops, path=path)
        drawing.write(output)
    if not args.quiet:
        print(f"{printable(output)}: {sum(1 for _ in analysis.model.walk())} layers in {len(drawing)} boxes")
        for note in drawing.notes:
            print(f"note: {printable(note)}", file=sys.stderr)
    show_written(output, args)
    return CLEAN


def _target(text: str) -> str:
    """An argparse type: a path to write a picture to, or a suffix alone."""
    if os.path.splitext(written(text))[1] not in SUFFIXES and text not in SUFFIXES:
        raise argparse.ArgumentTypeError(f"{text} is no {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file")
    return text

"""Draw a model: layers as boxes, with the types and shapes of what they give.

Constants and shape computations are drawn in the boxes of their users, bodies
as frames, and blocks of equal layers that follow one another once. A graph of
more than about 1500 boxes is drawn as blocks of layers. The HTML page pans,
zooms, searches, and shows the definition of a layer on click.

example:
  irops draw model.xml -o model.svg
  irops draw model.xml -o model.html --unfold
  irops draw model.xml -o part.svg --around relu_9 --hops 3
"""

from __future__ import annotations

import argparse
import os
import sys

from irops.analysis.model_analysis import analyse, path_of_text
from irops.cli.command import CLEAN, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal, argument_errors
from irops.cli.model_files import add_model
from irops.cli.options import add_limits, integer_at_least, limits_of
from irops.cli.parser import Written
from irops.cli.settings import settings
from irops.cli.streams import say
from irops.diagnostics.printable import printable
from irops.dialects.reading import read
from irops.drawing.draw import draw
from irops.drawing.drawing import SUFFIXES
from irops.files.extras import MissingExtraError

COMMAND = Command(
    "draw a model as a picture or a page", 110, code_1="the model has errors, or cannot be drawn"
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--output",
        "-o",
        action=Written,
        metavar="FILE",
        help="the picture: an .svg, .html or .dot file; default: the model's name with .svg, in this folder",
    )
    parser.add_argument(
        "--unfold", action="store_true", help="draw repeated blocks and shape computations layer by layer"
    )
    parser.add_argument("--around", metavar="LAYER", help="draw what lies around a layer")
    parser.add_argument(
        "--hops",
        metavar="N",
        type=integer_at_least(0),
        help="how many edges the picture reaches from --around; default: 2",
    )
    parser.add_argument("--path", metavar="LAYER/BODY", default="", help="draw a body: loop/body")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    if args.output is None:
        args.output = f"{os.path.splitext(os.path.basename(args.model))[0]}.svg"
        if os.path.exists(args.output):
            raise Refusal(f"{args.output} exists; name the picture with --output")
    suffix = os.path.splitext(args.output)[1]
    if suffix not in SUFFIXES:
        raise Refusal(f"--output {args.output} is no .svg, .html or .dot file")
    if args.hops is not None and args.around is None:
        raise Refusal("--hops is given without --around; name a layer with --around")
    limits = limits_of(args, settings().limits)
    analysis = analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
    try:
        with argument_errors():
            drawing = draw(
                analysis,
                unfold=args.unfold,
                around=args.around,
                hops=2 if args.hops is None else args.hops,
                path=path_of_text(analysis, args.path),
            )
    except MissingExtraError as error:
        raise Refusal(str(error)) from None
    drawing.write(args.output)
    if not args.quiet:
        boxes = "1 box" if len(drawing) == 1 else f"{len(drawing)} boxes"
        say(f"{printable(args.output)}: {drawing.layers} in {printable(boxes)}")
        for note in drawing.notes:
            say(f"note: {printable(note)}", sys.stderr)
    return CLEAN

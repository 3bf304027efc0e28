"""Curves as an SVG file, by hand: the losses of a training."""

from __future__ import annotations

from html import escape

import numpy as np

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 420, 60, 50, 24, 48
COLOURS = ("#0b6e4f", "#1b4f9c", "#8fb8a8", "#c0392b")
SMOOTHED = 10


def drawn(curves: dict[str, np.ndarray], title: str) -> str:
    """Curves of equal length, each averaged over a few steps, on a linear scale from 0."""
    steps = len(next(iter(curves.values())))
    top = max(float(curve.max()) for curve in curves.values())
    top = np.ceil(top * 10) / 10

    def x(step: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / steps

    def y(loss: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - loss / top)

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
            ' font-size="12">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{escape(title)}</text>',
    ]
    for tick in np.linspace(0, top, 5):
        parts.append(
            f'<line x1="{LEFT}" y1="{y(tick):.1f}" x2="{WIDTH - RIGHT}" y2="{y(tick):.1f}" stroke="#ddd"/>'
            f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.2f}</text>'
        )
    for tick in np.linspace(0, steps, 5):
        parts.append(
            f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{tick:.0f}</text>'
        )
    for place, (name, curve) in enumerate(curves.items()):
        window = min(SMOOTHED, steps)
        smooth = np.convolve(curve, np.full(window, 1 / window), "valid")
        points = " ".join(
            f"{x(step + window):.1f},{y(loss):.1f}"
            for step, loss in enumerate(smooth)
            if step % max(steps // 300, 1) == 0
        )
        colour = COLOURS[place % len(COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        row = TOP + 14 + 18 * place
        parts.append(
            f'<line x1="{WIDTH - 280}" y1="{row}" x2="{WIDTH - 256}" y2="{row}" stroke="{colour}"'
            f' stroke-width="3"/><text x="{WIDTH - 250}" y="{row + 4}">{escape(name)}</text>'
        )
    return "\n".join(
        (
            *parts,
            f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">steps</text>',
            "</svg>",
            "",
        )
    )

"""Train the encoder with irops.vjp and Adam, twice: with the gradient into its backward half enabled, and
stopped.

python examples/train_encoder/train.py
python examples/train_encoder/train.py --steps 1000 --plot docs/train_encoder.svg
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from curves import drawn
from network import PADDING, encoder, first_weights

from irops.runtime.gradients import GradientSession

LENGTH, BATCH, RATE = 6, 64, 0.01
TASKS = ("bits up to here", "bits from here on")


def batches(rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Bit strings of several lengths, padded; the lengths; for every position the parity of the bits up to
    it, and from it on.
    """
    while True:
        lengths = rng.integers(2, LENGTH + 1, BATCH)
        inside = np.arange(LENGTH) < lengths[:, None]
        bits = rng.integers(0, 2, (BATCH, LENGTH)) * inside
        before = bits.cumsum(1) % 2
        behind = bits[:, ::-1].cumsum(1)[:, ::-1] % 2
        yield np.where(inside, bits, PADDING), lengths, np.stack([before, behind], 2)


def cross_entropy(
    logits: np.ndarray, targets: np.ndarray, inside: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The loss of each task, and what it is by the logits: padded positions count for nothing."""
    count = inside.sum()
    losses = np.logaddexp(0, logits) - targets * logits
    slopes = (1 / (1 + np.exp(-logits)) - targets) * inside[..., None] / count
    return (losses * inside[..., None]).sum((0, 1)) / count, slopes.astype(logits.dtype)


@dataclass
class Adam:
    """Kingma and Ba, 2015."""

    rate: float = RATE
    fades: tuple[float, float] = (0.9, 0.999)
    steps: int = 0
    means: dict[str, np.ndarray] = field(default_factory=dict)
    squares: dict[str, np.ndarray] = field(default_factory=dict)

    def step(self, weights: dict[str, np.ndarray], gradients: dict[str, np.ndarray]) -> None:
        self.steps += 1
        fade, slow = self.fades
        for name, gradient in gradients.items():
            mean = self.means[name] = fade * self.means.get(name, 0) + (1 - fade) * gradient
            square = self.squares[name] = slow * self.squares.get(name, 0) + (1 - slow) * gradient**2
            move = mean / (1 - fade**self.steps) / (np.sqrt(square / (1 - slow**self.steps)) + 1e-8)
            weights[name] = weights[name] - np.float32(self.rate) * move.astype(np.float32)


def train(lda_coeff: float, steps: int, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The losses of both tasks, step by step, and the weights at the end."""
    weights = first_weights(seed)
    session, optimizer = GradientSession(encoder(weights, LENGTH, lda_coeff)), Adam()
    losses = np.zeros((steps, 2))
    for step, (bits, lengths, targets) in zip(range(steps), batches(np.random.default_rng(seed + 1))):

        def slopes(results):
            losses[step], by_logits = cross_entropy(results["logits"], targets, bits != PADDING)  # noqa: B023
            return {"logits": by_logits}

        gradients = session.vjp({"bits": bits, "lengths": lengths, **weights}, slopes, wrt=tuple(weights))
        optimizer.step(weights, gradients)
    return losses, weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the losses")
    args = parser.parse_args()
    curves = {}
    for coefficient in (1.0, 0.0):
        losses, weights = train(coefficient, args.steps)
        moved = max(
            float(abs(weights[name] - first).max())
            for name, first in first_weights(0).items()
            if name.startswith("backward")
        )
        print(f"lda coeff {coefficient:g}: the weights of the backward half moved by {moved:.3g} at most")
        for task, name in enumerate(TASKS):
            curves[f"lda coeff {coefficient:g}, {name}"] = losses[:, task]
            print(
                f"lda coeff {coefficient:g}: parity of the {name}: loss {losses[0, task]:.3f} at first,"
                f" {losses[-20:, task].mean():.4f} at last"
            )
    if args.plot is not None:
        args.plot.write_text(
            drawn(curves, "Loss of the bidirectional encoder, step by step"), encoding="utf-8"
        )


if __name__ == "__main__":
    main()

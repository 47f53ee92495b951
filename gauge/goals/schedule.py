"""Commands over time: what is asked from one reset to the next, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Twist = tuple[float, float, float]

STAND: Twist = (0.0, 0.0, 0.0)
"""Nothing."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One command, held."""

    twist: Twist
    """Forward and sideways speed and yaw rate [m/s, m/s, rad/s]."""
    seconds: float
    """For how long [s]."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Pieces that follow each other without a reset; a reset comes before."""

    name: str
    """What it is called, one of its kind within a goal."""
    pieces: tuple[Piece, ...]
    """What is asked, in order."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played.

        Raises:
            ValueError: without pieces, or for a piece that is not finite or takes no time.
        """
        if not self.pieces:
            raise ValueError(f"{self.name}: 0 pieces; needs 1 or more")
        for piece in self.pieces:
            if not (np.isfinite([*piece.twist, piece.seconds]).all() and piece.seconds > 0):
                raise ValueError(f"{self.name}: {piece} needs finite numbers and time above 0")

    @property
    def seconds(self) -> float:
        """Length [s]."""
        return sum(piece.seconds for piece in self.pieces)

    def commands(self, dt: float) -> np.ndarray:
        """Return the command of every control step of dt seconds, (t, 3).

        Raises:
            ValueError: when a piece is no whole number of control steps, to 1e-6.
        """
        rows = []
        for piece in self.pieces:
            steps = round(piece.seconds / dt)
            if steps < 1 or abs(steps * dt - piece.seconds) > 1e-6 * piece.seconds:
                raise ValueError(
                    f"{self.name}: {piece.seconds:g} s is no whole number of control steps of "
                    f"{dt:g} s"
                )
            rows += [piece.twist] * steps
        return np.array(rows)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """Parts, each begun from a reset, so that they may be played side by side as one batch."""

    name: str
    """What score cards call it."""
    parts: tuple[Part, ...]
    """What is asked."""

    def __post_init__(self) -> None:
        """Refuse a goal that asks for nothing or for two parts of one name.

        Raises:
            ValueError: saying which.
        """
        names = [part.name for part in self.parts]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"{self.name}: parts {names}; needs 1 or more, no name twice")

    @property
    def seconds(self) -> float:
        """Length of all parts one after the other [s]."""
        return sum(part.seconds for part in self.parts)


def hold(twist: Twist, seconds: float, name: str | None = None) -> Part:
    """Return a part that asks for one command; called after the command unless named."""
    return Part(name=name or said(twist), pieces=(Piece(twist=twist, seconds=seconds),))


def said(twist: Twist) -> str:
    """Say a command in words: its parts that are not zero."""
    words = ("forward", "sideways", "yaw")
    return " ".join(f"{w} {v:+g}" for w, v in zip(words, twist, strict=True) if v) or "stand"

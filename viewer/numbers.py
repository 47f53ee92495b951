"""What the page says in numbers: asked and done, power, falls, and whether time is real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from servogym.viewer.history import History
    from servogym.viewer.live import Live

ROWS = (("forward", "m/s"), ("left", "m/s"), ("turn left", "rad/s"))


def numbers(live: Live, history: History, speed: float) -> str:
    """Write a table in Markdown; speeds and power are means over the last second.

    Args:
        live: The robot.
        history: Its last seconds.
        speed: Simulated over real time.
    """
    asked, done = live.core.commander.twist[0], history.lately(history.velocity)
    rows = [
        f"| {name} [{unit}] | {wanted:+z.2f} | {_text(made, '+z.2f')} |"
        for (name, unit), wanted, made in zip(ROWS, asked, done.tolist(), strict=True)
    ]
    power = _text(float(history.lately(history.power)), ".1f")
    pace = "paused" if live.paused else f"{speed:.2f}x"
    return "\n".join(
        (
            "| | asked | done |",
            "|---|---|---|",
            *rows,
            "",
            f"power **{power} W** · falls **{live.falls}** · {live.time:.0f} s, {pace}",
        )
    )


def _text(value: float, how: str) -> str:
    return format(value, how) if np.isfinite(value) else "?"

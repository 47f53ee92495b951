"""Films a policy file: forward, a turn, a curve and a stop, in an MP4 or a GIF.

python -m servogym.learning.film policies/microduck-walk-backlash.onnx docs/media/walk.gif
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from servogym.deploy.runner import Policy
from servogym.envs.opengl import NoDisplay
from servogym.learning.playback import Played, Scene, play
from servogym.learning.video import RATE, video

SCENES = (
    ("forward", 0.35, (0.25, 0.0, 0.0)),
    ("turn", 0.25, (0.0, 0.0, 0.8)),
    ("curve", 0.25, (0.2, 0.0, -0.5)),
    ("stop", 0.15, (0.0, 0.0, 0.0)),
)
"""Name, share of the time and twist [m/s, m/s, rad/s] of what is asked."""
SECONDS = 10.0
"""Length of a film [s]."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Film a policy."""

    policy: Annotated[Path, tyro.conf.Positional]
    """An exported ONNX file."""
    out: Annotated[Path, tyro.conf.Positional]
    """The film to write, .mp4 or .gif; one that exists is replaced."""
    seconds: float = SECONDS
    """Length [s]."""


def film(
    policy: Path,
    out: Path,
    seconds: float = SECONDS,
    options: Mapping[str, Any] | None = None,
) -> list[Played]:
    """Film a policy in its own world, pushes and all; give what was asked and what it did.

    Args:
        policy: An exported file.
        out: The film, .mp4 or .gif.
        seconds: Its length [s].
        options: Further options of the environment; None: edits and contacts as they were in
            training.

    Raises:
        NoDisplay: There is nothing to draw on.
        ImportError: The video extra is not installed.
        ValueError: The ending is neither, or the file is no policy of servogym.
    """
    dt = Policy(policy).contract.control_dt
    every = max(1, round(1.0 / (RATE.get(out.suffix, 1.0) * dt)))
    scenes = [
        Scene(name=name, seconds=share * seconds, twist=twist) for name, share, twist in SCENES
    ]
    unfinished = out.with_name(f".{out.name}{out.suffix}")
    try:
        with video(unfinished, 1.0 / (every * dt)) as pictures:
            played = play(policy, scenes, pictures.add, every=every, options=options)
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
    return played


def said(played: Played) -> str:
    """Say what was asked and what was done, in a line."""
    (vx, vy, turn), asked = played.twist, played.scene.twist
    falls = f", fell {played.falls}x" if played.falls else ""
    return (
        f"{played.scene.name:<8} asked ({asked[0]:.2f}, {asked[1]:.2f} m/s, {asked[2]:.2f} rad/s),"
        f" did ({vx:.2f}, {vy:.2f}, {turn:.2f}){falls}"
    )


def main() -> None:
    """Run the command line."""
    options = tyro.cli(Options, prog="python -m servogym.learning.film", description=__doc__)
    try:
        for played in film(options.policy, options.out, options.seconds):
            print(said(played))
    except (ImportError, LookupError, NoDisplay, OSError, ValueError) as error:
        sys.exit(f"film: {error.args[0] if isinstance(error, LookupError) else error}")
    print(f"{options.out}: {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()

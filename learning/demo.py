"""The whole line on one screen: train, export, verify, play the exported file, film it.

python -m servogym.learning.demo [--minutes 5] [--seconds 10]
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from servogym.learning.openmp import give_way

SCENES = (
    ("forward", 0.35, (0.25, 0.0, 0.0)),
    ("turn", 0.25, (0.0, 0.0, 0.8)),
    ("curve", 0.25, (0.2, 0.0, -0.5)),
    ("stop", 0.15, (0.0, 0.0, 0.0)),
)
"""Name, share of the time and twist [m/s, m/s, rad/s] of what the demo asks for."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Train a policy for a few minutes, export it, verify it and film it."""

    task: str = "MicroDuck-Flat-Backlash-v0"
    """Environment id."""
    minutes: float = 5.0
    """Time for training [min]."""
    seconds: float = 10.0
    """Length of the film [s]."""
    seed: int = 0
    """Seed of everything random."""
    envs: int | None = None
    """Robots simulated side by side; default: the task's preset."""
    threads: int = 0
    """Threads; 0: every core."""
    out: Path | None = None
    """Run folder, must not exist; default: runs/demo-<time>."""


def main() -> None:
    """Run the demo."""
    give_way()
    try:
        options = tyro.cli(Options, prog="python -m servogym.learning.demo", description=__doc__)
        sys.exit(demo(options))
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"demo: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        sys.exit("demo: interrupted")


def demo(options: Options) -> int:
    """Run every step and print where each result lies; give the exit status."""
    from servogym.export import export  # PyTorch: not needed for --help
    from servogym.learning import curve
    from servogym.learning.options import TrainOptions
    from servogym.learning.training import train

    out = options.out or Path("runs") / time.strftime("demo-%Y%m%d-%H%M%S")
    print(f"1  training {options.task} for {options.minutes:g} min into {out}", flush=True)
    result = train(
        TrainOptions(
            task=options.task,
            out=out,
            minutes=options.minutes,
            seed=options.seed,
            envs=options.envs,
            threads=options.threads,
        )
    )
    picture = curve.draw(out, out / "learning_curve.png")
    if result.status == "interrupted":
        print(f"interrupted; go on with: python train.py --resume {out}")
        return 130
    if result.last_return is not None:
        print(
            f"   {result.env_steps} steps; an episode earns {result.last_return:.1f},"
            f" doing nothing {result.zero_return:.1f}, random actions {result.random_return:.1f}"
        )
    exported = export(out)
    print(
        f"2  exported and verified: file and policy differ by at most {exported.difference:.1e}"
        f" on {exported.inputs} inputs"
    )
    print(f"3  playing {exported.path.name} for {options.seconds:g} s", flush=True)
    film = _film(exported.path, out / "video.mp4", options.seconds)
    found = {"policy": exported.path, "video": film, "learning curve": picture, "run": out}
    for name, path in found.items():
        if path is not None:
            print(f"   {name:<15} {path}")
    return 0


def _film(policy: Path, path: Path, seconds: float) -> Path | None:
    """Play the policy and film it; without a display only play it, and say why in one line."""
    from servogym.deploy.runner import Policy
    from servogym.envs.opengl import NoDisplay
    from servogym.learning.playback import Scene, play
    from servogym.learning.video import video

    scenes = [
        Scene(name=name, seconds=share * seconds, twist=twist) for name, share, twist in SCENES
    ]
    try:
        with video(path, fps=round(1.0 / Policy(policy).contract.control_dt)) as film:
            played = play(policy, scenes, film.add)
        left = path
    except (NoDisplay, ImportError) as error:
        path.unlink(missing_ok=True)
        print(f"   no video: {str(error).splitlines()[0]}")
        left, played = None, play(policy, scenes)
    for each in played:
        (vx, vy, turn), asked = each.twist, each.scene.twist
        falls = f", fell {each.falls}x" if each.falls else ""
        print(
            f"   {each.scene.name:<8} asked ({asked[0]:.2f}, {asked[1]:.2f} m/s,"
            f" {asked[2]:.2f} rad/s), did ({vx:.2f}, {vy:.2f}, {turn:.2f}){falls}"
        )
    return left


if __name__ == "__main__":
    main()

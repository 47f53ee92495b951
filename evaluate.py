"""Says how a policy walks: falls, speeds, power and steps for each command.

python evaluate.py runs/<run>

python evaluate.py policy.onnx --episodes 16
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from servogym.cli.text import show, table
from servogym.deploy.contract import Contract
from servogym.gauge.walking import Walk, measure


@dataclass(frozen=True, kw_only=True)
class Options:
    """Measure how a policy walks, with all randomisation, noise, delays and pushes of its task."""

    policy: Annotated[Path, tyro.conf.Positional]
    """A run folder or an exported ONNX file."""
    task: str | None = None
    """Environment id; default: the one it was trained on."""
    episodes: int = 8
    """Robots a command."""
    seconds: float = 20.0
    """Length of an episode [s]."""
    seed: int = 1_000_003
    """Seed of the first robot; far from training seeds."""
    calm: bool = False
    """Switch randomisation, pushes, noise and delays off."""


def main() -> None:
    """Run the command line."""
    options = tyro.cli(Options, description=__doc__)
    try:
        walks, task = evaluate(options)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"evaluate: {error.args[0] if isinstance(error, LookupError) else error}")
    falls, episodes = sum(w.falls for w in walks), sum(w.episodes for w in walks)
    show(f"{task}, {options.seconds:g} s each, seed {options.seed}\n\n{page(walks)}\n")
    print(f"{falls} of {episodes} episodes ended in a fall")


def evaluate(options: Options) -> tuple[list[Walk], str]:
    """Measure what the options say; give the walks and the environment id."""
    from servogym.envs import registration

    policy, contract = load(options.policy)
    task = options.task or contract.task
    faults = False if options.calm else None
    walks = measure(
        policy,
        **registration.resolve(task),
        actuator=contract.actuator,
        episodes=options.episodes,
        seconds=options.seconds,
        seed=options.seed,
        sensing=faults,
        randomization=faults,
    )
    return walks, task


def load(path: Path) -> tuple[Callable[[np.ndarray], np.ndarray], Contract]:
    """Open a policy: an ONNX file through the runner, a run folder through its best checkpoint.

    Raises:
        OSError: There is nothing to open.
        ValueError: It is damaged, or not servogym's.
    """
    if path.is_file():
        from servogym.deploy.runner import Policy

        policy = Policy(path)
        return policy, policy.contract
    from servogym.learning import folder
    from servogym.learning.bundle import Bundle
    from servogym.learning.policy import acting, rebuild

    bundle = Bundle.load(folder.find(path))
    network = rebuild(dict(bundle.network), bundle.obs_width, bundle.policy_weights())
    return acting(network), bundle.contract


def page(walks: list[Walk]) -> str:
    """Write walks as a Markdown table."""
    columns = (
        "asked (vx, vy, yaw)",
        "did",
        "falls",
        "power [W]",
        "strides [1/s]",
        "swing [s]",
        "clearance [mm]",
        "both feet down",
        "head error [rad]",
    )

    def triple(values: tuple[float, ...]) -> str:
        return ", ".join(f"{value:+.2f}" for value in values)

    def gait(w: Walk) -> tuple[str, ...]:
        return (
            f"{w.power:.1f}",
            f"{w.strides:.1f}",
            f"{w.swing:.2f}",
            f"{1e3 * w.clearance:.0f}",
            f"{w.double_support:.2f}",
            f"{w.head_error:.2f}",
        )

    return table(
        columns,
        [
            (triple(w.command), triple(w.velocity), f"{w.falls}/{w.episodes}", *gait(w))
            if w.falls < w.episodes
            else (triple(w.command), "-", f"{w.falls}/{w.episodes}", *"------")
            for w in walks
        ],
    )


if __name__ == "__main__":
    main()

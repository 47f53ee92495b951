"""What a person can ask of a training run; the field texts are the command line's help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """Train a policy with PPO; leaves a run folder that explains itself."""

    task: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="ID")] = None
    """Environment id, e.g. MicroDuck-Flat-Backlash-v0; not needed with --resume."""
    seed: int | None = None
    """Seed of everything random; default 0."""
    steps: int | None = None
    """Environment steps of the whole run; default: the task's preset."""
    envs: int | None = None
    """Robots simulated side by side; default: the task's preset."""
    out: Path | None = None
    """Run folder, must not exist; default: runs/<task>-seed<seed>-<time>."""
    resume: Path | None = None
    """Continue the run in this folder from its latest checkpoint."""
    start: Path | None = None
    """Begin with the policy of this folder, a shipped one's (policies/go2-rough) or a run's,
    instead of fresh weights; its steps count, so ramps have ended and --steps must ask for more."""
    actuator: str | None = None
    """Motor: a law or one of the robot's, as `servogym describe` lists; default: the robot's."""
    config: Path | None = None
    """A TOML file: how physics, randomisation, rewards ... differ from the task's. A run keeps its
    own; with --resume the file must say the same."""
    threads: int = 0
    """Threads for physics; 0: every core. The number changes no result."""
    update_threads: int = 2
    """PyTorch's threads during updates; another number gives other last bits."""
    minutes: float | None = None
    """Stop cleanly after so many minutes, baselines included; the last evaluation comes on top."""
    save_every: int = 250_000
    """Environment steps between two checkpoints."""
    eval_every: int = 500_000
    """Environment steps between two evaluations."""
    eval_envs: int = 16
    """Episodes of one evaluation, all at once."""

    def __post_init__(self) -> None:
        """Refuse numbers that make no run, naming the option."""
        for name in (
            "steps",
            "envs",
            "update_threads",
            "minutes",
            "save_every",
            "eval_every",
            "eval_envs",
        ):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"--{name.replace('_', '-')} {value}: above 0 is needed")
        if self.threads < 0:
            raise ValueError(f"--threads {self.threads}: 0 (every core) or more is needed")
        if self.resume is None and self.task is None:
            raise ValueError("a task id is needed, or --resume RUN")
        fixed = ("task", "seed", "envs", "out", "start", "actuator")
        given = [name for name in fixed if getattr(self, name) is not None]
        if self.resume is not None and given:
            raise ValueError(
                f"--resume continues a run with its own {', '.join(given)}; leave that out"
            )

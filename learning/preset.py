"""The PPO numbers of a task: one record, held by the task, overridden from the command line."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from servogym.deploy.record import rebuild


def _obs_center() -> dict[str, tuple[float, ...]]:
    return {"projected_gravity": (0.0, 0.0, -1.0)}


def _obs_scale() -> dict[str, float | tuple[float, ...]]:
    return {
        "base_ang_vel": 0.8,
        "projected_gravity": (0.1, 0.1, 0.05),
        "joint_pos": 0.25,
        "joint_vel": 3.0,
        "actions": 0.4,
        "command": (0.2, 0.15, 0.5),
        "head_command": 0.2,
        "body_command": 1.0,
    }


@dataclass(frozen=True, kw_only=True)
class PpoPreset:
    """Hyper-parameters of stable-baselines3's PPO and of the network it trains.

    The defaults are the small-sample recipe measured on a velocity-commanded biped on two cores:
    many short rollouts, a high falling learning rate, little exploration noise and fixed input
    scales. Running input statistics are avoided on purpose: early falls inflate the spread of the
    gravity and gyro columns until a tilt of a few degrees is too small to be seen.
    """

    total_steps: int = 5_000_000
    """Environment steps of a whole run; the learning rate falls over them."""
    n_envs: int = 512
    """Robots simulated side by side."""
    n_steps: int = 24
    """Control steps each robot makes between two updates."""
    batch_size: int = 3072
    """Samples of one gradient step."""
    n_epochs: int = 5
    """Passes over each rollout."""
    gamma: float = 0.98
    """Discount per control step."""
    gae_lambda: float = 0.95
    """Bias-variance mix of the advantage estimate (GAE)."""
    clip_range: float = 0.2
    """How far the probability ratio may move in one update."""
    ent_coef: float = 0.001
    """Weight of the entropy bonus."""
    vf_coef: float = 1.0
    """Weight of the value loss."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this Euclidean norm."""
    learning_rate: float = 1e-3
    """Adam's step size at the start."""
    final_learning_rate: float = 2e-4
    """Adam's step size at the end; linear in environment steps between the two."""
    adam_eps: float = 1e-5
    """Adam's denominator offset."""
    initial_std: float = 0.28
    """Exploration noise at the start, in units of action ([rad] for position targets)."""
    hidden: tuple[int, ...] = (128, 128)
    """Widths of the hidden layers, actor and critic alike."""
    output_gain: float = 0.5
    """Factor on the actor's output."""
    obs_center: Mapping[str, tuple[float, ...]] = field(default_factory=_obs_center)
    """Slot name -> value that becomes 0, per column [slot unit]; 0 when a slot is not named."""
    obs_scale: Mapping[str, float | tuple[float, ...]] = field(default_factory=_obs_scale)
    """Slot name -> spread that becomes 1, one number or one per column [slot unit]."""
    smallest_command: float = 0.06
    """Twist commands this large, summed over their size, count as fully asked for [m/s, rad/s]."""
    tipping: float = 0.0
    """Asked to stand, a robot that rolls or pitches faster than this [rad/s] is told to walk at
    `catch` until it does not; 0: never. See `learning.actor.Actor`."""
    catch: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Twist command it is told then [m/s, m/s, rad/s]."""
    obs_limit: float = 8.0
    """Scaled observations are clipped to plus and minus this."""

    def __post_init__(self) -> None:
        """Refuse numbers PPO cannot work with, naming the field."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.type is int and value < 1:
                raise ValueError(f"{entry.name} {value}: at least 1 is needed")
            if entry.type is float and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{entry.name} {value}: a finite number, 0 or above, is needed")
        for name in (
            "learning_rate",
            "initial_std",
            "obs_limit",
            "smallest_command",
            "output_gain",
            "gamma",
        ):
            if getattr(self, name) == 0:
                raise ValueError(f"{name} 0: a number above 0 is needed")
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden {self.hidden}: one width above 0 per layer is needed")
        rollout = self.n_envs * self.n_steps
        if self.batch_size < 2 or self.batch_size > rollout:
            raise ValueError(
                f"batch_size {self.batch_size}: 2 to {rollout} (n_envs * n_steps) is accepted"
            )
        if rollout % self.batch_size == 1:
            raise ValueError(
                f"batch_size {self.batch_size}: a rollout of {rollout} samples leaves a minibatch"
                " of 1, whose advantage cannot be normalised"
            )

    def sized(self, *, envs: int | None = None, steps: int | None = None) -> "PpoPreset":
        """Give the same recipe for other numbers of robots or steps, with as many minibatches."""
        n_envs, rollout = envs or self.n_envs, self.n_envs * self.n_steps
        batch = self.batch_size
        if n_envs != self.n_envs:
            batch = max(2, n_envs * self.n_steps // -(-rollout // batch))
        return replace(self, n_envs=n_envs, batch_size=batch, total_steps=steps or self.total_steps)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PpoPreset":
        """Rebuild a preset from `dataclasses.asdict` after a trip through JSON.

        Raises:
            ValueError: A field is missing, unknown, of the wrong type or impossible; the message
                names it.
        """
        return rebuild(cls, data, "preset")

"""A task: one frozen record of everything that makes an environment out of a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from servogym.actuators.supply import Supply
from servogym.envs.commands import Commands
from servogym.envs.ramp import Ramp
from servogym.envs.randomize import Randomization
from servogym.envs.rewards import Moment
from servogym.envs.sensing import Sensing
from servogym.envs.spawn import Spawn
from servogym.envs.state import State
from servogym.envs.stride import Stride
from servogym.learning.preset import PpoPreset
from servogym.scenes import terrain
from servogym.scenes.contact import DEFAULT, Contact

Record = TypeVar("Record")


@dataclass(frozen=True)
class Term:
    """One reward term and its weight."""

    function: Callable[[Moment], np.ndarray]
    """What is measured; returns (n,)."""
    weight: float | Ramp
    """Reward per second for each unit of the function."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is asked of which robot, what it pays, when it ends, and how it is learnt."""

    name: str
    """Name in ids: `Flat` gives `MicroDuck-Flat-v0` and its twin `MicroDuck-Flat-Backlash-v0`."""
    version: int = 0
    """The -vN of the ids; raised when behaviour changes."""
    robot: str
    """Name of the robot."""
    summary: str
    """One sentence for people."""
    slot: str = ""
    """Place of its policies in the robot's catalogue, e.g. `walk`; empty: none."""
    rewards: Mapping[str, Term]
    """Reward terms by name."""
    terminations: Mapping[str, Callable[[State], np.ndarray]]
    """Ends that are failures, by name."""
    truncations: Mapping[str, Callable[[State], np.ndarray]] = field(default_factory=dict)
    """Ends that are not failures, by name; the time limit is always one."""
    supply: Supply | None = None
    """The battery shared by the servos; None gives motor laws their own nominal voltage."""
    commands: Commands = field(default_factory=Commands)
    """What is asked."""
    sensing: Sensing = field(default_factory=Sensing)
    """How the sensors err."""
    randomization: Randomization = field(default_factory=Randomization)
    """How the physics differs from robot to robot."""
    stride: Stride = field(default_factory=Stride)
    """The step it pays for."""
    spawn: Spawn = field(default_factory=Spawn)
    """How an episode begins."""
    action_clip: float = float(np.pi)
    """Actions are clipped to plus and minus this, here and in the policy file [rad]; a motor law
    that takes torques has at least twice its largest torque limit instead [N·m]."""
    terrain: terrain.Terrain | terrain.Field | None = None
    """The ground; None: an endless floor."""
    contact: Contact = DEFAULT
    """How soft feet and ground are to each other."""
    timestep: float = 0.005
    """Physics step [s]."""
    decimation: int = 4
    """Physics steps a control step."""
    episode_s: float = 20.0
    """Time limit of an episode [s]."""
    ppo: PpoPreset = field(default_factory=PpoPreset)
    """How it is learnt."""

    @property
    def control_dt(self) -> float:
        """Control step [s]."""
        return self.timestep * self.decimation

    @property
    def max_episode_steps(self) -> int:
        """Time limit of an episode [control steps]."""
        return round(self.episode_s / self.control_dt)

    def override(self, **sections: Mapping[str, Any] | bool | None) -> Task:
        """Return this task with some fields of some sections changed.

        Args:
            **sections: commands, sensing, randomization or spawn, each a mapping of its fields,
                False for everything off, None or True for no change; rewards, a mapping from terms
                to their constant weights.

        Raises:
            ValueError: naming what is unknown and listing what is known.
        """
        changes: dict[str, Any] = {}
        for name, values in sections.items():
            if values is None or values is True:
                continue
            if name == "rewards":
                changes[name] = self._reweigh(values)
            else:
                changes[name] = _replaced(name, getattr(self, name), values)
        return replace(self, **changes)

    def _reweigh(self, weights: Mapping[str, float] | bool) -> dict[str, Term]:
        if not isinstance(weights, Mapping):
            raise ValueError(f"rewards={weights!r}; needs a mapping from terms to weights")
        _known("rewards", weights, self.rewards)
        for name, w in weights.items():
            number = isinstance(w, Real) and not isinstance(w, bool) and isfinite(w)
            if not isinstance(w, Ramp) and not number:
                raise ValueError(f"rewards: {name} is {w!r}; needs a finite number or a Ramp")
        terms = {name: Term(self.rewards[name].function, w) for name, w in weights.items()}
        return {**self.rewards, **terms}


def _replaced(name: str, record: Record, values: Mapping[str, Any] | bool) -> Record:
    if values is False:
        if not hasattr(record, "off"):
            raise ValueError(f"{name}=False: cannot be switched off")
        return record.off()  # type: ignore[attr-defined]
    if not isinstance(values, Mapping):
        raise ValueError(f"{name}={values!r}; needs a mapping of fields, or False for all off")
    renamed = {old: new for old, new in getattr(record, "renamed", {}).items() if old in values}
    if renamed:
        raise ValueError(f"{name}: {'; '.join(f'{o} is now {n}' for o, n in renamed.items())}")
    _known(name, values, [f.name for f in fields(record)])  # type: ignore[arg-type]
    for setting in fields(record):  # type: ignore[arg-type]
        if setting.name in values:
            _check(f"{name}: {setting.name}", values[setting.name], record, setting)
    return replace(record, **values)  # type: ignore[type-var]


def _check(what: str, value: Any, record: Any, setting: Field) -> None:
    """Refuse a value that is not as many finite numbers as the task itself has there.

    What is declared `tuple[float, ...]` may have any length.
    """
    model, kind = getattr(record, setting.name), str(setting.type)
    if (value is None and "None" in kind) or (isinstance(value, Ramp) and "Ramp" in kind):
        return
    if "Draws" in kind:  # the record itself reads those
        return
    wanted = np.asarray(setting.default if model is None or isinstance(model, Ramp) else model)
    wanted = np.asarray(0.0) if wanted.dtype == object else wanted
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different lengths
        found = np.array(None)
    kinds = "iu" if wanted.dtype.kind == "i" else "iuf"
    if (
        (found.ndim != 1 if "..." in kind else found.shape != wanted.shape)
        or found.dtype.kind not in kinds
        or not np.isfinite(found.astype(float)).all()
    ):
        raise ValueError(
            f"{what} is {value!r}; needs {wanted.size} finite "
            f"{'whole ' * (kinds == 'iu')}number(s), such as {wanted.tolist()}"
        )


def _known(name: str, given: Any, known: Any) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"{name}: unknown {', '.join(unknown)}; known: {', '.join(known)}")

"""Which robots and motors are measured, and who moves them: the one table to extend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_POLICIES = Path(__file__).resolve().parent.parent / "policies"


@dataclass(frozen=True, kw_only=True)
class Case:
    """An environment with a way to move."""

    env_id: str
    """Environment id."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the environment."""
    policy: Path | None = None
    """Who walks, an exported file; None: nobody, the robots get the action zero."""
    hold: tuple[float, float] | None = None
    """Stiffness [N·m/rad] and damping [N·m·s/rad] that turn the policy's angles into torques, for
    motor laws that take torques."""


_DUCK = _POLICIES / "microduck-walk-backlash.onnx"

CASES = {
    "ideal": Case(
        env_id="MicroDuck-Flat-v0",
        options={"actuator": "ideal"},
        policy=_DUCK,
        hold=(0.55, 0.05),
    ),
    "pd": Case(env_id="MicroDuck-Flat-v0", options={"actuator": "pd"}, policy=_DUCK),
    "dc": Case(env_id="MicroDuck-Flat-v0", options={"actuator": "dc"}, policy=_DUCK),
    "bam": Case(env_id="MicroDuck-Flat-v0", policy=_DUCK),
    "bam + backlash": Case(env_id="MicroDuck-Flat-Backlash-v0", policy=_DUCK),
    "Go2, pd": Case(env_id="Go2-Flat-v0", policy=_POLICIES / "go2-flat.onnx"),
    "Go2, dc + backlash": Case(
        env_id="Go2-Flat-Backlash-v0",
        options={"actuator": "dc-24v"},
        policy=_POLICIES / "go2-flat.onnx",
    ),
}
"""Beside bare physics, every one."""

MAIN = ("bam", "bam + backlash")
"""The cases that are also set beside other environments, trained, and given one core or two."""

DOG = "Go2, pd"
"""The case that stands beside other environments as a batch alone: theirs are dogs too."""

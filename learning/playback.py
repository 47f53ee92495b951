"""Plays an exported policy file in the simulator, through the runner a robot would use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from servogym.deploy.runner import Policy
from servogym.envs.single import ROW, RobotEnv
from servogym.envs.trained import physics


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One command, held for a while."""

    name: str
    """What is asked, in a word."""
    seconds: float
    """How long [s]."""
    twist: tuple[float, float, float]
    """Forward and sideways speed [m/s], yaw rate [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """What the robot made of a scene."""

    scene: Scene
    """The scene."""
    twist: tuple[float, float, float]
    """Mean forward and sideways speed [m/s] and yaw rate [rad/s] in the scene's second half."""
    falls: int
    """Episodes that ended in failure during the scene."""


def play(
    path: Path,
    scenes: Sequence[Scene],
    on_picture: Callable[[np.ndarray], None] | None = None,
    every: int = 1,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> list[Played]:
    """Drive the robot of a policy file through scenes; a robot that falls starts again.

    Args:
        path: The exported file.
        scenes: Commands, one after the other.
        on_picture: Called with pictures (height, width, 3).
        every: Control steps from one picture to the next.
        seed: Seed of the environment.
        options: Further options of the environment; None: edits and contacts as they were in
            training.
    """
    policy = Policy(path)
    contract = policy.contract
    mode = "rgb_array" if on_picture else None
    options = physics(contract, contract.task) if options is None else options
    made = {"actuator": contract.actuator, "encoder": contract.encoder, **options}
    env = gym.make(contract.task, **{**made, "render_mode": mode, "max_episode_steps": -1})
    robot = env.unwrapped
    assert isinstance(robot, RobotEnv)
    played = []
    try:
        obs, _ = env.reset(seed=seed, options={"command": scenes[0].twist})
        for scene in scenes:
            robot.core.commander.hold(ROW, np.array(scene.twist))
            steps = max(2, round(scene.seconds / contract.control_dt))
            speeds, falls = [], 0
            for step in range(steps):
                obs, _, fallen, over, _ = env.step(policy(obs))
                state = robot.core.state
                speeds.append((*state.heading_vel[0, :2], state.yaw_rate[0]))
                if on_picture and step % every == 0:
                    on_picture(env.render())  # type: ignore[arg-type]
                if fallen or over:
                    falls += fallen
                    obs, _ = env.reset(options={"command": scene.twist})
            vx, vy, yaw_rate = np.mean(speeds[steps // 2 :], axis=0).tolist()
            played.append(Played(scene=scene, twist=(vx, vy, yaw_rate), falls=falls))
    finally:
        env.close()
    return played

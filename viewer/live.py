"""A robot that goes on living while people drive it, push it and exchange its policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from servogym.envs import registration, rotation, setup
from servogym.envs.core import Core
from servogym.envs.single import NO_LIMIT, ROW
from servogym.envs.trained import physics
from servogym.gauge.subject import Subject
from servogym.viewer.choice import agree

LIES = 1.0
"""How long a robot that fell stays where it is before it starts again [s]."""


class Live:
    """One robot in the world of its first policy, without that world's surprise pushes.

    One thread makes it and steps it. Other threads leave what they want with `ask`; it is done
    before the next step.
    """

    def __init__(
        self,
        policies: Mapping[str, Subject],
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Put the robot on its feet.

        Args:
            policies: Name -> policy; the first one acts.
            seed: What the randomised robot, its noise and its starts are drawn from.
            options: Further options of its environment; None: edits and contacts as they were when
                the first policy was trained.

        Raises:
            LookupError: The first policy's task or motor law is not known here.
            ValueError: A policy asks for something else than its own task gives today.
        """
        self.policies, self.name = dict(policies), next(iter(policies))
        self._seed = seed
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.paused = False
        self.time, self.falls = 0.0, 0
        contract = self.policy.contract
        self._options = physics(contract, contract.task) if options is None else options
        self.core = self._build(registration.resolve(contract.task)["backlash"])
        for name, subject in self.policies.items():
            agree(name, subject.contract, f"the robot of {contract.task}", self.core.contract)
        self.target = np.array(contract.offset())
        self.reset()

    @property
    def policy(self) -> Subject:
        """The policy that acts."""
        return self.policies[self.name]

    @property
    def backlash(self) -> bool:
        """Whether the gears have play."""
        return self.core.backlash

    @property
    def reading(self) -> np.ndarray:
        """What the encoders told the policy last, (j,) [rad]."""
        contract = self.core.contract
        return self._obs[contract.slices()["joint_pos"]] + np.array(contract.default_pose)

    def ask(self, wish: Callable[[], None]) -> None:
        """Leave something to be done by the thread that steps; any thread may call this."""
        self._asked.put(wish)

    def step(self) -> bool:
        """Do what was asked, then one control step; say whether there was one (not in a pause)."""
        self._obey()
        if self.paused:
            return False
        contract, core = self.policy.contract, self.core
        action = np.clip(
            self.policy.act(self._obs[None]), -contract.action_clip, contract.action_clip
        )
        self.target = contract.offset() + contract.scales() * action[0]
        out = core.step(action)
        self._obs = out.observation[0]
        self.time += contract.control_dt
        if out.terminated[0] and not self._lies:
            self.falls += 1
            self._lies = max(1, round(LIES / contract.control_dt))
        elif self._lies > 1:
            self._lies -= 1
        elif self._lies or out.truncated[0]:
            self.reset()
        if core.diverged[0]:
            self.reset()
        return True

    def command(self, commands: Mapping[str, np.ndarray]) -> None:
        """Hold what is asked of the robot.

        Args:
            commands: `command` (vx, vy [m/s], yaw rate [rad/s]), `head_command` [rad] and
                `body_command` [m, rad]; one that is left out is zero.
        """
        none = np.zeros(3)
        self.core.hold(
            ROW,
            commands.get("command", none),
            commands.get("head_command"),
            commands.get("body_command"),
        )

    def push(self, forward: float, left: float) -> None:
        """Change the base's velocity at once, in its own heading [m/s]."""
        core = self.core
        cos, sin = (v[0] for v in rotation.heading(core.state.base_quat))
        kick = (cos * forward - sin * left, sin * forward + cos * left)
        core.batch.bind("qvel")[0, core.at.base_dof[:2]] += kick

    def swap(self, name: str) -> None:
        """Let another policy act, from the next step on, where the robot is.

        Raises:
            LookupError: No policy has that name; the message lists those that are there.
        """
        if name not in self.policies:
            raise LookupError(f"no policy {name!r}; here are {', '.join(self.policies)}")
        self.name = name

    def reset(self) -> None:
        """Begin again, with a robot drawn anew; what is asked of it stays."""
        self._obs = self.core.reset(ROW)[0]
        self._lies = 0

    def set_backlash(self, on: bool) -> None:
        """Begin again with or without play in the gears; what is asked of the robot stays.

        Raises:
            LookupError: An edit of the physics is of a part that is not there then; nothing has
                changed.
        """
        if on != self.backlash:
            before = self.core.commander
            self.core = self._build(on)
            self.core.hold(ROW, before.twist[0], before.head[0], before.body[0])
            self.reset()

    def _build(self, backlash: bool) -> Core:
        contract = self.policy.contract
        made = {"actuator": contract.actuator, "encoder": contract.encoder, **self._options}
        made = setup.merged(made, randomization={"push": None}, max_episode_steps=NO_LIMIT)
        task = registration.resolve(contract.task)["task"]
        core = Core(task, 1, backlash=backlash, threads=1, **made)
        core.seed(ROW, np.array([self._seed], np.uint64))
        core.hold(ROW, np.zeros(3))
        return core

    def _obey(self) -> None:
        while True:
            try:
                wish = self._asked.get_nowait()
            except Empty:
                return
            wish()

"""Runs a policy file in a simulation made from its metadata alone: the clean room.

The file only names the robot and its motor law, so model and law come from where the training
environment has them; nothing else does, and no line of `servogym.envs` runs here. What the clean
room does by itself: the order of things within a control step, the layout of the observation, the
sensors, the rotations, the latencies, and the torque that load-dependent friction feels.

A control step is: action, clipped -> target -> for each physics step: the target that arrives,
encoder, battery, motor law, friction, `mj_step` -> sensors.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import onnxruntime as ort

from servogym import robots
from servogym.deploy.cleanroom.body import Body, build
from servogym.deploy.cleanroom.motors import motors
from servogym.deploy.cleanroom.noise import Faults, Noise
from servogym.deploy.contract import Contract
from servogym.deploy.style import LowPass, RuntimeStyle

FALLEN = np.cos(np.radians(70.0))
"""Cosine of the lean beyond which a robot has fallen, 70 degrees (pollen-robotics/microduck_rl)."""
MEASURED = ("base_ang_vel", "projected_gravity", "joint_pos", "joint_vel", "actions")
"""Slots the clean room can fill; the others must be commands."""


class CleanRoom:
    """n robots, each in a model of its own, that obey one policy file."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        n: int = 1,
        *,
        noise: Noise | None = None,
        style: RuntimeStyle | None = None,
        seed: int = 0,
    ) -> None:
        """Build everything from the file.

        Args:
            path: A policy file.
            n: Number of robots.
            noise: What sensors and wires do wrong; None: nothing.
            style: What a robot's own software does to commands and targets; None: nothing, as in
                training.
            seed: Of the noise.

        Raises:
            ValueError: The file has no contract, its contract contradicts itself or the robot, or
                it asks for a slot nobody can fill; the message names it.
            LookupError: There is no such robot, joint or motor law.
        """
        self._session = _open(os.fspath(path))
        entries = self._session.get_modelmeta().custom_metadata_map
        if "servogym" not in entries:
            raise ValueError(f"{os.fspath(path)}: no 'servogym' entry; export it with servogym")
        self.contract = contract = Contract.from_json(entries["servogym"])
        self.n, self.noise, self._seed = n, noise or Noise(), seed
        self._commands = {
            slot.name: np.zeros((n, slot.size))
            for slot in contract.slots
            if slot.name not in MEASURED
        }
        if strange := [name for name in self._commands if name not in contract.command_ranges]:
            raise ValueError(
                f"slots: {', '.join(strange)} cannot be filled; known are {', '.join(MEASURED)} and"
                f" the commands {', '.join(contract.command_ranges)}"
            )
        self._drive = motors(contract, n)
        model = build(contract, self._drive.law)
        height = robots.get(contract.robot).spawn_height
        self._bodies = [Body(model, contract, height) for _ in range(n)]
        self.style = style
        self._scale, self._offset = _factors(contract), _offset(contract)
        if style is not None:
            self._scale = self._scale * style.action_scale
        self.reset()

    def reset(self) -> None:
        """Let every robot begin anew."""
        shape = (self.n, len(self.contract.joints))
        self._faults = Faults(self.noise, *shape, self._seed)
        for body in self._bodies:
            body.reset()
        self._drive.reset(np.arange(self.n), None)
        self._drive.randomizable()["encoder_bias"][:] = self._faults.bias
        self._felt, self._torque, self._action = np.zeros((3, *shape))
        self._time = 0
        self._smooth: dict[str, LowPass] = {}
        self.fallen = np.zeros(self.n, bool)

    def command(self, commands: Mapping[str, np.ndarray]) -> None:
        """Set what is asked of the robots from the next observation on.

        Args:
            commands: Command slot -> its columns, (k,) or (n, k). [slot unit]
        """
        for name, value in commands.items():
            if name in self._commands:
                self._commands[name][:] = value

    def observe(self) -> np.ndarray:
        """Give the observation of every robot, (n, obs) float32; once a control step."""
        found = self._readings()
        columns = []
        for slot in self.contract.slots:
            reading = self._faults.sense(slot.name, found[slot.name], slot.delay, self._time)
            if reading.shape[1] != slot.size:
                raise ValueError(
                    f"slot {slot.name!r}: {slot.size} columns in the contract, the robot has"
                    f" {reading.shape[1]}"
                )
            bounded = np.clip(reading.astype(np.float32), slot.low, slot.high)
            columns.append(bounded * np.asarray(slot.scale, np.float32))
        return np.concatenate(columns, axis=1, dtype=np.float32)

    def act(self, observation: np.ndarray) -> np.ndarray:
        """Ask the policy for actions, (n, j) float32."""
        names, feed = [self.contract.output_name], self.contract.input_name
        rows = [self._session.run(names, {feed: row[None]})[0] for row in observation]
        return np.concatenate([np.asarray(row) for row in rows])

    def step(self, action: np.ndarray) -> None:
        """Obey actions (n, j) for one control step; those who have fallen lie still."""
        clip = self.contract.action_clip
        self._action = np.clip(np.asarray(action, float), -clip, clip)
        target = self._offset + self._scale * self._action
        if self.style is not None:
            target = self._smoothed("target", self.style.weights(self.contract), target)
        self._time += 1
        for _ in range(self.contract.decimation):
            arrived = self._faults.send(target)
            angle, speed = self._stack(body.servo() for body in self._bodies)
            gap = self._gaps()
            torque = self._drive.substep(
                arrived, angle, gap and gap[0], speed, self._felt, self._torque, None
            )
            friction = self._drive.friction(speed, self._felt, self._torque)
            self._torque = torque.copy()
            for k in np.flatnonzero(~self.fallen):
                if friction is None:
                    self._bodies[k].step(torque[k])
                else:
                    felt = self._bodies[k].step_loaded(torque[k], friction[0][k], friction[1][k])
                    self._felt[k] = felt
        lean = np.array([body.rotation()[2, 2] for body in self._bodies])
        self.fallen |= lean < FALLEN

    def speeds(self) -> np.ndarray:
        """Give forward, sideways speed and yaw rate of the robots, (n, 3) [m/s, m/s, rad/s]."""
        return np.stack([body.speed() for body in self._bodies])

    def _readings(self) -> dict[str, np.ndarray]:
        """What perfect sensors would say, by slot name; encoders with their bias."""
        angle, speed = self._stack(body.servo() for body in self._bodies)
        gap = self._gaps()
        if gap is not None and self.contract.encoder == "output":
            angle, speed = angle + gap[0], speed + gap[1]
        asked = self._commands
        if self.style is not None:
            weight = np.array(self.style.command_weight)
            asked = {
                name: self._smoothed(name, weight, value, np.zeros_like(value))
                for name, value in asked.items()
            }
        down = np.array([0.0, 0.0, -1.0])
        return {
            "base_ang_vel": np.stack([body.spin() for body in self._bodies]),
            "projected_gravity": np.stack([body.rotation().T @ down for body in self._bodies]),
            "joint_pos": angle + self._faults.bias - np.array(self.contract.default_pose),
            "joint_vel": speed,
            "actions": self._action,
            **asked,
        }

    def _smoothed(
        self, what: str, weight: np.ndarray, value: np.ndarray, start: np.ndarray | None = None
    ) -> np.ndarray:
        return self._smooth.setdefault(what, LowPass(weight, start))(value.copy())

    def _gaps(self) -> tuple[np.ndarray, np.ndarray] | None:
        gaps = [gap for body in self._bodies if (gap := body.gap()) is not None]
        return self._stack(gaps) if gaps else None

    @staticmethod
    def _stack(pairs) -> tuple[np.ndarray, np.ndarray]:
        first, second = zip(*pairs, strict=True)
        return np.stack(first), np.stack(second)


def _open(path: str) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own kinds share no public base
        raise ValueError(f"{path}: not an ONNX file that onnxruntime can read ({error})") from error


def _factors(contract: Contract) -> np.ndarray:
    """Give the command per unit of action, (j,)."""
    scale = contract.action_scale
    if isinstance(scale, Mapping):
        return np.array([scale[joint] for joint in contract.joints])
    return np.full(len(contract.joints), float(scale))


def _offset(contract: Contract) -> np.ndarray:
    """Give the command of action 0, (j,)."""
    pose = np.array(contract.default_pose)
    return pose if contract.command == "position" else np.zeros_like(pose)

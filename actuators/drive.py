"""Everything between a policy's target and the torque on the joint, composed."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from servogym.actuators.base import Actuator, Signals
from servogym.actuators.delay import CommandDelay
from servogym.actuators.encoder import Encoder
from servogym.actuators.supply import Supply


class Drive:
    """A motor law with its encoder, command delay and supply, for n robots.

    Per physics substep: delay the command, read the encoder, ask the supply, compute the torque.
    The supply's drop follows the torque (or bus current) this drive computed the substep before,
    which is zero after a reset. The law is used as given; encoder, delay and supply are copied.
    """

    def __init__(
        self,
        law: Actuator,
        joints: tuple[str, ...],
        n: int,
        dt: float,
        encoder: Encoder | None = None,
        delay: CommandDelay | None = None,
        supply: Supply | None = None,
    ) -> None:
        """Compose and allocate.

        Args:
            law: the motor law; this drive binds it.
            joints: joint names in contract order.
            n: number of robots.
            dt: physics step [s].
            encoder: default reads the output side, without bias.
            delay: default none.
            supply: default none: the law's own nominal voltage, if it has one.

        Raises:
            ValueError: a per-joint table is wrong, or the supply needs currents the law does not
                report.
        """
        self.law = law
        self.encoder = copy.deepcopy(encoder) if encoder is not None else Encoder()
        self.delay = copy.deepcopy(delay) if delay is not None else CommandDelay()
        self.supply = copy.deepcopy(supply)
        self._blocks = {"law": law, "encoder": self.encoder, "delay": self.delay}
        if self.supply is not None:
            self._blocks["supply"] = self.supply
        for block in self._blocks.values():
            block.bind(joints, n, dt)
        zeros = np.zeros((n, len(joints)))
        self._signals = Signals(dt=dt, external_torque=zeros, motor_torque=zeros)
        self._load = zeros.copy()
        if self.supply is not None and self.supply.by_current and law.bus_current() is None:
            raise ValueError(
                f"supply has a resistance, but law {law.name!r} reports no bus current; "
                "give the supply a sag_gain instead"
            )

    def substep(
        self,
        target: np.ndarray,
        servo_pos: np.ndarray,
        play_pos: np.ndarray | None,
        servo_vel: np.ndarray,
        external_torque: np.ndarray,
        motor_torque: np.ndarray,
        rng: Any,
    ) -> np.ndarray:
        """Return the motor torques for the coming physics step, (n, j) [N*m].

        The array is valid until the next call.

        Args:
            target: commands, (n, j) [rad] or [N*m], see the law's `command`.
            servo_pos: servo joint angles, (n, j) [rad].
            play_pos: passive joint angles, (n, j) [rad], None without backlash.
            servo_vel: servo joint velocities, (n, j) [rad/s].
            external_torque: of the previous solve, (n, j) [N*m].
            motor_torque: of the previous solve, (n, j) [N*m].
            rng: `servogym.envs.random.RowRandom`.
        """
        signals = self._sense(external_torque, motor_torque)
        signals.supply = None if self.supply is None else self.supply.available(self._load)
        arrived = self.delay.push(target, rng)
        measured = self.encoder.read(servo_pos, play_pos)
        torque = self.law.compute(arrived, measured, servo_vel, signals)
        if self.supply is not None:
            current = self.law.bus_current() if self.supply.by_current else None
            np.copyto(self._load, torque if current is None else current)
        return torque

    def friction(
        self, servo_vel: np.ndarray, external_torque: np.ndarray, motor_torque: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return (frictionloss [N*m], damping [N*m*s/rad]), each (n, j), or None for constants."""
        return self.law.friction(servo_vel, self._sense(external_torque, motor_torque))

    def reading(self, servo_pos: np.ndarray, play_pos: np.ndarray | None) -> np.ndarray:
        """Return what the encoders read, (n, j) [rad]; valid until the next call."""
        return self.encoder.read(servo_pos, play_pos)

    def reset(self, rows: np.ndarray, rng: Any) -> None:
        """Start an episode for these rows (r,): no memory, nominal parameters."""
        self._load[rows] = 0.0
        for block in self._blocks.values():
            block.reset(rows, rng)

    def randomizable(self) -> dict[str, np.ndarray]:
        """Return all live arrays that may be written after `reset`, by name."""
        return {k: v for block in self._blocks.values() for k, v in block.randomizable().items()}

    def state(self) -> dict[str, np.ndarray]:
        """Return every live array that survives a substep, keyed "block/name", first axis n."""
        state = {
            f"{name}/{key}": array
            for name, block in self._blocks.items()
            for key, array in block.state().items()
        }
        return {**state, "load": self._load}

    def describe(self) -> dict[str, Any]:
        """Return every parameter of the composition, JSON-able."""
        return {name: block.describe() for name, block in self._blocks.items()}

    def _sense(self, external_torque: np.ndarray, motor_torque: np.ndarray) -> Signals:
        self._signals.external_torque = external_torque
        self._signals.motor_torque = motor_torque
        return self._signals

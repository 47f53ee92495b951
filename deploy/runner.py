"""Runs an exported policy on a robot: named readings in, named targets out, safe when it fails.

Imports NumPy and onnxruntime, nothing else. `Policy` is the bare function from observation to
action.
"""

import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock, RLock

import numpy as np

from servogym.deploy.contract import Contract
from servogym.deploy.deadline import Deadline, same_rate
from servogym.deploy.handover import Blend, carried, difference
from servogym.deploy.policy import Policy
from servogym.deploy.readings import Joints, Readings, Vector
from servogym.deploy.safety import DefaultPose, Limp, Moment, SafeAction
from servogym.deploy.style import PLAIN, LowPass, RuntimeStyle

__all__ = ["Answer", "Policy", "Runner"]

TURN = 2.0 * np.pi
"""Angle from the default pose beyond which a joint is not believed to be. [rad]"""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What to send to the servos now."""

    command: np.ndarray
    """Target angles [rad], or torques [N·m], in contract joint order, `(j,)`."""
    fault: str
    """What went wrong; empty while all is well. With a fault the command is the safe action."""
    obs: np.ndarray | None
    """What the policy read, `(obs,)`, before clipping and scaling; None with a fault."""
    action: np.ndarray | None
    """What it answered, `(j,)`, clipped; None with a fault."""
    contract: Contract
    """Of the policy that answered."""

    @property
    def targets(self) -> dict[str, float]:
        """Joint -> target angle [rad], or torque [N·m]."""
        return dict(zip(self.contract.joints, self.command.tolist(), strict=True))

    def wire(self, order: str) -> np.ndarray:
        """Give the command in a vendor's joint order, `(j,)`.

        Raises:
            LookupError: The contract has no such order; the message lists the known ones.
        """
        return self.command[self.contract.wire(order)]


class Runner:
    """A policy in a control loop.

    It keeps the previous action, counts on being called at the trained rate and trusts no number.
    Names that are wrong raise at once. A value that is wrong (not finite, a quaternion without unit
    length), an inference that fails and a missed deadline are faults: the same call answers with
    the safe action, says why, and so does every later one until `clear`.
    """

    def __init__(
        self,
        policy: Policy | str | os.PathLike[str],
        contract: Contract | str | os.PathLike[str] | None = None,
        *,
        rate_hz: float,
        allow_rate: bool = False,
        safe: SafeAction | None = None,
        style: RuntimeStyle = PLAIN,
        late_s: float | None = None,
        clock: Callable[[], float] | None = time.monotonic,
    ) -> None:
        """Open a policy for a loop.

        Args:
            policy: A policy, or its file.
            contract: Contract of a file that has none inside, or the JSON file with it.
            rate_hz: How often `step` will be called [Hz].
            allow_rate: Accept another rate than the trained one.
            safe: What to do after a fault; None: `DefaultPose()`, or no torque for torques.
            style: What to do to commands and targets that training did not do.
            late_s: How much later than a period a step may come [s]; None: half a period.
            clock: Time now [s]; None: time does not matter, as in a simulation.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The rate is not the trained one, the safe action gives no targets or does
                not suit torques, a slot has no source, or the file does not fit its contract.
        """
        self._policy = policy if isinstance(policy, Policy) else Policy(policy, contract)
        first = self.contract
        self._deadline = Deadline(
            same_rate(rate_hz, first.control_dt, allowed=allow_rate), late_s, clock
        )
        torque = first.command == "torque"
        if torque and not isinstance(safe, Limp | None):
            raise ValueError(
                f"safe {safe!r}: Limp() is accepted for a policy that commands torques"
            )
        self._safe = safe or (Limp() if torque else DefaultPose())
        self._readings, self._style = Readings(first), style
        self._weights = style.weights(first)
        self._turn, self._lock, self._warned = RLock(), Lock(), set[str]()
        self._measured = np.array(first.default_pose)
        self.clear()
        self._try_safe_action()

    @property
    def contract(self) -> Contract:
        """Contract of the policy that is in charge."""
        return self._policy.contract

    @property
    def fault(self) -> str:
        """What went wrong; empty while all is well."""
        return self._fault

    def clear(self) -> None:
        """Forget the fault, the previous action and the filters; the next step is the first.

        Like `swap`, it waits for a step that another thread is in.
        """
        with self._turn, self._lock:
            self._fault, self._fault_time = "", 0.0
            self._previous = np.zeros(self.contract.action_size)
            self._sent: np.ndarray | None = None
            self._start = self._measured
            self._blend: Blend | None = None
            self._smooth_target = LowPass(self._weights)
            self._smooth_commands = {}
            self._deadline.forget()

    def step(
        self,
        joints: Joints,
        *,
        gyro: Vector | None = None,
        gravity: Vector | None = None,
        orientation: Vector | None = None,
        base_lin_vel: Vector | None = None,
        commands: Mapping[str, Vector] | None = None,
    ) -> Answer:
        """Read, think, answer. Call it once a period.

        Args:
            joints: Joint -> (position [rad], velocity [rad/s]), or a mapping of each.
            gyro: Angular velocity in trunk axes [rad/s], `(3,)`.
            gravity: Direction of gravity in trunk axes, `(3,)`; upright is (0, 0, -1).
            orientation: Instead of gravity: the trunk's in the world, unit (w, x, y, z).
            base_lin_vel: Velocity of the trunk in its axes [m/s], `(3,)`.
            commands: Command slot -> values [slot unit]; one left out is zero.

        Raises:
            ValueError: A name is missing or unknown, or a vector has the wrong length.
        """
        with self._turn:
            return self._step(joints, gyro, gravity, orientation, base_lin_vel, commands)

    def _step(
        self,
        joints: Joints,
        gyro: Vector | None,
        gravity: Vector | None,
        orientation: Vector | None,
        base_lin_vel: Vector | None,
        commands: Mapping[str, Vector] | None,
    ) -> Answer:
        begun = self._deadline.now()
        positions, velocities = self._readings.joints(joints)
        body, trouble = self._readings.imu(gyro, gravity, orientation, base_lin_vel)
        asked = self._readings.commands({} if commands is None else commands)
        with self._lock:
            known = np.abs(positions - np.array(self.contract.default_pose)) <= TURN
            self._measured = np.where(known, positions, self._measured)
            self._trip(self._deadline.step(begun) or trouble, begun)
            if self._fault:
                return self._safe_answer(begun)
            policy, previous = self._policy, self._previous
        asked = {name: self._asked(name, values) for name, values in asked.items()}
        obs = self._readings.observation(positions, velocities, previous, body | asked)
        action, trouble = self._act(policy, obs)
        with self._lock:
            command = self._command(action)
            if not (trouble or np.isfinite(command).all()):
                trouble = f"the command is not finite: {command.tolist()}"
            now = self._deadline.now()
            self._trip(trouble or self._deadline.took(begun, now), now)
            if self._fault:
                return self._safe_answer(now)
            self._previous, self._sent = action, command
            return Answer(
                command=command.copy(),
                fault="",
                obs=obs,
                action=action.copy(),
                contract=policy.contract,
            )

    def check(self, now: float | None = None) -> Answer | None:
        """Look after the loop from another thread: None while all is well, else what to send.

        Call it at least every half period, so that the safe action goes out even when the loop
        hangs in reading a sensor.

        Args:
            now: Time [s] on the runner's clock; None: ask it.
        """
        now = self._deadline.now() if now is None else now
        with self._lock:
            self._trip(self._deadline.missed(now), now)
            return self._safe_answer(now) if self._fault else None

    def swap(
        self,
        policy: Policy | str | os.PathLike[str],
        contract: Contract | str | os.PathLike[str] | None = None,
        *,
        ramp_s: float = 0.0,
    ) -> None:
        """Hand over to another policy; it answers the next step.

        The previous action goes with it, in the new policy's units. Opening a file takes longer
        than a period: open `Policy(path)` before the run.

        Args:
            policy: A policy, or its file.
            contract: Contract of a file that has none inside, or the JSON file with it.
            ramp_s: Time over which the jump between the two policies' targets fades [s].

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The contracts differ in more than the action's scale and clip; the message
                names the first difference. The policy in charge goes on.
        """
        other = policy if isinstance(policy, Policy) else Policy(policy, contract)
        if found := difference(self.contract, other.contract):
            raise ValueError(f"swap refused: {found}")
        if not 0 <= ramp_s < float("inf"):
            raise ValueError(f"ramp_s {ramp_s!r}: a finite number, 0 or above, is needed [s]")
        steps = round(ramp_s / self._deadline.period)
        with self._turn, self._lock:
            self._previous = carried(self._previous, self.contract, other.contract)
            self._policy = other
            self._blend = Blend(self._sent, steps) if steps and self._sent is not None else None

    def _asked(self, name: str, values: np.ndarray) -> np.ndarray:
        """Give a command as the policy shall read it: within bounds, smoothed."""
        if not np.isfinite(values).all():
            return values  # which the observation will show to be a fault
        slot = next(slot for slot in self.contract.slots if slot.name == name)
        trained = self.contract.command_ranges.get(name)
        if trained and name not in self._warned and (np.abs(values) > np.array(trained)).any():
            self._warned.add(name)
            warnings.warn(
                f"command {name!r} {values.tolist()} is beyond what was trained,"
                f" ± {list(trained)} [{slot.unit}]",
                stacklevel=3,
            )
        smooth = self._smooth_commands.setdefault(
            name, LowPass(self._style.command_weight, np.zeros(slot.size))
        )
        return smooth(np.clip(values, slot.low, slot.high))

    def _act(self, policy: Policy, obs: np.ndarray) -> tuple[np.ndarray, str]:
        """Give the action and what is wrong with it or its observation."""
        if trouble := self._readings.trouble(obs):
            return self._previous, trouble
        try:
            action = policy(obs).astype(np.float64)
        except Exception as error:  # whatever it is, the robot needs an answer now
            return self._previous, f"inference failed: {type(error).__name__}: {error}"
        return action, "" if np.isfinite(action).all() else "inference gave an action not finite"

    def _command(self, action: np.ndarray) -> np.ndarray:
        contract = self.contract
        command = contract.offset() + self._style.action_scale * contract.scales() * action
        command = self._smooth_target(command)
        return command if self._blend is None else self._blend(command)

    def _trip(self, trouble: str, now: float) -> None:
        """Enter the fault, unless there is none or one is on already."""
        if trouble and not self._fault:
            self._fault, self._fault_time = trouble, now
            self._start = self._measured if self._sent is None else self._sent

    def _safe_answer(self, now: float) -> Answer:
        contract, period = self.contract, self._deadline.period
        since = now - self._fault_time
        if contract.command == "torque":
            command = np.zeros(contract.action_size)
        else:
            command = self._safe.targets(
                Moment(
                    start=self._start.copy(),
                    measured=self._measured.copy(),
                    default_pose=np.array(contract.default_pose),
                    elapsed=period + (since if since > 0.0 else 0.0),
                )
            )
        return Answer(command=command, fault=self._fault, obs=None, action=None, contract=contract)

    def _try_safe_action(self) -> None:
        """Refuse a safe action that cannot give targets, before it is needed."""
        try:
            targets = np.asarray(self._safe_answer(0.0).command, np.float64)
            fits = targets.shape == self._start.shape and bool(np.isfinite(targets).all())
        except Exception as error:
            raise ValueError(f"safe {self._safe!r}: it fails ({error})") from error
        if not fits:
            raise ValueError(
                f"safe {self._safe!r}: {len(self._start)} finite targets are needed, got {targets}"
            )

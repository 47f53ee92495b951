"""Does a motor law keep its promises? `check_actuator(MyLaw(kp=3.0))` tells, for any law."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

from servogym.actuators.base import Actuator, Signals

_DT, _ROWS, _STEPS = 0.005, 5, 12


class ConformanceError(AssertionError):
    """A motor law broke one of the promises of `Actuator`."""


def check_actuator(law: Actuator, joints: tuple[str, ...] = ("hip", "knee", "ankle")) -> None:
    """Try a motor law out; return if it keeps every promise.

    The law itself stays untouched: copies of it are bound and run.

    Args:
        law: the law with its parameters, not yet bound.
        joints: joint names, for laws with per-joint tables.

    Raises:
        ConformanceError: naming the law and the broken promise.
    """
    for promise in (
        _describes_itself,
        _shapes,
        _leaves_inputs_alone,
        _repeats,
        _forgets_at_reset,
        _resets_only_the_rows_asked,
        _batch_equals_single,
        _state_is_complete,
        _saturates,
        _does_not_push_at_its_target,
        _friction_takes_energy,
    ):
        name = promise.__name__.strip("_").replace("_", " ")
        try:
            promise(law, joints)
        except ConformanceError as error:
            raise ConformanceError(f"actuator {law.name!r}: {name}: {error}") from None


class _Bench:
    """A copy of the law on n robots, fed from tapes that depend on the row alone."""

    def __init__(self, law: Actuator, joints: tuple[str, ...], rows: Any = _ROWS) -> None:
        self.rows = np.arange(rows) if isinstance(rows, int) else np.asarray(rows)
        self.n, self.joints = len(self.rows), joints
        self.law = copy.deepcopy(law)
        self.law.bind(joints, self.n, _DT)
        from servogym.envs.random import RowRandom  # looking a law up must not load environments

        self.rng = RowRandom(self.n)
        self.rng.seed(np.arange(self.n), self.rows.astype(np.uint64))
        self.reset(np.arange(self.n))

    def reset(self, rows: np.ndarray) -> None:
        self.rng.begin_episode(rows)
        self.law.reset(rows, self.rng)

    def inputs(self, step: int, tape: int = 0) -> list[np.ndarray]:
        """Target, measured, velocity, external and motor torque, supply of a step."""
        draw = [np.random.default_rng((tape, step, row)) for row in self.rows.tolist()]
        j = len(self.joints)
        scales = (1.0, 0.5, 8.0, 1.0, 1.0)
        arrays = [np.stack([d.normal(0.0, scale, j) for d in draw]) for scale in scales]
        arrays[2][:, step % j] = 0.0
        return [*arrays, np.stack([d.uniform(5.0, 8.0, 1) for d in draw])]

    def step(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        target, measured, velocity, external, motor, supply = inputs
        signals = Signals(dt=_DT, external_torque=external, motor_torque=motor, supply=supply)
        outputs = [self.law.compute(target, measured, velocity, signals)]
        outputs += self.law.friction(velocity, signals) or ()
        if (current := self.law.bus_current()) is not None:
            outputs.append(current)
        return [np.array(output) for output in outputs]

    def run(self, tape: int = 0, start: int = 0) -> list[np.ndarray]:
        return [o for k in range(_STEPS) for o in self.step(self.inputs(start + k, tape))]

    def at_rest(self, target: float, velocity: float = 0.0) -> np.ndarray:
        """Torque towards a target from angle 0, no load."""
        shape = (self.n, len(self.joints))
        zero = np.zeros(shape)
        signals = Signals(dt=_DT, external_torque=zero, motor_torque=zero)
        return np.array(
            self.law.compute(np.full(shape, target), zero, np.full(shape, velocity), signals)
        )


def _same(a: list[np.ndarray], b: list[np.ndarray], why: str) -> None:
    if len(a) != len(b) or any(not np.array_equal(x, y) for x, y in zip(a, b, strict=True)):
        raise ConformanceError(why)


def _describes_itself(law: Actuator, joints: tuple[str, ...]) -> None:
    if law.command not in ("position", "torque"):
        raise ConformanceError(f"command is {law.command!r}: choose 'position' or 'torque'")
    try:
        before = json.dumps(law.describe(), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConformanceError(f"describe() is not strict JSON: {error}") from None
    after = json.dumps(_Bench(law, joints).law.describe(), sort_keys=True, allow_nan=False)
    if before != after:
        raise ConformanceError("describe() changes when the law is bound")


def _shapes(law: Actuator, joints: tuple[str, ...]) -> None:
    bench = _Bench(law, joints)
    for output in bench.step(bench.inputs(0)):
        if output.shape != (bench.n, len(joints)) or not np.isfinite(output).all():
            raise ConformanceError(
                f"an output has shape {output.shape} or is not finite; "
                f"wanted finite {(bench.n, len(joints))}"
            )
    for name, array in bench.law.state().items():
        if array.ndim == 0 or array.shape[0] != bench.n:
            raise ConformanceError(f"state {name!r} has shape {array.shape}; first axis must be n")
    for name, array in bench.law.randomizable().items():
        if array.shape not in ((bench.n, 1), (bench.n, len(joints))):
            raise ConformanceError(f"randomizable {name!r} has shape {array.shape}")


def _leaves_inputs_alone(law: Actuator, joints: tuple[str, ...]) -> None:
    bench = _Bench(law, joints)
    inputs = bench.inputs(0)
    before = copy.deepcopy(inputs)
    bench.step(inputs)
    _same(before, inputs, "compute or friction writes into its arguments")


def _repeats(law: Actuator, joints: tuple[str, ...]) -> None:
    _same(_Bench(law, joints).run(), _Bench(law, joints).run(), "two equal runs differ")


def _forgets_at_reset(law: Actuator, joints: tuple[str, ...]) -> None:
    fresh, used = _Bench(law, joints), _Bench(law, joints)
    used.run(tape=1)
    for array in used.law.randomizable().values():
        array *= 1.1
    fresh.reset(np.arange(_ROWS))
    used.reset(np.arange(_ROWS))
    for name, array in used.law.randomizable().items():
        if not np.array_equal(array, fresh.law.randomizable()[name]):
            raise ConformanceError(f"{name!r} is not back at its nominal value")
    _same(fresh.run(), used.run(), "something survives a reset")


def _resets_only_the_rows_asked(law: Actuator, joints: tuple[str, ...]) -> None:
    bench, other = _Bench(law, joints), _Bench(law, joints)
    bench.run()
    other.run()
    other.reset(np.array([1]))
    keep = np.arange(_ROWS) != 1
    a, b = ([o[keep] for o in x.run(start=_STEPS)] for x in (bench, other))
    _same(a, b, "resetting one row changes another")


def _batch_equals_single(law: Actuator, joints: tuple[str, ...]) -> None:
    together = _Bench(law, joints).run()
    for row in range(_ROWS):
        alone = _Bench(law, joints, [row]).run()
        _same([o[row : row + 1] for o in together], alone, f"row {row} differs when run alone")


def _state_is_complete(law: Actuator, joints: tuple[str, ...]) -> None:
    first, second = _Bench(law, joints), _Bench(law, joints)
    first.run()
    second.run(tape=1)
    for pair in ((first.law, second.law), (first.rng, second.rng)):
        saved = pair[0].state()
        for name, array in pair[1].state().items():
            array[...] = saved[name]
    a, b = (x.run(start=_STEPS) for x in (first, second))
    _same(a, b, "a law continues differently after its state() was copied into another")


def _saturates(law: Actuator, joints: tuple[str, ...]) -> None:
    for sign in (1.0, -1.0):
        large, larger = (_Bench(law, joints).at_rest(sign * t) for t in (1e6, 1e8))
        if not np.array_equal(large, larger):
            raise ConformanceError("the torque grows with the target without limit")
        if (sign * large < 0).any():
            raise ConformanceError("the torque points away from the target")


def _does_not_push_at_its_target(law: Actuator, joints: tuple[str, ...]) -> None:
    for velocity in (-30.0, -1.0, 1.0, 30.0):
        if (_Bench(law, joints).at_rest(0.0, velocity) * velocity > 0).any():
            raise ConformanceError(f"at its target it drives the joint on at {velocity} rad/s")


def _friction_takes_energy(law: Actuator, joints: tuple[str, ...]) -> None:
    bench = _Bench(law, joints)
    for k in range(_STEPS):
        _, _, velocity, external, motor, _ = bench.inputs(k)
        signals = Signals(dt=_DT, external_torque=external, motor_torque=motor)
        for array in bench.law.friction(velocity, signals) or ():
            if not (np.isfinite(array).all() and (array >= 0).all()):
                raise ConformanceError("frictionloss or damping is negative or not finite")

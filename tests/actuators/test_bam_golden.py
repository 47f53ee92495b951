"""Bam gives what BAM's own code gives (Rhoban/bam @1b5a1cee, executed, XL330)."""

import json
from math import pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from servogym.actuators.bam import Bam
from servogym.actuators.base import Signals

GOLDEN = json.loads((Path(__file__).parent / "bam_golden.json").read_text())
DT, SECONDS = 0.005, 6.0


def one(value: float) -> np.ndarray:
    return np.array([[value]])


def bound(**parameters) -> Bam:
    law = Bam(servo="xl330", **parameters)
    law.bind(("joint",), 1, DT)
    law.reset(np.arange(1), None)
    return law


def signals(motor: float = 0.0, external: float = 0.0) -> Signals:
    return Signals(dt=DT, external_torque=one(external), motor_torque=one(motor))


def friction(law: Bam, motor: float, external: float, velocity: float) -> tuple[float, float]:
    loss, damping = law.friction(one(velocity), signals(motor, external))
    return float(loss[0, 0]), float(damping[0, 0])


@pytest.mark.parametrize("case", GOLDEN["friction"], ids=lambda c: f"{c['model']}-{c['dq']}")
def test_friction_equals_bam(case):
    found = friction(bound(model=case["model"]), case["tau_m"], case["tau_e"], case["dq"])
    assert found == pytest.approx((case["frictionloss"], case["damping"]), abs=1e-12)


@pytest.mark.parametrize("case", GOLDEN["torque"], ids=lambda c: f"{c['target']}-{c['dq']}")
def test_torque_equals_bam(case):
    law = bound(model="m6", kp_fw=400)
    torque = law.compute(one(case["target"]), one(case["q"]), one(case["dq"]), signals())
    assert torque[0, 0] == pytest.approx(case["torque"], abs=1e-12)


def cubic(t: float, start: float, end: float, begin: float, stop: float) -> float:
    s = (t - begin) / (stop - begin)
    return start + (end - start) * s * s * (3 - 2 * s)


def goal(name: str, t: float) -> tuple[float, bool]:
    """Target angle [rad] and whether the torque is on."""
    if name == "sin_sin":
        return sin(t) * pi / 2 + 0.5 * sin(5 * t) * sin(2 * t), True
    if name == "sin_time_square":
        return sin(t * t), True
    if name == "up_and_down":
        if t < 3:
            return cubic(t, 0, pi / 2, 0, 3), True
        return cubic(t, pi / 2, 0.8 * pi / 2, 3, 6), True
    if t < 2:
        return cubic(t, 0, -pi / 2, 0, 2), True
    return -pi / 2, False


def pendulum(law: Bam, trajectory: str) -> tuple[np.ndarray, np.ndarray]:
    """BAM's reference integrator of its bench, its odd position update included."""
    mass, arm, length = 0.2, 0.016, 0.12
    armature: Any = law.armature
    inertia = mass * length**2 + arm / 3 * length**2 + armature
    q = w = 0.0
    angles, goals = [], []
    for k in range(round(SECONDS / DT)):
        target, powered = goal(trajectory, k * DT)
        angles.append(q)
        goals.append(target)
        motor = float(law.compute(one(target), one(q), one(w), signals())[0, 0]) * powered
        external = -(mass + arm / 2) * 9.80665 * length * sin(q)
        loss, damping = friction(law, motor, external, w)
        stopping = inertia / DT * w + motor + external
        eaten = -np.sign(stopping) * min(abs(stopping), loss + damping * abs(w))
        acceleration = (motor + external + eaten) / inertia
        w = float(np.clip(w + acceleration * DT, -100, 100))
        q += w * DT + 0.5 * acceleration * DT**2
    return np.array(angles), np.array(goals)


@pytest.mark.parametrize("case", GOLDEN["rollout"])
def test_six_seconds_on_the_bench_end_where_bam_ends(case):
    model, trajectory = case.split("/")
    angles, goals = pendulum(bound(model=model, kp_fw=200), trajectory)
    wanted = GOLDEN["rollout"][case]
    for second in (1, 2, 3, 5):
        assert angles[round(second / DT)] == pytest.approx(wanted[f"q@{second}s"], abs=1e-9)
    assert np.abs(angles - goals).mean() == pytest.approx(wanted["mean|q-goal|"], abs=1e-9)

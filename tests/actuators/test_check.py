"""The conformance kit passes every law here and catches laws that break a promise."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from servogym.actuators.bam import Bam
from servogym.actuators.check import ConformanceError, check_actuator
from servogym.actuators.dc_motor import DcMotor
from servogym.actuators.ideal import IdealTorque
from servogym.actuators.pd import Pd
from servogym.actuators.per_joint import PerJoint
from servogym.actuators.servo_family import ServoFamily

GAINS = {"kp": 2.0, "kd": 0.1}


def bam(servo: str, model: str) -> Bam:
    family = ServoFamily.load(servo)
    return Bam(
        servo=servo,
        model=model,
        kp_fw=None if "kp_fw" in family.firmware else 50.0,
        resistance=None if "R" in family.models[model] else 2.0,
    )


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    LAWS = {
        "ideal": IdealTorque(effort_limit=1.0),
        "pd": Pd(**GAINS, effort_limit={"hip": 1.0, "knee": 2.0, "ankle": 3.0}),
        "dc": DcMotor(**GAINS, voltage=7.4, resistance=2.8, kt=0.05, gear=9.0, torque_limit=0.9),
        **{
            f"{servo} {model}": bam(servo, model)
            for servo in ServoFamily.names()
            for model in sorted(ServoFamily.load(servo).models)
        },
        "always": Bam(servo="xl330", quadratic="always"),
        "limited": Bam(servo="xl330", current_limit=1.75, torque_limit=0.8),
    }


@pytest.mark.parametrize("law", LAWS)
def test_every_law_keeps_its_promises(law):
    check_actuator(LAWS[law])


@dataclass(kw_only=True, eq=False)
class Broken(Pd):
    name: ClassVar[str] = "broken"
    kp: PerJoint = 2.0
    kd: PerJoint = 0.1
    effort_limit: PerJoint = 1.0

    def bind(self, joints, n, dt):
        super().bind(joints, n, dt)
        self._memory = np.zeros((n, len(joints)))


class Remembers(Broken):
    """A filter without reset; its state is complete."""

    def compute(self, target, measured, velocity, signals):
        self._memory += 0.5 * (target - self._memory)
        return super().compute(self._memory, measured, velocity, signals)

    def state(self):
        return {**super().state(), "memory": self._memory}


class Hides(Remembers):
    """A filter with reset that is no part of the state."""

    def reset(self, rows, rng):
        super().reset(rows, rng)
        self._memory[rows] = 0.0

    def state(self):
        return Pd.state(self)


class ResetsAll(Remembers):
    def reset(self, rows, rng):
        super().reset(rows, rng)
        self._memory[:] = 0.0


class Backwards(Broken):
    def compute(self, target, measured, velocity, signals):
        return -super().compute(target, measured, 0 * velocity, signals)


class DrivesOn(Broken):
    def compute(self, target, measured, velocity, signals):
        return np.clip(super().compute(target, measured, -velocity, signals), -1, 1)


class NegativeFriction(Broken):
    def friction(self, velocity, signals):
        return 0.1 - np.abs(velocity), np.zeros_like(velocity)


class Averages(Broken):
    def compute(self, target, measured, velocity, signals):
        return super().compute(target - 0.1 * target.mean(), measured, velocity, signals)


class WritesInputs(Broken):
    def compute(self, target, measured, velocity, signals):
        target -= measured
        return super().compute(target, 0 * measured, velocity, signals)


class Flat(Broken):
    def compute(self, target, measured, velocity, signals):
        return super().compute(target, measured, velocity, signals).ravel()


class RollsDice(Broken):
    def compute(self, target, measured, velocity, signals):
        noise = np.random.default_rng().normal(0, 1e-9, target.shape)
        return super().compute(target + noise, measured, velocity, signals)


class Secretive(Broken):
    def describe(self):
        return {"law": object()}


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (Remembers, "forgets at reset"),
        (Hides, "state is complete"),
        (ResetsAll, "resets only the rows asked"),
        (Backwards, "saturates: the torque points away"),
        (DrivesOn, "does not push at its target"),
        (NegativeFriction, "friction takes energy"),
        (Averages, "batch equals single"),
        (WritesInputs, "leaves inputs alone"),
        (Flat, "shapes"),
        (RollsDice, "repeats"),
        (Secretive, "describes itself"),
    ],
)
def test_a_broken_law_is_caught_by_name(broken, promise):
    with pytest.raises(ConformanceError, match=f"'broken': {promise}"):
        check_actuator(broken())


def test_a_torque_without_limit_is_caught():
    with pytest.raises(ConformanceError, match=r"saturates.*without limit"):
        check_actuator(Pd(**GAINS, effort_limit=np.inf))

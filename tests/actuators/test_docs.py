"""What docs/actuators.md says is so."""

import re
import sys
import types

import numpy as np
import pytest

from servogym.actuators.bam import Bam
from servogym.actuators.dc_motor import DcMotor
from servogym.actuators.ideal import IdealTorque
from servogym.actuators.pd import Pd
from servogym.actuators.servo_family import ServoFamily


@pytest.fixture
def page(checkout) -> str:
    return (checkout / "docs" / "actuators.md").read_text(encoding="utf-8")


def test_the_motor_of_your_own_is_forty_lines_and_passes_the_kit(page, monkeypatch):
    law, trial = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(law.splitlines()) <= 45
    module = types.ModuleType("hot")
    monkeypatch.setitem(sys.modules, "hot", module)
    exec(compile(law + trial, "docs/actuators.md", "exec"), vars(module))


def test_the_torque_speed_table_is_what_the_laws_give(page, idle):
    kt, ohm = 0.36601349688984386, 2.8113923539223227
    laws = {
        "ideal": IdealTorque(effort_limit=0.96),
        "pd": Pd(kp=0.55, kd=0.053, effort_limit=0.96),
        "dc": DcMotor(voltage=7.4, resistance=ohm, kt=kt, kp=0.55, kd=0.053, torque_limit=0.6),
        "bam": Bam(servo="xl330", kp_fw=200),
    }
    for name, law in laws.items():
        law.bind(("joint",), 1, 0.005)
        zero = np.zeros((1, 1))
        speeds = (-10, 0, 5, 10, 15, 20, 25)
        row = [law.compute(zero + 100, zero, zero + w, idle(1, 1))[0, 0] for w in speeds]
        assert f"| {name} | " + " | ".join(f"{torque:.3f}" for torque in row) + " |" in page


def test_the_provenance_table_is_that_of_the_files(page):
    for name in ServoFamily.names():
        servo = ServoFamily.load(name)
        models = "m1" if len(servo.models) == 1 else "m1 to m6"
        law, volts = servo.firmware["law"], f"{servo.firmware['volts']:g} V"
        cells = (f"`{name}`", servo.title, law, volts, models, servo.sha256[:12])
        assert f"| {' | '.join(cells)} |" in page

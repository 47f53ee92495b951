"""The quality of a run that another version of MuJoCo made, from the states it went through."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from servogym.gauge.metrics.rules import Scales
from servogym.gauge.metrics.scored import scored
from servogym.gauge.recorder import Recorder, physique
from servogym.robots import Robot

REST = 1.0
"""Time after the start that is not scored: the robot drops and finds its gait [s]."""


def of(
    run: Mapping[str, np.ndarray],
    robot: Robot,
    model: mujoco.MjModel,
    dt: float,
    command: tuple[float, float, float],
    top: tuple[float, float, float],
) -> list[float]:
    """Mean quality of each start, by our rules [1].

    Friction and ZMP margins are left out, and with them their weights: contacts belong to the
    version that made the run, and are not this one's to work out. A robot that fell or blew up has
    0 from then on.

    Args:
        run: of the closed loop.
        robot: who ran.
        model: its scene here, compiled by `world.build`.
        dt: control step [s].
        command: what was asked [m/s, m/s, rad/s].
        top: largest command of each axis in training [m/s, m/s, rad/s].
    """
    starts, planned = run["qpos"].shape[:2]
    datas = [mujoco.MjData(model) for _ in range(starts)]
    recorder = Recorder(robot, model, datas, dt)
    rest = round(REST / dt)
    asked = np.tile(command, (starts, 1))
    for step in range(planned):
        alive = step < run["end"] - run["fell"]
        for row in np.flatnonzero(alive):
            data = datas[row]
            data.qpos[:], data.qvel[:] = run["qpos"][row, step], run["qvel"][row, step]
            mujoco.mj_forward(model, data)
        recorder.look(
            action=np.nan_to_num(run["action"][:, step]),
            command=asked,
            alive=alive,
            settled=np.full(starts, step >= rest),
            torque=np.nan_to_num(run["torque"][:, step]),
        )
    who = physique(model, robot)
    found = scored(recorder.samples(), who, Scales.of(who, top))
    return [float(np.nanmean(column)) for column in found.quality.T]

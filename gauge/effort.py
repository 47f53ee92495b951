"""What a scripted motion costs its motors: torques by inverse dynamics, targets by their law."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np

from servogym.actuators.base import Signals
from servogym.envs.core import Core
from servogym.gauge.reference import Motion

_SLOW = 0.05
"""Dry friction takes its full size above about this servo speed [rad/s]."""
_HALVINGS = 40


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What the motors do in one period of a motion, sampled like the motion itself."""

    torque: np.ndarray
    """Motor torques, friction overcome, (p, j) [N·m]."""
    target: np.ndarray
    """What the law must be told to make them, (p, j) [rad] or [N·m]."""


def effort(core: Core, motion: Motion) -> Effort:
    """Work out torques and targets of a motion, for the robot and the motor law of an environment.

    Feet on the floor carry what the motion needs: the smallest forces and moments at their sites
    that do. The law's dry friction opposes each joint. Contact, play, sag and delay have no part.
    """
    needed = _needed(core, motion)
    n = len(needed)
    law, dt = copy.deepcopy(core.actuator), core.task.timestep
    law.bind(core.robot.joints, n, 1e3)  # so long a step that a goal of limited rate arrives
    supply = None if core.task.supply is None else np.full((n, 1), core.task.supply.volts)
    signals = Signals(dt=dt, external_torque=-needed, motor_torque=needed, supply=supply)
    law.reset(np.arange(n), core.rng)
    friction = law.friction(motion.joint_vel, signals)
    loss = core.model.dof_frictionloss[core.at.servo_dof] if friction is None else friction[0]
    torque = needed + loss * np.tanh(motion.joint_vel / _SLOW)
    if law.command == "torque":
        return Effort(torque=torque, target=torque)
    low, high = motion.joint_pos - np.pi, motion.joint_pos + np.pi
    for _ in range(_HALVINGS):
        target = 0.5 * (low + high)
        law.reset(np.arange(n), core.rng)
        less = law.compute(target, motion.joint_pos, motion.joint_vel, signals) < torque
        low, high = np.where(less, target, low), np.where(less, high, target)
    return Effort(torque=torque, target=0.5 * (low + high))


def _needed(core: Core, motion: Motion) -> np.ndarray:
    """Torques on the joints without dry friction, (p, j) [N·m]."""
    model, at = copy.copy(core.model), core.at
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    data.qpos[at.base_qpos] = [0.0, 0.0, motion.height, 1.0, 0.0, 0.0, 0.0]
    data.qvel[at.base_dof[0]] = motion.speed
    out = np.zeros_like(motion.joint_pos)
    for p, loaded in enumerate(motion.loaded):
        data.qpos[at.servo_qpos] = motion.joint_pos[p]
        data.qvel[at.servo_dof] = motion.joint_vel[p]
        data.qacc[:] = 0.0
        data.qacc[at.servo_dof] = motion.joint_acc[p]
        mujoco.mj_inverse(model, data)
        reach = np.zeros((0, model.nv))
        for site in at.foot_site[loaded]:
            rows = np.zeros((6, model.nv))
            mujoco.mj_jacSite(model, data, rows[:3], rows[3:], site)
            reach = np.concatenate((reach, rows))
        carried = np.linalg.lstsq(reach[:, at.base_dof].T, data.qfrc_inverse[at.base_dof])[0]
        out[p] = (data.qfrc_inverse - reach.T @ carried)[at.servo_dof]
    return out

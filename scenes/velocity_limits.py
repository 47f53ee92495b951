"""Joint velocity limits, which MuJoCo lacks: written into a model, and kept after each step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

PREFIX = "velocity_limit:"
"""A joint's limit is kept in the model as the custom numeric of this name plus the joint's."""

_PASSES = 200


def write(spec: mujoco.MjSpec, limits: Mapping[str, float]) -> None:
    """Write limits [rad/s or m/s] per joint into a spec, so that they travel with the model."""
    for joint, limit in limits.items():
        spec.add_numeric(name=PREFIX + joint, data=[limit], size=1)


def take(spec: mujoco.MjSpec) -> dict[str, float]:
    """Take the limits [rad/s or m/s] per joint out of a spec."""
    limits = {}
    for numeric in list(spec.numerics):
        if numeric.name.startswith(PREFIX):
            limits[numeric.name.removeprefix(PREFIX)] = float(numeric.data[0])
            spec.delete(numeric)
    return limits


def read(model: mujoco.MjModel) -> dict[str, float]:
    """Limits [rad/s or m/s] per joint that a compiled model carries."""
    named = [model.numeric(i) for i in range(model.nnumeric)]
    return {
        entry.name.removeprefix(PREFIX): float(entry.data[0])
        for entry in named
        if entry.name.startswith(PREFIX)
    }


class VelocityLimits:
    """Keeps hinges and slides within the speeds that a model carries.

    Law: after each step, joint impulses λ are found such that the generalized velocity
    v' = v + M⁻¹ E λ obeys |v'_j| <= limit_j, with λ_j = 0 for a joint that is below its limit and
    λ_j against the motion for one that is at it; E picks the limited joints, M is the mass matrix
    of the step. The positions move back by (v' - v)·dt, or half of it under RK4, whose positions
    follow the mean of the velocities in the step. That is what a brake in each joint would have
    done, had it known the step's outcome: momentum that does not go through the joint is unchanged,
    and the parts on both sides feel the brake. Contacts and other constraints feel it one step
    later.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        """Find the limited joints.

        Raises:
            LookupError: The model carries a limit for a joint that it does not have.
            ValueError: The joint is neither hinge nor slide.
        """
        limits = read(model)
        dofs = []
        for joint in limits:
            number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT.value, joint)
            if number < 0:
                raise LookupError(f"the model limits the speed of {joint!r}, which it has not")
            kind = mujoco.mjtJoint(model.jnt_type[number])
            if kind not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                raise ValueError(f"the speed of {joint!r} is limited, but it is no hinge or slide")
            dofs.append(model.jnt_dofadr[number])
        self._model = model
        self._dofs = np.array(dofs, dtype=int)
        self._limits = np.array(list(limits.values()), dtype=float)
        mean = model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4.value
        self._time = model.opt.timestep * (0.5 if mean else 1.0)

    def keep(self, data: mujoco.MjData) -> None:
        """Bring a state that `mj_step` has just reached back within the limits."""
        speed = data.qvel[self._dofs]
        if not (np.abs(speed) > self._limits).any():
            return
        response = self._response(data)
        impulse = _brake(response[:, self._dofs], speed, self._limits)
        change = impulse @ response
        reached = np.clip((data.qvel + change)[self._dofs], -self._limits, self._limits)
        change[self._dofs] = reached - speed
        data.qvel += change
        data.qvel[self._dofs] = reached
        mujoco.mj_integratePos(self._model, data.qpos, change, self._time)

    def _response(self, data: mujoco.MjData) -> np.ndarray:
        """Velocity change of every degree of freedom per unit impulse in each joint, (l, nv)."""
        unit = np.zeros((len(self._dofs), self._model.nv))
        unit[np.arange(len(self._dofs)), self._dofs] = 1.0
        response = np.zeros_like(unit)
        mujoco.mj_solveM(self._model, data, response, unit)
        return response


def _brake(response: np.ndarray, speed: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Impulses (l,) that bring speeds (l,) within limits (l,), by projected Gauss-Seidel."""
    impulse, speed = np.zeros_like(speed), speed.copy()
    for _ in range(_PASSES):
        largest = 0.0
        for j, limit in enumerate(limits):
            free = speed[j] - response[j, j] * impulse[j]
            wanted = (min(max(free, -limit), limit) - free) / response[j, j]
            largest = max(largest, abs(wanted - impulse[j]) * response[j, j])
            speed += response[j] * (wanted - impulse[j])
            impulse[j] = wanted
        if math.isclose(largest, 0.0, abs_tol=1e-12):
            break
    return impulse

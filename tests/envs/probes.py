"""Probes: small experiments on a bench robot whose outcome a physical quantity decides.

Each measures something on every row and says what it should be, from the numbers those rows have
been given. A probe that does not see its quantity is no probe; a test shows that each of them does.
"""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from servogym.envs.core import Core
from servogym.envs.randomize import Randomization
from tests.envs.bench_robots import ARM, RADIUS, WEIGHT


def run(core: Core, steps: int, action: float = 0.0, torque: Any = 0.0) -> None:
    """Let time pass with an outside torque on the arm, a number or one a row [N·m]."""
    core.batch.bind("qfrc_applied")[:, core.at.servo_dof[0]] = torque
    for _ in range(steps):
        core.step(np.full((core.n, 1), action))


def speed(core: Core) -> np.ndarray:
    """Velocity of the arm [rad/s]."""
    return core.batch.qvel[:, core.at.servo_dof[0]].copy()


def angle(core: Core) -> np.ndarray:
    """Angle of the arm [rad]."""
    return core.batch.qpos[:, core.at.servo_qpos[0]].copy()


def quantities() -> tuple[str, ...]:
    """Names of everything that can be drawn."""
    return Randomization.quantities()


def of_model(core: Core, name: str, *index: int) -> np.ndarray:
    """Numbers of the rows' own models, (n,)."""
    return np.array([getattr(core.batch.get_model(row), name)[index] for row in range(core.n)])


def of_motor(core: Core, name: str) -> np.ndarray:
    """Live numbers of the motors or the supply, (n,)."""
    return core.drive.randomizable()[name][:, 0].copy()


def gain(core: Core) -> np.ndarray:
    """Position gain of the motors, in the law's own unit."""
    return of_motor(core, "kp_fw" if core.actuator.name == "bam" else "kp")


def inertia(core: Core) -> np.ndarray:
    """Inertia about the arm's axis as the drawn numbers have it [kg·m²]."""
    body, dof = core.model.body("arm").id, core.at.servo_dof[0]
    about_centre = of_model(core, "body_inertia", body, 1)
    mass = of_model(core, "body_mass", body)
    return about_centre + mass * ARM**2 + of_model(core, "dof_armature", dof)


def started(core: Core, torque: float = 0.0, action: float = 0.0) -> np.ndarray:
    """Acceleration over the first 4 ms [rad/s²]."""
    run(core, 2, action, torque)
    return speed(core) / 0.004


def falling(core: Core) -> np.ndarray:
    """Acceleration of a falling arm, from mass and gravity [rad/s²]."""
    mass = of_model(core, "body_mass", core.model.body("arm").id)
    gravity = np.array([core.batch.get_model(row).opt.gravity[2] for row in range(core.n)])
    return gravity * mass * ARM / inertia(core)


def bisect(core: Core, least: float, loose: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Load at which rows break loose: what `loose` says of a load (n,), by bisection, (n,)."""
    holds, moves = np.zeros(core.n), np.full(core.n, least)
    while ((moves - holds) > 0.01 * moves).any():
        load = 0.5 * (holds + moves)
        core.batch.qvel[:] = 0.0
        moved = loose(load)
        holds, moves = np.where(moved, holds, load), np.where(moved, load, moves)
    return moves


def breakaway(core: Core) -> np.ndarray:
    """Torque at which the arm leaves its place [N·m]."""

    def loose(torque: np.ndarray) -> np.ndarray:
        run(core, 60, 0.0, torque)
        # MuJoCo's dry friction creeps, in proportion to the load; what breaks loose is far faster
        return np.abs(speed(core)) > 0.4 * torque

    return bisect(core, 0.25, loose)


def dry_friction(core: Core) -> np.ndarray:
    """Dry friction that the rows were given [N·m]."""
    live = core.drive.randomizable()
    if "friction_scale" in live:
        return (
            live["friction_scale"][:, 0] * core.actuator.describe()["identified"]["friction_base"]
        )
    return of_model(core, "dof_frictionloss", core.at.servo_dof[0])


def slowing(core: Core) -> np.ndarray:
    """Viscous friction that a coasting arm shows [N·m·s/rad]."""
    core.batch.qvel[:, core.at.servo_dof[0]] = 2.0
    run(core, 10)
    return np.log(2.0 / speed(core)) * inertia(core) / 0.02


def viscous(core: Core) -> np.ndarray:
    """Viscous friction that the rows were given, back-EMF of a shorted motor included."""
    live = core.drive.randomizable()
    if "passive_damping" in live:
        found = core.actuator.describe()["identified"]
        return live["passive_damping"][:, 0] + found["kt"] ** 2 / found["R"]
    return (
        of_model(core, "dof_damping", core.at.servo_dof[0]) + live.get("kd", np.zeros((1, 1)))[:, 0]
    )


def yielding(core: Core) -> np.ndarray:
    """Angle at which a steered arm rests under an outside torque of 0.2 N·m [rad]."""
    run(core, 400, 0.0, 0.2)
    return angle(core)


def sagging(core: Core) -> np.ndarray:
    """Sine-corrected angle by which a steered arm sags under its own weight [rad]."""
    run(core, 700)
    return angle(core) / np.cos(angle(core))


def hanging(core: Core) -> np.ndarray:
    """Angle at which a limp arm comes to rest [rad]."""
    run(core, 800)
    return angle(core)


def below(core: Core) -> np.ndarray:
    """Angle at which the centre of mass is below the joint [rad]."""
    body = core.model.body("arm").id
    x, z = (of_model(core, "body_ipos", body, axis) for axis in (0, 2))
    return -np.pi / 2 - np.arctan2(z, x)


def treadmill(core: Core, steps: int, hold: bool = False) -> None:
    """Run towards a target that is never reached; hold: against a stop."""
    for _ in range(steps):
        core.batch.qpos[:, core.at.servo_qpos[0]] = 0.0
        if hold:
            core.batch.qvel[:, core.at.servo_dof[0]] = 0.0
        run(core, 1, 3.0)


def no_load(core: Core) -> np.ndarray:
    """Speed that the motor reaches without load [rad/s]."""
    treadmill(core, 400)
    return speed(core)


def stall(core: Core) -> np.ndarray:
    """Torque of the motor against a stop [N·m]."""
    treadmill(core, 30, hold=True)
    return core.state.torque[:, 0].copy()


def sagged(core: Core) -> np.ndarray:
    """Stall torque from what the supply has left [N·m]."""
    per_volt = 0.36 / 2.8
    if core.actuator.name == "bam":
        found = core.actuator.describe()["identified"]
        per_volt = found["kt"] / found["R"] * core.actuator.describe()["control"]["max_pwm"]
    return per_volt * of_motor(core, "volts") / (1.0 + per_volt * of_motor(core, "sag"))


def lost_motion(core: Core) -> np.ndarray:
    """Travel of the load between a push one way and a push the other way, servo held [rad]."""
    outside = core.batch.bind("qfrc_applied")
    ends = []
    for push in (0.05, -0.05):
        outside[:, core.at.play_dof[0]] = push
        run(core, 300)
        ends.append(core.drive.reading(*core._angles())[:, 0].copy())
    return ends[0] - ends[1]


def slipping(core: Core, axis: int, most: float) -> np.ndarray:
    """Friction coefficient of balls on the floor: load at which one breaks loose, over its weight.

    MuJoCo's friction creeps in proportion to the load until it is exceeded, so what is far faster
    than under a small load has broken loose.

    Args:
        core: balls.
        axis: of the load: 0 pulls at the sole, 4 rolls, 5 spins.
        most: load that moves every ball for certain [N or N·m].
    """
    run(core, 300)
    rest, outside = core.batch.qpos.copy(), core.batch.bind("xfrc_applied")[:, core.at.base_body]

    def creep(load: np.ndarray) -> np.ndarray:
        core.batch.qpos[:], core.batch.qvel[:] = rest, 0.0
        outside[:, axis] = load
        if axis == 0:
            outside[:, 4] = -RADIUS * load
        run(core, 40)
        return core.batch.qvel[:, axis] / load

    slow = creep(np.full(core.n, 1e-3 * most))
    return bisect(core, most, lambda load: creep(load) > 2.0 * slow) / WEIGHT


def sunk(core: Core) -> np.ndarray:
    """How deep a ball at rest sinks into the floor [m]."""
    run(core, 300)
    return RADIUS - core.batch.qpos[:, 2]


def contact_friction(core: Core) -> np.ndarray:
    """Friction that the balls' two contacts with the floor really have, (n, 2, 5)."""
    found = []
    for row in range(core.n):
        data = core.batch.get_data(row)
        mujoco.mj_forward(core.batch.get_model(row), data)
        found.append(data.contact.friction.copy())
    return np.array(found)


def of_sole(core: Core, name: str, axis: int) -> np.ndarray:
    """What the shape of the rows' left sole was given, (n,)."""
    return of_model(core, name, core.model.geom("left").id, axis)

"""Moves one robot in whatever MuJoCo is installed, and writes down what it did.

    python worker.py job.json out.npz

It stands alone: NumPy, MuJoCo 3.2 or later, and onnxruntime where a policy acts. `jobs.py` writes
the job and the scene beside it. A robot is told what to do in one of three ways (`loop`):

| loop | targets of the servos | what a difference between versions then means |
|---|---|---|
| closed | the policy's answer to what it sees | everything, grown by the policy and by chance |
| open | recorded before, played back | the physics, grown by chance alone |
| step | recorded, from the recorded state anew before every control step | the physics |

A job that is `tight` lets the solver go on until it can get no further, instead of stopping where
its tolerance allows.

Where the engine dies, no file is written; the exit code is all there is to know.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

PARITY = (
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_inertia",
    "jnt_pos",
    "jnt_axis",
    "jnt_range",
    "jnt_solref",
    "jnt_solimp",
    "dof_armature",
    "dof_damping",
    "dof_frictionloss",
    "dof_solref",
    "dof_solimp",
    "geom_type",
    "geom_size",
    "geom_pos",
    "geom_quat",
    "geom_friction",
    "geom_condim",
    "geom_priority",
    "geom_solref",
    "geom_solimp",
    "geom_margin",
    "geom_gap",
    "pair_friction",
    "pair_solref",
    "pair_solreffriction",
    "pair_solimp",
    "pair_margin",
    "actuator_gear",
    "hfield_data",
    "hfield_size",
    "qpos0",
)
"""What must be the same in every version before motions can be compared."""
DERIVED = ("dof_invweight0", "body_invweight0", "body_subtreemass")
"""What the compiler works out from that, reported beside it."""


def flags(model: mujoco.MjModel, native: bool, multi: bool | None) -> None:
    """Switch collision by MuJoCo's own convex detector, multi contacts, and islands (off).

    Versions name a feature that is on by default as one to disable, and others as one to enable.

    Args:
        model: changed in place.
        native: whether convex shapes meet by the native detector.
        multi: whether it looks for several contacts; None leaves that to the version.
    """
    for name, wanted in (("NATIVECCD", native), ("MULTICCD", multi), ("ISLAND", False)):
        disable = getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", None)
        enable = getattr(mujoco.mjtEnableBit, f"mjENBL_{name}", None)
        if wanted is None:
            continue
        if disable is not None:
            bits = int(model.opt.disableflags) & ~int(disable)
            model.opt.disableflags = bits | (0 if wanted else int(disable))
        elif enable is not None:
            bits = int(model.opt.enableflags) & ~int(enable)
            model.opt.enableflags = bits | (int(enable) if wanted else 0)
        elif wanted:
            raise ValueError(f"MuJoCo {mujoco.__version__} has no {name.lower()}")


class Robot:
    """One robot, its motors and its sensors; the clean room's rules (servogym.deploy.cleanroom)."""

    def __init__(self, job: dict[str, Any], folder: Path) -> None:
        """Load the scene of a job."""
        self.job = job
        self.model = mujoco.MjModel.from_xml_path(str(folder / job["scene"]))
        flags(self.model, job["native"], job["multi"])
        if job["tight"]:
            self.model.opt.tolerance, self.model.opt.iterations = 1e-14, 100
            self.model.opt.ls_iterations = 50
        self.data = mujoco.MjData(self.model)
        kinds = mujoco.mjtObj
        joint = [self._id(kinds.mjOBJ_JOINT, name) for name in job["joints"]]
        self.q, self.v = self.model.jnt_qposadr[joint], self.model.jnt_dofadr[joint]
        self.motor = [self._id(kinds.mjOBJ_ACTUATOR, name) for name in job["joints"]]
        self.feet = [self._id(kinds.mjOBJ_GEOM, name) for name in job["feet"]]
        self.foot = np.isin(np.arange(self.model.ngeom), self.feet)
        free = int(np.flatnonzero(self.model.jnt_type == 0)[0])
        self.base_q, self.base_v = self.model.jnt_qposadr[free], self.model.jnt_dofadr[free]
        self.pose, self.scale, self.clip = (np.array(job[k]) for k in ("pose", "scale", "clip"))
        self.kp, self.kd, self.limit = (np.array(job[k]) for k in ("kp", "kd", "limit"))
        self.torque = np.zeros(len(joint))
        self.depths: list[float] = []

    def begin(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Put the robot into a state, with nothing left of the one before."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        self.data.time = 1.0  # when MuJoCo itself begins anew, at 0, it shows

    def turn(self) -> np.ndarray:
        """Matrix (3, 3) that turns trunk axes into world axes."""
        w, x, y, z = self.data.qpos[self.base_q + 3 : self.base_q + 7]
        u = np.array([x, y, z])
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * across

    def obey(self, target: np.ndarray) -> bool:
        """Hold servo targets [rad] for one control step; say whether the engine survived it.

        The torque is computed once a physics step: kp (target - angle) - kd speed, limited.
        """
        data, due = self.data, self.data.time
        for _ in range(self.job["decimation"]):
            raw = (target - data.qpos[self.q]) * self.kp
            raw -= self.kd * data.qvel[self.v]
            self.torque = np.clip(raw, -self.limit, self.limit)
            data.ctrl[self.motor] = self.torque
            mujoco.mj_step(self.model, data)
            self._look()
            due += self.model.opt.timestep
        # A state that is not finite makes MuJoCo begin anew at time 0, without a word.
        return abs(data.time - due) < 1e-6 and bool(np.isfinite(data.qpos).all())

    def sees(self, last: np.ndarray) -> dict[str, np.ndarray]:
        """Readings of perfect sensors by slot, given the last action."""
        down = np.array([0.0, 0.0, -1.0])
        return {
            "base_ang_vel": self.data.qvel[self.base_v + 3 : self.base_v + 6].copy(),
            "projected_gravity": self.turn().T @ down,
            "joint_pos": self.data.qpos[self.q] - self.pose,
            "joint_vel": self.data.qvel[self.v].copy(),
            "actions": last,
        }

    def _look(self) -> None:
        """Note how deep the feet are in what they touch."""
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            if self.foot[contact.geom1] or self.foot[contact.geom2]:
                self.depths.append(max(0.0, -float(contact.dist)))

    def _id(self, kind: mujoco.mjtObj, name: str) -> int:
        number = mujoco.mj_name2id(self.model, kind, name)
        if number < 0:
            raise LookupError(f"no {kind.name} {name!r} in the scene")
        return number


class Brain:
    """The policy of a job: readings in, action out."""

    def __init__(self, job: dict[str, Any], folder: Path) -> None:
        """Open the file."""
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        file = str(folder / job["policy"])
        self._session = ort.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        self._names, self._feed = [job["output_name"]], job["input_name"]
        self._slots = job["slots"]
        self._commands = {name: np.array(value) for name, value in job["commands"].items()}
        self._past: dict[str, list[np.ndarray]] = {}

    def begin(self) -> None:
        """Forget what was seen."""
        self._past = {}

    def answer(self, seen: dict[str, np.ndarray]) -> np.ndarray:
        """Give the action for what the sensors say."""
        parts = []
        for slot in self._slots:
            name = slot["name"]
            past = self._past.setdefault(name, [])
            past.append(np.array(self._commands.get(name, seen.get(name))))
            del past[: -1 - slot["delay"]]
            bounded = np.clip(past[0].astype(np.float32), slot["low"], slot["high"])
            parts.append(bounded * np.asarray(slot["scale"], np.float32))
        row = np.concatenate(parts, dtype=np.float32)[None]
        (actions,) = self._session.run(self._names, {self._feed: row})
        return np.asarray(actions, float)[0]


def play(robot: Robot, job: dict[str, Any], folder: Path) -> dict[str, np.ndarray]:
    """Do a job; give (starts, steps, ...) arrays that are NaN from a robot's end on."""
    steps, starts = job["steps"], np.array(job["qpos"])
    record = np.load(folder / job["record"]) if job["loop"] != "closed" else None
    brain = Brain(job, folder) if job["loop"] == "closed" else None
    j, model = len(job["joints"]), robot.model
    widths = {"qpos": model.nq, "qvel": model.nv, "torque": j, "target": j, "action": j}
    out: dict[str, np.ndarray] = {
        name: np.full((len(starts), steps, width), np.nan) for name, width in widths.items()
    }
    out["end"] = np.full(len(starts), steps)
    out["diverged"], out["fell"] = np.zeros((2, len(starts)), bool)
    for row, start in enumerate(starts):
        robot.begin(start, np.zeros(model.nv))
        action = np.zeros(j)
        if brain is not None:
            brain.begin()
        for step in range(steps):
            if record is None:
                assert brain is not None
                action = np.clip(brain.answer(robot.sees(action)), -robot.clip, robot.clip)
                target = robot.pose + robot.scale * action
            else:
                if np.isnan(record["target"][row, step]).any():
                    out["end"][row] = step
                    break
                action, target = record["action"][row, step], record["target"][row, step]
                if job["loop"] == "step" and step:
                    robot.begin(record["qpos"][row, step - 1], record["qvel"][row, step - 1])
            alive = robot.obey(target)
            if not alive:
                out["diverged"][row], out["end"][row] = True, step
                break
            found = (robot.data.qpos, robot.data.qvel, robot.torque, target, action)
            for name, value in zip(widths, found, strict=True):
                out[name][row, step] = value
            if robot.turn()[2, 2] < job["fallen"] and job["loop"] == "closed":
                out["fell"][row], out["end"][row] = True, step + 1
                break
    return out


def main(job_file: str, out_file: str) -> None:
    """Do the job of one file and write the other."""
    folder = Path(job_file).parent
    job = json.loads(Path(job_file).read_text())
    robot = Robot(job, folder)
    found: dict[str, Any] = dict(play(robot, job, folder))
    found["depth"] = np.array(robot.depths)
    for name in (*PARITY, *DERIVED):
        found[f"model.{name}"] = np.array(getattr(robot.model, name), float)
    versions = {"mujoco": mujoco.__version__, "numpy": np.__version__}
    versions["python"] = platform.python_version()
    found["versions"] = np.array(json.dumps(versions))
    with open(out_file, "wb") as file:
        np.savez_compressed(file, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])

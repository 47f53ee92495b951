"""The parts of one robot in a compiled model that a setting can name: bodies, joints, geoms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from servogym.robots.backlash import passive_name

if TYPE_CHECKING:
    from servogym.robots.base import Robot
    from servogym.scenes.addresses import Addresses


class Parts:
    """Turns groups and exact names into ids, in contract order where there is one.

    Bodies: "all" that have mass, "base", "head" (each body that a head joint moves), "feet".
    Joints: "all" servos and gaps, "servos", "legs", "head", "gaps" (the passive joints).
    Geoms: "all" of the robot that can touch, "feet", "ground" (all of the world that can touch).
    """

    def __init__(self, model: mujoco.MjModel, at: Addresses, robot: Robot) -> None:
        """Look the groups up.

        Args:
            model: the compiled model.
            at: where the robot lies in it.
            robot: whose groups to know.
        """
        self._model = model
        roots = np.asarray(model.body_rootid)
        mine = np.flatnonzero(roots == roots[at.base_body])
        servo = dict(zip(robot.joints, model.dof_jntid[at.servo_dof].tolist(), strict=True))
        gaps = [] if at.play_dof is None else model.dof_jntid[at.play_dof].tolist()
        self.servos, self.gaps = list(servo.values()), gaps
        touching = (model.geom_contype | model.geom_conaffinity) > 0
        owner = np.asarray(model.geom_bodyid)
        head = [servo[joint] for joint in robot.head]
        self._groups: dict[str, dict[str, list[int]]] = {
            "body": {
                "all": [int(b) for b in mine if model.body_mass[b] > 0],
                "base": [at.base_body],
                "head": [int(model.jnt_bodyid[joint]) for joint in head],
                "feet": owner[at.foot_geom].tolist(),
            },
            "joint": {
                "all": self.servos + gaps,
                "servos": self.servos,
                "legs": [servo[joint] for joint in robot.legs],
                "head": head,
                "gaps": gaps,
            },
            "geom": {
                "all": np.flatnonzero(touching & np.isin(owner, mine)).tolist(),
                "feet": np.asarray(at.foot_geom).tolist(),
                "ground": np.flatnonzero(touching & (roots[owner] == 0)).tolist(),
            },
        }
        self._may_be_absent = {passive_name(joint) for joint in robot.joints} if not gaps else set()

    def find(self, kind: str, of: str | tuple[str, ...]) -> list[int]:
        """Return the ids of parts; none for a group that this robot lacks.

        Args:
            kind: "body", "joint" or "geom".
            of: groups and names.

        Raises:
            ValueError: a name is unknown, or a part is named twice.
        """
        found: list[int] = []
        for name in (of,) if isinstance(of, str) else of:
            found += self._one(kind, name)
        twice = sorted({self.name(kind, part) for part in found if found.count(part) > 1})
        if twice:
            raise ValueError(f"{', '.join(twice)} named twice")
        return found

    def name(self, kind: str, part: int) -> str:
        """Return the name of a part, or its number where it has none."""
        return getattr(self._model, kind)(part).name or f"{kind} {part}"

    def _one(self, kind: str, name: str) -> list[int]:
        groups = self._groups[kind]
        if name in groups:
            return list(groups[name])
        if name in self._may_be_absent and kind == "joint":
            return []
        part = mujoco.mj_name2id(self._model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name)
        if part < 0:
            named = [self.name(kind, part) for part in groups["all"]]
            several = "bodies" if kind == "body" else f"{kind}s"
            raise ValueError(
                f"there is no {kind} {name!r}; groups: {', '.join(groups)}; "
                f"{several}: {', '.join(named)}"
            )
        return [part]

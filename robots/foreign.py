"""Runs an MJCF of a known robot that somebody else wrote, and tells every number that differs.

`python -m servogym.robots.foreign FILE.xml --like go2` prints the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import mujoco
import numpy as np

from servogym import robots
from servogym.robots.adapt import adapt
from servogym.robots.base import Foot, Robot
from servogym.robots.compare import Difference, differences
from servogym.robots.side import lowest_foot


@dataclass(frozen=True, kw_only=True)
class Foreign(Robot):
    """A robot whose file somebody else wrote; see `Robot.from_mjcf`."""

    like: Robot
    """The robot it is compared with, which lends it poses, motors and orders."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Servo joint -> its name in the file, where that is another."""
    changed: tuple[str, ...] = ()
    """What was left out of the file or added to it, a sentence each."""

    def spec(self, model: str = "walk") -> mujoco.MjSpec:
        """Freshly loaded, editable model: the file without its scene and with our names."""
        spec = super().spec(model)
        adapt(spec, self, self.like, self.renamed)
        return spec

    def differences(self) -> tuple[Difference, ...]:
        """Every number in which the file differs from that of `like`."""
        return differences(self, self.like)


def from_mjcf(
    path: str | Path,
    like: str | Robot,
    *,
    joints: Mapping[str, str] | None = None,
    feet: Mapping[str, str] | None = None,
    base_body: str | None = None,
    imu_site: str | None = None,
    name: str | None = None,
) -> Foreign:
    """See `Robot.from_mjcf`, which this is."""
    like = robots.get(like) if isinstance(like, str) else like
    path = Path(path).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise ValueError(f"{path}: no MJCF that MuJoCo reads: {error}") from error
    given = {part.name: getattr(like, part.name) for part in fields(Robot)}
    stranger = Foreign(
        **given
        | {
            "name": name or f"{like.name}-{path.stem}",
            "models": {"walk": str(path)},
            "base_body": base_body or _base(spec, like, path),
            "imu_site": imu_site or like.imu_site,
            "feet": tuple(_foot(spec, foot, feet or {}, path) for foot in like.feet),
        },
        like=like,
        renamed=_renamed(spec, like, joints or {}, path),
    )
    changed = adapt(spec, stranger, like, stranger.renamed)
    try:
        model = spec.compile()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return replace(
        stranger,
        changed=changed,
        passives={"file": _passive(model, like, path), **like.passives},
        spawn_height=_spawn_height(model, stranger),
    )


def _renamed(
    spec: mujoco.MjSpec, like: Robot, joints: Mapping[str, str], path: Path
) -> dict[str, str]:
    """Names in the file of the servo joints that are called otherwise there."""
    if unknown := sorted(set(joints) - set(like.joints)):
        raise LookupError(f"joints: {unknown} are not among those of {like.name}: {like.joints}")
    known = [joint.name for joint in spec.joints]
    theirs = {joint: joints.get(joint, joint) for joint in like.joints}
    if missing := [their for their in theirs.values() if their not in known]:
        raise LookupError(
            f"{path}: no joints {missing}; it has {known}. Give joints={{ours: theirs}}, with "
            f"ours among {list(like.joints)}"
        )
    if len(set(theirs.values())) < len(theirs):
        raise ValueError(f"joints: two of ours are the same joint of {path}: {theirs}")
    return {joint: their for joint, their in theirs.items() if their != joint}


def _base(spec: mujoco.MjSpec, like: Robot, path: Path) -> str:
    """The body with the free joint."""
    free = [j.parent.name for j in spec.joints if j.type == mujoco.mjtJoint.mjJNT_FREE]
    if like.base_body in free:
        return like.base_body
    if len(free) != 1 or not free[0]:
        raise LookupError(f"{path}: bodies with a free joint are {free}; one named body is needed")
    return free[0]


def _foot(spec: mujoco.MjSpec, foot: Foot, feet: Mapping[str, str], path: Path) -> Foot:
    """The foot's geom in the file: as given, or called like our geom or our site."""
    known = [geom.name for geom in spec.geoms if geom.name]
    wanted = (feet[foot.site],) if foot.site in feet else (foot.geom, foot.site)
    for name in wanted:
        if name in known:
            return Foot(site=foot.site, geom=name)
    raise LookupError(
        f"{path}: foot {foot.site!r} has no geom called {' or '.join(map(repr, wanted))}; named "
        f"geoms are {known}. Give feet={{{foot.site!r}: ...}}"
    )


def _passive(model: mujoco.MjModel, like: Robot, path: Path) -> dict[str, dict[str, float]]:
    """Passive figures of the file, as a motor law takes them.

    Raises:
        ValueError: Damping is not linear, which no motor law knows.
    """
    dofs = {joint: int(model.joint(joint).dofadr[0]) for joint in like.joints}
    for joint, dof in dofs.items():
        if np.any(getattr(model, "dof_dampingpoly", np.zeros((model.nv, 1)))[dof]):
            raise ValueError(
                f"{path}: damping of {joint!r} is not linear; motor laws know no other"
            )
    return {
        field: {joint: float(getattr(model, f"dof_{field}")[dof]) for joint, dof in dofs.items()}
        for field in ("damping", "frictionloss", "armature")
    }


def _spawn_height(model: mujoco.MjModel, robot: Robot) -> float:
    """Height of the level base at which the lowest foot touches the floor in the default pose."""
    data = mujoco.MjData(model)
    free = int(model.jnt_qposadr[model.body(robot.base_body).jntadr[0]])
    data.qpos[free : free + 7] = 0, 0, 0, 1, 0, 0, 0
    for joint, angle in robot.default_pose.items():
        data.joint(joint).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    return -lowest_foot(model, data, robot)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints what differs; an error is one line and exit code 2."""
    from servogym.cli.text import show, table

    parser = argparse.ArgumentParser(
        prog="python -m servogym.robots.foreign",
        description="Tell every number in which an MJCF file differs from a robot of ours.",
    )
    parser.add_argument("file", type=Path, metavar="FILE.xml")
    parser.add_argument("--like", required=True, help=f"one of {', '.join(robots.names())}")
    options = parser.parse_args(arguments)
    try:
        robot = Robot.from_mjcf(options.file, options.like)
        found = robot.differences()
    except (OSError, ValueError, LookupError) as error:
        print("error: " + " ".join(str(error.args[0]).split()), file=sys.stderr)
        return 2
    show("\n".join(f"- {sentence}" for sentence in robot.changed) or "- nothing changed")
    heads = ("what", "unit", options.file.name, options.like, "where")
    show("\n" + table(heads, _grouped(found, robot)))
    show(f"\n{len(found)} differences")
    return 0


def _grouped(found: Sequence[Difference], robot: Robot) -> list[tuple[str, ...]]:
    """Rows of the table; places with the same difference share one."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for d in found:
        rows.setdefault((d.what, d.unit, d.theirs, d.ours), []).append(d.where)
    every = set(robot.joints)
    return [
        (*row, "every joint" if set(where) == every else ", ".join(where))
        for row, where in rows.items()
    ]


if __name__ == "__main__":
    sys.exit(main())

"""Puts a gear gap behind every servo of a model: `add_backlash`, and a command that writes twins.

`python -m servogym.robots.backlash IN.xml OUT.xml` writes the twin of any MJCF file.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import mujoco

from servogym.robots.insert_joint import insert_behind
from servogym.robots.keyframes import carry_keyframes


def passive_name(joint: str) -> str:
    """Name of the gap of a servo joint; a prefix from an attach stays in front.

    `left_knee` gives `passive_left_knee_backlash`, `a/left_knee` gives
    `a/passive_left_knee_backlash`.
    """
    head, slash, tail = joint.rpartition("/")
    return f"{head}{slash}passive_{tail}_backlash"


def actuated_hinges(model: mujoco.MjModel) -> tuple[str, ...]:
    """Hinges that an actuator drives, in model order: what `add_backlash` takes for servos."""
    driven = {
        int(target[0])
        for target, kind in zip(model.actuator_trnid, model.actuator_trntype, strict=True)
        if mujoco.mjtTrn(kind) in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        and mujoco.mjtJoint(model.jnt_type[target[0]]) == mujoco.mjtJoint.mjJNT_HINGE
    }
    return tuple(model.joint(joint).name for joint in sorted(driven))


def add_backlash(
    model: str | Path | mujoco.MjSpec,
    joints: Sequence[str] | None = None,
    *,
    half_range: float | Mapping[str, float],
    armature: float = 0.001,
    damping: float = 0.01,
    frictionloss: float = 0.0,
    solref: Sequence[float] = (0.01, 1.0),
    solimp: Sequence[float] = (0.95, 0.999, 1e-4, 0.5, 2.0),
) -> mujoco.MjSpec:
    """The same model with an unactuated hinge of range ±half_range in series with each servo.

    The gap sits on the servo's own body, directly behind the servo joint, on the same axis and
    anchor, so the load hangs on it and no body, mass, geom, sensor or actuator changes. In every
    keyframe each gap is at 0 and all else is as it was.

    Defaults are those of the vendor's MicroDuck twin (microduck_rl, add_backlash.py): the limit's
    time constant of 0.01 s is two 5 ms steps, the stiffest that is stable; MuJoCo's 0.02 s lets
    the load run about twice as far past the stop.

    Args:
        model: An MJCF file, MJCF text, or a spec; a spec passed in is not changed.
        joints: Servo hinges by exact name; None means every hinge that an actuator drives.
        half_range: Half of the gap's total play [rad], for all or one per joint.
        armature: Reflected inertia on the gap [kg·m²]; it decides how small a gap the solver
            holds and how stable it is.
        damping: Viscous damping in the gap [N·m·s/rad].
        frictionloss: Dry friction in the gap [N·m].
        solref: Stiffness of the stops, as MuJoCo's `solreflimit`.
        solimp: Impedance of the stops, as MuJoCo's `solimplimit`.

    Returns:
        An edited copy.

    Raises:
        ValueError: A joint is unknown, listed twice, no hinge, or has a gap already; the
            half-range table misses or invents a joint; a half range is not a positive, finite
            number; or nothing is left to edit.
    """
    spec = _load(model)
    before = spec.compile()
    joints = (joints,) if isinstance(joints, str) else joints
    joints = actuated_hinges(before) if joints is None else tuple(joints)
    _refuse(before, joints)
    ranges = _half_ranges(joints, half_range)
    for joint in joints:
        insert_behind(
            spec.joint(joint),
            passive_name(joint),
            group=spec.joint(joint).group,
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            range=[-ranges[joint], ranges[joint]],
            armature=armature,
            damping=[damping, 0.0, 0.0],
            frictionloss=frictionloss,
            solref_limit=solref,
            solimp_limit=solimp,
        )
    carry_keyframes(spec, before, {passive_name(joint) for joint in joints})
    return spec


def _load(model: str | Path | mujoco.MjSpec) -> mujoco.MjSpec:
    """A spec that is ours to edit."""
    if isinstance(model, Path):
        return mujoco.MjSpec.from_file(str(model))
    if not isinstance(model, str):
        return model.copy()
    if model.lstrip().startswith("<"):
        return mujoco.MjSpec.from_string(model)
    return mujoco.MjSpec.from_file(model)


def _refuse(model: mujoco.MjModel, joints: tuple[str, ...]) -> None:
    """Raises for joints that cannot get a gap."""
    kinds = {model.joint(j).name: mujoco.mjtJoint(model.jnt_type[j]) for j in range(model.njnt)}
    hinges = [name for name, kind in kinds.items() if kind == mujoco.mjtJoint.mjJNT_HINGE and name]
    if not joints:
        raise ValueError(f"no hinge is driven by an actuator; name some of {hinges}")
    for joint in joints:
        if joints.count(joint) > 1:
            raise ValueError(f"joint {joint!r} is listed twice")
        if joint not in kinds or not joint:
            raise ValueError(f"unknown joint {joint!r}; hinges of this model: {hinges}")
        if joint not in hinges:
            kind = kinds[joint].name.removeprefix("mjJNT_").lower()
            raise ValueError(f"joint {joint!r} is a {kind}; only a hinge can have backlash")
        if passive_name(joint) in kinds:
            raise ValueError(f"joint {joint!r} already has backlash: {passive_name(joint)!r}")


def _half_ranges(
    joints: Iterable[str], half_range: float | Mapping[str, float]
) -> dict[str, float]:
    """Half range per joint [rad], checked."""
    joints = list(joints)
    if isinstance(half_range, Mapping):
        missing = [joint for joint in joints if joint not in half_range]
        unknown = [joint for joint in half_range if joint not in joints]
        if missing or unknown:
            raise ValueError(f"half_range: missing {missing}, unknown {unknown}; joints: {joints}")
        ranges = {joint: float(half_range[joint]) for joint in joints}
    else:
        ranges = dict.fromkeys(joints, float(half_range))
    for joint, value in ranges.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"half_range of {joint!r} is {value}; it must be positive and finite")
    return ranges


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: writes the twin of an MJCF file; an error is one line and exit code 2."""
    from servogym.robots.twin import write_twin

    parser = argparse.ArgumentParser(
        prog="python -m servogym.robots.backlash",
        description="Write the backlash twin of an MJCF file: a gear gap behind every servo.",
    )
    parser.add_argument("source", type=Path, metavar="IN.xml")
    parser.add_argument("target", type=Path, metavar="OUT.xml")
    parser.add_argument(
        "--half-range",
        nargs="+",
        default=[str(math.radians(1.0))],
        metavar="RAD|JOINT=RAD",
        help="half of the gap's play [rad], one for all or one per joint (default: 1 degree)",
    )
    parser.add_argument(
        "--joints", nargs="+", help="servo hinges by name (default: every actuated hinge)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite OUT.xml")
    options = parser.parse_args(arguments)
    try:
        joints = write_twin(
            options.source,
            options.target,
            options.joints,
            half_range=_parse_half_range(options.half_range),
            force=options.force,
        )
    except (OSError, ValueError, SyntaxError) as error:  # SyntaxError: XML that does not parse
        print("error: " + " ".join(str(error).split()), file=sys.stderr)
        return 2
    print(f"{options.target}: {len(joints)} joints with backlash: {', '.join(joints)}")
    return 0


def _parse_half_range(words: Sequence[str]) -> float | dict[str, float]:
    """One number, or a table from words like `left_knee=0.01`."""
    try:
        if len(words) == 1 and "=" not in words[0]:
            return float(words[0])
        pairs = [word.rpartition("=") for word in words]
        return {joint: float(value) for joint, _, value in pairs}
    except ValueError:
        raise ValueError(f"--half-range takes RAD or JOINT=RAD, not {' '.join(words)}") from None


if __name__ == "__main__":
    sys.exit(main())

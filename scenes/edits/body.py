"""Plans an edit of what bodies weigh, and of how they begin: mass, centre, inertia, sleep.

A mass given alone scales the inertia with it, so that the body is the same one made of heavier
stuff: a body whose numbers stand in its file has its inertia multiplied, one whose numbers MuJoCo
takes from its geoms has the density of those multiplied. A centre of mass or an inertia given for
the latter writes its whole inertial down, after which its geoms no longer decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from servogym.scenes.edits import checks, inertial
from servogym.scenes.edits.inertial import Inertial
from servogym.scenes.edits.target import BodyTarget, check_distinct
from servogym.scenes.edits.write import Write

LEAST = mujoco.mjMINVAL
"""Mass [kg] and principal moment [kg*m^2] below which MuJoCo refuses a body that moves."""


def plan(
    spec: mujoco.MjSpec,
    targets: Sequence[BodyTarget],
    *,
    mass: float | None = None,
    center_of_mass: Sequence[float] | None = None,
    inertia: Sequence[Sequence[float]] | np.ndarray | None = None,
    gravcomp: float | None = None,
    starts_asleep: bool | None = None,
) -> list[Write]:
    """Checks an edit of bodies and says what it would change; changes nothing.

    None keeps what is there, body by body; 0, 0.0 and False are values like any other.

    Args:
        spec: What the bodies belong to.
        targets: One for each body.
        mass: Mass of the body alone, without its children [kg], > 0; scales the inertia unless one
            is given.
        center_of_mass: Centre of mass in the body's frame, (3,) [m]; the inertia moves along.
        inertia: Inertia about the centre of mass, axes of the body's frame, (3, 3) [kg*m^2].
        gravcomp: Share of its weight that is held up, 0 to 1 [-].
        starts_asleep: Whether the tree that the body is the root of begins asleep. True turns
            sleeping on for the whole scene, as MuJoCo knows no other way.

    Returns:
        The changes, for `commit`.

    Raises:
        TypeError: A value is of the wrong kind.
        ValueError: A value is out of range, no rigid body has it, or the file or this MuJoCo would
            not let it come true.
    """
    check_distinct(targets)
    compiled: list[Inertial] | None = None
    bodies = list(spec.bodies)
    changes: list[Write] = []
    for target in targets:
        where = f"body {target.path!r}"
        body = target.element
        if body.parent is None:
            raise ValueError(f"{where} is the world, which has no mass; accepted: any other body")
        weight = None if mass is None else checks.number(mass, where, "mass", above=0.0)
        center = (
            None
            if center_of_mass is None
            else checks.vector(center_of_mass, where, "center_of_mass")
        )
        tensor = None if inertia is None else checks.inertia(inertia, where)
        if not (weight is None and center is None and tensor is None):
            _check_comes_true(body, where, weight, tensor)
            if inertial.comes_from_geoms(body):
                compiled = compiled or _compile(spec, where)
                now = compiled[bodies.index(body)]
                changes += _of_geoms(body, where, now, weight, center, tensor)
            else:
                changes += _written(body, where, weight, center, tensor)
        if gravcomp is not None:
            held = checks.number(gravcomp, where, "gravcomp", least=0.0, most=1.0)
            changes.append(Write(body, "gravcomp", held))
        if starts_asleep is not None:
            changes += _sleep(
                spec, body, where, checks.truth(starts_asleep, where, "starts_asleep")
            )
    return changes


def _check_comes_true(
    body: mujoco.MjsBody, where: str, mass: float | None, tensor: np.ndarray | None
) -> None:
    """Refuses numbers that MuJoCo would refuse later, or replace without a word."""
    compiler = body.compiler
    smallest = None if tensor is None else inertial.least_of(tensor)
    for name, value, bound in (
        ("mass", mass, max(LEAST, compiler.boundmass)),
        ("the smallest principal moment of inertia", smallest, max(LEAST, compiler.boundinertia)),
    ):
        if value is not None and value < bound:
            raise ValueError(
                f"{where}: {name} is {value:g}; accepted: at least {bound:g}, the bound of "
                + ("its file's compiler" if bound > LEAST else "MuJoCo")
            )
    total = getattr(compiler, "settotalmass", -1.0)
    if total > 0.0:
        raise ValueError(
            f"{where}: its file says settotalmass={total:g}, which rescales every "
            "mass and inertia when the scene is built; take that out of the file first"
        )


def _compile(spec: mujoco.MjSpec, where: str) -> list[Inertial]:
    """The inertials as they are now."""
    try:
        return inertial.compiled(spec)
    except ValueError as error:
        raise ValueError(
            f"{where}: its mass comes from its geoms, and the scene does not compile: {error}"
        ) from error


def _of_geoms(
    body: mujoco.MjsBody,
    where: str,
    now: Inertial,
    mass: float | None,
    center: np.ndarray | None,
    tensor: np.ndarray | None,
) -> list[Write]:
    """Changes to a body whose inertial MuJoCo takes from its geoms."""
    if mass is not None and now.mass == 0.0 and tensor is None:
        raise ValueError(
            f"{where}: its geoms have no mass to scale; give mass and inertia together"
        )
    if center is None and tensor is None:
        assert mass is not None
        _check_scaled(body, where, mass, mass / now.mass, inertial.least_of(now.tensor))
        return inertial.scaled_geoms(body, mass / now.mass)
    if body.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
        raise ValueError(
            f"{where}: its file says inertiafromgeom='true', under which geoms alone decide; "
            "accepted: mass alone, or 'auto' in the file"
        )
    _check_unscaled(body, where)
    if tensor is None:
        tensor = now.tensor * (1.0 if mass is None else mass / now.mass)
    return [
        Write(body, "mass", now.mass if mass is None else mass),
        Write(body, "ipos", now.center if center is None else center),
        *inertial.tensor_writes(body, tensor),
        Write(body, "explicitinertial", True),
    ]


def _written(
    body: mujoco.MjsBody,
    where: str,
    mass: float | None,
    center: np.ndarray | None,
    tensor: np.ndarray | None,
) -> list[Write]:
    """Changes to a body whose inertial stands in its file, or that has none."""
    _check_unscaled(body, where)
    changes = inertial.described(body)
    if tensor is not None:
        changes += inertial.tensor_writes(body, tensor)
    if mass is not None:
        if tensor is None:
            least = inertial.least_moment(body)
            if body.mass <= 0.0 or least <= 0.0:
                raise ValueError(
                    f"{where} has no mass and inertia to scale; give mass and inertia together"
                )
            _check_scaled(body, where, mass, mass / body.mass, least)
            changes += inertial.scaled(body, mass / body.mass)
        changes.append(Write(body, "mass", mass))
    if center is not None:
        changes.append(Write(body, "ipos", center))
    return changes


def _check_scaled(
    body: mujoco.MjsBody, where: str, mass: float, factor: float, least: float
) -> None:
    """Refuses a mass that takes a moment of inertia below what MuJoCo lets stand."""
    bound = max(LEAST, body.compiler.boundinertia)
    if least * factor < bound:
        raise ValueError(
            f"{where}: mass is {mass:g}, which leaves a principal moment of inertia of "
            f"{least * factor:g}, below the bound of {bound:g}; give inertia too"
        )


def _check_unscaled(body: mujoco.MjsBody, where: str) -> None:
    """Refuses a body whose inertial a frame would multiply afterwards."""
    if inertial.in_scaled_frame(body):
        raise ValueError(
            f"{where} lies in a frame with a scale, which multiplies its inertial when the scene "
            "is built; take the scale out of the file, or edit the mass of a body made of geoms"
        )


def _sleep(spec: mujoco.MjSpec, body: mujoco.MjsBody, where: str, asleep: bool) -> list[Write]:
    """Changes to how a tree begins."""
    policy = getattr(mujoco, "mjtSleepPolicy", None)
    switch = getattr(mujoco.mjtEnableBit, "mjENBL_SLEEP", None)
    if policy is None or switch is None or not hasattr(body, "sleep"):
        if not asleep:
            return []
        raise ValueError(
            f"{where}: starts_asleep is True, but MuJoCo {mujoco.__version__} has no sleeping; "
            "it needs 3.4 or later"
        )
    if not asleep:
        began_asleep = body.sleep == policy.mjSLEEP_INIT
        return [Write(body, "sleep", policy.mjSLEEP_AUTO)] if began_asleep else []
    if not body.joints or _hangs_on_a_moving_body(body):
        raise ValueError(
            f"{where}: starts_asleep is True; accepted only for a body that moves and hangs on "
            "nothing that does, for the whole tree under it sleeps with it"
        )
    flags = spec.option.enableflags | int(switch)
    return [
        Write(body, "sleep", policy.mjSLEEP_INIT),
        Write(spec.option, "enableflags", int(flags)),
    ]


def _hangs_on_a_moving_body(body: mujoco.MjsBody) -> bool:
    """Whether a joint stands between the body's parent and the world."""
    holder = body.parent
    while holder.parent is not None:
        if holder.joints:
            return True
        holder = holder.parent
    return False

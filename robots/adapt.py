"""Takes the scene out of a stranger's file and adds what a robot of ours must have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import mujoco
import numpy as np

from servogym.robots.base import Robot


def adapt(
    spec: mujoco.MjSpec, robot: Robot, like: Robot, renamed: Mapping[str, str]
) -> tuple[str, ...]:
    """Edit a freshly loaded file so that a scene can be built around its robot.

    Floor, lights, cameras and sky go, because the scene brings its own; shapes go whose mesh file
    is missing, if nobody but an eye would miss them; servo joints get our names; sites of IMU and
    feet are added where there are none.

    Args:
        spec: The file; edited.
        robot: Its record.
        like: The robot it is compared with.
        renamed: Servo joint -> its name in the file.

    Returns:
        What was changed, a sentence each.

    Raises:
        ValueError: A mesh file is missing whose shape touches something or has a mass that counts.
        LookupError: There is no such base body.
    """
    parts = (
        *_without_scene(spec),
        *_without_missing_meshes(spec),
        *_without_missing_textures(spec),
        *_rename(spec, renamed),
        *_sites(spec, robot, like),
        *_other_motors(spec, robot),
    )
    return tuple(parts)


def _without_scene(spec: mujoco.MjSpec) -> Iterator[str]:
    shapes = list(spec.worldbody.geoms)
    lost = {shape.name for shape in shapes if shape.name}
    pairs = [pair for pair in spec.pairs if lost & {pair.geomname1, pair.geomname2}]
    sky = [t for t in spec.textures if t.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX]
    for what, elements in {
        "shapes of the world": shapes,
        "contact pairs with them": pairs,
        "lights": list(spec.lights),
        "cameras": list(spec.cameras),
        "sky textures": sky,
    }.items():
        for element in elements:
            spec.delete(element)
        if elements:
            yield f"left out: {len(elements)} {what}"


def _without_missing_meshes(spec: mujoco.MjSpec) -> Iterator[str]:
    missing = {m.name: m for m in spec.meshes if _is_missing(spec, m.file, spec.meshdir)}
    paired = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    guess = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    gone = 0
    for body in spec.bodies:
        for shape in [g for g in body.geoms if g.meshname in missing]:
            file = missing[shape.meshname].file
            what = f"mesh file {file!r} of a shape of body {body.name!r} is missing, and"
            if shape.contype or shape.conaffinity or (shape.name and shape.name in paired):
                raise ValueError(f"{what} that shape touches things; give the file")
            if guess or not body.explicitinertial:
                raise ValueError(f"{what} the body's mass comes from its shapes; give the file")
            spec.delete(shape)
            gone += 1
    for mesh in missing.values():
        spec.delete(mesh)
    if missing:
        yield f"left out: {gone} shapes to be seen, of {len(missing)} mesh files that are missing"


def _without_missing_textures(spec: mujoco.MjSpec) -> Iterator[str]:
    missing = [
        texture
        for texture in spec.textures
        if any(_is_missing(spec, f, spec.texturedir) for f in (texture.file, *texture.cubefiles))
    ]
    names = {texture.name for texture in missing}
    for material in spec.materials:
        for role, texture in enumerate(material.textures):
            if texture in names:
                material.textures[role] = ""
    for texture in missing:
        spec.delete(texture)
    if missing:
        yield f"left out: {len(missing)} textures whose files are missing"


def _is_missing(spec: mujoco.MjSpec, file: str, folder: str) -> bool:
    if not file:
        return False
    name = Path(file).name if spec.strippath else file
    return not Path(spec.modelfiledir, folder, name).is_file()


def _rename(spec: mujoco.MjSpec, renamed: Mapping[str, str]) -> Iterator[str]:
    ours = {theirs: joint for joint, theirs in renamed.items()}
    for joint in list(spec.joints):
        if joint.name in ours:
            joint.name = ours[joint.name]
    joint_kinds = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    for actuator in spec.actuators:
        if actuator.trntype in joint_kinds:
            actuator.target = ours.get(actuator.target, actuator.target)
    for sensor in spec.sensors:
        if sensor.objtype == mujoco.mjtObj.mjOBJ_JOINT:
            sensor.objname = ours.get(sensor.objname, sensor.objname)
    for equality in spec.equalities:
        if equality.type == mujoco.mjtEq.mjEQ_JOINT:
            equality.name1 = ours.get(equality.name1, equality.name1)
            equality.name2 = ours.get(equality.name2, equality.name2)
    for theirs, joint in ours.items():
        yield f"joint {theirs} is called {joint}"


def _sites(spec: mujoco.MjSpec, robot: Robot, like: Robot) -> Iterator[str]:
    """Add the sites that are missing where our robot has them."""
    known, ours = {site.name for site in spec.sites}, like.spec()
    base = spec.body(robot.base_body)
    if base is None:
        bodies = [body.name for body in spec.bodies]
        raise LookupError(f"{robot.name}: no body {robot.base_body!r}; it has {bodies}")
    if robot.imu_site not in known:
        site = ours.site(like.imu_site)
        base.add_site(name=robot.imu_site, pos=site.pos, quat=site.quat)
        yield f"added: site {robot.imu_site} of the IMU, where {like.name} has it"
    for foot, model in zip(robot.feet, like.feet, strict=True):
        if foot.site not in known:
            geom, shape = spec.geom(foot.geom), ours.geom(model.geom)
            share = geom.size[0] / shape.size[0]
            below = share * (np.array(ours.site(model.site).pos) - shape.pos)
            geom.parent.add_site(name=foot.site, pos=geom.pos + below)
            yield f"added: site {foot.site} on the sole of {foot.geom}"


def _other_motors(spec: mujoco.MjSpec, robot: Robot) -> Iterator[str]:
    """Tell of motors no law will replace; at a hinge `jointinparent` is the same as `joint`."""
    others = []
    for actuator in spec.actuators:
        in_parent = actuator.trntype == mujoco.mjtTrn.mjTRN_JOINTINPARENT
        if in_parent and actuator.target in robot.joints:
            actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
        if actuator.trntype != mujoco.mjtTrn.mjTRN_JOINT or actuator.target not in robot.joints:
            others.append(actuator.name or f"on {actuator.target}")
    if others:
        yield f"kept, with control 0: motors that drive no servo joint: {', '.join(others)}"

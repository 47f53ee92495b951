"""Puts a robot on a floor under a sky and compiles the lot into one model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import mujoco
import numpy as np

from servogym.actuators.base import Actuator
from servogym.robots.backlash import add_backlash
from servogym.scenes import contact as contacts
from servogym.scenes import foreign_pairs, velocity_limits
from servogym.scenes.contact import Contact, FootPairs, Native
from servogym.scenes.edits.inertial import comes_from_geoms
from servogym.scenes.edits.shapes import PAIR_WINS
from servogym.scenes.owners import Subject
from servogym.scenes.scene import Scene
from servogym.scenes.terrain import Ground, Terrain
from servogym.scenes.terrain.course import FLOOR

if TYPE_CHECKING:
    from servogym.robots import Robot

__all__ = ["CAMERA", "FLOOR", "GROUND", "assemble", "build"]

CAMERA = "track"
"""Name of the camera that follows the robot."""


GROUND = "ground"
"""Name of the ground in scene paths: the geom of a flat one is `/world/ground/floor`."""

Edit = tuple[str, Mapping[str, Any]]
"""Name of a setter of `Scene`, and its arguments by name."""


_NO_SPEED_LIMIT = "environments step MuJoCo alone, which has no speed limit: see the motor law"

Reservation = tuple[Subject, Sequence[str], str, Sequence[str] | None]
"""Arguments of `Scene.reserve`: what edits may not set, because somebody else does."""


class EditsSpec(Protocol):
    """What the builder asks of a motor law; every `servogym.actuators` law qualifies."""

    def edit_spec(self, spec: mujoco.MjSpec, joints: tuple[str, ...]) -> None:
        """Replaces the joints' actuators, damping and friction by the law's own."""
        ...


def build(
    robot: Robot,
    *,
    actuator: EditsSpec | None = None,
    backlash: float | Mapping[str, float] | None = None,
    model: str = "walk",
    timestep: float = 0.005,
    ground: Ground | None = None,
    contact: Contact | str = Native(),  # noqa: B008 (a frozen record)
    lean: bool = False,
    edits: Sequence[Edit] = (),
    reserved: Sequence[Reservation] = (),
) -> mujoco.MjModel:
    """Robot on some ground, ready to step.

    The order matters: whatever is attached comes first and gear gaps second, because joints
    added before an attach scramble keyframes; then motors and solver options, edits, contact
    settings, sensors. The ground is attached to the robot and not the reverse, so the robot keeps
    its names without a prefix and neither side's defaults reach the other.

    Edits are calls of `Scene`'s setters, made one after the other; in their paths the robot is
    `/world/<robot.name>/...` and a flat floor `/world/ground/floor`. What the motor law, the task
    or the randomisation decides anyway is refused, with a word on who does.

    Per foot two sensors are added, both in world axes. `foot_force_<site>` (3,) [N] is the sum
    of every contact force the ground puts on the sole: a MuJoCo contact sensor between the
    world body and the foot geom, reduced to the net force, so it is exact whatever the number
    of contact points, leaves out feet that touch each other, and on a flat floor its third
    component is the net normal force. `foot_velocity_<site>` (3,) [m/s] is the velocity of the
    foot site.

    Args:
        robot: The robot to place; its base body must carry a free joint.
        actuator: Motor law that replaces the file's actuators; None keeps those of the file.
        backlash: Half range of the gear gap [rad], one for all servos or one per joint; None
            builds the model without gaps.
        model: Which of the robot's models.
        timestep: Physics step [s].
        ground: What it stands on; None: an endless floor at z = 0.
        contact: How soft feet and ground are to each other, see `servogym.scenes.contact`. Friction
            cones are elliptic where a setting acts with no others, else pyramidal.
        lean: Leave out what only an eye or a reader of sensors would miss: shapes that touch
            nothing, on bodies whose inertia is stated, and the file's own sensors. The motion is
            the same to the last bit, and steps 1.13 to 1.16 times as fast for MicroDuck.
        edits: What to change of the physics, e.g. `[("set_body_physics_properties", {"path":
            "/world/microduck/trunk_base", "mass": 0.25})]`.
        reserved: What the caller decides itself later, so that edits of it are refused.

    Raises:
        LookupError: The robot has no such model, an edit's path leads nowhere, or there is no
            such setter.
        ValueError: A backlash table misses or invents a joint, or is not positive; an edit's value
            is out of range, or somebody else decides it; the robot's file refers to something that
            neither it nor the ground has.
        TypeError: An edit is of the wrong kind.
    """
    return assemble(
        robot,
        actuator=actuator,
        backlash=backlash,
        model=model,
        timestep=timestep,
        ground=ground,
        contact=contact,
        lean=lean,
        edits=edits,
        reserved=reserved,
    ).finalize()


def assemble(
    robot: Robot,
    *,
    actuator: EditsSpec | None = None,
    backlash: float | Mapping[str, float] | None = None,
    model: str = "walk",
    timestep: float = 0.005,
    ground: Ground | None = None,
    contact: Contact | str = Native(),  # noqa: B008 (a frozen record)
    lean: bool = False,
    edits: Sequence[Edit] = (),
    reserved: Sequence[Reservation] = (),
) -> Scene:
    """Do what `build` does, up to the last step: the scene knows the paths of everything in it."""
    ground = ground or Terrain().ground()
    setting = contacts.parse(contact) if isinstance(contact, str) else contact
    feet = tuple(foot.geom for foot in robot.feet)
    scene, spec = Scene(), robot.spec(model)
    pairs = foreign_pairs.take(spec)
    if fast := velocity_limits.take(spec):
        raise ValueError(
            f"the file of {robot.name!r} limits the speed of {', '.join(fast)}; {_NO_SPEED_LIMIT}"
        )
    scene.add(robot.name, spec)
    scene.apply(partial(ground.check_cells, feet=feet))
    scene.add(GROUND, ground.spec())
    scene.apply(ground.name_geoms)
    scene.apply(partial(foreign_pairs.give, pairs=pairs))
    scene.apply(_light)
    if backlash is not None:
        scene.apply(partial(add_backlash, joints=robot.joints, half_range=backlash))
    if actuator is not None:
        scene.apply(partial(actuator.edit_spec, joints=robot.joints))
    elliptic = isinstance(setting, FootPairs)
    scene.apply(partial(_options, timestep=timestep, elliptic=elliptic))
    for reservation in (*_reservations(robot, actuator), *reserved):
        scene.reserve(*reservation)
    _edit(scene, edits)
    if isinstance(setting, FootPairs):
        _tell_of_pairs(edits)
    scene.apply(partial(_soften, setting=setting, feet=feet, ground=ground.geoms))
    if lean:
        scene.apply(partial(_strip, kept=set(feet)))
    scene.apply(partial(_watch, robot=robot))
    scene.apply(partial(_sense_feet, robot=robot))
    return scene


def _edit(scene: Scene, edits: Sequence[Edit]) -> None:
    """Make the edits; what is wrong with one bears a note that says which."""
    setters = [name for name in dir(scene) if name.startswith("set_")]
    for number, (setter, arguments) in enumerate(edits):
        if setter not in setters:
            raise LookupError(f"edit {number}: no setter {setter!r}; setters: {', '.join(setters)}")
        try:
            getattr(scene, setter)(**arguments)
        except Exception as error:
            error.add_note(f"in edit {number}: {setter}({dict(arguments)})")
            raise


def _tell_of_pairs(edits: Sequence[Edit]) -> None:
    """Warn of edits of the ground that pairs will keep from the feet."""
    for number, (setter, arguments) in enumerate(edits):
        chosen = [*arguments.get("geom_paths", ()), *arguments.get("body_paths", ())]
        lost = [name for name in arguments if name.endswith("friction") or name in PAIR_WINS]
        if lost and any(path.startswith(f"/world/{GROUND}/") for path in chosen):
            warnings.warn(
                f"edit {number}, {setter}: feet do not feel {', '.join(lost)} of the ground, which "
                "contact scheme B pairs with them, taking those from the foot",
                stacklevel=4,
            )


def _reservations(robot: Robot, actuator: EditsSpec | None) -> list[Reservation]:
    """What would be overridden without a word if an edit set it."""
    spawn = "the environment places its robots at each reset: see the task's `spawn`"
    label = "it is a label here, which changes no contact: see `collision_enabled`"
    found: list[Reservation] = [
        ("scene", ["timestep"], "the task decides: see its `timestep`", None),
        ("joint", ["initial_position", "initial_velocity"], spawn, None),
        ("body", ["starts_asleep"], spawn, None),
        ("joint", ["velocity_limit"], _NO_SPEED_LIMIT, None),
        ("shape", ["collision_group"], label, None),
    ]
    if actuator is None:
        return found
    law = f"the motor law {getattr(actuator, 'name', type(actuator).__name__)!r}"
    servo = ["mode", "stiffness", "damping", "target_position", "target_velocity", "effort_limit"]
    drives = f"{law} drives this joint: see its parameters, in `actuators.make` or `Robot.motors`"
    found.append(("actuator", servo, drives, robot.joints))
    found.append(("actuator", servo, "only the motor law drives joints, and not this one", None))
    if isinstance(actuator, Actuator) and type(actuator).friction is not Actuator.friction:
        rubs = f"{law} writes it in every physics step: see its parameters"
        found.append(("joint", ["friction", "passive_damping"], rubs, robot.joints))
    return found


def _strip(spec: mujoco.MjSpec, kept: set[str]) -> None:
    """Take out sensors and shapes that change no motion, except for these geoms."""
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    kept = kept | {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    if spec.tendons:  # which may lie around any of them
        kept |= {geom.name for geom in spec.geoms if geom.name}
    for body in spec.bodies:
        weighed = comes_from_geoms(body) or not body.explicitinertial
        for geom in [] if weighed else list(body.geoms):
            if geom.contype == 0 and geom.conaffinity == 0 and geom.name not in kept:
                spec.delete(geom)


def _soften(
    spec: mujoco.MjSpec, setting: Contact, feet: Sequence[str], ground: Sequence[str]
) -> None:
    """Make the contact settings; of times that are too short, `finalize` speaks once for all."""
    with warnings.catch_warnings():
        if not spec.option.disableflags & int(mujoco.mjtDisableBit.mjDSBL_REFSAFE):
            warnings.simplefilter("ignore")
        contacts.apply(spec, setting, feet, ground)


def _light(spec: mujoco.MjSpec) -> None:
    """Sky, haze and ambient light; none of it costs anything while stepping."""
    spec.stat.center = [0.0, 0.0, 0.15]
    spec.stat.extent = 0.8
    visual = spec.visual
    visual.global_.bvactive = 0  # the display of bounding volumes costs time in every step
    visual.global_.offwidth, visual.global_.offheight = 1920, 1080
    visual.quality.shadowsize = 2048
    visual.map.shadowclip = 1.2
    visual.map.znear, visual.map.zfar = 0.02, 60.0
    visual.map.fogstart, visual.map.fogend = 6.0, 22.0
    visual.headlight.ambient = [0.44, 0.44, 0.46]
    visual.headlight.diffuse = [0.28, 0.28, 0.28]
    visual.headlight.specular = [0.05, 0.05, 0.05]
    visual.rgba.haze = [0.91, 0.95, 0.98, 1.0]
    visual.rgba.fog = [0.91, 0.95, 0.98, 1.0]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.62, 0.80, 0.95],
        rgb2=[0.97, 0.98, 0.99],
        width=256,
        height=1536,
    )


def _watch(spec: mujoco.MjSpec, robot: Robot) -> None:
    """A sun and a camera that travel with the base but do not turn with it."""
    size = robot.spawn_height
    base = spec.body(robot.base_body)
    base.add_light(
        name="sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK,
        pos=[4.5, -2.5, 12.0],
        dir=[-0.35, 0.19, -0.92],
        diffuse=[0.60, 0.58, 0.53],
        specular=[0.25, 0.25, 0.25],
        castshadow=True,
    )
    eye = size * np.array([3.9, -3.2, 1.4])
    base.add_camera(
        name=CAMERA,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK,
        pos=eye,
        quat=_look_along(size * np.array([0.0, 0.0, 0.3]) - eye),
        fovy=40.0,
    )


def _look_along(direction: np.ndarray) -> np.ndarray:
    """Orientation (w, x, y, z) of a level camera that looks along a direction (3,)."""
    back = -direction / np.linalg.norm(direction)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.column_stack([right, np.cross(back, right), back]).ravel())
    return quat


def _sense_feet(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Force and velocity sensors of each foot."""
    net_force = 3  # reduce="netforce" in MuJoCo's XML reference, sensor/contact
    for foot in robot.feet:
        spec.add_sensor(
            name=f"foot_force_{foot.site}",
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            objname="world",
            reftype=mujoco.mjtObj.mjOBJ_GEOM,
            refname=foot.geom,
            intprm=[1 << mujoco.mjtConDataField.mjCONDATA_FORCE.value, net_force, 1],
        )
        spec.add_sensor(
            name=f"foot_velocity_{foot.site}",
            type=mujoco.mjtSensor.mjSENS_FRAMELINVEL,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            objname=foot.site,
        )


def _options(spec: mujoco.MjSpec, timestep: float, *, elliptic: bool) -> None:
    """Solver settings of the vendor's training (mjlab 1.3.0 velocity task), on the final spec."""
    option = spec.option
    option.timestep = timestep
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    cones = mujoco.mjtCone
    option.cone = cones.mjCONE_ELLIPTIC if elliptic else cones.mjCONE_PYRAMIDAL
    option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE  # 4.0.0 is wrong with sparse from nv 60 on
    option.iterations = 10
    option.ls_iterations = 20
    option.tolerance = 1e-8
    option.gravity = [0.0, 0.0, -9.81]
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND

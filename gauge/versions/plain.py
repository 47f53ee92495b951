"""Writes a compiled model as plain MJCF that every MuJoCo from 3.2 on reads alike.

A model file leans on defaults, inference and mixing rules, which versions change. Here every number
is written out as the compiler left it, in attributes that are as old as MuJoCo 3.2: what differs
between two versions afterwards is what they compute, not what they understood.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree

import mujoco
import numpy as np

Element = ElementTree.Element

_SHAPES = {
    int(mujoco.mjtGeom.mjGEOM_PLANE): ("plane", 3),
    int(mujoco.mjtGeom.mjGEOM_HFIELD): ("hfield", 0),
    int(mujoco.mjtGeom.mjGEOM_SPHERE): ("sphere", 1),
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): ("capsule", 2),
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): ("ellipsoid", 3),
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): ("cylinder", 2),
    int(mujoco.mjtGeom.mjGEOM_BOX): ("box", 3),
}
_JOINTS = {
    int(mujoco.mjtJoint.mjJNT_FREE): "free",
    int(mujoco.mjtJoint.mjJNT_BALL): "ball",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
}
_INTEGRATORS = {0: "Euler", 1: "RK4", 2: "implicit", 3: "implicitfast"}
_SOLVERS = {0: "PGS", 1: "CG", 2: "Newton"}
_JACOBIANS = {0: "dense", 1: "sparse", 2: "auto"}
_COUNTS = ("nmesh", "neq", "ntendon", "nflex", "nskin", "nplugin", "nmocap", "na")
"""What a model must have none of; `na` are actuators with a memory."""
_ZEROS = (
    "body_gravcomp",
    "jnt_stiffnesspoly",
    "dof_dampingpoly",
    "geom_fluid",
    "geom_adhesion",
    "geom_surfacevel",
    "jnt_springyield",
)
"""Arrays that must be zero throughout: younger than 3.2, or nothing a walking robot needs."""


@dataclass(frozen=True, kw_only=True)
class Plain:
    """A scene as files."""

    xml: str
    """The model."""
    assets: dict[str, bytes]
    """Name -> content of the files it names."""


def write(model: mujoco.MjModel) -> Plain:
    """Write a compiled model out.

    Left out is what moves nothing: sensors, cameras, lights, materials, keyframes, and shapes that
    touch nothing. Joints, bodies, actuators and geoms keep their order, so `qpos`, `qvel` and
    `ctrl` mean the same. Flags of the engine stay out as well: whoever loads it sets them, for they
    are what versions name differently.

    Raises:
        ValueError: the model has something that cannot be said so; the message names it.
    """
    _refuse(model)
    root = Element("mujoco", model="plain")
    ElementTree.SubElement(
        root,
        "compiler",
        angle="radian",
        autolimits="false",
        inertiafromgeom="false",
        fusestatic="false",
    )
    root.append(_option(model))
    assets: dict[str, bytes] = {}
    if model.nhfield:
        place = ElementTree.SubElement(root, "asset")
        for field in range(model.nhfield):
            place.append(_hills(model, field, assets))
    bodies = [ElementTree.SubElement(root, "worldbody")]
    for body in range(1, model.nbody):
        bodies.append(_body(model, body, bodies[model.body_parentid[body]]))
    _shapes(model, bodies)
    contact = ElementTree.SubElement(root, "contact")
    contact.extend(_pair(model, pair) for pair in range(model.npair))
    contact.extend(_exclude(model, number) for number in range(model.nexclude))
    motors = ElementTree.SubElement(root, "actuator")
    motors.extend(_motor(model, motor) for motor in range(model.nu))
    ElementTree.indent(root)
    return Plain(xml=ElementTree.tostring(root, encoding="unicode"), assets=assets)


def touching(model: mujoco.MjModel) -> np.ndarray:
    """Geoms that can touch something, by their bits or by a pair, ascending ids."""
    paired = np.concatenate((model.pair_geom1, model.pair_geom2))
    bits = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    return np.flatnonzero(bits | np.isin(np.arange(model.ngeom), paired))


def _refuse(model: mujoco.MjModel) -> None:
    for name in _COUNTS:
        if getattr(model, name, 0):
            raise ValueError(f"plain MJCF: the model's {name} is {getattr(model, name)}; needs 0")
    for name in _ZEROS:
        if np.any(getattr(model, name, 0)):
            raise ValueError(f"plain MJCF: {name} of the model is not all zero")
    for geom in touching(model):
        if int(model.geom_type[geom]) not in _SHAPES:
            kind = mujoco.mjtGeom(int(model.geom_type[geom])).name
            raise ValueError(f"plain MJCF: geom {model.geom(geom).name!r} is a {kind}")
    joint = int(mujoco.mjtTrn.mjTRN_JOINT)
    for motor in range(model.nu):
        plain = model.actuator_trntype[motor] == joint
        plain &= model.actuator_gaintype[motor] == 0 and model.actuator_gainprm[motor, 0] == 1.0
        plain &= model.actuator_biastype[motor] == 0
        if not plain:
            name = model.actuator(motor).name
            raise ValueError(f"plain MJCF: actuator {name!r} is no motor whose control is a torque")


def _option(model: mujoco.MjModel) -> Element:
    opt = model.opt
    return Element(
        "option",
        timestep=_said(opt.timestep),
        gravity=_said(opt.gravity),
        integrator=_INTEGRATORS[int(opt.integrator)],
        solver=_SOLVERS[int(opt.solver)],
        cone="elliptic" if opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC else "pyramidal",
        jacobian=_JACOBIANS[int(opt.jacobian)],
        impratio=_said(opt.impratio),
        iterations=str(int(opt.iterations)),
        ls_iterations=str(int(opt.ls_iterations)),
        noslip_iterations=str(int(opt.noslip_iterations)),
        tolerance=_said(opt.tolerance),
        ls_tolerance=_said(opt.ls_tolerance),
        noslip_tolerance=_said(opt.noslip_tolerance),
        ccd_iterations=str(int(opt.ccd_iterations)),
        ccd_tolerance=_said(opt.ccd_tolerance),
        density=_said(opt.density),
        viscosity=_said(opt.viscosity),
        wind=_said(opt.wind),
    )


def _hills(model: mujoco.MjModel, field: int, assets: dict[str, bytes]) -> Element:
    """A height field; its heights go into a file of single precision numbers, to the last bit."""
    name = model.hfield(field).name
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first = int(model.hfield_adr[field])
    heights = model.hfield_data[first : first + rows * columns].astype("<f4")
    file = f"hfield_{field}.bin"
    assets[file] = struct.pack("<ii", rows, columns) + heights.tobytes()
    size = _said(model.hfield_size[field])
    return Element("hfield", name=name, file=file, size=size)


def _body(model: mujoco.MjModel, body: int, parent: Element) -> Element:
    element = ElementTree.SubElement(
        parent,
        "body",
        name=_name(model.body(body).name, "body", body),
        pos=_said(model.body_pos[body]),
        quat=_said(model.body_quat[body]),
    )
    if model.body_mass[body] > 0.0:
        ElementTree.SubElement(
            element,
            "inertial",
            mass=_said(model.body_mass[body]),
            pos=_said(model.body_ipos[body]),
            quat=_said(model.body_iquat[body]),
            diaginertia=_said(model.body_inertia[body]),
        )
    first = model.body_jntadr[body]
    element.extend(_joint(model, first + k) for k in range(model.body_jntnum[body]))
    return element


def _joint(model: mujoco.MjModel, joint: int) -> Element:
    kind = _JOINTS[int(model.jnt_type[joint])]
    dof, place = int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])
    values = {
        "name": _name(model.joint(joint).name, "joint", joint),
        "type": kind,
        "damping": _said(model.dof_damping[dof]),
        "armature": _said(model.dof_armature[dof]),
        "frictionloss": _said(model.dof_frictionloss[dof]),
        "solreffriction": _said(model.dof_solref[dof]),
        "solimpfriction": _said(model.dof_solimp[dof]),
        "stiffness": _said(model.jnt_stiffness[joint]),
    }
    if kind != "free":
        values |= {
            "pos": _said(model.jnt_pos[joint]),
            "limited": _bool(model.jnt_limited[joint]),
            "range": _said(model.jnt_range[joint]),
            "solreflimit": _said(model.jnt_solref[joint]),
            "solimplimit": _said(model.jnt_solimp[joint]),
            "margin": _said(model.jnt_margin[joint]),
        }
    if kind in ("slide", "hinge"):
        values |= {
            "axis": _said(model.jnt_axis[joint]),
            "ref": _said(model.qpos0[place]),
            "springref": _said(model.qpos_spring[place]),
            "actuatorfrclimited": _bool(model.jnt_actfrclimited[joint]),
            "actuatorfrcrange": _said(model.jnt_actfrcrange[joint]),
        }
    return Element("joint", values)


def _shapes(model: mujoco.MjModel, bodies: list[Element]) -> None:
    for geom in touching(model):
        kind, sizes = _SHAPES[int(model.geom_type[geom])]
        values = {
            "name": _geom(model, geom),
            "type": kind,
            "pos": _said(model.geom_pos[geom]),
            "quat": _said(model.geom_quat[geom]),
            "mass": "0",
            "contype": str(int(model.geom_contype[geom])),
            "conaffinity": str(int(model.geom_conaffinity[geom])),
            "condim": str(int(model.geom_condim[geom])),
            "priority": str(int(model.geom_priority[geom])),
            "friction": _said(model.geom_friction[geom]),
            "solmix": _said(model.geom_solmix[geom]),
            "solref": _said(model.geom_solref[geom]),
            "solimp": _said(model.geom_solimp[geom]),
            "margin": _said(model.geom_margin[geom]),
            "gap": _said(model.geom_gap[geom]),
        }
        if sizes:
            values["size"] = _said(model.geom_size[geom, :sizes])
        else:
            values["hfield"] = model.hfield(int(model.geom_dataid[geom])).name
        ElementTree.SubElement(bodies[model.geom_bodyid[geom]], "geom", values)


def _pair(model: mujoco.MjModel, pair: int) -> Element:
    return Element(
        "pair",
        geom1=_geom(model, int(model.pair_geom1[pair])),
        geom2=_geom(model, int(model.pair_geom2[pair])),
        condim=str(int(model.pair_dim[pair])),
        friction=_said(model.pair_friction[pair]),
        solref=_said(model.pair_solref[pair]),
        solreffriction=_said(model.pair_solreffriction[pair]),
        solimp=_said(model.pair_solimp[pair]),
        margin=_said(model.pair_margin[pair]),
        gap=_said(model.pair_gap[pair]),
    )


def _exclude(model: mujoco.MjModel, number: int) -> Element:
    signature = int(model.exclude_signature[number])
    one, other = (
        _name(model.body(b).name, "body", b) for b in (signature >> 16, signature & 65535)
    )
    return Element("exclude", body1=one, body2=other)


def _motor(model: mujoco.MjModel, motor: int) -> Element:
    joint = int(model.actuator_trnid[motor, 0])
    return Element(
        "motor",
        name=_name(model.actuator(motor).name, "motor", motor),
        joint=_name(model.joint(joint).name, "joint", joint),
        gear=_said(model.actuator_gear[motor]),
        ctrllimited=_bool(model.actuator_ctrllimited[motor]),
        ctrlrange=_said(model.actuator_ctrlrange[motor]),
        forcelimited=_bool(model.actuator_forcelimited[motor]),
        forcerange=_said(model.actuator_forcerange[motor]),
    )


def _geom(model: mujoco.MjModel, geom: int) -> str:
    return _name(model.geom(geom).name, "geom", geom)


def _name(name: str, kind: str, number: int) -> str:
    """The name, or one by number for what has none."""
    return name or f"{kind}_{number}"


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _said(values: float | Iterable[float]) -> str:
    """Numbers that read back to the last bit."""
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))  # type: ignore[arg-type]

"""Files of Go2 that somebody else might have written, made from ours by editing its text."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

from servogym import robots

GO2 = robots.get("go2")
SDK = ("FR", "FL", "RR", "RL")


def root() -> ET.Element:
    """Our own file."""
    return ET.parse(GO2.path()).getroot()


def named(tree: ET.Element, tag: str, name: str) -> ET.Element:
    """The element of this kind and name."""
    (found,) = (element for element in tree.iter(tag) if element.get("name") == name)
    return found


def write(path: Path, tree: ET.Element) -> Path:
    path.write_text(ET.tostring(tree, encoding="unicode"))
    return path


def planted(path: Path, edit: Callable[[ET.Element], None]) -> Path:
    """Our file with one edit."""
    tree = root()
    edit(tree)
    return write(path, tree)


def stranger(path: Path) -> Path:
    """The same machine as others write it down.

    Legs and motors in the SDK's order, bodies called otherwise, torque motors with limits, meshes
    that are not there, feet without sites, a scene around it, and a keyframe of its own that puts
    the feet 18 mm into the floor.
    """
    tree = root()
    world = tree.find("worldbody")
    base = named(tree, "body", "base")
    legs = {leg: named(tree, "body", f"{leg}_hip") for leg in SDK}
    for leg in legs.values():
        base.remove(leg)
    base.extend(legs[leg] for leg in SDK)
    for body in world.iter("body"):
        body.set("name", f"link_{body.get('name')}")
        for element in [e for e in body if e.tag == "site" and e.get("name") != "imu"]:
            body.remove(element)
        for geom in [g for g in body.findall("geom") if g.get("class") == "visual"]:
            body.remove(geom)
        ET.SubElement(body, "geom", {"class": "visual", "type": "mesh", "mesh": "shell"})
        for geom in body.findall("geom"):
            if geom.get("class") == "foot":
                geom.set("name", geom.get("name").removesuffix("_foot"))
    ET.SubElement(tree.find("asset"), "mesh", {"name": "shell", "file": "shell.obj"})
    ET.SubElement(world, "geom", {"name": "floor", "type": "plane", "size": "0 0 1"})
    ET.SubElement(world, "light", {"name": "sun", "pos": "0 0 3"})
    ET.SubElement(world, "camera", {"name": "track", "pos": "0 -2 1"})
    motors = tree.find("actuator")
    motors[:] = []
    for number, (leg, part) in enumerate((g, p) for g in SDK for p in ("hip", "thigh", "calf")):
        limit = 45.43 if part == "calf" else 23.7
        joint, limits = f"{leg}_{part}_joint", f"-{limit} {limit}"
        motor = ET.SubElement(motors, "motor", {"name": f"m{number}", "joint": joint})
        motor.attrib.update({"ctrlrange": limits, "forcelimited": "false"})
    keys = tree.find("keyframe")
    keys[:] = []
    pose = "0 0.9 -1.8 " * 4
    ET.SubElement(keys, "key", {"name": "home", "qpos": f"0 0 0.27 1 0 0 0 {pose}", "ctrl": pose})
    return write(path, tree)


def split(tree):
    """The calf as the URDF has it: a foot welded on, the two together what ours is in one."""
    calf = named(tree, "body", "FL_calf")
    calf.find("inertial").attrib.update(
        {"mass": "0.201352", "pos": "0.0077 -0.000746 -0.127", "diaginertia": "0.001 0.001 4e-05"}
    )
    foot = ET.SubElement(calf, "body", {"name": "FL_sole", "pos": "-0.002 0 -0.213"})
    ET.SubElement(
        foot,
        "inertial",
        {"mass": "0.04", "pos": "0 0 0", "diaginertia": "9.6e-6 9.6e-6 9.6e-6"},
    )


def joined(tree):
    """The same in one body, worked out by hand: parallel axes along the line of both centres."""
    masses, places = (
        np.array([0.201352, 0.04]),
        np.array([[0.0077, -0.000746, -0.127], [-0.002, 0.0, -0.213]]),
    )
    middle = masses @ places / masses.sum()
    inertial = named(tree, "body", "FL_calf").find("inertial")
    quat = np.array([float(word) for word in inertial.get("quat").split()])
    w, x, y, z = quat / np.linalg.norm(quat)
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    total = turn @ np.diag([0.001, 0.001, 4e-5]) @ turn.T + 9.6e-6 * np.eye(3)
    for mass, arm in zip(masses, places - middle, strict=True):
        total += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    del inertial.attrib["quat"], inertial.attrib["diaginertia"]
    six = total[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    inertial.set("mass", repr(float(masses.sum())))
    inertial.set("pos", " ".join(map(repr, middle.tolist())))
    inertial.set("fullinertia", " ".join(map(repr, six.tolist())))


def turned(tree):
    """Body frames of the front left leg turned by 90 degrees about the leg; the machine stays."""
    half = "0.7071067811865476 0 0 0.7071067811865476"
    hip = named(tree, "body", "FL_hip")
    inner = hip.makeelement("frame", {"quat": "0.7071067811865476 0 0 -0.7071067811865476"})
    inner.extend(e for e in list(hip) if e.tag in ("body", "geom"))
    for element in list(inner):
        hip.remove(element)
    hip.append(inner)
    hip.set("quat", half)
    hip.find("joint").set("axis", "0 -1 0")
    mass = hip.find("inertial")
    mass.set("pos", "0.00194 0.0054 -0.000105")
    w, x, y, z = (float(word) for word in mass.get("quat").split())
    s = 0.7071067811865476
    mass.set("quat", f"{s * (w + z)!r} {s * (x + y)!r} {s * (y - x)!r} {s * (z - w)!r}")

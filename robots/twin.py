"""Writes the backlash twin of an MJCF file, every other figure to the last digit.

MuJoCo's own writer rounds to six digits, which would change masses and keyframes. So the file's
text is edited, and what was written is compiled and compared with what `add_backlash` builds.
"""

from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import mujoco
import numpy as np

from servogym.robots.backlash import actuated_hinges, add_backlash, passive_name

_COMPARED = ("qpos", "body_", "jnt_", "dof_", "geom_", "site_", "actuator_", "sensor_", "key_")


def write_twin(
    source: Path,
    target: Path,
    joints: Sequence[str] | None = None,
    *,
    half_range: float | Mapping[str, float],
    force: bool = False,
) -> tuple[str, ...]:
    """Writes `source` with a gear gap behind each servo to `target`.

    Includes are merged into the one file; comments of the model are kept, also those above it.

    Args:
        source: Any MJCF file.
        target: File to write; it appears only after it has passed the comparison.
        joints: As for `add_backlash`.
        half_range: As for `add_backlash` [rad].
        force: Whether `target` may be overwritten.

    Returns:
        The joints that got a gap.

    Raises:
        FileExistsError: `target` exists and `force` is off.
        ValueError: As for `add_backlash`; or the file generates a joint instead of spelling it
            out, or the written file is not the model it should be.
    """
    if target.exists() and (not force or target.samefile(source)):
        raise FileExistsError(f"{target} exists; --force overwrites it, unless it is the source")
    if joints is None:
        joints = actuated_hinges(mujoco.MjModel.from_xml_path(str(source)))
    wanted = add_backlash(source, joints, half_range=half_range).compile()
    root = _parse(source)
    for joint in joints:
        _insert(root, joint, wanted)
    _shift_keyframes(root, wanted, {passive_name(joint) for joint in joints})
    _redirect_assets(root, source.parent, target.parent)
    draft = target.with_name(f".{target.name}.draft")
    try:
        text = ET.tostring(root, encoding="unicode")
        draft.write_text(f"{_above(source)}{text}\n", encoding="utf-8")
        _compare(mujoco.MjModel.from_xml_path(str(draft)), wanted)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return tuple(joints)


def _parse(file: Path, folder: Path | None = None) -> ET.Element:
    """Element tree of a file with its includes merged in; their paths start at the first file."""
    folder = folder or file.parent
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    root = ET.parse(file, parser).getroot()
    for parent in list(root.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag == "include":
                parent[place : place + 1] = list(_parse(folder / child.attrib["file"], folder))
    return root


def _above(file: Path) -> str:
    """The comments above the model, such as a licence, which no element tree holds."""
    comments: list[str] = []
    for event, item in ET.iterparse(file, events=("start", "comment")):
        if event == "start":
            break
        comments.append(f"<!--{item.text}-->\n")
    return "".join(comments)


def _insert(root: ET.Element, joint: str, wanted: mujoco.MjModel) -> None:
    """Spells the gap of one joint out, behind it, with nothing left to the file's defaults."""
    places = [
        (parent, child)
        for world in root.iter("worldbody")
        for parent in world.iter()
        for child in parent
        if child.tag == "joint" and child.get("name") == joint
    ]
    if len(places) != 1:
        raise ValueError(f"joint {joint!r} is generated, not spelt out; use add_backlash instead")
    parent, servo = places[0]
    gap = wanted.joint(passive_name(joint))
    angles = [e.get("angle") for e in root.iter("compiler") if e.get("angle")]
    unit = 1.0 if angles and angles[-1] == "radian" else math.pi / 180.0
    settings = {
        "type": "hinge",
        "stiffness": [0],
        "damping": gap.damping,
        "armature": gap.armature,
        "frictionloss": gap.frictionloss,
        "limited": "true",
        "range": gap.range / unit,
        "margin": [0],
        "ref": [0],
        "springref": [0],
        "springdamper": [0, 0],
        "solreflimit": wanted.jnt_solref[gap.id],
        "solimplimit": wanted.jnt_solimp[gap.id],
        "actuatorfrclimited": "false",
        "actuatorgravcomp": "false",
    }
    inherited = ("class", "pos", "axis", "group")
    kept = {key: value for key, value in servo.attrib.items() if key in inherited}
    texts = {key: v if isinstance(v, str) else _text(v) for key, v in settings.items()}
    element = ET.Element("joint", {"name": passive_name(joint), **kept, **texts})
    element.tail = servo.tail
    parent.insert(list(parent).index(servo) + 1, element)


def _text(values: Sequence[float] | np.ndarray) -> str:
    """Numbers as text that reads back to the same bits."""
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


def _shift_keyframes(root: ET.Element, wanted: mujoco.MjModel, added: set[str]) -> None:
    """Puts a zero into each keyframe vector for each new joint; the other figures stay."""
    gaps = [joint for joint in range(wanted.njnt) if wanted.joint(joint).name in added]
    places = {"qpos": wanted.jnt_qposadr[gaps], "qvel": wanted.jnt_dofadr[gaps]}
    for key in _keys(root):
        for vector, addresses in places.items():
            figures = key.get(vector, "").split()
            for address in sorted(addresses) if figures else ():
                figures.insert(address, "0")
            if figures:
                key.set(vector, " ".join(figures))


def _keys(root: ET.Element) -> Iterator[ET.Element]:
    for section in root.iter("keyframe"):
        yield from section.iter("key")


def _redirect_assets(root: ET.Element, source: Path, target: Path) -> None:
    """Keeps asset paths valid when the twin lies in another folder than its source."""
    uses_files = any(e.get("file") for section in root.iter("asset") for e in section)
    if not uses_files or source.resolve() == target.resolve():
        return
    compilers = list(root.iter("compiler"))
    if not compilers:
        compilers.append(ET.Element("compiler"))
        root.insert(0, compilers[0])
    for kind in ("meshdir", "texturedir"):
        dirs = [e.get(kind) or e.get("assetdir") for e in compilers]
        folder = source.resolve() / next((d for d in reversed(dirs) if d), "")
        compilers[-1].set(kind, os.path.relpath(folder, target.resolve()))


def _compare(written: mujoco.MjModel, wanted: mujoco.MjModel) -> None:
    """Raises if two models differ in a body, joint, geom, site, motor, sensor or keyframe."""
    for field in dir(wanted):
        value = getattr(wanted, field) if field.startswith(_COMPARED) else None
        if isinstance(value, np.ndarray):
            other = getattr(written, field)
            if value.shape != other.shape or not np.allclose(value, other, rtol=1e-9, atol=1e-12):
                raise ValueError(f"the twin's {field} came out wrong; use add_backlash instead")
    if written.names != wanted.names:
        raise ValueError("the twin's names came out wrong; use add_backlash instead")

"""What a thing added to a scene may be read from, and what kind of description it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import mujoco

from servogym.robots import Robot
from servogym.scenes import includes, velocity_limits, whole

_USD = (".usd", ".usda", ".usdc", ".usdz")
_NO_USD = (
    "USD is not read here: no released MuJoCo wheel has a USD decoder, and mujoco-usd-converter "
    "only writes USD. Export the model as MJCF or URDF"
)
_ONE_DOF = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
_ACCEPTED = "an MJCF or URDF file, its text, a mujoco.MjSpec, or a servogym Robot"


Readable = str | Path | mujoco.MjSpec | Robot
"""What can be read: a file name or a text, a file, a spec, a robot."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A description that was read, and ours to edit."""

    kind: str
    """`mjcf` or `urdf`."""
    spec: mujoco.MjSpec
    """The editable model; nobody else holds it."""
    velocity_limits: Mapping[str, float] = field(default_factory=dict)
    """Joint -> largest speed the source states, which MuJoCo does not know [rad/s or m/s]."""


def read(source: Readable) -> Source:
    """Read a description.

    A string that begins with `<` is the text of a model, any other a file name. An MjSpec is
    copied, so that edits never reach the caller's. Of a Robot the model `walk` is taken; hand in
    `robot.spec("ground")` for another.

    In a URDF, MuJoCo merges links that hang on fixed joints into their parents when it compiles;
    here they stay, so that every link keeps its path. MuJoCo leaves out a URDF's visual shapes and
    its velocity limits. The latter are read here; 0, which exporters write for "not known", is no
    limit.

    Raises:
        TypeError: The source is none of these.
        ValueError: It is USD, compiled, a fragment, or MuJoCo cannot read it; it refers to
            something that it does not hold, or reads in a description from outside of its folder.
        OSError: The file cannot be opened.
    """
    if isinstance(source, Robot):
        spec = source.spec()
        whole.check(spec, f"robot {source.name!r}")
        return _mjcf(spec)
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return _parse("the text", source, None)
    if isinstance(source, str | Path):
        if not str(source).strip():
            raise ValueError(f"the source is {source!r}; accepted: {_ACCEPTED}")
        return _open(Path(source))
    if isinstance(source, mujoco.MjModel):
        raise TypeError(f"an MjModel is compiled; add {_ACCEPTED}, or use Scene.inject(model)")
    if not isinstance(source, mujoco.MjSpec):
        raise TypeError(f"{type(source).__name__} is no source; accepted: {_ACCEPTED}")
    whole.check(source, "the MjSpec")
    return _mjcf(source.copy())


def _open(path: Path) -> Source:
    """Read a file."""
    content = path.read_bytes()
    if path.suffix.lower() in _USD or content.startswith((b"#usda", b"PXR-USDC")):
        raise ValueError(f"{path}: {_NO_USD}")
    if path.suffix.lower() == ".mjb":
        raise ValueError(f"{path} is a compiled model; load it and use Scene.inject(model)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text: {error}; accepted: {_ACCEPTED}") from None
    return _parse(str(path), text, path)


def _parse(name: str, text: str, path: Path | None) -> Source:
    """Read a text by the kind its first element shows."""
    root = _root(text)
    if root not in ("mujoco", "robot"):
        raise ValueError(
            f"{name} begins with <{root}>; MJCF begins with <mujoco>, URDF with <robot>"
        )
    includes.check(text, path.parent if path else Path.cwd(), name)
    try:
        spec = mujoco.MjSpec.from_file(str(path)) if path else mujoco.MjSpec.from_string(text)
    except ValueError as error:
        raise ValueError(f"{name}: MuJoCo cannot read it: {error}") from None
    whole.check(spec, name)
    if root == "mujoco":
        return _mjcf(spec)
    spec.compiler.fusestatic = False
    stated = _stated_limits(name, text)
    moving = {joint.name for joint in spec.joints if joint.type in _ONE_DOF}
    limits = {joint: limit for joint, limit in stated.items() if joint in moving}
    return Source(kind="urdf", spec=spec, velocity_limits=limits)


def _mjcf(spec: mujoco.MjSpec) -> Source:
    """A spec, and the velocity limits that an earlier scene left in it."""
    limits = velocity_limits.take(spec)
    if lost := sorted(set(limits) - {joint.name for joint in spec.joints}):
        raise ValueError(f"the source limits the speed of {lost}, joints that it does not have")
    return Source(kind="mjcf", spec=spec, velocity_limits=limits)


def _root(text: str) -> str:
    """Tag of the first element."""
    bare = re.sub(r"<!--.*?-->|<\?.*?\?>|<![^>]*>", "", text, flags=re.DOTALL)
    found = re.match(r"\W*<([\w.:-]+)", bare.removeprefix("\ufeff"))
    return found.group(1) if found else ""


def _stated_limits(name: str, text: str) -> dict[str, float]:
    """Velocity limits of a URDF's joints."""
    limits = {}
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(
            f"{name} is no well-formed XML: {error}; what is written with xacro goes through "
            "xacro first"
        ) from None
    for joint in robot.iter("joint"):
        limit = joint.find("limit")
        written = None if limit is None else limit.get("velocity")
        if written is None:
            continue
        try:
            value = float(written)
        except ValueError:
            value = float("nan")
        if not value >= 0.0:
            raise ValueError(f"{name}: joint {joint.get('name')!r}: velocity limit {written!r}")
        if 0.0 < value < float("inf"):
            limits[joint.get("name", "")] = value
    return limits

"""The rules of MicroDuck's manifest, schema version 2: what every field may be.

Source: pollen-robotics/microduck docs/policy-manifest.md, pollen-robotics/microduck_rl
publish/manifest.py.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from servogym.deploy.record import hinted

SERVOS = ("xl330", "hd1910")
"""Servos a Microduck comes with; the first is the usual one."""
SLOTS = ("walk", "stand", "sitstand", "ground_pick", "kick_left", "kick_right", "roulade")
"""Places in its catalogue."""
KINDS = ("episodic", "perpetual", "scripted")
"""How a skill ends."""
ENCODINGS = ("constant", "phase", "posture_flag")
"""What the twist command means to a policy."""


class _Field:
    """One field: whether a value fits, and in words what does."""

    def __init__(self, accepted: str, fits: Callable[[Any], bool], *, needed: bool = False) -> None:
        self.accepted, self.fits, self.needed = accepted, fits, needed


def _number(value: Any) -> bool:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and math.isfinite(value)


def _exactly(*values: Any, needed: bool = False) -> _Field:
    def fits(value: Any) -> bool:
        return type(value) is type(values[0]) and value in values

    return _Field(" or ".join(map(repr, values)), fits, needed=needed)


def _text(*, needed: bool = False) -> _Field:
    return _Field("a text", lambda v: isinstance(v, str) and v.strip() != "", needed=needed)


def _positive() -> _Field:
    return _Field("a finite number above 0", lambda v: _number(v) and v > 0)


def _object(*, needed: bool = False) -> _Field:
    return _Field("an object", lambda v: isinstance(v, dict), needed=needed)


_ROBOT = {
    "model": _exactly("microduck", needed=True),
    "hw_rev": _exactly(1, needed=True),
    "servos": _exactly(*SERVOS, needed=True),
    "control_hz": _exactly(50, needed=True),
}
_COMMAND = {
    "encoding": _exactly(*ENCODINGS, needed=True),
    "idle": _Field(
        "a list of 3 finite numbers",
        lambda v: isinstance(v, list) and len(v) == 3 and all(map(_number, v)),
    ),
    "period_s": _positive(),
    "end_phase": _Field("a number above 0, at most 1", lambda v: _number(v) and 0 < v <= 1),
    "sit": _Field("a finite number", _number),
    "stand": _Field("a finite number", _number),
    **{name: _text() for name in ("slot", "twist", "head", "body")},
}
_TRAINING = {
    **{
        name: _text()
        for name in ("task_id", "repo", "commit", "branch", "run", "checkpoint", "source_file")
    },
    "dirty": _exactly(True, False),
    "exported": _text(),
}
_SKILL = {
    "name": _text(),
    "file": _text(),
    "kind": _exactly(*KINDS),
    "duration_s": _positive(),
    "chain": _Field("a text or a list of texts", lambda v: _texts(v)),
    "unwind_s": _positive(),
    "ramp_s": _Field("a finite number, 0 or above", lambda v: _number(v) and v >= 0),
    "mode": _text(),
    "slot": _exactly(*SLOTS),
    "entry_pose": _Field("a text, an object or a list", lambda v: isinstance(v, str | dict | list)),
    "description": _text(),
    "action_scale": _Field("a number above 0, at most 2", lambda v: _number(v) and 0 < v <= 2),
    "command": _object(),
    "training": _object(),
    "eval": _object(),
}
_MANIFEST = {
    "schema_version": _exactly(2, needed=True),
    "model_api": _exactly(1, needed=True),
    "obs_len": _exactly(61, needed=True),
    "action_len": _exactly(14, needed=True),
    "robot": _object(needed=True),
    "policies": _Field("a list of one or more objects", lambda v: isinstance(v, list) and bool(v)),
    **_SKILL,
    "name": _text(needed=True),
}


def validate(manifest: Any) -> None:
    """Check every rule of the schema.

    Raises:
        ValueError: One is broken; the message names the field, its value and what is accepted.
    """
    _fit("manifest", manifest, _MANIFEST)
    _fit("robot", manifest["robot"], _ROBOT)
    policies = manifest.get("policies")
    _skill("", manifest, alone=policies is None)
    if policies is None:
        if manifest.get("file", "policy.onnx") != "policy.onnx":
            raise ValueError(f"file {manifest['file']!r}: a single policy's is 'policy.onnx'")
        return
    files = []
    for place, policy in enumerate(policies):
        where = f"policies[{place}]"
        _fit(where, policy, _SKILL)
        if "file" not in policy:
            raise ValueError(f"{where}: field file is missing")
        if policy["file"] in files:
            raise ValueError(f"{where}: file {policy['file']!r} is there twice")
        files.append(policy["file"])
        _skill(f"{where}: ", policy, alone=False)


def _skill(where: str, skill: Mapping[str, Any], *, alone: bool) -> None:
    """Check what fields mean for each other."""
    kind = skill.get("kind")
    if alone and kind is None:
        raise ValueError(f"kind is missing; {' or '.join(map(repr, KINDS))} is accepted")
    if kind == "episodic" and "duration_s" not in skill:
        raise ValueError(f"{where}duration_s is missing; an episodic skill needs one above 0")
    barred = {"episodic": ("an", ["unwind_s"]), "perpetual": ("a", ["duration_s", "chain"])}
    article, names = barred.get(kind or "", ("", []))
    for name in names:
        if name in skill:
            raise ValueError(f"{where}{name} {skill[name]!r}: {article} {kind} skill has none")
    if "training" in skill:
        _fit(f"{where}training", skill["training"], _TRAINING)
    if "command" not in skill:
        return
    command = skill["command"]
    _fit(f"{where}command", command, _COMMAND)
    encoding = command["encoding"]
    if alone and encoding != "constant":
        raise ValueError(
            f"command.encoding {encoding!r}: a policy published alone may only use 'constant'"
        )
    wanted = {"phase": ("period_s", "end_phase"), "posture_flag": ("sit", "stand")}
    for name in wanted.get(encoding, ()):
        if name not in command:
            raise ValueError(f"{where}command.{name} is missing; encoding {encoding!r} needs it")


def _fit(where: str, data: Any, schema: Mapping[str, _Field]) -> None:
    if not isinstance(data, Mapping):
        raise ValueError(f"{where}: an object is needed, got {data!r}")
    if unknown := sorted(set(data) - set(schema)):
        text = hinted(unknown, set(schema) - set(data))
        raise ValueError(f"{where}: field(s) not understood: {text}")
    for name, entry in schema.items():
        if name not in data:
            if entry.needed:
                raise ValueError(f"{where}: field {name} is missing; {entry.accepted} is accepted")
        elif not entry.fits(data[name]):
            raise ValueError(f"{where}: {name} {data[name]!r}: {entry.accepted} is accepted")


def _texts(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, str) and item for item in items)

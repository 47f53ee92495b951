"""Scene paths: from `/world/<name>/<body>/…/<element>` to the elements of a spec, by walking it.

`/world/<name>` is one thing that was added to the scene. The names of its bodies follow, from the
root down, and a joint or geom stands below the body that holds it; what lies in the world itself
stands directly below `/world/<name>`. Names are those of the thing's own file, without the prefix
that MuJoCo's attach puts before them. A body without a name is passed over; a joint or geom
without a name has no path.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mujoco

ROOT = "/world"
"""What every path begins with."""

Kind = Literal["body", "joint", "geom"]
"""What a path may lead to."""

_FULL = f"a full path is needed, {ROOT}/<name>/<body>/..."

_PLURAL: dict[str, str] = {"body": "bodies", "joint": "joints", "geom": "geoms"}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing that was added to a scene."""

    name: str
    """Its name in paths."""
    source: str
    """What it was read from, `mjcf` or `urdf`; `code` for what the scene made itself."""
    first: bool
    """Whether it was added first: it became the spec, and its elements have no prefix."""

    @property
    def prefix(self) -> str:
        """What stands before the names of its elements in the spec."""
        return "" if self.first else f"{self.name}/"

    @property
    def frame(self) -> str:
        """Name of the frame that everything of it hangs in, if it was not added first."""
        return f"{self.name}/"


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a path leads to."""

    path: str
    """The path."""
    element: Any
    """The element of the spec: an MjsBody, MjsJoint or MjsGeom."""
    entry: Entry
    """The thing it belongs to."""


class Paths:
    """Every path of a spec as it is now; made anew for each use, because specs change."""

    def __init__(self, spec: mujoco.MjSpec, entries: Iterable[Entry]) -> None:
        """Walk the spec.

        Args:
            spec: The spec to walk.
            entries: What was added to it; the first of them owns what hangs in no entry's frame.
        """
        self._entries = {entry.name: entry for entry in entries}
        self._frames = {entry.frame: entry for entry in self._entries.values() if not entry.first}
        self._first = next((entry for entry in self._entries.values() if entry.first), None)
        self._targets: dict[str, dict[str, Target]] = {kind: {} for kind in _PLURAL}
        self._unnamed: dict[str, dict[str, int]] = {kind: {} for kind in ("joint", "geom")}
        self._twice: set[tuple[str, str]] = set()
        for geom in spec.worldbody.geoms:
            if (entry := self._owner(geom)) is not None:
                self._note("geom", f"{ROOT}/{entry.name}", geom, entry)
        for body in spec.worldbody.bodies:
            if (entry := self._owner(body)) is not None:
                self._walk(body, f"{ROOT}/{entry.name}", entry)

    def all(self, kind: Kind) -> tuple[str, ...]:
        """Paths of one kind, in the order of the spec."""
        return tuple(self._targets[kind])

    def targets(self, kind: Kind) -> tuple[Target, ...]:
        """Everything of one kind that has a path, in the order of the spec."""
        return tuple(self._targets[kind].values())

    def of(self, kind: Kind, name: str) -> str:
        """Path of the element that the spec knows by this name.

        Raises:
            LookupError: There is none.
        """
        for path, target in self._targets[kind].items():
            if target.element.name == name:
                return path
        raise LookupError(f"no {kind} named {name!r} has a scene path")

    def find(self, kind: Kind, paths: Sequence[str]) -> list[Target]:
        """What the paths lead to, in their order.

        Raises:
            LookupError: A path leads to nothing, to another kind, or to two elements; the message
                says which, and what comes near.
            ValueError: It leads to something that was made in code.
        """
        return [self._find(kind, path) for path in paths]

    def _find(self, kind: Kind, path: str) -> Target:
        owner = self._entries.get(path.removeprefix(f"{ROOT}/").partition("/")[0])
        if owner is not None and owner.source == "code":
            raise ValueError(
                f"{path!r}: {owner.name!r} was made in code; its properties are set there, once"
            )
        if (kind, path) in self._twice:
            raise LookupError(f"{path!r} means two {_PLURAL[kind]}; rename one of them")
        if path in self._targets[kind]:
            return self._targets[kind][path]
        raise LookupError(self._why_not(kind, path))

    def _why_not(self, kind: Kind, path: str) -> str:
        """What to tell somebody whose path leads nowhere."""
        known = self._targets[kind]
        for other, targets in self._targets.items():
            if path in targets:
                below = [p for p in known if p.startswith(f"{path}/")]
                return f"{path!r} is a {other}, not a {kind}" + _listed(_PLURAL[kind], below)
        if path.removeprefix(f"{ROOT}/") in self._entries:
            below = [p for p in known if p.startswith(f"{path}/")]
            return (
                f"{path!r} is a whole thing added to the scene, not a {kind}"
                f"{_listed(_PLURAL[kind], below)}"
            )
        if "" in path[1:].split("/"):  # a name may end in a slash, as those of dm_control do
            near = _listed("near", _near(path, known))
            return f"no {kind} {path!r}; {_FULL}, without empty parts{near}"
        parent = path.rpartition("/")[0]
        count = self._unnamed.get(kind, {}).get(parent, 0)
        holds = ""
        if count:
            named = [p for p in known if p.rpartition("/")[0] == parent]
            holds = (
                f"; {parent!r} holds {count} {_PLURAL[kind]} without a name, which have no path"
                f"{_listed('those with a name', named)}"
            )
        return f"no {kind} {path!r}{holds}{_listed('near', _near(path, known))}"

    def _owner(self, element: Any) -> Entry | None:
        """Whose an element of the world is, by the frames it hangs in."""
        frame = element.frame
        while frame is not None:
            if frame.name in self._frames:
                return self._frames[frame.name]
            frame = frame.frame
        return self._first

    def _walk(self, body: Any, above: str, entry: Entry) -> None:
        here = self._note("body", above, body, entry) if body.name else above
        for kind, elements in (("joint", body.joints), ("geom", body.geoms)):
            for element in elements:
                self._note(kind, here, element, entry)
        for child in body.bodies:
            self._walk(child, here, entry)

    def _note(self, kind: str, above: str, element: Any, entry: Entry) -> str:
        name = element.name.removeprefix(entry.prefix)
        if not name:
            self._unnamed[kind][above] = self._unnamed[kind].get(above, 0) + 1
            return above
        path = f"{above}/{name}"
        if path in self._targets[kind]:
            self._twice.add((kind, path))
        self._targets[kind][path] = Target(path=path, element=element, entry=entry)
        return path


def one_path(argument: str, path: object) -> str:
    """The path of a call for one element.

    Raises:
        TypeError: It is no string; a list belongs to the call for several.
        LookupError: It is no full path.
    """
    if not isinstance(path, str):
        several = "; the plural setter takes a list" if isinstance(path, list | tuple) else ""
        raise TypeError(f"{argument} is {path!r}; one scene path as a str is needed{several}")
    if not path.startswith(f"{ROOT}/"):
        raise LookupError(f"{argument} is {path!r}; {_FULL}")
    return path


def path_list(argument: str, paths: object) -> tuple[str, ...]:
    """The paths of a call for several elements.

    Raises:
        TypeError: It is neither list nor tuple, or holds something that is no string.
        ValueError: It is empty, or names a path twice.
        LookupError: One is no full path.
    """
    if not isinstance(paths, list | tuple):
        hint = f"; write [{paths!r}]" if isinstance(paths, str) else ""
        raise TypeError(f"{argument} is {paths!r}; a list or tuple of scene paths is needed{hint}")
    if not paths:
        raise ValueError(f"{argument} is empty; at least one scene path is needed")
    checked = tuple(one_path(f"{argument}[{k}]", path) for k, path in enumerate(paths))
    for path in checked:
        if checked.count(path) > 1:
            raise ValueError(f"{argument} names {path!r} {checked.count(path)} times")
    return checked


def _near(path: str, known: Iterable[str]) -> list[str]:
    """The few known paths that resemble this one as a whole or in their last name, best first."""
    last = {p: p.rpartition("/")[2] for p in known}
    wanted = path.rpartition("/")[2]
    names = difflib.get_close_matches(wanted, set(last.values()), n=3)
    alike = {p for p, name in last.items() if name in names}
    alike.update(difflib.get_close_matches(path, last, n=3, cutoff=0.8))

    def likeness(p: str) -> tuple[float, float]:
        same = difflib.SequenceMatcher(None, last[p], wanted).ratio()
        return same, difflib.SequenceMatcher(None, p, path).ratio()

    return sorted(sorted(alike), key=likeness, reverse=True)[:4]


def _listed(what: str, paths: Sequence[str]) -> str:
    """A list for the end of a message, cut short; nothing if there is nothing to list."""
    if not paths:
        return ""
    more = f" and {len(paths) - 8} more" if len(paths) > 8 else ""
    return f"; {what}: {', '.join(paths[:8])}{more}"

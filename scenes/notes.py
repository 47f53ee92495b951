"""What a scene remembers of its joints and shapes, by path, while hooks replace the spec."""

from __future__ import annotations

from servogym.scenes.edits.target import JointNotes, JointTarget, ShapeNotes, ShapeTarget
from servogym.scenes.paths import Target


class Notes:
    """The notes of one scene; elements come and go with each spec, notes stay with the path."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._joints: dict[str, JointNotes] = {}
        self._shapes: dict[tuple[str, int], ShapeNotes] = {}
        self._nameless: dict[str, int] = {}

    def joint(self, found: Target) -> JointTarget:
        """A joint with its notes."""
        notes = self._joints.setdefault(found.path, JointNotes())
        return JointTarget(
            path=found.path, element=found.element, source=found.entry.source, notes=notes
        )

    def joints_that_say_something(self) -> dict[str, JointNotes]:
        """Path -> notes of every joint that has any; an edit that was refused leaves none."""
        return {path: note for path, note in self._joints.items() if note != JointNotes()}

    def shape(self, found: Target) -> ShapeTarget:
        """A named geom with its notes."""
        return self._shape(found.path, 0, found)

    def shapes_of(self, body: Target) -> list[ShapeTarget]:
        """Every geom of a body itself, with its notes; a nameless one goes by its place.

        Raises:
            RuntimeError: The body has more or fewer nameless geoms than when they were edited last,
                so that the notes no longer tell which is which.
        """
        geoms = list(body.element.geoms)
        nameless = sum(not geom.name for geom in geoms)
        before = self._nameless.get(body.path, nameless)
        noted = any(
            path == body.path and place and notes != ShapeNotes()
            for (path, place), notes in self._shapes.items()
        )
        if before != nameless and noted:
            raise RuntimeError(
                f"body {body.path!r} had {before} geoms without a name when they were edited, and "
                f"has {nameless} now; name them, or change the spec before editing them"
            )
        self._nameless[body.path] = nameless
        targets, place = [], 0
        for geom in geoms:
            here = Target(path=body.path, element=geom, entry=body.entry)
            if geom.name:
                path = f"{body.path}/{geom.name.removeprefix(body.entry.prefix)}"
                targets.append(self._shape(path, 0, here))
            else:
                place += 1
                targets.append(self._shape(body.path, place, here))
        return targets

    def _shape(self, path: str, place: int, found: Target) -> ShapeTarget:
        notes = self._shapes.setdefault((path, place), ShapeNotes())
        shown = f"{path} (geom {place} without a name)" if place else path
        return ShapeTarget(
            path=shown, element=found.element, source=found.entry.source, notes=notes
        )

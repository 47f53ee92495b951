"""Properties that somebody else decides: a setter refuses what would be overridden."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

Subject = Literal["shape", "body", "joint", "actuator", "scene"]
"""What a property is a property of; an actuator goes by its joint."""


class Owners:
    """Who decides what."""

    def __init__(self) -> None:
        """Nobody owns anything yet."""
        self._named: dict[tuple[str, str, str], str] = {}
        self._all: dict[tuple[str, str], str] = {}

    def reserve(
        self,
        subject: Subject,
        properties: Iterable[str],
        owner: str,
        names: Iterable[str] | None = None,
    ) -> None:
        """Give properties to an owner.

        Args:
            subject: What they are properties of.
            properties: Parameters of the setter.
            owner: Who decides and where to change it; ends the error message.
            names: Elements by their names in the spec; None means all.
        """
        for name in properties:
            if names is None:
                self._all[subject, name] = owner
            else:
                self._named.update({(subject, element, name): owner for element in names})

    def check(self, subject: Subject, path: str, element: str, properties: Collection[str]) -> None:
        """Refuse properties that are somebody else's.

        Args:
            subject: What they are properties of.
            path: How the caller names the element.
            element: Its name in the spec.
            properties: Parameters that were given.

        Raises:
            ValueError: One of them has an owner; the message says who.
        """
        for name in properties:
            owner = self._named.get((subject, element, name)) or self._all.get((subject, name))
            if owner is not None:
                raise ValueError(f"{subject} {path!r}: {name} cannot be set here; {owner}")

"""A number that changes while a policy learns, for weights, commands and disturbances."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ramp:
    """Goes from one value to another over trained environment steps, linearly."""

    before: float
    """Value until `start`."""
    after: float
    """Value from `end` on; also the value where nobody trains."""
    start: float
    """Trained environment steps at which the change begins."""
    end: float
    """Trained environment steps at which it is complete."""

    def __post_init__(self) -> None:
        """Refuse a ramp that ends before it starts."""
        if not 0 <= self.start <= self.end:
            raise ValueError(f"ramp from {self.start} to {self.end} steps; needs 0 <= start <= end")

    def __str__(self) -> str:
        """Write it for a table."""
        return f"{self.before:g} → {self.after:g} (steps {self.start:g} to {self.end:g})"


def current(setting: float | Ramp, steps: float) -> float:
    """Return what a setting is after so many trained environment steps; inf is after training."""
    if not isinstance(setting, Ramp):
        return setting
    if steps >= setting.end:
        return setting.after
    share = max(0.0, (steps - setting.start) / (setting.end - setting.start))
    return setting.before + (setting.after - setting.before) * share

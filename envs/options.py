"""What `reset(options=...)` understands, for every face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from servogym.envs.core import Core
from servogym.envs.fleet import Fleet

KNOWN = ("command", "head", "body")


def begin(core: Core | Fleet, rows: np.ndarray, options: Mapping[str, Any] | None) -> np.ndarray:
    """Reset rows with the commands that options fix; return their observations.

    Args:
        core: the robots.
        rows: which begin an episode, integers.
        options: "command" fixes the twist (vx, vy, wz) [m/s, m/s, rad/s], "head" and "body" the
            poses, for the episode; without "command" the task draws commands itself.

    Raises:
        ValueError: for an option that does not exist or a command of the wrong size; nothing has
            changed then.
    """
    options = dict(options or {})
    unknown = sorted(set(options) - set(KNOWN))
    if unknown:
        raise ValueError(f"reset options {unknown}; known: {', '.join(KNOWN)}")
    if "command" in options:
        core.hold(rows, options["command"], options.get("head"), options.get("body"))
    elif options:
        raise ValueError(f"reset options {sorted(options)} need 'command' beside them")
    else:
        core.release(rows)
    return core.reset(rows)


def keys(seeds: list[int | None]) -> np.ndarray:
    """Return the random keys of robots with these seeds; None draws one from the system."""
    from gymnasium.utils.seeding import np_random

    return np.concatenate([np_random(s)[0].integers(0, 2**63, 1, np.uint64) for s in seeds])


def split(
    saved: Mapping[str, np.ndarray], live: Mapping[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Part a saved state into what belongs to a face and what belongs to its robots.

    Raises:
        ValueError: naming what the face misses or what has another shape.
    """
    wrong = [k for k, array in live.items() if k not in saved or saved[k].shape != array.shape]
    if wrong:
        raise ValueError(f"state: {', '.join(wrong)} missing or of another shape")
    return {k: saved[k] for k in live}, {k: v for k, v in saved.items() if k not in live}

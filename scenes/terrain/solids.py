"""What ground is made of: planes, boxes and height fields, each of which knows its own height."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import mujoco


class Solid(Protocol):
    """A part of the ground: one named geom, or several that are looked up together."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its geoms."""
        ...

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of the top at places [m]; -inf where the solid is not."""
        ...

    def add(self, spec: mujoco.MjSpec, material: str) -> None:
        """Add its geoms to the world body of a spec."""
        ...


@dataclass(frozen=True, kw_only=True)
class Plane:
    """The endless floor at height zero."""

    name: str
    """Name of the geom."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the geom."""
        return (self.name,)

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return zeros of the broadcast shape of x and y."""
        return np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)))

    def add(self, spec: mujoco.MjSpec, material: str) -> None:
        """Add the geom to the world body of a spec."""
        import mujoco

        spec.worldbody.add_geom(
            name=self.name,
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[0.0, 0.0, 0.05],
            material=material,
        )


@dataclass(frozen=True, kw_only=True)
class Box:
    """A box that may be tipped about y."""

    name: str
    """Name of the geom."""
    centre: tuple[float, float, float]
    """Middle of the box [m]."""
    half: tuple[float, float, float]
    """Half sizes along its own axes [m]."""
    rise: float = 0.0
    """How far its x axis points up [rad]."""
    shown: bool = True
    """Whether viewers show it from the start; if not, it is in group 3 with other bare shapes."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the geom."""
        return (self.name,)

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return where a vertical line leaves the box [m], -inf where it misses it."""
        cos, sin = np.cos(self.rise), np.sin(self.rise)
        dx = np.asarray(x, float) - self.centre[0]
        # In the box's own x-z plane the line is (dx cos + t sin, -dx sin + t cos).
        with np.errstate(divide="ignore", invalid="ignore"):
            enter, leave = _slab(dx * cos, sin, self.half[0])
            below, above = _slab(-dx * sin, cos, self.half[2])
        enter, leave = np.maximum(enter, below), np.minimum(leave, above)
        inside = (np.abs(np.asarray(y, float) - self.centre[1]) <= self.half[1]) & (enter <= leave)
        return np.where(inside, self.centre[2] + leave, -np.inf)

    def add(self, spec: mujoco.MjSpec, material: str) -> None:
        """Add the geom to the world body of a spec."""
        import mujoco

        spec.worldbody.add_geom(
            name=self.name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=list(self.half),
            pos=list(self.centre),
            quat=[np.cos(self.rise / 2), 0.0, -np.sin(self.rise / 2), 0.0],
            material=material,
            group=0 if self.shown else 3,
        )


def _slab(start: np.ndarray, speed: float, half: float) -> tuple[np.ndarray, np.ndarray]:
    """When start + t speed lies within +-half: (first t, last t)."""
    if abs(speed) < 1e-12:
        within = np.abs(start) <= half
        return np.where(within, -np.inf, np.inf), np.where(within, np.inf, -np.inf)
    ends = (-half - start) / speed, (half - start) / speed
    return np.minimum(*ends), np.maximum(*ends)


@dataclass(frozen=True, kw_only=True, eq=False)
class Hills:
    """A height field: heights on an even grid, each cell split in triangles as MuJoCo does."""

    name: str
    """Name of the geom and of its height field."""
    corner: tuple[float, float]
    """x and y of the first height [m]."""
    cell: tuple[float, float]
    """Distance of neighbours along x and along y [m]."""
    z: np.ndarray = field(repr=False)
    """Heights (rows along y, columns along x) [m]."""
    base: float
    """Thickness below the lowest height [m]."""

    def __post_init__(self) -> None:
        """Round the heights to what MuJoCo stores: single precision shares of their range."""
        low, high = float(self.z.min()), float(self.z.max())
        span = high - low or 1e-3  # MuJoCo wants a positive height of a flat field too
        share = ((self.z - low) / span).astype(np.float32)
        object.__setattr__(self, "_low", low)
        object.__setattr__(self, "_span", span)
        object.__setattr__(self, "_share", share)
        z = low + span * share.astype(float)
        z.setflags(write=False)
        object.__setattr__(self, "z", z)

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and along y [m]."""
        rows, columns = self.z.shape
        return self.cell[0] * (columns - 1), self.cell[1] * (rows - 1)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the geom."""
        return (self.name,)

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the height of the triangle under each place [m], -inf beside the field."""
        rows, columns = self.z.shape
        u = (np.asarray(x, float) - self.corner[0]) / self.cell[0]
        v = (np.asarray(y, float) - self.corner[1]) / self.cell[1]
        inside = (u >= 0) & (u <= columns - 1) & (v >= 0) & (v <= rows - 1)
        c = np.clip(np.floor(np.where(inside, u, 0)), 0, columns - 2).astype(int)
        r = np.clip(np.floor(np.where(inside, v, 0)), 0, rows - 2).astype(int)
        du, dv = u - c, v - r
        here, across = self.z[r, c], self.z[r + 1, c + 1]
        upper = here + dv * (self.z[r + 1, c] - here) + du * (across - self.z[r + 1, c])
        lower = here + du * (self.z[r, c + 1] - here) + dv * (across - self.z[r, c + 1])
        return np.where(inside, np.where(dv > du, upper, lower), -np.inf)

    def add(self, spec: mujoco.MjSpec, material: str) -> None:
        """Add the height field and its geom to a spec."""
        import mujoco

        (length, width), (rows, columns) = self.size, self.z.shape
        low, span, share = (getattr(self, name) for name in ("_low", "_span", "_share"))
        spec.add_hfield(
            name=self.name,
            nrow=rows,
            ncol=columns,
            size=[length / 2, width / 2, span, self.base],
            userdata=share.ravel(),
        )
        spec.worldbody.add_geom(
            name=self.name,
            type=mujoco.mjtGeom.mjGEOM_HFIELD,
            hfieldname=self.name,
            pos=[self.corner[0] + length / 2, self.corner[1] + width / 2, low],
            material=material,
        )

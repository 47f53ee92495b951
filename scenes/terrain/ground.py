"""Ground as a robot meets it: its geoms, how high it is anywhere, and where it ends."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from servogym.scenes.terrain.look import paint
from servogym.scenes.terrain.solids import Hills, Solid

if TYPE_CHECKING:
    import mujoco

PREFIX = "ground/"
"""In front of the names of the ground's assets; its geoms go without."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground:
    """Solids that robots stand on, known without compiling them."""

    solids: tuple[Solid, ...]
    """What it is made of; where solids overlap, the highest counts."""
    bounds: tuple[tuple[float, float], tuple[float, float]]
    """Where robots may go: (lowest, highest) x and y [m], infinite on an endless floor."""

    @property
    def geoms(self) -> tuple[str, ...]:
        """Names of all its geoms, walls included."""
        return tuple(name for solid in self.solids for name in solid.names)

    @property
    def hilly(self) -> bool:
        """Whether some of it is a height field."""
        return any(isinstance(solid, Hills) for solid in self.solids)

    def height(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """Height of the ground at places [m]; -inf where there is none.

        Args:
            x: places along x [m], any shape.
            y: places along y [m], a shape that goes with it.
        """
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        top = np.full(x.shape, -np.inf)
        for solid in self.solids:
            np.maximum(top, solid.height(x, y), out=top)
        return top

    def outside(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Whether places lie beyond the bounds."""
        (west, east), (south, north) = self.bounds
        return (x < west) | (x > east) | (y < south) | (y > north)

    def spawn_height(
        self,
        x: np.ndarray | float,
        y: np.ndarray | float,
        yaw: np.ndarray | float,
        soles: np.ndarray,
    ) -> np.ndarray:
        """Height of an upright base over places at which its lowest sole just touches (n,) [m].

        Args:
            x: of the base, (n,) [m].
            y: of the base, (n,) [m].
            yaw: heading, (n,) [rad].
            soles: points on the soles in the frame of the base, (p, 3) [m]; see `soles`.

        Raises:
            ValueError: some sole would be over no ground at all; the message names the place.
        """
        return (self._under(x, y, yaw, soles) - soles[:, 2]).max(-1)

    def spawn_pose(
        self,
        x: np.ndarray | float,
        y: np.ndarray | float,
        yaw: np.ndarray | float,
        soles: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Height (n,) [m] and orientation (n, 4) of a base that leans with the ground under it.

        On a slope an upright robot touches with its upper feet only and drops on the others; this
        one stands on all of them. It is upright over the plane that fits best to the heights under
        its soles, the lowest of which just touches; on level ground that is `spawn_height`. Meant
        for slopes: on steep stairs a leaning robot comes close to the edges with its head.

        Args:
            x: of the base, (n,) [m].
            y: of the base, (n,) [m].
            yaw: heading, (n,) [rad].
            soles: points on the soles in the frame of the base, (p, 3) [m]; see `soles`.

        Raises:
            ValueError: some sole would be over no ground at all; the message names the place.
        """
        under = self._under(x, y, yaw, soles)
        fit = np.linalg.pinv(np.insert(soles[:, :2], 0, 1.0, axis=1))
        _, forward, left = np.moveaxis(under @ fit.T, -1, 0)
        normal = np.stack((-forward, -left, np.ones_like(left)), axis=-1)
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        half = np.sqrt(0.5 * (1.0 + normal[..., 2]))
        # The shortest turn from straight up to the normal: axis (-n_y, n_x, 0).
        w, a, b = half, -normal[..., 1] / (2 * half), normal[..., 0] / (2 * half)
        turn = np.stack(
            (
                np.stack((1 - 2 * b * b, 2 * a * b, 2 * w * b), axis=-1),
                np.stack((2 * a * b, 1 - 2 * a * a, -2 * w * a), axis=-1),
                np.stack((-2 * w * b, 2 * w * a, 1 - 2 * (a * a + b * b)), axis=-1),
            ),
            axis=-2,
        )
        leaning = soles @ np.swapaxes(turn, -1, -2)
        z = (self._under(x, y, yaw, leaning) - leaning[..., 2]).max(-1)
        c, s = np.cos(0.5 * np.asarray(yaw)), np.sin(0.5 * np.asarray(yaw))
        return z, np.stack((c * w, c * a - s * b, c * b + s * a, s * w), axis=-1)

    def _under(self, x, y, yaw, points: np.ndarray) -> np.ndarray:
        """Height of the ground under points of a base's frame turned by yaw, (n, p) [m]."""
        x, y, yaw = np.broadcast_arrays(*(np.asarray(v, float) for v in (x, y, yaw)))
        cos, sin = np.cos(yaw)[..., None], np.sin(yaw)[..., None]
        under = self.height(
            x[..., None] + cos * points[..., 0] - sin * points[..., 1],
            y[..., None] + sin * points[..., 0] + cos * points[..., 1],
        )
        if not np.isfinite(under).all():
            lost = np.flatnonzero(~np.isfinite(under).all(-1))[0]
            raise ValueError(
                f"no ground under a sole at x = {x.flat[lost]:g}, y = {y.flat[lost]:g}; "
                f"the ground reaches from (lowest, highest) x, y {self.bounds}"
            )
        return under

    def lay(self, spec: mujoco.MjSpec, feet: tuple[str, ...] = ()) -> None:
        """Attach the ground to a robot's spec, geoms by their own names.

        It is attached and not added, so that the robot's defaults do not reach it.

        Args:
            spec: the robot's; it has no geom of these names yet.
            feet: geoms of the robot's soles, whose size the height field's cells must suit.

        Raises:
            ValueError: a geom of the ground's name is there already, or a foot is not.
        """
        if taken := [name for name in self.geoms if spec.geom(name) is not None]:
            raise ValueError(f"the spec has geoms {taken} already; ground goes under a bare robot")
        self.check_cells(spec, feet)
        spec.attach(self.spec(), prefix=PREFIX, frame=spec.worldbody.add_frame())
        self.name_geoms(spec)

    def spec(self) -> mujoco.MjSpec:
        """The ground alone, to be attached with `PREFIX`."""
        import mujoco

        ground = mujoco.MjSpec()
        material = paint(ground)
        for solid in self.solids:
            solid.add(ground, material)
        return ground

    def name_geoms(self, spec: mujoco.MjSpec) -> None:
        """Take the prefix of the attach off the ground's geoms."""
        for name in self.geoms:
            spec.geom(PREFIX + name).name = name

    def check_cells(self, spec: mujoco.MjSpec, feet: tuple[str, ...]) -> None:
        """Warn where the cells of a height field are small for a robot's feet.

        Raises:
            ValueError: a foot is not in the spec.
        """
        for foot in feet:
            geom = spec.geom(foot)
            if geom is None:
                known = sorted(g.name for g in spec.geoms if g.name)
                raise ValueError(f"no foot geom {foot!r} in this spec; its geoms are {known}")
            size = _breadth(geom)
            for solid in self.solids:
                if isinstance(solid, Hills) and min(solid.cell) < 0.5 * size:
                    warnings.warn(
                        f"cells of {solid.name!r} are {min(solid.cell):g} m, under half of the "
                        f"{size:g} m of foot {foot!r}: MuJoCo keeps a limited number of contacts "
                        f"a pair of geoms, so ask for cells of at least {0.5 * size:g} m",
                        stacklevel=3,
                    )


def _breadth(geom: mujoco.MjsGeom) -> float:
    """Longest extent of what a geom puts on the ground [m]; 0 for a mesh, which nobody measured."""
    import mujoco

    kind = mujoco.mjtGeom
    if geom.type in (kind.mjGEOM_SPHERE, kind.mjGEOM_CAPSULE, kind.mjGEOM_CYLINDER):
        return 2.0 * float(geom.size[0])
    if geom.type in (kind.mjGEOM_BOX, kind.mjGEOM_ELLIPSOID):
        return 2.0 * float(max(geom.size))
    return 0.0

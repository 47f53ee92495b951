"""What the rest of the package needs to know about a robot: one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import mujoco

    from servogym.robots.foreign import Foreign

_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, kw_only=True)
class Foot:
    """The two model elements that stand for one foot."""

    site: str
    """Site on the sole; its velocity and height are the foot's."""
    geom: str
    """Collision geom of the sole; its contact force is the foot's."""


@dataclass(frozen=True, kw_only=True)
class Robot:
    """One robot: its models, its servo joints in contract order, and what hangs on their names.

    Everything refers to model elements by exact name, so inserted `passive_*` joints or a
    reordered body tree change nothing.
    """

    name: str
    """Folder and lookup name, e.g. `microduck`."""
    title: str
    """Name as written in environment ids, e.g. `MicroDuck`."""
    models: Mapping[str, str]
    """Model name -> MJCF file, relative to `servogym.robots` (an absolute path stays as it is)."""
    joints: tuple[str, ...]
    """The servo joints in contract order."""
    default_pose: Mapping[str, float]
    """Servo joint -> angle of the default pose [rad]."""
    soft_limit: float = 0.9
    """Share of each joint range, about its middle, that a policy should stay within [-]."""
    base_body: str
    """Body that carries the free joint."""
    imu_site: str
    """Site of the IMU; its axes are the IMU's axes."""
    feet: tuple[Foot, ...]
    """Feet in pairs, each left before right, the front pair first."""
    swing_groups: tuple[tuple[str, ...], ...] = ()
    """Sites of the feet that swing together in its walk, two groups; empty: each foot alone."""
    loaded_force: float = 0.05
    """Normal force above which a foot counts as loaded, about 0.7 % of the weight [N]."""
    typical_torque: float = 1.0 / 3.0
    """Torque of a busy servo, which scales what a critic sees [N·m]."""
    legs: tuple[str, ...]
    """Servo joints of the legs."""
    head: tuple[str, ...]
    """Servo joints of neck and head; empty for a robot without a head."""
    spawn_height: float
    """Height of the base body with the soles on the floor at the default pose [m]."""
    mirror: Mapping[str, tuple[str, float]]
    """Servo joint -> (its mirror joint, sign): q_mirrored[joint] = sign * q[mirror joint]."""
    actuator: str = "bam"
    """Motor law used when none is asked for."""
    motors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Name of a motor -> keyword arguments of its law for this robot's servos; `law` among them
    names the law where the motor is called otherwise."""
    passives: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Name of a set of passive joint figures -> `damping` [N·m·s/rad], `frictionloss` [N·m] and
    `armature` [kg·m²], as a motor law takes them; the first set is the default."""
    backlash: float
    """Half range of the gear gap of each servo [rad]."""
    wire_orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a vendor's joint order -> the joints in that order."""

    def __post_init__(self) -> None:
        """Checks that every table names exactly the servo joints.

        Raises:
            ValueError: A table misses or invents a joint.
        """
        known = set(self.joints)
        if len(known) != len(self.joints):
            raise ValueError(f"{self.name}: joints are listed twice: {self.joints}")
        for table in ("default_pose", "mirror"):
            names = set(getattr(self, table))
            if names != known:
                raise ValueError(
                    f"{self.name}.{table}: missing {sorted(known - names)}, "
                    f"unknown {sorted(names - known)}; joints are {list(self.joints)}"
                )
        figures = {"damping", "frictionloss", "armature"}
        for name, given in self.passives.items():
            if unknown := sorted(set(given) - figures):
                raise ValueError(
                    f"{self.name}.passives[{name!r}]: unknown {unknown}; known: {sorted(figures)}"
                )
        sites = [foot.site for foot in self.feet]
        grouped = [site for group in self.swing_groups for site in group]
        if self.swing_groups and sorted(grouped) != sorted(sites):
            raise ValueError(
                f"{self.name}.swing_groups holds {sorted(grouped)}; needs each of {sites} once"
            )
        for group in (self.legs, self.head, *self.wire_orders.values()):
            if unknown := sorted(set(group) - known):
                raise ValueError(f"{self.name}: {unknown} are not among {list(self.joints)}")

    @classmethod
    def from_mjcf(
        cls,
        path: str | Path,
        like: str | Robot,
        *,
        joints: Mapping[str, str] | None = None,
        feet: Mapping[str, str] | None = None,
        base_body: str | None = None,
        imu_site: str | None = None,
        name: str | None = None,
    ) -> Foreign:
        """A robot from an MJCF file that somebody else wrote, e.g. another file of Go2.

        Body, masses, contact and passive joint figures are the file's; contract order, default
        pose, wire orders and motors are those of `like`. The file's own actuators give way to the
        motor law, its floor, lights and cameras to the scene, its keyframes stay. Its damping, dry
        friction and armature become the first set of `passives`, called `file`. Meshes that are
        there to be seen may be missing. What was changed is in `changed`, every number that
        differs from `like` in `differences()`.

        Args:
            path: The file.
            like: The robot it is another file of, or its name.
            joints: Servo joint of `like` -> its name in the file, where that is another.
            feet: Foot site of `like` -> the foot's geom in the file; default: the geom called as
                ours, or as our site.
            base_body: Body with the free joint; default: the one that has it.
            imu_site: Site of the IMU; default: called as ours. Added where there is none.
            name: Name of the robot; default: `<like>-<file>`.

        Raises:
            FileNotFoundError: There is no such file.
            LookupError: Joints, feet or a base are not found; the message lists what is there.
            ValueError: MuJoCo does not read it, or a mesh is missing that changes the physics.
        """
        from servogym.robots.foreign import from_mjcf

        return from_mjcf(
            path,
            like,
            joints=joints,
            feet=feet,
            base_body=base_body,
            imu_site=imu_site,
            name=name,
        )

    def path(self, model: str = "walk") -> Path:
        """File of one of the robot's models.

        Raises:
            LookupError: No such model; the message lists the known ones.
        """
        if model not in self.models:
            raise LookupError(
                f"robot {self.name!r} has no model {model!r}; known: {sorted(self.models)}"
            )
        return _HERE / self.models[model]

    def spec(self, model: str = "walk") -> mujoco.MjSpec:
        """Freshly loaded, editable model.

        Raises:
            LookupError: No such model; the message lists the known ones.
        """
        import mujoco

        return mujoco.MjSpec.from_file(str(self.path(model)))

    def swing_columns(self) -> tuple[np.ndarray, ...]:
        """Columns of the feet of each group that swings together."""
        sites = [foot.site for foot in self.feet]
        groups = self.swing_groups or tuple((site,) for site in sites)
        return tuple(np.array([sites.index(site) for site in group]) for group in groups)

    def pose(self) -> np.ndarray:
        """Default pose in contract order, (j,) [rad]."""
        return np.array([self.default_pose[joint] for joint in self.joints])

    def mirror_index(self) -> tuple[np.ndarray, np.ndarray]:
        """Left-right mirror as (index (j,), sign (j,)): mirrored = sign * q[..., index]."""
        index = [self.joints.index(self.mirror[joint][0]) for joint in self.joints]
        sign = [self.mirror[joint][1] for joint in self.joints]
        return np.array(index), np.array(sign, dtype=float)

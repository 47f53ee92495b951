"""The scene: robots and terrain whose physics is edited by path before one model is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from servogym.scenes.assembly import Assembly
from servogym.scenes.edits import actuator, body, checks, contact, joint, physics
from servogym.scenes.edits.shapes import collision_shapes
from servogym.scenes.edits.target import BodyTarget
from servogym.scenes.edits.write import commit
from servogym.scenes.owners import Subject
from servogym.scenes.paths import Kind, Target, one_path, path_list

Mode = Literal["position", "velocity"]
"""What a servo follows."""


class Scene(Assembly):
    """Things under scene paths, edited until `finalize` makes them one MuJoCo model.

    Setters are keyword-only except for the path, return None, and take effect in `finalize`. A
    value left out, or None, keeps what is there; 0 and False are values. Every target and value of
    a call is checked before the first is changed, so that a call that raises has changed nothing.
    TypeError: a value of the wrong kind, or an element that cannot have it. ValueError: a value out
    of range, or one that contradicts what is there. LookupError: a path that leads nowhere.
    RuntimeError: too late, or nothing there yet.
    """

    def __init__(self, *, collision_filter_from_group: bool = False) -> None:
        """Start empty.

        Args:
            collision_filter_from_group: Let `collision_group` decide what collides: shapes do when
                they are in the same group, 0 to 31. Otherwise it is a label.
        """
        super().__init__()
        self._filter = checks.truth(
            collision_filter_from_group, "scene", "collision_filter_from_group"
        )

    def set_contact_physics_properties(
        self,
        *,
        body_paths: Sequence[str] = (),
        geom_paths: Sequence[str] = (),
        sliding_friction: float | None = None,
        torsional_friction: float | None = None,
        rolling_friction: float | None = None,
        collision_enabled: bool | None = None,
        collision_group: int | None = None,
        margin: float | None = None,
        gap: float | None = None,
    ) -> None:
        """Set how collision shapes touch; see `servogym.scenes.edits.contact.plan`.

        Args:
            body_paths: Bodies, all of whose own collision shapes are meant; or
            geom_paths: Single shapes. One of the two, not both.
            sliding_friction: [-], >= 0.
            torsional_friction: [m], >= 0.
            rolling_friction: [m], >= 0.
            collision_enabled: Whether the shape collides.
            collision_group: An integer from 0 on.
            margin: Distance at which contact is detected [m], >= 0.
            gap: Part of it in which no force acts [m], >= 0.
        """
        values: dict[str, Any] = {
            "sliding_friction": sliding_friction,
            "torsional_friction": torsional_friction,
            "rolling_friction": rolling_friction,
            "collision_enabled": collision_enabled,
            "collision_group": collision_group,
            "margin": margin,
            "gap": gap,
        }
        self._check_open()
        chosen = {
            name: path_list(name, paths)
            for name, paths in (("body_paths", body_paths), ("geom_paths", geom_paths))
            if not (isinstance(paths, list | tuple) and not paths)
        }
        if len(chosen) != 1:
            given = " and ".join(chosen) or "neither"
            raise ValueError(f"give either body_paths or geom_paths, not {given}")
        paths = self._paths()
        if "geom_paths" in chosen:
            found = paths.find("geom", chosen["geom_paths"])
            targets = [self._notes.shape(target) for target in found]
        else:
            targets = [
                shape
                for target in paths.find("body", chosen["body_paths"])
                for shape in collision_shapes(
                    self._spec, target.path, self._notes.shapes_of(target)
                )
            ]
        for shape in targets:
            self._owners.check("shape", shape.path, shape.element.name, _given(values))
        plan = contact.plan(self._spec, targets, **values, filter_from_group=self._filter)
        commit(plan)

    def set_body_physics_properties(
        self,
        path: str,
        *,
        mass: float | None = None,
        center_of_mass: Sequence[float] | None = None,
        inertia: Sequence[Sequence[float]] | np.ndarray | None = None,
        gravcomp: float | None = None,
        starts_asleep: bool | None = None,
    ) -> None:
        """Set what one body weighs and how it begins; see `set_bodies_physics_properties`."""
        self._edit_bodies(
            (one_path("path", path),),
            mass=mass,
            center_of_mass=center_of_mass,
            inertia=inertia,
            gravcomp=gravcomp,
            starts_asleep=starts_asleep,
        )

    def set_bodies_physics_properties(
        self,
        paths: Sequence[str],
        *,
        mass: float | None = None,
        center_of_mass: Sequence[float] | None = None,
        inertia: Sequence[Sequence[float]] | np.ndarray | None = None,
        gravcomp: float | None = None,
        starts_asleep: bool | None = None,
    ) -> None:
        """Set what bodies weigh and how they begin; see `servogym.scenes.edits.body.plan`.

        Args:
            paths: The bodies.
            mass: Mass of each body without its children [kg], > 0.
            center_of_mass: In the frame of the body, (3,) [m].
            inertia: About the centre of mass, in the axes of the body, (3, 3) [kg*m^2].
            gravcomp: Share of the weight that is held up, 0 to 1 [-].
            starts_asleep: Whether the tree whose root the body is begins asleep.
        """
        self._edit_bodies(
            path_list("paths", paths),
            mass=mass,
            center_of_mass=center_of_mass,
            inertia=inertia,
            gravcomp=gravcomp,
            starts_asleep=starts_asleep,
        )

    def set_joint_physics_properties(
        self,
        path: str,
        *,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        velocity_limit: float | None = None,
        passive_damping: float | None = None,
        friction: float | None = None,
        armature: float | None = None,
        initial_position: float | None = None,
        initial_velocity: float | None = None,
    ) -> None:
        """Set limits, passive forces and beginning of one joint; the plural says which."""
        self._edit_joints(
            (one_path("path", path),),
            limit_lower=limit_lower,
            limit_upper=limit_upper,
            velocity_limit=velocity_limit,
            passive_damping=passive_damping,
            friction=friction,
            armature=armature,
            initial_position=initial_position,
            initial_velocity=initial_velocity,
        )

    def set_joints_physics_properties(
        self,
        paths: Sequence[str],
        *,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        velocity_limit: float | None = None,
        passive_damping: float | None = None,
        friction: float | None = None,
        armature: float | None = None,
        initial_position: float | None = None,
        initial_velocity: float | None = None,
    ) -> None:
        """Set limits, passive forces and beginning; see `servogym.scenes.edits.joint.plan`.

        Args:
            paths: The joints: hinges and slides.
            limit_lower: Lower end of the range [rad or m].
            limit_upper: Upper end of the range [rad or m].
            velocity_limit: Largest speed [rad/s or m/s], >= 0. MuJoCo has none; it is kept by
                `Simulation`, not by `mujoco.mj_step`.
            passive_damping: Damping that acts without an actuator, >= 0 [N*m*s/rad or N*s/m].
            friction: Dry friction, >= 0 [N*m or N].
            armature: Inertia on the axis of the joint, >= 0 [kg*m^2 or kg].
            initial_position: Where the joint begins, within its limits [rad or m].
            initial_velocity: How fast it moves then [rad/s or m/s].
        """
        self._edit_joints(
            path_list("paths", paths),
            limit_lower=limit_lower,
            limit_upper=limit_upper,
            velocity_limit=velocity_limit,
            passive_damping=passive_damping,
            friction=friction,
            armature=armature,
            initial_position=initial_position,
            initial_velocity=initial_velocity,
        )

    def set_actuator_physics_properties(
        self,
        joint_path: str,
        *,
        mode: Mode | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        target_position: float | None = None,
        target_velocity: float | None = None,
        effort_limit: float | None = None,
    ) -> None:
        """Set the servo of one joint; see `set_actuators_physics_properties`."""
        self._edit_actuators(
            (one_path("joint_path", joint_path),),
            mode=mode,
            stiffness=stiffness,
            damping=damping,
            target_position=target_position,
            target_velocity=target_velocity,
            effort_limit=effort_limit,
        )

    def set_actuators_physics_properties(
        self,
        joint_paths: Sequence[str],
        *,
        mode: Mode | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        target_position: float | None = None,
        target_velocity: float | None = None,
        effort_limit: float | None = None,
    ) -> None:
        """Set the servos of joints; see `servogym.scenes.edits.actuator.plan`.

        Args:
            joint_paths: The joints that the servos drive.
            mode: `position` or `velocity`; None: what the actuator is.
            stiffness: Torque per position error, position mode only [N*m/rad or N/m].
            damping: Torque per velocity error [N*m*s/rad or N*s/m].
            target_position: Held from the beginning, position mode only [rad or m].
            target_velocity: Held from the beginning, velocity mode only [rad/s or m/s].
            effort_limit: Largest torque or force [N*m or N].
        """
        self._edit_actuators(
            path_list("joint_paths", joint_paths),
            mode=mode,
            stiffness=stiffness,
            damping=damping,
            target_position=target_position,
            target_velocity=target_velocity,
            effort_limit=effort_limit,
        )

    def set_scene_physics_properties(
        self, *, gravity: Sequence[float] | None = None, timestep: float | None = None
    ) -> None:
        """Set what holds for the whole scene; see `servogym.scenes.edits.physics.plan`.

        Args:
            gravity: Acceleration of free fall in world axes, (3,) [m/s^2].
            timestep: Physics step [s], > 0.
        """
        self._check_open()
        if not self._entries:
            raise RuntimeError("the scene is empty: its options come with the first thing added")
        values = {"gravity": gravity, "timestep": timestep}
        self._owners.check("scene", "/world", "", _given(values))
        commit(physics.plan(self._spec, gravity=gravity, timestep=timestep))

    def _edit_bodies(self, paths: Sequence[str], **values: Any) -> None:
        targets = [
            BodyTarget(path=t.path, element=t.element, source=t.entry.source)
            for t in self._resolve("body", "body", paths, values)
        ]
        commit(body.plan(self._spec, targets, **values))

    def _edit_joints(self, paths: Sequence[str], **values: Any) -> None:
        found = self._resolve("joint", "joint", paths, values)
        commit(joint.plan([self._notes.joint(t) for t in found], **values))

    def _edit_actuators(self, paths: Sequence[str], **values: Any) -> None:
        found = self._resolve("joint", "actuator", paths, values)
        targets = [self._notes.joint(t) for t in found]
        commit(actuator.plan(self._spec, targets, **values))

    def _resolve(
        self, kind: Kind, subject: Subject, paths: Sequence[str], values: dict[str, Any]
    ) -> list[Target]:
        """What the paths of an edit lead to, if the edit may be made at all."""
        self._check_open()
        found = self._paths().find(kind, paths)
        for target in found:
            self._owners.check(subject, target.path, target.element.name, _given(values))
        return found


def _given(values: dict[str, Any]) -> list[str]:
    """Names of the values that were given."""
    return [name for name, value in values.items() if value is not None]

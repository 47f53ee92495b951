"""What a scene is made of, before its physics is edited: things put together and built once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import mujoco

from servogym.scenes import asleep, solref, sources, velocity_limits, whole
from servogym.scenes.initial import write_initial
from servogym.scenes.notes import Notes
from servogym.scenes.owners import Owners, Subject
from servogym.scenes.paths import Entry, Kind, Paths, path_list
from servogym.scenes.placing import Place, attach, box, move, place
from servogym.scenes.simulation import Simulation

_ONE_DOF = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


class Assembly:
    """Things under scene paths that `finalize` makes one MuJoCo model.

    What is added first becomes the spec itself and keeps its names; its options, its keyframes and
    its compiler settings are the scene's. What follows is attached, its names prefixed with
    `<name>/` in the model. Paths are alike for all: `/world/<name>/<body>/.../<joint or geom>`,
    with the names of the thing's own file.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._spec = mujoco.MjSpec()
        self._entries: dict[str, Entry] = {}
        self._notes = Notes()
        self._owners = Owners()
        self._joint_names: dict[str, str] | None = None
        self._model: mujoco.MjModel | None = None
        self._injected = False

    def add(
        self,
        name: str,
        source: sources.Readable,
        *,
        pos: Sequence[float] | None = None,
        quat: Sequence[float] | None = None,
    ) -> None:
        """Put a thing into the scene, under `/world/<name>`.

        Args:
            name: Its name in paths: letters, digits, `_`, `-` and `.`.
            source: MJCF or URDF as a file or as text, an MjSpec (copied), or a Robot; USD is
                refused.
            pos: Where its origin lies in the world, (3,) [m]; None: at the world's. Bodies on free
                joints move along, but not in the file's keyframes.
            quat: How it is turned, (w, x, y, z); None: not at all.

        Raises:
            TypeError: A value, or the source, is of the wrong kind.
            ValueError: The name is taken, or the source cannot be read or attached.
            OSError: The file cannot be opened.
            RuntimeError: The scene has been finalized.
        """
        self._check_open()
        self._check_name(name)
        where = place(f"{name!r}", pos, quat)
        read = sources.read(source)
        entry = Entry(name=name, source=read.kind, first=not self._entries)
        before = self._spec
        self._enter(entry, read.spec, where)
        paths = self._paths()
        limited = [paths.of("joint", entry.prefix + joint) for joint in read.velocity_limits]
        try:
            found = paths.find("joint", limited)
        except LookupError as error:
            self._spec = before
            del self._entries[name]
            raise ValueError(f"{name!r}: {error}") from None
        for target, limit in zip(found, read.velocity_limits.values(), strict=True):
            self._notes.joint(target).notes.velocity_limit = limit

    def add_box(
        self,
        name: str,
        *,
        half_size: Sequence[float],
        pos: Sequence[float] | None = None,
        quat: Sequence[float] | None = None,
        mass: float | None = None,
        friction: Sequence[float] = (1.0, 0.005, 0.0001),
    ) -> None:
        """Put a box into the scene; what it is like is said here, and setters refuse its path.

        Args:
            name: Its name in paths.
            half_size: Half lengths along its axes, (3,) [m].
            pos: Its middle in the world, (3,) [m].
            quat: How it is turned, (w, x, y, z).
            mass: Mass of a box that moves freely [kg]; None fixes it to the world.
            friction: Sliding [-], torsional [m], rolling [m].

        Raises:
            TypeError: A value is of the wrong kind.
            ValueError: A value is out of range, or the name is taken.
            RuntimeError: The scene has been finalized.
        """
        self._check_open()
        self._check_name(name)
        made = box(f"box {name!r}", half_size=half_size, mass=mass, friction=friction)
        entry = Entry(name=name, source="code", first=not self._entries)
        self._enter(entry, made, place(f"{name!r}", pos, quat))

    def apply(self, change: Callable[[mujoco.MjSpec], mujoco.MjSpec | None]) -> None:
        """Change the spec in a way that has no setter, e.g. add a sensor or a gear gap.

        The function gets a copy and edits it, or returns another spec, like `add_backlash`. If it
        raises, nothing has changed. Notes of earlier edits go by path, so names must stay.

        Raises:
            ValueError: Something refers to what the change took away or renamed.
            RuntimeError: The scene is empty, or has been finalized.
        """
        self._check_open()
        if not self._entries:
            raise RuntimeError("the scene is empty: add something before changing its spec")
        draft = self._spec.copy()
        changed = change(draft)
        draft = draft if changed is None else changed
        whole.check(draft, "after this change")
        self._spec = draft

    def inject(self, model: mujoco.MjModel) -> None:
        """Take a compiled model for the whole scene; there is no source left to edit then.

        Raises:
            TypeError: It is no MjModel.
            RuntimeError: Something was added before, or the scene has been finalized.
        """
        self._check_open()
        if not isinstance(model, mujoco.MjModel):
            raise TypeError(f"{type(model).__name__} is no mujoco.MjModel; sources go to add()")
        if self._entries:
            raise RuntimeError(f"the scene holds {list(self._entries)}; inject into an empty one")
        solref.check(model)
        self._model, self._injected = model, True

    def reserve(
        self, subject: Subject, properties: Iterable[str], owner: str, names: Iterable[str] | None
    ) -> None:
        """Refuse setters what somebody else decides, and so would override without a word.

        Args:
            subject: `shape`, `body`, `joint`, `actuator` (by its joint) or `scene`.
            properties: Parameters of the setter.
            owner: Who decides and where to change it; ends the error message.
            names: Elements by their names in the spec; None means all.

        Raises:
            RuntimeError: The scene has been finalized.
        """
        self._check_open()
        self._owners.reserve(subject, properties, owner, names)

    def paths(self, kind: Kind) -> tuple[str, ...]:
        """Every path of a kind, `body`, `joint` or `geom`, in the order of the spec."""
        return self._paths().all(kind)

    def names(self, kind: Kind, paths: Sequence[str]) -> tuple[str, ...]:
        """What the model calls the elements that paths lead to.

        Raises:
            TypeError: The paths are no list of texts.
            LookupError: A path leads to nothing, or to another kind.
        """
        found = self._paths().find(kind, path_list("paths", paths))
        return tuple(target.element.name for target in found)

    def xml(self) -> str:
        """MJCF of the scene as it is now, with what `finalize` writes into the model.

        Raises:
            ValueError: It does not compile.
            LookupError: As in `finalize`.
            RuntimeError: The model was injected.
        """
        if self._injected:
            raise RuntimeError("the model was injected compiled: there is no source to write out")
        draft = self._draft()
        draft.compile()
        return draft.to_xml()

    def finalize(self) -> mujoco.MjModel:
        """Build the model; from then on nothing can be edited.

        Initial positions, velocities and targets go into the keyframe `initial`, velocity limits
        into custom numerics that `Simulation` reads.

        Raises:
            ValueError: MuJoCo refuses the model, or wakes what is to start asleep; the scene can
                still be edited.
            LookupError: A change of the spec took away a joint whose servo, limit of
                speed or beginning was set.
            RuntimeError: The scene is empty, or has been finalized.

        Warns:
            UserWarning: MuJoCo acts softer than a solver reference says; see `solref.check`.
        """
        if self._injected and self._model is not None:
            return self._model
        self._check_open()
        if not self._entries:
            raise RuntimeError("the scene is empty: add something before building it")
        model = self._draft().compile()
        asleep.check(model)
        solref.check(model)
        self._joint_names = {
            joint.path: joint.element.name
            for joint in self._paths().targets("joint")
            if mujoco.mjtJoint(joint.element.type) in _ONE_DOF
        }
        self._model = model
        return model

    def simulation(self) -> Simulation:
        """The finished model, ready to run, with joints by scene path.

        Raises:
            RuntimeError: The scene has not been finalized.
        """
        if self._model is None:
            raise RuntimeError("finalize() the scene before simulating it")
        return Simulation(self._model, self._joint_names)

    def _draft(self) -> mujoco.MjSpec:
        """A copy of the spec into which the notes are written."""
        paths, draft = self._paths(), self._spec.copy()
        noted = self._notes.joints_that_say_something()
        paths.find("joint", list(noted))
        notes = {
            target.element.name: noted[target.path]
            for target in paths.targets("joint")
            if target.path in noted
        }
        limits = {
            name: note.velocity_limit
            for name, note in notes.items()
            if note.velocity_limit is not None
        }
        velocity_limits.write(draft, limits)
        write_initial(draft, notes)
        return draft

    def _paths(self) -> Paths:
        return Paths(self._spec, self._entries.values())

    def _enter(self, entry: Entry, spec: mujoco.MjSpec, where: Place) -> None:
        """Take a spec in under an entry."""
        if entry.first:
            move(spec, entry, where)
            draft = spec
        else:
            draft = self._spec.copy()
            attach(draft, spec, entry, where)
        self._spec = draft
        self._entries[entry.name] = entry

    def _check_name(self, name: object) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name is {name!r}; a str is needed")
        if not re.fullmatch(r"[\w.-]+", name):
            raise ValueError(f"the name is {name!r}; accepted: letters, digits, '_', '-', '.'")
        if name in self._entries:
            raise ValueError(f"/world/{name} exists already; in use: {', '.join(self._entries)}")

    def _check_open(self) -> None:
        if self._injected:
            raise RuntimeError("the model was injected compiled: there is no source to edit")
        if self._model is not None:
            raise RuntimeError("the scene is finalized: its model is not built again; make another")

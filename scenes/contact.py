"""How soft the ground is under the feet: one setting for any robot on any terrain.

MuJoCo's softness of a contact is a time constant, `solref[0]`: the penetration decays within about
that time, so a small one is stiff. Ground friction slips slowly (creeps) with the same constant
unless it gets one of its own, `solreffriction[0]`, which only explicit pairs of geoms have, and
which only acts with elliptic friction cones.

| setting | what it does |
|---|---|
| `native` | nothing: the robot's file decides, 0.02 s where it says nothing |
| `A` | on a terrain with a height field 0.006 s, on any other nothing |
| `B` | one pair a foot and ground geom: 0.006 s against the ground, 0.02 s along it |
| `C` | 0.01 s everywhere |

On height fields 0.02 s lets feet sink in by millimetres; on a flat plane a stiff constant saves
nothing and makes friction creep differently. Hence A for either, which is what tasks that name no
setting have, see `DEFAULT`. MuJoCo's own collision detector stays switched on in all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True)
class Native:
    """Leaves every contact as the robot's file has it."""


@dataclass(frozen=True)
class PerTerrain:
    """Scheme A: stiffer on terrains with a height field, untouched on others."""

    hills: float = 0.006
    """Time constant of feet and ground on terrains with a height field [s]."""


@dataclass(frozen=True)
class FootPairs:
    """Scheme B: a pair for every foot on every ground geom, with two time constants.

    A pair copies condim, friction, solref, solimp, margin and gap from its foot; MuJoCo takes it
    instead of the contact it would have found itself. The ground's own friction no longer counts,
    and neither does `geom_friction`: see `pairs_of`.
    """

    normal: float | None = 0.006
    """Time constant against the ground [s]; None keeps each foot's own solref."""
    tangential: float | None = 0.02
    """Time constant of friction [s]; None makes it that of the normal direction."""


@dataclass(frozen=True)
class Compromise:
    """Scheme C: one time constant between the two, on every terrain."""

    everywhere: float = 0.01
    """Time constant of feet and ground [s]."""


Scheme = Native | PerTerrain | FootPairs | Compromise


@dataclass(frozen=True)
class Cones:
    """Any of these with other friction cones than the scene would have."""

    setting: Scheme
    """How soft."""
    elliptic: bool
    """Whether friction is bounded by an ellipse; else by a pyramid around the same axes."""
    impratio: float = 1.0
    """Stiffness of friction over that of the normal direction. It acts on pyramids as well, whose
    edges mix both directions; MuJoCo advises against large ones there [1]."""


Contact = Scheme | Cones
"""What a task or a command line may ask for."""

SCHEMES: dict[str, type[Scheme]] = {
    "native": Native,
    "A": PerTerrain,
    "B": FootPairs,
    "C": Compromise,
}
"""Name of a scheme -> its record."""

DEFAULT = PerTerrain(hills=0.01)
"""Scheme A, on height fields as stiff as MuJoCo can be with the physics step of 5 ms that tasks
have: two steps, see `effective`. 0.006 s would act as the same and warn."""


def parse(text: str) -> Contact:
    """Read `native`, `A`, `B` or `C`, with time constants if wanted: `C:0.008`, `B:0.006,none`.

    Behind a slash may stand the friction cones: `C/pyramidal`, or with an impratio
    `B/elliptic:100`.

    Raises:
        ValueError: naming the text and what it should look like.
    """
    plain, slash, cones = text.partition("/")
    if slash:
        return _cones(text, plain, cones)
    name, _, numbers = text.partition(":")
    if name not in SCHEMES:
        raise ValueError(f"no contact scheme {name!r}; there are {', '.join(SCHEMES)}")
    scheme = SCHEMES[name]
    given = numbers.split(",") if numbers else []
    known = [f.name for f in fields(scheme)]
    try:
        values: list[Any] = [None if value == "none" else float(value) for value in given]
        if len(values) > len(known) or (None in values and scheme is not FootPairs):
            raise ValueError
        setting = scheme(*values)
        _check(setting)
    except ValueError:
        if not known:
            raise ValueError(f"contact {text!r}; write {name}, which takes no times") from None
        usual = ",".join(str(getattr(scheme(), each)) for each in known)
        raise ValueError(
            f"contact {text!r}; write {name}:{','.join(known)} with times above 0 in seconds, "
            f"e.g. {name}:{usual}"
        ) from None
    return setting


def _cones(text: str, plain: str, cones: str) -> Cones:
    shape, colon, ratio = cones.partition(":")
    setting = parse(plain)
    assert not isinstance(setting, Cones), "what stands before the slash has none"
    try:
        if shape not in ("elliptic", "pyramidal"):
            raise ValueError
        found = Cones(setting, shape == "elliptic", float(ratio) if colon else 1.0)
        _check(found)
    except ValueError:
        raise ValueError(
            f"contact {text!r}; write {plain}/pyramidal or {plain}/elliptic, with an impratio "
            f"above 0 if wanted, e.g. {plain}/elliptic:100"
        ) from None
    return found


def written(contact: Contact) -> str:
    """Write a setting as `parse` reads it, with every time constant to the last bit."""
    if isinstance(contact, Cones):
        shape = "elliptic" if contact.elliptic else "pyramidal"
        return f"{written(contact.setting)}/{shape}:{float(contact.impratio)!r}"
    scheme = next(name for name, kind in SCHEMES.items() if type(contact) is kind)
    values = (getattr(contact, f.name) for f in fields(contact))
    numbers = ",".join("none" if value is None else repr(float(value)) for value in values)
    return f"{scheme}:{numbers}" if numbers else scheme


def effective(constant: float, timestep: float) -> float:
    """What MuJoCo makes of a time constant [s]: at least two physics steps.

    Args:
        constant: asked for [s].
        timestep: physics step [s].
    """
    from servogym.scenes import solref

    return solref.effective((constant, 1.0), timestep)[0]


def acts_as(contact: Contact, timestep: float) -> Contact:
    """Return the setting MuJoCo really obeys; settings that act as equals are the same physics.

    Args:
        contact: asked for.
        timestep: physics step [s].
    """
    if isinstance(contact, Cones):
        inner = acts_as(contact.setting, timestep)
        assert not isinstance(inner, Cones)
        return replace(contact, setting=inner)
    asked = {f.name: getattr(contact, f.name) for f in fields(contact)}
    known = {name: value for name, value in asked.items() if value is not None}
    return replace(contact, **{name: effective(v, timestep) for name, v in known.items()})


def on(contact: Contact, hilly: bool) -> Contact:
    """Return what a setting comes to on some ground: scheme A is `native` where it does nothing.

    Args:
        contact: asked for.
        hilly: whether some of the ground is a height field, see `Ground.hilly`.
    """
    if isinstance(contact, Cones):
        return replace(contact, setting=_scheme_on(contact.setting, hilly))
    return _scheme_on(contact, hilly)


def apply(
    spec: mujoco.MjSpec, contact: Contact | str, feet: Sequence[str], ground: Sequence[str]
) -> tuple[str, ...]:
    """Set the contacts of feet on ground in a spec; return the names of the pairs made.

    To be called last, on the spec that will be compiled: attaching it to another would drop its
    friction cone, and its physics step is needed for the warning.

    Args:
        spec: holds robot, ground and options.
        contact: the setting.
        feet: geoms of the soles, with the prefix they carry in this spec.
        ground: geoms of the ground, walls included; see `Ground.geoms`.

    Raises:
        ValueError: a foot or ground geom is not in the spec, or listed twice, or a time is not
            positive, or pairs with a constant of their own for friction meet pyramidal cones, or
            a foot and ground geom are a pair already; nothing has changed then.

    Warns:
        UserWarning: MuJoCo will act as if a time constant were larger; the message says which.
    """
    import mujoco

    setting = parse(contact) if isinstance(contact, str) else contact
    _check(setting)
    if isinstance(setting, Cones):
        return _with_cones(spec, setting, feet, ground)
    soles, grounds = _find(spec, "foot", feet), _find(spec, "ground", ground)
    if isinstance(setting, FootPairs):
        _refuse_pyramids(spec, setting)
        _refuse_second_pairs(spec, feet, ground)
    hilly = any(geom.type == mujoco.mjtGeom.mjGEOM_HFIELD for geom in grounds)
    setting = _scheme_on(setting, hilly)
    if isinstance(setting, Native):
        return ()
    _tell(spec, setting)
    if isinstance(setting, FootPairs):
        _soften(soles, setting.normal)
        return tuple(_pair(spec, foot, other, setting) for foot in soles for other in grounds)
    constant = setting.hills if isinstance(setting, PerTerrain) else setting.everywhere
    _soften([*soles, *grounds], constant)  # both: whichever counts, or their mean, is the constant
    return ()


def pairs_of(model: mujoco.MjModel, geoms: Sequence[int] | np.ndarray) -> list[np.ndarray]:
    """Pairs in which each of some geoms takes part, an array of pair ids a geom.

    Whoever changes the friction of a foot must write `pair_friction[pairs, :2]` as well as
    `geom_friction[foot, 0]`: MuJoCo reads a pair's friction from the pair alone.

    Args:
        model: compiled.
        geoms: ids, as in `Addresses.foot_geom`.
    """
    both = np.stack((model.pair_geom1, model.pair_geom2), axis=1)
    return [np.flatnonzero((both == geom).any(axis=1)) for geom in geoms]


def _scheme_on(setting: Scheme, hilly: bool) -> Scheme:
    return setting if hilly or not isinstance(setting, PerTerrain) else Native()


def _with_cones(
    spec: mujoco.MjSpec, contact: Cones, feet: Sequence[str], ground: Sequence[str]
) -> tuple[str, ...]:
    """Set the cones first, for a setting may act with some alone; undo that if it is refused."""
    import mujoco

    option = spec.option
    before = option.cone, option.impratio
    kinds = mujoco.mjtCone
    option.cone = kinds.mjCONE_ELLIPTIC if contact.elliptic else kinds.mjCONE_PYRAMIDAL
    option.impratio = contact.impratio
    try:
        return apply(spec, contact.setting, feet, ground)
    except ValueError:
        option.cone, option.impratio = before
        raise


def _check(contact: Contact) -> None:
    if isinstance(contact, Cones):
        if not 0.0 < contact.impratio < np.inf:
            raise ValueError(f"contact: impratio is {contact.impratio!r}; needs more than 0")
        _check(contact.setting)
        return
    for setting in fields(contact):
        value = getattr(contact, setting.name)
        if value is not None and not 0.0 < value < np.inf:
            raise ValueError(f"contact: {setting.name} is {value!r}; needs a time above 0 s")


def _find(spec: mujoco.MjSpec, role: str, names: Sequence[str]) -> list[mujoco.MjsGeom]:
    known = {geom.name: geom for geom in spec.geoms if geom.name}
    missing = [name for name in names if name not in known]
    if missing or not names or len(set(names)) != len(names):
        raise ValueError(
            f"contact: {role} geoms {list(names)}, of which {missing} are not in this spec; needs "
            f"at least one, each once, out of {sorted(known)}"
        )
    return [known[name] for name in names]


def _refuse_pyramids(spec: mujoco.MjSpec, setting: FootPairs) -> None:
    import mujoco

    elliptic = spec.option.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    if setting.tangential is not None and not elliptic:
        raise ValueError(
            f"contact: friction's own time constant ({setting.tangential:g} s) acts only with "
            "elliptic friction cones, and this spec's are pyramidal; set option.cone to elliptic, "
            "or tangential to None, or take scheme C"
        )


def _refuse_second_pairs(spec: mujoco.MjSpec, feet: Sequence[str], ground: Sequence[str]) -> None:
    """MuJoCo would make two contacts of two pairs."""
    for pair in spec.pairs:
        both = {pair.geomname1, pair.geomname2}
        if both & set(feet) and both & set(ground):
            raise ValueError(
                f"contact: this spec pairs {sorted(both)} already; delete that pair, or take "
                "another scheme than B"
            )


def _tell(spec: mujoco.MjSpec, setting: Contact) -> None:
    """Say what MuJoCo will make of constants under two physics steps."""
    import mujoco

    step = spec.option.timestep
    unsafe = spec.option.disableflags & mujoco.mjtDisableBit.mjDSBL_REFSAFE
    for part in fields(setting):
        asked = getattr(setting, part.name)
        if asked is None or asked >= 2.0 * step:
            continue
        if unsafe:
            then = "and refsafe is off: expect the robot to be thrown"
        else:
            then = f"so MuJoCo acts as if it were {effective(asked, step):g} s"
        warnings.warn(
            f"contact: {part.name} = {asked:g} s is under two physics steps of {step:g} s, {then}",
            stacklevel=3,
        )


def _soften(geoms: Sequence[mujoco.MjsGeom], constant: float | None) -> None:
    """Give geoms a time constant; their damping ratio stays, a spring and damper becomes 1."""
    if constant is None:
        return
    for geom in geoms:
        ratio = float(geom.solref[1]) if geom.solref[0] > 0 else 1.0
        geom.solref = [constant, ratio]


def _pair(
    spec: mujoco.MjSpec, foot: mujoco.MjsGeom, ground: mujoco.MjsGeom, setting: FootPairs
) -> str:
    """Add one pair; the foot's three frictions make five: sliding and rolling count twice."""
    sliding, torsion, rolling = (float(v) for v in foot.friction)
    name = f"{foot.name}:{ground.name}"
    spec.add_pair(
        name=name,
        geomname1=foot.name,
        geomname2=ground.name,
        condim=foot.condim,
        friction=[sliding, sliding, torsion, rolling, rolling],
        solref=list(foot.solref),
        solreffriction=[0.0, 0.0] if setting.tangential is None else [setting.tangential, 1.0],
        solimp=list(foot.solimp),
        margin=foot.margin,
        gap=foot.gap,
    )
    return name

"""Writes the page that goes with a shipped policy; everything in it is in the JSON beside it."""

from collections.abc import Mapping
from typing import Any

from servogym import robots
from servogym.cli.text import table
from servogym.envs import registration
from servogym.gauge import bar
from servogym.gauge.criterion import USABLE, WALKING
from servogym.gauge.walking import said
from servogym.scenes.terrain import Field

Record = Mapping[str, Any]
"""What `ship.py` writes as JSON: what `evaluate.py --json` does, its short form, the history."""

_COLUMNS = (
    ("power [W]", "power", 1.0, 1),
    ("strides [1/s]", "strides", 1.0, 1),
    ("swing [s]", "swing", 1.0, 2),
    ("clearance [mm]", "clearance", 1e3, 0),
    ("all feet down", "double_support", 1.0, 2),
    ("yaw drift [deg]", "yaw_drift", 1.0, 0),
    ("head error [rad]", "head_error", 1.0, 2),
)
_SLIDES, _TURNS = 0.04, 0.15
"""Velocities across what was asked that a card calls a weakness [m/s], [rad/s]."""
_WALKS = 0.6
"""Share of the forward speed asked for from which a robot walks forward."""


def write(name: str, record: Record) -> str:
    """Write the card of a policy as Markdown; the same record gives the same text."""
    made = record["training"]
    return (
        "\n\n".join(
            (
                f"# {name}",
                verdict(record),
                "## How it was made",
                "\n".join(
                    f"    {line}"
                    for line in (made["command"], *made["continued"], record["shipping"])
                ),
                _history(record),
                "## What it does",
                f"`{record['command']}`: {record['episodes']} robots a command,"
                f" {record['seconds']:g} s each, with all randomisation, noise, delays and pushes"
                " of the task. Means over the robots that did not fall, after 2 s;"
                " `gauge/statistics.py` says how each number is computed.",
                _walks(record),
                "## The bar",
                _bar(record) or "There is none for this task.",
                "## Known weaknesses",
                "\n".join(f"- {line}" for line in weaknesses(record)),
                "## Files",
                _files(name),
            )
        )
        + "\n"
    )


def verdict(record: Record) -> str:
    """Say in a sentence or two whether it walks forward and which mark it reached, if any."""
    task = registration.resolve(record["task"])["task"]
    title, asked_of = robots.get(registration.find(task).robot).title, bar.of(task)
    pushed = _pushed(record)
    straight = next(
        walk
        for walk in pushed
        if (
            walk["command"][0] > 0
            if asked_of is None
            else tuple(walk["command"]) == asked_of.straight
        )
    )
    falls, episodes = (sum(walk[key] for walk in pushed) for key in ("falls", "episodes"))
    asked, done = straight["command"][0], _mean(straight, "vx")
    answer = "every robot fell" if done is None else f"it made {done:.2f} m/s"
    seen = (
        f"Asked for {asked:g} m/s {answer}; {falls} of {episodes} pushed episodes of"
        f" {record['seconds']:g} s, over {len(pushed)} commands, ended in a fall."
    )
    if asked_of is None:
        return f"A {title} whose task has no bar. {seen}"
    marks = record["marks"]
    if marks.get(WALKING):
        return f"A {title} that walks forward, over the walking bar. {seen}"
    missed = f"Not met: {_missed(record)}."
    if marks.get(USABLE):
        return (
            f"A {title} that walks forward: usable, but not over the walking bar. {seen} {missed}"
        )
    upright = 2 * straight["falls"] <= straight["episodes"]
    if upright and done is not None and done >= _WALKS * asked:
        return f"A {title} that walks forward, but not what we call usable. {seen} {missed}"
    return f"Not yet a {title} that walks forward. {seen}"


def weaknesses(record: Record) -> list[str]:
    """List what is known to be wrong with it, worst first, and what nobody has looked at."""
    lines = [
        f"misses the {c['mark']} mark: {c['name']} is {_number(c['value'])}, {_limit(c)} is needed"
        for c in record["criteria"]
        if not c["passed"]
    ]
    fallen = [walk for walk in record["walks"] if walk["falls"]]
    if fallen:
        shares = (f"{_asked(walk)} {walk['falls']}/{walk['episodes']}" for walk in fallen)
        lines.append(f"robots that fell: {', '.join(shares)}")
    lines += _unasked(record)
    return [
        *lines,
        f"one training run, seed {record['training']['seed']}; other seeds differ",
        f"{_ground(record)}, and it cannot get up after a fall",
        "seen in simulation only; no robot has run this file",
    ]


def _ground(record: Record) -> str:
    """Say on what it was tried."""
    terrain = registration.find(registration.resolve(record["task"])["task"]).terrain
    if isinstance(terrain, Field):
        return (
            f"tried on {', '.join(dict.fromkeys(terrain.kinds))} of levels 1 to {terrain.levels}"
            " alike, on which it was trained; of a single kind and level this page says nothing"
        )
    if terrain is None or terrain.kind == "flat":
        return "flat floor only"
    return f"on {terrain.kind} of level {terrain.level} only"


def _unasked(record: Record) -> list[str]:
    """Say which walks move in a direction in which nothing was asked."""
    lines = []
    for name, what, unit, limit, column in (
        ("vx", "forward", "m/s", _SLIDES, 0),
        ("vy", "sideways", "m/s", _SLIDES, 1),
        ("wz", "yaw", "rad/s", _TURNS, 2),
    ):
        means = ((_asked(w), _mean(w, name)) for w in _pushed(record) if w["command"][column] == 0)
        cases = [f"{asked}: {did:+.2f}" for asked, did in means if did and abs(did) > limit]
        if cases:
            lines.append(f"moves {what} though that was not asked [{unit}]: {', '.join(cases)}")
    return lines


def _history(record: Record) -> str:
    made, policy = record["training"], record["policy"]
    origin = made["origin"]
    differs = {**made["overrides"], **made["preset"]}
    minutes = made["minutes"]
    rows = [
        ("task", record["task"]),
        ("motor law", record["actuator"]),
        ("seed", made["seed"]),
        *_begun(made.get("start")),
        ("environment steps", _grouped(made["env_steps"])),
        ("training time", "unknown" if minutes is None else f"{minutes:g} min"),
        ("checkpoint", record["checkpoint"]),
        (
            "differs from the task's preset",
            ", ".join(f"{k} {v}" for k, v in differs.items()) or "-",
        ),
        ("commit (+: with changes)", origin.get("commit") or "unknown"),
        ("computer", f"{origin['cpu']}, cores: {origin['cores']}" if origin else "unknown"),
        ("versions, training", _versions(made["versions"])),
        ("versions, evaluation", _versions(record["versions"])),
        ("sha256 of the ONNX file", f"`{policy['sha256']}`"),
    ]
    return table(("what", "value"), rows)


def _begun(start: Record | None) -> list[tuple[str, str]]:
    """The row of a run that did not begin with fresh weights."""
    if start is None:
        return []
    after = f"after {_grouped(start['env_steps'])} steps"
    return [("began with", f"`{start['from']}` {after}, weights of sha256 `{start['weights']}`")]


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def _walks(record: Record) -> str:
    rows = []
    for walk in record["walks"]:
        velocity = [_mean(walk, name) for name in ("vx", "vy", "wz")]
        rows.append(
            (
                _asked(walk),
                ", ".join("-" if v is None else f"{v:+.2f}" for v in velocity),
                f"{walk['falls']}/{walk['episodes']}",
                *(
                    "-" if (mean := _mean(walk, key)) is None else f"{scale * mean:.{digits}f}"
                    for _, key, scale, digits in _COLUMNS
                ),
            )
        )
    names = [heading for heading, *_ in _COLUMNS]
    return table(("asked [m/s, rad/s]", "did: vx, vy, yaw", "falls", *names), rows)


def _bar(record: Record) -> str:
    parts = []
    for mark in record["marks"]:
        mine = [c for c in record["criteria"] if c["mark"] == mark]
        met = sum(c["passed"] for c in mine)
        rows = [
            ("yes" if c["passed"] else "NO", c["name"], _number(c["value"]), _span(c), _limit(c))
            for c in mine
        ]
        reached = "reached" if record["marks"][mark] else "not reached"
        parts += [
            f"**{mark}**: {reached}, {met} of {len(mine)}",
            table(("met", "criterion", "value", "95 %", "limit"), rows),
        ]
    return "\n\n".join(parts)


def _files(name: str) -> str:
    rows = (
        (f"`{name}.onnx`", "the policy with its contract; `servogym.deploy.runner.Policy` runs it"),
        (f"`{name}/`", "its weights as safetensors and JSON, to export again or to look into"),
        (f"`{name}.json`", "everything on this page, and every number of every robot"),
        (f"`{name}.mp4`", "what it looks like"),
    )
    return table(("file", "what it is"), rows)


def _missed(record: Record) -> str:
    """The criteria of the first mark that is not reached."""
    mark = next((m for m, reached in record["marks"].items() if not reached), None)
    names = [c["name"] for c in record["criteria"] if c["mark"] == mark and not c["passed"]]
    return "; ".join(names) or "no bar for this robot"


def _pushed(record: Record) -> list[Record]:
    """The walks of the grid of commands."""
    return [walk for walk in record["walks"] if walk["pushed"] and not walk["looking"]]


def _asked(walk: Record) -> str:
    extra = ", head too" * walk["looking"] + ", unpushed" * (not walk["pushed"])
    return said(tuple(walk["command"])) + extra


def _mean(walk: Record, name: str) -> float | None:
    return walk["statistics"][name]["mean"]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _span(criterion: Record) -> str:
    found = criterion["interval"]
    return "" if found is None else f"{found[0]:.3g} to {found[1]:.3g}"


def _limit(criterion: Record) -> str:
    sign = ">=" if criterion["at_least"] else "<" if criterion["strict"] else "<="
    return f"{sign} {criterion['limit']:g}"


def _versions(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in found.items())

"""A configuration file in TOML says what keyword arguments say, or is refused in one sentence."""

import subprocess
import sys
import typing
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from servogym.envs import configuration, registration
from servogym.envs.configuration import load, read
from servogym.envs.core import Core
from servogym.envs.task import Task

DUCK, TWIN = "MicroDuck-Flat-v0", "MicroDuck-Flat-Backlash-v0"
WHOLE = """
actuator = "pd"
encoder = "motor"
terrain = "wave:3"
contact = "C"
max_episode_steps = 100

[randomization]
push = 0.5
friction = false
mass = {of = "base", scale = [0.9, 1.1]}

[sensing]
gyro_noise = 0.1
imu_lag = [0, 2]

[commands]
standing = 0.5

[rewards]
cost_of_transport = {before = -0.1, after = -0.2, start = 0, end = 1e6}
gait = 1.5

[[edit]]
set = "set_body_physics_properties"
path = "/world/microduck/trunk_base"
mass = 0.25

[[edit]]
set = "set_contact_physics_properties"
body_paths = ["/world/microduck/trunk_base"]
collision_enabled = false
"""
ARGUMENTS = {
    "actuator": "pd",
    "encoder": "motor",
    "terrain": "wave:3",
    "contact": "C",
    "max_episode_steps": 100,
    "randomization": {"push": 0.5, "friction": None, "mass": {"of": "base", "scale": [0.9, 1.1]}},
    "sensing": {"gyro_noise": 0.1, "imu_lag": [0, 2]},
    "commands": {"standing": 0.5},
    "rewards": {
        "cost_of_transport": {"before": -0.1, "after": -0.2, "start": 0, "end": 1e6},
        "gait": 1.5,
    },
    "edits": [
        {
            "set": "set_body_physics_properties",
            "path": "/world/microduck/trunk_base",
            "mass": 0.25,
        },
        {
            "set": "set_contact_physics_properties",
            "body_paths": ["/world/microduck/trunk_base"],
            "collision_enabled": False,
        },
    ],
}


@pytest.fixture
def file(tmp_path):
    """Write a configuration; give its path."""

    def write(text: str) -> Path:
        path = tmp_path / "my.toml"
        path.write_text(text, "utf-8")
        return path

    return write


def played(**options):
    """A few steps of an environment."""
    core = Core(n=2, threads=1, **registration.resolve(DUCK), **options)
    rows = np.arange(2)
    core.seed(rows, rows.astype(np.uint64))
    seen = [core.reset(rows)]
    for _ in range(5):
        out = core.step(np.full((2, 14), 0.1))
        seen += [out.observation, out.reward, core.terms.copy()]
    return seen


def test_a_file_is_the_same_as_keyword_arguments_to_the_last_bit(file):
    assert read(file(WHOLE)) == ARGUMENTS
    by_file, by_hand = played(**load(file(WHOLE), DUCK).options), played(**ARGUMENTS)
    assert all(np.array_equal(a, b) for a, b in zip(by_file, by_hand, strict=True))
    assert not np.array_equal(by_file[-1], played()[-1])


def test_it_says_what_was_and_what_is(file):
    lines = load(file(WHOLE), DUCK).page().splitlines()
    assert lines[0].endswith("my.toml changes")
    for line in (
        "  actuator: bam -> pd",
        "  encoder: output -> motor",
        "  contact: native -> C:0.01",
        "  max_episode_steps: 1000 -> 100",
        f"  commands.standing: {registration.find('microduck_flat').commands.standing} -> 0.5",
        "  sensing.gyro_noise: 0.03 -> 0.1",
        "  sensing.imu_lag: (0, 1) -> (0, 2)",
        "  randomization.mass: base · 0.95 … 1.05 -> base · 0.9 … 1.1",
        "  randomization.friction: servos · 0.9 … 1.1 -> off",
        "  /world/microduck/trunk_base mass: 0.199224 -> 0.25 kg",
        "  /world/microduck/trunk_base/trunk_support_collision collision_enabled: True -> False",
    ):
        assert line in lines
    assert sum("gait" in line for line in lines) == 1
    assert load(file(""), DUCK).page().splitlines()[1:] == ["  nothing"]


@pytest.mark.parametrize("env_id", sorted(registration.ids()))
def test_every_robot_of_every_task_can_be_edited(env_id, file):
    core = Core(n=1, threads=1, **registration.resolve(env_id))
    base, robot = core.robot.base_body, core.robot.name
    path = core.built.scene().paths("body")[0]
    assert path == f"/world/{robot}/{base}"
    found = load(file(f'[[edit]]\nset = "{BODY}"\npath = "{path}"\nmass = 3.5\n'), env_id)
    (change,) = found.changes
    assert (change.after, change.unit) == (3.5, "kg")
    assert change.before == core.model.body(base).mass[0]


BODY, CONTACT, JOINT = (f"set_{kind}_physics_properties" for kind in ("body", "contact", "joint"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("contcat = 'C'", r"unknown key contcat \(did you mean contact\?\); known: actuator, enc"),
        ("[[edits]]\nset = 'x'", r"unknown key edits \(did you mean edit\?\)"),
        ("robot = 'go2'", "unknown key robot; known"),
        ("threads = 3", "unknown key threads"),
        ("contact = 3", 'contact is 3; a text in quotes, e.g. "C" is needed'),
        ("contact = 'D'", "no contact scheme 'D'; there are native, A, B, C"),
        ("actuator = 'steam'", "unknown actuator 'steam'; known laws: bam, dc, ideal, pd"),
        ("encoder = 'wheel'", "wheel"),
        ("terrain = true", "terrain is True; a text"),
        ("terrain = 'sea'", "no terrain 'sea'; there are flat, slope, wave, stairs, obstacle"),
        ("level = true", "level is True; a whole number is needed"),
        ("level = 1.5", "level is 1.5; a whole number is needed"),
        ("level = 3", "level 3: the task has no field of levels"),
        ("max_episode_steps = 0", "max_episode_steps is 0; needs 1 or more"),
        ("sensing = 1", r"sensing is 1; a table \[sensing\] is needed, or false for all of it off"),
        ("rewards = false", r"rewards is False; a table \[rewards\] is needed$"),
        ("sensing = true", "sensing is True; a table"),
        ("[sensing]\ngyro = 1", "sensing: unknown gyro; known: lin_vel_noise, gyro_noise"),
        ("[sensing]\ngyro_noise = false", "sensing.gyro_noise is false; it cannot be switched off"),
        ("[sensing]\ngyro_noise = nan", "gyro_noise is nan; needs 1 finite number"),
        ("[sensing]\ngyro_noise = '1'", "sensing: gyro_noise is '1'; needs 1 finite number"),
        ("[sensing]\nimu_lag = [0]", r"imu_lag is \(0,\); needs 2 finite whole number"),
        ("[commands]\nhead = {a = 1}", "commands: head is {'a': 1}; needs"),
        ("[rewards]\nfun = 1", "rewards: unknown fun; known: track_linear_velocity"),
        ("[rewards]\ngait = false", "rewards: gait is False; needs a finite number"),
        ("[randomization]\nmass = {of = 'tail', scale = [1, 1]}", "no body 'tail'; .*bodies: tr"),
        ("[randomization]\nmass = {by = 2}", "randomization: mass is {'by': 2}; needs no by"),
        ("[randomization]\nfoot_friction = 1", "foot_friction is now sliding_friction"),
        ("[spawn]\nyaw = 1979-05-27", "spawn.yaw is 1979-05-27; dates and times mean nothing"),
        ("edit = 3", r"edit is 3; tables \[\[edit\]\] are needed"),
        ("edit = [3]", "edit 0 is 3; a table is needed"),
        ("[[edit]]\nset = 'add'", "edit 0: set is add; setters: set_actuator_physics"),
        ("[[edit]]\nset = '__init__'", "edit 0: set is __init__; setters: set_actuator_physics"),
        (f"[[edit]]\nset = '{BODY}'\npath = 'x'\nmas = 1", r"takes no mas \(did you mean mass"),
        (f"[[edit]]\nset = '{BODY}'\npath = '/world/microduck/trunk'\nmass = 1", "near: /world/mi"),
        (f"[[edit]]\nset = '{BODY}'\npath = 'TRUNK'\nmass = '1'", "mass is '1'; accepted: a fin"),
        (f"[[edit]]\nset = '{BODY}'\npath = 'TRUNK'\nmass = -1.0", r"mass is -1.0; .*in edit 0: s"),
        (f"[[edit]]\nset = '{BODY}'\npath = 'TRUNK'\nmass = inf", "mass is inf; accepted"),
        (f"[[edit]]\nset = '{BODY}'\npath = 4\nmass = 1", "path is 4; one scene path as a str"),
        (f"[[edit]]\nset = '{BODY}'\npath = 'TRUNK'\ninertia = [[1]]", "inertia"),
        (
            f"[[edit]]\nset = '{JOINT}'\npath = 'TRUNK/neck/neck_pitch'\nfriction = 0.1",
            "the motor law 'bam' writes it in every physics step",
        ),
        ("a = = 3", r"\(at line 1, column 5\)"),
        ("a = 1\na = 2", "Cannot overwrite a value"),
        (f"edit = {'[' * 5000}", "my.toml"),
    ],
)
def test_what_is_wrong_is_refused_with_the_file_the_key_and_what_would_do(text, said, file):
    path = file(text.replace("TRUNK", "/world/microduck/trunk_base"))
    with pytest.raises(ValueError, match=said) as refused:
        load(path, DUCK)
    assert str(refused.value).startswith(f"{path}: ")


def test_a_file_that_is_no_text_or_not_there_is_named(tmp_path):
    (tmp_path / "my.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"my\.toml: .*utf-8"):
        load(tmp_path / "my.toml", DUCK)
    with pytest.raises(FileNotFoundError, match=r"^\S*none\.toml: no such file$"):
        load(tmp_path / "none.toml", DUCK)
    with pytest.raises(LookupError, match="unknown environment 'MicroDuck-Flat-v9'"):
        load(tmp_path / "my.toml", "MicroDuck-Flat-v9")


def test_false_switches_off_what_may_be_off_and_a_section_as_a_whole(file):
    options = read(file("sensing = false\n[randomization]\nmass = false\npush = false\n"))
    assert options == {"sensing": False, "randomization": {"mass": None, "push": None}}
    task = Core(n=1, threads=1, **registration.resolve(DUCK), **options).task
    assert task.sensing.gyro_noise == 0.0 and task.randomization.mass is None
    assert read(file("terrain = false")) == {"terrain": False}


def test_no_field_of_a_section_is_a_bool_which_false_would_be_taken_from():
    for name in configuration.SECTIONS[1:]:
        record = typing.get_type_hints(Task)[name]
        hints = typing.get_type_hints(record)
        assert not [
            f.name for f in fields(record) if bool in (hints[f.name], *_inside(hints[f.name]))
        ]


def _inside(hint):
    return [part for arg in typing.get_args(hint) for part in (arg, *_inside(arg))]


def test_a_files_sections_and_options_are_those_of_an_environment():
    import inspect

    known = set(inspect.signature(Core).parameters)
    assert {*configuration.KNOWN} - {configuration.EDIT} | {"edits"} <= known
    kept = {"task", "n", "backlash", "robot", "threads", "trained_steps", "unknown"}
    assert known - {*configuration.KNOWN, "edits"} == kept


def test_to_read_a_file_loads_no_simulator_unless_it_edits(file):
    path = file("contact = 'C'\n[rewards]\ngait = 1\n")
    code = (
        "import sys; from pathlib import Path\n"
        "from servogym.envs.configuration import read\n"
        f"read(Path({str(path)!r})); sys.exit('mujoco' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_page_about_configuration_files_says_what_happens(checkout, file):
    page = (checkout / "docs" / "environments.md").read_text("utf-8")
    section = page.split("## A configuration file\n")[1].split("\n## ")[0]
    blocks = section.split("```")[1::2]
    (toml,) = (block.removeprefix("toml") for block in blocks if block.startswith("toml"))
    (said,) = (block for block in blocks if " changes\n" in block)
    found = load(file(toml), TWIN).page().splitlines()[1:]
    assert [line.rstrip() for line in said.splitlines() if line.startswith("  ")] == found

"""Document 002 is the specification of the scene's setters: each of its rows is a test by number.

A test that proves row NN is called `test_002_NN_...`, or `test_002_NN_and_MM_...`; find them with
`pytest tests/scenes -k 002_NN`. Here is the check that none is missing, the examples of row 36 as
they stand in docs/scenes.md, and what the page says elsewhere.
"""

import ast
import contextlib
import io
import re

import pytest

ROWS = [f"{row:02d}" for row in range(1, 37)]


def names_of_tests(folder):
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_002_"):
                yield node.name


@pytest.mark.parametrize("row", ROWS)
def test_each_row_has_a_test(checkout, row):
    named = [
        name
        for name in names_of_tests(checkout / "tests" / "scenes")
        if re.match(rf"test_002_(\d\d_and_)*{row}_", name)
    ]
    assert named, f"no test_002_{row}_..."


@pytest.fixture
def blocks(checkout):
    page = (checkout / "docs" / "scenes.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def run(block, names):
    """What a block prints, beside what its comments say it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "docs/scenes.md", "exec"), names)
    said = re.findall(r"^\s*print\(.*\)\s+# (.*)$", block, re.MULTILINE)
    return [line.strip() for line in printed.getvalue().splitlines()], said


def test_002_36_the_examples_of_the_page_print_what_it_says(blocks, checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    names, lines = {}, 0
    for block in blocks:
        printed, said = run(block, names)
        assert printed == said
        lines += len(said)
    assert len(blocks) == 4 and lines == 10


def test_002_36_the_double_arm_gripper_takes_the_examples(blocks, checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    names = {}
    exec(blocks[0], names)
    model, slides = names["model"], names["slides"]
    assert len(names["fingers"]) == len(slides) == 4
    for prefix in ("", "right/"):
        for finger in "ab":
            sliding = 0.0 if (prefix, finger) == ("", "a") else 2.0
            friction = model.geom(f"{prefix}pad_{finger}").friction
            assert list(friction) == [sliding, 1.005, 0.0001]
            assert model.body(f"{prefix}finger_{finger}").mass == 0.1
            joint = f"{prefix}slide_{finger}"
            assert model.numeric(f"velocity_limit:{joint}").data == 0.05
            assert model.joint(joint).damping[0] == 0.1
            assert model.actuator(joint).gainprm[0] == 80.0
            assert model.actuator(joint).biasprm[2] == -10.0  # the servo's own damping stays
    sim, fastest = names["scene"].simulation(), 0.0
    for _ in range(500):
        sim.step()
        speeds = abs(sim.data["state"]["joint_vel"][[sim.column(path) for path in slides]])
        assert (speeds <= 0.05).all()
        fastest = max(fastest, speeds.max())
    assert fastest == 0.05


def test_the_table_of_the_page_names_every_parameter_of_every_setter(checkout):
    import inspect

    from servogym.scenes.scene import Scene

    page = (checkout / "docs" / "scenes.md").read_text(encoding="utf-8")
    for setter in (name for name in dir(Scene) if name.startswith("set_")):
        for parameter in list(inspect.signature(getattr(Scene, setter)).parameters)[1:]:
            assert parameter in page, (setter, parameter)

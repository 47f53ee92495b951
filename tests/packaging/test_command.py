"""`servogym` finds its sub-commands and says what went wrong in one line."""

from io import BytesIO, TextIOWrapper

import pytest

import servogym
from servogym.cli import main as command
from servogym.cli.text import show, table


def test_without_words_it_lists_the_sub_commands(capsys):
    assert command.main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("list", "describe", "doctor", "train", "export"))


def test_it_knows_its_version(capsys):
    command.main(["--version"])
    assert capsys.readouterr().out.strip() == f"servogym {servogym.__version__}"


def test_an_unknown_sub_command_is_refused_with_the_known_ones(capsys):
    assert command.main(["trian"]) == 2
    said = capsys.readouterr().err
    assert "'trian'" in said and "train" in said and "doctor" in said


def test_a_missing_package_is_one_line_that_says_what_to_install(capsys, monkeypatch):
    def absent(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch.nn")

    monkeypatch.setattr(command, "import_module", absent)
    assert command.main(["train"]) == 1
    said = capsys.readouterr().err.strip()
    assert said == "servogym train needs torch: pip install torch"


def test_a_module_that_servogym_itself_lost_is_not_blamed_on_the_user(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError("No module named 'servogym.x'", name="servogym.x")

    monkeypatch.setattr(command, "import_module", absent)
    with pytest.raises(ModuleNotFoundError, match=r"servogym\.x"):
        command.main(["train"])


def test_a_table_lines_up_and_keeps_bars_inside_cells():
    lines = table(("a", "long heading"), [("x|y", 1)]).splitlines()
    assert {len(line) for line in lines} == {len(lines[0])}
    assert r"x\|y" in lines[2]


def test_a_terminal_that_knows_only_ascii_gets_the_text_all_the_same(monkeypatch):
    written = BytesIO()
    monkeypatch.setattr("sys.stdout", TextIOWrapper(written, "ascii", write_through=True))
    show("noise ±0.03 rad/s")
    assert written.getvalue() == b"noise ?0.03 rad/s\n"

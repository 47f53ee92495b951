"""Policies of every kind are opened, and only those that can take over from each other."""

from dataclasses import replace

import pytest

from servogym.viewer import choice
from servogym.viewer.choice import open_all, shipped
from tests.learning import duck
from tests.viewer.made_files import PLAIN, TWIN, contract, file


def test_without_a_name_the_shipped_policies_are_played_the_one_with_backlash_first(checkout):
    found = shipped()
    assert found[0].name == "microduck-walk-backlash.onnx"
    assert {path.name for path in found} == {
        path.name for path in (checkout / "policies").glob("microduck-*.onnx")
    }


def test_the_shipped_policies_open_together_and_the_dogs_that_ship_too(checkout):
    assert list(open_all(shipped())) == ["microduck-walk-backlash", "microduck-walk"]
    assert open_all(sorted((checkout / "policies").glob("go2-*.onnx")))


def test_a_copy_without_policies_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(choice.servogym, "__file__", str(tmp_path / "servogym" / "__init__.py"))
    with pytest.raises(FileNotFoundError, match="name a policy file or a run folder"):
        shipped()


def test_a_run_folder_opens_beside_a_file_and_each_has_a_short_name(plain, tmp_path):
    bundle = replace(duck.bundle(duck.policy()), contract=contract(PLAIN))
    bundle.save(tmp_path / "runs" / "mine" / "best")
    opened = open_all([plain, tmp_path / "runs" / "mine"])
    assert list(opened) == ["microduck-walk", "mine"]
    assert opened["mine"].library == "torch" and opened["mine"].contract.task == PLAIN


def test_the_same_file_twice_gets_two_names(plain):
    assert len(open_all([plain, plain])) == 2


def test_a_policy_with_another_pose_is_refused_by_name_field_and_values(plain, tmp_path):
    odd = contract(PLAIN)
    pose = (0.25, *odd.default_pose[1:])
    path = file(tmp_path, "microduck-walk-backlash", odd, default_pose=pose)
    with pytest.raises(ValueError, match=r"default_pose\[0\] is 0.25, not ") as refused:
        open_all([plain, path])
    assert str(path) in str(refused.value) and str(plain) in str(refused.value)


@pytest.mark.parametrize("field", ["action_scale", "action_clip"])
def test_a_policy_that_means_another_angle_by_an_action_is_refused(field, plain, tmp_path):
    path = file(tmp_path, "microduck-walk-backlash", contract(TWIN), **{field: 0.5})
    with pytest.raises(ValueError, match=f"{field} is 0.5, not "):
        open_all([plain, path])


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.onnx: no such file or folder"):
        open_all([tmp_path / "nothing.onnx"])

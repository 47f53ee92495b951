import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from servogym.deploy.runner import Policy
from servogym.export import export_policy
from tests.deploy import nets
from tests.learning import duck


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "policy.onnx"
    return Policy(export_policy(duck.policy(), duck.contract(), path).path)


@pytest.fixture
def obs():
    return np.random.default_rng(0).normal(size=(5, 61))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_and_batched_observations_of_either_float_type_agree(policy, obs, dtype):
    batch = policy(obs.astype(dtype))
    assert batch.shape == (5, 14)
    assert policy(obs[2].astype(dtype)).shape == (14,)
    assert policy(obs[2:3].astype(dtype)).shape == (1, 14)
    assert np.abs(policy(obs[2].astype(dtype)) - batch[2]).max() < 1e-6


def test_strided_arrays_are_fine(policy, obs):
    assert (policy(np.asfortranarray(obs)) == policy(obs)).all()
    assert (policy(np.repeat(obs, 2, axis=1)[:, ::2]) == policy(obs)).all()


@pytest.mark.parametrize("shape", [(60,), (62,), (3, 60), (1, 1, 61), ()])
def test_a_wrong_width_prints_the_slot_table(policy, shape):
    with pytest.raises(ValueError, match=r"(?s)\(61,\).*\[ 20: 34\]  joint_vel +rad/s"):
        policy(np.zeros(shape))


def test_action_zero_is_the_default_pose(policy):
    assert policy.command(np.zeros(14)) == pytest.approx(duck.contract().default_pose)


def test_a_file_without_a_contract_is_refused(policy, tmp_path):
    export_policy(duck.policy(), duck.contract(), tmp_path / "policy.onnx")
    model = onnx.load(tmp_path / "policy.onnx")
    del model.metadata_props[:]
    onnx.save(model, tmp_path / "bare.onnx")
    with pytest.raises(ValueError, match=r"bare\.onnx.*servogym"):
        Policy(tmp_path / "bare.onnx")


OF_ONNXRUNTIME = {"flatbuffers", "google", "packaging", "coloredlogs", "humanfriendly"}
RUN = """
import json, sys
import servogym.deploy.runner
runner = servogym.deploy.runner.Runner("duck.onnx", rate_hz=50)
given = json.load(open("readings.json"))
assert not runner.step(**given).fault
assert runner.step(**given | {"gravity": (0.0, 0.0, 0.0)}).fault
outside = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(*sorted(name for name in outside if not name.startswith("_")))
"""


def test_the_runner_loads_numpy_and_onnxruntime_only(tmp_path, checkout):
    site = tmp_path / "site"
    site.mkdir()
    for place in Path(np.__file__).parent.parent.iterdir():
        if place.name != "gymnasium":  # which a robot has not; where it is, servogym registers
            (site / place.name).symlink_to(place)
    nets.duck_file(tmp_path / "duck.onnx")
    given = nets.duck_readings() | {"gyro": [0.0, 0.1, 0.2]}
    (tmp_path / "readings.json").write_text(json.dumps(given))
    done = subprocess.run(
        [sys.executable, "-S", "-c", RUN],
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{checkout}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {"numpy", "onnxruntime", "servogym"} <= set(done.stdout.split())
    assert set(done.stdout.split()) <= {"numpy", "onnxruntime", "servogym", *OF_ONNXRUNTIME}

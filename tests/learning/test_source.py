"""What a checkpoint's run folder says about where it comes from."""

import json
from pathlib import Path

import pytest

from servogym.learning.bundle import Bundle
from servogym.learning.source import source
from tests.learning import duck


@pytest.fixture
def checkpoint(tmp_path) -> Path:
    duck.bundle(duck.policy()).save(tmp_path / "walk-0" / "best")
    return tmp_path / "walk-0" / "best"


def told(checkpoint: Path, config: str) -> dict:
    (checkpoint.parent / "config.json").write_text(config)
    return source(checkpoint, Bundle.load(checkpoint))


def test_a_checkpoint_without_a_run_folder_has_no_source(checkpoint):
    assert source(checkpoint, Bundle.load(checkpoint)) == {}


def test_the_commit_is_that_of_the_run_or_of_its_last_continuation(checkpoint):
    config = {"origin": {"commit": "aaa"}}
    assert told(checkpoint, json.dumps(config)) == {
        "run": "walk-0",
        "commit": "aaa",
        "dirty": False,
    }
    config["continued"] = [
        {"from": 48, "origin": {"commit": "bbb+"}},
        {"from": 9000, "origin": {"commit": "ccc"}},
    ]
    assert told(checkpoint, json.dumps(config)) == {
        "run": "walk-0",
        "commit": "bbb",
        "dirty": True,
    }


@pytest.mark.parametrize(
    "config",
    ["{", "[]", '"x"', '{"continued": [{}]}', '{"continued": 3}', '{"origin": {"commit": 3}}'],
)
def test_a_config_that_training_did_not_write_is_named(checkpoint, config):
    with pytest.raises(ValueError, match=r"config\.json: not as train\.py writes it"):
        told(checkpoint, config)

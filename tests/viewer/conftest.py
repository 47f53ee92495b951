"""Two policies that can take over from each other, and a robot that they move."""

from pathlib import Path

import pytest

from servogym.viewer.choice import open_all
from servogym.viewer.live import Live
from tests.viewer.made_files import PLAIN, TWIN, contract, file


@pytest.fixture(scope="session")
def twin(tmp_path_factory) -> Path:
    return file(tmp_path_factory.mktemp("twin"), "microduck-walk-backlash", contract(TWIN))


@pytest.fixture(scope="session")
def plain(tmp_path_factory) -> Path:
    return file(tmp_path_factory.mktemp("plain"), "microduck-walk", contract(PLAIN))


@pytest.fixture
def live(twin, plain) -> Live:
    return Live(open_all([twin, plain]))

"""What every test shares: a folder of its own to run in, and no silent skips in CI."""

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout() -> Path:
    """The root of the repository."""
    return CHECKOUT


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in an empty folder, so that MuJoCo's log and run folders never land here."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _subprocesses_find_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test start `python -m servogym…` from an uninstalled checkout too."""
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI runs every test, but this one was skipped. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    _refuse_skip(report)
    return report

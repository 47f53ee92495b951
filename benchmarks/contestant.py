"""Starts contestants and gives them turns, one at a time, so that all see the same machine."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tqdm import tqdm

from benchmarks import cpu

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(__file__).resolve().parent / "contestants"
CAPS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")}
"""Libraries with threads of their own get one, so that only the counts shown are at work."""
PATIENCE = 1800.0
"""Longest wait for an answer [s]."""


class Absent(Exception):
    """A contestant could not be started or stopped answering; the message says why."""


class Contestant:
    """One process of `benchmarks/contestants`, waiting for turns; use it with `with`."""

    def __init__(
        self,
        name: str,
        script: str,
        options: Mapping[str, Any],
        *,
        python: str | Path = sys.executable,
        capped: bool = True,
    ) -> None:
        """Start it and wait until it is ready.

        Args:
            name: What to call it.
            script: File in `benchmarks/contestants`.
            options: What its `make` takes.
            python: Interpreter; another than ours does not see this checkout.
            capped: Whether libraries get one thread each (`CAPS`).

        Raises:
            Absent: It did not get ready.
        """
        self.name = name
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (see close)
        environment = {**os.environ, **(CAPS if capped else {})}
        environment.pop("PYTHONPATH", None)
        if str(python) == sys.executable:
            environment["PYTHONPATH"] = str(ROOT)
        self._process = subprocess.Popen(
            [str(python), str(SCRIPTS / script), json.dumps(dict(options))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
            start_new_session=True,
        )
        try:
            self.facts = self._answer()
        except BaseException:
            self.close()
            raise

    def turn(self, seconds: float) -> dict[str, Any]:
        """Let it work for about so long; return its answer and the cores it kept busy.

        Raises:
            Absent: It did not answer.
        """
        assert self._process.stdin is not None
        before, start = cpu.seconds_used(self._process.pid), time.perf_counter()
        try:
            self._process.stdin.write(f"{seconds}\n".encode())
            self._process.stdin.flush()
        except OSError as error:
            raise Absent(f"{self.name}: ended; {self._last_words()}") from error
        answer = self._answer()
        passed = time.perf_counter() - start
        return {**answer, **cpu.busy(before, cpu.seconds_used(self._process.pid), passed)}

    def close(self) -> None:
        """End it and whatever it started."""
        try:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(10)
        except ProcessLookupError:
            self._process.wait()
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        """Return the contestant."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
            raise Absent(f"{self.name}: no answer for {PATIENCE:.0f} s; {self._last_words()}")
        line = self._process.stdout.readline()
        if not line:
            raise Absent(f"{self.name}: ended; {self._last_words()}")
        return json.loads(line)

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read().splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"


def rounds(
    contestants: Sequence[Contestant], turns: int, seconds: float, title: str
) -> dict[str, list[dict[str, Any]]]:
    """Give every contestant a turn in each round, another one beginning each time.

    A first turn of each does not count: caches are cold, and all episodes have just begun.

    Returns:
        Name -> the answers, one a round.
    """
    answers: dict[str, list[dict[str, Any]]] = {each.name: [] for each in contestants}
    for each in contestants:
        each.turn(seconds)
    for number in tqdm(range(turns), desc=title, leave=False):
        first = number % len(contestants)
        for each in (*contestants[first:], *contestants[:first]):
            answers[each.name].append(each.turn(seconds))
    return answers

"""Plays a policy live: drive it, push it, watch its joints, in a browser.

python play.py                                   # the shipped policies

python play.py runs/<run> policy.onnx            # swap between them while it walks

python play.py policy.onnx --window              # a MuJoCo window and the keyboard

python play.py policy.onnx --video out.mp4       # no screen needed
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated, Any

import tyro

MISSING = {"viser": "viewer", "imageio_ffmpeg": "video"}
"""Package that may be missing -> the extra that brings it."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Play policies; the first acts first, the others wait in a menu."""

    policies: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """Exported ONNX files, run folders or checkpoints; none: the shipped policies."""
    config: Path | None = None
    """A TOML file: how the physics and the task differ here; default: edits and contacts as they
    were when the first policy was trained."""
    window: bool = False
    """Play in a MuJoCo window with the keyboard instead of in the browser."""
    video: Path | None = None
    """Film the first policy into this file, .mp4 or .gif, instead."""
    seconds: float = 10.0
    """Length of the film [s]."""
    host: str = "127.0.0.1"
    """Address the page listens on; 0.0.0.0 lets other computers in."""
    port: int = 8080
    """Port the page listens on."""


def main() -> None:
    """Run the command line."""
    options = tyro.cli(Options, description=__doc__)
    try:
        _play(options)
    except ModuleNotFoundError as error:
        if error.name not in MISSING:
            raise
        sys.exit(f"play: {error.name} is missing: pip install 'servogym[{MISSING[error.name]}]'")
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        sys.exit(f"play: {error.args[0] if isinstance(error, LookupError) else error}")
    except KeyboardInterrupt:
        return


def _play(options: Options) -> None:
    from servogym.viewer.choice import open_all, shipped  # MuJoCo: not needed for --help

    paths = options.policies or shipped()
    if options.video is not None:
        _film(paths[0], options)
        return
    from servogym.viewer.live import Live

    opened = open_all(paths)
    task = next(iter(opened.values())).contract.task
    live = Live(opened, options=_configured(options.config, task))
    if options.window:
        from servogym.viewer import keys

        print(keys.HELP)
        keys.play(live)
        return
    from servogym.viewer.page import Page

    page = Page(live, options.host, options.port)
    try:
        print(f"open {page.url} in a browser; Ctrl-C ends it", flush=True)
        page.run()
    finally:
        page.close()


def _configured(file: Path | None, task: str) -> dict[str, Any] | None:
    """Say what a configuration changes, and give its options; None without one."""
    if file is None:
        return None
    from servogym.envs import configuration

    made = configuration.load(file, task)
    print(made.page(), flush=True)
    return dict(made.options)


def _film(path: Path, options: Options) -> None:
    from servogym.deploy.runner import Policy
    from servogym.learning.film import film, said
    from servogym.learning.video import RATE

    out, seconds = options.video, options.seconds
    assert out is not None
    if out.suffix not in RATE:
        raise ValueError(f"--video {out}: a file that ends in {' or '.join(RATE)} is accepted")
    if not 0.0 < seconds < inf:
        raise ValueError(f"--seconds {seconds}: a finite number above 0 is needed")
    out.parent.mkdir(parents=True, exist_ok=True)

    with _as_file(path) as policy:
        changed = _configured(options.config, Policy(policy).contract.task)
        for played in film(policy, out, seconds, changed):
            print(said(played))
    print(f"{out}: {out.stat().st_size} bytes")


@contextmanager
def _as_file(path: Path) -> Iterator[Path]:
    """Give a policy as an exported file; a run folder's is written for as long as it is needed."""
    if path.is_file():
        yield path
        return
    from servogym.export import export

    with tempfile.TemporaryDirectory() as folder:
        yield export(path, Path(folder) / "policy.onnx").path


if __name__ == "__main__":
    main()

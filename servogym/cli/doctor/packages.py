"""The packages training needs: present, in range, importable, and whole."""

import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

import servogym
from servogym.cli.doctor.finding import Finding
from servogym.cli.doctor.imports import failures
from servogym.cli.doctor.probe import probe

CORE_VERSION = "import mujoco; print(mujoco.mj_versionString())"
FFMPEG = "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())"
TORCH = """
import numpy, torch
torch.from_numpy(numpy.zeros(1)).numpy()
print("cuda" if torch.version.cuda and not torch.cuda.is_available() else "fine")
"""


def requirements() -> list[Requirement]:
    """Give what servogym requires, extras included: from the installed metadata or pyproject."""
    project = Path(servogym.__file__).parent.parent / "pyproject.toml"
    if project.is_file():
        table = tomllib.loads(project.read_text("utf-8"))["project"]
        extras = table["optional-dependencies"]["video"]
        lines = [*table["dependencies"], *(f'{line}; extra == "video"' for line in extras)]
    else:
        lines = metadata.requires("servogym") or []
    return [Requirement(line) for line in lines]


def check() -> list[Finding]:
    """Look at every required package, then at the pairs that break each other."""
    wanted = [need for need in requirements() if "dev" not in str(need.marker)]
    errors = failures([_module(need) for need in wanted if _installed(need.name)])
    packages = [_package(need, errors.get(_module(need))) for need in wanted]
    pairs = [finding for look in (_mujoco_halves, _torch, _ffmpeg) for finding in look()]
    return [*packages, *pairs]


def _package(need: Requirement, error: str | None) -> Finding:
    """Judge one package; `error` is what importing it said, None when it imports."""
    optional = need.marker is not None
    bad = "note" if optional else "broken"
    wanted = f"{need.name}{need.specifier}"
    cure = f"pip install 'servogym[video]' ({wanted})" if optional else f"pip install '{wanted}'"
    if not _installed(need.name):
        detail = "not installed" + (", no videos can be written" if optional else "")
        return Finding(subject=need.name, state=bad, detail=detail, cure=cure)
    version = metadata.version(need.name)
    if not need.specifier.contains(version, prereleases=True):
        detail = f"{version}, supported: {need.specifier}"
        return Finding(subject=need.name, state=bad, detail=detail, cure=cure)
    if error:
        cure = f"pip install --force-reinstall '{need.name}=={version}'"
        return Finding(subject=need.name, state=bad, detail=f"{version}: {error}", cure=cure)
    return Finding(subject=need.name, state="ok", detail=f"{version} (supported: {need.specifier})")


def _mujoco_halves() -> Iterator[Finding]:
    """`mujoco` and the library inside it must be of the same release line."""
    works, library = probe(CORE_VERSION)
    if not works:
        return
    said = metadata.version("mujoco")
    if said.split(".")[:2] != library.split(".")[:2]:
        yield Finding(
            subject="mujoco halves",
            state="broken",
            detail=f"package {said} around library {library}",
            cure=f"pip uninstall -y mujoco mujoco-core; pip install 'mujoco=={said}'",
        )


def _torch() -> Iterator[Finding]:
    """A torch built against another NumPy fails on the first array; a CUDA build wastes space."""
    if not (_installed("torch") and _installed("numpy")):
        return
    works, said = probe(TORCH)
    if not works:
        yield Finding(
            subject="torch with numpy",
            state="broken",
            detail=said,
            cure="pip install --upgrade --force-reinstall numpy torch",
        )
    elif said == "cuda":
        yield Finding(
            subject="torch build",
            state="note",
            detail="a CUDA build on a machine without a usable GPU; training runs on the CPU",
            cure="pip install torch --index-url https://download.pytorch.org/whl/cpu",
        )


def _ffmpeg() -> Iterator[Finding]:
    """The video writers bring a package for ffmpeg, but not always the program in it."""
    if not _installed("imageio-ffmpeg"):
        return
    works, said = probe(FFMPEG)
    if not works:
        yield Finding(
            subject="ffmpeg",
            state="note",
            detail=f"{said}; no videos can be written",
            cure="apt-get install ffmpeg, or: pip install --force-reinstall imageio-ffmpeg",
        )


def _module(need: Requirement) -> str:
    """The name a package is imported by."""
    return need.name.replace("-", "_")


def _installed(name: str) -> bool:
    return any(True for _ in metadata.distributions(name=name))

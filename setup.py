"""Where the package's rooms lie; everything else about the build is in pyproject.toml."""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOMS = ("robots", "actuators", "scenes", "envs", "learning", "deploy", "gauge", "viewer")
SCRIPTS = ("train", "export", "evaluate", "play")


class BuildPy(build_py):
    """Ships the scripts of the top level as modules: train.py becomes servogym.train."""

    def find_package_modules(self, package, package_dir):
        """Return the modules of a package, the front door's with the scripts added."""
        modules = super().find_package_modules(package, package_dir)
        if package == "servogym":
            modules += [(package, script, f"{script}.py") for script in SCRIPTS]
        return modules


if __name__ == "__main__":
    inside = [f"servogym.{name}" for name in find_packages("servogym")]
    rooms = [
        f"servogym.{name}"
        for room in ROOMS
        for name in (room, *(f"{room}.{folder}" for folder in find_packages(room)))
    ]
    setup(
        packages=["servogym", *inside, *rooms],
        package_dir={f"servogym.{room}": room for room in ROOMS},
        cmdclass={"build_py": BuildPy},
    )

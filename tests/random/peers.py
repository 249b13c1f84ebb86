"""Pinocchio and MuJoCo on trees in space: installed into a folder of their own, left out where that fails."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = {"pinocchio": "pin", "mujoco": "mujoco"}


def install(folder):
    """The Python of a virtual environment that has them; None where there is none."""
    python = folder / "bin/python"
    if not python.exists() and subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True).returncode != 0:
        print("no virtual environment (Debian: python3-venv): Pinocchio and MuJoCo are left out")
        return None
    for module, package in PACKAGES.items():
        there = subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0
        if not there and subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package],
                                        capture_output=True).returncode != 0:
            print(f"{package} could not be installed: it is left out")
    return python


def main(seed, count, keep):
    """How many mechanisms failed."""
    build = Path(os.environ.get("TRM_BUILD_DIR", HERE.parents[1] / "build"))
    python = install(build / "random_peers")
    if not python:
        return 0
    done = subprocess.run([python, str(HERE / "peer_trees.py"), str(seed), str(count), str(keep)], stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    return done.returncode

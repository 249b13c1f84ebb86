"""Packages of PyPI that hold robots, and the files in them."""
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

TOOLS = ["numpy", "cffi", "pyyaml", "pin", "mujoco", "example-robot-data"]
PACKAGES = ["pybullet", "mani-skill", "dm_control", "gymnasium", "gymnasium-robotics", "robosuite", "robosuite-models",
            "metaworld", "mujoco-mjx", "mujoco-warp", "brax", "myosuite", "playground", "mjlab", "d4rl", "safety-gymnasium",
            "robot_properties_fingers", "rtb-data", "genesis-world", "drake", "newton"]
ENDINGS = (".urdf", ".xml", ".sdf", ".stl", ".obj", ".msh", ".dae", ".png")


def prepare(build):
    """A virtual environment in the build folder, and the packages' files beside it."""
    home = build / "robots"
    python = home / "venv" / "bin" / "python"
    if not python.exists():
        home.mkdir(exist_ok=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(home / "venv")], capture_output=True)
        if made.returncode != 0 or subprocess.run([python, "-m", "pip", "install", "-q", *TOOLS]).returncode != 0:
            print("no virtual environment with Pinocchio and MuJoCo: nothing to compare with")
            shutil.rmtree(home / "venv", ignore_errors=True)
            sys.exit(77)
    for package in PACKAGES:
        folder = home / package
        if folder.exists():
            continue
        with tempfile.TemporaryDirectory() as download:
            done = subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", download, package])
            wheels = list(Path(download).glob("*.whl"))
            if done.returncode != 0 or not wheels:
                print(f"{package}: not to be had")
                continue
            with zipfile.ZipFile(wheels[0]) as archive:
                archive.extractall(folder, [n for n in archive.namelist() if n.lower().endswith(ENDINGS)])
    return python, [home]


def find_files(folders):
    """Each content once."""
    seen, files = set(), {"urdf": [], "mjcf": [], "sdf": []}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix.lower() not in (".urdf", ".xml", ".sdf") or not path.is_file():
                continue
            content = path.read_bytes()
            suffix = path.suffix.lower()[1:]
            kind = suffix if suffix != "xml" else "mjcf" if b"<mujoco" in content else None
            if kind is None or content in seen or b"<mujocoinclude" in content:
                continue
            seen.add(content)
            files[kind].append(path)
    return files

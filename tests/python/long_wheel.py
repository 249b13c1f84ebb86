"""The wheel as somebody gets it: made, installed into an empty environment of every Python that is there, and tested."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["TRM_SOURCE_DIR"])
PYTHONS = [f"python3.{minor}" for minor in range(9, 20)]


def works(python):
    done = subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True) if shutil.which(python) else None
    return done is not None and done.returncode == 0


def check(python, wheel, folder):
    """Whether its tests pass there."""
    home = Path(folder) / Path(python).name
    subprocess.run([python, "-m", "venv", home], check=True)
    if subprocess.run([home / "bin" / "pip", "install", "-q", wheel]).returncode != 0:
        return False
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TRM_BUILD_DIR")}
    outside.update(TRM_INSTALLED="1", TRAMMEL=str(home / "bin" / "trammel"))
    good = True
    for test in "test_package.py", "test_objects.py":
        done = subprocess.run([home / "bin" / "python", "-B", SOURCE / "tests" / "python" / test], env=outside, cwd=folder,
                              capture_output=True, text=True)
        print(python, test, done.stderr.strip().splitlines()[-1], flush=True)
        if done.returncode != 0:
            print(done.stderr)
            good = False
    return good


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([SOURCE / "scripts" / "wheel", folder], capture_output=True, text=True)
        if made.returncode != 0:
            print(made.stdout, made.stderr)
            return 77 if "Could not find a version" in made.stderr else 1  # without PyPI there is no wheel
        wheel = Path(made.stdout.split()[-1])
        found = sorted({os.path.realpath(shutil.which(p)): p for p in [sys.executable, *PYTHONS] if works(p)}.values())
        return int(not all([check(python, wheel, folder) for python in found]))


if __name__ == "__main__":
    sys.exit(main())

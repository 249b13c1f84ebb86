"""The examples of the Python package and its notebook, in an environment with scipy, pandas and the like: each checks
its own numbers. The package's types, by mypy."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(os.environ["TRM_BUILD_DIR"])
EXAMPLES = Path(os.environ["TRM_SOURCE_DIR"]) / "python" / "examples"
NEEDED = ["numpy", "cffi", "scipy", "pandas", "joblib", "gymnasium", "nbclient", "ipykernel", "mypy", "numba", "control"]
NOTEBOOK = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
"""
# what an editor and mypy must tell of a session: lines that are wrong say so
SESSION = """
import numpy as np
import trammel as tr
model = tr.load("four_bar.yaml", L=2)
run = model.run(duration=5, integrator="dop853")
x: np.ndarray = run["rod.B.x"]
x = 3  # wrong
model.rum()  # wrong
model.run(record=3)  # wrong
sim = model.simulation(step=1e-3).advance(0.1)
sim.inputs["u"] = 1.0
sim.inputs["u"] = "one"  # wrong
late: float = sim["rod.B.x"] + sim.t
late = sim.save()  # wrong
study = model.sweep({"L": [1.0, 2.0]}, record="max(rod.B.x)")["table"]
built = tr.Model(space="planar").body("b", mass=1).joint("j", "revolute", connect=["ground", "b"])
built.joint("j", 3)  # wrong
built.with_functions(u=lambda t, y: -y).fmu("b.fmu", version="3")  # wrong
tr.import_robot("r.urdf", packages="share", balanced=True)  # wrong
"""


def environment():
    home = BUILD / "examples_venv"
    python, there = home / "bin" / "python", home / "needed.txt"
    if not there.exists() or there.read_text() != " ".join(NEEDED):
        made = subprocess.run([sys.executable, "-m", "venv", home], capture_output=True)
        if made.returncode != 0 or subprocess.run([python, "-m", "pip", "install", "-q", *NEEDED]).returncode != 0:
            print("no scipy, pandas and the like to be had")
            sys.exit(77)
        there.write_text(" ".join(NEEDED))
    return python


def types(python, folder):
    """What is wrong with the package's types: none of its own, and a session's errors are found."""
    session = Path(folder) / "session.py"
    session.write_text(SESSION)
    shutil.copytree(BUILD / "python" / "trammel", Path(folder) / "trammel", ignore=shutil.ignore_patterns("bin", "models"))
    words = ["--no-error-summary", "--ignore-missing-imports", "--cache-dir", os.devnull]
    done = subprocess.run([python, "-m", "mypy", *words, "trammel", "session.py"], cwd=folder, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    found = {int(line.split(":")[1]) for line in lines if line.startswith("session.py")}
    wrong = {k for k, line in enumerate(SESSION.splitlines(), 1) if "# wrong" in line}
    others = [line for line in lines if not line.startswith("session.py")] + done.stderr.splitlines()
    return others + [f"session.py:{k}: " + ("not found" if k in wrong else "no error") for k in sorted(found ^ wrong)]


def main():
    python, failures = environment(), 0
    path = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    commands = {script.name: [python, script] for script in sorted(EXAMPLES.glob("*.py"))}
    commands.update({book.name: [python, "-c", NOTEBOOK, book] for book in sorted(EXAMPLES.glob("*.ipynb"))})
    for name, command in commands.items():
        done = subprocess.run(command, env=path, capture_output=True, text=True)
        print(name, done.stdout.strip() if done.returncode == 0 else "FAILED\n" + done.stderr, flush=True)
        failures += done.returncode != 0
    with tempfile.TemporaryDirectory() as folder:
        problems = types(python, folder)
    print("types", *(problems or ["good"]), sep="\n", flush=True)
    return int(failures > 0 or len(commands) < 7 or len(problems) > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Runs the analysing commands on a model given as a text."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extremes import largest

PROGRAM = os.environ["TRAMMEL"]
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REFERENCE = json.loads((HERE / "reference/analyses.json").read_text())
PLANAR = ("natural", "euler-parameters", "angle", "cartesian")
SPATIAL = ("natural", "euler-parameters")
ALL_SPATIAL = (*SPATIAL, "relative")
FILES = {"equilibrium": "equilibrium.json", "modes": "modes.json", "linearize": "linear.json", "response": "response.csv",
         "sensitivity": "sensitivity.json"}


def ask(command, model, *options, status=0, file=None, read=None):
    """The result of a command: of a text, or of a path."""
    with tempfile.TemporaryDirectory() as folder:
        path = model if isinstance(model, Path) else Path(folder) / "model.yaml"
        if path != model:
            path.write_text(model)
        done = subprocess.run([PROGRAM, command, path, "-o", folder, *map(str, options)], capture_output=True, text=True, timeout=300)
        if done.returncode != status:
            raise AssertionError(f"{command} {options}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
        if read == "stderr":
            return done.stderr
        if status != 0 and (command != "equilibrium" or status > 1):
            return done.stderr
        text = (Path(folder) / (file or FILES[command])).read_text()
        return text if read or text.startswith("frequency") else json.loads(text)


def eigenvalues(found):
    return [complex(mode["re"], mode["im"]) for mode in found["modes"]]


def farthest(found, expected):
    """The largest distance of an expected eigenvalue from the nearest one found, as a part of it."""
    return largest(min(abs(a - b) for a in found) / max(1, abs(b)) for b in expected)

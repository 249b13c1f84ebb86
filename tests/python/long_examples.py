"""The examples of the Python package and its notebook, in an environment with scipy, pandas and the like: each checks
its own numbers."""
import os
import subprocess
import sys
from pathlib import Path

BUILD = Path(os.environ["TRM_BUILD_DIR"])
EXAMPLES = Path(os.environ["TRM_SOURCE_DIR"]) / "python" / "examples"
NEEDED = ["numpy", "cffi", "scipy", "pandas", "joblib", "gymnasium", "nbclient", "ipykernel"]
NOTEBOOK = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
"""


def environment():
    python = BUILD / "examples_venv" / "bin" / "python"
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", BUILD / "examples_venv"], capture_output=True)
        if made.returncode != 0 or subprocess.run([python, "-m", "pip", "install", "-q", *NEEDED]).returncode != 0:
            print("no scipy, pandas and the like to be had")
            sys.exit(77)
    return python


def main():
    python, failures = environment(), 0
    path = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    commands = {script.name: [python, script] for script in sorted(EXAMPLES.glob("*.py"))}
    commands.update({book.name: [python, "-c", NOTEBOOK, book] for book in sorted(EXAMPLES.glob("*.ipynb"))})
    for name, command in commands.items():
        done = subprocess.run(command, env=path, capture_output=True, text=True)
        print(name, done.stdout.strip() if done.returncode == 0 else "FAILED\n" + done.stderr, flush=True)
        failures += done.returncode != 0
    return int(failures > 0 or len(commands) < 6)


if __name__ == "__main__":
    sys.exit(main())

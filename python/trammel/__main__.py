"""python -m trammel: the command-line program that travels with the package."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "bin" / "trammel"

if __name__ == "__main__":
    os.execv(PROGRAM, ["trammel", *sys.argv[1:]])

"""trammel, or python -m trammel: the command-line program that travels with the package."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "bin" / "trammel"


def main() -> None:
    os.execv(PROGRAM, ["trammel", *sys.argv[1:]])


if __name__ == "__main__":
    main()

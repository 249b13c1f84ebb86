"""docs/papers with its long runs: numbers and figures of every page, `make papers` without writing."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.exit(subprocess.run([sys.executable, "-B", ROOT / "scripts/papers", os.environ["TRAMMEL"], "--check"]).returncode)

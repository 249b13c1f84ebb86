"""Robots that others wrote, from packages of PyPI: each is imported and runs, or is refused with a
reason; accelerations and inverse dynamics at random states agree with Pinocchio's and MuJoCo's, closed
loops with MuJoCo's in the stiff limit."""
import collections
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from peers.packages import find_files, prepare

BUILD = Path(os.environ["TRM_BUILD_DIR"])
PROGRAM = os.environ["TRAMMEL"]
# folders with robots that are there already, separated by colons, and a Python with TOOLS; else PyPI is asked
FOLDERS = os.environ.get("TRM_ROBOTS", "")
# relative to the largest acceleration or effort; in the limit of MuJoCo's stiffness; how much nearer ten times stiffer is
BOUNDS = {"accelerations": 1e-9, "efforts": 1e-9, "masses": 1e-5, "gap": 1e-8, "stiff limit": 1e-6, "stiff decrease": 0.2}
FEWEST = {"urdf": 200, "mjcf": 300, "sdf": 10}


def imported(kind, path, model, *more_options):
    """Exit status and messages."""
    options = ["--no-meshes", *more_options]
    for more in ([], ["--floating"] if kind == "urdf" else []):
        done = subprocess.run([PROGRAM, "import", str(path), "-o", str(model), *options, *more], capture_output=True, text=True)
        if done.returncode != 3 or "nothing in it moves" not in done.stderr:  # else it is a thing, not a robot
            break
    return done.returncode, done.stderr


def repaired(kind, path, model):
    """Refused as it is: what becomes of it on request."""
    import trammel as tr
    imported(kind, path, model, "--balance-inertia")
    try:
        tr.load(str(model)).simulation().step().step()
    except Exception as error:
        return "wrong", f"balanced: {error}"[:300]
    return "refused", "impossible inertia; balanced it runs"


def try_one(kind, path, model, random):
    """What became of it: (word, detail)."""
    import trammel as tr
    from peers.by_mujoco import compare_mjcf
    from peers.by_pinocchio import compare_sdf, compare_urdf
    from peers.imported import Uncomparable, settings_of
    compare = {"urdf": compare_urdf, "mjcf": compare_mjcf, "sdf": compare_sdf}[kind]
    status, said = imported(kind, path, model)
    if status != 0:
        lines = [l for l in said.splitlines() if "error:" in l]
        if status != 3 or not lines:
            return "broken", f"exit {status}: {said[-300:]}"
        return "refused", lines[0].split("error: ")[1]
    text = model.read_text()
    try:
        loaded = tr.load(str(model))
        simulation = loaded.simulation(**settings_of(text))
        loaded.simulation().step().step()  # by its own methods
    except Exception as error:
        if "no body has its inertia" in text:
            return repaired(kind, path, model)
        return "wrong", str(error)[:300]
    try:
        return "compared", compare(path, text, model, simulation, random)
    except Uncomparable as reason:
        return "runs", str(reason)
    except Exception as error:
        return "uncompared", f"{type(error).__name__}: {error}"[:200]


class Tally:
    def __init__(self, kind):
        self.kind = kind
        self.counts, self.reasons, self.compared = (collections.Counter() for _ in range(3))
        self.far, self.largest, self.closed = [], collections.defaultdict(float), 0
        self.allowed = []  # where it is more than 1e-9

    def add(self, path, word, detail):
        self.counts[word] += 1
        if word in ("wrong", "broken", "uncompared"):
            print(f"{word}: {path}: {detail}", flush=True)
        if word in ("refused", "runs"):
            self.reasons[f"{word}, {detail[:70]}"] += 1
        if word == "compared":
            self.closed += "stiff limit" in detail
            allowed = detail.pop("allowed", 0)
            if allowed > 1.01e-9:
                self.allowed.append((allowed, (detail["accelerations"] or 0) * allowed / 1e-9, Path(path).name))
        elif b"<equality" in Path(path).read_bytes():
            print(f"not compared, with equality constraints: {path}: {word}: {detail}", flush=True)
        for name, off in (detail.items() if word == "compared" else ()):
            if off is None:
                continue
            self.compared[name] += 1
            if off <= BOUNDS[name]:
                self.largest[name] = max(self.largest[name], off)
            else:
                self.far.append((path, name, off))
                print(f"off: {name} {off:.2e}: {path}", flush=True)

    def close(self):
        """Prints; how much is wrong."""
        print(self.kind, dict(self.counts))
        for reason, count in self.reasons.most_common(20):
            print(f"  {count} {reason}")
        if self.closed > 0:
            print(f"  closed loops and couplings: {self.closed} files in the stiff limit")
        if self.allowed:
            most = [f"{name} to {allowed:.1e} ({off:.1e})" for allowed, off, name in sorted(self.allowed, reverse=True)[:6]]
            print(f"  with fewer digits of accelerations: {len(self.allowed)} files: {', '.join(most)}")
        for name, count in self.compared.items():
            far = sum(n == name for _, n, _ in self.far)
            print(f"  {name}: {count - far} of {count} within {BOUNDS[name]:g}, the largest {self.largest[name]:.1e}")
        return len(self.far) + self.counts["wrong"] + self.counts["broken"]

    def read(self):
        return self.counts["compared"] + self.counts["runs"] + self.counts["uncompared"]


def main(only):
    import numpy as np
    files = find_files(os.environ["TRM_ROBOTS"].split(":"))
    failures = 0
    for kind, paths in files.items():
        tally = Tally(kind)
        with tempfile.TemporaryDirectory() as folder:
            for path in paths:
                if only and not any(o in str(path) for o in only):
                    continue
                random = np.random.default_rng(1)
                tally.add(path, *try_one(kind, path, Path(folder) / "robot.yaml", random))
        failures += tally.close()
        failures += not only and tally.read() < FEWEST[kind]
    return failures > 0


if __name__ == "__main__":
    if "TRM_ROBOTS_INSIDE" in os.environ:
        sys.path.insert(0, str(BUILD / "python"))
        sys.exit(main(sys.argv[1:]))
    if FOLDERS:
        python, folders = os.environ["TRM_ROBOTS_PYTHON"], FOLDERS.split(":")
    else:
        python, folders = prepare(BUILD)
    environment = dict(os.environ, TRM_ROBOTS_INSIDE="1", TRM_ROBOTS=":".join(map(str, folders)))
    here = str(Path(__file__).resolve())  # in the build folder: MuJoCo writes its log where it is
    sys.exit(subprocess.run([str(python), "-B", here, *sys.argv[1:]], env=environment, cwd=BUILD).returncode)

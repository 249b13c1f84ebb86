"""Trammel beside other engines on the same mechanisms: CPU seconds of the time loop and the largest energy error of each, and how
many times as long the other one takes for an error that Trammel meets. Engines that are not installed are left out.

usage: compare.py TRAMMEL [CASE...]     environment: TRM_SIMBODY, the program built from simbody.cpp
"""
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mechanisms import CASES

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent.parent / "models"
LONGEST = 60  # seconds for one run; a finer one is not tried after one that took a fourth of it
TOLERANCES = ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"]

ENGINES = {  # name: (script, from coarse to fine)
    "MuJoCo": ("with_mujoco.py", "h", ["1e-2", "5e-3", "2e-3", "1e-3"]),
    "Exudyn": ("with_exudyn.py", "h", ["8e-3", "4e-3", "2e-3", "1e-3"]),
    "Simbody": ("with_simbody.py", "accuracy", ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"]),
}


def available(name):
    if name == "Simbody":
        return os.path.exists(os.environ.get("TRM_SIMBODY", ""))
    return importlib.util.find_spec(name.lower()) is not None


def best(call, runs=3):
    """CPU seconds and energy error of the fastest of a few runs; a long one counts at once. None: it fails."""
    found = None
    for _ in range(runs):
        try:
            done = subprocess.run(call, capture_output=True, text=True, timeout=LONGEST, cwd=HERE)
            run = json.loads(done.stdout[done.stdout.index("{"):])
        except subprocess.TimeoutExpired:
            return {"cpu": LONGEST, "error": None}
        except ValueError:
            return None
        cpu, error = run.get("cpu", run.get("cpu_seconds")), run.get("error", run.get("max_energy_error"))
        if done.returncode != 0 or error is None:
            return None
        if found is None or cpu < found["cpu"]:
            found = {"cpu": cpu, "error": error}
        if cpu > 2:
            break
    return found


def trammel(program, case, folder):
    """One documented option: the method of order eight, which chooses its steps by the tolerance."""
    _, model, values = CASES[case]
    runs = []
    for rtol in TOLERANCES:
        call = [program, "run", str(MODELS / model), "--integrator", "dop853", "--step", "100", "--rtol", rtol,
                "--atol", f"{float(rtol) / 1000}", "--output-step", "100", "--json", "--no-report", "--no-estimate", "-o", folder]
        run = best(call + [word for value in values for word in ("--set", value)])
        if run and run["error"] is not None:
            runs.append({"setting": f"rtol {rtol}", **run})
        if not run or run["cpu"] > LONGEST / 4:
            break
    return runs


def peer(name, case):
    script, word, settings = ENGINES[name]
    runs = []
    for setting in settings:
        run = best([sys.executable, "-W", "ignore", script, case, setting])
        if run and run["error"] is not None:
            runs.append({"setting": f"{word} {setting}", **run})
        if run and run["cpu"] > LONGEST / 4:
            break
    return runs


def answer(ours, other):
    """Our fastest run with no larger error."""
    good = [run for run in ours if run["error"] <= other["error"]]
    return min(good, key=lambda run: run["cpu"]) if good else None


def show(case, ours, others):
    worst = None
    for name, runs in others.items():
        if not runs:
            print(f"| {case} | {name} | fails, or takes more than a minute | | | | | |", flush=True)
        for run in runs:
            mine = answer(ours, run)
            ratio = run["cpu"] / mine["cpu"] if mine else float("nan")
            text = (f"{mine['setting']} | {mine['cpu']:.4f} | {mine['error']:.1e} | {ratio:.1f}" if mine
                    else "none as accurate | | |")
            print(f"| {case} | {name} {run['setting']} | {run['cpu']:.4f} | {run['error']:.1e} | {text} |", flush=True)
            worst = ratio if worst is None or math.isnan(ratio) else min(worst, ratio)  # once NaN, it stays
    return worst


def main():
    program, cases = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CASES)
    unknown = [case for case in cases if case not in CASES]
    if unknown:
        sys.exit(f"no mechanism '{unknown[0]}'; there are: {', '.join(CASES)}")
    engines = [name for name in ENGINES if available(name)]
    for name in ENGINES:
        if name not in engines:
            print(f"{name} is not installed: left out", file=sys.stderr)
    print("| mechanism | engine | CPU s | energy error J | Trammel dop853 | CPU s | energy error J | times |")
    print("|---|---|---|---|---|---|---|---|")
    least, record = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            ours = trammel(program, case, folder)
            others = {name: peer(name, case) for name in engines}
            record[case] = {"Trammel": ours, **others}
            least[case] = show(case, ours, others)
    print("\nleast ratio:", ", ".join(f"{case} {ratio:.1f}" for case, ratio in least.items() if ratio))
    Path("peers.json").write_text(json.dumps(record, indent=1))


main()

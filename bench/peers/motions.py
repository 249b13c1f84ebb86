#!/usr/bin/env python3
"""Whole motions of trees in space to the same energy error: motions.py TRAMMEL PEERS [NAME...]

TRAMMEL: a program built for this processor. PEERS: the folder that install has filled. For each engine the loosest setting that
keeps the energy to 1e-6 J for 10 s is found first; then all run in turns, five rounds. Printed: the median of CPU seconds of the
time loop [least to most], that energy error, and the error of the joint angles at 1 s against a run at 1e-13 by another engine."""
import csv
import json
import os
import re
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import robots

HERE = Path(__file__).resolve().parent
DURATION, ERROR, ROUNDS = 10, 1e-6, 5
LONGEST = 60  # CPU seconds of one run
TOLERANCES = [f"{10.0**(-k / 4):.2e}" for k in range(18, 49)]
STEPS = [2.0**-k for k in range(7, 15)]
PACKAGES = ("numpy", "scipy", "mujoco", "exudyn", "pin", "example-robot-data")


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))


def run(call):
    """What a program prints; None where it fails or takes too long. Its whole process group ends with it."""
    process = subprocess.Popen([str(word) for word in call], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tempfile.gettempdir(),
                               start_new_session=True, preexec_fn=limited)
    try:
        text, _ = process.communicate(timeout=10 * LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    if process.returncode != 0 or "{" not in text:
        return None
    return json.loads(text[text.index("{"):])


class Trammel:
    name, settings = "Trammel", TOLERANCES

    def __init__(self, program, folder):
        self.program, self.folder, self.out = program, folder, tempfile.mkdtemp()

    def motion(self, name, setting):
        said = run([self.program, "run", self.folder / f"{name}.yaml", "--coordinates", "relative", "--integrator", "dop853", "--step", 100,
                    "--rtol", setting, "--atol", float(setting) / 1000, "--duration", DURATION, "--output-step", 1, "--json",
                    "--no-report", "--no-estimate", "--allow-doubtful", "-o", self.out])
        if not said or said["max_energy_error"] is None:
            return None
        with open(Path(self.out) / "results.csv") as table:
            rows = list(csv.reader(table))
        return {"cpu": said["cpu_seconds"], "error": said["max_energy_error"], "evaluations": said["evaluations"],
                "middle": [float(x) for x in rows[2][1:]]}


class Program:
    def __init__(self, name, call, suffix, method, settings, folder):
        self.name, self.call, self.suffix, self.method, self.settings, self.folder = name, call, suffix, method, settings, folder

    def motion(self, name, setting):
        return run([*self.call, self.folder / f"{name}.{self.suffix}", self.method, setting, DURATION])


def loosest(engine, name):
    """The first setting from coarse to fine that is as good as asked; None: none of them."""
    for setting in engine.settings:
        done = engine.motion(name, setting)
        if done and 0 <= done["error"] <= ERROR:
            return setting
        if done and done["cpu"] > LONGEST / 4:
            break
    return None


def text_of(values):
    return f"{1000 * statistics.median(values):.1f} [{1000 * min(values):.1f} to {1000 * max(values):.1f}]"


def compare(engines, name, reference):
    chosen = {e: loosest(e, name) for e in engines}
    rounds = {e: [] for e in engines}
    for _ in range(ROUNDS):
        for e, setting in chosen.items():
            if setting is not None:
                rounds[e].append(e.motion(name, setting))
    medians = {}
    for e, runs in rounds.items():
        if not runs:
            print(f"| {name} | {e.name} | not to {ERROR:g} J within {LONGEST} s | | | |", flush=True)
            continue
        medians[e.name] = statistics.median(r["cpu"] for r in runs)
        off = max((abs(a - b) for a, b in zip(runs[0]["middle"], reference[name])), default=float("nan"))
        print(f"| {name} | {e.name} | {chosen[e]} | {text_of([r['cpu'] for r in runs])} | {runs[0]['error']:.1e} | {off:.1e} |", flush=True)
    rivals = {key: value for key, value in medians.items() if key != "Trammel"}
    if "Trammel" not in medians or not rivals:
        return None
    best = min(rivals, key=rivals.get)
    pairs = next((e for e in rounds if e.name == best))
    ours = next(e for e in rounds if e.name == "Trammel")
    ratios = [a["cpu"] / b["cpu"] for a, b in zip(rounds[ours], rounds[pairs])]
    return best, statistics.median(ratios), min(ratios), max(ratios)


def flags_of(program):
    """As its build folder says."""
    commands = json.loads((Path(program).parent / "compile_commands.json").read_text())
    words = shlex.split(next(c["command"] for c in commands if c["file"].endswith("src/math/tree.c")))
    return " ".join([Path(next(w for w in words if re.search(r"(cc|clang)[-\d.]*$", w))).name] + [w for w in words if re.match(r"-[Omf]", w)])


def main():
    program, peers, names = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3:] or robots.NAMES
    folder = peers / "trees"
    for package in PACKAGES:
        try:
            print(f"{package} {version(package)}", end=", ")
        except PackageNotFoundError:
            print(f"no {package}", end=", ")
    print(f"Trammel: {flags_of(program)}; the others: {(peers / 'flags').read_text().strip()}\n")
    pinocchio = Program("Pinocchio, DOP853", [peers / "pinocchio"], "bin", "dop853", TOLERANCES, folder)
    mujoco = Program("MuJoCo, DOP853", [peers / "mujoco"], "mjb", "dop853", TOLERANCES, folder)
    exudyn = [sys.executable, "-W", "ignore", HERE / "with_exudyn_tree.py"]
    engines = [Trammel(program, folder), pinocchio, mujoco, Program("MuJoCo, RK4", [peers / "mujoco"], "mjb", "rk4", STEPS, folder),
               Program("Exudyn, RK67", exudyn, "bin", "RK67", STEPS, folder), Program("Exudyn, RK44", exudyn, "bin", "RK44", STEPS, folder)]
    print("| tree | engine | rtol or step | CPU ms, median [least to most] | energy error J | angle error at 1 s |\n|---|---|---|---|---|---|")
    reference, verdict = {}, []
    for name in names:
        robots.prepare(folder, program, name)
        reference[name] = pinocchio.motion(name, "1e-13")["middle"]
        verdict.append((name, compare(engines, name, reference)))
    print("\nTrammel over the best of the others, round by round:")
    for name, found in verdict:
        print(f"{name}: " + (f"{found[1]:.2f} [{found[2]:.2f} to {found[3]:.2f}] of {found[0]}" if found else "not compared"))


main()

#!/usr/bin/env python3
"""One evaluation of the accelerations of trees in space: trees.py TREE PEERS TRAMMEL [NAME...]

TREE: bench/tree.c, compiled for this processor. PEERS: the folder that install has filled. Engines in turns, the median of five
rounds [least to most]."""
import statistics
import subprocess
import sys
from pathlib import Path

import pinocchio as pin

import robots

ROUNDS = 5
tree, peers, trammel, names = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4:] or robots.NAMES + robots.FREE
folder = peers / "trees"


def microseconds(*call):
    return float(subprocess.run([str(word) for word in call], check=True, capture_output=True, text=True).stdout)


def show(values):
    return f"{statistics.median(values):.2f} [{min(values):.2f} to {max(values):.2f}]"


print(f"Pinocchio {pin.__version__}, MuJoCo {robots.mujoco.__version__}; {(peers / 'flags').read_text().strip()}\n")
print("| tree | Trammel, µs | Pinocchio | MuJoCo | Trammel over Pinocchio |\n|---|---|---|---|---|")
for name in names:
    robots.prepare(folder, trammel, name)
    rounds = [(microseconds(tree, folder / f"{name}.yaml"), microseconds(peers / "pinocchio", folder / f"{name}.bin", "evaluate"),
               microseconds(peers / "mujoco", folder / f"{name}.mjb", "evaluate")) for _ in range(ROUNDS)]
    ours, theirs, others = zip(*rounds)
    print(f"| {name} | {show(ours)} | {show(theirs)} | {show(others)} | {show([a / b for a, b in zip(ours, theirs)])} |", flush=True)
if not sys.argv[4:]:  # a closed loop
    model = Path(__file__).parents[2] / "models" / "bricard.yaml"
    ours, theirs = zip(*[(microseconds(tree, model), microseconds(peers / "bricard")) for _ in range(ROUNDS)])
    print(f"| Bricard | {show(ours)} | {show(theirs)} | | {show([a / b for a, b in zip(ours, theirs)])} |")

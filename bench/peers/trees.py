#!/usr/bin/env python3
"""Trees in space against Pinocchio, one evaluation of the accelerations: trees.py FOLDER TRAMMEL TREE PINOCCHIO

FOLDER: for models. TREE and PINOCCHIO: bench/tree.c and pinocchio.cpp, compiled. Robots are those of the package example-robot-data, on
a fixed base, without joint damping (Pinocchio's algorithm has none). Engines in turns, the median of five rounds."""
import re
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

folder, trammel, tree, peer = Path(sys.argv[1]), *sys.argv[2:5]
ROBOTS = {"Solo12": "solo_description/robots/solo12.urdf", "ANYmal": "anymal_b_simple_description/robots/anymal.urdf",
          "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf", "Talos": "talos_data/robots/talos_reduced.urdf",
          "Panda": "panda_description/urdf/panda.urdf"}
CHAINS = (10, 30, 100)
ROUNDS = 5


def robot(name, path):
    """The same URDF in both; fingers of the Panda that mimic one another are left out of both."""
    text = re.sub(r"</?(dynamics|mimic)\b[^>]*>", "", path.read_text())
    urdf = folder / f"{name}.urdf"
    urdf.write_text(text)
    subprocess.run([trammel, "import", urdf, "-o", folder / f"{name}.yaml"], check=True, capture_output=True)
    pin.buildModelFromUrdf(str(urdf)).saveToBinary(str(folder / f"{name}.bin"))


def chain(name, n):
    """Rods of 1 m on revolute joints about x and y in turns."""
    bodies = [f"  b{i}: {{mass: 1, inertia: [0.0839583, 0.0839583, 0.00125], position: [0, 0, {-0.5 - i}]}}" for i in range(n)]
    joints = [f"  j{i}: {{type: revolute, connect: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [0, 0, {-i}], axis: {'xy'[i % 2]}}}"
              for i in range(n)]
    (folder / f"{name}.yaml").write_text("\n".join(["trammel: 1", f"name: {name}", "space: spatial", "bodies:", *bodies, "joints:", *joints]))
    model, parent = pin.Model(), 0
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([0, 0, -1.0 if i else 0]))
        parent = model.addJoint(parent, (pin.JointModelRX, pin.JointModelRY)[i % 2](), place, f"j{i}")
        inertia = pin.Inertia(1, np.array([0, 0, -0.5]), np.diag([0.0839583, 0.0839583, 0.00125]))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    model.saveToBinary(str(folder / f"{name}.bin"))


def times(program, suffix):
    done = subprocess.run([program, *(folder / f"{name}.{suffix}" for name in names)], check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


folder.mkdir(parents=True, exist_ok=True)
shared = next(Path(p) / "cmeel.prefix/share/example-robot-data/robots" for p in sys.path
              if (Path(p) / "cmeel.prefix/share/example-robot-data/robots").exists())
names = []
for name, path in ROBOTS.items():
    robot(name, shared / path)
    names.append(name)
for n in CHAINS:
    chain(f"chain{n}", n)
    names.append(f"chain{n}")
rounds = [(times(tree, "yaml"), times(peer, "bin")) for _ in range(ROUNDS)]
print(f"Pinocchio {pin.__version__}; microseconds of CPU for one evaluation, median of {ROUNDS} rounds [least to most]")
for k, name in enumerate(names):
    ours, theirs = ([r[side][k] for r in rounds] for side in (0, 1))
    ratios = [a / b for a, b in zip(ours, theirs)]
    text = (f"{statistics.median(x):7.2f} [{min(x):.2f} to {max(x):.2f}]" for x in (ours, theirs, ratios))
    print(f"{name:10} Trammel {next(text)}  Pinocchio {next(text)}  ratio {next(text)}")

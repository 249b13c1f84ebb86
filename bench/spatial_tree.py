#!/usr/bin/env python3
"""A tree of bodies in space as a model file: spatial_tree.py limb [limb ...] [--floats] > tree.yaml

A trunk with one limb of revolute joints for each number, as long as it says; axes, lengths and masses are
drawn by a fixed seed. `6 6 7 7 2 2` is a humanoid of 31 bodies; `30` is a chain, thirty times `1` a hub."""
import random
import sys

floats = "--floats" in sys.argv
limbs = [int(a) for a in sys.argv[1:] if a != "--floats"]
draw = random.Random(1)


def vector(size):
    v = [draw.gauss(0, 1) for _ in range(3)]
    length = sum(c * c for c in v) ** 0.5
    return [size * c / length for c in v]


def text(v):
    return "[" + ", ".join(f"{c:.17g}" for c in v) + "]"


bodies, joints = [], []


def add(name, parent, at, size, mass):
    to = vector(size)
    middle = [c / 2 for c in to]
    inertia = [mass * size * size * s for s in (0.08, 0.09, 0.07)]
    bodies.append(f"  {name}: {{mass: {mass:.6g}, inertia: {text(inertia)}, com: {text(middle)}, position: {text(at)}}}")
    if parent:
        joints.append(f"  j_{name}: {{type: revolute, connect: [{parent}, {name}], at: {text(at)}, axis: {text(vector(1))}}}")
    return [a + b for a, b in zip(at, to)]


add("trunk", None if floats else "ground", [0, 0, 0], 0.4, 10)
for i, length in enumerate(limbs):
    parent, at = "trunk", vector(0.3)
    for k in range(length):
        name = f"l{i + 1}_{k + 1}"
        at = add(name, parent, at, draw.uniform(0.1, 0.4), draw.uniform(0.5, 3))
        parent = name

print("trammel: 1\nname: Spatial tree\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:")
print("\n".join(bodies) + "\njoints:\n" + "\n".join(joints))
print("simulate: {duration: 1, step: 1e-3, output-step: 1e-2, integrator: rk4}\noutputs: [energy, constraint]")

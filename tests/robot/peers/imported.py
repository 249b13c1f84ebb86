"""An imported model, moved by its joints, and what Trammel says of it there."""
import json
import re

import numpy as np
import sys
import yaml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from extremes import largest


class Uncomparable(Exception):
    """It runs, but there is nothing to compare it with: why."""


class Model:
    """The imported model, moved by its joints: poses and velocities of all bodies."""

    def __init__(self, text, closures=()):
        """closures: joints that close loops, where it is known which do."""
        self.data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.bodies = {n: self.pose(b) for n, b in self.data["bodies"].items()}
        joints = self.data.get("joints") or {}
        self.tree, self.loops, held = {}, [], set()
        self.couplings = {n: j for n, j in joints.items() if j["type"] in ("gear", "coordinate")
                          and not n.endswith("_rotor_gear")}
        for name, joint in joints.items():
            if "connect" not in joint:
                continue
            child = joint["connect"][1]
            if name in closures or child in held or child == "ground" or joint["type"] == "rigid":
                self.loops.append(name)
            else:
                held.add(child)
                self.tree[name] = joint
        self.free = [n for n in self.bodies if n not in held]

    def pose(self, body):
        p = np.array(body.get("orientation", {}).get("quaternion", [1, 0, 0, 0]), float)
        return matrix(p / np.linalg.norm(p)), np.array(body["position"], float)

    def turn(self, axis, angle):
        axis = np.asarray(axis, float)
        n = np.linalg.norm(axis)
        if n == 0:
            return np.eye(3)
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]) / n
        return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K

    def move(self, values, rates, bases):
        """bases: free body → (R, x, omega, v). Gives name → (R, x, omega, v)."""
        displaced = {"ground": (np.eye(3), np.zeros(3))}  # from the pose as written to the pose now
        motion = {"ground": (np.zeros(3), np.zeros(3), np.zeros(3))}  # omega, v of a point
        for body, (R, x, omega, v) in bases.items():
            R0, x0 = self.bodies[body]
            D = R @ R0.T
            displaced[body] = D, x - D @ x0
            motion[body] = omega, v, x
        waiting = dict(self.tree)
        while waiting:
            for name in [n for n, j in waiting.items() if j["connect"][0] in displaced]:
                joint = waiting.pop(name)
                first, second = joint["connect"]
                D, d = displaced[first]
                omega, v, point = motion[first]
                at = np.array(joint["at"], float)
                anchor = D @ at + d
                v = v + np.cross(omega, anchor - point)
                if joint["type"] == "revolute":
                    axis = D @ np.array(joint["axis"], float)
                    T = self.turn(joint["axis"], values[name])
                    displaced[second] = D @ T, d + D @ (at - T @ at)
                    motion[second] = omega + axis * rates[name], v, anchor
                elif joint["type"] == "prismatic":
                    axis = D @ np.array(joint["axis"], float)
                    displaced[second] = D, d + axis * values[name]
                    moved = anchor + axis * values[name]
                    v = v + np.cross(omega, moved - anchor) + axis * rates[name]
                    motion[second] = omega, v, moved
                else:  # spherical: value a rotation, rate an angular velocity, both along the first's axes as written
                    T = values[name]
                    displaced[second] = D @ T, d + D @ (at - T @ at)
                    motion[second] = omega + D @ rates[name], v, anchor
        out = {}
        for body, (R0, x0) in self.bodies.items():
            D, d = displaced[body]
            omega, v, point = motion[body]
            x = D @ x0 + d
            out[body] = D @ R0, x, omega, v + np.cross(omega, x - point)
        return out

    def anchor(self, state):
        """Where the program has the point and the axes of a body that it counts by, from its state as written."""
        self.offsets = {}
        for k, (body, (R0, x0)) in enumerate(self.bodies.items()):
            at, p = state[7 * k:7 * k + 3], state[7 * k + 3:7 * k + 7]
            self.offsets[body] = R0.T @ (at - x0), R0.T @ matrix(p)

    def state(self, poses, values, rates):
        """In Euler parameters: points and quaternions, then their rates."""
        q, qdot = [], []
        for body, (R, x, omega, v) in poses.items():
            point, axes = self.offsets[body]
            arm = R @ point
            p = quaternion(R @ axes)
            q += [x + arm, p]
            qdot += [v + np.cross(omega, arm), quaternion_rate(p, omega)]
        for shaft in self.data.get("shafts") or {}:
            joint = shaft[:-len("_rotor")]
            a, w = values[joint], rates[joint]
            p = np.array([np.cos(a / 2), 0, 0, np.sin(a / 2)])
            q += [np.zeros(3), p]
            qdot += [np.zeros(3), quaternion_rate(p, np.array([0, 0, w]))]
        return np.concatenate(q + qdot)


def matrix(p):
    w, x, y, z = p
    return np.array([[w*w + x*x - y*y - z*z, 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), w*w - x*x + y*y - z*z, 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), w*w - x*x - y*y + z*z]])


def quaternion(R):
    K = np.array([[R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
                  [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
                  [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
                  [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]]]) / 3
    _, vectors = np.linalg.eigh(K)
    x, y, z, w = vectors[:, -1]
    return np.array([w, x, y, z]) * (1 if w >= 0 else -1)


def quaternion_rate(p, omega):
    return np.concatenate([[-omega @ p[1:]], p[0] * omega + np.cross(omega, p[1:])]) / 2


def accelerations(simulation, model, state):
    whole = simulation.state  # behind q and v: the work done
    whole[:len(state)] = state
    simulation.set_state(0, whole)
    return {b: (np.array([simulation[f"{b}.a{c}"] for c in "xyz"]),
                np.array([simulation[f"{b}.alpha{c}"] for c in "xyz"])) for b in model.bodies}


def difference(ours, theirs):
    """Of linear and of angular accelerations, each relative to the largest; speeds are about one."""
    worst = 0
    for k in range(2):
        scale = max((max(np.linalg.norm(theirs[b][k]), np.linalg.norm(theirs[b][1 - k]) / 1000) for b in theirs), default=0)
        off = largest((np.linalg.norm(ours[b][k] - theirs[b][k]) for b in theirs), default=0)
        if not np.isfinite(off):
            return float("inf")
        worst = largest(worst, off / max(scale, 1e-2))
    return worst


def labels(text):
    """Names as the file has them: label → name, from the comments."""
    return {m[1]: json.loads(m[2]) for m in re.finditer(r'^  (\w+):.*?# (".*")$', text, re.M)}


def settings_of(text):
    """Those that the comparison has a state for: of the tree where masses or moments only stand for none, else Euler parameters."""
    points = "(URDF)" in text and "becomes a point with a mass" in text
    return {"coordinates": "relative" if points or "coordinates: relative" in text else "euler-parameters"}

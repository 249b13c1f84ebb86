"""Trees of MJCF files by MuJoCo."""
import re

import mujoco
import numpy as np

from .imported import Model, accelerations, difference, labels
from .tree_state import state_of
from .inverse import Driven, efforts_of
from .mujoco_loops import compare_at_rest

STATES = 20
FREE, BALL = 0, 1
BODY, JOINT, ACTUATOR = mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_JOINT, mujoco.mjtObj.mjOBJ_ACTUATOR


def number_of(peer, kind, name):
    """By name; those without one are numbered as there."""
    found = mujoco.mj_name2id(peer, kind, name)
    count = {BODY: peer.nbody, JOINT: peer.njnt, ACTUATOR: peer.nu}[kind]
    made = re.fullmatch(r"[a-z]+(\d+)", name)
    if found >= 0 or not made or int(made[1]) >= count or mujoco.mj_id2name(peer, kind, int(made[1])):
        return found
    return int(made[1])


def switch_off(peer, taken):
    """What is not taken over, and is said so."""
    flags = mujoco.mjtDisableBit
    peer.opt.disableflags |= (flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS
                              | flags.mjDSBL_EQUALITY)
    peer.opt.density = peer.opt.viscosity = 0
    peer.tendon_stiffness[:] = 0
    peer.tendon_damping[:] = 0
    if hasattr(peer, "tendon_armature"):
        peer.tendon_armature[:] = 0
    peer.actuator_ctrllimited[:] = 0
    peer.actuator_forcelimited[:] = 0
    peer.jnt_actfrclimited[:] = 0
    for j in range(peer.njnt):
        if peer.jnt_type[j] in (FREE, BALL):
            peer.jnt_stiffness[j] = 0
            first = peer.jnt_dofadr[j]
            peer.dof_armature[first:first + (6 if peer.jnt_type[j] == FREE else 3)] = 0
    for a in range(peer.nu):
        if a not in taken:
            peer.actuator_gainprm[a] = 0
            peer.actuator_biasprm[a] = 0


class Peer:
    """MuJoCo's model of a file, with what is taken over, and the numbers of its bodies and joints by our labels."""

    def __init__(self, path, model, text):
        spec = mujoco.MjSpec.from_file(str(path))
        self.peer = spec.compile()
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        self.weighed = any(not b.explicitinertial and any(g.type == mesh for g in b.geoms) for b in spec.bodies)
        real = labels(text)
        inputs = model.data.get("inputs") or {}
        switch_off(self.peer, {number_of(self.peer, ACTUATOR, real.get(n, n)) for n in inputs})
        self.data = mujoco.MjData(self.peer)
        mujoco.mj_setConst(self.peer, self.data)  # it keeps masses of free bodies with their armature
        self.body = {b: number_of(self.peer, BODY, real.get(b, b)) for b in model.bodies}
        self.joint = {n: number_of(self.peer, JOINT, real.get(n, n)) for n in model.tree}
        gravity = not self.peer.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
        self.gravity = self.peer.opt.gravity * gravity

    def mass_matrix(self):
        M = np.zeros((self.peer.nv, self.peer.nv))
        if hasattr(self.data, "qM"):
            mujoco.mj_fullM(self.peer, M, self.data.qM)
        else:
            mujoco.mj_fullM(self.peer, self.data, M)
        return M

    def contrast(self):
        """Of a rotor and what it turns by a gear, which is a constraint here: it takes so many digits, ten round-offs."""
        mujoco.mj_forward(self.peer, self.data)
        rotors = self.peer.dof_armature
        driven = np.diag(self.mass_matrix()) - rotors
        return max((r / d for r, d in zip(rotors, driven) if r > 0 and d > 0), default=1)

    def inverse(self, a):
        """What must act on the freedoms besides springs, dampers and servos."""
        self.data.qacc[:] = a
        mujoco.mj_inverse(self.peer, self.data)
        return self.data.qfrc_inverse - self.data.qfrc_actuator

    def accelerations(self, a):
        self.data.qacc[:] = a
        mujoco.mj_rnePostConstraint(self.peer, self.data)
        theirs = {}
        for b, k in self.body.items():
            if k < 0:
                continue  # between two joints of one body
            there = np.zeros(6)
            mujoco.mj_objectAcceleration(self.peer, self.data, mujoco.mjtObj.mjOBJ_XBODY, k, there, 0)
            theirs[b] = there[3:] + self.gravity, there[:3]
        return theirs


def matrix_of(p):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, p)
    return R.reshape(3, 3)


def random_quaternion(random):
    p = random.normal(size=4)
    return p / np.linalg.norm(p)


def move(other, model, random):
    """To a random state. Gives values and rates of the joints, poses and velocities of free bodies."""
    peer, data = other.peer, other.data
    values, rates, bases = {}, {}, {}
    data.qpos[:], data.qvel[:] = peer.qpos0, 0
    for n, k in other.joint.items():
        q, v = peer.jnt_qposadr[k], peer.jnt_dofadr[k]
        if peer.jnt_type[k] == BALL:
            data.qpos[q:q + 4] = p = random_quaternion(random)
            data.qvel[v:v + 3] = local = random.uniform(-1, 1, 3)
            R0 = model.bodies[model.tree[n]["connect"][1]][0]
            values[n] = R0 @ matrix_of(p) @ R0.T
            rates[n] = values[n] @ R0 @ local
        else:
            values[n], rates[n] = random.uniform(-1, 1, 2)
            data.qpos[q] += values[n]
            data.qvel[v] = rates[n]
    for b in model.free:
        k = peer.body_jntadr[other.body[b]]
        x, v, local = random.uniform(-1, 1, (3, 3))
        p = random_quaternion(random)
        data.qpos[peer.jnt_qposadr[k]:][:7] = np.concatenate([x, p])
        data.qvel[peer.jnt_dofadr[k]:][:6] = np.concatenate([v, local])
        R = matrix_of(p)
        bases[b] = R, x, R @ local, v
    return values, rates, bases


def compare_mjcf(path, text, yaml, simulation, random):
    if "springdamper is not taken over" in text:
        return None
    model = Model(text)
    state_at = state_of(simulation, model, text)
    other = Peer(path, model, text)
    peer, data = other.peer, other.data
    if any(k < 0 for k in other.joint.values()):
        return None
    # MuJoCo keeps corners of meshes in single precision
    coarse = (1e-4 if other.weighed else 1) * min(1, 1e6 / other.contrast())
    if model.loops or model.couplings:
        found = compare_at_rest(other, model, simulation, text)
        return found and {k: v * (1 if k.startswith("stiff") else coarse) for k, v in found.items()}
    if any(peer.jnt_type[peer.body_jntadr[other.body[b]]] != FREE or peer.body_jntadr[other.body[b]] < 0 for b in model.free):
        return None
    hinges = [n for n, k in other.joint.items() if peer.jnt_type[k] != BALL]
    moved = [peer.jnt_dofadr[other.joint[n]] for n in hinges]
    driven = Driven(yaml, text, model, hinges)
    worst = {"accelerations": 0, "efforts": 0}
    for _ in range(STATES):
        values, rates, bases = move(other, model, random)
        mujoco.mj_forward(peer, data)
        free = data.qacc.copy()
        poses = model.move(values, rates, bases)
        state = state_at(poses, values, rates)
        for b, k in other.body.items():
            assert k < 0 or np.allclose(data.xpos[k], poses[b][1], rtol=0, atol=1e-9), f"{b} is elsewhere"
        theirs = other.accelerations(free)
        worst["accelerations"] = max(worst["accelerations"], difference(accelerations(simulation, model, state), theirs))
        if hinges:
            wanted = random.uniform(-1, 1, len(moved))
            efforts = efforts_of(other.inverse, other.mass_matrix(), moved, wanted)
            worst["efforts"] = max(worst["efforts"], driven.difference(driven.efforts(state, rates, wanted), efforts))
    return {k: v * coarse for k, v in worst.items()}

"""Trees of MJCF files by MuJoCo."""
import re

import mujoco
import numpy as np

from .digits import share_of
from .imported import Model, Uncomparable, accelerations, difference, labels, largest
from .tree_state import state_of
from .inverse import Driven, efforts_of
from .mujoco_loops import compare_loops
from .mujoco_reader import compiled

STATES = 20
FREE, BALL = 0, 1
BODY, JOINT, ACTUATOR, TENDON, EQUALITY = (getattr(mujoco.mjtObj, f"mjOBJ_{n}")
                                           for n in ("BODY", "JOINT", "ACTUATOR", "TENDON", "EQUALITY"))
ELEMENTS = {BODY: "body", JOINT: "joint", ACTUATOR: "motor|position|velocity|general|muscle|damper|cylinder|intvelocity|adhesion",
            TENDON: "fixed|spatial", EQUALITY: "connect|weld|joint|tendon|flex"}


def number_of(peer, kind, name, renamed=False):
    """By name; those without one are numbered as there. Where a name is that of such a number, the first has it and the
    second is renamed."""
    found = mujoco.mj_name2id(peer, kind, name)
    count = {BODY: peer.nbody, JOINT: peer.njnt, ACTUATOR: peer.nu, TENDON: peer.ntendon, EQUALITY: peer.neq}[kind]
    made = re.fullmatch(rf"(?:{ELEMENTS[kind]})(\d+)", name)
    if not made or int(made[1]) >= count or mujoco.mj_id2name(peer, kind, int(made[1])):
        return found
    both = sorted([found, int(made[1])])
    free = kind == JOINT and peer.jnt_type[int(made[1])] == FREE  # which is no joint of the model
    return found if free and not renamed else both[1] if found < 0 or renamed else both[0]


def left_out(text, word):
    """Names of what the head of a model says is not taken over."""
    notes = text.split("trammel: 1")[0].splitlines()
    return [m[1] for m in (re.search(rf"(?:{word}) '([^']*)' is not taken over", n) for n in notes) if m]


def switch_off(peer, taken, text):
    """What is not taken over, and is said so."""
    flags = mujoco.mjtDisableBit
    peer.opt.disableflags |= flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS
    peer.opt.density = peer.opt.viscosity = 0
    for name in left_out(text, "tendon"):
        k = number_of(peer, TENDON, name)
        if k >= 0:  # else it is a coupling of that name
            peer.tendon_stiffness[k] = peer.tendon_damping[k] = 0
    for name in left_out(text, "equality [a-z]+|[a-z]+ coupling|weld|connect"):
        k = number_of(peer, EQUALITY, name)
        if k >= 0:
            peer.eq_active0[k] = 0
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


def tensor(components):
    xx, yy, zz, xy, xz, yz = [*components, 0, 0, 0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)


def about(mass, arm):
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def take_masses(spec, peer, model, numbers):
    """MuJoCo keeps corners of meshes in single precision, and so much do masses differ. How much is given, and ours
    take their place, so that all the rest can be compared to the last digits."""
    data = mujoco.MjData(peer)
    mujoco.mj_kinematics(peer, data)
    worst = 0
    spec.compiler.inertiafromgeom, spec.compiler.balanceinertia, spec.compiler.settotalmass = 0, False, -1
    spec.compiler.boundmass = spec.compiler.boundinertia = 0
    bodies = {b.id: b for b in spec.bodies if b.id > 0}
    for body in bodies.values():
        body.explicitinertial, body.mass, body.inertia, body.fullinertia[:] = True, 0, [0, 0, 0], np.nan
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT  # no axes in other words
    for name, k in numbers.items():
        if k < 0:
            continue
        R, x = data.xmat[k].reshape(3, 3), data.xpos[k]
        mass, moment, inertia = 0, np.zeros(3), np.zeros((3, 3))
        for i in np.flatnonzero(peer.body_weldid == k):
            arm, turn = R.T @ (data.xipos[i] - x), R.T @ data.ximat[i].reshape(3, 3)
            mass, moment = mass + peer.body_mass[i], moment + peer.body_mass[i] * arm
            inertia += turn @ np.diag(peer.body_inertia[i]) @ turn.T + about(peer.body_mass[i], arm)
        ours = model.data["bodies"][name]
        own, com = tensor(ours["inertia"]), np.array(ours.get("com", [0, 0, 0]), float)
        own_mass = float(ours["mass"])  # YAML takes 1e-12 for a word
        length = np.sqrt(np.trace(inertia) / mass)
        worst = largest(worst, abs(own_mass - mass) / mass, np.abs(own_mass * com - moment).max() / (mass * length),
                    np.abs(own + about(own_mass, com) - inertia).max() / np.trace(inertia))
        sizes, axes = np.linalg.eigh(own)
        axes[:, 2] *= np.linalg.det(axes)
        body = bodies[k]
        body.mass, body.inertia, body.ipos = own_mass, sizes, com
        mujoco.mju_mat2Quat(body.iquat, axes.flatten())
    return worst


class Peer:
    """MuJoCo's model of a file, with what is taken over, and the numbers of its bodies and joints by our labels."""

    def __init__(self, spec, peer, model, text):
        self.peer = peer
        real = labels(text)
        self.body = {b: number_of(self.peer, BODY, real.get(b, b), b in real) for b in model.bodies}
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        from_shapes = spec.compiler.inertiafromgeom == 1
        self.weighed = any((from_shapes or not b.explicitinertial) and any(g.type == mesh for g in b.geoms) for b in spec.bodies)
        if self.weighed:
            self.masses = take_masses(spec, self.peer, model, self.body)
            self.peer = spec.compile()
        inputs = model.data.get("inputs") or {}
        switch_off(self.peer, {number_of(self.peer, ACTUATOR, real.get(n, n), n in real) for n in inputs}, text)
        self.data = mujoco.MjData(self.peer)
        mujoco.mj_setConst(self.peer, self.data)  # it keeps masses of free bodies with their armature
        self.joint = {n: number_of(self.peer, JOINT, real.get(n, n), n in real) for n in model.tree}
        gravity = not self.peer.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
        self.gravity = self.peer.opt.gravity * gravity

    def mass_matrix(self):
        M = np.zeros((self.peer.nv, self.peer.nv))
        if hasattr(self.data, "qM"):
            mujoco.mj_fullM(self.peer, M, self.data.qM)
        else:
            mujoco.mj_fullM(self.peer, self.data, M)
        return M

    def contrast(self, model):
        """Of a rotor and what it turns by a gear, which is a constraint here; of the moments of a thin free body, where
        angular accelerations count beside a thousandth of linear ones."""
        mujoco.mj_forward(self.peer, self.data)
        rotors = self.peer.dof_armature
        driven = np.diag(self.mass_matrix()) - rotors
        rotors = [r / d for r, d in zip(rotors, driven) if r > 0 and d > 0]
        moments = [np.linalg.eigvalsh(tensor(model.data["bodies"][b]["inertia"])) for b in model.free]
        return max(rotors + [1000 * m[2] / m[0] for m in moments if m[0] > 0], default=1)

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
        raise Uncomparable("springdamper is not taken over")
    spec, peer = compiled(path)
    closures = [e.name or f"{e.type.name[5:].lower()}{i}" for i, e in enumerate(spec.equalities)]
    model = Model(text, closures)
    state_at = state_of(simulation, model, text)
    other = Peer(spec, peer, model, text)
    peer, data = other.peer, other.data
    if any(k < 0 for k in other.joint.values()):
        raise Uncomparable("joints of one name, or fixed ones")
    masses = {"masses": other.masses} if other.weighed else {}
    coarse = share_of(other.contrast(model))
    masses["allowed"] = 1e-9 / coarse
    if model.loops or model.couplings:
        found = compare_loops(other, model, yaml, text, state_at, random)
        return {**found, "accelerations": found["accelerations"] * coarse, **masses}
    if any(peer.jnt_type[peer.body_jntadr[other.body[b]]] != FREE or peer.body_jntadr[other.body[b]] < 0 for b in model.free):
        raise Uncomparable("a body is free there only")
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
        worst["accelerations"] = largest(worst["accelerations"], difference(accelerations(simulation, model, state), theirs))
        if hinges:
            wanted = random.uniform(-1, 1, len(moved))
            efforts = efforts_of(other.inverse, other.mass_matrix(), moved, wanted)
            worst["efforts"] = largest(worst["efforts"], driven.difference(driven.efforts(state, rates, wanted), efforts))
    return {**{k: v * coarse for k, v in worst.items()}, **masses}

"""Trees of URDF and SDF files by Pinocchio."""
import numpy as np
import pinocchio as pin

from .digits import share_of
from .imported import Model, Uncomparable, accelerations, difference, labels, largest
from .tree_state import state_of
from .inverse import Driven, efforts_of
from .sdf_tree import read_sdf

STATES = 20


def of_frames(peer, data, poses, real):
    """Accelerations of all bodies, which must be where they are there."""
    theirs = {}
    for body in poses:
        frame = peer.getFrameId(real.get(body, body), pin.FrameType.BODY)
        assert np.allclose(data.oMf[frame].translation, poses[body][1], rtol=0, atol=1e-9), f"{body} is elsewhere"
        there = pin.getFrameClassicalAcceleration(peer, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        theirs[body] = there.linear, there.angular
    return theirs


def mass_matrix(peer, data, q):
    M = pin.crba(peer, data, q)
    return np.triu(M) + np.triu(M, 1).T


class Followers:
    """Joints that follow others: all rates are G times those of the independent ones."""

    def __init__(self, model):
        self.order = list(model.tree)
        couplings = model.couplings.values()
        followers = [c["joints"][1] for c in couplings]
        G = np.eye(len(self.order))
        for _ in couplings:  # one may follow another that follows
            for c in couplings:
                first, second = c["joints"]
                G[self.order.index(second)] = c["ratio"] * G[self.order.index(first)]
        self.independent = [n for n in self.order if n not in followers]
        self.G = G[:, [self.order.index(n) for n in self.independent]]


def compare_urdf(path, text, yaml, simulation, random):
    model, real = Model(text), labels(text)
    if model.loops or len(model.free) > 1:
        raise Uncomparable("several free bodies, or closed loops")
    base = 6 * len(model.free)  # freedoms of the one that is free
    peer = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if base else pin.buildModelFromUrdf(str(path))
    data, state_at = peer.createData(), state_of(simulation, model, text)
    starts = {}
    for line in text.splitlines():
        if line.startswith("#") and "where the file counts" in line:
            starts[line.split("joint '")[1].split("'")[0]] = float(line.split("counts ")[1])
    ties = Followers(model)
    order, G = ties.order, ties.G
    select = np.zeros((peer.nv, len(order)))
    for k, n in enumerate(order):
        select[peer.joints[peer.getJointId(real.get(n, n))].idx_v, k] = 1
    S = np.hstack([np.eye(peer.nv)[:, :base], select @ G])  # all rates by the independent ones
    offset = np.array([starts.get(real.get(n, n), 0) for n in order])
    passive = model.data.get("forces") or {}
    damping = np.array([-float(passive.get(f"{n}_passive", {"value": "0*"})["value"].split("*")[0]) for n in order])
    driven = Driven(yaml, text, model, ties.independent)
    worst = {"accelerations": 0, "efforts": 0, "allowed": 0}
    for _ in range(STATES):
        z, w = G @ random.uniform(-1, 1, G.shape[1]), G @ random.uniform(-1, 1, G.shape[1])
        values, rates, bases = dict(zip(order, z)), dict(zip(order, w)), {}
        q, v = pin.integrate(peer, pin.neutral(peer), select @ (z + offset)), select @ w
        drag = select @ (damping * w)
        for b in model.free:  # the root of the file, in its own axes
            q[:3], v[:6] = random.uniform(-1, 1, 3), random.uniform(-1, 1, 6)
            q[3:7] = random.normal(size=4)
            q[3:7] /= np.linalg.norm(q[3:7])
            R = pin.Quaternion(q[3:7]).toRotationMatrix()
            bases[b] = R, q[:3].copy(), R @ v[3:6], R @ v[:3]
        poses = model.move(values, rates, bases)
        state = state_at(poses, values, rates)
        M = S.T @ mass_matrix(peer, data, q) @ S
        if not np.all(np.diag(M) > 0):
            raise Uncomparable("a free body without moments: nothing says how it turns")

        def inverse(a):
            return S.T @ (pin.rnea(peer, data, q, v, S @ a) + drag)

        if ties.independent:
            wanted = random.uniform(-1, 1, G.shape[1])
            efforts = efforts_of(inverse, M, np.arange(base, len(M)), wanted)
            worst["efforts"] = largest(worst["efforts"], driven.difference(driven.efforts(state, rates, wanted), efforts))
        contrast = np.linalg.cond(M / np.sqrt(np.outer(np.diag(M), np.diag(M))))
        if contrast > 1e13:
            worst["accelerations"] = None  # two freedoms that move the same masses in the same way
        if worst["accelerations"] is None:
            continue
        a = S @ np.linalg.solve(M, -inverse(np.zeros(len(M))))
        pin.forwardKinematics(peer, data, q, v, a)
        pin.updateFramePlacements(peer, data)
        theirs = of_frames(peer, data, poses, real)
        share = share_of(contrast)
        off = share * difference(accelerations(simulation, model, state), theirs)
        worst["accelerations"], worst["allowed"] = largest(worst["accelerations"], off), largest(worst["allowed"], 1e-9 / share)
    return worst


def compare_sdf(path, text, yaml, simulation, random):
    found = read_sdf(path)
    if found is None or "has no mass but moves" in text:
        raise Uncomparable("the second reader does not know all of it" if found is None else "massless bodies move")
    peer, damping = found
    data, model, real = peer.createData(), Model(text), labels(text)
    if model.loops or model.couplings:
        raise Uncomparable("closed loops or gears")
    state_at = state_of(simulation, model, text)
    joints = {n: peer.joints[peer.getJointId(real.get(n, n))] for n in model.tree}
    driven = Driven(yaml, text, model, list(joints))
    moved = [j.idx_v for j in joints.values()]
    worst = {"accelerations": 0, "efforts": 0}
    for _ in range(STATES):
        q, v, drag = pin.neutral(peer), np.zeros(peer.nv), np.zeros(peer.nv)
        values, rates, bases = {}, {}, {}
        for n, j in joints.items():
            values[n], rates[n] = random.uniform(-1, 1, 2)
            q[j.idx_q], v[j.idx_v] = values[n], rates[n]
            drag[j.idx_v] = -damping[real.get(n, n)] * rates[n]
        for b in model.free:
            j = peer.joints[peer.getJointId(real.get(b, b))]
            v[j.idx_v:j.idx_v + 6] = local = random.uniform(-1, 1, 6)
            R, x = model.bodies[b]
            bases[b] = R, x, R @ local[3:], R @ local[:3]
        poses = model.move(values, rates, bases)
        state = state_at(poses, values, rates)
        if joints:
            wanted = random.uniform(-1, 1, len(moved))
            efforts = efforts_of(lambda a: pin.rnea(peer, data, q, v, a) - drag, mass_matrix(peer, data, q), moved, wanted)
            worst["efforts"] = largest(worst["efforts"], driven.difference(driven.efforts(state, rates, wanted), efforts))
        a = pin.aba(peer, data, q, v, drag)
        pin.forwardKinematics(peer, data, q, v, a)
        pin.updateFramePlacements(peer, data)
        theirs = of_frames(peer, data, poses, real)
        worst["accelerations"] = largest(worst["accelerations"], difference(accelerations(simulation, model, state), theirs))
    return worst

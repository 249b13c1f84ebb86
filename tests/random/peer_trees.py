"""Accelerations and efforts of trees in space, by Pinocchio and MuJoCo: peer_trees.py SEED COUNT KEEP. The exit status is
the number of mechanisms that differ, at most 100."""
import sys
from pathlib import Path

import numpy as np

import loads
import program
import rotation
import start
import trees
from generate import Case, finish
from measures import Measures, outputs, state_of_row
from mechanism import Mechanism
from sketch import Sketch

KINDS = ("revolute", "revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "rigid", "free")
DRIVEN = ("revolute", "prismatic", "cylindrical", "rigid")
ALLOWED = 1e-9  # relative to the largest of its kind


def draw(seed, driven):
    """A tree; driven in all its freedoms, or free with forces."""
    s = Sketch(np.random.default_rng([seed, 77]), "spatial")
    trees.grow(s, int(s.rng.integers(1, 7)), DRIVEN if driven else KINDS, "full")  # MuJoCo takes no flat bodies
    if driven:
        for freedom in loads.freedoms_of(s):
            s.joint("driver", of=freedom, value=loads.law(s))
    else:
        start.give_all(s)
    for body in s.names()[::2]:
        s.force("force", point=s.point(body, s.near(body)), value=[float(x) for x in 5 * s.rng.normal(size=3)])
    if len(s.names()) > 1:
        a, b = s.names()[:2]
        s.force("spring-damper", **s.connect(a, b, s.near(a), s.near(b)), stiffness=20.0, damping=0.5)
    return Case(seed, "driven tree" if driven else "tree", finish(s, f"tree {seed}"), s.tags, 0.4)


# --- a tree as other programs see it: every body has a parent and elementary joints, all at zero in the present position ---

class Link:
    def __init__(self, body, parent, joints):
        self.body, self.parent, self.joints = body, parent, joints  # joints: (kind, axis, anchor, freedom)


def elementary(state, name, joint, child):
    """hinge, slide, ball, with global axes and a global anchor, as the child moves relative to its parent"""
    mechanism = state.mechanism
    (b0, u0), (b1, u1) = mechanism.ends(joint)
    kind = joint["type"]
    anchor = np.asarray(state.x[b1] + state.R[b1] @ u1, dtype=float)
    if kind == "rigid":
        return []
    if kind == "spherical":
        return [("ball", None, anchor, None)]
    axes = mechanism.axes(joint)
    a, b = (np.asarray(state.R[i] @ axis, dtype=float) for i, axis in zip((b0, b1), axes))
    sign = 1 if child == b1 else -1
    if kind == "revolute":
        return [("hinge", sign * a, anchor, f"{name}.angle")]
    if kind == "prismatic":
        return [("slide", sign * a, anchor, f"{name}.displacement")]
    if kind == "universal":
        return [("hinge", a, anchor, None), ("hinge", b, anchor, None)] if child == b1 else [("hinge", b, anchor, None), ("hinge", a, anchor, None)]
    if kind == "cylindrical":
        return [("slide", sign * a, anchor, f"{name}.displacement"), ("hinge", sign * a, anchor, f"{name}.angle")]
    e, f = (np.asarray(d, dtype=float) for d in rotation.across(a))
    return [("slide", e, anchor, None), ("slide", f, anchor, None), ("hinge", a, anchor, None)]


def links(state):
    """From the ground outwards."""
    mechanism = state.mechanism
    found, reached = [], {0}
    waiting = {name: joint for name, joint in mechanism.joints.items() if joint["type"] != "driver"}
    while len(reached) < mechanism.count:
        for name, joint in list(waiting.items()):
            sides = [b for b, _ in mechanism.ends(joint)]
            inside = [b for b in sides if b in reached]
            if len(inside) == 1:
                child = sides[1] if sides[0] in reached else sides[0]
                found.append(Link(child, inside[0], elementary(state, name, joint, child)))
                reached.add(child)
                del waiting[name]
                break
        else:
            child = next(b for b in range(mechanism.count) if b not in reached)
            found.append(Link(child, 0, [("free", None, np.asarray(state.x[child], dtype=float), None)]))
            reached.add(child)
    return found


def rates(state, link):
    """Of the elementary joints: from the velocities of both bodies."""
    speed = lambda b, r: np.asarray(state.velocity_at(b, r), dtype=float)
    child, parent = link.body, link.parent
    w = np.asarray(state.w[child] - state.w[parent], dtype=float)
    if not link.joints:
        return []
    kind, _, anchor, _ = link.joints[0]
    v = speed(child, anchor) - speed(parent, anchor)
    if kind == "ball":
        return list(np.asarray(state.R[child].T, dtype=float) @ w)
    if kind == "free":
        return list(np.asarray(state.v[child], dtype=float)) + list(np.asarray(state.R[child].T, dtype=float) @ w)
    columns = [np.concatenate([a, np.zeros(3)]) if kind == "slide" else np.concatenate([np.zeros(3), a]) for kind, a, _, _ in link.joints]
    return list(np.linalg.lstsq(np.array(columns).T, np.concatenate([v, w]), rcond=None)[0])


def wrenches(measures):
    """On every body, about its centre of mass: everything but joints and inertia."""
    state, mechanism = measures.state, measures.mechanism
    total = sum((load.effort for load in measures.motion.loads.values()), np.zeros(state.n))
    force, torque = (np.asarray(part, dtype=float) for part in state.split(total))
    for i, body in enumerate(mechanism.bodies[1:], 1):
        force[i] += np.asarray(body.mass * body.gravity, dtype=float)
    return force, torque


class Peer:
    """Accelerations of all bodies (origin and angular) from rates and wrenches; or efforts from accelerations."""

    def compare(self, row, measures):
        """The largest relative difference from the row."""
        acceleration, angular = self.accelerations(measures)
        mechanism = measures.mechanism
        found = lambda prefix: np.array([[row[f"{b.name}.{prefix}{c}"] for c in "xyz"] for b in mechanism.bodies[1:]])
        worst = 0
        for mine, theirs in ((found("a"), acceleration), (found("alpha"), angular)):
            worst = np.maximum(worst, np.abs(mine - theirs).max() / max(np.abs(mine).max(), np.abs(theirs).max(), 1e-3))
        return worst


class Pinocchio(Peer):
    def __init__(self, state):
        import pinocchio as pin
        self.pin, self.links = pin, links(state)
        self.model = pin.Model()
        self.model.gravity.setZero()
        self.joint_of, self.efforts = {0: 0}, {}
        place = {0: pin.SE3.Identity()}
        mechanism = state.mechanism
        for link in self.links:
            world = pin.SE3(np.asarray(state.R[link.body], dtype=float), np.asarray(state.x[link.body], dtype=float))
            last, here = self.joint_of[link.parent], place[link.parent]
            for k, (kind, axis, anchor, freedom) in enumerate(link.joints):
                # in the child's axes, at the anchor
                frame = pin.SE3(world.rotation, anchor)
                local = None if axis is None else world.rotation.T @ axis
                joint = {"hinge": lambda: pin.JointModelRevoluteUnaligned(local), "slide": lambda: pin.JointModelPrismaticUnaligned(local),
                         "ball": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}[kind]()
                last = self.model.addJoint(last, joint, here.actInv(frame), f"{link.body}_{k}")
                here = frame
                if freedom:
                    self.efforts[freedom] = (self.model.joints[last].idx_v, axis)
            body = mechanism.bodies[link.body]
            inertia = pin.Inertia(float(body.mass), np.asarray(body.com, dtype=float), np.asarray(body.inertia, dtype=float))
            self.model.appendBodyToJoint(last, inertia, here.actInv(world))
            self.joint_of[link.body], place[link.body] = last, here
        self.data, self.place = self.model.createData(), place

    def state(self, measures):
        """Rates, and wrenches in the joints' axes."""
        pin, state = self.pin, measures.state
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        at = 0
        for link in self.links:
            values = rates(state, link)
            if link.joints and link.joints[0][0] == "free":  # linear velocities in the joint's own axes
                values[:3] = np.asarray(state.R[link.body].T, dtype=float) @ values[:3]
            v[at:at + len(values)] = values
            at += len(values)
        force, torque = wrenches(measures)
        loads = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            loads.append(pin.Force.Zero())
        for link in self.links:
            com = pin.SE3(np.eye(3), np.asarray(state.com[link.body], dtype=float))
            joint = self.joint_of[link.body]
            loads[joint] += self.place[link.body].actInv(com.act(pin.Force(force[link.body], torque[link.body])))
        return q, v, loads

    def accelerations(self, measures):
        pin, state = self.pin, measures.state
        q, v, loads = self.state(measures)
        a = pin.aba(self.model, self.data, q, v, np.zeros(self.model.nv), loads)
        pin.forwardKinematics(self.model, self.data, q, v, a)
        linear, angular = [], []
        for i in range(1, measures.mechanism.count):
            joint = self.joint_of[i]
            own = pin.getClassicalAcceleration(self.model, self.data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED) if joint else pin.Motion.Zero()
            w = np.asarray(state.w[i], dtype=float)
            lever = np.asarray(state.x[i], dtype=float) - self.place[i].translation
            linear.append(own.linear + np.cross(own.angular, lever) + np.cross(w, np.cross(w, lever)))
            angular.append(own.angular)
        return np.array(linear), np.array(angular)

    def inverse(self, measures, row):
        """Efforts of all freedoms for the accelerations of the row, by name."""
        pin = self.pin
        q, v, loads = self.state(measures)
        a = self.joint_accelerations(measures, row, q, v)
        tau = pin.rnea(self.model, self.data, q, v, a, loads)
        return {name: float(tau[k]) for name, (k, _) in self.efforts.items()}

    def joint_accelerations(self, measures, row, q, v):
        """So that the bodies get those of the row: linear in them."""
        pin, mechanism = self.pin, measures.mechanism
        if not self.model.nv:
            return np.zeros(0)

        def stacked(a):
            pin.forwardKinematics(self.model, self.data, q, v, a)
            return np.concatenate([self.data.a[self.joint_of[i]].vector for i in range(1, mechanism.count)])

        zero = stacked(np.zeros(self.model.nv))
        columns = np.array([stacked(e) - zero for e in np.eye(self.model.nv)]).T
        state, wanted = measures.state, []
        for i, body in enumerate(mechanism.bodies[1:], 1):
            frame = self.place[i]
            w = np.asarray(state.w[i], dtype=float)
            linear, angular = (np.array([row[f"{body.name}.{p}{c}"] for c in "xyz"]) for p in ("a", "alpha"))
            lever = frame.translation - np.asarray(state.x[i], dtype=float)
            speed = np.asarray(state.velocity_at(i, frame.translation), dtype=float)
            classical = linear + np.cross(angular, lever) + np.cross(w, np.cross(w, lever))
            spatial = classical - np.cross(w, speed)
            wanted.append(np.concatenate([frame.rotation.T @ spatial, frame.rotation.T @ angular]))
        return np.linalg.lstsq(columns, np.concatenate(wanted) - zero, rcond=None)[0]


class Mujoco(Peer):
    def __init__(self, state):
        import mujoco
        self.mujoco, self.links = mujoco, links(state)
        mechanism = state.mechanism
        numbers = lambda v: " ".join(repr(float(x)) for x in v)
        children = {}
        for link in self.links:
            children.setdefault(link.parent, []).append(link)

        def xml(parent):
            text = ""
            for link in children.get(parent, []):
                body, R, x = mechanism.bodies[link.body], state.R[link.body], state.x[link.body]
                place = state.R[parent].T @ (x - state.x[parent])
                turn = rotation.to_quaternion(state.R[parent].T @ R)
                I = body.inertia
                text += f'<body name="{body.name}" pos="{numbers(place)}" quat="{numbers(turn)}">'
                text += (f'<inertial pos="{numbers(body.com)}" mass="{float(body.mass)!r}" fullinertia="'
                         f'{numbers((I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))}"/>')
                for kind, axis, anchor, _ in link.joints:
                    keys = f'type="{kind}"' + ("" if kind == "free" else f' pos="{numbers(R.T @ (anchor - x))}"')
                    text += f"<joint {keys}" + ("" if axis is None else f' axis="{numbers(R.T @ axis)}"') + "/>"
                text += xml(link.body) + "</body>"
            return text

        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><compiler autolimits="false" balanceinertia="false"/><option gravity="0 0 0" timestep="1e-3"/>'
            f"<worldbody>{xml(0)}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)

    def accelerations(self, measures):
        mujoco, state, mechanism = self.mujoco, measures.state, measures.mechanism
        number = {body.name: mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, body.name) for body in mechanism.bodies[1:]}
        force, torque = wrenches(measures)
        for link in self.links:
            k = number[mechanism.bodies[link.body].name]
            first = self.model.body_dofadr[k]
            values = rates(state, link)
            if values:
                self.data.qvel[first:first + len(values)] = values
            self.data.xfrc_applied[k] = np.concatenate([force[link.body], torque[link.body]])
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_rnePostConstraint(self.model, self.data)
        linear, angular = [], []
        for body in mechanism.bodies[1:]:
            found = np.zeros(6)
            mujoco.mj_objectAcceleration(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, number[body.name], found, 0)
            linear.append(found[3:])
            angular.append(found[:3])
        return np.array(linear), np.array(angular)


def peers():
    found = []
    for name, module, peer in (("Pinocchio", "pinocchio", Pinocchio), ("MuJoCo", "mujoco", Mujoco)):
        try:
            __import__(module)
            found.append((name, peer))
        except ImportError:
            pass
    return found


def differences(case, known):
    """Texts."""
    model = {**case.model, "outputs": outputs(case.model)}
    run = program.run(model, "--duration", case.duration, "--output-step", case.duration / 2)
    if run.status != 0:
        return [f"the run ends with {run.status}: {run.error}"]
    mechanism, found = Mechanism(model), []
    for row in run.rows:
        measures = Measures(state_of_row(mechanism, row))
        for name, peer in known:
            if case.kind == "tree":
                off = peer(measures.state).compare(row, measures)
                if not off <= ALLOWED * max(1, measures.motion.condition * 1e-5):
                    found.append(f"{name}: accelerations at t = {row['t']:.6g} differ by {off:.2g}")
            elif name == "Pinocchio":
                tau = peer(measures.state).inverse(measures, row)
                efforts = {joint["of"]: row[f"{driver}.effort"] for driver, joint in mechanism.joints.items() if joint["type"] == "driver"}
                efforts = {of if "." in of else ".".join(mechanism.freedom(of)): e for of, e in efforts.items()}
                size = max([1e-3] + [abs(e) for e in efforts.values()])
                off = np.max([0] + [abs(e - tau[of]) for of, e in efforts.items()]) / size
                if not off <= ALLOWED:
                    found.append(f"{name}: efforts at t = {row['t']:.6g} differ by {off:.2g}")
    return found


def main():
    seed, count, keep = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    known, failed = peers(), 0
    if not known:
        print("neither Pinocchio nor MuJoCo is there")
        return 0
    for k in range(seed, seed + count):
        case = draw(k, driven=k % 4 == 0)
        texts = differences(case, known)
        for text in texts:
            print(f"{case}: peers: {text}", flush=True)
        if texts:
            failed += 1
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{k:06d}_peers.yaml").write_text(program.yaml(case.model))
    print(f"{', '.join(name for name, _ in known)}: {count} trees, {failed} differ")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())

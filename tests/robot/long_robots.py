"""Robots that others wrote, from packages of PyPI: each is imported and runs, or is refused with a
reason; accelerations at random states agree with Pinocchio's and MuJoCo's."""
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

BUILD = Path(os.environ["TRM_BUILD_DIR"])
PROGRAM = os.environ["TRAMMEL"]
# folders with robots that are there already, separated by colons, and a Python with TOOLS; else PyPI is asked
FOLDERS = os.environ.get("TRM_ROBOTS", "")
TOOLS = ["numpy", "cffi", "pyyaml", "pin", "mujoco", "example-robot-data"]
PACKAGES = ["pybullet", "mani-skill", "dm_control", "gymnasium", "gymnasium-robotics", "robosuite", "metaworld",
            "mujoco-mjx", "brax", "myosuite", "playground", "robot_properties_fingers", "rtb-data", "genesis-world"]
ENDINGS = (".urdf", ".xml", ".sdf", ".stl", ".obj", ".msh", ".png")
STATES = 20
LARGEST_ERROR = 1e-9  # relative to the largest acceleration
LARGEST_OF_MESHES = 1e-5  # where masses are those of meshes: MuJoCo keeps their corners in single precision
FEWEST = {"urdf": 200, "mjcf": 300, "sdf": 10}


def prepare():
    """A virtual environment in the build folder, and the packages' files beside it."""
    home = BUILD / "robots"
    python = home / "venv" / "bin" / "python"
    if not python.exists():
        home.mkdir(exist_ok=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(home / "venv")], capture_output=True)
        if made.returncode != 0 or subprocess.run([python, "-m", "pip", "install", "-q", *TOOLS]).returncode != 0:
            print("no virtual environment with Pinocchio and MuJoCo: nothing to compare with")
            shutil.rmtree(home / "venv", ignore_errors=True)
            sys.exit(77)
    for package in PACKAGES:
        folder = home / package
        if folder.exists():
            continue
        with tempfile.TemporaryDirectory() as download:
            done = subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", download, package])
            wheels = list(Path(download).glob("*.whl"))
            if done.returncode != 0 or not wheels:
                print(f"{package}: not to be had")
                continue
            with zipfile.ZipFile(wheels[0]) as archive:
                archive.extractall(folder, [n for n in archive.namelist() if n.lower().endswith(ENDINGS)])
    return python, [home]


def find_files(folders):
    """Each content once."""
    seen, files = set(), {"urdf": [], "mjcf": [], "sdf": []}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix.lower() not in (".urdf", ".xml", ".sdf") or not path.is_file():
                continue
            content = path.read_bytes()
            suffix = path.suffix.lower()[1:]
            kind = suffix if suffix != "xml" else "mjcf" if b"<mujoco" in content else None
            if kind is None or content in seen or b"<mujocoinclude" in content:
                continue
            seen.add(content)
            files[kind].append(path)
    return files


class Model:
    """The imported model, moved by its joints: poses and velocities of all bodies."""

    def __init__(self, text):
        import yaml
        import numpy as np
        self.np = np
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
            if child in held or child == "ground" or joint["type"] == "rigid":
                self.loops.append(name)
            else:
                held.add(child)
                self.tree[name] = joint
        self.free = [n for n in self.bodies if n not in held]

    def pose(self, body):
        p = self.np.array(body.get("orientation", {}).get("quaternion", [1, 0, 0, 0]), float)
        return self.matrix(p / self.np.linalg.norm(p)), self.np.array(body["position"], float)

    def matrix(self, p):
        w, x, y, z = p
        return self.np.array([[w*w + x*x - y*y - z*z, 2*(x*y - w*z), 2*(x*z + w*y)],
                              [2*(x*y + w*z), w*w - x*x + y*y - z*z, 2*(y*z - w*x)],
                              [2*(x*z - w*y), 2*(y*z + w*x), w*w - x*x - y*y + z*z]])

    def turn(self, axis, angle):
        np = self.np
        axis = np.asarray(axis, float)
        n = np.linalg.norm(axis)
        if n == 0:
            return np.eye(3)
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]) / n
        return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K

    def move(self, values, rates, bases):
        """bases: free body → (R, x, omega, v). Gives name → (R, x, omega, v)."""
        np = self.np
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
                else:  # spherical: value a rotation, rate relative angular velocity, global axes
                    T = values[name]
                    displaced[second] = D @ T, d + D @ (at - T @ at)
                    motion[second] = omega + rates[name], v, anchor
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
            self.offsets[body] = R0.T @ (at - x0), R0.T @ self.matrix(p)

    def state(self, poses, values, rates):
        """In Euler parameters: points and quaternions, then their rates."""
        np = self.np
        q, qdot = [], []
        for body, (R, x, omega, v) in poses.items():
            point, axes = self.offsets[body]
            arm = R @ point
            p = quaternion(np, R @ axes)
            q += [x + arm, p]
            qdot += [v + np.cross(omega, arm), quaternion_rate(np, p, omega)]
        for shaft in self.data.get("shafts") or {}:
            joint = shaft[:-len("_rotor")]
            a, w = values[joint], rates[joint]
            p = np.array([np.cos(a / 2), 0, 0, np.sin(a / 2)])
            q += [np.zeros(3), p]
            qdot += [np.zeros(3), quaternion_rate(np, p, np.array([0, 0, w]))]
        return np.concatenate(q + qdot)


def quaternion(np, R):
    K = np.array([[R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
                  [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
                  [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
                  [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]]]) / 3
    _, vectors = np.linalg.eigh(K)
    x, y, z, w = vectors[:, -1]
    return np.array([w, x, y, z]) * (1 if w >= 0 else -1)


def quaternion_rate(np, p, omega):
    return np.concatenate([[-omega @ p[1:]], p[0] * omega + np.cross(omega, p[1:])]) / 2


def accelerations(np, simulation, model, state):
    whole = simulation.state  # behind q and v: the work done
    whole[:len(state)] = state
    simulation.set_state(0, whole)
    return {b: (np.array([simulation[f"{b}.a{c}"] for c in "xyz"]),
                np.array([simulation[f"{b}.alpha{c}"] for c in "xyz"])) for b in model.bodies}


def difference(np, ours, theirs):
    """Of linear and of angular accelerations, each relative to the largest."""
    worst = 0
    for k in range(2):
        scale = max((max(np.linalg.norm(theirs[b][k]), np.linalg.norm(theirs[b][1 - k]) / 1000) for b in theirs), default=0)
        off = max((np.linalg.norm(ours[b][k] - theirs[b][k]) for b in theirs), default=0)
        if not np.isfinite(off):
            return float("inf")
        worst = max(worst, off / scale if scale > 1e-6 else 0)
    return worst


def labels(text):
    """Names as the file has them: label → name, from the comments."""
    import re
    return {m[1]: m[2] for m in re.finditer(r'^  (\w+):.*?# "(.*)"$', text, re.M)}


def compare_urdf(path, text, simulation, random):
    import numpy as np
    import pinocchio as pin
    peer = pin.buildModelFromUrdf(str(path))
    data = peer.createData()
    model = Model(text)
    model.anchor(simulation.state)
    if model.free or model.loops:
        return None
    real = labels(text)
    index = {j: peer.joints[peer.getJointId(real.get(j, j))].idx_v for j in model.tree}
    starts = {}
    for line in text.splitlines():
        if line.startswith("#") and "where the file counts" in line:
            starts[line.split("joint '")[1].split("'")[0]] = float(line.split("counts ")[1])
    # joints that follow others: their rates are G times the rates of the rest
    order = list(model.tree)
    G = np.eye(len(order))
    for c in model.couplings.values():
        first, second = c["joints"]
        G[order.index(second)] = c["ratio"] * G[order.index(first)]
    free = [k for k, n in enumerate(order) if n not in [c["joints"][1] for c in model.couplings.values()]]
    G = G[:, free]
    select = np.zeros((peer.nv, len(order)))
    for k, n in enumerate(order):
        select[index[n], k] = 1
    damping = np.array([-float((model.data.get("forces") or {}).get(f"{n}_passive", {"value": "0*"})["value"].split("*")[0])
                        for n in order])
    worst = 0
    for _ in range(STATES):
        z, w = G @ random.uniform(-1, 1, len(free)), G @ random.uniform(-1, 1, len(free))
        values, rates = dict(zip(order, z)), dict(zip(order, w))
        offset = np.array([starts.get(real.get(n, n), 0) for n in order])
        q = pin.integrate(peer, pin.neutral(peer), select @ (z + offset))
        v = select @ w
        h = pin.rnea(peer, data, q, v, np.zeros(peer.nv))
        M = pin.crba(peer, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        S = select @ G
        if np.linalg.cond(S.T @ M @ S) > 1e13:
            return None  # two freedoms that move the same masses in the same way
        a = S @ np.linalg.solve(S.T @ M @ S, S.T @ (-h) - G.T @ (damping * w))
        pin.forwardKinematics(peer, data, q, v, a)
        pin.updateFramePlacements(peer, data)
        poses = model.move(values, rates, {})
        theirs = {}
        for body in model.bodies:
            frame = peer.getFrameId(real.get(body, body), pin.FrameType.BODY)
            at = data.oMf[frame]
            assert np.allclose(at.translation, poses[body][1], rtol=0, atol=1e-9), f"{body} is elsewhere"
            there = pin.getFrameClassicalAcceleration(peer, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            theirs[body] = there.linear, there.angular
        ours = accelerations(np, simulation, model, model.state(poses, values, rates))
        worst = max(worst, difference(np, ours, theirs))
    return worst


def number_of(mujoco, peer, kind, name):
    """By name; those without one are numbered as there."""
    import re
    found = mujoco.mj_name2id(peer, kind, name)
    count = {mujoco.mjtObj.mjOBJ_BODY: peer.nbody, mujoco.mjtObj.mjOBJ_JOINT: peer.njnt,
             mujoco.mjtObj.mjOBJ_ACTUATOR: peer.nu}[kind]
    made = re.fullmatch(r"[a-z]+(\d+)", name)
    if found >= 0 or not made or int(made[1]) >= count or mujoco.mj_id2name(peer, kind, int(made[1])):
        return found
    return int(made[1])


def switch_off(mujoco, peer, taken):
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
        if peer.jnt_type[j] < 2:  # free, ball
            peer.jnt_stiffness[j] = 0
            first = peer.jnt_dofadr[j]
            peer.dof_armature[first:first + (6 if peer.jnt_type[j] == 0 else 3)] = 0
    for a in range(peer.nu):
        if a not in taken:
            peer.actuator_gainprm[a] = 0
            peer.actuator_biasprm[a] = 0


def compare_mjcf(path, text, simulation, random):
    import mujoco
    import numpy as np
    if "springdamper is not taken over" in text:
        return None
    spec = mujoco.MjSpec.from_file(str(path))
    peer = spec.compile()
    mesh = mujoco.mjtGeom.mjGEOM_MESH
    weighed = any(not b.explicitinertial and any(g.type == mesh for g in b.geoms) for b in spec.bodies)
    model = Model(text)
    model.anchor(simulation.state)
    real = labels(text)
    inputs = set(model.data.get("inputs") or {})
    taken = {number_of(mujoco, peer, mujoco.mjtObj.mjOBJ_ACTUATOR, real.get(n, n)) for n in inputs}
    switch_off(mujoco, peer, taken)
    data = mujoco.MjData(peer)
    mujoco.mj_setConst(peer, data)  # it keeps masses of free bodies with their armature
    joint_of = {}
    for n, j in model.tree.items():
        k = number_of(mujoco, peer, mujoco.mjtObj.mjOBJ_JOINT, real.get(n, n))
        if k < 0:
            return None
        joint_of[n] = k
    if model.loops or model.couplings:
        off = compare_at_rest(mujoco, np, peer, data, model, real, simulation, text)
        return None if off is None else off / (LARGEST_OF_MESHES / LARGEST_ERROR if weighed else 1)
    fillers = {b for b in model.bodies if number_of(mujoco, peer, mujoco.mjtObj.mjOBJ_BODY, real.get(b, b)) < 0}
    known = [b for b in model.bodies if b not in fillers]
    worst = 0
    for _ in range(STATES):
        values, rates, bases = {}, {}, {}
        data.qpos[:], data.qvel[:] = peer.qpos0, 0
        mujoco.mj_forward(peer, data)
        for n, k in joint_of.items():
            if peer.jnt_type[k] < 2:
                return None
            values[n], rates[n] = random.uniform(-1, 1, 2)
            data.qpos[peer.jnt_qposadr[k]] += values[n]
            data.qvel[peer.jnt_dofadr[k]] = rates[n]
        for b in model.free:
            k = peer.body_jntadr[number_of(mujoco, peer, mujoco.mjtObj.mjOBJ_BODY, real.get(b, b))]
            if k < 0 or peer.jnt_type[k] != 0:
                return None
            p = random.normal(size=4)
            p /= np.linalg.norm(p)
            x, v, local = random.uniform(-1, 1, (3, 3))
            data.qpos[peer.jnt_qposadr[k]:][:7] = np.concatenate([x, p])
            data.qvel[peer.jnt_dofadr[k]:][:6] = np.concatenate([v, local])
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, p)
            R = R.reshape(3, 3)
            bases[b] = R, x, R @ local, v
        mujoco.mj_forward(peer, data)
        mujoco.mj_rnePostConstraint(peer, data)
        poses = model.move(values, rates, bases)
        gravity = peer.opt.gravity * (not peer.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        theirs = {}
        for b in known:
            k = number_of(mujoco, peer, mujoco.mjtObj.mjOBJ_BODY, real.get(b, b))
            assert np.allclose(data.xpos[k], poses[b][1], rtol=0, atol=1e-9), f"{b} is elsewhere"
            there = np.zeros(6)
            mujoco.mj_objectAcceleration(peer, data, mujoco.mjtObj.mjOBJ_XBODY, k, there, 0)
            theirs[b] = there[3:] + gravity, there[:3]
        ours = accelerations(np, simulation, model, model.state(poses, values, rates))
        worst = max(worst, difference(np, ours, theirs))
    return worst / (LARGEST_OF_MESHES / LARGEST_ERROR if weighed else 1)


def compare_at_rest(mujoco, np, peer, data, model, real, simulation, text):
    """Closed loops, as written and without velocities: M a + Jᵀλ = f, J a = 0 in place of MuJoCo's springs."""
    if "equality" in text.split("trammel: 1")[0] or "coupling" in text.split("trammel: 1")[0]:
        return None  # constraints that are not taken over
    peer.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    peer.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data.qpos[:], data.qvel[:] = peer.qpos0, 0
    mujoco.mj_forward(peer, data)
    if data.nefc == 0 or max(abs(data.efc_pos[:data.nefc])) > 1e-6:
        return None  # it does not start where its loops are closed
    J = data.efc_J[:data.nefc * peer.nv].reshape(data.nefc, peer.nv)
    M = np.zeros((peer.nv, peer.nv))
    mujoco.mj_fullM(peer, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(peer, data, M)
    free = data.qacc_smooth.copy()
    MiJ = np.linalg.solve(M, J.T)
    sizes = np.linalg.svd(J @ MiJ, compute_uv=False) / np.linalg.norm(J @ MiJ, 2)
    if any((sizes > 1e-14) & (sizes < 1e-8)):
        return None  # a stretched arm: whether a constraint is redundant is a matter of round-off
    data.qacc[:] = free - MiJ @ np.linalg.lstsq(J @ MiJ, J @ free, rcond=1e-10)[0]
    mujoco.mj_rnePostConstraint(peer, data)
    gravity = peer.opt.gravity * (not peer.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    theirs = {}
    for b in model.bodies:
        k = number_of(mujoco, peer, mujoco.mjtObj.mjOBJ_BODY, real.get(b, b))
        if k < 0:
            continue
        there = np.zeros(6)
        mujoco.mj_objectAcceleration(peer, data, mujoco.mjtObj.mjOBJ_XBODY, k, there, 0)
        theirs[b] = there[3:] + gravity, there[:3]
    return difference(np, accelerations(np, simulation, model, simulation.state), theirs)


def read_sdf(path):
    """A tree of one model as Pinocchio's, by a reader that knows poses relative to model, link and child only;
    None: the file has more. With it the name of each link's joint, and dampings."""
    import numpy as np
    import pinocchio as pin
    import xml.etree.ElementTree as xml
    root = xml.parse(path).getroot()
    models = list(root.iter("model"))
    old = float(root.get("version")) < 1.45
    if len(models) != 1 or any(p.get("relative_to") for p in root.iter("pose")):
        return None

    def pose(element):
        found = element.find("pose") if element is not None else None
        v = np.array([float(w) for w in (found.text if found is not None and found.text else "0 0 0 0 0 0").split()])
        return pin.SE3(pin.rpy.rpyToMatrix(v[3:]), v[:3])

    def value(element, name, otherwise):
        found = element.find(name) if element is not None else None
        return otherwise if found is None else float(found.text)

    base = pose(models[0])
    links = {l.get("name"): l for l in models[0].findall("link")}
    places = {n: base * pose(l) for n, l in links.items()}
    joints = models[0].findall("joint")
    children = [j.find("child").text.strip() for j in joints]
    if len(set(children)) != len(children) or {j.get("type") for j in joints} - {"revolute", "prismatic", "fixed"}:
        return None
    gravity = next((g.text for g in root.iter("gravity") if len(g.text.split()) == 3), "0 0 -9.8")
    peer = pin.Model()
    peer.gravity = pin.Motion(np.array([float(w) for w in gravity.split()]), np.zeros(3))
    frames = {"world": (0, pin.SE3.Identity())}  # link → its joint, and where that joint's frame is in the world
    damping = {}

    def attach(name, joint, at):
        inertial = links[name].find("inertial")
        I = inertial.find("inertia") if inertial is not None else None
        xx, yy, zz, xy, xz, yz = (value(I, f"i{a}", 1.0 if a[0] == a[1] else 0.0) for a in ("xx", "yy", "zz", "xy", "xz", "yz"))
        mass = pin.Inertia(value(inertial, "mass", 1.0), np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        peer.appendBodyToJoint(joint, mass, at.actInv(places[name] * pose(inertial)))
        peer.addFrame(pin.Frame(name, joint, 0, at.actInv(places[name]), pin.FrameType.BODY))
        frames[name] = joint, at

    for name in links:
        if name not in children:
            attach(name, peer.addJoint(0, pin.JointModelFreeFlyer(), places[name], name), places[name])
    waiting = list(zip(joints, children))
    while waiting:
        left = len(waiting)
        for joint, child in list(waiting):
            parent = joint.find("parent").text.strip()
            if parent not in frames:
                continue
            waiting.remove((joint, child))
            held, above = frames[parent]
            at = places[child] * pose(joint)
            if joint.get("type") == "fixed":
                attach(child, held, above)
                continue
            element = joint.find("axis")
            axis = np.array([float(w) for w in element.find("xyz").text.split()])
            of_model = old or value(element, "use_parent_model_frame", 0) == 1
            axis = at.rotation.T @ (base.rotation if of_model else at.rotation) @ axis
            kind = pin.JointModelRevoluteUnaligned if joint.get("type") == "revolute" else pin.JointModelPrismaticUnaligned
            damping[joint.get("name")] = value(element.find("dynamics"), "damping", 0.0)
            if value(element.find("dynamics"), "spring_stiffness", 0.0):
                return None
            attach(child, peer.addJoint(held, kind(axis / np.linalg.norm(axis)), above.actInv(at), joint.get("name")), at)
        if len(waiting) == left:
            return None
    return peer, damping


def compare_sdf(path, text, simulation, random):
    import numpy as np
    import pinocchio as pin
    found = read_sdf(path)
    if found is None or "has no mass but moves" in text:
        return None
    peer, damping = found
    data, model = peer.createData(), Model(text)
    if model.loops or model.couplings:
        return None
    model.anchor(simulation.state)
    real = labels(text)
    worst = 0
    for _ in range(STATES):
        q, v, drag = pin.neutral(peer), np.zeros(peer.nv), np.zeros(peer.nv)
        values, rates, bases = {}, {}, {}
        for n in model.tree:
            j = peer.joints[peer.getJointId(real.get(n, n))]
            values[n], rates[n] = random.uniform(-1, 1, 2)
            q[j.idx_q], v[j.idx_v] = values[n], rates[n]
            drag[j.idx_v] = -damping[real.get(n, n)] * rates[n]
        for b in model.free:
            j = peer.joints[peer.getJointId(real.get(b, b))]
            v[j.idx_v:j.idx_v + 6] = local = random.uniform(-1, 1, 6)
            R, x = model.bodies[b]
            bases[b] = R, x, R @ local[3:], R @ local[:3]
        a = pin.aba(peer, data, q, v, drag)
        pin.forwardKinematics(peer, data, q, v, a)
        pin.updateFramePlacements(peer, data)
        poses = model.move(values, rates, bases)
        theirs = {}
        for body in model.bodies:
            frame = peer.getFrameId(real.get(body, body), pin.FrameType.BODY)
            assert np.allclose(data.oMf[frame].translation, poses[body][1], rtol=0, atol=1e-9), f"{body} is elsewhere"
            there = pin.getFrameClassicalAcceleration(peer, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            theirs[body] = there.linear, there.angular
        ours = accelerations(np, simulation, model, model.state(poses, values, rates))
        worst = max(worst, difference(np, ours, theirs))
    return worst


COMPARE = {"urdf": compare_urdf, "mjcf": compare_mjcf, "sdf": compare_sdf}


def try_one(kind, path, model, random):
    """What became of it: (word, detail)."""
    import trammel as tr
    options = ["--no-meshes"]
    done = subprocess.run([PROGRAM, "import", str(path), "-o", str(model), *options], capture_output=True, text=True)
    if done.returncode == 3 and "nothing in it moves" in done.stderr and kind == "urdf":
        options += ["--floating"]  # a thing, not a robot
        done = subprocess.run([PROGRAM, "import", str(path), "-o", str(model), *options], capture_output=True, text=True)
    if done.returncode != 0:
        lines = [l for l in done.stderr.splitlines() if "error:" in l]
        if done.returncode != 3 or not lines:
            return "broken", f"exit {done.returncode}: {done.stderr[-300:]}"
        return "refused", lines[0].split("error: ")[1]
    text = model.read_text()
    try:
        loaded = tr.load(str(model))
        simulation = loaded.simulation(coordinates="euler-parameters")
        loaded.run(duration=1e-3, progress=False)
    except Exception as error:
        if "no body has its inertia" in text:
            return "refused", "impossible inertia"
        return "wrong", str(error)[:300]
    try:
        off = COMPARE[kind](path, text, simulation, random)
    except Exception as error:
        return "uncompared", f"{type(error).__name__}: {error}"[:200]
    return ("runs", None) if off is None else ("compared", off)


def main():
    import numpy as np
    files = find_files(os.environ["TRM_ROBOTS"].split(":"))
    random = np.random.default_rng(1)
    failures = 0
    only = sys.argv[1:]
    for kind, paths in files.items():
        counts, reasons = collections.Counter(), collections.Counter()
        far = []
        with tempfile.TemporaryDirectory() as folder:
            for path in paths:
                if only and not any(o in str(path) for o in only):
                    continue
                word, detail = try_one(kind, path, Path(folder) / "robot.yaml", random)
                counts[word] += 1
                if word == "compared" and not detail <= LARGEST_ERROR:
                    far.append((path, detail))
                if word in ("wrong", "broken", "uncompared"):
                    print(f"{word}: {path}: {detail}", flush=True)
                if word == "refused":
                    reasons[detail[:70]] += 1
        print(kind, dict(counts))
        for reason, count in reasons.most_common(15):
            print(f"  refused {count}: {reason}")
        for path, off in far:
            print(f"  off by {off:.2e}: {path}")
        read = counts["compared"] + counts["runs"] + counts["uncompared"]
        if not only:
            failures += read < FEWEST[kind]
        failures += len(far) + counts["wrong"] + counts["broken"]
    return failures > 0


if __name__ == "__main__":
    if "TRM_ROBOTS_INSIDE" in os.environ:
        sys.path.insert(0, str(BUILD / "python"))
        sys.exit(main())
    if FOLDERS:
        python, folders = os.environ["TRM_ROBOTS_PYTHON"], FOLDERS.split(":")
    else:
        python, folders = prepare()
    environment = dict(os.environ, TRM_ROBOTS_INSIDE="1", TRM_ROBOTS=":".join(map(str, folders)))
    sys.exit(subprocess.run([str(python), __file__, *sys.argv[1:]], env=environment).returncode)

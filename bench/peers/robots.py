"""Trees in space, the same in every engine: robots of the package example-robot-data and chains.

A robot stands on a fixed base, or "NAME, free" on none, without joint damping and limits; the Panda's fingers are fixed. All start at rest from the zero
pose under a gravity that is not vertical, so that every joint moves. Pinocchio reads the URDF, Trammel imports it; MuJoCo
and Exudyn get the joints and inertias that Pinocchio has read. Of a chain Trammel's model is written here."""
import re
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

GRAVITY = (3, 2, -9)
ROBOTS = {"Panda": "panda_description/urdf/panda.urdf", "Solo12": "solo_description/robots/solo12.urdf",
          "ANYmal": "anymal_b_simple_description/robots/anymal.urdf", "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
          "Talos": "talos_data/robots/talos_reduced.urdf"}
CHAINS = {f"chain {n}": n for n in (10, 30, 100)}
NAMES = [*ROBOTS, *CHAINS]
FREE = [f"{name}, free" for name in ROBOTS if name != "Panda"]
ROD = (0.00125, 0.0839583, 0.0839583)


def shared():
    places = (Path(p) / "cmeel.prefix/share/example-robot-data/robots" for p in sys.path)
    return next(p for p in places if p.exists())


def read_robot(folder, trammel, name):
    robot, free = name.removesuffix(", free"), name.endswith(", free")
    text = re.sub(r"</?(dynamics|mimic)\b[^>]*>", "", (shared() / ROBOTS[robot]).read_text())
    text = text.replace('type="prismatic"', 'type="fixed"')
    urdf, model = folder / f"{name}.urdf", folder / f"{name}.yaml"
    urdf.write_text(text)
    subprocess.run([trammel, "import", urdf, "-o", model, *["--floating"] * free], check=True, capture_output=True)
    tree = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(str(urdf))
    outputs = ", ".join(f"{joint}.angle" for joint in tree.names[1 + free:])
    text = re.sub(r"^gravity:.*", f"gravity: {list(GRAVITY)}", model.read_text(), flags=re.M)
    model.write_text(text + f"outputs: [{outputs}]\n")
    return tree


def make_chain(folder, name):
    """Rods of 1 m along x on revolute joints about y and z in turns."""
    n = CHAINS[name]
    bodies = [f"  b{i}: {{mass: 1, inertia: {list(ROD)}, position: [{i + 0.5}, 0, 0]}}" for i in range(n)]
    joints = [f"  j{i}: {{type: revolute, connect: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0, 0], axis: {'yz'[i % 2]}}}"
              for i in range(n)]
    (folder / f"{name}.yaml").write_text("\n".join(
        ["trammel: 1", f"name: {name}", "space: spatial", f"gravity: {list(GRAVITY)}", "bodies:", *bodies, "joints:", *joints,
         "simulate: {duration: 1}", f"outputs: [{', '.join(f'j{i}.angle' for i in range(n))}]", ""]))
    tree, parent = pin.Model(), 0
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([1.0 if i else 0, 0, 0]))
        parent = tree.addJoint(parent, (pin.JointModelRY, pin.JointModelRZ)[i % 2](), place, f"j{i}")
        tree.appendBodyToJoint(parent, pin.Inertia(1, np.array([0.5, 0, 0]), np.diag(ROD)), pin.SE3.Identity())
    return tree


def axis_of(tree, joint):
    data = tree.createData()
    pin.computeJointJacobians(tree, data, pin.neutral(tree))
    return pin.getJointJacobian(tree, data, joint, pin.LOCAL)[3:, tree.joints[joint].idx_v]


def to_mujoco(tree):
    spec = mujoco.MjSpec()
    spec.option.gravity = GRAVITY
    bodies = [spec.worldbody]
    for i in range(1, tree.njoints):
        place, own = tree.jointPlacements[i], tree.inertias[i]
        body = bodies[tree.parents[i]].add_body(name=tree.names[i], pos=place.translation, quat=pin.Quaternion(place.rotation).coeffs()[[3, 0, 1, 2]])
        J = own.inertia
        body.explicitinertial, body.mass, body.ipos = True, own.mass, own.lever
        body.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        if tree.joints[i].nv == 6:
            body.add_freejoint()
        else:
            body.add_joint(name=tree.names[i] + "_j", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis_of(tree, i))
        bodies.append(body)
    return spec.compile()


def prepare(folder, trammel, name):
    """NAME.yaml, NAME.bin and NAME.mjb in the folder; the tree as Pinocchio has it."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = make_chain(folder, name) if name in CHAINS else read_robot(folder, trammel, name)
    tree.gravity.linear = np.array(GRAVITY, dtype=float)
    assert tree.nq == tree.nv + name.endswith(", free")
    tree.saveToBinary(str(folder / f"{name}.bin"))
    mujoco.mj_saveModel(to_mujoco(tree), str(folder / f"{name}.mjb"), None)
    return tree

"""SDF for Pinocchio, by a second reader."""
import xml.etree.ElementTree as xml

import numpy as np
import pinocchio as pin


def read_sdf(path):
    """A tree of one model as Pinocchio's, by a reader that knows poses relative to model, link and child only;
    None: the file has more. With it the name of each link's joint, and dampings."""
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

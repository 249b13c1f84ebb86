"""The mechanisms of the comparison, in terms every engine has: bodies aligned with the global axes at the start, joints by
global point and axis. The same numbers as in models/*.yaml, from which Trammel reads them."""
from dataclasses import dataclass, field
from math import sqrt


@dataclass
class Body:
    mass: float
    inertia: tuple  # about the centre of mass, along the global axes at the start
    position: tuple  # of the centre of mass
    velocity: tuple = (0, 0, 0)
    omega: tuple = (0, 0, 0)


@dataclass
class Joint:
    kind: str  # revolute, spherical, line (a point of `second` on a line along x)
    first: int  # index of a body, -1: ground
    second: int
    point: tuple
    axis: tuple = (0, 0, 1)


@dataclass
class Mechanism:
    gravity: tuple
    duration: float
    planar: bool = True
    bodies: list = field(default_factory=list)
    joints: list = field(default_factory=list)

    def tree(self, lines_first=False):
        """Joints that reach every body once from ground, in order, each with its two bodies; and the others."""
        reached, tree, loops = {-1}, [], []
        waiting = sorted(self.joints, key=lambda joint: joint.kind != "line") if lines_first else list(self.joints)
        while waiting:
            left = []
            for joint in waiting:
                ends = (joint.first in reached) + (joint.second in reached)
                if ends == 2 or (joint.kind == "line" and not lines_first):
                    loops.append(joint)
                elif ends == 1:
                    body = joint.second if joint.first in reached else joint.first
                    tree.append((joint, joint.first if body == joint.second else joint.second, body))
                    reached.add(body)
                else:
                    left.append(joint)
            if len(left) == len(waiting):
                raise ValueError("a body hangs in the air")
            waiting = left
        return tree, loops


def planar_rod(mass, izz, position, velocity=(0, 0, 0), omega=0):
    return Body(mass, (izz, izz, izz), position, velocity, (0, 0, omega))  # only the last one counts in the plane


def n_four_bar(windows):
    m = Mechanism((0, -9.81, 0), 10)
    posts = range(windows + 1)
    m.bodies = [planar_rod(1, 1 / 12, (i, 0.5, 0), (0.5, 0, 0), -1) for i in posts]
    m.bodies += [planar_rod(1, 1 / 12, (i + 0.5, 1, 0), (1, 0, 0)) for i in range(windows)]
    m.joints = [Joint("revolute", -1, i, (i, 0, 0)) for i in posts]
    for i in range(windows):
        m.joints.append(Joint("revolute", i, windows + 1 + i, (i, 1, 0)))
        m.joints.append(Joint("revolute", i + 1, windows + 1 + i, (i + 1, 1, 0)))
    return m


def triple_pendulum():
    m = Mechanism((0, 0, -9.81), 20, planar=False)
    m.bodies = [Body(2, (0.053, 2.693, 2.693), (2, 0, 0)), Body(3, (4.040, 0.080, 4.040), (4, 2, 0)),
                Body(4, (0.107, 5.387, 5.387), (6, 4, 0))]
    m.joints = [Joint("spherical", -1, 0, (0, 0, 0)), Joint("spherical", 0, 1, (4, 0, 0)),
                Joint("spherical", 1, 2, (4, 4, 0))]
    return m


def bricard(axial=1e-5):
    across = (1 + 6 * axial) / 12
    x, y, z = (axial, across, across), (across, axial, across), (across, across, axial)
    m = Mechanism((0, -9.81, 0), 10, planar=False)
    m.bodies = [Body(1, x, (0.5, 0, 0)), Body(1, y, (1, -0.5, 0)), Body(1, z, (1, -1, 0.5)), Body(1, x, (0.5, -1, 1)),
                Body(1, y, (0, -0.5, 1))]
    m.joints = [Joint("revolute", -1, 0, (0, 0, 0), (0, 1, 0)), Joint("revolute", 0, 1, (1, 0, 0), (0, 0, 1)),
                Joint("revolute", 1, 2, (1, -1, 0), (1, 0, 0)), Joint("revolute", 2, 3, (1, -1, 1), (0, 1, 0)),
                Joint("revolute", 3, 4, (0, -1, 1), (0, 0, 1)), Joint("revolute", 4, -1, (0, 0, 1), (1, 0, 0))]
    return m


def slider_crank():
    """From 45 degrees, the slider at -4 m/s: x = 2 cos(theta)."""
    c = s = sqrt(0.5)
    w, izz = 4 / (2 * s), 1.01 / 12
    m = Mechanism((0, -9.81, 0), 10)
    m.bodies = [planar_rod(1, izz, (c / 2, s / 2, 0), (-w * s / 2, w * c / 2, 0), w),
                planar_rod(1, izz, (1.5 * c, s / 2, 0), (-1.5 * w * s, w * c / 2, 0), -w)]
    m.joints = [Joint("revolute", -1, 0, (0, 0, 0)), Joint("revolute", 0, 1, (c, s, 0)),
                Joint("line", -1, 1, (2 * c, 0, 0), (1, 0, 0))]
    return m


def chain(rods):
    m = Mechanism((0, -9.81, 0), 1)
    m.bodies = [planar_rod(1, 1 / 12, (i + 0.5, 0, 0)) for i in range(rods)]
    m.joints = [Joint("revolute", i - 1, i, (i, 0, 0)) for i in range(rods)]
    return m


# name: (how to make it, Trammel's model and what it is to set)
CASES = {
    "n_four_bar N=2": (lambda: n_four_bar(2), "n_four_bar.yaml", ["N=2"]),
    "n_four_bar N=40": (lambda: n_four_bar(40), "n_four_bar.yaml", ["N=40"]),
    "n_four_bar N=400": (lambda: n_four_bar(400), "n_four_bar.yaml", ["N=400"]),
    "triple_pendulum": (triple_pendulum, "triple_pendulum.yaml", []),
    "bricard Ix=1e-5": (bricard, "bricard.yaml", ["a=sqrt(6e-5)"]),
    "slider_crank_iftomm": (slider_crank, "slider_crank_iftomm.yaml", []),
    "chain N=10": (lambda: chain(10), "chain.yaml", ["N=10"]),
    "chain N=100": (lambda: chain(100), "chain.yaml", ["N=100"]),
    "chain N=1000": (lambda: chain(1000), "chain.yaml", ["N=1000"]),
}

"""Inverse dynamics: a model whose joints are driven, and what its drivers must do."""
import numpy as np
import trammel as tr

from .imported import settings_of

RATE = {"revolute": "rate", "prismatic": "speed"}


class Driven:
    """The imported model with a driver of the velocity on each of these joints. What has none moves as it must."""

    def __init__(self, path, text, model, joints):
        self.path = path.with_name("driven.yaml")
        self.joints, self.settings = joints, settings_of(text)
        self.slides = np.array([model.tree[j]["type"] == "prismatic" for j in joints], bool)
        drivers = "".join(f"  drive_of_{k}: {{type: driver, of: {j}.{RATE[model.tree[j]['type']]},"
                          f" rate: rate_of_{k} + acceleration_of_{k}*t}}\n" for k, j in enumerate(joints))
        names = [f"{word}_of_{k}" for k in range(len(joints)) for word in ("rate", "acceleration")]
        head, end = text.rsplit("simulate:", 1)
        head = head.replace("\njoints:\n", "\njoints:\n" + drivers, 1)
        self.path.write_text(f"{head}parameters: {{{', '.join(f'{n}: 0' for n in names)}}}\nsimulate:{end}")

    def efforts(self, state, rates, accelerations):
        given = {f"rate_of_{k}": rates[j] for k, j in enumerate(self.joints)}
        given.update({f"acceleration_of_{k}": a for k, a in enumerate(accelerations)})
        simulation = tr.load(str(self.path), **given).simulation(**self.settings)
        whole = simulation.state
        whole[:len(state)] = state
        simulation.set_state(0, whole)
        return np.array([simulation[f"drive_of_{k}.effort"] for k in range(len(self.joints))])

    def difference(self, ours, theirs):
        """Of forces and of torques, each relative to the largest."""
        worst = 0
        for which in (self.slides, ~self.slides):
            if not any(which):
                continue
            scale = max(np.abs(theirs[which]).max(), np.abs(theirs).max() / 1000, 1e-6)
            off = np.abs(ours[which] - theirs[which]).max() / scale
            worst = max(worst, off if np.isfinite(off) else float("inf"))
        return worst


def efforts_of(inverse, M, driven, accelerations):
    """Where the freedoms `driven` accelerate like this and nothing acts on the others.
    inverse(a): what M a and all forces leave."""
    a = np.zeros(len(M))
    a[driven] = accelerations
    others = np.setdiff1d(np.arange(len(M)), driven)
    a[others] = -np.linalg.solve(M[np.ix_(others, others)], inverse(a)[others])
    return inverse(a)[driven]

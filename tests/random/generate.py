"""Random mechanisms by their seeds: the same seed gives the same model, whatever else is generated."""
import numpy as np

import drivelines
import events
import loads
import redundant
import special
import start
import transform
import trees
import turned
import wheels
from sketch import Sketch

MORE = 100000  # seeds from here on have shafts, constant-velocity joints, loads and signals
LATER = {400000: ("spatial-turned",), 500000: ("planar-events", "spatial-events"), 600000: ("spatial-tires",)}  # from here on these
KINDS = ("planar-tree", "planar-loop", "planar-redundant", "spatial-tree", "spatial-loop", "spatial-redundant", "special")


class Case:
    """A model, what it is like (tags) and how long it is run."""

    def __init__(self, seed, kind, model, tags, duration, units=None):
        self.seed, self.kind, self.model, self.tags, self.duration = seed, kind, model, tags, duration
        self.units = units or transform.Change()

    def atol(self, rtol):
        """As exact for lengths, speeds and pure numbers as 1e-3 rtol is in units of the mechanism's own: atol is a part of the
        model's length and of pure numbers, but knows no unit of time."""
        return max(1e-3 * rtol * min(1, 1 / self.units.c), 1e-16)

    def tolerances(self):
        """Of the default method: its own, which are for models in their own units, or such as are as tight in others."""
        return ("--rtol", 1e-10, "--atol", self.atol(1e-10)) if "units" in self.tags else ()

    def __str__(self):
        return f"seed {self.seed} ({self.kind}: {', '.join(sorted(self.tags))})"


def finish(s, name):
    model = s.model
    if not model["ground"]["points"]:
        del model["ground"]
    for body in model["bodies"].values():
        if not body["points"]:
            del body["points"]
    order = ("_tires", "trammel", "name", "space", "gravity", "parameters", "ground", "bodies", "shafts", "joints", "inputs", "variables", "states",
             "events", "forces", "initial")
    model["name"] = name
    return {key: model[key] for key in order if key in model}


def draw_general(s, kind):
    space, _, shape = kind.partition("-")
    if shape == "redundant":
        redundant.draw(s)
        if s.chance(0.3):
            trees.grow(s, int(s.rng.integers(1, 3)))
    else:
        trees.grow(s, int(s.rng.integers(1, 6)))
        if shape == "loop":
            trees.close(s, int(s.rng.integers(1, 4)))
        if s.chance(0.25):
            loads.add_gear(s)
        if s.chance(0.2):
            loads.add_sum(s)
        if s.chance(0.25):
            loads.add_driver(s)
        if s.chance(0.1):
            loads.add_driven_distance(s)
    for _ in range(int(s.rng.integers(0, 4))):
        loads.add_force(s, rough=s.chance(0.1))
    start.draw(s)


DRAW = {"turned": turned.draw, "events": events.draw, "tires": wheels.draw}


def generate(seed, kind=None):
    rng = np.random.default_rng([seed, 20240])
    kinds = next((kinds for first, kinds in sorted(LATER.items(), reverse=True) if seed >= first), KINDS if seed < MORE else drivelines.KINDS)
    kind = kind or kinds[seed % len(kinds)]
    if seed >= min(LATER):
        s = Sketch(rng, kind.partition("-")[0])
        DRAW[kind.partition("-")[2]](s)
    elif seed >= MORE:
        s = Sketch(rng, kind.partition("-")[0])
        drivelines.draw(s, kind)
    elif kind == "special":
        s = special.draw(rng)
    else:
        s = Sketch(rng, kind.partition("-")[0])
        draw_general(s, kind)
    # later carriages tip over or come to rest, where a tire is no longer one (and knows how heavy a kilogram is, in newtons)
    case = Case(seed, kind, finish(s, f"random {seed}"), s.tags, 0.15 if "tires" in s.tags else 0.5)
    return in_other_units(case, rng) if rng.random() < 0.25 else case


def draw_units(rng):
    """Lengths and masses many decades away from metres and kilograms, times as they become short things."""
    decades = lambda size: float(10**rng.uniform(-size, size))
    a = decades(4)
    return {"a": a, "b": decades(9), "c": a**0.5 * decades(1)}


def in_other_units(case, rng):
    change = transform.Change(**draw_units(rng), carried=transform.is_carried(case.model))
    model = transform.transformed(case.model, change)
    return Case(case.seed, case.kind, model, case.tags | {"units"}, case.duration * change.c, change)

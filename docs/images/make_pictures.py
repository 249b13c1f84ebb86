#!/usr/bin/env python3
"""Draws docs/images/jansen.svg: one turn of Theo Jansen's leg, seen through a stroboscope.

    make_pictures.py                               the leg's geometry alone, the crank turned evenly
    make_pictures.py results/jansen/results.csv    a simulated turn (trammel run models/jansen.yaml --output-step 2.5e-3)

Python's standard library only. Both ways draw the same joints, named as in models/jansen.yaml.
"""
import csv
import math
import pathlib
import sys

# the holy numbers in metres, as in models/jansen.yaml
A, B_, C, D, E, F, G, H, I, J, K, L, M = (
    n / 100 for n in (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15))
O, B = (0.0, 0.0), (-A, -L)

# mid-tones: they hold on a white and on a black page
BAR, PLATE, CRANK, TRACE, GROUND = "#5b8fbf", "#4fa36c", "#c9667a", "#dd7733", "#8a8f98"
GHOSTS, SCALE, MARGIN = 20, 440.0, 26


def meet(p, q, rp, rq, side):
    """The point at distance rp from p and rq from q, left (+1) or right (-1) of the way from p to q."""
    d = math.dist(p, q)
    turn = math.atan2(q[1] - p[1], q[0] - p[0]) + side * math.acos((rp * rp + d * d - rq * rq) / (2 * rp * d))
    return p[0] + rp * math.cos(turn), p[1] + rp * math.sin(turn)


def leg(theta):
    """All joints at one crank angle."""
    X = M * math.cos(theta), M * math.sin(theta)
    Y = meet(B, X, B_, J, +1)
    U = meet(B, X, C, K, -1)
    W = meet(B, Y, D, E, +1)
    V = meet(U, W, G, F, +1)
    toe = meet(U, V, I, H, +1)
    return {"X": X, "Y": Y, "U": U, "W": W, "V": V, "toe": toe}


def turn_computed(count=360):
    return [leg(2 * math.pi * k / count) for k in range(count)]


def turn_simulated(path):
    """The joints of the first full turn in a results file."""
    columns = {"X": "crank.X", "Y": "rocker.Y", "W": "rocker.W", "U": "foot.U", "V": "foot.V", "toe": "foot.toe"}
    frames = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            frames.append({n: (float(row[c + ".x"]), float(row[c + ".y"])) for n, c in columns.items()})
            if abs(float(row["crank.angle"])) >= 2 * math.pi:
                return frames
    sys.exit(f"{path}: the crank does not complete a turn")


class Canvas:
    """Metres to pixels, y up to y down."""

    def __init__(self, frames):
        points = [p for f in frames for p in f.values()] + [O, B]
        self.x0 = min(p[0] for p in points)
        self.y1 = max(p[1] for p in points)
        self.width = (max(p[0] for p in points) - self.x0) * SCALE + 2 * MARGIN
        self.height = (self.y1 - min(p[1] for p in points)) * SCALE + 2 * MARGIN
        self.out = []

    def at(self, p):
        return f"{(p[0] - self.x0) * SCALE + MARGIN:.1f},{(self.y1 - p[1]) * SCALE + MARGIN:.1f}"

    def path(self, points, stroke, width, opacity=1.0, fill="none", fill_opacity=0.0, close=False):
        data = "M" + "L".join(self.at(p) for p in points) + ("Z" if close else "")
        self.out.append(f'<path d="{data}" stroke="{stroke}" stroke-width="{width}" opacity="{opacity:g}" '
                        f'fill="{fill}" fill-opacity="{fill_opacity:g}"/>')

    def dot(self, p, radius, fill, stroke="none", opacity=1.0):
        x, y = self.at(p).split(",")
        self.out.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{stroke}" opacity="{opacity:g}"/>')

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
                f'width="{self.width:.0f}" height="{self.height:.0f}" stroke-linecap="round" stroke-linejoin="round">')
        title = "<title>One turn of Theo Jansen's leg: the toe walks on a flat sole</title>"
        return "\n".join([head, title, *self.out, "</svg>", ""])


def draw_leg(canvas, f, ghost):
    width, opacity, fill = (1.2, 0.22, 0.05) if ghost else (5, 1.0, 0.16)
    canvas.path([B, f["Y"], f["W"]], PLATE, width, opacity, PLATE, fill, close=True)
    canvas.path([f["U"], f["V"], f["toe"]], PLATE, width, opacity, PLATE, fill, close=True)
    for p, q in (("X", "Y"), ("X", "U"), ("W", "V")):
        canvas.path([f[p], f[q]], BAR, width, opacity)
    canvas.path([B, f["U"]], BAR, width, opacity)
    canvas.path([O, f["X"]], CRANK, width, opacity)
    if not ghost:
        for p in [f[n] for n in ("X", "Y", "U", "W", "V")] + [O, B]:
            canvas.dot(p, 5.5, "#f4f4f4", "#565b63")


def draw(frames):
    canvas = Canvas(frames)
    toes = [f["toe"] for f in frames]
    floor = min(y for _, y in toes)
    left, right = min(x for x, _ in toes) - 0.22, max(x for x, _ in toes) + 0.22
    ghosts = [frames[round(k * len(frames) / GHOSTS) % len(frames)] for k in range(GHOSTS)]
    for f in ghosts:
        draw_leg(canvas, f, ghost=True)
    canvas.path([(left, floor), (right, floor)], GROUND, 1.5, 0.8)
    canvas.path(toes, TRACE, 3, close=True)
    for f in ghosts:  # equal times: close together means slow
        canvas.dot(f["toe"], 3.6, TRACE)
    draw_leg(canvas, frames[0], ghost=False)
    canvas.dot(frames[0]["toe"], 7, TRACE, "#565b63")
    return canvas.svg()


if __name__ == "__main__":
    turn = turn_simulated(sys.argv[1]) if len(sys.argv) > 1 else turn_computed()
    pathlib.Path(__file__).with_name("jansen.svg").write_text(draw(turn))

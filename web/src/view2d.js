// The plane: drawn on a 2-D canvas.
import { boundsOf, colorOf, isSeen, largestLoad, largestReaction, piecesOf, runColors, strobeTimes, unitOf } from './shapes.js';
import { followOf } from './run.js';
import { arrow, drawForce, drawJoint } from './symbols.js';

const MANY = 400; // bodies: from here on details are left out

export class View2d {
  constructor(runs) {
    this.runs = runs;
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'scene';
    this.g = this.canvas.getContext('2d');
    this.whole = boundsOf(runs);
    const follow = followOf(runs[0].scene);
    this.around = follow && boundsOf(runs, follow); // of what the model follows
    this.bounds = this.around ?? this.whole;
    this.unit = unitOf(runs, this.bounds);
    this.options = {};
    this.traces = [];
    this.follow = null;
    this.parts = runs.map((run, k) => this.#prepare(run, k));
    this.offset = [0, 0];
    this.zoom = 1;
    this.#listen();
  }

  /** Bodies by colour: one stroke draws many rods. */
  #prepare(run, index) {
    const groups = new Map();
    run.scene.bodies.forEach((body, b) => {
      const color = this.runs.length > 1 ? runColors[index % runColors.length] : colorOf(body, b);
      if (!groups.has(color)) groups.set(color, []);
      for (const piece of piecesOf(body)) groups.get(color).push({ ...piece, body: b });
    });
    const things = new Map();
    for (const thing of run.scene.scenery ?? []) {
      const color = thing.color ?? '';
      if (!things.has(color)) things.set(color, []);
      for (const piece of piecesOf(thing)) things.get(color).push({ ...piece, body: thing });
    }
    const ground = piecesOf(run.scene.ground).filter((p) => p.kind !== 'dot' && Object.keys(run.scene.ground.shape).length > 0);
    return { run, groups, ground: ground.map((p) => ({ ...p, body: -1 })), things, largest: largestReaction(run.film), largestLoad: largestLoad(run.film) };
  }

  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio;
  }

  fit() {
    this.zoom = 1;
    this.offset = [0, 0];
  }

  /** Pixels per unit of length, and where the origin is. */
  #transform() {
    const around = this.follow && this.around;
    const { low, high } = around || this.whole;
    const margin = 0.09 * Math.min(this.width, this.height) + 8;
    const fit = Math.min((this.width - 2 * margin) / (high[0] - low[0]), (this.height - 2 * margin) / (high[1] - low[1]));
    this.scale = (around ? 0.6 : 1) * fit * this.zoom; // what it passes is to be seen, too
    let [cx, cy] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    if (this.follow) {
      const at = this.runs[0].film.point(this.follow.body, this.follow.u);
      [cx, cy] = around ? [at[0] + cx, at[1] + cy] : at;
    }
    this.x0 = this.width / 2 - this.scale * cx + this.offset[0];
    this.y0 = this.height / 2 + this.scale * cy + this.offset[1];
  }

  /** How it is looked at, for an address. */
  state() {
    return { zoom: Number(this.zoom.toPrecision(5)), offset: this.offset.map((x, k) => Number((x / (k ? this.height : this.width)).toPrecision(5))) };
  }

  restore({ zoom, offset }) {
    if (!(zoom > 0) || !Array.isArray(offset) || !offset.every(Number.isFinite)) return;
    this.zoom = zoom;
    this.offset = [offset[0] * this.width, offset[1] * this.height];
  }

  /** A point in sight. */
  middle() {
    return this.whole.low.map((x, k) => (x + this.whole.high[k]) / 2);
  }

  /** Where a point of the model is on the canvas, in CSS pixels. */
  project(p) {
    return [this.x0 + this.scale * p[0], this.y0 - this.scale * p[1]];
  }

  draw(t, style) {
    const { g } = this;
    for (const { run } of this.parts) run.film.at(t);
    this.#transform();
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    g.lineCap = g.lineJoin = 'round';
    this.style = style;
    this.thick = Math.min(Math.max(0.055 * this.unit * this.scale, 1.2), 9);
    this.pin = Math.min(Math.max(0.05 * this.unit * this.scale, 1.5), 7);
    this.#grid();
    this.#traces(t);
    if (this.options.strobe) this.#strobe();
    this.parts.forEach((part, k) => this.#run(part, k, t));
  }

  #grid() {
    const { g, style } = this;
    const raw = 90 / this.scale;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * (raw / power >= 5 ? 5 : raw / power >= 2 ? 2 : 1);
    g.strokeStyle = style.grid;
    g.lineWidth = 1;
    g.beginPath();
    for (let i = Math.ceil(-this.x0 / this.scale / step); this.x0 + this.scale * step * i <= this.width; i++) {
      const x = Math.round(this.x0 + this.scale * step * i) + 0.5;
      g.moveTo(x, 0);
      g.lineTo(x, this.height);
    }
    for (let i = Math.ceil((this.y0 - this.height) / this.scale / step); this.y0 - this.scale * step * i >= 0; i++) {
      const y = Math.round(this.y0 - this.scale * step * i) + 0.5;
      g.moveTo(0, y);
      g.lineTo(this.width, y);
    }
    g.stroke();
    g.fillStyle = style.faint;
    g.font = '11px system-ui, sans-serif';
    g.textAlign = 'right';
    g.fillText(`grid ${Number(step.toPrecision(3))}`, this.width - 10, this.height - 10);
  }

  #run(part, index, t) {
    const { g } = this;
    const { run } = part;
    g.globalAlpha = index === 0 ? 1 : 0.6;
    if (this.options.joints) this.#guides(run);
    this.#bodies(part, run.film.now);
    for (const force of run.scene.forces) if (force.ends && isSeen(force, this.options.hidden)) drawForce(this, run, force, t);
    if (this.options.joints && index === 0) this.#joints(run);
    if (this.options.reactions) this.#reactions(part, t);
    if (this.options.forces) this.#loads(part, t);
    g.globalAlpha = 1;
  }

  #bodies({ run, groups, ground, things }, poses) {
    const { style } = this;
    for (const [color, pieces] of things) this.#group(run, pieces, color || style.ground, poses);
    this.#group(run, ground, run.scene.ground.color ?? style.ground, poses);
    const { hidden, faint } = this.options;
    for (const [color, pieces] of groups) this.#group(run, hidden?.size || faint?.size ? pieces.filter(({ body }) => !hidden.has(body) && !faint.has(body)) : pieces, color, poses);
    if (!faint?.size) return;
    const alpha = this.g.globalAlpha;
    this.g.globalAlpha = 0.25 * alpha;
    for (const [color, pieces] of groups) this.#group(run, pieces.filter(({ body }) => faint.has(body) && !hidden.has(body)), color, poses);
    this.g.globalAlpha = alpha;
  }

  #group(run, pieces, color, poses) {
    const { g } = this;
    const { film } = run;
    const at = (body, u) => this.project(film.point(body, u, poses));
    g.strokeStyle = g.fillStyle = color;
    const solids = new Path2D();
    const lines = new Path2D();
    for (const piece of pieces) {
      if (piece.kind === 'line') {
        lines.moveTo(...at(piece.body, piece.a));
        lines.lineTo(...at(piece.body, piece.b));
      } else this.#solid(solids, lines, film, piece, at, run);
    }
    const alpha = g.globalAlpha;
    g.globalAlpha = alpha * 0.28;
    g.fill(solids);
    g.globalAlpha = alpha;
    g.lineWidth = Math.min(this.thick, 1.6);
    g.stroke(solids);
    g.lineWidth = this.thick;
    g.stroke(lines);
  }

  #solid(path, lines, film, piece, at, run) {
    const { body } = piece;
    if (piece.kind === 'dot') circle(path, at(body, piece.at), Math.max(this.pin, 4));
    else if (piece.kind === 'plate') polygon(path, piece.path.map((u) => at(body, u)));
    else if (piece.kind === 'box') {
      const [a, b] = [piece.size[0] / 2, piece.size[1] / 2];
      polygon(path, [[-a, -b, 0], [a, -b, 0], [a, b, 0], [-a, b, 0]].map((u) => at(body, u)));
    } else if (piece.kind === 'cone' && Math.hypot(piece.axis[0], piece.axis[1]) > 0.5 * Math.abs(piece.axis[2])) {
      const n = Math.hypot(piece.axis[0], piece.axis[1]);
      const [dx, dy] = [piece.axis[0] / n, piece.axis[1] / n];
      const { radius, height } = piece;
      polygon(path, [[-dy * radius, dx * radius, 0], [dy * radius, -dx * radius, 0], [dx * height, dy * height, 0]].map((u) => at(body, u)));
    } else if (piece.kind === 'cone') circle(path, at(body, [0, 0, 0]), piece.radius * this.scale);
    else if (piece.kind === 'sphere') circle(path, at(body, [0, 0, 0]), piece.radius * this.scale);
    else if (piece.kind === 'cylinder' && Math.hypot(piece.axis[0], piece.axis[1]) > 0.5 * Math.abs(piece.axis[2])) {
      const n = Math.hypot(piece.axis[0], piece.axis[1]);
      const [dx, dy] = [piece.axis[0] / n, piece.axis[1] / n];
      const corner = (s, q) => [(dx * s * piece.length) / 2 - dy * q * piece.radius, (dy * s * piece.length) / 2 + dx * q * piece.radius, 0];
      polygon(path, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].map((u) => at(body, u)));
    } else if (piece.kind === 'cylinder') {
      circle(path, at(body, [0, 0, 0]), piece.radius * this.scale);
      path.moveTo(...at(body, [0, 0, 0]));
      path.lineTo(...at(body, [piece.radius, 0, 0]));
    } else if (piece.kind === 'mesh') {
      const m = run.meshes[piece.mesh];
      for (let i = 0; i < m.length; i += 9) {
        polygon(path, [0, 3, 6].map((k) => at(body, [m[i + k], m[i + k + 1], m[i + k + 2]])));
      }
    }
  }

  #guides(run) {
    for (const joint of run.scene.joints) if (joint.ends && isSeen(joint, this.options.hidden)) drawJoint(this, run, joint, 'under', run.scene.bodies.length > MANY);
  }

  #joints(run) {
    for (const joint of run.scene.joints) if (joint.ends && isSeen(joint, this.options.hidden)) drawJoint(this, run, joint, 'over', run.scene.bodies.length > MANY);
  }

  #reactions({ run, largest }, t) {
    const { film, scene } = run;
    const place = film.place(t);
    film.reactions.forEach((j, index) => {
      const [body, ...u] = scene.joints[j].ends[1];
      this.#arrow(film.point(body, u), film.reaction(t, index, place), largest, this.style.reaction);
    });
  }

  #loads({ run: { film }, largestLoad: most }, t) {
    const place = film.place(t);
    film.loads.forEach((_, index) => {
      const { at, force } = film.load(t, index, place);
      this.#arrow(at, force, most, this.style.load);
    });
  }

  #arrow(at, [fx, fy], largest, color) {
    const longest = 0.16 * Math.min(this.width, this.height);
    const length = (longest * Math.hypot(fx, fy)) / largest;
    if (!(length > 1)) return;
    const from = this.project(at);
    const k = Math.min(length, 3 * longest) / Math.hypot(fx, fy);
    arrow(this.g, from, [from[0] + k * fx, from[1] - k * fy], color, 2);
  }

  #strobe() {
    const { g } = this;
    for (const part of this.parts) {
      const poses = new Float32Array(part.run.film.now.length);
      for (const t of strobeTimes(part.run.film, this.options.strobe)) {
        g.globalAlpha = 0.3;
        this.#bodies({ ...part, ground: [], things: new Map() }, part.run.film.at(t, poses));
      }
    }
    g.globalAlpha = 1;
  }

  /** [{body, u, color}], each for every run. */
  setTraces(traces) {
    this.traces = traces.flatMap((trace) =>
      this.runs.map((run, k) => ({ ...trace, run, path: run.film.trace(trace.body, trace.u), color: this.runs.length > 1 ? runColors[k % runColors.length] : trace.color })));
  }

  #traces(t) {
    const { g } = this;
    for (const { path, color, run, body, u } of this.traces) {
      const { low } = run.film.place(t);
      const stroke = (first, last, alpha, now) => {
        g.globalAlpha = alpha;
        g.beginPath();
        for (let i = first; i <= last; i++) g.lineTo(...this.project([path[3 * i], path[3 * i + 1]]));
        if (now) g.lineTo(...this.project(now));
        g.stroke();
      };
      g.strokeStyle = color;
      g.lineWidth = 1.5;
      stroke(0, path.length / 3 - 1, 0.25);
      g.lineWidth = 2.2;
      stroke(0, low, 0.95, run.film.point(body, u));
      g.globalAlpha = 1;
    }
  }

  #listen() {
    const { canvas } = this;
    const touches = new Map();
    canvas.style.touchAction = 'none';
    canvas.addEventListener('pointerdown', (e) => {
      canvas.setPointerCapture(e.pointerId);
      touches.set(e.pointerId, [e.offsetX, e.offsetY]);
    });
    const end = (e) => touches.delete(e.pointerId);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointermove', (e) => {
      const before = touches.get(e.pointerId);
      if (!before) return;
      const now = [e.offsetX, e.offsetY];
      if (touches.size === 2) {
        const other = [...touches.entries()].find(([id]) => id !== e.pointerId)[1];
        const ratio = Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.hypot(before[0] - other[0], before[1] - other[1]);
        this.#zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, ratio || 1);
      }
      const share = touches.size === 2 ? 0.5 : 1;
      this.offset[0] += share * (now[0] - before[0]);
      this.offset[1] += share * (now[1] - before[1]);
      touches.set(e.pointerId, now);
      this.onchange?.();
    });
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      this.#zoomAt(e.offsetX, e.offsetY, Math.exp(-0.0015 * e.deltaY));
      this.onchange?.();
    }, { passive: false });
  }

  zoomBy(ratio) {
    this.#zoomAt(this.width / 2, this.height / 2, ratio);
  }

  #zoomAt(x, y, ratio) {
    const zoom = Math.min(Math.max(this.zoom * ratio, 0.05), 500);
    ratio = zoom / this.zoom;
    this.zoom = zoom;
    this.offset[0] = ratio * this.offset[0] + (1 - ratio) * (x - this.width / 2);
    this.offset[1] = ratio * this.offset[1] + (1 - ratio) * (y - this.height / 2);
  }

  image() {
    return this.canvas.toDataURL();
  }
}

function circle(path, [x, y], radius) {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}

function polygon(path, corners) {
  corners.forEach((p, i) => (i ? path.lineTo(...p) : path.moveTo(...p)));
  path.closePath();
}
